"""The readers of NVIDIA's examples share code for batch, devices and machine from the files around a log."""

import pytest

from reportgen.core.model import Run
from reportgen.formats.detection import detect
from reportgen.formats.nvidia_dle.examples import launched, launched_ranks, machine
from reportgen.sources.logfiles import LogFiles

SSD = b"Training performance = 490.43 FPS\n"
SYSTEM = b"CPU: Xeon\nGPU: Tesla_V100\nCUDNN Version: ..\nMotherboard: \n"


def batch_and_devices(path: str, launcher: bytes = b"") -> tuple[int | None, int | None]:
    folder, _, name = path.rpartition("/")
    files = LogFiles.of({path: b"", f"{folder}/benchmark.para": launcher}).file(path)
    return launched(files.select([name], ["benchmark.para"]))


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
    path = f"results/{system}/PyTorch_ncf_FP32/03-03-2020_18-45-27.txt"
    assert batch_and_devices(path) == (None, devices)


@pytest.mark.parametrize(
    "path",
    ["8xA100/notes.txt", "8xA100/PyTorch_ncf/03-03-2020_18-45-27.txt", "8xA100/PyTorch_ncf_FP32/log.txt"],
)
def test_other_names_give_no_factors(path: str) -> None:
    assert batch_and_devices(path) == (None, None)


def test_the_launchers_file_wins_over_the_name() -> None:
    path = "8xA100/PyTorch_ncf_FP32/03-03-2020_18-45-27.txt"
    assert batch_and_devices(path, b"GLOBAL_BATCH 140\nGPU 4\n") == (140, 4)


@pytest.mark.parametrize("content", [b"", b"GLOBAL_BATCH x\nGPU 1\n", b"GPU 1\n", b"\xff\0" * 9])
def test_a_damaged_file_of_the_launcher_is_ignored(content: bytes) -> None:
    assert batch_and_devices("a/b/c.txt", content) == (None, None)


def test_sessions_that_differ_are_both_named_the_last_one_first() -> None:
    facts = machine(SYSTEM + SYSTEM.replace(b"V100", b"A100") + b"Mail: x\n")
    assert facts == {"cpu": "Xeon", "gpu": "Tesla A100 | Tesla V100"}


@pytest.mark.parametrize(
    ("system", "device"),
    [(SYSTEM, "Tesla V100"), (SYSTEM + b"GPU: A100\n", None), (b"CPU: Xeon\n", None), (b"", None)],
)
def test_the_gpu_of_the_machine_is_a_factor_if_certain(system: bytes, device: str | None) -> None:
    files = LogFiles.of({"s/PyTorch_x_FP32/log.txt": SSD, "s/sys_pytorch.txt": system})
    claimed = detect(files.file("s/PyTorch_x_FP32/log.txt"))
    assert claimed is not None
    (run,) = (run for run in claimed.format.read(claimed.files) if isinstance(run, Run))
    assert run.factors.get("device") == device


@pytest.mark.parametrize(
    ("command", "ranks"),
    [
        (b"python -m torch.distributed.launch --nproc_per_node=4 --nnodes=2 run.py", 8),
        (b"torchrun --nproc-per-node 4 run.py", 4),
        (b"+ mpirun --allow-run-as-root -np 16 --bind-to none python run.py -n 3", 16),
        (b"horovodrun -np 8 -H host1:8 python run.py", 8),
        (b"python run.py --np 3", None),
        (b"mpirun python run.py", None),
    ],
)
def test_a_command_launches_ranks(command: bytes, ranks: int | None) -> None:
    assert launched_ranks(command) == ranks
