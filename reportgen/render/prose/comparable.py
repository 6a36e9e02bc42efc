"""Decide whether `ratio()` in a text means anything, by the rules of a table with `compare`."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from reportgen.compare.contract import Difference
from reportgen.compare.pair import Question, compare_cases
from reportgen.core.factors import factor_key
from reportgen.core.metrics import RATES, metric_of
from reportgen.core.model import FactorValue
from reportgen.document.model import Case, Note
from reportgen.document.sides import side_of

_BATCH_SIZES = ("batch_size", "global_batch_size", "micro_batch_size")


class Incomparable(Exception):
    """Two cells whose ratio would mean nothing. The text says why, for an author."""


def check_comparable(
    case: Case, other: Case, named: Sequence[str], accepted: Collection[str]
) -> Sequence[Difference]:
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
    own, base = side_of(case), side_of(other)
    ignored = sorted(own.of_runs.keys() & base.of_runs.keys())
    question = Question("ratio", about, ignored, accepted, must_be_equal=True)
    comparison = compare_cases(own, base, question)
    if comparison.refused:
        reasons = dict.fromkeys(map(_text, comparison.refused))
        raise Incomparable(f"the cells differ in {' and '.join(reasons)}")
    return comparison.differs


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


def _key(factors: Mapping[str, FactorValue], name: str) -> object:
    return factor_key(factors[name]) if name in factors else None
