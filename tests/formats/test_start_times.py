"""When a run began: in UTC where the log has a time zone, else by the clock of that log alone."""

from datetime import UTC, datetime

import pytest

from reportgen.core.model import Run
from reportgen.formats.parsing.timestamps import utc, wall_time
from reportgen.sources.logfiles import LogFiles
from tests.builders import format_named
from tests.each_of import each_row
from tests.formats.valid_logs import VALID_LOGS


def first_run(name: str, files: dict[str, bytes]) -> Run:
    log = LogFiles.of(files)
    view = log if name == "native" else log.file(next(iter(files)))
    return next(entry for entry in format_named(name).read(view) if isinstance(entry, Run))


def started(run: Run) -> tuple[str, str]:
    """Return the start as text, and whether it is local."""
    if run.started is None:
        return "", ""
    text = datetime.fromtimestamp(run.started, UTC).isoformat(timespec="milliseconds")
    return text.removesuffix("+00:00"), run.started_clock


@each_row(
    [
        ("deepspeed", ("2024-03-04T08:00:12.000", "deepspeed.log")),
        ("dllogger", ("2021-06-03T08:00:00.000", "dll.log")),
        ("insightface", ("2024-05-06T07:08:19.415", "arc.log")),
        ("llama_bench", ("2025-04-24T11:58:50.000", "")),
        ("maskrcnn", ("2020-07-10T01:57:28.146", "mask.log")),
        ("megatron", ("2025-06-01T12:00:10.000", "megatron.log")),
        ("mmengine", ("2024-05-06T07:00:20.000", "mmcv.log")),
        ("mxnet", ("2020-08-26T10:00:00.000", "mx.log")),
        ("nvlog", ("2020-03-03T08:38:02.666", "")),
        ("oneflow", ("2020-08-20T14:32:22.986", "")),
        ("paddle", ("2020-09-24T10:00:00.123", "pd.log")),
        ("ssd", ("2021-06-26T19:49:53.195", "ssd.log")),
        ("tacotron", ("2021-06-26T23:13:00.000", "taco.log")),
        ("torchtitan", ("2026-01-02T10:00:20.000", "torchtitan.log")),
        # Dates without a year, times since the start, and none at all.
        ("tf2", ("", "")),
        ("loadgen", ("", "")),
        ("hf_trainer", ("", "")),
        ("tqdm", ("", "")),
    ]
)
def test_the_first_date_of_a_log_is_the_start_of_its_run(name: str, expected: tuple[str, str]) -> None:
    assert started(first_run(name, VALID_LOGS[name])) == expected


def test_the_start_of_an_mlperf_run_is_in_utc() -> None:
    event = ':::MLLOG {"namespace": "", "time_ms": %d, "event_type": "X", "key": "%s", "value": null, "metadata": %s}\n'
    log = event % (1700000000500, "run_start", "{}") + event % (
        1700000060500,
        "run_stop",
        '{"status": "success"}',
    )
    run = first_run("mllog", {"result_0.txt": log.encode()})
    assert (run.started, run.started_clock) == (1700000000.5, "")


def test_json_lines_of_dllogger_are_in_utc() -> None:
    line = 'DLLL {"timestamp": "%s", "datetime": "2020-11-27 02:39:51.4", "step": [0, %d], "data": {"train.total_ips": 5}}\n'
    log = line % ("1606444791.5", 1) + line % ("1606444792.5", 2)
    assert first_run("dllogger", {"dll.json": log.encode()}).started == 1606444791.5


@each_row(
    [
        (b"2024-03-01T10:00:00Z", (1709287200.0, True)),
        (b"[2024-03-01 10:00:00,250] x", (1709287200.25, False)),
        (b"2024/03/01 10:00:00", (1709287200.0, False)),
        (b"2024-03-01 10:00:00.5+08:00", (1709258400.5, True)),
        (b"2024-03-01 10:00:00 -0500", (1709305200.0, True)),
        (b"2024-03-01 10:00:00 UTC", (1709287200.0, True)),
        (b"built 2023-01-01 00:00:00, 2024-03-01 10:00:00 step", (1709287200.0, False)),  # the nearest
        (b"2024-03-01 10:00:00.123456789Z", (1709287200.123456, True)),
        (b"1970-01-01 00:05:00 step", None),  # a clock that was never set
        (b"2024-13-01 10:00:00", None),
        (b"10:00:00", None),
        (b"", None),
    ]
)
def test_dates(text: bytes, expected: tuple[float, bool] | None) -> None:
    time = wall_time(text)
    assert (time and (time.seconds, time.is_utc)) == expected


@pytest.mark.parametrize("seconds", [0.0, 300.0, -5.0, float("nan"), float("inf"), 1e12])
def test_a_clock_that_was_never_set_shows_no_time(seconds: float) -> None:
    assert utc(seconds) is None
