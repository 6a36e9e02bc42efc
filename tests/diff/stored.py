"""Build the documents that the tests of `reportgen.diff` compare."""

from collections.abc import Iterable, Sequence
from typing import Any

from reportgen.core.units import Unit
from reportgen.document.cells import PlacedCell
from reportgen.document.model import (
    VERSION,
    Case,
    Cell,
    CellKind,
    Document,
    Header,
    Key,
    Measurement,
    Quantity,
    Run,
    Summary,
    Table,
)

SECONDS = Unit("s", "s", 1.0)


def number(
    value: float, row: Key, shown: str | None = None, quantity: Quantity = "value", **fields: Any
) -> PlacedCell:
    """Return a cell with a number, shown with 4 digits unless stated."""
    text = f"{value:.4g} s" if shown is None else shown
    return PlacedCell(row, {}, quantity, Cell("number", value, SECONDS, shown=text, **fields))


def words(text: str, row: Key, kind: CellKind = "status") -> PlacedCell:
    """Return a cell without a number."""
    return PlacedCell(row, {}, "value", Cell(kind, text=text))


def table(*cells: PlacedCell, id: str = "times", definition: str = "d1") -> Table:
    """Return a table of cells; the comparison of a case has its name in the report.

    A row has the cells of equal factors, side by side; a row with fewer factors than the first has those that
    the first begins with.
    """
    factors = tuple(cells[0].row) if cells else ()
    heads: dict[str, Header] = {}
    columns: dict[tuple[str, int], Header] = {}
    placed: dict[tuple[str, tuple[str, int]], Cell] = {}
    for each in cells:
        row = repr(each.row)
        assert tuple(each.row) == factors[: len(each.row)]
        number = sum(at == row and quantity == each.quantity for at, (quantity, _) in placed)
        heads[row] = Header(tuple(each.row.values()))
        columns[each.quantity, number] = Header(quantity=each.quantity)
        placed[row, (each.quantity, number)] = each.cell
    return Table(
        id,
        "Times",
        row_factors=factors,
        rows=tuple(heads.values()),
        columns=tuple(columns.values()),
        cells=tuple(tuple(placed.get((row, column), Cell("absent")) for column in columns) for row in heads),
        comparisons={each.case: each.case for each in cells if each.comparison},
        definition=definition,
    )


def report(*tables: Table, name: str = "study", cases: Iterable[Case] = (), **fields: Any) -> Document:
    """Return a report."""
    return Document(version=VERSION, name=name, title="Study", tables=tables, cases=tuple(cases), **fields)


def case(name: str, values: Sequence[float], *, starts: Sequence[float] = (), **fields: Any) -> Case:
    """Return a case of step times; run n is read from logs/NAME/rN.csv."""
    repeats = tuple(
        Measurement(
            Run(
                f"{name}/r{n}",
                "native",
                started=starts[n - 1] if starts else None,
                source=f"logs/{name}/r{n}.csv:1",
            ),
            value,
            "steps",
        )
        for n, value in enumerate(values, 1)
    )
    middle = sorted(values)[len(values) // 2]
    summary = Summary(middle, len(values), min(values), max(values))
    defaults: dict[str, Any] = {
        "factors": {"model": name},
        "metric": "step_time",
        "phase": "step",
        "unit": "s",
        "protocol": "20+100x7",
    }
    return Case(name, summary=summary, measurements=repeats, **defaults | fields)
