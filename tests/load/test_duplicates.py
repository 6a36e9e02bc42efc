"""The same log twice, by bytes or by step times."""

from dataclasses import replace

import pytest

from reportgen.core.model import Run
from reportgen.load.duplicates import digest_files, find_duplicates, fingerprint_files, fingerprint_run
from reportgen.sources.logfiles import HEAD, LogFiles
from tests.builders import run, series


def timed(name: str, *values: float) -> Run:
    """Return a run without factors; `values` are its step times."""
    return run(*[series(values)] * bool(values), id=name, factors={})


def marked(contents: list[bytes], runs: list[Run]) -> list[str]:
    files = [LogFiles.of({f"{number}.log": content}) for number, content in enumerate(contents)]
    found = {
        number: finding.message
        for number, _, finding in find_duplicates(
            [fingerprint_files(view) for view in files],
            [[fingerprint_run(each)] for each in runs],
            lambda number: digest_files(files[number]),
        )
    }
    return [found.get(number, "") for number in range(len(runs))]


def test_copied_files_are_found_under_any_name() -> None:
    assert marked([b"abc", b"abd", b"abc"], [timed("a"), timed("b"), timed("c")]) == [
        "",
        "",
        "the same bytes as a",
    ]


def test_equal_step_times_are_found_from_ten_steps_on() -> None:
    ten = tuple(float(step) for step in range(10))
    assert marked([b"1", b"2 "], [timed("a", *ten), timed("b", *ten)]) == ["", "the same step times as a"]
    assert marked([b"1", b"2 "], [timed("a", *ten[:9]), timed("b", *ten[:9])]) == ["", ""]


def test_equal_times_of_a_coarse_clock_are_not_proof_of_a_copy() -> None:
    assert marked([b"1", b"2 "], [timed("a", *[0.1] * 20), timed("b", *[0.1] * 20)]) == ["", ""]


def test_a_copy_with_a_changed_nanosecond_is_found() -> None:
    times = [1 + step / 1000 for step in range(30)]
    changed = [*times[:14], times[14] + 1e-9, *times[15:]]
    assert marked([b"1", b"2 "], [timed("a", *times), timed("b", *changed)]) == [
        "",
        "2 of 3 blocks of 10 step times are the same as in a",
    ]


def test_logs_with_fewer_than_half_of_their_times_in_common_are_not_copies() -> None:
    times = [1 + step / 1000 for step in range(30)]
    changed = [time + 1e-9 * (step >= 10) for step, time in enumerate(times)]
    assert marked([b"1", b"2 "], [timed("a", *times), timed("b", *changed)]) == ["", ""]


def test_times_printed_with_few_digits_agree_by_chance() -> None:
    times = [0.1, 0.2] * 15
    assert marked([b"1", b"2 "], [timed("a", *times), timed("b", *times[:-1], 0.3)]) == ["", ""]


@pytest.mark.parametrize(
    ("times", "found"),
    [
        ([1 + step / 1000 for step in range(20)], "the same step times as a, in another order"),
        ([1 + step / 1000 for step in range(19)], ""),  # too few
        ([1 + step % 19 / 1000 for step in range(38)], ""),  # too few of them differ
    ],
)
def test_step_times_in_another_order_are_those_of_a_copy(times: list[float], found: str) -> None:
    # 7 has no factor in common with 20, 19 and 38.
    shuffled = [times[7 * step % len(times)] for step in range(len(times))]
    assert marked([b"1", b"2 "], [timed("a", *times), timed("b", *shuffled)]) == ["", found]


def test_runs_without_measurements_are_not_copies_of_each_other() -> None:
    failed = [replace(timed(name), status="failed") for name in "ab"]
    assert marked([b"abc", b"abc"], failed) == ["", ""]


def test_empty_files_are_not_copies_of_each_other() -> None:
    assert marked([b"", b""], [timed("a"), timed("b")]) == ["", ""]


def test_whole_files_are_compared_only_if_size_and_end_agree() -> None:
    ends = b"x" * 300
    assert marked([b"a" + ends, b"b" + ends], [timed("a"), timed("b")]) == ["", ""]
    digested: list[int] = []
    files = [LogFiles.of({"x": content}) for content in (b"ab", b"ac", b"abc")]
    prints = [fingerprint_files(view) for view in files]
    runs = [[fingerprint_run(timed("a"))]] * 3
    assert list(find_duplicates(prints, runs, lambda number: digested.append(number))) == []
    assert digested == []


def test_long_files_of_one_size_are_read_again_only_if_they_end_alike() -> None:
    start = b"." * HEAD
    one, other, alike = (
        fingerprint_files(LogFiles.of({"a.log": start + end})) for end in (b"1 2\n", b"1 3\n", b"1 2\n")
    )
    assert one == alike != other
