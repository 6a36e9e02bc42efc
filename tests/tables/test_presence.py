"""Runs that lack a factor: chosen by `where`, as baseline and by `pick`, apart from those that have it."""

from collections.abc import Mapping
from typing import Any

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.factors import Presence, can_both_match, matches
from reportgen.core.model import FactorValue
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Table
from reportgen.tables.spec import CompareSpec
from tests.builders import published_run, table_spec
from tests.each_of import each_row

ABSENT, PRESENT = Presence.ABSENT, Presence.PRESENT


@each_row(
    [
        ({}, (ABSENT,), True),
        ({}, (PRESENT,), False),
        ({}, ("new",), False),
        ({}, (ABSENT, "new"), True),
        ({"variant": "new"}, (ABSENT,), False),
        ({"variant": "new"}, (PRESENT,), True),
        ({"variant": "new"}, (ABSENT, "new"), True),
        ({"variant": "old"}, (ABSENT, "new"), False),
        ({"variant": "absent"}, (ABSENT,), False),
        ({"variant": "absent"}, ("absent",), True),
        ({"variant": False}, (PRESENT,), True),
    ]
)
def test_a_condition_may_ask_whether_a_factor_is_there(
    factors: Mapping[str, FactorValue], wanted: tuple[FactorValue | Presence, ...], is_match: bool
) -> None:
    assert matches(factors, {"variant": wanted}) == is_match


@each_row(
    [
        ((ABSENT,), (ABSENT,), True),
        ((ABSENT,), (PRESENT,), False),
        ((ABSENT,), ("a",), False),
        ((PRESENT,), ("a",), True),
        (("a",), (PRESENT,), True),
        ((PRESENT,), (PRESENT,), True),
        (("a",), ("b",), False),
        ((ABSENT, "a"), ("a", "b"), True),
    ]
)
def test_two_conditions_of_presence_overlap(
    one: tuple[FactorValue | Presence, ...], other: tuple[FactorValue | Presence, ...], both: bool
) -> None:
    assert can_both_match({"variant": one}, {"variant": other}) == both
    assert can_both_match({"variant": other}, {"variant": one}) == both


# The reruns of a study say their variant; the old runs do not.
OLD = [published_run(devices=n, throughput=100.0 * n) for n in (1, 8)]
RERUNS = [
    published_run(devices=n, variant=v, throughput=rate * n)
    for v, rate in (("a", 110.0), ("b", 125.0))
    for n in (1, 8)
]


def table(**keys: Any) -> Table:
    return build_tables(table_spec(**{"rows": ("devices",), **keys}), [*OLD, *RERUNS], NO_FACTS)[0]


def numbers(found: Table) -> list[list[float | str | None]]:
    return [[cell.text or cell.value for cell in row] for row in found.cells]


def test_where_separates_old_runs_from_reruns() -> None:
    assert numbers(table()) == [["several"], ["several"]]
    old = table(where={"variant": (ABSENT,)})
    assert numbers(old) == [[100.0], [800.0]]
    assert "All without variant." in old.caption
    reruns = table(where={"variant": (PRESENT,)}, columns=("variant",))
    assert numbers(reruns) == [[110.0, 125.0], [880.0, 1000.0]]
    both = table(where={"variant": (ABSENT, "b")}, columns=("variant",))
    assert sorted(map(str, numbers(both)[0])) == ["100.0", "125.0"]


def test_the_old_runs_are_a_baseline() -> None:
    compare = CompareSpec("speedup", {"variant": ABSENT})
    found = table(where={"variant": (PRESENT,)}, columns=("variant",), compare=compare, show=("speedup",))
    assert numbers(found) == [[pytest.approx(1.1), pytest.approx(1.25)]] * 2
    assert found.caption[1].startswith("Speed-up relative to no variant; ")


def test_a_case_without_a_baseline_that_lacks_the_factor_says_so() -> None:
    compare = CompareSpec("speedup", {"variant": ABSENT})
    spec = table_spec(rows=("devices", "variant"), compare=compare, show=("speedup",))
    (found,) = build_tables(spec, [OLD[0], *RERUNS], NO_FACTS)
    missing = [each.message for each in found.findings if each.rule == "table.missing-baseline"]
    assert missing
    assert all(each.startswith("no baseline with no variant and all other factors equal") for each in missing)


@pytest.mark.parametrize(
    ("pick", "expected"),
    [
        ({"variant": "absent"}, [[100.0], [800.0]]),
        ({"variant": "present"}, [["several"], ["several"]]),
        ({"variant": "best"}, [[125.0], [1000.0]]),
    ],
)
def test_pick_takes_the_case_that_lacks_a_factor(pick: dict[str, str], expected: list[list[object]]) -> None:
    assert numbers(table(pick=pick)) == expected


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"where": {"devices": (ABSENT,)}}, "where.devices: every run has devices; leave the condition out"),
        ({"where": {"repeat": (ABSENT,)}}, "where.repeat: every case has repeat; leave the condition out"),
        ({"where": {"metric": (ABSENT,)}}, "where.metric: every case has metric; leave the condition out"),
        ({"where": {"varaint": (ABSENT,)}}, 'where.varaint: no factor "varaint"; did you mean "variant"?'),
        (
            {"compare": CompareSpec("ratio", {"variant": PRESENT})},
            "compare.baseline.variant: any value of a factor is not one baseline; write its value",
        ),
        ({"compare": CompareSpec("ratio", {"devices": ABSENT})}, "no case has devices = { absent = true }"),
    ],
)
def test_a_condition_that_chooses_nothing_is_an_error(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as raised:
        table(**keys)
    assert message in str(raised.value)
