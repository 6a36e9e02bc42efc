"""The titles of reports without a definition."""

from dataclasses import replace
from typing import Any

import pytest

from reportgen.autolayout.overview import define_overview
from reportgen.core.model import Source
from tests.builders import published_run
from tests.each_of import each_row


@each_row(
    [
        ([{"model": "a", "device": "NVIDIA A40"}], "Throughput of a on A40"),
        (
            [{"model": "a", "batch_size": 8, "seq_len": 384}],
            "Throughput of a at batch size 8 and seq len 384",
        ),
        ([{"framework": "x", "collective": "all_reduce"}], "Throughput of all_reduce"),
        ([{"model": m} for m in "abc"], "Throughput of a, b and c"),
        ([{"model": m} for m in "abcd"], "Throughput of 4 models"),
        ([{"device": d} for d in "ABCD"], "Throughput on 4 kinds of device"),
        (
            [{"model": "a", "device": "V100", "devices": n} for n in (1, 2, 8)],
            "Throughput of a on 1 to 8 V100",
        ),
        ([{"model": "a", "device": d, "devices": 8} for d in "AB"], "Throughput of a on A and B"),
        ([{"framework": "jax", "devices": n} for n in (8, 16, 64)], "Throughput with jax on 8 to 64 devices"),
        ([{"model": "a", "version": v} for v in ("v1", "v2")], "Throughput of a: v1 and v2"),
        (
            [{"model": "a", "tensor_parallel": n, "concurrency": c} for n in (1, 2) for c in (1, 8)],
            "Throughput of a: tensor parallel 1 and 2",
        ),
        ([{"model": "a", "batch_size": n} for n in (1, 2, 4)], "Throughput of a by batch size"),
        # Another log may be of another model or device.
        ([{"framework": "jax", "model": "a", "device": "A40"}, {"framework": "jax"}], "Throughput with jax"),
        # The size follows from the model.
        ([{"model": m, "seq_len": n} for m, n in (("a", 1), ("b", 2))], "Throughput of a and b"),
        ([{"model": "a", "date": f"2026-01-0{n}"} for n in (1, 2, 3)], "Throughput of a by date"),
    ]
)
def test_a_title_says_what_was_measured(cases: list[dict[str, Any]], title: str) -> None:
    runs = [published_run(throughput=float(n), **case) for n, case in enumerate(cases, 1)]
    assert define_overview(runs, "reports").title == title


@pytest.mark.parametrize(
    ("apart", "title"),
    [
        ("", "Throughput with nanoGPT"),
        ("all: nano_gpt", "Throughput with nanoGPT"),
        ("lab", "Throughput with nanoGPT (lab)"),
    ],
)
def test_what_sets_a_report_apart_is_in_its_title(apart: str, title: str) -> None:
    runs = [published_run(throughput=1.0, framework="nanoGPT")]
    assert define_overview(runs, "reports", title=apart).title == title


@pytest.mark.parametrize(
    ("paths", "title"),
    [
        (["logs/llama7b/2nodes/run1.log", "logs/llama7b/run2.log"], "Throughput of llama7b with jax"),
        (["logs/resnet50v1.5/ngc/r50_b128.log"] * 2, "Throughput of resnet50v1.5 with jax"),
        (
            ["logs/A40/roberta-bs8-seed1/x.json", "logs/H100/roberta-bs8/x.json"],
            "Throughput of roberta with jax",
        ),
        # Another model, two of them, none.
        (["logs/llama7b/1.log", "logs/llama13b/1.log"], "Throughput with jax"),
        (["logs/bert/llama7b.log"] * 2, "Throughput with jax"),
        (["logs/nightly/run1.log"] * 2, "Throughput with jax"),
    ],
)
def test_a_model_that_only_the_paths_name_is_in_the_title(paths: list[str], title: str) -> None:
    runs = [
        replace(published_run(throughput=1.0, framework="jax"), source=Source(path, line))
        for line, path in enumerate(paths)
    ]
    assert define_overview(runs, "reports").title == title
