"""Rules of acceptance in two states of a report: which changes are named, and which make a rule weaker."""

from reportgen.diff.acceptance import acceptance_changes
from reportgen.document.model import (
    Acceptance,
    AcceptanceRuleResult,
    AcceptedCell,
    Document,
    Outcome,
    RatioBounds,
)
from tests.diff.stored import report
from tests.each_of import each_row


def rule(
    text: str = "at least 0.95",
    *cells: str,
    low: float | None = 0.95,
    high: float | None = None,
    is_: Outcome = "fail",
    about: str = "Throughput of t against baseline",
) -> AcceptanceRuleResult:
    """Return a rule about cells, which are of two nodes unless stated."""
    places = cells or ("node=n1", "node=n2")
    judged = tuple(AcceptedCell(place, is_) for place in places)
    return AcceptanceRuleResult(f"{about}: ratio {text}", RatioBounds(low, high), is_, judged)


def state(*rules: AcceptanceRuleResult, is_any: bool = False) -> Document:
    return report(acceptance=(Acceptance("a", "A", is_any, "fail", rules),))


ONE = state(rule())
LOW = rule("at least 0.5", low=0.5)
TWO = state(rule(), rule(about="Power of t against baseline"))
BAND = state(rule("at least 0.95 and at most 1.1", high=1.1))
OTHER = rule(about="Throughput of t against 300 images/s")
SAID = "at least 0.95; accepted: ranks"
EITHER = state(rule(), is_any=True)


@each_row(
    [
        (ONE, ONE, []),
        (ONE, state(LOW), [True]),
        (state(LOW), ONE, [False]),
        (BAND, ONE, [True]),
        (ONE, BAND, [False]),
        (ONE, state(rule(SAID)), [True]),
        (state(rule(SAID)), ONE, [False]),
        (ONE, report(), [True]),
        (report(), ONE, [False]),
        (TWO, ONE, [True]),
        (ONE, TWO, [False]),
        (ONE, state(OTHER), [False, True]),
        (ONE, state(rule(is_="pass")), [True]),
        (ONE, state(rule(is_="not evaluated")), [True]),
        (state(rule(is_="not evaluated")), state(rule(is_="pass")), [False]),
        (state(rule(is_="pass")), ONE, [False]),
        (ONE, state(rule("at least 0.95", "node=n1")), [True]),
        (ONE, state(rule("at least 0.95", "node=n1", "node=n2", "node=n3")), []),
        (state(rule("at least 0.95", "node=n1")), state(rule("at least 0.95", "node=n1, devices=8")), []),
        (state(rule("at least 0.95", "node=n1", "required")), state(rule("at least 0.95", "node=n1")), []),
        (TWO, state(*TWO.acceptance[0].rules[::-1]), []),
        (TWO, state(*TWO.acceptance[0].rules, is_any=True), [True]),
        (EITHER, state(rule(), OTHER, is_any=True), [True]),
    ]
)
def test_which_rules_changed_and_which_are_weaker(old: Document, new: Document, weaker: list[bool]) -> None:
    assert [change.is_weaker for change in acceptance_changes(old, new)] == weaker


def test_a_change_names_both_rules_with_results_and_the_cells_left_out() -> None:
    (change,) = acceptance_changes(ONE, state(rule("at least 0.5", "node=n1", low=0.5, is_="pass")))
    assert (change.report, change.entry) == ("study", "A")
    assert change.old == "Throughput of t against baseline: ratio at least 0.95: fail"
    assert change.new == "Throughput of t against baseline: ratio at least 0.5: pass"
    assert change.unjudged == ("node=n2",)
