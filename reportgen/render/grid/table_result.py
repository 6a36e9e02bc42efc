"""Say in one line what a table shows: its highest number, or its lowest and highest, and what has none.

The line is for places where the table itself is not: a folded table, a list of tables.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.core.metrics import metric_of
from reportgen.document.model import QUANTITY_TITLES, Cell, Document, Header, Quantity, Table
from reportgen.document.texts import INVALID, number, unit_label
from reportgen.render.grid.best_cells import counted_item

# Of these, the highest is what a reader looks for.
_HIGHER: frozenset[Quantity] = frozenset(("speedup", "efficiency"))
# If a table shows several quantities, its result is about the first of these, else about its first number.
_FIRST: tuple[Quantity, ...] = ("excess", "observed", "ratio", "value")
# Quantities that say how a number was made, not how large it is.
_BESIDE: frozenset[Quantity] = frozenset(("repeats", "interval", "verdict"))


@dataclass(frozen=True, slots=True, eq=False)
class _Number:
    """A number of a table; `metric` is the metric of its case, "" without one."""

    row: Header
    column: Header
    cell: Cell
    metric: str
    value: float

    def kind(self) -> tuple[str, Quantity, str]:
        """Return what numbers that can be compared have in common."""
        return (self.metric, self.column.quantity, self.cell.unit.base if self.cell.unit else "")


def title_of(table: Table) -> str:
    """Return what a page calls a table: of one of several facets, the facet."""
    return table.facet_text or table.title


def result_text(document: Document, table: Table, *, is_brief: bool = False) -> str:
    """Return the result as a fragment without full stop, to follow the title; if brief, without places."""
    numbers = sorted(_numbers(document, table), key=_rank)
    alike = [each for each in numbers if each.kind() == numbers[0].kind()]
    by_item: dict[str, list[_Number]] = {}
    for each in alike:
        by_item.setdefault(counted_item(document, each.cell), []).append(each)
    texts = [_extremes(table, group, is_brief=is_brief) for group in by_item.values()]
    return "; ".join([*texts, *_states(document, table)]) or "no numbers"


def _states(document: Document, table: Table) -> Iterator[str]:
    """Yield how many cases have no number, by the reason; the phases of a run are one case."""
    runs: dict[str, set[object]] = {}
    for line in table.cells:
        for cell in line:
            if cell.invalid:
                runs.setdefault(INVALID, set()).add(cell.case)
            elif cell.kind in ("status", "planned", "several"):
                case = document.case(cell.case)
                of_case = tuple(run.id for run in case.unmeasured) if case else ()
                runs.setdefault(cell.text, set()).add(of_case or id(cell))
    yield from (f"{len(each):,} {state}" for state, each in runs.items())


def _rank(number: _Number) -> int:
    quantity = number.column.quantity
    return _FIRST.index(quantity) if quantity in _FIRST else len(_FIRST)


def _numbers(document: Document, table: Table) -> Iterator[_Number]:
    for row, line in zip(table.rows, table.cells, strict=True):
        for column, cell in zip(table.columns, line, strict=True):
            is_shown = not cell.invalid and not row.is_mean and column.quantity not in _BESIDE
            if cell.value is not None and is_shown:
                case = document.case(cell.case)
                yield _Number(row, column, cell, case.metric if case else "", cell.value)


def _extremes(table: Table, numbers: list[_Number], *, is_brief: bool) -> str:
    highest = max(numbers, key=lambda each: each.value)
    lowest = min(numbers, key=lambda each: each.value)
    quantity = highest.column.quantity
    title = QUANTITY_TITLES[quantity]
    name = "" if quantity == "value" or title in title_of(table) else f"{title} "
    (low, low_unit), (high, unit) = _shown(table, lowest), _shown(table, highest)
    if highest.value == lowest.value:
        return f"{name}{high}{unit}"
    if _is_higher_better(highest):
        return f"{name}up to {high}{unit}" + ("" if is_brief else f" ({_place(table, highest)})")
    return f"{name}{low}{'' if low_unit == unit else low_unit} to {high}{unit}"


def _is_higher_better(number: _Number) -> bool:
    quantity, metric = number.column.quantity, number.metric
    return quantity in _HIGHER or (
        quantity == "value" and bool(metric) and metric_of(metric).better == "higher"
    )


def _shown(table: Table, each: _Number) -> tuple[str, str]:
    """Return the number, and its unit after a space."""
    unit = unit_label(each.cell.unit)
    return number(table, each.column.quantity, each.cell), f" {unit}" if unit else ""


def _place(table: Table, each: _Number) -> str:
    names = {column.labels for column in table.columns}
    head = " ".join(label.text for label in each.column.labels) if len(names) > 1 else ""
    words = each.row.words(table.row_titles) if len(table.rows) > 1 else ""
    return ", ".join(filter(None, (head, words)))
