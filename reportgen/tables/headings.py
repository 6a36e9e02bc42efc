"""Headings for people: labels of values and factors, and the qualifiers under a heading.

A qualifier shows what differs from the table's own value without a column for it: `bsz=224`, `w/XLA`. It
is under the heading of a column if the whole column agrees, beside the row if the whole row agrees, and
else in the cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from reportgen.core.devices import ambiguous_names, shown_value
from reportgen.core.factors import FactorKey, factor_key, plain_values, value_text
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.metrics import metric_of
from reportgen.core.model import STEP, Case, FactorValue
from reportgen.core.units import Unit
from reportgen.document.model import QUANTITY_TITLES, Header, Label, Quantity
from reportgen.tables.pivot import LACKING, AxisKey, CaseGrid, Place, key_of
from reportgen.tables.spec import METRIC, PHASE, TableSpec

MEAN = "geometric mean"

_LINK = lazy_pattern(r"\[([^\]]+)\]\(([^()\s]+)\)")


def label_of_value(labels: Mapping[str, str], factor: str, value: FactorValue) -> Label:
    """Return the label of a factor's value: the definition's, else the value in plain words."""
    given = labels.get(f"{factor}={value_text(value)}") or labels.get(value_text(value))
    return _label(given or value_in_words(factor, value))


def with_full_names(spec: TableSpec, cases: Sequence[Case]) -> TableSpec:
    """Return the spec with labels for names of devices that would look the same if they were short."""
    labels: dict[str, str] = {}
    for name in {name for case in cases for name in case.factors}:
        values = [value for case in cases if isinstance(value := case.factors.get(name), str)]
        labels |= {f"{name}={value}": value for value in ambiguous_names(name, values)}
    return replace(spec, labels={**labels, **spec.labels}) if labels else spec


def label_of_factor(labels: Mapping[str, str], factor: str) -> Label:
    """Return the heading of a factor's column."""
    return _label(labels.get(factor) or factor.replace("_", " "))


def _label(text: str) -> Label:
    link = _LINK.fullmatch(text)
    return Label(link[1], link[2]) if link else Label(text)


def value_in_words(factor: str, value: FactorValue) -> str:
    """Return a factor's value as a heading shows it without a label."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if factor == METRIC:
        return metric_of(str(value)).title
    if factor == PHASE:
        return str(value).replace("_", " ")
    if factor in _IN_BYTES and isinstance(value, int):
        return binary_size(value)
    return shown_value(factor, value) if isinstance(value, str) else value_text(value)


# Factors that count bytes.
_IN_BYTES = ("message_size",)


def binary_size(value: int) -> str:
    """Return a number of bytes in the largest binary unit that divides it: 32 MiB, 1000 B."""
    unit = 0
    while value and value % 1024 == 0 and unit < len(_BINARY) - 1:
        value, unit = value // 1024, unit + 1
    return f"{value} {_BINARY[unit]}"


_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")


def qualifier(labels: Mapping[str, str], factor: str, value: FactorValue) -> str:
    """Return the short text of a qualifying factor: `bsz=224`, `w/XLA`, `w/o clip`."""
    given = labels.get(f"{factor}={value_text(value)}")
    name = labels.get(factor) or factor
    if given is not None:
        return given
    if isinstance(value, bool):
        return f"w/{name}" if value else f"w/o {name}"
    return f"{name}={value_text(value)}"


@dataclass(frozen=True, slots=True)
class Qualifiers:
    """The qualifiers of one grid: of whole columns, of whole rows, of single cells."""

    columns: dict[AxisKey, tuple[str, ...]] = field(default_factory=dict)
    rows: dict[AxisKey, tuple[str, ...]] = field(default_factory=dict)
    cells: dict[Place, tuple[str, ...]] = field(default_factory=dict)


def qualifiers(spec: TableSpec, grid: CaseGrid) -> Qualifiers:
    """Decide for each qualifying factor of the table where its text belongs."""
    result = Qualifiers()
    single = {place: cases[0] for place, cases in grid.slots.items() if len(cases) == 1}
    # A reader must see which value was picked.
    names = dict.fromkeys((*spec.qualify, *spec.pick))
    for name in (n for n in names if n not in (*spec.rows, *spec.columns, *spec.facets)):
        _qualify(spec, name, {place: key_of(name, case) for place, case in single.items()}, result)
    return result


def _qualify(
    spec: TableSpec, name: str, values: Mapping[Place, FactorKey | None], result: Qualifiers
) -> None:
    """Put the text of one factor to its columns, rows or cells, unless the value is the table's own."""
    own = _own(spec, name, set(values.values()))
    texts = {
        place: qualifier(spec.labels, name, key[1])
        for place, key in values.items()
        if key is not None and key != own
    }
    by_column, by_row = _by_axis(values, "column"), _by_axis(values, "row")
    varies_in_columns = any(len(keys) > 1 for keys in by_column.values())
    if varies_in_columns and all(len(keys) == 1 for keys in by_row.values()):
        for row, text in {place.row: text for place, text in texts.items()}.items():
            result.rows[row] = (*result.rows.get(row, ()), text)
        return
    for column, text in {place.column: text for place, text in texts.items()}.items():
        if len(by_column[column]) == 1:
            result.columns[column] = (*result.columns.get(column, ()), text)
    for place, text in texts.items():
        if len(by_column[place.column]) > 1:
            result.cells[place] = (*result.cells.get(place, ()), text)


