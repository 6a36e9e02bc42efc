"""Compare a pair of cases, in the order of the argument:

1. the number, by the question: a ratio of values, of speeds, or of speeds per device
2. the contract: what was held equal, what differs, what is not stated
3. the refusal, if one of the numbers is invalid, or one of the differences makes the ratio meaningless
4. the verdict on the speeds, by the test that the order of the repeats allows
5. beside it, where the logs are at hand: the ratio per cycle and per joule, and the parts
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from reportgen.compare.comparison import CompareKind, Comparison
from reportgen.compare.contract import Difference, contract_between
from reportgen.compare.per_cycle import compare_cycles, energy_ratio
from reportgen.compare.side import MeasuredLogs, Side
from reportgen.compare.spread import Spreads
from reportgen.compare.verdict import Verdict
from reportgen.compare.verdicts.decision import DecisionRule, decide
from reportgen.compare.why import break_down
from reportgen.core.metrics import Better, metric_of
from reportgen.core.model import Factors

# The arrangement of a verdict that rests on no order of runs.
_NO_ORDER = "unknown"


@dataclass(frozen=True, slots=True)
class Question:
    """The question about a pair of cases.

    about    the factors that the comparison is about
    ignored  factors that keep no cases apart; the runs of the two sides may differ in them
    accept   differences that would make the ratio meaningless, and that the author accepts
    must_be_equal  whether all other factors must be equal, as well as the essential conditions
    """

    kind: CompareKind = "speedup"
    about: Collection[str] = ()
    ignored: Sequence[str] = ()
    accept: Collection[str] = ()
    must_be_equal: bool = False
    rule: DecisionRule = field(default_factory=DecisionRule)


def compare_cases(
    own: Side,
    baseline: Side,
    question: Question,
    *,
    spreads: Spreads | None = None,
    logs: MeasuredLogs | None = None,
    hindrance: str = "",
) -> Comparison:
    """Return how a case compares with its baseline.

    spreads    of the repeats of comparable cases, which few repeats may borrow; None: they borrow none
    logs       where clocks, energy and phases of measured cases are read; None: they are left out
    hindrance  why the two numbers do not measure one thing, if it is not in their conditions; "" if they do

    A case against itself has its number alone, and a number that means nothing has no ratio.
    """
    invalid = _invalid(own, baseline)
    value = math.nan if invalid else _number(question.kind, own, baseline)
    over_all = None if invalid else _over_all(question.kind, own, baseline)
    comparison = Comparison(question.kind, own, baseline, value, over_all, invalid=invalid)
    if own is baseline:
        return comparison
    terms = contract_between(own, baseline, question.about, question.ignored)
    comparison = replace(
        comparison,
        held_equal=terms.held_equal,
        about=terms.about,
        differs=terms.differs,
        refused=tuple(each for each in terms.differs if _is_refused(each, question)),
        not_stated=terms.not_stated,
    )
    if question.kind == "efficiency":
        return comparison
    comparison = replace(comparison, verdict=_verdict(comparison, question.rule, spreads, hindrance))
    if logs is None or comparison.refusal:
        return comparison
    return replace(
        comparison,
        cycles=compare_cycles(own, baseline, logs, question.rule),
        energy=energy_ratio(own, baseline, logs),
        breakdown=break_down(own, baseline, logs),
    )


def better_ratio(value: float, reference: float, better: Better | None) -> float:
    """Return how many times better a value is; without a better direction, how many times higher.

    value, reference  not zero, in one unit
    """
    return reference / value if better == "lower" else value / reference


def devices_ratio(factors: Factors, base_factors: Factors) -> float:
    """Return how many times as many devices a case has; NaN if either does not say."""
    devices, base = factors.get("devices"), base_factors.get("devices")
    if not isinstance(devices, (int, float)) or not isinstance(base, (int, float)) or not devices or not base:
        return math.nan
    return devices / base


def _invalid(own: Side, baseline: Side) -> str:
    """Return why one of the two numbers means nothing, "" if both mean something."""
    if own.invalid:
        return f"invalid: {own.invalid}"
    return f"invalid: {baseline.invalid} in the baseline" if baseline.invalid else ""


def _number(kind: CompareKind, own: Side, baseline: Side) -> float:
    """Return the number of a comparison, NaN if one of its parts is zero or unknown."""
    if not own.value or not baseline.value:
        return math.nan
    if kind == "ratio":
        return own.value / baseline.value
    slower = better_ratio(baseline.value, own.value, metric_of(own.metric, own.unit).better)
    if kind == "expected":
        return slower
    speedup = 1 / slower
    return speedup / devices_ratio(own.factors, baseline.factors) if kind == "efficiency" else speedup


def _over_all(kind: CompareKind, own: Side, baseline: Side) -> float | None:
    """Return the number over all of the windows' time, None where gaps left out little of both."""
    if own.over_all is None and baseline.over_all is None:
        return None
    sides = (
        each if each.over_all is None else replace(each, value=each.over_all) for each in (own, baseline)
    )
    number = _number(kind, *sides)
    return number if math.isfinite(number) else None


def _is_refused(difference: Difference, question: Question) -> bool:
    is_refused = difference.is_essential or (difference.is_factor and question.must_be_equal)
    return is_refused and difference.name not in question.accept


def _verdict(
    comparison: Comparison, rule: DecisionRule, spreads: Spreads | None, hindrance: str
) -> Verdict | None:
    """Return how the speeds compare; None for other quantities, and for values other than speeds."""
    own, base = comparison.own, comparison.base
    metric, ratio = metric_of(own.metric, own.unit), comparison.speed_ratio
    if (own.metric, own.phase) != (base.metric, base.phase) or metric.better is None:
        return None
    if comparison.invalid:
        return Verdict("not comparable", math.nan, _NO_ORDER, reason=comparison.invalid)
    values = [each.value for each in (*own.repeats, *base.repeats)]
    if ratio is None or not ratio > 0 or not base.repeats or min(values) <= 0:
        return None
    if comparison.refused:
        texts = " and ".join(each.change_text for each in comparison.refused)
        hindrance = hindrance or f"differs in {texts}"
    if hindrance:
        return Verdict("not comparable", ratio, _NO_ORDER, reason=hindrance)
    if not own.repeats:
        return Verdict("undecided", ratio, _NO_ORDER, reason=own.without_repeats)
    spread = spreads.like(own, base) if spreads else None
    return decide(own.repeats, base.repeats, better=metric.better, rule=rule, spread=spread)
