"""Footnotes of one table: what a reader must know beside a number, as few as possible.

Findings of severity warning and invalid, and corrections of published figures, become footnotes of the
cells they belong to. Equal texts share a footnote. A rule with many texts in one table is folded into
one, because a reader skips forty footnotes. A note that holds for every number of a row is attached to the
head of the row. One that holds for every number of the table, or for all but a few rows, is a part of its
caption, which names these rows: if one more repeat moved it from the caption to each row, every line would
change.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.core.case_findings import findings_of, is_footnote, remark
from reportgen.core.model import Case
from reportgen.core.rules import Rule
from reportgen.document.model import Note
from reportgen.tables.results import Cell

# More texts of one rule than this are folded.
MAX_TEXTS_PER_RULE = 3
_FOLDED = "Details are in the evidence of each number."
# The caption takes a note if one row in four, and no more than three, have numbers without it.
_ROWS_PER_EXCEPTION = 4
_MAX_EXCEPTIONS = 3


@dataclass(frozen=True, slots=True, eq=False)
class PendingCell:
    """A cell whose footnotes have no place yet."""

    cell: Cell
    notes: tuple[Note, ...] = ()

    @property
    def is_number(self) -> bool:
        """Return True if the cell shows a number."""
        return self.cell.kind == "number"

    @property
    def is_measured(self) -> bool:
        """Return whether the number belongs to a case, and is not a mean over rows."""
        return self.is_number and self.cell.case is not None


# A cell with the notes that are printed for it.
_Noted = tuple[PendingCell, set[Note]]


class Footnotes:
    """Collects the notes of the cells of a table in order of appearance."""

    def __init__(self) -> None:
        self._notes: dict[Note, None] = {}

    def add(self, text: str, rule: Rule | None = None, *, name: str = "note") -> Note:
        """Add a note unless it is there; return it."""
        note = Note(text, rule or "", name)
        self._notes.setdefault(note)
        return note

    def of_case(self, case: Case) -> list[Note]:
        """Add the notes of a case and return them."""
        shown = (each for each in findings_of(case) if is_footnote(each.severity, each.rule))
        return [self.add(remark(case, each), each.rule) for each in shown]

    def __contains__(self, note: Note) -> bool:
        """Return whether a cell has the note; False for one that is printed for a whole rule."""
        return note in self._notes

    def folded(self) -> dict[Note, Note]:
        """Return each note with the note that is printed for it: itself, or one for its whole rule."""
        by_rule: dict[str, list[Note]] = {}
        for note in self._notes:
            by_rule.setdefault(note.rule, []).append(note)
        printed = {}
        for note in self._notes:
            count = len(by_rule[note.rule])
            printed[note] = note
            if note.rule and count > MAX_TEXTS_PER_RULE:
                printed[note] = Note(f"{Rule(note.rule).summary} {_FOLDED}", note.rule)
        return printed


@dataclass(frozen=True, slots=True)
class GeneralNote:
    """A note of all numbers of a table except in a few rows, by position."""

    note: Note
    except_rows: tuple[int, ...] = ()

    def text(self, rows: Sequence[str]) -> str:
        """Return the note with its exceptions; `rows` are the heads in words."""
        exceptions = "; ".join(rows[row] for row in self.except_rows)
        return f"{self.note.text.removesuffix('.')} (except {exceptions})" if exceptions else self.note.text


@dataclass(frozen=True, slots=True)
class NotedCells:
    """The cells of a table with their notes.

    notes    the footnotes to print, by name; rows  for each row, names of the notes of all its numbers
    general  the notes of all numbers of the table but a few
    """

    notes: Mapping[str, Note]
    cells: tuple[tuple[Cell, ...], ...]
    rows: tuple[tuple[str, ...], ...]
    general: tuple[GeneralNote, ...]


def place_notes(footnotes: Footnotes, pending: Sequence[Sequence[PendingCell]]) -> NotedCells:
    """Give each note its place: a cell, a row or the caption."""
    folded = footnotes.folded()
    lines = [[(each, {folded[note] for note in each.notes}) for each in line] for line in pending]
    of_numbers = [[notes for each, notes in line if each.is_number] for line in lines]
    in_order = list(dict.fromkeys(folded.values()))
    general = _general({note: note in footnotes for note in in_order}, lines)
    everywhere = [
        {each.note for each in general if row not in each.except_rows} for row, _ in enumerate(lines)
    ]
    in_row = [_shared(line) - in_caption for line, in_caption in zip(of_numbers, everywhere, strict=True)]
    used = [
        {note for _, notes in line for note in notes} - in_caption
        for line, in_caption in zip(lines, everywhere, strict=True)
    ]
    printed = [note for note in in_order if any(note in notes for notes in used)]
    cells = tuple(
        tuple(replace(each.cell, notes=_names(printed, notes - in_caption - shared)) for each, notes in line)
        for line, in_caption, shared in zip(lines, everywhere, in_row, strict=True)
    )
    rows = tuple(_names(printed, shared) for shared in in_row)
    return NotedCells({note.key: note for note in printed}, cells, rows, general)


def _names(printed: Sequence[Note], some: Collection[Note]) -> tuple[str, ...]:
    """Return the names of some of the notes, in the order of all."""
    return tuple(note.key for note in printed if note in some) if some else ()


def _general(notes: Mapping[Note, bool], lines: Sequence[Sequence[_Noted]]) -> tuple[GeneralNote, ...]:
    """Return the notes that belong into the caption.

    notes  each with whether rows may be excepted: not from one that stands for different texts of its rule
    """
    numbers = [[notes for each, notes in line if each.is_measured] for line in lines]
    rows = sum(map(bool, numbers))
    general = []
    for note, has_exceptions in notes.items() if sum(map(len, numbers)) > 1 else ():
        lacking = [row for row, line in enumerate(numbers) if any(note not in held for held in line)]
        if len(lacking) <= has_exceptions * min(rows // _ROWS_PER_EXCEPTION, _MAX_EXCEPTIONS):
            general.append(GeneralNote(note, tuple(lacking)))
    return tuple(general)


def _shared(notes: Sequence[set[Note]]) -> set[Note]:
    """Return the notes that all cells share; a single cell shares none."""
    return set.intersection(*notes) if len(notes) > 1 else set()
