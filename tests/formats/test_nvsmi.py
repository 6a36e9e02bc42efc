"""The CSV of nvidia-smi in its various forms.

The lines are written after `nvidia-smi --help-query-gpu` and the output of drivers 450 (throttle reasons) and
550 (event reasons).
"""

import numpy as np
import pytest

from reportgen.core.model import Run
from reportgen.formats.nvidia_smi import reader as nvsmi
from reportgen.sources.logfiles import LogFiles

HEADER = (
    b"timestamp, name, pci.bus_id, driver_version, "
    b"utilization.gpu [%], memory.used [MiB], power.draw [W], clocks.current.sm [MHz]\n"
)
TWO_GPUS = (
    HEADER
    + b"""\
2024/02/17 10:00:00.123, NVIDIA A40, 00000000:01:00.0, 550.54.14, 45 %, 1234 MiB, 61.50 W, 1740 MHz
2024/02/17 10:00:00.125, NVIDIA A40, 00000000:41:00.0, 550.54.14, 0 %, 4 MiB, [N/A], 210 MHz
2024/02/17 10:00:01.123, NVIDIA A40, 00000000:01:00.0, 550.54.14, 100 %, 1234 MiB, 250.00 W, 1740 MHz
2024/02/17 10:00:01.125, NVIDIA A40, 00000000:41:00.0, 550.54.14, [Not Supported], 4 MiB, 30 W, 210 MHz
"""
)
HEADERLESS = b"45, 0 %, 0 MiB\n46, 97 %, 1024 MiB\n"
COLUMNS = {"nvsmi": {"columns": ["temperature.gpu", "utilization.gpu", "memory.used"]}}


def files(content: bytes, settings: dict | None = None) -> LogFiles:
    return LogFiles.of({"gpu.csv": content}, settings).file("gpu.csv")


def read_run(content: bytes, settings: dict | None = None) -> Run:
    (run,) = nvsmi.FORMAT.read(files(content, settings))
    assert isinstance(run, Run)
    return run


def test_each_device_has_its_telemetry_in_base_units() -> None:
    run = read_run(TWO_GPUS)
    first, second = run.telemetry
    assert (run.factors, run.environment) == ({"device": "NVIDIA A40"}, {"driver": "550.54.14"})
    assert (first.device, second.device) == ("00000000:01:00.0", "00000000:41:00.0")
    np.testing.assert_allclose(first.t, [0, 1])
    np.testing.assert_allclose(second.t, [0.002, 1.002], atol=1e-6)
    assert {name: values.tolist() for name, values in first.columns.items()} == {
        "utilization": [0.45, 1.0],
        "memory_used": [1234 * 2**20] * 2,
        "power": [61.5, 250.0],
        "sm_clock": [1740e6] * 2,
    }
    np.testing.assert_array_equal(second.columns["power"], [np.nan, 30.0])
    np.testing.assert_array_equal(second.columns["utilization"], [0.0, np.nan])
    assert not run.findings


def test_without_units_the_header_gives_them() -> None:
    run = read_run(b"index, utilization.gpu [%], power.draw [W]\n0, 45, 61.5\n")
    assert run.telemetry[0].columns["utilization"].tolist() == [0.45]
    assert run.telemetry[0].columns["power"].tolist() == [61.5]
    assert np.isnan(run.telemetry[0].t).all()


@pytest.mark.parametrize("spelling", ["throttle", "event"])
def test_both_spellings_of_the_throttle_fields_are_one_mask(spelling: str) -> None:
    header = f"index, clocks_{spelling}_reasons.sw_power_cap, clocks_{spelling}_reasons.hw_thermal_slowdown\n"
    run = read_run(header.encode() + b"0, Active, Not Active\n0, Active, Active\n0, [N/A], [N/A]\n")
    np.testing.assert_array_equal(run.telemetry[0].columns["throttle_reasons"], [0x4, 0x44, np.nan])


def test_the_active_mask_is_hexadecimal() -> None:
    run = read_run(b"index, clocks_throttle_reasons.active\n0, 0x0000000000000044\n")
    assert run.telemetry[0].columns["throttle_reasons"].tolist() == [68.0]


