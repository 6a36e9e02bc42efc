"""Many comparisons in one table: some differences are expected by chance."""

from reportgen.core.model import Run
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Table
from reportgen.tables.spec import CompareSpec
from tests.builders import run, series, table_spec


def rounds(name: str, differences: list[float], at: float) -> list[Run]:
    """Return one run for each round; the step time differs from 1 s by so many per cent."""
    return [
        run(series([1 + each / 100] * 150), id=f"{name}{n}", factors={"side": name}, started=10.0 * n + at)
        for n, each in enumerate(differences)
    ]


def table(*cases: list[float]) -> Table:
    """Return the verdicts on cases against a baseline that took turns with them."""
    runs = rounds("base", [0.0] * 7, 0)
    for number, differences in enumerate(cases, 1):
        runs += rounds(f"c{number}", differences, number)
    (made,) = build_tables(
        table_spec(
            rows=("side",),
            metrics=("step_time",),
            compare=CompareSpec("ratio", {"side": "base"}),
            show=("ratio", "verdict"),
            where={"side": tuple(f"c{n}" for n in range(1, len(cases) + 1))},
        ),
        runs,
        NO_FACTS,
    )
    return made


# All seven rounds slower by 2 to 3 %: p = 1/64. Six of seven, the other by little: p = 2/64.
CLEAR = [2.0, 2.2, 2.4, 2.6, 2.7, 2.8, 3.0]
WEAK = [-0.1, 2.2, 2.4, 2.6, 2.7, 2.8, 3.0]
NOISE = [-5.0, 4.0, -3.0, 2.5, 5.5, -4.5, 3.5]


def kinds(made: Table) -> list[str]:
    return [line[1].text for line in made.cells]


def test_a_single_comparison_needs_no_correction() -> None:
    assert kinds(table(WEAK)) == ["slower"]
    assert not any("Benjamini" in text for text in table(WEAK).caption)


def test_a_weak_difference_among_many_comparisons_is_undecided() -> None:
    made = table(WEAK, NOISE, NOISE, NOISE)
    assert kinds(made) == ["undecided"] * 4
    comparison = made.cells[0][0].comparison
    assert comparison is not None
    assert comparison.verdict is not None
    assert comparison.verdict.sentence() == (
        "undecided: not significant among 4 comparisons, which need 8 rounds each; 1 more round could decide, "
        "about 5 minutes"
    )
    assert comparison.verdict.low is not None
    assert (
        "4 comparisons were tested: at most 5% of those called faster or slower are expected to be chance "
        "(Benjamini-Hochberg)." in made.caption
    )


def test_differences_that_hold_together_stay() -> None:
    assert kinds(table(CLEAR, CLEAR, WEAK)) == ["slower"] * 3
