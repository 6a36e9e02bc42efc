"""The command line of the workloads: which cases it selects, and how it starts them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from collectors.launcher import launch
from collectors.workloads import bench
from collectors.workloads.flux import workload as flux
from tests.conftest import ROOT

pytestmark = pytest.mark.slow


def planned(*argv):
    options = bench.parse([*argv, "--threads", "1"])
    return [(case["model"], case["pass"], case["variant"]) for _, case in bench.select_cases(options)]


def started(monkeypatch, *argv):
    """The campaigns that the command line hands to the launcher."""
    campaigns = []
    monkeypatch.setattr(bench, "missing_requirement", lambda options: "")
    monkeypatch.setattr(launch, "run_campaign", lambda campaign: campaigns.append(campaign) or 0)
    assert bench.main([*argv, "--threads", "3"]) == 0
    return campaigns


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["darnn"], [("DARNN", "forward", "sequential")]),
        (["TPA-LSTM"], [("TPA-LSTM", "forward", "sequential")]),
        (["darnn", "darnn"], [("DARNN", "forward", "sequential")]),
        (
            ["lstnet", "dsanet", "--pass", "train", "--variant", "sequential", "batched"],
            # DSANet has no recurrence: nothing to batch
            [
                ("LSTNet", "train", "sequential"),
                ("LSTNet", "train", "batched"),
                ("DSANet", "train", "sequential"),
            ],
        ),
        (
            ["dsanet", "--pass", "forward", "forward+backward"],
            [("DSANet", "forward", "sequential"), ("DSANet", "forward+backward", "sequential")],
        ),
    ],
)
def test_options_select_cases(argv, expected):
    assert planned(*argv) == expected


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["resnet"], "invalid choice"),
        (
            ["darnn", "--precision", "bf16"],
            "darnn: has no option --precision; it has --pass, --variant, --size",
        ),
        (
            ["resnet50", "darnn", "--pass", "train"],
            "resnet50: has no option --pass; it has --precision, --batch-size",
        ),
        (["matmul", "--batch-size", "8"], "matmul: has no option --batch-size"),
        (["resnet50", "--precision", "tf32"], "--precision tf32: CPUs have no TF32; use fp32"),
        (
            ["bert-base", "--seq-len", "128", "1024"],
            "--seq-len 1024: not supported by bert-base; use 2 to 512 tokens",
        ),
        (
            ["resnet50", "--data", "/nowhere"],
            "--data /nowhere: no such folder; use a folder with <class>/<image>",
        ),
        (["resnet50", "--num-workers", "-1"], "-1: not a count; use 0 or more"),
        (["darnn", "--repeats", "0"], "0: not a count; use 1 or more"),
        (["darnn", "--steps", "many"], "many: not a count; use 1 or more"),
        (["dsanet", "--variant", "batched"], "no such variant"),
        (["darnn", "--here", "--pass", "forward", "train"], "--here runs a single case"),
        ([], "the following arguments are required"),
    ],
)
def test_wrong_options_are_reported(argv, message, capsys):
    with pytest.raises(SystemExit) as ended:
        bench.main(argv)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_case_has_all_its_factors():
    options = bench.parse(["lstnet", "--size", "Benchmarks.jl", "--threads", "2"])
    ((_, case),) = bench.select_cases(options)
    assert case == {
        "model": "LSTNet",
        "pass": "forward",
        "variant": "sequential",
        "size": "Benchmarks.jl",
        "batch_size": 500,
        "dtype": "float32",
        "device": "CPU",
        "threads": 2,
    }


def test_cases_have_the_factors_of_the_published_studies():
    options = bench.parse(["resnet50", "--benchmark", "smooth-inference", "--threads", "2"])
    ((_, case),) = bench.select_cases(options)
    assert case == {
        "model": "resnet50_v1.5",
        "benchmark": "Smooth Inference",  # has no DataLoader, so no workers either
        "dataset": "Synthetic",
        "batch_size": 128,
        "precision": "fp32",
        "compile": False,
        "devices": 1,
        "layout": "nchw",
        "image_size": 224,
        "device": "CPU",
        "threads": 2,
    }


def test_the_default_is_the_full_protocol(monkeypatch):
    (campaign,) = started(monkeypatch, "darnn", "lstnet")
    assert campaign.repeats == 7
    assert campaign.order == "interleaved"
    assert [job.case["model"] for job in campaign.jobs] == ["DARNN", "LSTNet"]
    assert all("--steps 120" in " ".join(job.command) for job in campaign.jobs)


def test_each_process_runs_exactly_its_case(monkeypatch):
    names = ["darnn", "dsanet", "lstnet", "tpa-lstm"]
    options = ["--pass", *flux.PASSES, "--variant", *flux.VARIANTS, "--size", "Benchmarks.jl"]
    (campaign,) = started(monkeypatch, *names, *options)
    assert len(campaign.jobs) == 3 * 7
    assert_each_command_is_its_case(campaign)


@pytest.mark.parametrize(
    ("argv", "count"),
    [
        (
            ["resnet50", "--benchmark", "train", "inference", "smooth-inference", "--layout", "nchw", "nhwc"],
            6,
        ),
        (["resnet50", "bert-base", "--precision", "fp32", "bf16", "fp16-amp", "--compile", "no", "yes"], 12),
        (
            [
                "roberta-base",
                "roberta-large",
                "--seq-len",
                "128",
                "512",
                "--batch-size",
                "1",
                "8",
                "--compile",
            ],
            8,
        ),
        (["distilroberta-base", "--ddp", "1", "2", "--num-workers", "0"], 2),
        (["matmul", "--matrix-size", "64", "128", "--precision", "fp32", "bf16-amp"], 4),
        (["resnet50", "roberta-base", "--data", "device", "--batch-size", "1", "2"], 4),
        (["resnet50", "--data", "device", "--benchmark", "train", "inference", "smooth-inference"], 3),
    ],
)
def test_each_combination_of_settings_is_a_case(argv, count, monkeypatch):
    (campaign,) = started(monkeypatch, *argv)
    assert len(campaign.jobs) == count
    assert len({str(job.case) for job in campaign.jobs}) == count
    assert_each_command_is_its_case(campaign)


def test_data_on_the_device_are_another_case_without_workers():
    for name in ("resnet50", "bert-tiny"):
        ((_, host),) = bench.select_cases(bench.parse([name]))
        ((_, device),) = bench.select_cases(bench.parse([name, "--data", "device"]))
        assert {**host, "data": "device"} == {**device, "num_workers": 4}


def test_an_encoder_reads_no_folder(tmp_path):
    parser = bench.make_parser()
    with pytest.raises(ValueError, match="roberta-base reads no files; use device, or omit --data"):
        bench.parse_options(parser, ["roberta-base", "--data", str(tmp_path)])


def test_the_model_of_the_gpu_is_left_to_be_detected():
    ((_, case),) = bench.select_cases(bench.parse(["matmul", "--device", "cuda"]))
    assert "device" not in case


def assert_each_command_is_its_case(campaign):
    for case, command, _ in campaign.jobs:
        child = bench.parse(command[command.index("bench") + 1 :])
        assert child.here
        assert [selected for _, selected in bench.select_cases(child)] == [case]


def test_several_processes_are_started_by_torchrun(monkeypatch):
    (campaign,) = started(monkeypatch, "bert-base", "--ddp", "8")
    (job,) = campaign.jobs
    assert job.case["devices"] == 8
    assert job.command[1:6] == ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "8"]


def test_cores_are_divided_among_the_processes(monkeypatch):
    monkeypatch.setattr(bench, "usable_cores", lambda: 12)
    options = bench.parse(["bert-base", "--ddp", "1", "4", "16"])
    assert [case["threads"] for _, case in bench.select_cases(options)] == [12, 3, 1]


def test_the_timing_is_passed_to_the_processes(monkeypatch):
    (campaign,) = started(monkeypatch, "matmul", "--timing", "host")
    assert campaign.variables == {"REPORTGEN_TIMING": "host"}


def test_logs_contain_no_local_path_if_python_is_on_the_path(monkeypatch):
    monkeypatch.setattr(bench.shutil, "which", lambda name: sys.executable)
    assert bench.python_program() == "python"
    monkeypatch.setattr(bench.shutil, "which", lambda name: "/elsewhere/python")
    assert bench.python_program() == sys.executable


def test_missing_torch_is_an_error_with_a_remedy(monkeypatch, capsys):
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: None)
    assert bench.main(["darnn"]) == 1
    assert 'torch is not installed; pip install "reportgen-bench[workloads]", or' in capsys.readouterr().err


def test_missing_transformers_is_an_error_with_a_remedy(monkeypatch, capsys):
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda name: None if name == "transformers" else 1)
    assert bench.main(["bert-base"]) == 1
    assert "transformers is not installed; pip install" in capsys.readouterr().err


def test_missing_gpu_is_an_error_with_a_remedy(monkeypatch, capsys):
    torch = pytest.importorskip("torch", reason="torch is not installed; pip install torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert bench.main(["darnn", "--device", "cuda"]) == 1
    assert "use --device cpu" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["resnet50", "--ddp", "2"], "--ddp 2: torch has 1 CUDA devices; use at most that many"),
        (["resnet50", "--precision", "tf32"], "--precision tf32: this device has no TF32"),
    ],
)
def test_an_insufficient_device_is_an_error(argv, message, monkeypatch, capsys):
    torch = pytest.importorskip("torch", reason="torch is not installed; pip install torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (7, 0))
    assert bench.main([*argv, "--device", "cuda"]) == 1
    assert message in capsys.readouterr().err


def test_a_folder_that_cannot_be_created_is_an_error(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(bench, "missing_requirement", lambda options: "")
    (tmp_path / "file").write_text("")
    assert bench.main(["lstnet", "--logs", str(tmp_path / "file")]) == 1
    assert "file" in capsys.readouterr().err


def test_help_starts_with_an_example_and_imports_no_torch():
    script = (
        "import sys; from collectors.workloads import bench\n"
        "try: bench.main(['--help'])\n"
        "except SystemExit: assert 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: python -m collectors bench resnet50")


def test_a_run_is_recorded_with_its_case(tmp_path, warm_torch):
    command = [warm_torch, "-m", "collectors", "bench", "lstnet", "--variant", "batched", "--pass", "train"]
    options = ["--steps", "3", "--repeats", "1", "--threads", "1", "--logs", str(tmp_path)]
    subprocess.run([*command, *options], cwd=ROOT, check=True, capture_output=True)
    (path,) = tmp_path.glob("*/r1/run.json")
    run = json.loads(path.read_text())
    assert (run["status"], run["item"], run["samples_per_step"]) == ("complete", "sample", 500)
    assert run["case"]["variant"] == "batched"
    rows = (path.parent / "steps.rank0.csv").read_text().splitlines()
    assert "forward_host_ns,backward_host_ns,optimizer_host_ns" in rows[1]
    assert [row.split(",")[0] for row in rows if row[0].isdigit()] == ["1", "2", "3"]
