"""Which words around a number name factors, and which of them a case contradicts: the proof of a place.

The words are those of the row (its keys and the group that it is in), of the column (its headings), and of
the headings, caption and paragraph above the table.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from reportgen.audit.keys import Mask
from reportgen.audit.layout import NumberClaim, Slot, TableLayout
from reportgen.audit.namings import Naming, NamingIndex

_MAX_LINES = 300


@dataclass(slots=True)
class Places:
    """The namings around the numbers of one table."""

    layout: TableLayout
    index: NamingIndex
    _lines: dict[tuple[bool, int], tuple[Naming, ...]] = field(default_factory=dict)
    _masks: dict[tuple[bool, int], Mask] = field(default_factory=dict)
    _cells: dict[tuple[int, int], Mask] = field(default_factory=dict)
    _stated: dict[tuple[int, int], NDArray[np.int64]] = field(default_factory=dict)
    _texts: tuple[Naming, ...] | None = None
    _context: Mask | None = None

    def contradicted(self, claim: NumberClaim) -> Mask:
        """Return the cases that a word around a number contradicts."""
        key = claim.row, claim.column
        if key not in self._cells:
            self._cells[key] = self._any(self._around(claim))
        return self._cells[key]

    def factors(self, at: int, *, is_row: bool) -> frozenset[str]:
        """Return the factors that the words of a row or column name."""
        return frozenset(name for each in self._namings(at, is_row=is_row) for name in each.factors)

    def stated(self, claim: NumberClaim) -> NDArray[np.int64]:
        """Return how many of the namings around a number each case has a named value of."""
        key = claim.row, claim.column
        if key not in self._stated:
            masks = [each.stated for each in self._around(claim)]
            size = len(self.index.evidence.cases)
            self._stated[key] = np.sum(masks, axis=0, dtype=np.int64) if masks else np.zeros(size, np.int64)
        return self._stated[key]

    def of_line(self, at: int, *, is_row: bool) -> Mask:
        """Return the cases that the words of a row or column contradict."""
        key = is_row, at
        if key not in self._masks:
            self._masks[key] = self._any(self._namings(at, is_row=is_row))
        return self._masks[key]

    def of_context(self) -> Mask:
        """Return the cases that the words above the table contradict, whatever a row or column says."""
        if self._context is None:
            lines = [
                naming
                for is_row, count in ((True, len(self.layout.labels)), (False, len(self.layout.heads)))
                for at in range(min(count, _MAX_LINES))
                for naming in self._namings(at, is_row=is_row)
            ]
            self._context = self._any(self._above(lines))
        return self._context

    def dissent(self, claim: NumberClaim, case: int) -> str:
        """Return which words a case contradicts, in a sentence; "" if it contradicts none."""
        around = self._around(claim)
        return next((dissent_of(each, self.index, case) for each in around if each.contradicted[case]), "")

    def _around(self, claim: NumberClaim) -> tuple[Naming, ...]:
        own = (*self._namings(claim.row, is_row=True), *self._namings(claim.column, is_row=False))
        return (*own, *self._above(own))

    def _above(self, own: Sequence[Naming]) -> tuple[Naming, ...]:
        """Return what the texts above the table name, but nothing that the row or column itself names."""
        if self._texts is None:
            self._texts = self.index.nearest(reversed(self.layout.table.context))
        named = {factor for each in own for factor in each.factors}
        return tuple(each for each in self._texts if not named & set(each.factors))

    def _any(self, namings: tuple[Naming, ...]) -> Mask:
        nothing = np.zeros(len(self.index.evidence.cases), dtype=bool)
        return reduce(np.logical_or, (each.contradicted for each in namings), nothing)

    def _namings(self, at: int, *, is_row: bool) -> tuple[Naming, ...]:
        if (is_row, at) not in self._lines:
            self._lines[is_row, at] = tuple(self._of_texts(at, is_row=is_row))
        return self._lines[is_row, at]

    def _of_texts(self, at: int, *, is_row: bool) -> Iterator[Naming]:
        texts = self.layout.labels[at] if is_row else self.layout.heads[at]
        for slot in self.layout.slots:
            cell = slot.cells[at] if slot.is_row == is_row else None
            if cell is None or not cell.text:
                continue
            if named := _by_heading(slot, at):
                yield self.index.naming(f"{slot.heading} {cell.text}".strip(), named)
            elif cell.text not in texts:
                texts = (*texts, cell.text)
        for text in texts:
            yield from self.index.namings(text)


def dissent_of(naming: Naming, index: NamingIndex, case: int) -> str:
    """Return the sentence that a case contradicts a naming."""
    factors = index.evidence.cases[case].factors
    own = next(name for name in naming.factors if name in factors)
    return f"the number is that of {own} = {factors[own]}; the place says “{naming.words}”"


def _by_heading(slot: Slot, at: int) -> dict[str, frozenset[int]]:
    """Return the values of a cell whose heading says the factor: 8 below "GPUs", "yes" below "XLA"."""
    match = slot.matches[at]
    return dict(match.named) if match is not None and (slot.factors or slot.is_flag) else {}
