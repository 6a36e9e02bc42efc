"""Read what a report.json measured: its numbers and the runs behind them. A history needs nothing else.

Most of a report.json is text for its readers. Without it, a file of any version is read several times as fast
as a Document. The versions differ in where these fields are: each class says which version has another place.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import msgspec

from reportgen.core.errors import RequestError
from reportgen.core.model import FactorValue
from reportgen.core.units import Unit
from reportgen.diff.cells import cell_key
from reportgen.document.cells import PlacedCell
from reportgen.document.encode import decode
from reportgen.document.model import VERSION, Cell, CellKind, Key, Quantity, source_of
from reportgen.document.older import OLDEST


class MeasuredFinding(msgspec.Struct, frozen=True):
    """The rule of a finding."""

    severity: str
    rule: str


class MeasuredExecution(msgspec.Struct, frozen=True):
    """One execution."""

    id: str
    started: float | None = None
    source: str = ""
    findings: tuple[MeasuredFinding, ...] = ()


class MeasuredRepeat(msgspec.Struct, frozen=True):
    """One run reduced to one number. Version 2 has the id of the run for it, and its other fields here."""

    run: MeasuredExecution | str
    value: float | None = None
    sources: tuple[str, ...] = ()
    findings: tuple[MeasuredFinding, ...] = ()
    started: float | None = None
    source: str = ""

    @property
    def execution(self) -> MeasuredExecution:
        """The run."""
        return (
            MeasuredExecution(self.run, self.started, self.source) if isinstance(self.run, str) else self.run
        )

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the run was read from, each once."""
        sources = (self.execution.source, *self.sources)
        return tuple(dict.fromkeys(source_of(source).path for source in sources))


class _Summary(msgspec.Struct, frozen=True):
    value: float | None = None


class MeasuredCase(msgspec.Struct, frozen=True):
    """A case with its repeats. Version 2 calls its name `case`, and has repeats without a value."""

    name: str = ""
    metric: str = ""
    unit: str = ""
    protocol: str = ""
    conditions: dict[str, str] = {}
    summary: _Summary | None = None
    measurements: tuple[MeasuredRepeat, ...] = ()
    case: str = ""

    @property
    def repeats(self) -> tuple[MeasuredRepeat, ...]:
        """The repeats with a value."""
        return tuple(repeat for repeat in self.measurements if repeat.value is not None)


class _Comparison(msgspec.Struct, frozen=True):
    baseline: str = ""


class MeasuredHeader(msgspec.Struct, frozen=True):
    """The head of a row or column."""

    key: tuple[FactorValue, ...] = ()
    quantity: Quantity = "value"


class _Cell(msgspec.Struct, frozen=True):
    """A cell. Versions 2 and 3 have its comparison here, version 2 its place, and a unit without factor."""

    kind: CellKind = "number"
    value: float | None = None
    unit: Unit | str | None = None
    shown: str = ""
    text: str = ""
    case: str | None = None
    invalid: str = ""
    comparison: _Comparison | None = None
    row: Key = {}
    column: Key = {}
    quantity: Quantity = "value"

    def of_today(self) -> Cell:
        return Cell(
            kind=self.kind,
            value=self.value,
            unit=Unit(self.unit, self.unit, 1.0) if isinstance(self.unit, str) else self.unit,
            shown=self.shown,
            text=self.text,
            case=self.case,
            invalid=self.invalid,
        )


@dataclass(frozen=True, slots=True)
class MeasuredCell:
    """A cell with its key, which no other place of its table has, and the baseline of a ratio, else ""."""

    key: tuple[object, ...]
    placed: PlacedCell
    baseline: str


class MeasuredTable(msgspec.Struct, frozen=True):
    """A table. Version 4 has comparisons where later ones have their names; version 2 has a list of cells."""

    id: str
    row_factors: tuple[str, ...] = ()
    column_factors: tuple[str, ...] = ()
    rows: tuple[MeasuredHeader, ...] = ()
    columns: tuple[MeasuredHeader, ...] = ()
    cells: tuple[tuple[_Cell, ...] | _Cell, ...] = ()
    comparisons: dict[str, _Comparison | str] = {}

    def baselines(self, named: Mapping[str, _Comparison]) -> dict[str, str]:
        """Return the baseline of each case that is compared. named: the comparisons of the report."""
        cells = (cell for line in self.cells for cell in (line if isinstance(line, tuple) else (line,)))
        compared = self.comparisons or {
            cell.case: cell.comparison for cell in cells if cell.case and cell.comparison
        }
        comparisons = {
            case: named.get(each) if isinstance(each, str) else each for case, each in compared.items()
        }
        return {case: each.baseline for case, each in comparisons.items() if each}

    def measured_cells(self, baselines: Mapping[str, str]) -> Iterator[MeasuredCell]:
        """Yield the cells, row by row."""
        for row, column, quantity, cell in self._placed():
            placed = PlacedCell(row, column, quantity, cell.of_today())
            baseline = baselines.get(placed.case, "") if quantity != "value" else ""
            yield MeasuredCell(cell_key(placed), placed, baseline)

    def _placed(self) -> Iterator[tuple[Key, Key, Quantity, _Cell]]:
        columns = [dict(zip(self.column_factors, each.key, strict=False)) for each in self.columns]
        for number, line in enumerate(self.cells):
            if isinstance(line, _Cell):
                yield line.row, line.column, line.quantity, line
                continue
            row = dict(zip(self.row_factors, self.rows[number].key, strict=False))
            for column, head, cell in zip(columns, self.columns, line, strict=True):
                yield row, column, head.quantity, cell


class MeasuredReport(msgspec.Struct, frozen=True, dict=True):
    """A report. sources: digest of each file of a log."""

    version: int
    name: str = ""
    tables: tuple[MeasuredTable, ...] = ()
    cases: tuple[MeasuredCase, ...] = ()
    comparisons: dict[str, _Comparison] = {}
    sources: dict[str, str] = {}

    @property
    def measured(self) -> tuple[object, ...]:
        """Everything but the version."""
        return self.name, self.tables, self.cases, self.comparisons, self.sources

    @cached_property
    def case_by_name(self) -> dict[str, MeasuredCase]:
        """The cases by name."""
        return {case.name or case.case: case for case in self.cases}


_DECODER = msgspec.json.Decoder(MeasuredReport)


def read_measured(content: bytes, place: str) -> MeasuredReport:
    """Return what a report.json measured. Raises RequestError if it is not one, or has an unknown version.

    place  of the file, for the message
    """
    try:
        report = _DECODER.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        decode(content, place)  # says what is wrong
        raise RequestError(place, f"cannot be read: {error}", "build the report again") from None
    if not OLDEST <= report.version <= VERSION:
        decode(content, place)
    return report
