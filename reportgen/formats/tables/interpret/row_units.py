"""Find the columns that state the units of others: `unit`, `time_unit`, `latency_unit`, `units.latency`.

A row may have a unit of its own, so a figure is read with the unit of its row. In JSON the unit may be stated
once, beside the rows or above them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.metrics import METRICS
from reportgen.formats.tables.column_units import ColumnUnit, unit_of
from reportgen.formats.tables.column_words import meaning_of, slug, words_of
from reportgen.formats.tables.derive import is_missing
from reportgen.formats.tables.find_tables import FoundTable

_UNIT = lazy_pattern(r"(?:(?P<of>.+)_)?(?:unit|units)|metric_unit")
_PLAIN = ("value", "result", "measurement", "measured", "score", "metric_value", "val")


@dataclass(frozen=True, slots=True)
class RowUnit:
    """The unit of a column: the column that states it, and the unit in the first row."""

    column: str
    unit: str


@dataclass(frozen=True, slots=True)
class _Stated:
    """Units of one base that a column states.

    of     what they are the units of, "" for all numbers of the base
    group  the object of JSON whose numbers they are the units of, "" for the whole row
    is_exact  whether an object of units has it: each of them is of the numbers that it names
    """

    column: str
    unit: str
    base: str
    of: str
    group: str
    is_exact: bool


def units_of_columns(table: FoundTable) -> dict[str, RowUnit]:
    """Return the units that columns state for others that have none, by the names of the others."""
    stated = [each for column in table.columns if "unit" in column.lower() for each in _stated(table, column)]
    known: dict[str, RowUnit] = {}
    has_plain = any(map(_is_plain, table.columns))
    for column in table.columns if stated else ():
        fitting = [each for each in sorted(stated, key=_rank) if _is_of(each, column, has_plain)]
        own = next((each for each in fitting if each.of == slug(column.rpartition(".")[2])), None)
        own = own or next(iter(fitting), None)
        if own and not meaning_of(column).unit:
            known[column] = RowUnit(own.column, own.unit)
    return known


def _rank(stated: _Stated) -> tuple[bool, bool, bool]:
    return not stated.of, not stated.group, stated.column.startswith(("/", "../"))


def _stated(table: FoundTable, column: str) -> Sequence[_Stated]:
    """Return what a column states, if all its cells are units of one base."""
    *parents, last = column.lstrip("./").split(".")
    own = slug(last)
    match = _UNIT.fullmatch(own)
    if match is None and not (parents and slug(parents[-1]) in ("unit", "units")):
        return ()
    cells = [record.cells.get(column) for record in table.records]
    texts = list(dict.fromkeys(str(cell).strip() for cell in cells if not is_missing(cell)))
    read = [unit_of(text) for text in texts]
    spelled = [
        unit.unit
        for text, unit in zip(texts, read, strict=True)
        if unit and unit.unit and not unit.per_device and _is_converted(text, unit)
    ]
    bases = {units.to_base(1.0, unit)[1] for unit in spelled}
    are_readable = len(texts) == 1 or all(map(units.find, texts))
    if len(spelled) < len(texts) or len(bases) != 1 or not are_readable:
        return ()
    of = own if match is None else (match["of"] or "")
    group = ".".join(parents) if match and not of and not column.startswith(("/", "../")) else ""
    return (_Stated(column, texts[0], bases.pop(), of, group, match is None),)


def _is_converted(text: str, unit: ColumnUnit) -> bool:
    """Return whether the unit of a row is converted as its text says: `kreq/s` is 1000 requests/s."""
    return unit.scale == 1 or units.to_base(1.0, text) == units.to_base(unit.scale, unit.unit)


def _is_plain(column: str) -> bool:
    """Return whether a name says no more than that its numbers are values, or a statistic of them."""
    bare = meaning_of(column)
    return slug(column.rpartition(".")[2]) in _PLAIN or bool(bare.statistic and not bare.extra)


def _is_of(stated: _Stated, column: str, has_plain: bool) -> bool:
    """Return whether a column has numbers of a stated unit.

    has_plain  whether a column is called "value" or alike: then no column that is not of a time has its unit
    """
    if column.startswith(("/", "../")) or column == stated.column:
        return False
    group, _, last = column.rpartition(".")
    if stated.group and group != stated.group:
        return False
    bare = meaning_of(column)
    if stated.of and slug(last) == stated.of:
        return bare.kind in ("figure", "other")  # "size_unit" is a factor beside the factor "size"
    if stated.is_exact and not set(words_of(stated.of)) <= set(words_of(column)):
        return False
    own = meaning_of(last if stated.group else column, stated.unit)
    if bare.kind == "figure" and stated.group:
        beside = meaning_of(column, stated.unit)
        return beside.kind == "figure" and beside.base == stated.base and bare.doubt == "has no unit"
    if bare.kind == "figure":
        base = METRICS[bare.metric].unit if bare.metric in METRICS else own.base
        return base == stated.base and own.kind == "figure" and bare.doubt == "has no unit"
    is_named = own.metric != "" and not own.doubt and not own.is_own and not (has_plain and not stated.of)
    return bare.kind == "other" and (_is_plain(column) or is_named)
