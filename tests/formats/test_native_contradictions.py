"""Run folders whose files contradict each other."""

import json

import pytest

from reportgen.core.model import Run
from reportgen.formats.native import reader as native
from reportgen.sources.logfiles import LogFiles
from tests.each_of import each_row

RUN = {"format": "reportgen-run", "status": "complete", "case": {"model": "tiny"}, "ranks": 1}
# Ten steps of one second.
ROWS = "".join(f"{step},{step * 10**9},{10**9},64\n" for step in range(1, 11))
STEPS = f"#clock,1,1\nstep,begin_ns,duration_ns,samples\n{ROWS}"


def contradictions(
    run: dict[str, object] | None = None, steps: str = STEPS, text: str = "", **more: str
) -> list[tuple[str, str, str]]:
    """Return (rule, severity, message) of each contradiction in a run folder."""
    contents = {"run.json": text or json.dumps(RUN | (run or {})), "steps.rank0.csv": steps}
    contents |= {name.replace("__", "."): content for name, content in more.items()}
    (found,) = native.read(LogFiles.of({name: each.encode() for name, each in contents.items()}))
    assert isinstance(found, Run)
    return [
        (each.rule, each.severity, each.message)
        for each in found.findings
        if each.rule.endswith(".contradiction")
    ]


@pytest.mark.parametrize(
    "run",
    [
        {},
        {"exit_code": 0, "wall_time_ns": 12 * 10**9, "samples_per_step": 64},
        {"wall_time_ns": 9 * 10**9},  # the allowed second
        {"status": "failed", "exit_code": 1},
        {"started_realtime_ns": 10**18, "ended_realtime_ns": 10**18 + 11 * 10**9},
    ],
)
def test_files_that_agree_have_no_finding(run: dict[str, object]) -> None:
    assert contradictions(run, STEPS + "#end,complete\n" * (run.get("status") != "failed")) == []


def test_a_complete_run_with_an_exit_code_is_invalid() -> None:
    message = "status is complete, but exit_code is 1"
    assert contradictions({"exit_code": 1}) == [("read.contradiction", "invalid", message)]


def test_a_complete_run_of_a_rank_that_failed_is_invalid() -> None:
    message = 'status is complete, but rank 0 recorded its end as "failed"'
    found = [("read.contradiction", "invalid", message)]
    assert contradictions(steps=STEPS + "#end,failed,ValueError: x, y\n") == found
    assert contradictions(steps=STEPS + "#end,failed\n#end,complete\n") == []


def test_steps_of_more_ranks_than_started_are_invalid() -> None:
    message = "ranks is 1, but there are steps of 2 ranks"
    found = [("read.contradiction", "invalid", message)]
    assert contradictions(steps__rank1__csv=STEPS) == found
    assert contradictions({"ranks": 2}, steps__rank1__csv=STEPS) == []


def test_a_key_with_two_values_is_invalid() -> None:
    text = json.dumps(RUN)[:-1]
    message = "run.json contains status twice, with different values"
    found = [("read.contradiction", "invalid", message)]
    assert contradictions(text=f'{text}, "status": "failed"}}')[0] == found[0]
    assert contradictions(text=f'{text}, "status": "complete"}}') == []


def test_rows_with_other_samples_than_the_run_are_a_warning() -> None:
    message = "samples_per_step is 32, the rows of rank 0 have 64 samples per step; the rows are used"
    assert contradictions({"samples_per_step": 32}) == [("read.contradiction", "warning", message)]


def test_a_smaller_last_batch_is_not_a_contradiction() -> None:
    assert contradictions({"samples_per_step": 64}, STEPS + f"11,{11 * 10**9},{10**9},7\n") == []


def test_steps_longer_than_their_command_are_invalid() -> None:
    message = "the steps take 10 s together, but the command ran for 0.5 s"
    found = [("clock.contradiction", "invalid", message)]
    assert contradictions({"wall_time_ns": 5 * 10**8}) == found


def test_a_clock_that_can_be_set_gives_a_warning_only() -> None:
    run = {"started_realtime_ns": 10**18, "ended_realtime_ns": 10**18 + 5 * 10**8}
    ((rule, severity, _),) = contradictions(run)
    assert (rule, severity) == ("clock.contradiction", "warning")


MS = 10**6
NOISY = [37 * MS + 12_345 * (i % 17) for i in range(130)]


def coarse(durations: list[int], *, begins: bool = True) -> list[tuple[str, str]]:
    """Return (severity, end of the message) of the findings about the clock of these steps."""
    rows, begin = [], 10**9
    for step, duration in enumerate(durations, 1):
        rows.append(f"{step},{begin if begins else ''},{duration}")
        begin += duration
    steps = "\n".join(["#clock,1,1", "step,begin_ns,duration_ns", *rows, ""])
    (found,) = native.read(
        LogFiles.of({"run.json": json.dumps(RUN).encode(), "steps.rank0.csv": steps.encode()})
    )
    assert isinstance(found, Run)
    return [(each.severity, each.message) for each in found.findings if each.rule == "clock.coarse"]


# Steps of 7, 13 and 37 ms by a clock of 10 ms that is cut or rounded up are off by -23 to +54 %.
@each_row(
    [
        (NOISY, True, "", ""),
        (NOISY, False, "", ""),
        (
            [10 * MS] * 130,
            True,
            "warning",
            "all 130 steps take exactly 0.01 s; the tick of their clock may be as long",
        ),
        ([40 * MS] * 130, False, "warning", "all 130 steps take exactly 0.04 s"),
        ([0, 50 * MS] * 65, True, "invalid", "65 of 130 steps take 0 s by their clock"),
        (([0] * 19 + [50 * MS]) * 6, False, "invalid", "114 of 120 steps take 0 s by their clock"),
        ([0, *NOISY], True, "warning", "1 of 131 steps take 0 s by their clock"),
        (
            [10 * MS, 20 * MS] * 65,
            False,
            "invalid",
            "multiples of 0.01 s, 66.7% of a step, and may be off by as much",
        ),
        ([10 * MS, 20 * MS] * 65, True, "warning", "66.7% of a step; they add up without gaps"),
        (
            [31 * MS, 32 * MS] * 65,
            False,
            "warning",
            "multiples of 0.001 s, 3.2% of a step, and may be off by as much",
        ),
    ]
)
def test_step_times_of_a_coarse_clock_are_named(
    durations: list[int], begins: bool, severity: str, text: str
) -> None:
    found = coarse(durations, begins=begins)
    assert [each for each, _ in found] == ([severity] if severity else [])
    assert all(text in message for _, message in found)


def test_a_clock_that_was_set_back_is_named() -> None:
    begins = [second * 10**9 for second in range(1, 21)]
    begins[11:] = [begin - 3 * 10**9 for begin in begins[11:]]
    rows = "".join(
        f"{step},{begin},{'' if step == 11 else 10**9 + step}\n" for step, begin in enumerate(begins, 1)
    )
    steps = f"#clock,1,1\nstep,begin_ns,duration_ns\n{rows}"
    message = "rank 0: the clock was set back before step 12"
    assert contradictions(steps=steps) == [("clock.contradiction", "warning", message)]
