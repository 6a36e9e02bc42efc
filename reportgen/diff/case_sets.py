"""Compare two sets of cases that were measured now, without a definition.

Each case is compared with the one of equal factors. A factor that has one value in each set, and not the same
one, is what the sets differ in: a device, a branch, a campaign. It does not keep cases apart.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.compare.comparison import CompareKind, contract_sentence
from reportgen.compare.pair import Question, compare_cases
from reportgen.compare.side import Side, side_of
from reportgen.compare.spread import Spreads
from reportgen.compare.verdicts import TimedRepeat
from reportgen.core.factors import FactorsKey, factor_key, factors_key
from reportgen.core.metrics import metric_of
from reportgen.core.model import Case, Factors, FactorValue
from reportgen.diff.cells import heading_text, number_text
from reportgen.diff.changes import Diff
from reportgen.diff.rows import Row, corrected_rows, environment_changes, sorted_rows
from reportgen.render.text.english import count

_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class SetComparison:
    """The comparison of two sets.

    old_factors, new_factors  what they differ in as a whole
    disjoint                  factors that keep all cases apart, since no value of them is in both sets
    """

    diff: Diff
    old_factors: Factors
    new_factors: Factors
    disjoint: tuple[str, ...] = ()


def compare_case_sets(old: Sequence[Case], new: Sequence[Case], apart: Collection[str] = ()) -> SetComparison:
    """Compare the cases of the new set with the old cases.

    apart  factors that may differ between the two cases of a pair
    """
    measured = [[case for case in cases if case.summary is not None] for cases in (old, new)]
    constants = [_constants(cases) for cases in measured]
    free = {*apart, *_differing(*constants)}
    hidden = free | (constants[0].keys() & constants[1].keys())
    before, after = (_by_key(cases, free) for cases in measured)
    shared = [key for key in after if key in before]
    single = [key for key in shared if len(before[key]) == len(after[key]) == 1]
    spreads = Spreads(side_of(case) for cases in measured for case in cases)
    compared = [_row(before[key][0], after[key][0], free, hidden, spreads) for key in single]
    rows = sorted_rows(corrected_rows(compared))
    alike = [case for key in shared if key not in single for case in (*before[key], *after[key])]
    notes = [
        *_named("Only A has", [case for key in before if key not in after for case in before[key]], hidden),
        *_named("Only B has", [case for key in after if key not in before for case in after[key]], hidden),
        *_named("Not compared, because they differ only in factors that are left out:", alike, hidden),
        *filter(None, [contract_sentence([row.comparison for row in rows])]),
    ]
    diff = Diff(rows=rows, environment=environment_changes(rows), notes=tuple(notes))
    parts = [{name: values[name] for name in sorted(free) if name in values} for values in constants]
    return SetComparison(diff, parts[0], parts[1], tuple(_disjoint(measured[0], measured[1], free)))


def _disjoint(old: Sequence[Case], new: Sequence[Case], free: Collection[str]) -> list[str]:
    """Return the factors whose values do not overlap."""
    values: list[dict[str, set[object]]] = [{}, {}]
    for cases, of_side in zip((old, new), values, strict=True):
        for case in cases:
            for name, value in case.factors.items():
                of_side.setdefault(name, set()).add(factor_key(value))
    names = sorted(values[0].keys() | values[1].keys())
    return [
        name
        for name in names
        if name not in free and not values[0].get(name, set()) & values[1].get(name, set())
    ]


def _constants(cases: Iterable[Case]) -> dict[str, FactorValue]:
    """Return the factors that all cases have with one value."""
    values: dict[str, dict[object, FactorValue]] = {}
    number = 0
    counts: dict[str, int] = {}
    for case in cases:
        number += 1
        for name, value in case.factors.items():
            values.setdefault(name, {})[factor_key(value)] = value
            counts[name] = counts.get(name, 0) + 1
    return {
        name: next(iter(different.values()))
        for name, different in values.items()
        if len(different) == 1 and counts[name] == number
    }


def _differing(old: Mapping[str, FactorValue], new: Mapping[str, FactorValue]) -> set[str]:
    return {name for name in old.keys() & new.keys() if factor_key(old[name]) != factor_key(new[name])}


def _by_key(cases: Iterable[Case], free: Collection[str]) -> dict[FactorsKey, list[Case]]:
    """Return the cases by their factors, without those that may differ within a pair."""
    groups: dict[FactorsKey, list[Case]] = {}
    for case in cases:
        key = factors_key({name: value for name, value in case.factors.items() if name not in free})
        groups.setdefault(key, []).append(case)
    return groups


def _row(old: Case, new: Case, free: Collection[str], hidden: Collection[str], spreads: Spreads) -> Row:
    before, after = side_of(old), side_of(new)
    added = _added(after, before)
    kind: CompareKind = "speedup" if metric_of(new.metric, new.unit).is_speed else "ratio"
    own = replace(after, repeats=added, without_repeats="all runs of the second side are on the first, too")
    return Row(
        place="",
        heading=_heading(new, hidden) or new.metric,
        comparison=compare_cases(own, before, Question(kind, about=free), spreads=spreads),
        old=_shown(old, new),
        new=_shown(new, old),
        is_part=0 < len(added) < len(after.repeats),
        case=heading_text(dict(sorted(new.factors.items()))),
    )


def _shown(case: Case, other: Case) -> str:
    """Return the number of a case, in a unit that fits both."""
    assert case.summary is not None
    assert other.summary is not None
    return number_text(case.summary.median, case.unit, case.metric, case.factors, other.summary.median)


def _added(side: Side, other: Side) -> tuple[TimedRepeat, ...]:
    """Return the repeats of a side that the other side lacks: none there has the same start and value."""
    known = {(each.start, each.value) for each in other.repeats if each.start is not None}
    return tuple(each for each in side.repeats if (each.start, each.value) not in known)


def _named(what: str, cases: Sequence[Case], hidden: Collection[str]) -> list[str]:
    """Return a sentence about cases that were not compared, nothing without any."""
    if not cases:
        return []
    named = "; ".join(_heading(case, hidden) or "the only one" for case in cases[:_MAX_NAMED])
    more = f" and {len(cases) - _MAX_NAMED:,} more" if len(cases) > _MAX_NAMED else ""
    return [f"{what} {count(len(cases), 'case')}: {named}{more}."]


def _heading(case: Case, hidden: Collection[str]) -> str:
    return heading_text({name: value for name, value in case.factors.items() if name not in hidden})
