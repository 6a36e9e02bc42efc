"""Ratios per cycle and per joule beside the ratio in seconds: seven rounds of two cases with telemetry."""

import csv
import io
from collections.abc import Sequence
from typing import Any

import pytest

from reportgen.compare.comparison import Comparison
from reportgen.core.model import Run
from reportgen.protocol import parse_protocol
from reportgen.render.data.csv import table_csv
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Table
from reportgen.tables.spec import CompareSpec
from tests.builders import run, series, table_spec, telemetry
from tests.render.example import shown

FIVE = parse_protocol("2+5x7")
ROUNDS = 7
# Spread of the repeats: at most 0.3 % in either direction.
NOISE = (1.0, 1.002, 0.999, 1.003, 0.998, 1.001, 0.9975)


def repeats(
    build: str, seconds: float, mhz: float, watts: float = 500.0, *, model: str = "H200", **columns: Any
) -> list[Run]:
    """Return seven runs of steps that take `seconds` at a clock; the slower build runs second in each round."""
    runs = []
    for number, noise in enumerate(NOISE, start=1):
        # The noise of one case runs against that of the other, so no two rounds agree.
        step = seconds * (noise if build == "new" else 2 - noise)
        begins = [i * step for i in range(7)]
        t = [begin + step / 2 for begin in begins]
        clock = [mhz * 1e6 * seconds / step] * 7
        device = telemetry(
            "GPU-1",
            t,
            sm_clock=clock,
            energy=[watts * each for each in t],
            **{k: [v] * 7 for k, v in columns.items()},
        )
        runs.append(
            run(
                series([step] * 7, begin=begins, samples=8),
                device,
                id=f"{build}/{number}",
                factors={"build": build},
                environment={"gpu_name": model},
                repeat=number,
                started=1000.0 * number + (500 if build == "new" else 0),
                round=(7, number),
            )
        )
    return runs


def table_of(runs: Sequence[Run], *, kind: Any = "ratio", **fields: Any) -> Table:
    spec = table_spec(
        protocol=FIVE,
        rows=("build",),
        compare=CompareSpec(kind, {"build": "old"}),
        **{"metrics": ("step_time",), "show": ("ratio", "cycles", "energy"), **fields},
    )
    (table,) = build_tables(spec, runs, NO_FACTS)
    return table


def comparison_of(table: Table) -> Comparison:
    (comparison,) = (
        row[0].comparison for row in table.cells if row[0].case and row[0].case.factors["build"] == "new"
    )
    assert comparison is not None
    return comparison


def sentence_of(comparison: Comparison) -> str:
    assert comparison.cycles is not None
    return comparison.cycles.sentence(comparison.verdict)


OLD = repeats("old", 1.0, 1620)


def test_a_lower_clock_explains_a_longer_time() -> None:
    # 8 % more time at 8 % less clock.
    comparison = comparison_of(table_of([*OLD, *repeats("new", 1.08, 1500)]))
    assert comparison.verdict is not None
    assert comparison.verdict.kind == "slower"
    assert sentence_of(comparison) == (
        "7.4 % slower in seconds, equal in cycles: clocks, not code (SM clock 1,500 MHz; 1,620 MHz in the baseline)"
    )


def test_at_an_equal_clock_the_code_makes_the_difference() -> None:
    comparison = comparison_of(table_of([*OLD, *repeats("new", 1.08, 1620)]))
    assert sentence_of(comparison) == (
        "7.4 % slower in seconds, 7.4 % slower in cycles (SM clock 1,620 MHz; 1,620 MHz in the baseline)"
    )


def test_a_higher_clock_can_hide_slower_code() -> None:
    comparison = comparison_of(table_of([*OLD, *repeats("new", 1.0, 1782)]))
    assert comparison.verdict is not None
    assert comparison.verdict.kind in ("same", "undecided")
    assert sentence_of(comparison).startswith("equal in seconds, 9.1 % slower in cycles (SM clock 1,782 MHz;")


def test_steps_that_wait_for_the_host_are_not_explained_by_clocks() -> None:
    comparison = comparison_of(table_of([*OLD, *repeats("new", 1.08, 1500, utilization=0.5)]))
    assert comparison.cycles is not None
    assert not comparison.cycles.explains(comparison.verdict)


def test_a_table_shows_the_ratios_in_the_direction_of_its_own() -> None:
    runs = [*OLD, *repeats("new", 1.08, 1500, 600.0)]
    shown = {
        kind: [round(cell.value, 3) if cell.value else cell.text for cell in table.cells[0]]
        for kind, table in (
            ("ratio", table_of(runs)),
            ("speedup", table_of(runs, kind="speedup", show=("speedup", "cycles", "energy"))),
            ("rate", table_of(runs, metrics=("throughput",))),
        )
    }
    # 600 W x 1.08 s against 500 W x 1 s.
    assert shown == {"ratio": [1.08, 1.0, 1.296], "speedup": [0.926, 1.0, 1.296], "rate": [0.926, 1.0, 1.296]}
    caption = " ".join(table_of(runs).caption)
    assert "In cycles: the same ratio, with each time multiplied by the mean SM clock" in caption


@pytest.mark.parametrize(
    "others",
    [
        repeats("new", 1.08, 1500, model="A100"),
        [
            *repeats("new", 1.08, 1500)[:6],
            run(series([1.08] * 7, samples=8), id="new/7", factors={"build": "new"}),
        ],
    ],
    ids=["a cycle of another model does other work", "one repeat has no clock"],
)
def test_there_is_no_ratio_per_cycle(others: list[Run]) -> None:
    table = table_of([*OLD, *others])
    assert comparison_of(table).cycles is None
    assert [cell.kind for cell in table.cells[0]][:2] == ["number", "absent"]


def test_waiting_for_data_takes_no_cycles_of_the_device() -> None:
    runs = []
    for each in [*OLD, *repeats("new", 1.08, 1500)]:
        waits = series([0.01] * 7, "data_loading")
        runs.append(
            run(
                *each.series,
                waits,
                *each.telemetry,
                **{
                    name: getattr(each, name)
                    for name in ("id", "factors", "environment", "repeat", "started", "round")
                },
            )
        )
    comparison = comparison_of(table_of(runs, phases=("data_loading",)))
    assert (comparison.cycles, comparison.energy) == (None, None)


def test_programs_read_both() -> None:
    table = table_of([*OLD, *repeats("new", 1.08, 1500, 600.0)])
    rows = {row["build"]: row for row in csv.DictReader(io.StringIO(table_csv(*shown(table)).decode()))}
    assert (float(rows["new"]["cycles"]), float(rows["new"]["energy"])) == (
        pytest.approx(1.0),
        pytest.approx(1.296),
    )
    assert (rows["old"]["cycles"], rows["old"]["energy"]) == ("", "")
