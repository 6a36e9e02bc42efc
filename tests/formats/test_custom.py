"""Custom formats: what the groups become, what is wrong with a definition, hostile patterns."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.errors import RequestError
from reportgen.core.model import Finding, Run, Series
from reportgen.formats.custom import reader as custom
from reportgen.formats.custom.definition import format_definition, searchable
from reportgen.formats.detection import detect, discover
from reportgen.labels import labels_toml
from reportgen.protocol import MeasuredRun, Protocol, try_measure
from reportgen.sources.logfiles import LogFiles
from tests.each_of import each_of, each_row

STEP_MS = r"step (?P<step>\S+) (?P<step_time_ms>\S+) ms"


def read(log: bytes, pattern: str = STEP_MS, **keys: Any) -> Run:
    """Return the run of a log under a definition."""
    files = LogFiles.of({"x.log": log}, {"custom": {"name": "mine", "pattern": pattern, **keys}}).file(
        "x.log"
    )
    (run,) = custom.read(files)
    assert isinstance(run, Run)
    return run


def only(run: Run, metric: str = "step_time") -> Series:
    """Return the only series of a metric."""
    (found,) = [series for series in run.series if series.metric == metric]
    return found


def rows(run: Run, metric: str = "step_time") -> list[tuple[int, int, float, int]]:
    """Return step, span, value and line of every entry."""
    found = only(run, metric)
    return [
        (int(step), int(span), round(float(value), 9), int(line))
        for step, span, value, line in zip(found.step, found.span, found.value, found.line, strict=True)
    ]


def test_steps_and_times_become_a_series_with_lines() -> None:
    run = read(b"hello\nstep 1 10 ms\nstep 2 12.5 ms\n\nstep 3 11 ms\n")
    assert rows(run) == [(1, 1, 0.01, 2), (2, 1, 0.0125, 3), (3, 1, 0.011, 5)]
    assert (run.format, run.status, run.factors) == ("mine", "complete", {})


@pytest.mark.parametrize(
    ("unit", "seconds"), [("s", 5.0), ("ms", 5e-3), ("us", 5e-6), ("ns", 5e-9), ("min", 300.0)]
)
def test_the_unit_is_in_the_name_of_the_group(unit: str, seconds: float) -> None:
    assert only(read(b"t 5", rf"t (?P<step_time_{unit}>\d+)")).value == pytest.approx(seconds)


RANKED = r"rank (?P<rank>\S+) step (?P<step>\d+) (?P<step_time_ms>\S+) ms (?P<images_per_second>\d+)"


def measured(run: Run) -> dict[str, float]:
    """Return what the protocol makes of a run."""
    one = MeasuredRun(run)
    found = {
        metric: try_measure(one, metric, "step", Protocol()).measurement
        for metric in ("step_time", "throughput")
    }
    return {metric: one.value for metric, one in found.items() if one}


def test_ranks_keep_their_own_times_and_the_slowest_counts() -> None:
    line = "rank {0} step {1} {2} ms 410\n"
    log = "".join(line.format(rank, step, 10 + 10 * rank) for step in range(140) for rank in (2, 1))
    run = read(log.encode(), RANKED, samples_per_step=12)
    times = [one for one in run.series if one.metric == "step_time"]
    assert [(one.rank, len(one.step), int(one.line[1]), one.samples[0]) for one in times] == [
        (1, 140, 4, 6.0),
        (2, 140, 3, 6.0),
    ]
    assert only(run, "throughput").rank == 1
    assert (run.samples_per_step, run.factors) == (12.0, {"item": "image"})
    assert measured(run) == {"step_time": pytest.approx(0.03), "throughput": pytest.approx(400)}
    without = read(log.encode(), RANKED)
    assert measured(without)["throughput"] == pytest.approx(410)


@pytest.mark.parametrize(
    ("log", "factors"),
    [
        (b"rank 3 step 1 10 ms 1\nrank 3 step 2 10 ms 1\n", {"item": "image", "rank": 3}),
        (b"rank a step 1 10 ms 1\nrank b step 2 10 ms 1\n", {"item": "image"}),
    ],
)
def test_a_single_rank_is_a_factor_and_ranks_must_be_numbers(log: bytes, factors: dict[str, Any]) -> None:
    run = read(log, RANKED)
    assert (run.factors, only(run).rank, len(only(run).step)) == (factors, 0, 2)


def test_a_group_with_thousands_of_values_is_not_a_rank() -> None:
    log = b"".join(b"rank %d step %d 10 ms 1\n" % (step, step) for step in range(1, 5000))
    assert len(only(read(log, RANKED)).step) == 4999


def test_steps_from_0_become_steps_from_1() -> None:
    assert [row[:2] for row in rows(read(b"step 0 10 ms\nstep 10 10 ms\nstep 20 10 ms\n"))] == [
        (1, 1),
        (11, 10),
        (21, 10),
    ]


def test_a_record_covers_the_steps_since_the_previous_one_unless_every_is_set() -> None:
    log = b"step 10 10 ms\nstep 20 10 ms\n"
    assert rows(read(log)) == [(10, 10, 0.1, 1), (20, 10, 0.1, 2)]
    assert rows(read(log, every=1)) == [(10, 1, 0.01, 1), (20, 1, 0.01, 2)]


def test_without_step_numbers_records_are_counted() -> None:
    assert rows(read(b"10 ms\n20 ms", r"(?P<step_time_ms>\d+) ms", every=5)) == [
        (5, 5, 0.05, 1),
        (10, 5, 0.1, 2),
    ]


def test_steps_that_restart_with_an_epoch_continue() -> None:
    pattern = r"epoch (?P<epoch>\d+) step (?P<step>\d+)/(?P<steps_per_epoch>\d+) (?P<step_time_s>\S+)"
    run = read(
        b"".join(b"epoch %d step %d/30 1.0\n" % (epoch, step) for epoch in (1, 2) for step in (10, 20)),
        pattern,
    )
    assert [row[0] for row in rows(run)] == [10, 20, 40, 50]
    assert [border.step for border in only(run).breaks] == [20]
    assert run.factors == {"steps_per_epoch": 30}


def test_a_rate_names_the_item_and_may_have_commas() -> None:
    run = read(b"step 1 1,024.5 tok/s\nstep 2 2,048 tok/s", r"step (?P<step>\d+) (?P<tokens_per_second>\S+)")
    assert rows(run, "throughput") == [(1, 1, 1024.5, 1), (2, 1, 2048.0, 2)]
    assert run.factors == {"item": "token"}


def test_steps_per_second_are_step_times() -> None:
    assert rows(read(b"4 it/s", r"(?P<iterations_per_second>\d+) it/s")) == [(1, 1, 0.25, 1)]
    both = r"(?P<steps_per_second>\d+) it/s (?P<step_time_ms>\d+)"
    assert rows(read(b"8 it/s 100 ms", both)) == [(1, 1, 0.1, 1)]
    assert read(b"0 it/s", r"(?P<iterations_per_second>\d+) it/s").series == ()


def test_a_rate_per_device_is_multiplied_by_known_devices() -> None:
    pattern = r"(?:on (?P<devices>\d+) gpus )?(?P<images_per_second>\d+) img/s"
    assert rows(read(b"on 4 gpus 100 img/s", pattern, rate="per-device"), "throughput") == [(1, 1, 400.0, 1)]
    assert rows(read(b"100 img/s", pattern, rate="per-device"), "throughput_per_device") == [(1, 1, 100.0, 1)]
    files = {"labels.toml": b"", "x.log": b"100 img/s\n"}
    own = labels_toml.parse(
        b"[constants]\ndevices = 8\n[format]\nname = 'mine'\nrate = 'per-device'\n"
        b"pattern = '(?P<images_per_second>\\d+) img/s'",
        "",
    )
    (run,) = custom.read(LogFiles.of(files, labels_toml.settings([own])).file("x.log"))
    assert isinstance(run, Run)
    assert rows(run, "throughput") == [(1, 1, 800.0, 1)]


@pytest.mark.parametrize(
    "stamps",
    [
        [b"2024-02-28 23:59:59,500", b"2024-02-29 00:00:00,500", b"2024-02-29 00:00:02,500"],
        [b"2024-02-28T23:59:59.5Z", b"2024-02-29T00:00:00.5Z", b"2024-02-29T00:00:02.5Z"],
        [b"2024/02/28 23:59:59.500000123", b"2024/02/29 00:00:00.500000", b"2024/02/29 00:00:02.500000"],
        [b"2024-02-28T23:59:59.5+01:00", b"2024-02-29T00:00:00.5+01:00", b"2024-02-29T00:00:02.5+01:00"],
        [b"23:59:59.5", b"00:00:00.5", b"00:00:02.5"],
        [b"1709164799.5", b"1709164800.5", b"1709164802.5"],
    ],
)
def test_time_between_timestamps_is_step_time_and_the_first_record_has_none(stamps: list[bytes]) -> None:
    log = b"".join(b"[%s] step %d\n" % pair for pair in zip(stamps, (1, 2, 3), strict=True))
    run = read(log, r"\[(?P<timestamp>[^\]]+)\] step (?P<step>\d+)", samples_per_step=64)
    found = only(run)
    assert (found.clock, found.step.tolist(), found.samples.tolist()) == ("timestamp", [2, 3], [64.0, 64.0])
    np.testing.assert_allclose(found.value, [1.0, 2.0], atol=1e-6)


@pytest.mark.parametrize(("unit", "second"), [("s", "1"), ("ms", "1000"), ("min", "0.016666666666666666")])
def test_the_time_since_the_start_may_have_a_unit(unit: str, second: str) -> None:
    log = f"step 1 0\nstep 2 {second}\nstep 3 0\nstep 4 {second}\n".encode()
    run = read(log, rf"step (?P<step>\d+) (?P<timestamp_{unit}>\S+)")
    # The clock that starts again gives no time.
    assert rows(run) == [(2, 1, 1.0, 2), (4, 1, 1.0, 4)]
    assert run.factors == {}


def test_other_groups_are_factors_if_they_are_constant() -> None:
    pattern = (
        r"(?P<model>\S+) b(?P<batch_size>\d+) x(?P<devices>\d+) loss (?P<loss>\S+) (?P<step_time_s>\S+)s"
    )
    run = read(b"resnet50 b32 x8 loss 3.1 0.5s\nresnet50 b32 x8 loss 3.0 0.5s\n", pattern)
    assert run.factors == {"model": "resnet50", "batch_size": 32, "devices": 8}
    assert run.samples_per_step == 256


def test_colours_progress_bars_and_repeated_steps_are_ignored() -> None:
    log = b"\x1b[32mstep 1\x1b[0m 10 ms\rstep 2 11 ms\r\nstep 2 12 ms\nstep 3 13 ms\n"
    assert rows(read(log)) == [(1, 1, 0.01, 1), (2, 1, 0.011, 1), (3, 1, 0.013, 3)]


def test_a_cell_that_is_not_a_number_is_a_finding_with_its_line() -> None:
    run = read(b"step 1 10 ms\nstep two 10 ms\nstep 3 ten ms\nstep 4 1.2.3 ms\nstep 5 10 ms\n")
    assert [(one.rule, one.message, one.source.line) for one in run.findings if one.source] == [
        ("read.malformed-line", "step is not a whole number", 2),
        ("read.malformed-line", "step_time_ms is not a number, and 1 more like it", 3),
    ]
    assert np.isfinite(only(run).value).tolist() == [True, False, False, True]


def test_a_crash_after_the_last_step_is_a_partial_run() -> None:
    assert read(b"step 1 10 ms\nTraceback (most recent call last):\n").status == "partial"


TABLE = {"name": "mine", "pattern": STEP_MS}


def claimed(contents: Mapping[str, bytes], **keys: Any) -> list[str]:
    files = LogFiles.of(contents, {"custom": {**TABLE, **keys}})
    return sorted(files.path for one in discover(files).claimed for files in [one.files])


def test_files_are_claimed_by_content_and_limited_by_the_glob() -> None:
    contents = {
        "a/x.log": b"step 1 2 ms\n",
        "a/y.txt": b"step 1 2 ms\n",
        "b/x.log": b"nothing\n",
        "late.log": b"\n" * 70_000 + b"step 1 2 ms\n",
        "bin.log": b"step 1 2 ms\n\0\1\n",
    }
    assert claimed(contents) == ["late.log", "x.log", "y.txt"]  # by its end
    assert claimed(contents, files="*.log") == ["late.log", "x.log"]
    assert claimed(contents, files="a/*.log") == ["x.log"]


def test_a_custom_format_has_precedence_over_known_formats() -> None:
    log = b"iter 1: loss 3.2202, time 893.76ms, mfu 16.68%\n"
    table = {"name": "mine", "pattern": r"iter (?P<step>\d+): loss \S+, time (?P<step_time_ms>[\d.]+)ms"}
    found = detect(LogFiles.of({"x.log": log}, {"custom": table}).file("x.log"))
    assert found is not None
    assert found.format.name == "custom"


def test_a_fixture_is_not_a_run_of_its_folder_but_is_read_on_its_own() -> None:
    contents = {
        "mine.sample.log": b"step 1 2 ms\n",
        "mine.expected.json": b"{}",
        "other.sample.log": b"step 1 2 ms\n",
    }
    assert claimed(contents) == ["other.sample.log"]
    alone = LogFiles.of({"mine.sample.log": b"step 1 2 ms\n"}, {"custom": TABLE}).file("mine.sample.log")
    assert custom.claims(alone) is not None


def test_the_nearest_definition_replaces_the_others() -> None:
    far = labels_toml.parse(b"[format]\nname = 'far'\nevery = 5\npattern = '(?P<step_time_s>x)'", "")
    near = labels_toml.parse(b"[format]\nname = 'near'\npattern = '(?P<step_time_s>y)'", "a")
    assert labels_toml.settings([far, near])["custom"] == {"name": "near", "pattern": "(?P<step_time_s>y)"}


@each_row(
    [
        ("pattern = 'x'", 'format.name: missing; add name = "..."'),
        (
            "name = 'a/b'\npattern = 'x'",
            'format.name: "a/b" cannot be a name; write letters, digits, _, - and .',
        ),
        ("name = 'm'", 'format.pattern: missing; add pattern = "..."'),
        ("name = 'm'\npattern = '(?P<step>x'", "format.pattern: missing ): (?P<step>x; the syntax is RE2's"),
        ("name = 'm'\npattern = 'a)|(b'", "format.pattern: unexpected ): a)|(b; the syntax is RE2's"),
        (
            "name = 'm'\npattern = '(?=x)'",
            "format.pattern: invalid perl operator: (?=; the syntax is RE2's, without look-around",
        ),
        (
            "name = 'm'\npattern = '(?P<step>x)'",
            "format.pattern: has no group for a time or a rate; name one step_time_<unit>, <items>_per_second or timestamp",
        ),
        (
            "name = 'm'\npattern = '(?P<step_time_sec>x)'",
            'format.pattern: unknown unit "sec" in group "step_time_sec"; call it',
        ),
        (
            "name = 'm'\npattern = '(?P<step_time>x)'",
            'format.pattern: group "step_time" has no unit; call it one of step_time_s,',
        ),
        (
            "name = 'm'\npattern = '(?P<images_per_minute>x)'",
            'format.pattern: unknown unit of the rate "images_per_minute"; rates end in _per_second',
        ),
        (
            "name = 'm'\npattern = '(?P<a_per_second>x)(?P<b_per_second>x)'",
            'format.pattern: two groups with rates, "a_per_second"',
        ),
        (
            "name = 'm'\npattern = '(?P<step_time_s>x)|(?P<step_time_s>y)'",
            'format.pattern: has the group "step_time_s" twice',
        ),
        ("name = 'm'\npattern = '(?P<step_time_s>\\C)'", r"format.pattern: \C would match the end of a line"),
        (
            "name = 'm'\npattern = '(?P<timestamp>x)'\nevery = 0",
            "format.every: 0 is out of range; use a number above 0",
        ),
        (
            "name = 'm'\npattern = '(?P<timestamp>x)'\nevery = 1.5",
            "format.every: expected an integer, got 1.5",
        ),
        (
            "name = 'm'\npattern = '(?P<timestamp>x)'\nsamples_per_step = true",
            "format.samples_per_step: expected a number, got true",
        ),
        (
            "name = 'm'\npattern = '(?P<timestamp>x)'\nrate = 'all'",
            'format.rate: "all" is not known; known: global, per-device',
        ),
        (
            "name = 'm'\npattern = '(?P<timestamp>x)'\nfiles = '../*'",
            'format.files: "../*" leads out of the folder',
        ),
        ("name = 'm'\npatern = 'x'", 'format.patern: no such key; did you mean "pattern"?'),
        ("name = 'm'\ndevices = 8", "format.devices: no such key; write it below [constants]"),
        (
            "name = 'jade'\npattern = '(?P<timestamp>x)'",
            'format.name: "jade" is a known format; choose another name',
        ),
    ]
)
def test_wrong_definitions_are_errors_with_place_fact_and_remedy(toml: str, message: str) -> None:
    with pytest.raises(RequestError) as error:
        labels_toml.parse(b"[format]\n" + toml.encode(), "")
    assert str(error.value).startswith("labels.toml: " + message)


def test_format_must_be_a_table_and_is_not_set_in_formats() -> None:
    with pytest.raises(RequestError, match=r"labels\.toml: format: expected a table, got 1"):
        labels_toml.parse(b"format = 1", "")
    with pytest.raises(RequestError, match=r"labels\.toml: formats.custom: no such format"):
        labels_toml.parse(b"[formats.custom]\nname = 'm'", "")


HOSTILE = [
    r"(?P<step_time_s>(a|aa)+)$",
    r"(?P<step_time_s>(a*)*b)",
    r"a.*(?P<step_time_s>b)|(?:a)",
    r"(?P<step_time_s>(?:a?){200}a{200})b",
    r"(?s)a(?P<step_time_s>.|\n)*b|a",
    r"(?P<step_time_s>.*?.*?.*?)x",
]


@each_of(HOSTILE, [b"a" * 200_000, b"a\n" * 50_000, b"a \xff" * 50_000])
def test_hostile_patterns_take_linear_time(pattern: str, line: bytes) -> None:
    """A backtracking engine needs years for these, repeated searches within a line need hours: the timeout fails them."""
    own = format_definition("x", {"name": "m", "pattern": pattern})
    assert sum(1 for _ in own.matches(searchable(line))) <= line.count(b"\n") + 1


PATTERNS = st.sampled_from(
    [
        *HOSTILE,
        STEP_MS,
        r"(?P<timestamp>.*)",
        r"(?P<step>.*?)(?P<images_per_second>.*)",
        r"(?P<step_time_s>\d*)",
        r"(?P<epoch>\d+)?(?P<step>\d+)?(?P<step_time_us>x)?",
    ]
)


@given(
    pattern=PATTERNS | st.text(max_size=40),
    log=st.binary(max_size=200)
    | st.lists(
        st.sampled_from(
            [
                b"step ",
                b"0",
                b"12",
                b"9" * 30,
                b"1e999",
                b" ",
                b" ms",
                b"\n",
                b"\r",
                b"nan",
                b"2024-13-45 10:00:00",
                b"10:00:00",
            ]
        ),
        max_size=40,
    ).map(b"".join),
)
def test_any_pattern_and_log_give_runs_and_findings_or_a_request_error(pattern: str, log: bytes) -> None:
    with suppress(RequestError):
        format_definition("x", {"name": "m", "pattern": pattern})
        run = read(log, pattern)
        assert all(isinstance(one, Finding) for one in run.findings)
        assert all(len(series.value) == len(series.step) == len(series.line) for series in run.series)


def _stamped_log(times_ms: list[float], stamps: list[int]) -> bytes:
    lines = zip(times_ms, stamps, strict=True)
    return "".join(
        f"[12:{at // 60:02}:{at % 60:02}] iter {step}/150 loss 2.1 iter_time={time:.2f}ms (2176.5 img/s)\n"
        for step, (time, at) in enumerate(lines, 1)
    ).encode()


STAMPED = (
    r"\[(?P<timestamp>\S+)\] iter (?P<step>\d+)/\d+ loss \S+ iter_time=(?P<step_time_ms>\S+)ms "
    r"\((?P<images_per_second>\S+) img/s\)"
)


def test_exact_printed_times_beat_stamps_in_whole_seconds() -> None:
    # 117.62 ms a step: after k steps the clock shows floor(0.11762 k).
    run = read(_stamped_log([117.62] * 150, [11762 * k // 100000 for k in range(1, 151)]), STAMPED)
    attempt = try_measure(MeasuredRun(run), "step_time", "step", Protocol())
    assert attempt.measurement is not None
    assert attempt.measurement.value == pytest.approx(0.11762, rel=1e-9)
    assert attempt.measurement.clock == "printed"
    assert not attempt.measurement.findings


def test_printed_times_that_the_stamps_contradict_have_a_finding() -> None:
    # The program counts 500 ms of each second.
    run = read(_stamped_log([500.0] * 150, list(range(150))), STAMPED)
    attempt = try_measure(MeasuredRun(run), "step_time", "step", Protocol())
    assert attempt.measurement is not None
    assert attempt.measurement.value == pytest.approx(0.5)
    (finding,) = attempt.measurement.findings
    assert finding.rule == "clock.disagreement"
    assert (
        "prints 0.5 s per step; its timestamps, in whole seconds, are 1 s per step apart" in finding.message
    )


def test_printed_times_longer_than_the_clock_allows_are_not_times_of_steps() -> None:
    # A mean since the start: the first step took 100 s, the others 1 s.
    means = [1000 * (100 + k) / (k + 1) for k in range(150)]
    run = read(_stamped_log(means, [100 + k for k in range(150)]), STAMPED)
    assert measured(run)["step_time"] == pytest.approx(1.0)


def test_a_coarse_clock_has_a_finding_and_yields_to_printed_rates() -> None:
    pattern = STAMPED.replace("(?P<step_time_ms>", "(?:")
    run = read(
        _stamped_log([0.0] * 150, [11762 * k // 100000 for k in range(1, 151)]), pattern, samples_per_step=256
    )
    attempt = try_measure(MeasuredRun(run), "step_time", "step", Protocol())
    assert attempt.measurement is not None
    # 12 s for steps 21 to 120, in which 11.762 s passed.
    assert [
        (finding.rule, "may be off by 1 s" in finding.message) for finding in attempt.measurement.findings
    ] == [("clock.coarse", True)]
    assert measured(run)["throughput"] == pytest.approx(2176.5)
