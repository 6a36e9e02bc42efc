"""Check that the parts of a document that another program wrote fit together, before anything shows it."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue
from reportgen.core.plain_text import one_line
from reportgen.core.units import Unit
from reportgen.document.model import (
    VERSION,
    Cell,
    Comparison,
    Document,
    Explorer,
    ExplorerMeasure,
    Figure,
    FigureSeries,
    Table,
)

# The folder of the report gets this name.
_NAME = lazy_pattern(r"[\w][\w .+-]*")
_RESERVED = "assets"
_LONGEST_NAME = 200
# More digits say nothing; numbers beyond cannot be drawn.
_MOST_DIGITS, _LARGEST = 30, 1e300


def check_document(document: Document, place: str) -> None:
    """Raise RequestError, with the path of the value, if a name has no target or a table has gaps.

    place  of the file, for the message
    """
    if document.version != VERSION:
        fact = f"has version {document.version}, which has no heads of tables and cannot be rendered"
        raise RequestError(place, fact, "run: reportgen build")
    for at, fact, remedy in _problems(document):
        raise RequestError(f"{place}: {at}", fact, remedy)


_Problem = tuple[str, str, str]


def _problems(document: Document) -> Iterator[_Problem]:
    """Yield (path, fact, remedy) of what does not fit."""
    is_name = _NAME.fullmatch(document.name) and len(document.name.encode()) <= _LONGEST_NAME
    if not is_name or document.name == _RESERVED:
        yield "name", f'"{document.name}" cannot be the name of a folder', "use letters, digits, - and _"
    cases = document.case_by_name
    yield from _twice("tables", (table.id for table in document.tables))
    yield from _twice("figures", (figure.id for figure in document.figures))
    yield from _twice("cases", (case.name for case in document.cases))
    for i, table in enumerate(document.tables):
        yield from _table_problems(f"tables[{i}]", table, document)
    for name, comparison in document.comparisons.items():
        yield from _comparison_problems(f"comparisons.{name}", comparison, cases)
    for i, figure in enumerate(document.figures):
        yield from _figure_problems(f"figures[{i}]", figure, cases)
    if document.explorer:
        yield from _explorer_problems(document.explorer, cases)


def _twice(at: str, names: Iterable[str]) -> Iterator[_Problem]:
    known = set()
    for i, name in enumerate(names):
        if name in known:
            yield f"{at}[{i}]", f'"{name}" is there twice', "give each a name of its own"
        known.add(name)


def _table_problems(at: str, table: Table, document: Document) -> Iterator[_Problem]:
    if len(table.cells) != len(table.rows):
        fact = f"{len(table.cells)} rows of cells, but {len(table.rows)} heads of rows"
        yield f"{at}.cells", fact, "give each row its head"
    yield from _length(f"{at}.row_titles", table.row_titles, len(table.row_factors))
    if table.column_titles:
        yield from _length(f"{at}.column_titles", table.column_titles, len(table.column_factors))
    if table.rows and not table.columns:
        yield f"{at}.columns", "rows without columns", "give at least one column"
    yield from _digits(at, table)
    for i, row in enumerate(table.rows):
        yield from _length(f"{at}.rows[{i}].labels", row.labels, len(table.row_factors))
        if row.key or not row.is_mean:
            yield from _length(f"{at}.rows[{i}].key", row.key, len(table.row_factors))
        yield from _note_problems(f"{at}.rows[{i}].notes", row.notes, document.notes)
    for j, column in enumerate(table.columns):
        yield from _length(f"{at}.columns[{j}].key", column.key, len(table.column_factors))
    for i, line in enumerate(table.cells):
        yield from _length(f"{at}.cells[{i}]", line, len(table.columns))
        for j, cell in enumerate(line):
            yield from _cell_problems(f"{at}.cells[{i}][{j}]", cell, document)
    for case, name in table.comparisons.items():
        yield from _case_problems(f"{at}.comparisons", case, document.case_by_name)
        if name not in document.comparisons:
            remedy = did_you_mean(name, document.comparisons)
            yield f"{at}.comparisons.{case}", f'no comparison "{name}"', remedy


def _on_page(value: FactorValue) -> str:
    """Return a text that two values share if the page cannot distinguish them."""
    return repr(one_line(value) if isinstance(value, str) else value)


def _length(at: str, values: Collection[object], wanted: int) -> Iterator[_Problem]:
    if len(values) != wanted:
        yield (
            at,
            f"{len(values)} values, but {wanted} are needed",
            "give each row, column and factor its value",
        )


def _digits(at: str, shown: Table | ExplorerMeasure) -> Iterator[_Problem]:
    for field, number in (("digits", shown.digits), ("decimals", shown.decimals or 0)):
        if not 0 <= number <= _MOST_DIGITS:
            yield f"{at}.{field}", f"is {number}", f"use 0 to {_MOST_DIGITS}"


def _unit(at: str, unit: Unit | None) -> Iterator[_Problem]:
    if unit and not unit.factor > 0:
        yield at, f"the factor is {unit.factor:g}", "shown = value / factor: use a factor above 0"


def _note_problems(at: str, notes: Iterable[str], known: Collection[str]) -> Iterator[_Problem]:
    for note in notes:
        if note not in known:
            yield at, f'no note "{note}"', did_you_mean(note, known)


def _cell_problems(at: str, cell: Cell, document: Document) -> Iterator[_Problem]:
    for name in (cell.case, *cell.several):
        yield from _case_problems(at, name, document.case_by_name)
    yield from _note_problems(f"{at}.notes", cell.notes, document.notes)
    if cell.kind == "number" and cell.value is None:
        yield at, "a number without a value", 'give a value, or a kind such as "absent"'
    if any(abs(each or 0.0) > _LARGEST for each in (cell.value, cell.low, cell.high)):
        yield at, f"a number above {_LARGEST:g}", "leave it out"
    yield from _unit(f"{at}.unit", cell.unit)


def _comparison_problems(at: str, compared: Comparison, cases: Collection[str]) -> Iterator[_Problem]:
    if compared.baseline not in cases:
        yield f"{at}.baseline", f'no case "{compared.baseline}"', did_you_mean(compared.baseline, cases)
    verdict, cycles = compared.verdict, compared.cycles
    ratios = [
        *((verdict.ratio, verdict.low, verdict.high) if verdict else ()),
        *((cycles.speed_ratio, cycles.low, cycles.high) if cycles else ()),
    ]
    if any(each is not None and not each > 0 for each in ratios):
        yield at, "a ratio of speeds that is not above 0", "leave it out"


def _case_problems(at: str, name: str | None, cases: Collection[str]) -> Iterator[_Problem]:
    if name and name not in cases:
        yield at, f'no case "{name}"', did_you_mean(name, cases)


def _figure_problems(at: str, figure: Figure, cases: Collection[str]) -> Iterator[_Problem]:
    for i, series in enumerate(figure.series):
        for field in ("y", "low", "high", "failed", "cases", "labels"):
            values = getattr(series, field)
            if values or field == "y":
                yield from _length(f"{at}.series[{i}].{field}", values, len(series.x))
        for name in series.cases:
            yield from _case_problems(f"{at}.series[{i}].cases", name, cases)
        yield from _series_problems(f"{at}.series[{i}]", figure, series)
    yield from _unit(f"{at}.unit", figure.unit)
    yield from _unit(f"{at}.x_unit", figure.x_unit)


def _series_problems(at: str, figure: Figure, series: FigureSeries) -> Iterator[_Problem]:
    numbers = (*series.x, *series.y, *series.low, *series.high)
    if any(isinstance(each, float) and abs(each) > _LARGEST for each in numbers):
        yield at, f"a number above {_LARGEST:g}", "leave it out"
    if figure.kind == "waterfall":
        for field, ends in (("low", series.low), ("high", series.high)):
            if len(ends) != len(series.y) or any(
                y is not None and end is None for y, end in zip(series.y, ends, strict=True)
            ):
                yield f"{at}.{field}", "a bar without its ends", "give low and high of each y"


def _positions(at: str, positions: Iterable[int], values: Sequence[object]) -> Iterator[_Problem]:
    for position in positions:
        if not 0 <= position < len(values):
            yield at, f"no position {position}: there are {len(values)}", "count from 0"


def _explorer_problems(explorer: Explorer, cases: Collection[str]) -> Iterator[_Problem]:
    for i, factor in enumerate(explorer.factors):
        yield from _length(f"explorer.factors[{i}].labels", factor.labels, len(factor.values))
        yield from _twice(f"explorer.factors[{i}].values", map(_on_page, factor.values))
    if explorer.compared >= 0:
        yield from _positions("explorer.compared", [explorer.compared], explorer.factors)
        values = explorer.factors[explorer.compared : explorer.compared + 1]
        if explorer.baseline >= 0 and values:
            yield from _positions("explorer.baseline", [explorer.baseline], values[0].values)
    for i, measure in enumerate(explorer.measures):
        yield from _unit(f"explorer.measures[{i}].unit", measure.unit)
        yield from _digits(f"explorer.measures[{i}]", measure)
    for i, chart in enumerate(explorer.charts):
        yield from _positions(f"explorer.charts[{i}].measures", chart.measures, explorer.measures)
    for i, switch in enumerate(explorer.switches):
        for field in ("measures", "instead_of"):
            at = f"explorer.switches[{i}].{field}"
            yield from _positions(at, getattr(switch, field), explorer.measures)
    for i, configuration in enumerate(explorer.configurations):
        at = f"explorer.configurations[{i}]"
        yield from _length(f"{at}.values", configuration.values, len(explorer.factors))
        yield from _length(f"{at}.others", configuration.others, len(explorer.others))
        yield from _length(f"{at}.cells", configuration.cells, len(explorer.measures))
        for value, factor in zip(configuration.values, explorer.factors, strict=False):
            if value not in factor.values:
                remedy = did_you_mean(str(value), map(str, factor.values))
                yield f"{at}.values", f'no value "{value}" of "{factor.name}"', remedy
        for cell in configuration.cells:
            yield from _case_problems(at, cell.case if cell else None, cases)
