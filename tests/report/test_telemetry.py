"""A campaign as the collectors write it, telemetry included, built into a report: tables, a figure, findings.

Written by hand from logs/FORMAT.md, because no GPU is at hand: two cases of three repeats of 130 steps, sampled
ten times a second. Expected values follow from the power that the samples state.
"""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from reportgen.pipeline import Request, build

DEVICE = "GPU-11111111-2222-3333-4444-555555555555"
SECOND = 1_000_000_000
BEGIN = 5 * SECOND  # monotonic ns of the first step
STEPS, BATCH, TOKENS, FLOP = 130, 32, 4096, 6 * 10**12

# Case -> s of a step, W.
CASES = {"bf16": (0.05, 500), "fp32": (0.1, 600)}

DEFINITION = """\
title = "What a step costs"
logs = ["logs/h"]
protocol = "20+100x3"

[[tables]]
id = "devices"
title = "Devices"
metric = ["throughput", "token_throughput", "flops", "step_time", "memory_used", "utilization", "power", "energy",
          "energy_per_sample"]
rows = ["metric"]
columns = ["precision"]

[[tables]]
id = "energy"
title = "Energy of an image"
metric = "energy_per_sample"
rows = ["precision"]

[[figures]]
id = "energy"
title = "Energy of an image"
kind = "bar"
table = "energy"
"""


def steps(duration: int) -> str:
    rows = [f"{n + 1},{BEGIN + n * duration},{duration}" for n in range(STEPS)]
    return "\n".join([f"#clock,{BEGIN},1700000000000000000", "step,begin_ns,duration_ns", *rows, ""])


def telemetry(duration: int, watts: int, *, is_hot: bool) -> str:
    """Return ten samples a second from 1 s before the first step to 1 s after the last."""
    end = BEGIN + STEPS * duration + SECOND
    columns = (
        "utilization_gpu_percent,memory_used_bytes,power_mw,power_limit_enforced_mw,power_limit_default_mw,"
        "energy_mj,foreign_processes_count,clocks_event_reasons_mask"
    )
    lines = [f"#clock,{BEGIN},1700000000000000000", "#interval,100000000", f"device,monotonic_ns,{columns}"]
    joule = 10**6
    for number, when in enumerate(range(BEGIN - SECOND, end, SECOND // 10)):
        works = BEGIN <= when < BEGIN + STEPS * duration
        drawn = watts if works else 90
        mask = (0x44 if is_hot and number % 2 else 0x4) if works else 0x1
        limits = "700000,700000" if number % 10 == 0 else ","
        lines.append(
            f"{DEVICE},{when},{98 if works else 0},{40 * 2**30},{drawn * 1000},{limits},{joule * 1000},"
            f"{'0' if number % 10 == 0 else ''},{mask}"
        )
        joule += drawn / 10
    lines[3:] = [line.replace(".0,", ",") for line in lines[3:]]
    return "\n".join([*lines, "#achieved,100000000,101000000,60", ""])


def write_run(folder: Path, precision: str, repeat: int, *, is_hot: bool = False) -> None:
    seconds, watts = CASES[precision]
    duration = round(seconds * SECOND)
    about: dict[str, Any] = {
        "format": "reportgen-run",
        "version": 1,
        "status": "complete",
        "repeat": repeat,
        "ranks": 1,
        "item": "image",
        "case": {"model": "resnet50", "precision": precision, "device": "H200"},
        "samples_per_step": BATCH,
        "tokens_per_step": TOKENS,
        "flops_per_step": FLOP,
        "recorder": {"cost_ns_per_step": 600 + repeat},
    }
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(about))
    (folder / "steps.rank0.csv").write_text(steps(duration + repeat))
    (folder / "telemetry.node0.csv").write_text(telemetry(duration + repeat, watts, is_hot=is_hot))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files that the build of the campaign's report writes: path below reports/ -> content."""
    root = tmp_path_factory.mktemp("repository")
    for precision in CASES:
        for repeat in (1, 2, 3):
            folder = root / "logs" / "h" / precision / f"r{repeat}"
            write_run(folder, precision, repeat, is_hot=(precision, repeat) == ("bf16", 2))
    (root / "reports").mkdir()
    (root / "reports" / "cost.toml").write_text(DEFINITION)
    return {str(path): content for path, content in build(Request(root, root / "reports")).files.items()}


def text(files: dict[str, bytes], ending: str) -> str:
    (content,) = [content for path, content in files.items() if path.endswith(ending)]
    return content.decode()


def test_a_table_has_memory_utilisation_power_and_energy_with_units(files: dict[str, bytes]) -> None:
    lines = text(files, "cost/README.md").splitlines()
    rows = [
        [cell.partition("<sup>")[0].strip() for cell in line.split("|")[1:-1]]
        for line in lines
        if line[:1] == "|"
    ]
    table = {row[0]: row[1:] for row in rows}
    assert {
        name: table[name]
        for name in (
            "Throughput",
            "Token throughput",
            "Arithmetic rate",
            "Step time",
            "Memory used",
            "GPU utilisation",
            "Power",
            "Energy",
            "Energy per sample",
        )
    } == {
        "Throughput": ["images/s", "640.0", "320.0"],
        "Token throughput": ["tokens/s", "81,920", "40,960"],
        "Arithmetic rate": ["TFLOP/s", "120.0", "60.00"],
        "Step time": ["ms", "50.00", "100.0"],
        "Memory used": ["GiB", "40.00", "40.00"],
        "GPU utilisation": ["%", "98.00", "98.00"],
        "Power": ["W", "500.0", "600.0"],
        "Energy": ["kJ", "2.500", "6.000"],
        "Energy per sample": ["J", "0.7813", "1.875"],
    }


def test_its_numbers_are_there_for_programs_in_base_units(files: dict[str, bytes]) -> None:
    rows = list(csv.DictReader(io.StringIO(text(files, "tables/energy.csv"))))
    # 500 W x 50 ms / 32 images, and 600 W x 100 ms / 32.
    assert [(row["precision"], row["unit"], float(row["value"])) for row in rows] == [
        ("bf16", "J", pytest.approx(0.78125, rel=1e-6)),
        ("fp32", "J", pytest.approx(1.875, rel=1e-6)),
    ]
    assert {row["evidence"] for row in rows} == {"steps"}


def test_a_figure_of_energy_is_drawn(files: dict[str, bytes]) -> None:
    assert "<svg" in text(files, "figures/energy.svg")
    assert "figures/energy.svg" in text(files, "cost/README.md")


def test_a_throttled_repeat_has_a_footnote_and_power_caps_are_only_listed(files: dict[str, bytes]) -> None:
    found = [
        one
        for one in json.loads(text(files, "report.json"))["findings"]
        if one["rule"].startswith("telemetry.")
    ]
    assert {(one["severity"], one["subject"]) for one in found} == {
        ("warning", "bf16/r2"),
        *(("note", f"{precision}/r{n}") for precision in CASES for n in (1, 2, 3)),
    }
    page = text(files, "cost/README.md")
    assert "\n- throttled: Clock throttling: hw_thermal in " in page
    assert "\n- throttled: Clock throttling: sw_power_cap" not in page


def test_recording_costs_do_not_separate_machines(files: dict[str, bytes]) -> None:
    page = text(files, "cost/README.md")
    assert page.count("<summary>logs/") == 1
    assert "601 \\| 602 \\| 603" in page
