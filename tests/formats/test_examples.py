"""What the readers of NVIDIA's examples share: files around a log, and the arguments in it."""

import pytest

from reportgen.core.model import Run
from reportgen.formats.detection import detect
from reportgen.formats.nvidia_dle.examples import Surroundings, argument, surroundings
from reportgen.formats.parsing.text_log import TextLog
from reportgen.sources.logfiles import LogFiles

SSD = b"Training performance = 490.43 FPS\n"
SYSTEM = b"CPU: Xeon\nGPU: Tesla_V100\nCUDNN Version: ..\nMotherboard: \n"


def around(path: str, **others: bytes) -> Surroundings:
    folder = path.rpartition("/")[0]
    names = {"para": f"{folder}/benchmark.para", "system": f"{folder.rpartition('/')[0]}/sys_pytorch.txt"}
    files = LogFiles.of({path: b"", **{names[name]: content for name, content in others.items()}})
    return surroundings(
        files.file(path).select([path.rpartition("/")[2]], ("benchmark.para", "../sys_pytorch.txt"))
    )


@pytest.mark.parametrize(
    ("system", "devices"),
    [
        ("2080MaxQ", 1),
        ("8xA100", 8),
        ("4x_Texas_2xH100_80GB", 2),
        ("1cc_2xH100_80GB_v1", 2),
        ("p3.8xlarge", 4),
        ("Cloud_16xV100", 16),
        ("3080Max-Q", 1),
    ],
)
def test_the_last_number_of_a_systems_name_counts_devices(system: str, devices: int) -> None:
    assert around(f"results/{system}/PyTorch_ncf_FP32/03-03-2020_18-45-27.txt").devices == devices


@pytest.mark.parametrize(
    "path",
    ["8xA100/notes.txt", "8xA100/PyTorch_ncf/03-03-2020_18-45-27.txt", "8xA100/PyTorch_ncf_FP32/log.txt"],
)
def test_other_names_give_no_factors(path: str) -> None:
    assert around(path).devices is None


def test_the_launchers_file_wins_over_the_name() -> None:
    found = around("8xA100/PyTorch_ncf_FP32/03-03-2020_18-45-27.txt", para=b"GLOBAL_BATCH 140\nGPU 4\n")
    assert (found.global_batch, found.devices) == (140, 4)


@pytest.mark.parametrize("content", [b"", b"GLOBAL_BATCH x\nGPU 1\n", b"GPU 1\n", b"\xff\0" * 9])
def test_a_damaged_file_of_the_launcher_is_ignored(content: bytes) -> None:
    assert around("a/b/c.txt", para=content).global_batch is None


def test_sessions_that_differ_are_both_named_the_last_one_first() -> None:
    found = around("a/b/c.txt", system=SYSTEM + SYSTEM.replace(b"V100", b"A100") + b"Mail: x\n")
    assert found.environment == {"cpu": "Xeon", "gpu": "Tesla A100 | Tesla V100"}


@pytest.mark.parametrize(
    ("system", "device"),
    [(SYSTEM, "Tesla V100"), (SYSTEM + b"GPU: A100\n", None), (b"CPU: Xeon\n", None), (b"", None)],
)
def test_the_gpu_of_the_machine_is_a_factor_if_certain(system: bytes, device: str | None) -> None:
    files = LogFiles.of({"s/PyTorch_x_FP32/log.txt": SSD, "s/sys_pytorch.txt": system})
    claimed = detect(files.file("s/PyTorch_x_FP32/log.txt"))
    assert claimed is not None
    (run,) = (one for one in claimed.format.read(claimed.files) if isinstance(one, Run))
    assert run.factors.get("device") == device


@pytest.mark.parametrize(
    ("content", "number"),
    [
        (b"Namespace(size=12, n=3)", 12),
        (b"x\nRun arguments: Namespace(n=3, size=12)\nsize=9", 12),
        (b"Namespace(batch_size=3, size='12')", None),
        (b"Namespace(n=3)\nNamespace(size=12)", None),
        (b"size=12", None),
    ],
)
def test_an_argument_is_that_of_the_first_namespace(content: bytes, number: int | None) -> None:
    assert argument(TextLog(LogFiles.of({"a.txt": content}).file("a.txt")), b"size") == number
