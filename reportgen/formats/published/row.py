"""What the cells of a published row say: whether conditions hold, what a lookup gives, what a figure is.

A row is column -> text as published; what is made of the texts is said by the parsed source.toml.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.core.factors import parse_scalar
from reportgen.core.model import STEP, FactorValue
from reportgen.formats.parsing.csv_cells import number
from reportgen.formats.published.source_toml import Conditions, Lookup, MetricEntry

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Named:
    """What a figure is, as its row says it."""

    metric: str
    phase: str
    unit: str
    statistic: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What a run has once."""
        return self.metric, self.phase, self.statistic


def named(figure: MetricEntry, row: Row) -> Named:
    """Return what a figure is, by its definition and the columns beside it."""
    metric, phase, unit, statistic = (
        str(look_up(row, part) or "") if isinstance(part, Lookup) else part
        for part in (figure.metric, figure.phase, figure.unit, figure.statistic)
    )
    return Named(metric, phase or STEP, unit, statistic or "published")


def row_matches(row: Row, where: Conditions) -> bool:
    """Whether the cells are among the accepted values, as numbers or as the texts that stand there."""
    return all(name in row and any(_is(row[name], one) for one in wanted) for name, wanted in where.items())


def _is(text: str, wanted: FactorValue) -> bool:
    if isinstance(wanted, (str, bool)):
        return text == wanted or text == shown(wanted)
    return number(text) == wanted


def looked_up(row: Row, lookups: Mapping[str, Lookup]) -> dict[str, FactorValue]:
    """Return name -> value of the lookups that give one."""
    found = {name: look_up(row, lookup) for name, lookup in lookups.items()}
    return {name: value for name, value in found.items() if value is not None}


def look_up(row: Row, lookup: Lookup) -> FactorValue | None:
    """Return the typed cell, renamed where the lookup says so; an empty cell is None unless renamed."""
    text = row.get(lookup.column, "")
    if text in lookup.values:
        return lookup.values[text]
    return parse_scalar(text) if text else None


def shown(value: FactorValue) -> str:
    """Return a value of source.toml as a cell would have it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