def _by_axis(
    values: Mapping[Place, FactorKey | None], axis: Literal["row", "column"]
) -> dict[AxisKey, set[FactorKey | None]]:
    """Return the values in each row or column."""
    lines: dict[AxisKey, set[FactorKey | None]] = {}
    for place, key in values.items():
        lines.setdefault(place.row if axis == "row" else place.column, set()).add(key)
    return lines


def _own(spec: TableSpec, name: str, present: set[FactorKey | None]) -> FactorKey | None:
    """Return the table's own value of a factor: declared, filtered to one, or the only one there is."""
    declared = spec.qualify.get(name)
    if declared is not None:
        return factor_key(declared)
    wanted = plain_values(spec.where.get(name, ()))
    if len(wanted) == 1:
        return factor_key(wanted[0])
    return next(iter(present)) if len(present) == 1 else None


def metric_title(spec: TableSpec) -> str:
    """Return what the table's values are, in words: `Throughput`, `Forward time`, `Throughput of forward`."""
    title = " and ".join(metric_of(name).title for name in spec.metrics)
    if spec.phases == (STEP,):
        return title
    is_time, is_one = spec.metrics == ("step_time",), len(spec.phases) == 1
    phase = spec.phases[0].replace("_", " ")
    if is_time:
        return f"{phase.capitalize()} time" if is_one else "Time"
    return f"{title} of {phase}" if is_one else title


def sentence(factors: Sequence[tuple[str, FactorValue]]) -> str:
    """Return factors as one phrase: `model resnet50_v1.5, precision fp32, batch size 128`.

    The definition's labels are not used: they are made for headings, and the phrase names the factor.
    """
    return ", ".join(f"{n.replace('_', ' ')} {value_in_words(n, v)}" for n, v in factors)


def row_header(spec: TableSpec, row: AxisKey, qualifying: tuple[str, ...], unit: Unit | None) -> Header:
    """Return the head of a row.

    qualifying  the texts of its qualifiers; unit  its own unit, if it has one
    """
    return Header(row.values, _labels(spec, spec.rows, row), qualifying, unit=unit)


def column_header(
    spec: TableSpec, column: AxisKey, qualifying: tuple[str, ...], quantity: Quantity, unit: Unit | None
) -> Header:
    """Return the head of a column for one of the quantities shown; arguments as in `row_header`."""
    split = tuple(
        text
        for name, value in column.split
        if (text := qualifier(spec.labels, name, value)) not in qualifying
        and value is not LACKING
        and not _is_own(spec, name, value)
    )
    # The title and the caption of a table name what its values are.
    is_plain = bool(spec.columns) and (len(spec.show) == 1 or quantity == "value")
    title = "" if is_plain else _quantity_title(spec, quantity)
    return Header(
        column.values,
        _named_labels(spec, column),
        qualifying + split,
        quantity,
        title,
        unit if quantity == "value" else None,
        column.split,
    )


def mean_header(spec: TableSpec) -> Header:
    """Return the head of the row of geometric means."""
    key: tuple[FactorValue, ...] = (MEAN, *[LACKING] * (len(spec.rows) - 1))[: len(spec.rows)]
    labels = tuple(Label(str(value) if value != LACKING else "") for value in key)
    return Header(key, labels, is_mean=True)


def _labels(spec: TableSpec, names: Sequence[str], key: AxisKey) -> tuple[Label, ...]:
    return tuple(label_of_value(spec.labels, n, v) for n, v in zip(names, key.values, strict=True))


def _named_labels(spec: TableSpec, column: AxisKey) -> tuple[Label, ...]:
    """Return the heads of a column; a number or a yes needs the name of its factor."""
    return tuple(
        Label(f"{label_of_factor(spec.labels, name).text} {label.text}", label.href)
        if not isinstance(value, str) and not _is_labelled(spec, name, value)
        else label
        for name, value, label in zip(
            spec.columns, column.values, _labels(spec, spec.columns, column), strict=True
        )
    )


def _is_labelled(spec: TableSpec, name: str, value: FactorValue) -> bool:
    return f"{name}={value_text(value)}" in spec.labels or value_text(value) in spec.labels


def _is_own(spec: TableSpec, name: str, value: FactorValue) -> bool:
    own = spec.qualify[name]
    return own is not None and factor_key(value) == factor_key(own)


def _quantity_title(spec: TableSpec, quantity: Quantity) -> str:
    if quantity == "value":
        is_time = spec.metrics == ("step_time",)
        titles = [metric_title(spec)] if is_time else [metric_of(name).title for name in spec.metrics]
        return " / ".join(titles).lower()
    return QUANTITY_TITLES[quantity]


def facet_text(spec: TableSpec, name: str, value: FactorValue) -> str:
    """Return a facet in words; a number or a boolean needs the name of its factor."""
    shown = label_of_value(spec.labels, name, value).text
    return shown if isinstance(value, str) else f"{label_of_factor(spec.labels, name).text} {shown}"
