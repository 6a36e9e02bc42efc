"""Find the best numbers of a table: of what competes at the same scale.

What does the work competes: frameworks, devices, compilers. Models, batch sizes and device counts do not:
they change the work. So numbers compete that differ only in factors of the first kind; where both rows and
columns have such factors, the numbers of a column.

A machine that the source does not state competes with nothing: its number may be of any other one.
A number whose interval overlaps that of the best is marked as well: nothing shows that it is worse.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reportgen.compare.conditions import COMPETITORS
from reportgen.core import metrics
from reportgen.document.model import Cell, Document, Header, Label, Quantity, Summary, Table
from reportgen.protocol.conditions import ITEM

_HIGHER: frozenset[Quantity] = frozenset(("speedup", "efficiency"))
_LOWER: frozenset[Quantity] = frozenset(("observed", "excess"))

# The value of a factor that a source leaves out, as tables of results say it.
_UNSTATED = "not stated"

Position = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Best:
    """The positions (row, column) of the best numbers, and what they are the best of, in words."""

    cells: frozenset[Position]
    text: str


def find_best(document: Document, table: Table) -> Best:
    """Return the best numbers; none if nothing competes or no direction is better."""
    in_rows = _competes(table.row_factors, table.rows)
    if not in_rows and not _competes(table.column_factors, table.columns):
        return Best(frozenset(), "")
    groups: dict[tuple[object, ...], list[Position]] = {}
    for i, j in _numbers(table):
        column = table.columns[j]
        if _is_unstated(table.row_factors, table.rows[i]) or _is_unstated(table.column_factors, column):
            continue
        rows = j, *_work(table.row_factors, table.rows[i])
        columns = i, *_work(table.column_factors, column)
        item = counted_item(document, table.cells[i][j]) if column.quantity == "value" else ""
        groups.setdefault((column.quantity, item, *(rows if in_rows else columns)), []).append((i, j))
    best = [position for members in groups.values() for position in _best(document, table, members)]
    return Best(frozenset(best), _text(table, in_rows) if best else "")


def _text(table: Table, in_rows: bool) -> str:
    """Return what bold means; the work is named where numbers with different work are beside each other."""
    if in_rows:
        line, crossing, names, titles, heads = (
            "column",
            "rows",
            table.row_factors,
            table.row_titles,
            table.rows,
        )
    else:
        line, crossing, names, heads = "row", "columns", table.column_factors, table.columns
        titles = table.column_titles or tuple(Label(name) for name in names)
    work = [i for i, name in enumerate(names) if name not in COMPETITORS]
    differing = [i for i in work if len({repr(head.key[i]) for head in heads if not head.is_mean}) > 1]
    words = [titles[i].text or names[i] for i in differing]
    same = " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    return f"Bold: the best of a {line}{f' among {crossing} with the same {same}' if same else ''}."


def _competes(names: Sequence[str], heads: Sequence[Header]) -> bool:
    """Return whether the heads differ in what does the work."""
    keys = [dict(zip(names, head.key, strict=False)) for head in heads if not head.is_mean]
    return any(len({repr(key.get(name)) for key in keys}) > 1 for name in COMPETITORS.intersection(names))


def _is_unstated(names: Sequence[str], head: Header) -> bool:
    """Return whether the head does not say what did the work."""
    return any(n in COMPETITORS and v == _UNSTATED for n, v in zip(names, head.key, strict=False))


def _work(names: Sequence[str], head: Header) -> tuple[str, ...]:
    """Return the values of the head that say what is done, or what of it is measured."""
    return tuple(repr(v) for n, v in zip(names, head.key, strict=False) if n not in COMPETITORS)


def _numbers(table: Table) -> Iterator[Position]:
    for i, (row, line) in enumerate(zip(table.rows, table.cells, strict=True)):
        for j, cell in enumerate(line):
            if cell.kind == "number" and cell.value is not None and not cell.invalid and not row.is_mean:
                yield i, j


def counted_item(document: Document, cell: Cell) -> str:
    """Return what a rate counts: images and tokens have no common scale. "" for other numbers."""
    is_rate = cell.unit is not None and cell.unit.base == "samples/s"
    case = document.case(cell.case)
    return case.conditions.get(ITEM, "") if is_rate and case else ""


def _direction(document: Document, cell: Cell, quantity: Quantity) -> int:
    """Return 1 where more is better, -1 where less is, 0 where neither is."""
    if quantity in _HIGHER:
        return 1
    if quantity in _LOWER:
        return -1
    case = document.case(cell.case)
    if quantity not in ("value", "ratio") or case is None:
        return 0
    better = metrics.metric_of(case.metric).better
    return {"higher": 1, "lower": -1}.get(better or "", 0)


def _best(document: Document, table: Table, positions: Sequence[Position]) -> list[Position]:
    cells = [table.cells[i][j] for i, j in positions]
    best = best_of(document, cells, table.columns[positions[0][1]].quantity)
    is_open = any(_is_undecided(document, table, cells[at], cells) for at in best)
    return [positions[at] for at in best] if len(best) < len(positions) and not is_open else []


def _is_undecided(document: Document, table: Table, best: Cell, cells: Sequence[Cell]) -> bool:
    """Return whether the comparison of the best cell with another one of them decides nothing."""
    for cell in cells:
        comparison = document.comparison_of(table, cell)
        sides = {cell.case, comparison.baseline} if comparison else set()
        verdict = comparison.verdict if comparison else None
        others = {each.case for each in cells if each.case != best.case}
        if best.case in sides and sides & others and verdict and verdict.kind == "undecided":
            return True
    return False


def best_of(document: Document, cells: Sequence[Cell], quantity: Quantity) -> list[int]:
    """Return the positions of the best of cells with numbers, [] if no direction is better.

    They are several where the repeats leave open which is the best.
    """
    direction = _direction(document, cells[0], quantity)
    if not direction:
        return []
    best = max(cells, key=lambda cell: direction * (cell.value or 0.0))
    return [
        at
        for at, cell in enumerate(cells)
        if cell.value == best.value or (quantity == "value" and _overlaps(document, cell, best))
    ]


def _overlaps(document: Document, cell: Cell, other: Cell) -> bool:
    """Return whether the repeats of two measured values leave open which is larger."""
    first, second = _summary(document, cell), _summary(document, other)
    if first is None or second is None:
        return False
    return first.ends[0] <= second.ends[1] and second.ends[0] <= first.ends[1]


def _summary(document: Document, cell: Cell) -> Summary | None:
    """Return the repeats behind a measured value, None for a single one."""
    case = document.case(cell.case)
    summary = case.summary if case else None
    return summary if summary and summary.repeats > 1 else None
