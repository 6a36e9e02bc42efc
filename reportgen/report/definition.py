"""Read a report's definition: TOML in, specs out, every wrong key an error with its place.

The structs below are the schema; docs/reference/definitions.md explains it. `[defaults]` holds keys of all
tables of the report, and `like = "id"` takes the keys of an earlier table; a table's own keys win. Nothing
here looks at logs: whether a factor or a value exists is checked where the runs are known.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, TypeVar, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from reportgen.cache.remote import address_of
from reportgen.compare.comparison import CompareKind
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import value_text
from reportgen.core.model import FactorValue, Status
from reportgen.core.schema import (
    Condition,
    InvalidTable,
    PresenceTable,
    TomlTable,
    conditions,
    convert,
    decode,
    read_text,
    where_conditions,
)
from reportgen.document.model import COMPARED_QUANTITIES, ON_REQUEST, FigureKind, Quantity
from reportgen.protocol.definition import KNOWN, Protocol, parse_protocol
from reportgen.report.acceptance_rules import AcceptanceEntry, AcceptanceSpec, read_acceptance
from reportgen.report.definition_places import entry_places
from reportgen.report.explorer_definition import ExplorerTable, read_explorer
from reportgen.tables.results import Table
from reportgen.tables.spec import (
    CompareSpec,
    ExplorerSpec,
    FigureSpec,
    LatencySource,
    Pick,
    RequiredSpec,
    SharesOf,
    TableSpec,
)

T = TypeVar("T")

# One string counts as a list of one.
Texts = str | list[str]


ProtocolText = Annotated[str, Meta(examples=["20+100x7"])]


class CompareTable(TomlTable):
    """`compare` of a table."""

    kind: CompareKind
    baseline: dict[str, FactorValue | PresenceTable]
    mean: bool = False
    same_within: Annotated[float, Meta(gt=0, lt=1)] = 0.01
    exchangeable: bool = False
    accept: tuple[Literal["samples_per_step", "clock", "evidence"], ...] = ()
    why: bool = False


class RequiredTable(TomlTable):
    """`required` of a table."""

    cells: Literal["all"] | list[dict[str, FactorValue]] = msgspec.field(default_factory=list)
    counts: dict[str, Annotated[int, Meta(ge=1)]] = msgspec.field(default_factory=dict)
    repeats: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    statuses: Annotated[list[Status], Meta(min_length=1)] | UnsetType = UNSET


class TableKeys(TomlTable):
    """The keys of `[[tables]]` that `[defaults]` may hold too."""

    protocol: ProtocolText | UnsetType = UNSET
    where: dict[str, Condition | PresenceTable] | UnsetType = UNSET
    metric: Texts | UnsetType = UNSET
    phase: Texts | UnsetType = UNSET
    unit: str | UnsetType = UNSET
    rows: Texts | UnsetType = UNSET
    columns: Texts | UnsetType = UNSET
    facets: Texts | UnsetType = UNSET
    ignore: Texts | UnsetType = UNSET
    order: dict[str, Condition] | UnsetType = UNSET
    qualify: Texts | dict[str, FactorValue] | UnsetType = UNSET
    labels: dict[str, str] | UnsetType = UNSET
    pick: dict[str, Pick] | UnsetType = UNSET
    compare: CompareTable | UnsetType = UNSET
    show: Texts | UnsetType = UNSET
    totals: dict[str, Texts] | UnsetType = UNSET
    best_first: bool | UnsetType = UNSET
    missing: str | UnsetType = UNSET
    interval: bool | UnsetType = UNSET
    digits: Annotated[int, Meta(ge=1, le=12)] | UnsetType = UNSET
    decimals: Annotated[int, Meta(ge=0, le=12)] | UnsetType = UNSET
    notes: Texts | UnsetType = UNSET
    required: RequiredTable | UnsetType = UNSET


class TableEntry(TableKeys, kw_only=True):
    """One `[[tables]]` entry as written."""

    id: str
    like: str = ""
    title: str = ""
    planned: list[dict[str, FactorValue]] | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Check what becomes a file name."""
        _check_file_name(self.id)


# The kinds of figures that have a key.
_KINDS_WITH: Mapping[str, frozenset[FigureKind]] = {
    "x": frozenset(FigureKind) - {FigureKind.WATERFALL, FigureKind.ECDF, FigureKind.HEAT_MAP},
    "show": frozenset(FigureKind) - {FigureKind.WATERFALL},
    "ideal": frozenset(FigureKind) - {FigureKind.WATERFALL},
    "sort": frozenset({FigureKind.DOTS}),
    "of": frozenset({FigureKind.ECDF}),
    "latency": frozenset({FigureKind.LATENCY_THROUGHPUT}),
}


