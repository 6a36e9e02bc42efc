"""Footnotes of one table: what a reader must know beside a number.

Findings of severity warning and invalid, and corrections of published figures, become footnotes of
the cells they belong to. Equal texts share a footnote; a rule that has many texts in one table is
folded into one, because forty footnotes are read as often as none.
"""

from collections.abc import Iterable

from reportgen.model import Case, Finding
from reportgen.results import Note

# More texts of one rule than this are folded.
FOLD = 3

_ALWAYS = frozenset({"read.corrected-figure", "table.missing-baseline", "table.hidden-variation"})


class Notebook:
    """Collects the notes of each cell, then numbers them in order of appearance."""

    def __init__(self) -> None:
        self._wanted: dict[Note, None] = {}

    def add(self, text: str, rule: str = "") -> Note:
        """Want a note; return it as the cell's handle on it."""
        note = Note(text, rule)
        self._wanted.setdefault(note)
        return note

    def of_case(self, case: Case) -> list[Note]:
        """Want the notes that belong to a case."""
        return [self.add(f.message, f.rule) for f in findings_of(case) if is_footnote(f)]

    def numbered(self) -> tuple[tuple[Note, ...], dict[Note, int]]:
        """Return the notes to print, and for each wanted note the index of the one that stands for it."""
        by_rule: dict[str, list[Note]] = {}
        for note in self._wanted:
            by_rule.setdefault(note.rule, []).append(note)
        folded = {rule for rule, notes in by_rule.items() if rule and len(notes) > FOLD}
        printed: list[Note] = []
        index: dict[Note, int] = {}
        for note in self._wanted:
            if note.rule in folded:
                first = by_rule[note.rule][0]
                if note is first:
                    others = len(by_rule[note.rule]) - 1
                    printed.append(Note(f"{note.text} (and {others} more like it)", note.rule))
                    index[note] = len(printed) - 1
                else:
                    index[note] = index[first]
            else:
                printed.append(note)
                index[note] = len(printed) - 1
        return tuple(printed), index


def findings_of(case: Case) -> Iterable[Finding]:
    """Yield everything that may be wrong with a case: itself, its measurements, its runs; each once."""
    seen: set[Finding] = set()
    runs = [m.run for m in case.measurements] + list(case.unmeasured)
    groups = [case.findings, *(m.findings for m in case.measurements), *(run.findings for run in runs)]
    for group in groups:
        for finding in group:
            if finding not in seen:
                seen.add(finding)
                yield finding


def is_footnote(finding: Finding) -> bool:
    """Return whether a finding must stand beside the number rather than in the list only."""
    return finding.severity != "note" or finding.rule in _ALWAYS
