"""Decide whether a comparison fails a check, by the kinds of changes that the caller names."""

from collections.abc import Collection

from reportgen.compare.verdict import VerdictKind
from reportgen.diff.changes import Diff
from reportgen.render.text.english import count

# Names of `--fail-on` that are verdicts; a dash stands for the space.
VERDICTS: dict[str, VerdictKind] = {
    "slower": "slower",
    "faster": "faster",
    "undecided": "undecided",
    "no-repeats": "no repeats",
    "not-comparable": "not comparable",
}
_NOUNS = {
    "invalid": ("new invalid finding", "new invalid findings"),
    "warning": ("new warning", "new warnings"),
    "edited": ("committed log edited or deleted", "committed logs edited or deleted"),
    "gone": ("number gone", "numbers gone"),
}
KINDS = (*VERDICTS, *_NOUNS)


def failures(diff: Diff, kinds: Collection[str], threshold: float = 0.0) -> list[str]:
    """Return what fails, in words, for each of the kinds that occurs.

    threshold  of a verdict: differences of speed below it do not count, for example 0.02
    """
    counts = {
        name: sum(
            row.verdict is not None
            and row.verdict.kind == kind
            and (row.ratio is None or abs(row.ratio - 1) >= threshold)
            for row in diff.rows
        )
        for name, kind in VERDICTS.items()
    }
    severities = [change.finding.severity for change in diff.findings_came]
    counts["invalid"] = severities.count("invalid")
    counts["warning"] = severities.count("warning") + severities.count("invalid")
    counts["edited"] = len(diff.logs.edited) + len(diff.logs.deleted)
    counts["gone"] = len(diff.disappeared) + sum(report.numbers for report in diff.gone_reports)
    return [
        f"{counts[kind]:,} {VERDICTS[kind]}" if kind in VERDICTS else count(counts[kind], *_NOUNS[kind])
        for kind in KINDS
        if kind in kinds and counts[kind]
    ]
