"""Read a report's definition: TOML in, specs out, every wrong key an error with its place.

The grammar is in docs/reference/definitions.md. Nothing here looks at logs; whether a factor
or a value exists is asked where the runs are known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import cast, get_args

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.results import COMPARED, CompareKind, FigureKind, Quantity
from reportgen.protocol import Protocol, parse_protocol
from reportgen.report.toml_reader import Section, read_toml
from reportgen.tables.spec import CompareSpec, FigureSpec, Pick, TableSpec, Wanted

_COMPARE = dict.fromkeys(get_args(CompareKind))
_FIGURES = dict.fromkeys(get_args(FigureKind))
_QUANTITIES = dict.fromkeys(get_args(Quantity))
_PICKS = dict.fromkeys(get_args(Pick))


@dataclass(frozen=True, slots=True)
class Definition:
    """One report as defined. `logs` and `body` are paths below the root, POSIX."""

    place: str
    name: str
    title: str
    logs: tuple[str, ...]
    body: str
    tables: tuple[TableSpec, ...]
    figures: tuple[FigureSpec, ...]


def read_definition(path: Path, place: str, name: str, protocols: Mapping[str, Protocol]) -> Definition:
    """Return the definition in a file.

    place      how the file is called in messages; name  the report's
    protocols  the named ones of reportgen.toml
    raises     RequestError with place, fact and remedy for anything that is not as it must be
    """
    top = read_toml(path, place)
    folder = PurePosixPath(place).parent
    title = top.text("title", name)
    logs = tuple(below(log, f"{top.at('logs')}[{i}]") for i, log in enumerate(top.texts("logs") or ("logs",)))
    body = top.text("body")
    protocol = _protocol(top, protocols, Protocol())
    tables = tuple(_table(section, protocol, protocols) for section in top.sections("tables"))
    figures = tuple(_figure(section, tables) for section in top.sections("figures"))
    top.done()
    if not tables and not body:
        raise RequestError(place, "neither tables nor a body: an empty report", "add [[tables]]")
    _unique([*((t.id, t.place) for t in tables)])
    _unique([*((f.id, f.place) for f in figures)])
    return Definition(
        place, name, title, logs, below(str(folder / body), top.at("body")) if body else "", tables, figures
    )


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


def _protocol(section: Section, named: Mapping[str, Protocol], default: Protocol) -> Protocol:
    text = section.text("protocol")
    if not text:
        return default
    if text in named:
        return named[text]
    if named and not text[0].isdecimal():
        raise RequestError(section.at("protocol"), f'no protocol "{text}"', did_you_mean(text, named))
    return parse_protocol(text, section.at("protocol"))


def _unique(ids: list[tuple[str, str]]) -> None:
    seen: dict[str, str] = {}
    for name, place in ids:
        if name in seen:
            raise RequestError(f"{place}.id", f'"{name}" is already the id of {seen[name]}', "choose another")
        seen[name] = place


def _id(section: Section) -> str:
    name = section.required("id")
    if (
        not all(part.replace("-", "").replace("_", "").replace(".", "").isalnum() for part in (name,))
        or name[0] == "."
    ):
        raise RequestError(
            section.at("id"), f'"{name}" cannot be a file name', "use letters, digits, - _ and ."
        )
    return name


def _table(section: Section, protocol: Protocol, named: Mapping[str, Protocol]) -> TableSpec:
    name = _id(section)
    compare = _compare(section.section("compare"))
    spec = TableSpec(
        place=section.place,
        id=name,
        title=section.text("title", name),
        protocol=_protocol(section, named, protocol),
        where=_wanted(section.section("where")),
        metrics=section.texts("metric") or ("throughput",),
        phases=section.texts("phase") or ("step",),
        unit=section.text("unit"),
        rows=section.texts("rows"),
        columns=section.texts("columns"),
        facets=section.texts("facets"),
        ignore=section.texts("ignore"),
        order=_wanted(section.section("order")),
        qualify=_qualify(section),
        labels=_labels(section.section("labels")),
        pick=_pick(section.section("pick")),
        compare=compare,
        show=_shown(section, compare),
        totals=_totals(section.section("totals")),
        best_first=section.flag("best_first"),
        missing=section.text("missing", "-"),
        interval=section.flag("interval"),
        digits=_bounded(section, "digits", 1) or 4,
        decimals=_bounded(section, "decimals", 0),
        notes=section.texts("notes"),
        planned=tuple(one.scalars() for one in section.sections("planned")),
    )
    section.done()
    return _checked(spec)


def _checked(spec: TableSpec) -> TableSpec:
    """Check what only the whole entry can tell."""
    if not spec.rows and not spec.columns:
        raise RequestError(spec.place, "neither rows nor columns", 'add rows = ["..."]')
    roles = [*spec.rows, *spec.columns, *spec.facets]
    for name in roles:
        if roles.count(name) > 1:
            raise RequestError(spec.place, f'"{name}" stands twice in rows, columns and facets')
    for position, case in enumerate(spec.planned):
        missing = [n for n in (*spec.rows, *spec.columns) if n not in case]
        if missing:
            raise RequestError(f"{spec.place}.planned[{position}]", f"does not say {', '.join(missing)}")
    return spec


def _bounded(section: Section, key: str, least: int) -> int | None:
    number = section.number(key)
    if number is not None and not least <= number <= 12:
        raise RequestError(section.at(key), f"{number} {key}", f"choose {least} to 12")
    return number


def _shown(section: Section, compare: CompareSpec | None) -> tuple[Quantity, ...]:
    showable = ("value", "repeats", *_compared(compare))
    show = section.texts("show") or ("value", *_compared(compare))
    for position, quantity in enumerate(show):
        if quantity not in showable:
            raise RequestError(
                f"{section.at('show')}[{position}]",
                f'"{quantity}" is not what this table can show',
                f"it can show {', '.join(showable)}",
            )
    return cast(tuple[Quantity, ...], show)


def _compared(compare: CompareSpec | None) -> tuple[Quantity, ...]:
    return COMPARED[compare.kind] if compare else ()


def _compare(section: Section | None) -> CompareSpec | None:
    if section is None:
        return None
    kind = section.choice("kind", _COMPARE)
    baseline = section.section("baseline")
    if baseline is None:
        raise RequestError(section.at("baseline"), "missing", "add baseline = { factor = value }")
    spec = CompareSpec(cast(CompareKind, kind), baseline.scalars(), section.flag("mean"))
    section.done()
    return spec


def _wanted(section: Section | None) -> dict[str, Wanted]:
    return section.wanted() if section else {}


def _qualify(section: Section) -> dict[str, str | int | float | bool | None]:
    """Return qualifying factors; as a list without, as a table with the table's own value."""
    if section.is_table("qualify"):
        inner = section.section("qualify")
        return dict(inner.scalars()) if inner else {}
    return dict.fromkeys(section.texts("qualify"))


def _labels(section: Section | None) -> dict[str, str]:
    if section is None:
        return {}
    return {name: section.text(name) for name in section.names()}


def _pick(section: Section | None) -> dict[str, Pick]:
    if section is None:
        return {}
    return {name: cast(Pick, section.choice(name, _PICKS)) for name in section.names()}


def _totals(section: Section | None) -> dict[str, tuple[str, ...]]:
    return {name: section.texts(name) for name in section.names()} if section else {}


def _figure(section: Section, tables: tuple[TableSpec, ...]) -> FigureSpec:
    name = _id(section)
    kind = cast(FigureKind, section.choice("kind", _FIGURES))
    table = section.choice("table", {t.id: None for t in tables})
    ideal = section.flag("ideal")
    spec = next(t for t in tables if t.id == table)
    usual = "speedup" if ideal and "speedup" in spec.show else spec.show[0]
    show = cast(Quantity, section.choice("show", _QUANTITIES, usual))
    figure = FigureSpec(
        section.place, name, section.text("title") or spec.title, kind, table, section.text("x"), show, ideal
    )
    section.done()
    return figure
