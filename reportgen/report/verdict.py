"""The sentences after the headline: the source of the numbers, whether there are warnings, and counts."""

from collections.abc import Iterator, Sequence

from reportgen.core.model import Finding, Run
from reportgen.document.model import Acceptance
from reportgen.report.run_counts import count_runs, name_runs


def verdict_sentences(
    runs: Sequence[Run], findings: Sequence[Finding], others: Sequence[Run] = ()
) -> Iterator[str]:
    """Yield what the numbers come from, and whether there are warnings, without counts.

    runs  behind the tables; others  of the same logs, in no table

    A count would change this sentence, and the index of all reports, with every log that is added.
    """
    if runs:
        yield f"Source: {name_runs(runs)}."
    elif not others:
        yield "No runs to report on."
    if others:
        yield "Some runs of these logs are in no table."
    if any(finding.severity != "note" for finding in findings):
        yield "Read the warnings before using these numbers."


def acceptance_sentences(entries: Sequence[Acceptance]) -> Iterator[str]:
    """Yield whether the rules of acceptance hold, if there are any; the entries that do not are named."""
    for outcome, verb in (("fail", "fails"), ("not evaluated", "was not evaluated")):
        titles = [entry.title for entry in entries if entry.outcome == outcome]
        if titles:
            yield f"Acceptance {verb}: {'; '.join(titles)}."
    if entries and all(entry.outcome == "pass" for entry in entries):
        parts = [f"{entry.title}: {entry.coverage}" for entry in entries if entry.coverage]
        yield f"Acceptance passes ({'; '.join(parts)})." if parts else "Acceptance passes."


def run_counts(runs: Sequence[Run], others: Sequence[Run] = ()) -> Iterator[str]:
    """Yield how many runs are behind the tables, and how many in none."""
    if runs:
        yield f"In tables: {count_runs(runs)}."
    if others:
        yield f"In no table: {count_runs(others)}."
