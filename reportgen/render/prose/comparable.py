"""Decide whether `ratio()` in a text means anything, by the rules of a table with `compare`."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from reportgen.compare.conditions import Difference, differing_conditions
from reportgen.core.factors import factor_key
from reportgen.core.metrics import RATES, metric_of
from reportgen.core.model import FactorValue
from reportgen.document.model import Case, Note

_BATCH_SIZES = ("batch_size", "global_batch_size", "micro_batch_size")


class Incomparable(Exception):
    """Two cells whose ratio would mean nothing. The text says why, for an author."""


def check_comparable(
    case: Case, other: Case, named: Sequence[str], accepted: Collection[str]
) -> list[Difference]:
    """Return in what else two compared cases differ. Raises Incomparable if their ratio means nothing.

    named     the factors that select cells: those that differ are what the ratio is about
    accepted  other differences that the author accepts
    """
    if case.metric != other.metric:
        raise Incomparable(f"the ratio divides {case.metric} by {other.metric}")
    if case.phase == other.phase and case.parts != other.parts:
        raise Incomparable(
            f"{case.phase} is {' + '.join(case.parts)} here, but {' + '.join(other.parts)} below"
        )
    about = [name for name in named if _key(case.factors, name) != _key(other.factors, name)]
    unnamed = [each for each in _factors(case, other) if each.name not in named]
    others = differing_conditions(case.conditions, other.conditions, case.metric, about)
    refused = [*unnamed, *(each for each in others if each.is_essential)]
    reasons = list(dict.fromkeys(_text(each) for each in refused if each.name not in accepted))
    if reasons:
        raise Incomparable(f"the cells differ in {' and '.join(reasons)}")
    return [*unnamed, *others, *_ignored(case, other)]


def check_rankable(cases: Sequence[Case], accepted: Collection[str]) -> None:
    """Raise Incomparable if none of several measured cases can be the best: they did other work.

    Of two phases none is better, and the shortest step is that of the smallest batch. A rate is work over
    time, so rates of other batches have a best.
    """
    times = [case for case in cases if metric_of(case.metric).unit not in RATES]
    values: dict[str, set[object]] = {
        **{name: {_key(case.factors, name) for case in times} for name in _BATCH_SIZES},
        "phase": {case.phase for case in cases},
    }
    names = [name for name, each in values.items() if len(each) > 1 and name not in accepted]
    if names:
        raise Incomparable(f"the cells did other work: they differ in {' and '.join(names)}")


def differs_note(differences: Sequence[Difference]) -> list[Note]:
    """Return what a reader must know of a ratio of cases that differ so."""
    known = ", ".join(map(_text, differences))
    return [Note(f"the two sides differ in {known}", name="differs")] if known else []


def all_differ_note(differences: Iterable[Difference]) -> list[Note]:
    """Return what a reader must know of the best of several cases that differ so."""
    known = ", ".join(dict.fromkeys(each.name for each in differences))
    return [Note(f"the compared cases differ in {known}", name="differs")] if known else []


def _text(each: Difference) -> str:
    return f"{each.name} ({each.own}; {each.baseline})"


def _factors(case: Case, other: Case) -> list[Difference]:
    """Return the factors in which two cases differ."""
    names = sorted({*case.factors, *other.factors} - {"metric", "phase", "repeat"})
    return [
        Difference(name, str(case.factors.get(name, "-")), str(other.factors.get(name, "-")))
        for name in names
        if _key(case.factors, name) != _key(other.factors, name)
    ]


def _ignored(case: Case, other: Case) -> list[Difference]:
    """Return the factors that the table ignores and in which the runs of the two cases differ."""
    own, base = _of_runs(case), _of_runs(other)
    return [
        Difference(name, ", ".join(sorted(own[name])), ", ".join(sorted(base[name])))
        for name in sorted(own.keys() & base.keys() - {*case.factors, *other.factors})
        if own[name] != base[name]
    ]


def _of_runs(case: Case) -> dict[str, set[str]]:
    values: dict[str, set[str]] = {}
    for measurement in case.measurements:
        for name, value in measurement.run.factors.items():
            values.setdefault(name, set()).add(str(value))
    return values


def _key(factors: Mapping[str, FactorValue], name: str) -> object:
    return factor_key(factors[name]) if name in factors else None
