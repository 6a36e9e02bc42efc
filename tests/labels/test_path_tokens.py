"""Settings in the names of files and folders: words that are settings, and words that are not."""

from pathlib import Path

import pytest

from reportgen import cases
from reportgen.core.model import FactorValue
from reportgen.labels.path_tokens import add_path_settings
from tests.builders import messages, run, write_files
from tests.each_of import each_row


def settings(path: str, **factors: FactorValue) -> dict[str, FactorValue]:
    """Return the factors that a log at this path gets from it."""
    found = add_path_settings(run(id=path, factors=factors)).factors
    return {name: value for name, value in found.items() if name not in factors}


@each_row(
    [
        ("logs/PyTorch_ncf_FP16/1.txt", {"precision": "fp16"}),
        ("logs/PyTorch_ncf_FP32/1.txt", {"precision": "fp32"}),
        ("logs/rn50-bfloat16.log", {"precision": "bf16"}),
        ("logs/TF32/amp/r.log", {"precision": "amp"}),  # the innermost name wins
        ("logs/amp_tf32/r.log", {"precision": "amp+tf32"}),
        ("logs/bert_xla_1.log", {"xla": True}),
        ("logs/eager/r.log", {"execution": "eager"}),
        ("logs/torch.compile/r.log", {"execution": "compile"}),
        ("logs/eager_compile/r.log", {}),  # a comparison of both, perhaps
        ("logs/rn50_inference.log", {"mode": "inference"}),
        ("logs/rn50.training.log", {"mode": "train"}),
        ("logs/1x/r.log", {"devices": 1}),
        ("logs/8xA100_80GB/r.log", {"devices": 8}),
        ("logs/4x2080Ti_trt2/r.log", {"devices": 4}),
        ("logs/2xGPU_test/r.log", {"devices": 2}),
        ("logs/2x_H100/r.log", {"times": 2}),  # of what, the name does not say
        ("logs/mask_rcnn_r50_fpn_1x_coco/r.log", {"times": 1}),
        ("logs/cloud_1x_8xA100/r.log", {"devices": 8}),
        ("logs/cloud_2x_8xA100/r.log", {"devices": 8, "times": 2}),
        ("logs/p3.16xlarge/r.log", {}),
        ("logs/esrgan_2xbatch/r.log", {}),
        ("logs/1024x768/r.log", {}),
        ("logs/x8/gpu0/r.log", {}),
        ("logs/trainers/champ/fp160/r.log", {}),
    ]
)
def test_known_words_in_a_path_are_factors(path: str, expected: dict[str, FactorValue]) -> None:
    assert settings(path) == expected


@pytest.mark.parametrize(
    "factors",
    [
        {"precision": "amp"},  # the log says it
        {"prec": "FP16"},  # a label says it
        {"benchmark": "Smooth fp16"},
    ],
)
def test_what_the_log_or_a_label_says_is_not_said_twice(factors: dict[str, FactorValue]) -> None:
    assert settings("logs/PyTorch_ncf_FP16/1.txt", **factors) == {}


def test_a_name_of_a_folder_is_not_a_setting() -> None:
    """init gives a pattern for folders; FP16 and FP32 below one of its labels were pooled."""
    path = "logs/PyTorch_ncf_FP16/1.txt"
    assert settings(path, folder="PyTorch_ncf_FP16") == {"precision": "fp16"}
    assert settings("logs/fp16/1.txt", folder="fp16") == {}  # the label has this word alone


@pytest.mark.parametrize(
    ("path", "precision", "conflicts"),
    [
        ("logs/bert_FP16/1.txt", "fp32", True),
        ("logs/bert_FP32/1.txt", "amp", True),
        ("logs/bert_FP16/1.txt", "amp", False),  # mixed precision is 16 bits wide
        ("logs/bert_FP32/1.txt", "tf32", False),  # FP32 matrices run in TF32 unless it is switched off
        ("logs/bert_FP32/1.txt", "unknown", False),
    ],
)
def test_a_precision_that_contradicts_the_path_is_a_finding(
    path: str, precision: str, conflicts: bool
) -> None:
    made = add_path_settings(run(id=path, factors={"precision": precision}))
    assert made.factors == {"precision": precision}
    named = "fp16" if "FP16" in path else "fp32"
    message = f"precision: the log says {precision}, the path says {named}; using the log"
    assert messages(made.findings, "read.label-conflict") == ([message] if conflicts else [])


def test_logs_in_folders_that_differ_in_the_precision_are_not_repeats(tmp_path: Path) -> None:
    log = "".join(f"iter {i}: loss 10.9, time 100.00ms, mfu 1.00%\n" for i in range(200))
    write_files(tmp_path, {f"logs/rn_FP{bits}/{n}.log": log + "\n" * n for bits in (16, 32) for n in (1, 2)})
    made = cases(tmp_path / "logs", metric="step_time")
    assert sorted(str(case.factors["precision"]) for case in made) == ["fp16", "fp32"]
