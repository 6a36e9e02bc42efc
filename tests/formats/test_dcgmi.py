"""The rows of dcgmi dmon are telemetry of the run beside them."""

import math
from pathlib import Path

import pytest

from reportgen import api
from tests.builders import messages, read_log, write_files
from tests.formats.valid_logs import DCGMI, VALID_LOGS


def test_each_gpu_has_its_columns_in_base_units() -> None:
    run = read_log("dcgmi", DCGMI)
    assert [device.device for device in run.telemetry] == ["0", "1"]
    first, second = (device.columns for device in run.telemetry)
    assert first["power"].tolist() == [301.25, 303.75]
    assert first["utilization"].tolist() == pytest.approx([0.98, 1.0])
    assert first["temperature"].tolist() == [55.0, 56.0]
    assert second["memory_utilization"][0] == pytest.approx(0.44)
    assert math.isnan(second["memory_utilization"][1])
    assert not run.findings


def test_rows_of_other_entities_and_torn_rows_are_not_samples() -> None:
    content = (
        b"# Entity  POWER  FBUSD\n      Id\n  GPU 0  70.5  512\nCI 0  1  1\nGPU 0  71\n  GPU 0  72.5  513\n"
    )
    run = read_log("dcgmi", content)
    (device,) = run.telemetry
    assert device.columns["power"].tolist() == [70.5, 72.5]
    assert device.columns["memory_used"].tolist() == [512 * 2**20, 513 * 2**20]
    assert messages(run.findings, "read.malformed-line") == ["not the 2 cells of the header"]


def test_one_sample_is_a_snapshot() -> None:
    run = read_log("dcgmi", b"#Entity   POWER\nID        W\nGPU 0     60.1\n")
    assert (run.status, messages(run.findings, "read.incomplete-run")) == (
        "partial",
        ["a snapshot: one sample of each device"],
    )


def test_it_joins_the_run_of_its_stem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (log,) = VALID_LOGS["torchtitan"].values()
    write_files(tmp_path, {"logs/a.log": log, "logs/a_dcgmi.log": DCGMI})
    (run,) = api.list_runs("logs").runs
    assert "power" in {each.metric for each in run.measurements}
