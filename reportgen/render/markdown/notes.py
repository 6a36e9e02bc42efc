"""Collect the notes of all tables of a Markdown page, so that the page says each of them once.

A table refers to a note by its name. Notes of one name and different texts say which tables they are about.
"""

from collections.abc import Iterable, Iterator

from reportgen.core.rules import known_rule
from reportgen.render.grid.grid import GridNote

# More texts of one rule are folded into one.
_MAX_TEXTS_PER_RULE = 3
_FOLDED = "Details are in index.html, in the evidence of each number."


class PageNotes:
    """The notes of a page, with the tables that refer to them."""

    def __init__(self) -> None:
        self._by_mark: dict[str, dict[str, list[str]]] = {}
        self._rules: dict[str, str] = {}

    def add(self, title: str, notes: Iterable[GridNote]) -> None:
        """Add the notes of a table."""
        for note in notes:
            self._rules[note.mark] = note.rule
            places = self._by_mark.setdefault(note.mark, {}).setdefault(note.text, [])
            places += [f"{title}: {place}" for place in note.places] or [title]

    def notes(self) -> Iterator[GridNote]:
        """Yield each note once, by name."""
        for mark, texts in sorted(self._by_mark.items()):
            rule = known_rule(self._rules[mark])
            if len(texts) == 1:
                yield from (GridNote(mark, text) for text in texts)
            elif rule and len(texts) > _MAX_TEXTS_PER_RULE:
                yield GridNote(mark, f"{rule.summary} {_FOLDED}")
            else:
                yield from (GridNote(mark, text, tuple(places)) for text, places in texts.items())
