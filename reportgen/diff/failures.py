"""Decide whether a comparison fails a check, by the kinds of changes that the caller names."""

from collections import Counter
from collections.abc import Collection

from reportgen.compare.verdict import VerdictKind
from reportgen.diff.changes import Diff
from reportgen.render.text.english import count

# Names of `--fail-on` that are verdicts; a dash stands for the space.
VERDICTS: dict[str, VerdictKind] = {
    "slower": "slower",
    "faster": "faster",
    "likely-slower": "likely slower",
    "likely-faster": "likely faster",
    "undecided": "undecided",
    "no-repeats": "no repeats",
    "not-comparable": "not comparable",
}
KINDS = (*VERDICTS, "invalid", "warning", "edited", "gone", "protocol", "acceptance")


def failures_of(diff: Diff, kinds: Collection[str], threshold: float = 0.0) -> list[str]:
    """Return what fails, in words, for each of the kinds that occurs.

    threshold  of a verdict: differences of speed below it do not count, for example 0.02. A case that is not
               comparable counts at any difference: its two numbers measure different things.
    """
    severities = Counter(change.finding.severity for change in diff.findings_came)
    gone = len(diff.disappeared) + sum(report.numbers for report in diff.gone_reports)
    edited = len(diff.logs.edited) + len(diff.logs.deleted)
    counts = [
        *((name, _rows(diff, kind, threshold), kind, kind) for name, kind in VERDICTS.items()),
        (
            "not-comparable",
            len(diff.unreadable),
            "report that cannot be compared",
            "reports that cannot be compared",
        ),
        ("invalid", severities["invalid"], "new invalid finding", ""),
        ("warning", severities["warning"] + severities["invalid"], "new warning", ""),
        ("edited", edited, "committed log edited or deleted", "committed logs edited or deleted"),
        ("gone", gone, "number gone", "numbers gone"),
        ("gone", len(diff.gone_reports), "report gone", "reports gone"),
        ("protocol", len(diff.protocols), "protocol changed", "protocols changed"),
        (
            "acceptance",
            sum(change.is_weaker for change in diff.acceptance),
            "acceptance rule weaker, gone or no longer failing",
            "acceptance rules weaker, gone or no longer failing",
        ),
    ]
    return [count(number, noun, plural) for kind, number, noun, plural in counts if kind in kinds and number]


def _rows(diff: Diff, kind: VerdictKind, threshold: float) -> int:
    """Return the number of rows with a verdict whose difference of speed is large enough."""
    smallest = 0.0 if kind == "not comparable" else threshold
    rows = [row for row in diff.rows if row.verdict is not None and row.verdict.kind == kind]
    return sum(row.ratio is None or abs(row.ratio - 1) >= smallest for row in rows)
