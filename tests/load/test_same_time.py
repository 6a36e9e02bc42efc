"""Runs at the same time on one device, or on one machine."""

import pytest

from reportgen.core.model import Source
from reportgen.load.same_time import Stay, find_company
from tests.each_of import each_row


def stay(
    name: str,
    started: float,
    ended: float,
    device: str = "",
    machine: str = "m",
    case: str = "",
    job: str = "",
) -> Stay:
    devices, machines = ((each,) if each else () for each in (device, machine))
    return Stay(name, Source(name), started, ended, devices, machines, case.encode(), job)


@each_row(
    [
        ([stay("a", 0, 10), stay("b", 1e-9, 10)], ["a: one machine b 10 of 10", "b: one machine a 10 of 10"]),
        ([stay("a", 0, 10), stay("b", 10, 20)], []),
        ([stay("a", 0, 10), stay("b", 9.9, 20)], []),  # 1 %
        ([stay("a", 0, 10), stay("b", 9, 20)], ["a: one machine b 1 of 10", "b: one machine a 1 of 11"]),
        ([stay("a", 0, 10, machine="x"), stay("b", 0, 10, machine="y")], []),
        ([stay("a", 0, 10, machine=""), stay("b", 0, 10, machine="")], []),
        # On one machine, with a device of their own.
        ([stay("a", 0, 10, "0"), stay("b", 0, 10, "1")], []),
        (
            [stay("a", 0, 10, "0"), stay("b", 0, 10)],
            ["a: one machine b 10 of 10", "b: one machine a 10 of 10"],
        ),
        # A UUID names one device, under any name of the machine.
        (
            [stay("a", 0, 10, "0", "x"), stay("b", 5, 9, "0", "y")],
            ["a: device 0 b 4 of 10", "b: device 0 a 4 of 4"],
        ),
        # The run that lasts longest meets those that begin after others have ended.
        (
            [stay("a", 0, 100, "0"), stay("b", 1, 2, "0"), stay("c", 50, 60, "0"), stay("d", 100, 110, "0")],
            ["a: device 0 b 1 of 100", "b: device 0 a 1 of 1", "c: device 0 a 10 of 10"],
        ),
        # A run without a device, beside the longest of those with one.
        (
            [stay("a", 0, 9, "0"), stay("b", 0, 2, "1"), stay("c", 5, 6), stay("d", 7, 8, "1")],
            ["a: one machine c 1 of 9", "c: one machine a 1 of 1"],
        ),
    ]
)
def test_runs_that_competed_name_each_other(stays: list[Stay], found: list[str]) -> None:
    findings = [finding for _, finding in find_company(dict(enumerate(stays)))]
    shown = [
        f"{each.subject}: {each.message}".replace("ran on ", "").replace("together with ", "")
        for each in findings
    ]
    assert [text.replace(" for ", " ").replace("its ", "").removesuffix(" s") for text in shown] == found


def ranks(*times: tuple[float, float], cases: str = "xxxx", machine: str = "m") -> list[Stay]:
    """Return runs on devices of their own."""
    return [stay(f"r{i}", begin, end, str(i), machine, case=cases[i]) for i, (begin, end) in enumerate(times)]


def test_repeats_that_run_side_by_side_may_be_ranks_of_an_unknown_launcher() -> None:
    findings = [
        finding for _, finding in find_company(dict(enumerate(ranks((0, 60), (1, 61), (2, 61), (0.5, 60)))))
    ]
    assert [finding.subject for finding in findings] == ["r0", "r1", "r2", "r3"]
    end = "; they may be ranks of one job, and not repeats: set RANK and WORLD_SIZE"
    assert all(finding.message.endswith(end) for finding in findings)


@pytest.mark.parametrize(
    "stays",
    [
        ranks((0, 60), (11, 61)),  # began later
        ranks((0, 60), (1, 50)),  # one went on alone
        ranks((0, 60), (0, 60), cases="xy"),
        [stay(name, 0, 60, name, case="x", job=name) for name in "ab"],  # elements of a Slurm array
        [stay("a", 0, 60, "0"), stay("b", 0, 60, "1")],  # of several ranks
    ],
)
def test_other_runs_with_devices_of_their_own_are_not_ranks(stays: list[Stay]) -> None:
    assert list(find_company(dict(enumerate(stays)))) == []
