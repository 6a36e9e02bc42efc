"""Footnotes of one table: what a reader must know beside a number, as few as will do.

Findings of severity warning and invalid, and corrections of published figures, become footnotes of
the cells they belong to. Equal texts share a footnote; a rule that has many texts in one table is
folded into one, because forty footnotes are read as often as none. A note that holds for every number
of a row stands at the row's head, and one that holds for every number of the table in its caption.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from reportgen.core.model import Case, Finding
from reportgen.core.results import Cell, Note
from reportgen.core.rules import Rule

# A cell whose footnotes are not numbered yet.
Draft = tuple[Cell, tuple[Note, ...]]

# More texts of one rule than this are folded.
FOLD = 3
_FOLDED = "The figures differ: index.html has those behind each number, report.json all {}."

_ALWAYS = frozenset({Rule.READ_CORRECTED_FIGURE, Rule.TABLE_MISSING_BASELINE, Rule.TABLE_HIDDEN_VARIATION})


class Notebook:
    """Collects the notes of each cell, then numbers them in order of appearance."""

    def __init__(self) -> None:
        self._wanted: dict[Note, None] = {}

    def add(self, text: str, rule: Rule | None = None) -> Note:
        """Want a note; return it as the cell's handle on it."""
        note = Note(text, rule)
        self._wanted.setdefault(note)
        return note

    def of_case(self, case: Case) -> list[Note]:
        """Want the notes that belong to a case."""
        return [self.add(f.message, f.rule) for f in findings_of(case) if is_footnote(f)]

    def printed(self) -> tuple[list[Note], dict[Note, Note]]:
        """Return the notes to print, and for each wanted note the one that stands for it."""
        by_rule: dict[Rule | None, list[Note]] = {}
        for note in self._wanted:
            by_rule.setdefault(note.rule, []).append(note)
        stands_for: dict[Note, Note] = {}
        for rule, notes in by_rule.items():
            if rule and len(notes) > FOLD:
                folded = Note(f"{rule.summary} {_FOLDED.format(len(notes))}", rule)
                stands_for.update(dict.fromkeys(notes, folded))
            else:
                stands_for.update(zip(notes, notes, strict=True))
        return list(dict.fromkeys(stands_for[note] for note in self._wanted)), stands_for


@dataclass(frozen=True, slots=True)
class Noted:
    """The cells of a table with numbered notes.

    notes    those that are printed as footnotes; rows  for each row, what holds for all its numbers
    general  what holds for all numbers of the table
    """

    notes: tuple[Note, ...]
    cells: tuple[tuple[Cell, ...], ...]
    rows: tuple[tuple[int, ...], ...]
    general: tuple[Note, ...]


def number_notes(notebook: Notebook, drafts: Sequence[Sequence[Draft]]) -> Noted:
    """Give each note its number and its place."""
    printed, stands_for = notebook.printed()
    wanted = [[{stands_for[note] for note in notes} for _, notes in line] for line in drafts]
    numbers = [
        [w for w, (cell, _) in zip(*pair, strict=True) if cell.kind == "number"]
        for pair in zip(wanted, drafts, strict=True)
    ]
    everywhere = _common([one for line in numbers for one in line])
    by_row = [_common(line) - everywhere for line in numbers]
    used = {note for line in wanted for one in line for note in one}
    footnotes = [note for note in printed if note in used - everywhere]
    index = {note: position for position, note in enumerate(footnotes)}
    cells = tuple(
        tuple(
            replace(cell, notes=tuple(sorted(index[n] for n in w - everywhere - common)))
            for w, (cell, _) in zip(line, draft, strict=True)
        )
        for line, draft, common in zip(wanted, drafts, by_row, strict=True)
    )
    rows = tuple(tuple(sorted(index[n] for n in common)) for common in by_row)
    return Noted(tuple(footnotes), cells, rows, tuple(n for n in printed if n in everywhere))


def _common(wanted: Sequence[set[Note]]) -> set[Note]:
    """Return what all share; with a single cell there is nothing to gather."""
    return set.intersection(*wanted) if len(wanted) > 1 else set()


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
