"""Compare the rules of acceptance of two states of a report: which changed, came or went, or are weaker.

A rule decides what is accepted. A pull request that lowers a bound or leaves a case out moves no number, so
it is named here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reportgen.diff.cells import ABSENT
from reportgen.document.model import Acceptance, AcceptanceRuleResult, AcceptedCell, Document, RatioBounds

# The cell of a rule that stands for all that `required` names; it goes when nothing is missing any more.
_REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class AcceptanceChange:
    """A rule of acceptance that changed, came or went, or that has another result.

    entry      title of its entry
    old, new   the rule in words with its result, "-" on the side that lacks it
    unjudged   cells that the old rule judged, and the new one does not
    is_weaker  whether the rule is gone, lets pass what it refused, judges fewer cells, or no longer fails
    """

    report: str
    entry: str
    old: str
    new: str
    unjudged: tuple[str, ...]
    is_weaker: bool


def acceptance_changes(old: Document, new: Document) -> Iterator[AcceptanceChange]:
    """Yield what differs between the rules of two states of a report, in order of the new one."""
    before = {entry.id: entry for entry in old.acceptance}
    after = {entry.id: entry for entry in new.acceptance}
    for id in dict.fromkeys((*after, *before)):
        yield from _of_entry(new.name, before.get(id), after.get(id))


def _of_entry(report: str, old: Acceptance | None, new: Acceptance | None) -> Iterator[AcceptanceChange]:
    entry = new or old
    assert entry is not None
    is_one_enough = new is not None and new.is_any
    # Of rules that all had to hold, one is enough now; of one rule, both say the same.
    is_loosened = is_one_enough and old is not None and not old.is_any and len(entry.rules) > 1
    if is_loosened:
        words = "all of the rules must hold", "one of the rules must hold"
        yield AcceptanceChange(report, entry.title, *words, (), is_weaker=True)
    for before, after in _paired(old.rules if old else (), new.rules if new else ()):
        unjudged = _unjudged(before, after) if before and after else ()
        if before and after and _words(before) == _words(after) and not unjudged:
            continue
        is_weaker = _is_weaker(before, after) if before else is_one_enough and old is not None
        texts = (_words(before) if before else ABSENT), (_words(after) if after else ABSENT)
        yield AcceptanceChange(report, entry.title, *texts, unjudged, is_weaker or bool(unjudged))


def _words(rule: AcceptanceRuleResult) -> str:
    return f"{rule.text}: {rule.outcome}"


_Pair = tuple[AcceptanceRuleResult | None, AcceptanceRuleResult | None]


def _paired(old: Sequence[AcceptanceRuleResult], new: Sequence[AcceptanceRuleResult]) -> Iterator[_Pair]:
    """Yield the rules of both sides in pairs: by cells and text, by text, by subject, then alone."""
    left, came = list(old), list(new)
    for same in (_same_cells, _text, _about):
        for rule in tuple(came):
            earlier = next((each for each in left if same(each) == same(rule)), None)
            if earlier is not None:
                left.remove(earlier)
                came.remove(rule)
                yield earlier, rule
    yield from ((None, rule) for rule in came)
    yield from ((rule, None) for rule in left)


def _same_cells(rule: AcceptanceRuleResult) -> tuple[str, ...]:
    return rule.text, *(cell.place for cell in rule.cells)


def _text(rule: AcceptanceRuleResult) -> str:
    return rule.text


def _about(rule: AcceptanceRuleResult) -> str:
    """Return what the rule compares with what: its words before the bounds."""
    return rule.text.rpartition(": ratio ")[0]


def _accepted(rule: AcceptanceRuleResult) -> set[str]:
    return set(rule.text.rpartition(": ratio ")[2].partition("; accepted: ")[2].split(", ")) - {""}


def _is_weaker(old: AcceptanceRuleResult, new: AcceptanceRuleResult | None) -> bool:
    if new is None or (old.outcome == "fail" and new.outcome != "fail"):
        return True
    return not (_is_within(new.bounds, old.bounds) and _accepted(new) <= _accepted(old))


def _is_within(inner: RatioBounds, outer: RatioBounds) -> bool:
    is_low = outer.low is None or (inner.low is not None and inner.low >= outer.low)
    is_high = outer.high is None or (inner.high is not None and inner.high <= outer.high)
    return is_low and is_high


def _unjudged(old: AcceptanceRuleResult, new: AcceptanceRuleResult) -> tuple[str, ...]:
    """Return the cells of the old rule that the new one lacks.

    A cell that was missing has fewer factors than one that is there now.
    """
    judged = [_factors(cell) for cell in new.cells]
    return tuple(
        cell.place
        for cell in old.cells
        if cell.place != _REQUIRED and not any(_factors(cell) <= factors for factors in judged)
    )


def _factors(cell: AcceptedCell) -> set[str]:
    return set(cell.place.split(", "))
