"""A table as it is understood, and the definition that reads it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from reportgen.core import units
from reportgen.core.factors import parse_scalar
from reportgen.core.schema import convert
from reportgen.formats.tables.definition import SAMPLE, Check
from reportgen.formats.tables.extremes import extreme
from reportgen.formats.tables.find_tables import FoundTable
from reportgen.formats.tables.interpret.cells import number_in, number_of, text_of
from reportgen.formats.tables.interpret.questions import OpenQuestion
from reportgen.formats.tables.reader import holds

Factor = str | dict[str, Any]


def columns_of(factor: Factor) -> list[str]:
    """Return the columns of a factor; a row has one of them."""
    return [factor] if isinstance(factor, str) else [factor["column"], *factor.get("columns", ())]


@dataclass(frozen=True, slots=True)
class FigureGuess:
    """A column that is read as numbers.

    zero  what a number that is not above 0 says: nothing was measured, or it is less than its last digit
    where  column -> text, of the rows that it is read from, for tables that name the metric in a column
    """

    column: str
    metric: str
    unit: str
    scale: float = 1.0
    statistic: str = ""
    phase: str = "step"
    factors: tuple[tuple[str, str], ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    unit_column: str = ""
    zero: Literal["value", "absent", "rounded"] = "value"

    @property
    def item(self) -> str:
        """The item that a rate counts."""
        base = units.to_base(1.0, self.unit)[1]
        rate = units.counted_by(self.unit) or self.unit
        return rate.removesuffix("/s").removesuffix("s") if base == "samples/s" else ""

    @property
    def kind(self) -> tuple[object, ...]:
        """The metric with all that distinguishes it: a row has it once."""
        return self.metric, self.phase, self.statistic, self.factors, self.where

    def of_statistic(self, statistic: str) -> "FigureGuess":
        """Return the figure with a statistic, which may be the best or the worst of it."""
        return replace(self, statistic=extreme(statistic, self.metric, self.unit))

    def toml(self) -> dict[str, Any]:
        """Return the figure as a definition has it."""
        entry: dict[str, Any] = {"column": self.column, "metric": self.metric}
        entry |= {"unit": self.unit} if self.unit else {}
        entry |= {"unit_column": self.unit_column} if self.unit_column else {}
        entry |= {"scale": self.scale} if self.scale != 1 else {}
        entry |= {"statistic": self.statistic} if self.statistic else {}
        entry |= {"phase": self.phase} if self.phase != "step" else {}
        entry |= (
            {"factors": {name: parse_scalar(text) for name, text in self.factors}} if self.factors else {}
        )
        entry |= {"zero": self.zero} if self.zero != "value" else {}
        if self.where:
            entry["where"] = [
                {"column": name, "equals": text} if text else {"column": name, "missing": True}
                for name, text in self.where
            ]
        return entry


@dataclass(slots=True)
class TableReading:
    """A table as it is understood.

    factors   factor -> its column, with options
    open      columns that may be figures, and the question about each; they are left out
    left_out  columns that are neither figures nor factors, and why
    notes     assumptions
    doubts    why the table is not read without a definition, none if all is clear
    refused   columns whose answers cannot hold, and why
    totals    column and texts of rows that repeat others
    files     glob of the files that it is of, where a caption or the name states the metric; "" for all
    skipped   identities of the rows that are put aside
    series    column that counts the steps of one run, "" for a table of results
    """

    table: FoundTable
    figures: list[FigureGuess] = field(default_factory=list)
    factors: dict[str, Factor] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    checks: list[dict[str, Any]] = field(default_factory=list)
    skip: list[dict[str, Any]] = field(default_factory=list)
    repeat: str = ""
    started: str = ""
    files: str = ""
    series: str = ""
    open: dict[str, OpenQuestion] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)

    @property
    def is_certain(self) -> bool:
        """Whether the table can be read without a definition."""
        return bool(self.figures) and not self.doubts and not self.series

    def definition(self, name: str) -> dict[str, Any]:
        """Return the table `[table]` of a labels.toml."""
        rows = self.table.rows
        entry: dict[str, Any] = {"kind": rows.kind}
        entry |= {"path": rows.path} if rows.path else {}
        entry |= {"layout": rows.layout} if rows.layout != "objects" else {}
        entry |= {"transposed": True} if rows.transposed else {}
        entry |= {"groups": True} if rows.groups else {}
        entry |= {"fill": rows.fill} if rows.fill else {}
        entry |= {"header": rows.header} if rows.header else {}
        entry |= {"pattern": rows.pattern} if rows.pattern else {}
        entry |= {"end": rows.end} if rows.end else {}
        entry |= {"heads": rows.heads} if rows.heads != 1 else {}
        entry |= {"names": rows.names} if rows.names else {}
        entry |= {"separator": rows.separator} if rows.separator != "," else {}
        entry |= {"decimal": rows.decimal} if rows.decimal != "." else {}
        factors = {**self.factors, **{key: {"value": value} for key, value in self.constants.items()}}
        table: dict[str, Any] = {"name": name}
        # No header says that another file has these columns.
        files = self.files or (self.table.name if rows.names else "")
        table |= {"files": files} if files else {}
        table |= {"repeat": self.repeat} if self.repeat else {}
        table |= {"started": self.started} if self.started else {}
        table["rows"] = entry
        contexts = [{"pattern": pattern} for pattern in self.table.contexts]
        table |= {"context": contexts} if contexts else {}
        table |= {"factors": factors} if factors else {}
        table["figures"] = [figure.toml() for figure in self.figures]
        table |= {"skip": self.skip} if self.skip else {}
        table |= {"checks": self.checks} if self.checks else {}
        return table


def numbers(reading: TableReading, *, in_any_unit: bool = False) -> Iterator[tuple[str, int]]:
    """Yield (column, line) of each number that the figures of a reading should give.

    in_any_unit  whether those count whose cells have a unit of another quantity, which no definition reads
    """
    checks = [convert({**check, "message": ""}, Check, "checks") for check in reading.checks]
    for record in reading.table.records:
        is_failed = any(holds(check, record.cells) for check in checks)
        if is_failed or id(record) in reading.skipped:
            continue
        for figure in reading.figures:
            cell = record.cells.get(figure.column)
            is_its = all(text_of(record.cells.get(name)) == text for name, text in figure.where)
            cells = cell if isinstance(cell, list) and figure.statistic == SAMPLE else [cell]
            quantities = [
                number_in(each, figure.unit) or (number_of(each) if in_any_unit else None)
                for each in cells
                if is_its
            ]
            known = [each for each in quantities if each and (each[0] > 0 or figure.zero != "absent")]
            yield from ((figure.column, record.line) for _ in known)
