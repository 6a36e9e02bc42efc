"""The rules by which results are accepted, as a definition writes them: `[[acceptance]]`.

The vocabulary is closed: a rule compares the numbers of a table with their baseline, their expected speed or
a value. Formulas would have to be trusted; these rules can be read.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from reportgen.core import units
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.metrics import metric_of
from reportgen.core.model import STEP, FactorValue
from reportgen.core.schema import Condition, InvalidTable, TomlTable, conditions
from reportgen.document.model import RatioBounds
from reportgen.report.acceptance_hindrances import NAMES
from reportgen.tables.headings import metric_title
from reportgen.tables.spec import TableSpec

Ratio = Annotated[float, Meta(gt=0)]


class RuleTable(TomlTable):
    """One rule of `all` or `any_of`."""

    table: str
    against: Literal["baseline", "expected"] | float
    metric: str = ""
    unit: str = ""
    where: dict[str, Condition] = msgspec.field(default_factory=dict)
    min_ratio: Ratio | UnsetType = UNSET
    max_ratio: Ratio | UnsetType = UNSET
    accept: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check what types cannot say."""
        if self.min_ratio is UNSET and self.max_ratio is UNSET:
            raise InvalidTable("neither min_ratio nor max_ratio", "add min_ratio = 0.95")
        if self.unit and isinstance(self.against, str):
            raise InvalidTable(f'a unit with against = "{self.against}"', "remove it", ("unit",))
        if not isinstance(self.against, str) and not 0 < self.against < math.inf:
            raise InvalidTable("not a number above 0", "name the value to reach", ("against",))


class AcceptanceEntry(TomlTable):
    """One `[[acceptance]]` entry."""

    id: str
    title: str = ""
    all: tuple[RuleTable, ...] = ()
    any_of: tuple[RuleTable, ...] = ()

    def __post_init__(self) -> None:
        """Check that it has rules of one kind."""
        if bool(self.all) == bool(self.any_of):
            fact = "both all and any_of" if self.all else "neither all nor any_of"
            raise InvalidTable(fact, "list the rules in one of them")


