"""The findings behind a number: of its case, its measurements and its runs, and which a reader must see."""

from collections.abc import Iterable

from reportgen.core.model import Case, Finding
from reportgen.core.rules import Rule

_ALWAYS = frozenset(
    {
        Rule.READ_CORRECTED_FIGURE,
        Rule.TABLE_MISSING_BASELINE,
        Rule.TABLE_HIDDEN_VARIATION,
        Rule.TABLE_NOT_COMPARABLE,
    }
)


def findings_of(case: Case) -> Iterable[Finding]:
    """Yield the findings of a case, its measurements and its runs, each once."""
    runs = [measurement.run for measurement in case.measurements] + list(case.unmeasured)
    groups = [case.findings, *(m.findings for m in case.measurements), *(run.findings for run in runs)]
    yield from dict.fromkeys(finding for group in groups for finding in group)


def is_footnote(severity: str, rule: str) -> bool:
    """Return True if a finding must be shown with the number, not only in the list of findings."""
    return severity != "note" or rule in _ALWAYS