class FigureEntry(TomlTable, kw_only=True):
    """One `[[figures]]` entry; its id is the table's where it has none."""

    kind: FigureKind
    table: str
    id: str = ""
    title: str = ""
    x: str = ""
    show: Quantity | UnsetType = UNSET
    ideal: bool = False
    where: dict[str, Condition] = msgspec.field(default_factory=dict)
    sort: bool = False
    of: SharesOf | UnsetType = UNSET
    latency: LatencySource | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Check what becomes a file name, and keys that the kind does not have."""
        if self.id:
            _check_file_name(self.id)
        for name, kinds in _KINDS_WITH.items():
            if getattr(self, name) not in ("", UNSET, False) and self.kind not in kinds:
                raise InvalidTable(f'kind "{self.kind}" has no {name}', "remove it", (name,))


class DefinitionFile(TomlTable):
    """A definition: `reports/<name>.toml`."""

    title: str = ""
    headline: str = ""
    logs: Texts = "logs"
    body: str = ""
    protocol: ProtocolText = ""
    defaults: TableKeys = msgspec.field(default_factory=TableKeys)
    tables: tuple[TableEntry, ...] = ()
    figures: tuple[FigureEntry, ...] = ()
    acceptance: tuple[AcceptanceEntry, ...] = ()
    explorer: ExplorerTable | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class ReportDefinition:
    """One report as defined. `logs` and `body` are paths below the root, POSIX."""

    place: str
    name: str
    title: str
    logs: tuple[str, ...]
    body: str
    tables: tuple[TableSpec, ...]
    figures: tuple[FigureSpec, ...]
    headline: str = ""
    acceptance: tuple[AcceptanceSpec, ...] = ()
    explorer: ExplorerSpec | None = None


def read_definition(path: Path, place: str, name: str, protocols: Mapping[str, Protocol]) -> ReportDefinition:
    """Return the definition in a file.

    place      the file's name in messages; name  the report's
    protocols  the named ones of reportgen.toml
    raises     RequestError with place, fact and remedy for anything that is wrong
    """
    text = read_text(path, place)
    named = entry_places(text, place)
    try:
        return _definition(decode(text, DefinitionFile, place), place, name, protocols, named)
    except RequestError as error:
        raise RequestError(named(error.place), named(error.fact), error.remedy) from None


def _definition(
    file: DefinitionFile,
    place: str,
    name: str,
    protocols: Mapping[str, Protocol],
    named: Callable[[str], str],
) -> ReportDefinition:
    logs = [_logs(log, f"{place}: logs[{i}]") for i, log in enumerate(_list(file.logs) or ["logs"])]
    protocol = _protocol(file.protocol, f"{place}: protocol", protocols, Protocol())
    tables: dict[str, TableSpec] = {}
    known: dict[str, TableEntry] = {}
    for position, entry in enumerate(file.tables):
        own = named(f"{place}: tables[{position}]")
        _check_unused(entry.id, own, {spec.id: spec.place for spec in tables.values()})
        known[entry.id] = _inherited(entry, file.defaults, known, own)
        tables[entry.id] = _table(known[entry.id], own, protocol, protocols)
    figures: list[FigureSpec] = []
    for position, figure in enumerate(file.figures):
        own = named(f"{place}: figures[{position}]")
        _check_unused(figure.id or figure.table, own, {spec.id: spec.place for spec in figures})
        figures.append(_figure(figure, own, tables))
    body = str(PurePosixPath(place).parent / file.body)
    if not file.tables and not file.body:
        raise RequestError(place, "neither tables nor a body: an empty report", "add [[tables]]")
    return ReportDefinition(
        place,
        name,
        file.title or name,
        tuple(logs),
        below(body, f"{place}: body") if file.body else "",
        tuple(tables.values()),
        tuple(figures),
        file.headline,
        read_acceptance(file.acceptance, tables, place),
        None
        if isinstance(file.explorer, UnsetType)
        else read_explorer(file.explorer, tables, f"{place}: explorer"),
    )


def table_from_keys(keys: Mapping[str, Any], place: str) -> TableSpec:
    """Return the spec of one table from the keys of `[[tables]]`. Raises RequestError for wrong ones."""
    return _table(convert(dict(keys), TableEntry, place), place, Protocol(), {})


def _logs(log: str, place: str) -> str:
    """Return an entry of `logs`: an address, or a path below the root in its shortest form."""
    return address_of(log) or below(log, place)


def below(path: str, place: str) -> str:
    """Return the path in its shortest form. Raises RequestError if it leads out of the root."""
    parts: list[str] = []
    for part in PurePosixPath(path.replace("\\", "/")).parts:
        if part == "..":
            if not parts:
                raise RequestError(
                    place, f'"{path}" leads out of the repository', "name a path below its root"
                )
            parts.pop()
        else:
            parts.append(part)
    if parts and parts[0] == "/":
        raise RequestError(place, f'"{path}" is an absolute path', "name a path below the repository's root")
    return "/".join(parts)


def inside(root: Path, path: str, place: str) -> Path:
    """Return a path below the root on disk. Raises RequestError if a link on the way leads out of it."""
    if "\0" in path:
        raise RequestError(place, f"{path!r} contains a NUL character", "name a path without it")
    target = root / path
    if not target.resolve().is_relative_to(root.resolve()):
        raise RequestError(
            place, f'"{path}" leads out of the repository through a link', "copy what it links to"
        )
    return target


def _list(value: T | list[T]) -> list[T]:
    return value if isinstance(value, list) else [value]


def _given(value: T | UnsetType, default: T) -> T:
    return default if isinstance(value, UnsetType) else value


def _check_file_name(name: str) -> None:
    if not all(letter.isalnum() or letter in "-_." for letter in name) or name[:1] in ("", "."):
        raise InvalidTable(f'"{name}" cannot be a file name', "use letters, digits, - _ and .", ("id",))


def _check_unused(name: str, place: str, known: Mapping[str, str]) -> None:
    if name in known:
        raise RequestError(f"{place}.id", f'"{name}" is already the id of {known[name]}', "choose another")


def _inherited(
    entry: TableEntry, defaults: TableKeys, known: Mapping[str, TableEntry], place: str
) -> TableEntry:
    """Return an entry with the keys that it takes from another table, else from the defaults.

    In keys that hold tables (where, order, labels, ...) the names are merged one by one.
    """
    base: TableKeys = defaults
    if entry.like:
        if entry.like not in known:
            raise RequestError(
                f"{place}.like", f'no table "{entry.like}" above', did_you_mean(entry.like, known)
            )
        base = known[entry.like]
    merged: dict[str, Any] = {}
    for name in TableKeys.__struct_fields__:
        own, other = getattr(entry, name), getattr(base, name)
        if isinstance(own, dict) and isinstance(other, dict):
            merged[name] = {**other, **own}
        else:
            merged[name] = other if own is UNSET else own
    return msgspec.structs.replace(entry, **merged)


def _protocol(text: str, place: str, named: Mapping[str, Protocol], default: Protocol) -> Protocol:
    if not text:
        return default
    known = {**KNOWN, **named}
    if text in known:
        return known[text]
    if not text[0].isdecimal():
        raise RequestError(place, f'no protocol "{text}"', did_you_mean(text, known))
    return parse_protocol(text, place)


def _table(entry: TableEntry, place: str, protocol: Protocol, protocols: Mapping[str, Protocol]) -> TableSpec:
    compare = None
    if not isinstance(entry.compare, UnsetType):
        compare = _compare_spec(entry.compare)
    spec = TableSpec(
        place=place,
        id=entry.id,
        title=entry.title or entry.id,
        protocol=_protocol(_given(entry.protocol, ""), f"{place}.protocol", protocols, protocol),
        where=where_conditions(_given(entry.where, {})),
        metrics=_names(entry.metric, "throughput"),
        phases=_names(entry.phase, "step"),
        unit=_given(entry.unit, ""),
        rows=_names(entry.rows),
        columns=_names(entry.columns),
        facets=_names(entry.facets),
        ignore=_names(entry.ignore),
        order=conditions(_given(entry.order, {})),
        qualify=_qualify(entry.qualify),
        labels=_given(entry.labels, {}),
        pick=_given(entry.pick, {}),
        compare=compare,
        show=_shown(_names(entry.show), compare, place),
        totals={name: tuple(_list(phases)) for name, phases in _given(entry.totals, {}).items()},
        best_first=_given(entry.best_first, False),
        missing=_missing(_given(entry.missing, "-"), place),
        interval=_given(entry.interval, False),
        digits=_given(entry.digits, 4),
        decimals=_given(entry.decimals, None),
        notes=_names(entry.notes),
        planned=tuple(_given(entry.planned, [])),
        required=_required(entry.required),
    )
    _check_axes(spec)
    return spec


def _required(table: RequiredTable | UnsetType) -> RequiredSpec:
    if isinstance(table, UnsetType):
        return RequiredSpec()
    cells = [] if table.cells == "all" else table.cells
    statuses = _given(table.statuses, [])
    return RequiredSpec(
        tuple(cells), table.cells == "all", table.counts, _given(table.repeats, 0), tuple(statuses)
    )


def _qualify(value: Texts | dict[str, FactorValue] | UnsetType) -> dict[str, FactorValue | None]:
    """Return qualifying factors, each with the table's own value, None where it has none."""
    if isinstance(value, dict):
        return dict(value)
    return dict.fromkeys(_names(value))


