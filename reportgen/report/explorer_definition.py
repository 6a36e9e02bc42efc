"""The explorer of a report as a definition writes it: `[explorer]`."""

from collections.abc import Iterable, Mapping

from msgspec import UNSET, UnsetType

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.model import FactorValue
from reportgen.core.schema import InvalidTable, TomlTable
from reportgen.tables.spec import METRIC, PHASE, ExplorerSpec, SwitchSpec, TableSpec

# One string counts as a list of one.
Texts = str | list[str]


class SwitchTable(TomlTable):
    """One `[[explorer.switches]]` entry."""

    id: str
    title: str
    note: str = ""
    tables: Texts = ""
    phases: Texts = ""
    instead_of: Texts = ""

    def __post_init__(self) -> None:
        """Check that it does something, and what becomes part of an address."""
        if not (self.tables or self.phases or self.instead_of):
            raise InvalidTable("switches nothing", "add tables, phases or instead_of")
        if not self.id.replace("-", "").replace("_", "").isalnum():
            raise InvalidTable(
                f'"{self.id}" cannot be part of an address', "use letters, digits, - and _", ("id",)
            )


class ExplorerTable(TomlTable):
    """`[explorer]`."""

    facets: Texts | UnsetType = UNSET
    compare: str | UnsetType = UNSET
    x: str = ""
    baseline: FactorValue | UnsetType = UNSET
    tables: Texts = ""
    switches: tuple[SwitchTable, ...] = ()
    more: str = ""


def read_explorer(table: ExplorerTable, tables: Mapping[str, TableSpec], place: str) -> ExplorerSpec:
    """Return the explorer of a definition. Raises RequestError for tables and roles that do not exist."""
    if not tables:
        raise RequestError(place, "[explorer] needs at least one table", "add [[tables]]")
    facets = None if isinstance(table.facets, UnsetType) else _list(table.facets)
    compare = None if isinstance(table.compare, UnsetType) else table.compare
    _check_roles([*(facets or ()), compare or "", table.x], place)
    _check_tables(_list(table.tables), tables, f"{place}.tables")
    for position, switch in enumerate(table.switches):
        own = f"{place}.switches[{position}]"
        charted = {id: tables[id] for id in _list(table.tables)} or tables
        _check_tables(_list(switch.tables), charted, f"{own}.tables")
        if switch.id in [other.id for other in table.switches[:position]]:
            raise RequestError(f"{own}.id", f'"{switch.id}" is already used', "choose another")
    return ExplorerSpec(
        place,
        facets,
        compare,
        table.x,
        None if table.baseline is UNSET else table.baseline,
        _list(table.tables),
        tuple(map(_switch, table.switches)),
        table.more,
    )


def _switch(table: SwitchTable) -> SwitchSpec:
    return SwitchSpec(
        table.id, table.title, table.note, _list(table.tables), _list(table.phases), _list(table.instead_of)
    )


def _list(value: Texts) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, list) else ((value,) if value else ())


def _check_roles(names: Iterable[str], place: str) -> None:
    named = [name for name in names if name]
    for name in named:
        if name in (METRIC, PHASE):
            raise RequestError(place, f'"{name}" is not a factor', "charts show metrics and phases")
        if named.count(name) > 1:
            raise RequestError(
                place, f'"{name}" is named twice in facets, compare and x', "keep it in one of them"
            )


def _check_tables(ids: Iterable[str], tables: Mapping[str, TableSpec], place: str) -> None:
    for id in ids:
        if id not in tables:
            raise RequestError(place, f'no table "{id}"', did_you_mean(id, tables))