def test_a_file_without_header_needs_labels() -> None:
    assert nvsmi.claims(files(HEADERLESS)) is None
    claim = nvsmi.claims(files(HEADERLESS, COLUMNS))
    assert claim is not None
    assert claim.confidence == 0.7
    run = read_run(HEADERLESS, COLUMNS)
    assert run.telemetry[0].columns["temperature"].tolist() == [45.0, 46.0]
    assert run.telemetry[0].columns["memory_used"].tolist() == [0.0, 2.0**30]


@pytest.mark.parametrize("content", [b"\n\n", b"45, 0 %\n", b"a, b, c\n", b"45, 0 W, 0 MiB\n"])
def test_a_file_that_does_not_match_the_columns_is_not_claimed(content: bytes) -> None:
    assert nvsmi.claims(files(content, COLUMNS)) is None


@pytest.mark.parametrize(
    "content",
    [
        b"step,loss,lr\n1,2,3\n",
        b"name, index, count\nA40, 0, 1\n",
        b"",
        b"\0\0\0",
        "utilization.gpu [%]\n".encode("utf-16-le"),
        b"timestamp,value\n",
        b"epoch,memory.used bytes\n",
    ],
)
def test_other_csv_files_are_not_claimed(content: bytes) -> None:
    assert nvsmi.claims(files(content)) is None


def test_the_header_identifies_a_file_of_any_name() -> None:
    claim = nvsmi.claims(LogFiles.of({"x/notes": b"\n" + TWO_GPUS}).subfolder("x").file("notes"))
    assert claim is not None
    assert (claim.source.path, claim.source.line, claim.confidence) == ("x/notes", 2, 0.95)


def test_devices_without_identity_are_numbered_by_position() -> None:
    run = read_run(
        b"timestamp, name, utilization.gpu [%]\n"
        b"2024/02/17 10:00:00.100, A40, 1 %\n2024/02/17 10:00:00.101, A40, 2 %\n"
        b"2024/02/17 10:00:01.100, A40, 3 %\n2024/02/17 10:00:01.101, A40, 4 %\n"
        b"2024/02/17 10:00:02.100, A40, 5 %\n"
    )
    assert [(one.device, one.columns["utilization"].tolist()) for one in run.telemetry] == [
        ("A40#0", [0.01, 0.03, 0.05]),
        ("A40#1", [0.02, 0.04]),
    ]


def test_damaged_rows_are_skipped_and_reported() -> None:
    run = read_run(TWO_GPUS.replace(b"100 %", b"1#0 %").replace(b", 30 W", b"") + b"2024/02/17 10:00:02.1")
    assert [len(one.t) for one in run.telemetry] == [1, 1]
    assert [(finding.rule, finding.source.line) for finding in run.findings if finding.source] == [
        ("read.malformed-line", 4),
        ("read.malformed-line", 5),
        ("read.malformed-line", 6),
    ]


def test_a_repeated_header_is_not_a_row() -> None:
    assert sum(len(one.t) for one in read_run(TWO_GPUS + TWO_GPUS).telemetry) == 8


UNNAMED = b"name, memory.used [MiB]\n"
ROW = b"NVIDIA A40, %d MiB\n"


@pytest.mark.parametrize(
    ("content", "devices", "samples", "status"),
    [
        (UNNAMED + ROW % 1 + ROW % 2, 2, 1, "partial"),
        (b"index, memory.used [MiB]\n0, 1 MiB\n1, 2 MiB\n", 2, 1, "partial"),
        (b"index, memory.used [MiB]\n0, 1 MiB\n0, 2 MiB\n", 1, 2, "complete"),
        (UNNAMED + (ROW % 1) * 20, 1, 20, "complete"),
        (b"count, memory.used [MiB]\n2, 1 MiB\n2, 2 MiB\n2, 1 MiB\n2, 2 MiB\n", 2, 2, "complete"),
    ],
)
def test_rows_without_device_and_time_are_a_snapshot(
    content: bytes, devices: int, samples: int, status: str
) -> None:
    run = read_run(content)
    assert [len(each.t) for each in run.telemetry] == [samples] * devices
    assert run.status == status
    is_said = status == "partial" or samples == 20
    assert [finding.rule for finding in run.findings] == ["read.incomplete-run"] * is_said
