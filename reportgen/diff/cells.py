"""Pair the cells of two report.json files by their place, and name those that differ.

The place of a cell is its report, table, row, column and quantity. Headings, order and footnotes do not
belong to it, so a table that was only rearranged has no changed cell.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reportgen.core import units
from reportgen.core.factors import factor_key, value_text
from reportgen.core.metrics import item_of
from reportgen.core.model import Factors
from reportgen.document.cells import PlacedCell, placed_cells
from reportgen.document.model import QUANTITY_TITLES, Document, Key
from reportgen.document.texts import INVALID

# Values of report.json have 12 digits; another order of a sum may change the last ones.
SAME_VALUE = 1e-9
ABSENT = "-"

_TITLES = {str(quantity): title for quantity, title in QUANTITY_TITLES.items()}


@dataclass(frozen=True, slots=True)
class CellChange:
    """A cell that differs, or that only one side has: then the other is None.

    report, table  of the new side if it has the cell
    """

    report: str
    table: str
    old: PlacedCell | None
    new: PlacedCell | None

    @property
    def cell(self) -> PlacedCell:
        """The cell of the new side, else of the old one."""
        cell = self.new or self.old
        assert cell is not None
        return cell

    @property
    def row_and_column(self) -> str:
        """The row and column of the cell in words: `Train devices=8, PyTorch`."""
        parts = [heading_text(self.cell.row), heading_text(self.cell.column)]
        return ", ".join(part for part in parts if part)

    @property
    def heading(self) -> str:
        """The row, the column and, unless it is the value itself, the quantity: `Train, speed-up`."""
        quantity = self.cell.quantity
        title = "" if quantity == "value" else _TITLES.get(quantity, quantity)
        return ", ".join(part for part in (self.row_and_column, title) if part) or "value"

    @property
    def place(self) -> str:
        """The whole place: `jade2/headline Train ImageNet`."""
        return f"{self.report}/{self.table} {self.heading}"

    @property
    def old_text(self) -> str:
        """The old cell as text."""
        return shown_text(self.old)

    @property
    def new_text(self) -> str:
        """The new cell as text."""
        return shown_text(self.new)

    @property
    def has_number(self) -> bool:
        """Return whether one of the sides is a number."""
        return any(cell is not None and cell.is_number for cell in (self.old, self.new))

    @property
    def is_same(self) -> bool:
        """Return whether both sides show the same: the same number in the same way, or the same text."""
        is_same_text = self.old_text == self.new_text
        if not self.has_number:
            return is_same_text
        # Files of older versions do not say how a number was shown.
        is_shown = bool(self.old and self.old.cell.shown and self.new and self.new.cell.shown)
        return same_number(self.old, self.new) and (is_same_text or not is_shown)

    @property
    def is_appearance_only(self) -> bool:
        """Return whether both are the same number, written with other digits or in another unit."""
        return same_number(self.old, self.new) and not self.is_same


def heading_text(key: Key) -> str:
    """Return the values of factors in words; numbers and truths need the name of their factor."""
    return " ".join(
        value if isinstance(value, str) and value else f"{name}={value_text(value)}"
        for name, value in key.items()
    )


def shown_text(cell: PlacedCell | None) -> str:
    """Return what a cell shows: its number with the unit, or the text in its place."""
    if cell is None:
        return ABSENT
    if cell.value is None:
        return cell.cell.text or ABSENT
    if cell.cell.invalid:
        return f"{cell.cell.shown} {INVALID}"
    # Files of older versions lack the number as shown.
    return cell.cell.shown or f"{units.text(cell.value)} {'' if cell.unit == 'ratio' else cell.unit}".rstrip()


def number_text(value: float, unit: str, metric: str, factors: Factors, beside: float = 0.0) -> str:
    """Return the number of a case in the unit that fits it; a rate counts what the case says: `tokens/s`.

    value   in the base unit; beside: a value that is shown in the same unit, 0 for none
    """
    chosen = units.choose([value, beside], unit)
    name = units.rate_unit(item_of(metric, factors)) if unit == "samples/s" else chosen.name
    return f"{units.text(value / chosen.factor)} {name}".removesuffix(" ratio")


def same_number(old: PlacedCell | None, new: PlacedCell | None) -> bool:
    """Return whether two cells show the same number, up to the rounding of sums."""
    if old is None or new is None or not old.is_number or not new.is_number:
        return False
    assert old.value is not None
    assert new.value is not None
    return same_value(old.value, new.value)


def same_value(old: float, new: float) -> bool:
    """Return whether two values differ by no more than the rounding of sums."""
    return abs(old - new) <= SAME_VALUE * max(abs(old), abs(new))


def changed_cells(old: Document | None, new: Document | None) -> list[CellChange]:
    """Return the cells whose text or number differs between two states of a report, in order of the new one.

    A cell that only one state has is one of them. None is a report that does not exist.
    """
    return [change for change in paired_cells(old, new) if not change.is_same]


def paired_cells(old: Document | None, new: Document | None) -> list[CellChange]:
    """Return every cell of two states of a report, paired by place; cells that went are last."""
    before, after = _cells_of(old), _cells_of(new)
    renamed = _renamed_tables(before, after)
    pairs: list[CellChange] = []
    for id, cells in after.items():
        assert new is not None
        pairs += _pairs(new.name, id, before.get(renamed.get(id, id), []), cells)
    gone = before.keys() - after.keys() - set(renamed.values())
    for id in (id for id in before if id in gone):
        assert old is not None
        pairs += [CellChange(old.name, id, cell, None) for cell in before[id]]
    return pairs


def _cells_of(report: Document | None) -> dict[str, list[PlacedCell]]:
    """Return the cells of each table by its id."""
    return {table.id: list(placed_cells(report, table)) for table in report.tables} if report else {}


def _renamed_tables(
    before: Mapping[str, Sequence[PlacedCell]], after: Mapping[str, Sequence[PlacedCell]]
) -> dict[str, str]:
    """Return new id -> old id of tables that have most of their cells in common."""
    gone = {id: set(map(cell_key, cells)) for id, cells in before.items() if id not in after}
    renamed: dict[str, str] = {}
    for id in (id for id in after if id not in before):
        keys = set(map(cell_key, after[id]))
        for earlier, others in gone.items():
            if 2 * len(keys & others) > max(len(keys), len(others)) and earlier not in renamed.values():
                renamed[id] = earlier
                break
    return renamed


def cell_key(cell: PlacedCell) -> tuple[object, ...]:
    """Return the place of a cell in its table."""
    row, column = (
        tuple((name, factor_key(value)) for name, value in sorted(key.items()))
        for key in (cell.row, cell.column)
    )
    return row, column, cell.quantity


def _pairs(
    report: str, table: str, before: Sequence[PlacedCell], after: Sequence[PlacedCell]
) -> list[CellChange]:
    """Return the pairs of cells of one table.

    Columns that qualifiers split have one place; there the cells of one case belong together, then the n-th.
    """
    waiting: dict[tuple[object, ...], list[PlacedCell]] = defaultdict(list)
    for cell in before:
        waiting[cell_key(cell)].append(cell)
    pairs = []
    for cell in after:
        candidates = waiting[cell_key(cell)]
        same = [each for each in candidates if each.case == cell.case]
        earlier = next(iter(same or candidates), None)
        if earlier is not None:
            candidates.remove(earlier)
        pairs.append(CellChange(report, table, earlier, cell))
    pairs += [CellChange(report, table, cell, None) for cells in waiting.values() for cell in cells]
    return pairs