def _names(value: Texts | UnsetType, default: str = "") -> tuple[str, ...]:
    names = [] if isinstance(value, UnsetType) else _list(value)
    return tuple(names) or ((default,) if default else ())


def _check_axes(spec: TableSpec) -> None:
    if not spec.rows and not spec.columns:
        raise RequestError(spec.place, "neither rows nor columns", 'add rows = ["..."]')
    roles = [*spec.rows, *spec.columns, *spec.facets]
    for name in roles:
        if roles.count(name) > 1:
            fact = f'"{name}" is named twice in rows, columns and facets'
            raise RequestError(spec.place, fact, "keep it in one of them")
        if name in spec.ignore:
            fact = f'"{name}" is shown and ignored'
            raise RequestError(
                f"{spec.place}.ignore", fact, "remove it from ignore, or from rows and columns"
            )
    for name in spec.pick:
        if name in spec.ignore:
            fact = f'"{name}" is picked and ignored'
            raise RequestError(f"{spec.place}.ignore", fact, "remove it from ignore: pick chooses one value")
    for position, case in enumerate(spec.planned):
        missing = [name for name in (*spec.rows, *spec.columns) if name not in case]
        if missing:
            raise RequestError(
                f"{spec.place}.planned[{position}]", f"lacks {', '.join(missing)}", "give a value for each"
            )
    cells = [(f"cells[{i}].{name}", name) for i, each in enumerate(spec.required.cells) for name in each]
    for key, name in (*cells, *((f"counts.{name}", name) for name in spec.required.counts)):
        if name not in roles:
            fact = "is not in rows, columns or facets"
            raise RequestError(f"{spec.place}.required.{key}", fact, did_you_mean(name, roles))


