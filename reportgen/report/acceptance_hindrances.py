"""Say why a number cannot be accepted, whatever its ratio: the evidence for it or its reference is weak.

A hindrance has a name: a condition in which the case differs from its reference ("ranks"), or the rule of a
finding ("protocol.gap"). A rule of acceptance that has the name in `accept` passes over it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.compare.comparison import Comparison
from reportgen.compare.conditions import DEVICE_COUNTS, ESSENTIAL
from reportgen.core.case_findings import findings_of
from reportgen.core.model import Case, Finding
from reportgen.core.rules import Rule
from reportgen.protocol.conditions import DEVICE, RANKS

# A ratio of rates is printed although these differ; a device is not accepted by the speed of other work.
_CONDITIONS = frozenset((*ESSENTIAL, RANKS, DEVICE, *DEVICE_COUNTS))
# Findings of any severity, and those that hinder as warnings only.
_FINDINGS = frozenset((Rule.PROTOCOL_FEW_REPEATS,))
_WARNINGS = frozenset((Rule.CLOCK_UNSYNCHRONISED, Rule.PROTOCOL_SAME_TIME, Rule.PROTOCOL_TWO_GROUPS))
# Of the time of a window; more of it left out is another speed.
_MAX_LEFT_OUT = 0.05
# A protocol may ask for less, and a reader of "accepted" does not expect it.
_MIN_STEPS = 10

NAMES = (
    *sorted(_CONDITIONS),
    *sorted(
        {
            *(Rule.READ_FAILED_RUN, Rule.PROTOCOL_GAP, Rule.PROTOCOL_SHORT_WINDOW),
            *(Rule.TABLE_MISSING_REQUIRED, *_FINDINGS, *_WARNINGS),
            *(rule for rule in Rule if "invalid" in rule.severities),
        }
    ),
)


@dataclass(frozen=True, slots=True)
class Hindrance:
    """A reason not to accept a number: its name in `accept`, and the fact."""

    name: str
    fact: str

    @property
    def text(self) -> str:
        """Return both: "protocol.gap: 45 % of the window's time is left out"."""
        return f"{self.name}: {self.fact}"


def hindrances(case: Case, comparison: Comparison | None) -> Iterator[Hindrance]:
    """Yield why a case cannot be accepted and, if it is compared, why its baseline cannot be a reference."""
    yield from _of_case(case)
    if comparison is None:
        return
    for difference in comparison.differs:
        if difference.name in _CONDITIONS:
            yield Hindrance(difference.name, f"{difference.own}; {difference.baseline} in the baseline")
    baseline = comparison.baseline
    if len(case.measurements) < len(baseline.measurements):
        fact = f"{len(case.measurements)}; {len(baseline.measurements)} in the baseline"
        yield Hindrance(Rule.PROTOCOL_FEW_REPEATS, fact)
    for each in _of_case(baseline):
        yield Hindrance(each.name, f"in the baseline, {each.fact}")


def _of_case(case: Case) -> Iterator[Hindrance]:
    for finding in findings_of(case):
        if _is_hindrance(finding):
            yield Hindrance(finding.rule, finding.message)
    failed = [run.status.replace("_", " ") for run in case.unmeasured if run.status != "complete"]
    if failed:
        runs = len(case.measurements) + len(case.unmeasured)
        yield Hindrance(Rule.READ_FAILED_RUN, f"{len(failed)} of {runs} runs: {', '.join(sorted({*failed}))}")
    windows = [measurement.window for measurement in case.measurements if measurement.window]
    fewest = min((window.steps for window in windows), default=_MIN_STEPS)
    if fewest < _MIN_STEPS:
        fact = f"{fewest} measured step{'' if fewest == 1 else 's'} under the protocol {case.protocol}"
        yield Hindrance(Rule.PROTOCOL_SHORT_WINDOW, fact)
    shares = [window.gap_time / (window.time + window.gap_time) for window in windows if window.gap_time > 0]
    if max(shares, default=0.0) > _MAX_LEFT_OUT:
        above = sum(share > _MAX_LEFT_OUT for share in shares)
        where = f"{above} of {len(case.measurements)} repeats"
        yield Hindrance(
            Rule.PROTOCOL_GAP, f"{max(shares):.0%} of the window's time is left out ({where} above 5 %)"
        )


def _is_hindrance(finding: Finding) -> bool:
    if finding.severity == "invalid" or finding.rule in _FINDINGS:
        return True
    return finding.severity == "warning" and finding.rule in _WARNINGS