@dataclass(frozen=True, slots=True)
class AcceptanceRule:
    """A rule; `against` is a kind of reference or a value in the base unit.

    place    in the definition
    title    what is measured, in words, with its phase; "" for several metrics
    written  the value and unit as written, for messages
    counts   the rate of items that the unit names (`tokens/s`), "" if it names none
    accept   names of what would keep a number from being accepted, see `acceptance_hindrances`
    """

    place: str
    table: str
    against: Literal["baseline", "expected"] | float
    metric: str
    title: str
    where: Mapping[str, tuple[FactorValue, ...]]
    bounds: RatioBounds
    written: str = ""
    counts: str = ""
    accept: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the rule in words."""
        bounds = [
            f"{word} {bound:.12g}"
            for word, bound in (("at least", self.bounds.low), ("at most", self.bounds.high))
            if bound is not None
        ]
        against = self.written or {"baseline": "baseline", "expected": "expected speed"}[str(self.against)]
        metric = f"{self.title} of " if self.title else ""
        accepted = f"; accepted: {', '.join(self.accept)}" if self.accept else ""
        return f"{metric}{self.table} against {against}: ratio {' and '.join(bounds)}{accepted}"


@dataclass(frozen=True, slots=True)
class AcceptanceSpec:
    """An entry: all of its rules must hold, or with `is_any` one of them."""

    id: str
    title: str
    is_any: bool
    rules: tuple[AcceptanceRule, ...]


def read_acceptance(
    entries: Iterable[AcceptanceEntry], tables: Mapping[str, TableSpec], place: str
) -> tuple[AcceptanceSpec, ...]:
    """Return the entries of a definition. Raises RequestError for names that its tables do not have."""
    specs: dict[str, AcceptanceSpec] = {}
    for position, entry in enumerate(entries):
        own = f"{place}: acceptance[{position}]"
        if entry.id in specs:
            raise RequestError(f"{own}.id", f'"{entry.id}" is already used', "choose another")
        key = "any_of" if entry.any_of else "all"
        rules = tuple(
            _rule(rule, tables, f"{own}.{key}[{number}]")
            for number, rule in enumerate(entry.any_of or entry.all)
        )
        specs[entry.id] = AcceptanceSpec(entry.id, entry.title or entry.id, bool(entry.any_of), rules)
    return tuple(specs.values())


def _rule(rule: RuleTable, tables: Mapping[str, TableSpec], place: str) -> AcceptanceRule:
    if rule.table not in tables:
        raise RequestError(f"{place}.table", f'no table "{rule.table}"', did_you_mean(rule.table, tables))
    spec = tables[rule.table]
    if rule.metric and rule.metric not in spec.metrics:
        fact = f'table "{spec.id}" has no metric "{rule.metric}"'
        raise RequestError(f"{place}.metric", fact, did_you_mean(rule.metric, spec.metrics))
    names = (*spec.rows, *spec.columns, *spec.facets)
    for name in rule.where:
        if name not in names:
            fact = "is not in rows, columns or facets of the table"
            raise RequestError(f"{place}.where.{name}", fact, did_you_mean(name, names))
    for name in rule.accept:
        if name not in NAMES:
            fact = f'"{name}" does not keep a number from being accepted'
            raise RequestError(f"{place}.accept", fact, did_you_mean(name, NAMES))
    _check_reference(rule, spec, place)
    against, written = _value(rule, spec, place)
    metrics = (rule.metric,) if rule.metric else spec.metrics
    is_named = len(metrics) == 1 or spec.phases != (STEP,)
    return AcceptanceRule(
        place,
        rule.table,
        against,
        metrics[0] if len(metrics) == 1 else "",
        metric_title(replace(spec, metrics=metrics)) if is_named else "",
        conditions(rule.where),
        RatioBounds(
            None if isinstance(rule.min_ratio, UnsetType) else rule.min_ratio,
            None if isinstance(rule.max_ratio, UnsetType) else rule.max_ratio,
        ),
        written,
        units.counted_by(rule.unit),
        rule.accept,
    )


def _check_reference(rule: RuleTable, spec: TableSpec, place: str) -> None:
    """Raise RequestError if the table does not compare as the rule needs."""
    if rule.against == "baseline" and spec.compare is None:
        fact, remedy = f'table "{spec.id}" has no baseline', "add compare to it"
        raise RequestError(f"{place}.against", fact, remedy)
    if rule.against == "expected" and (spec.compare is None or spec.compare.kind != "expected"):
        fact = f'table "{spec.id}" has no expected speed'
        raise RequestError(f"{place}.against", fact, 'add compare = { kind = "expected", ... } to it')


def _value(
    rule: RuleTable, spec: TableSpec, place: str
) -> tuple[Literal["baseline", "expected"] | float, str]:
    """Return the reference of the rule in the base unit, and as written if it is a value."""
    if isinstance(rule.against, str):
        return rule.against, ""
    if not rule.metric and len(spec.metrics) > 1:
        fact = f"a value, but the table has the metrics {', '.join(spec.metrics)}"
        raise RequestError(f"{place}.against", fact, "add metric")
    base = metric_of(rule.metric or spec.metrics[0]).unit
    unit = rule.unit or base
    value, own = units.to_base(rule.against, unit)
    if own != base:
        fact = f'"{unit}" is not a unit of {rule.metric or spec.metrics[0]}'
        raise RequestError(f"{place}.unit", fact, f"its base unit is {base}")
    if not 0 < value < math.inf:
        raise RequestError(f"{place}.against", f"not a number above 0 in {base}", "name the value to reach")
    return value, f"{rule.against:,.12g} {unit}".removesuffix(" 1")