def _missing(text: str, place: str) -> str:
    """Return the text of an empty cell; RequestError if a reader might take it for a number."""
    if any(letter.isdigit() for letter in text):
        raise RequestError(
            f"{place}.missing", f'"{text}" contains a digit', 'use words, for example "not run"'
        )
    return text


def _compare_spec(table: CompareTable) -> CompareSpec:
    baseline = {
        name: value.presence if isinstance(value, PresenceTable) else value
        for name, value in table.baseline.items()
    }
    return CompareSpec(
        table.kind, baseline, table.mean, table.same_within, table.exchangeable, table.accept, table.why
    )


def _shown(show: Iterable[str], compare: CompareSpec | None, place: str) -> tuple[Quantity, ...]:
    compared = COMPARED_QUANTITIES[compare.kind] if compare else ()
    showable = ("value", "repeats", *compared)
    usual = (quantity for quantity in compared if quantity not in ON_REQUEST)
    shown = tuple(show) or ("value", *usual)
    for position, quantity in enumerate(shown):
        if quantity not in showable:
            raise RequestError(
                f"{place}.show[{position}]",
                f'this table cannot show "{quantity}"',
                f"it can show {', '.join(showable)}",
            )
    return cast(tuple[Quantity, ...], shown)


def figure_from_keys(keys: Mapping[str, Any], table: Table, place: str) -> FigureSpec:
    """Return the spec of one figure of a table from the keys of `[[figures]]`. Raises RequestError."""
    entry = convert({**keys, "table": table.id}, FigureEntry, place)
    shown = [column.quantity for column in table.columns]
    return _figure_spec(entry, place, shown, entry.title or table.title)


def _figure(entry: FigureEntry, place: str, tables: Mapping[str, TableSpec]) -> FigureSpec:
    if entry.table not in tables:
        raise RequestError(f"{place}.table", f'no table "{entry.table}"', did_you_mean(entry.table, tables))
    table = tables[entry.table]
    return _figure_spec(entry, place, table.show, entry.title or _title(entry, table))


def _figure_spec(entry: FigureEntry, place: str, shown: Sequence[Quantity], title: str) -> FigureSpec:
    usual: Quantity = "speedup" if entry.ideal and "speedup" in shown else shown[0]
    return FigureSpec(
        place,
        entry.id or entry.table,
        title,
        entry.kind,
        entry.table,
        entry.x,
        _given(entry.show, usual),
        entry.ideal,
        conditions(entry.where),
        entry.sort,
        _given(entry.of, "steps"),
        _given(entry.latency, "measured"),
    )


def _title(entry: FigureEntry, table: TableSpec) -> str:
    """Return the title of the table with what the figure shows of it; a waterfall names its cell itself."""
    if entry.kind is FigureKind.WATERFALL:
        return table.title
    shown = [
        text if isinstance(value, str) else f"{name} {text}"
        for name, values in conditions(entry.where).items()
        for value in values[:1]
        for text in [" or ".join(map(value_text, values))]
    ]
    return ", ".join([table.title, *shown])
