"""What prose may ask a report for: numbers, which answer with text, and blocks, which leave a placeholder.

Every argument is checked here, because an author's mistake must come back in words of the prose and
not in those of Python: each is a NotFoundError, to which `prose` adds the line.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Literal

from reportgen.core import units
from reportgen.core.errors import did_you_mean
from reportgen.core.model import FactorValue
from reportgen.core.results import Quantity, Report, Table
from reportgen.render.prose import lookup
from reportgen.render.summary import holds_for

BlockKind = Literal["table", "figure", "environment", "findings", "expected"]

# Private-use characters: `escape.one_line` keeps them out of everything that comes from a log.
BEGIN, END = "\ue000", "\ue001"

# Numbers are kept to this many; more would be noise.
MOST_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Block:
    """A table, a figure (by id), or the environment, findings or expected speeds of the report."""

    kind: BlockKind
    id: str = ""


class Answer(str):
    """What a function answers with for a sentence."""

    __slots__ = ()


class Functions:
    """What a template may call. The docstrings are the reference in docs/explanation/rendering.md."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.blocks: list[Block] = []

    def by_name(self) -> dict[str, Callable[..., str]]:
        """Return the functions by the names that a template calls them by, arguments checked."""
        functions: tuple[Callable[..., str], ...] = (
            self.table,
            self.figure,
            self.environment,
            self.findings,
            self.value,
            self.ratio,
            self.expected,
        )
        return {function.__name__: _checked(function) for function in functions}

    def _placeholder(self, kind: BlockKind, identifier: str = "") -> str:
        self.blocks.append(Block(kind, identifier))
        return f"{BEGIN}{len(self.blocks) - 1}{END}"

    def table(self, table_id: str) -> str:
        """Place a table."""
        return self._placeholder("table", self._table(table_id).id)

    def _table(self, table_id: str) -> Table:
        return lookup.table(self.report, _text("table", table_id))

    def figure(self, figure_id: str) -> str:
        """Place a figure."""
        figure_id = _text("figure", figure_id)
        known = [figure.id for figure in self.report.figures]
        if figure_id not in known:
            raise lookup.NotFoundError(f'no figure "{figure_id}"', did_you_mean(figure_id, known))
        return self._placeholder("figure", figure_id)

    def environment(self) -> str:
        """Place the environments of the runs."""
        return self._placeholder("environment")

    def findings(self) -> str:
        """Place the findings."""
        return self._placeholder("findings")

    def value(
        self,
        table_id: str,
        row: Mapping[str, FactorValue] | None = None,
        column: Mapping[str, FactorValue] | None = None,
        quantity: Quantity | None = None,
        digits: int | None = None,
        unit: bool = False,
    ) -> str:
        """Answer with one number as the table shows it."""
        table = self._table(table_id)
        found = lookup.cell(table, _factors("row", row), _factors("column", column), quantity)
        if not isinstance(unit, bool):
            raise lookup.NotFoundError(f"unit = {unit!r} is neither true nor false", "")
        return Answer(found.text(digits=None if digits is None else _digits(digits), with_unit=unit))

    def ratio(
        self,
        table_id: str,
        row: Mapping[str, FactorValue] | None = None,
        column: Mapping[str, FactorValue] | None = None,
        to_row: Mapping[str, FactorValue] | None = None,
        to_column: Mapping[str, FactorValue] | None = None,
        quantity: Quantity | None = None,
        digits: int = 3,
    ) -> str:
        """Answer with one cell over another."""
        table = self._table(table_id)
        row, column = _factors("row", row), _factors("column", column)
        to_row = {**row, **_factors("to_row", to_row)}
        to_column = {**column, **_factors("to_column", to_column)}
        above = lookup.cell(table, row, column, quantity)
        below = lookup.cell(table, to_row, to_column, quantity)
        if below.value == 0:
            raise lookup.NotFoundError(f'table "{table_id}": the ratio divides by a cell that is 0', "")
        return Answer(units.text(above.value / below.value, digits=_digits(digits)))

    def expected(self, target: str = "", reference: str = "", digits: int = 3) -> str:
        """Answer with an expected speed; without systems, place all of them with their sources."""
        if target == reference == "":
            return self._placeholder("expected")
        target, reference = _text("target", target), _text("reference", reference)
        known = [(e.target, e.reference) for e in self.report.expected]
        found = [e for e in self.report.expected if (e.target, e.reference) == (target, reference)]
        if not found:
            raise lookup.NotFoundError(
                f'no expected speed of "{target}" relative to "{reference}"',
                did_you_mean(f"{target} : {reference}", map(" : ".join, known)),
            )
        if len({e.speed for e in found}) > 1:
            cases = "; ".join(holds_for(e.where) for e in found)
            raise lookup.NotFoundError(
                f'several expected speeds of "{target}" relative to "{reference}": {cases}',
                'name a cell: value("table", ..., quantity="expected")',
            )
        return Answer(units.text(found[0].speed, digits=_digits(digits)))


def _checked(function: Callable[..., str]) -> Callable[..., str]:
    """Return the function with arguments that do not fit told in words of the prose."""
    signature = inspect.signature(function)
    names = [name for name in signature.parameters if not name.endswith("_id")]

    @wraps(function)
    def call(*arguments: object, **named: object) -> str:
        for name in named:
            if name not in names:
                raise lookup.NotFoundError(
                    f'{function.__name__}() has no argument "{name}"', did_you_mean(name, names)
                )
        try:
            signature.bind(*arguments, **named)
        except TypeError:
            raise lookup.NotFoundError(
                f"{function.__name__}() is called with too few or too many arguments",
                f"write {_USAGE[function.__name__]}",
            ) from None
        return function(*arguments, **named)

    return call


_USAGE = {
    "table": 'table("id")',
    "figure": 'figure("id")',
    "environment": "environment()",
    "findings": "findings()",
    "value": 'value("id", row={"factor": value}, column={"factor": value})',
    "ratio": 'ratio("id", row={"factor": value}, to_row={"factor": value})',
    "expected": 'expected("target", "reference") or expected()',
}


def _text(what: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise lookup.NotFoundError(f"{what} {value!r} is not a name", 'write it in quotes: "name"')
    return value


def _factors(what: str, value: object) -> Mapping[str, FactorValue]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise lookup.NotFoundError(f"{what} = {value!r} names no factor", f'write {what}={{"factor": value}}')
    for name, wanted in value.items():
        if not isinstance(wanted, (str, int, float)):
            raise lookup.NotFoundError(
                f'{what}: "{name}" is neither a text nor a number', "one cell has one value"
            )
    return value


def _digits(digits: object) -> int:
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= MOST_DIGITS:
        raise lookup.NotFoundError(f"digits = {digits!r}", f"give a whole number from 1 to {MOST_DIGITS}")
    return digits
