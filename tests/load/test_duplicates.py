"""The same log twice, by bytes or by step times."""

from dataclasses import replace

import numpy as np

from reportgen.core.model import Run, Series, Source
from reportgen.load.duplicates import digest_files, find_duplicates, fingerprint_files, fingerprint_run
from reportgen.sources.logfiles import LogFiles


def run(name: str, *values: float) -> Run:
    n = len(values)
    series = Series(
        "step_time",
        clock="host",
        step=np.arange(1, n + 1),
        span=np.ones(n, np.int64),
        begin=np.zeros(n),
        value=np.array(values),
        samples=np.ones(n),
        line=np.arange(1, n + 1),
        source=Source(name),
    )
    return Run(name, "x", Source(name), {}, series=(series,) if values else ())


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
    assert marked([b"abc", b"abd", b"abc"], [run("a"), run("b"), run("c")]) == ["", "", "the same bytes as a"]


def test_equal_step_times_are_found_from_ten_steps_on() -> None:
    ten = tuple(float(step) for step in range(10))
    assert marked([b"1", b"2 "], [run("a", *ten), run("b", *ten)]) == ["", "the same step times as a"]
    assert marked([b"1", b"2 "], [run("a", *ten[:9]), run("b", *ten[:9])]) == ["", ""]


def test_equal_times_of_a_coarse_clock_are_no_proof_of_a_copy() -> None:
    assert marked([b"1", b"2 "], [run("a", *[0.1] * 20), run("b", *[0.1] * 20)]) == ["", ""]


def test_runs_without_measurements_are_not_copies_of_each_other() -> None:
    failed = [replace(run(name), status="failed") for name in "ab"]
    assert marked([b"abc", b"abc"], failed) == ["", ""]


def test_empty_files_are_not_copies_of_each_other() -> None:
    assert marked([b"", b""], [run("a"), run("b")]) == ["", ""]


def test_whole_files_are_compared_only_if_size_and_end_agree() -> None:
    ends = b"x" * 300
    assert marked([b"a" + ends, b"b" + ends], [run("a"), run("b")]) == ["", ""]
    digested: list[int] = []
    files = [LogFiles.of({"x": content}) for content in (b"ab", b"ac", b"abc")]
    prints = [fingerprint_files(view) for view in files]
    runs = [[fingerprint_run(run("a"))]] * 3
    assert list(find_duplicates(prints, runs, lambda number: digested.append(number))) == []
    assert digested == []
