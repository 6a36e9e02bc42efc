"""Read the settings of a repository: `reportgen.toml` and `expected.toml` beside the definitions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta
from msgspec import field as key

from reportgen.core.errors import RequestError
from reportgen.core.schema import Condition, TomlTable, conditions, read_toml
from reportgen.protocol.definition import Protocol
from reportgen.report.computed_facts import ComputedFact, ComputedTable, check_computed
from reportgen.report.definition import below
from reportgen.tables.expected import NO_FACTS, SpeedFact, SpeedFacts

# A repository need not have it.
_DEFAULT_INJECT: Mapping[str, None] = {"README.md": None}
SETTINGS, EXPECTED = "reportgen.toml", "expected.toml"


class InjectTable(TomlTable):
    """`[inject]`: files, relative to the root, whose marked tables are kept up to date; or file = tables."""

    files: str | list[str] | dict[str, list[str]] = key(default_factory=list)


class SettingsFile(TomlTable):
    """`reportgen.toml`. What a protocol may hold is known to `Protocol`."""

    inject: InjectTable | None = None
    protocols: dict[str, dict[str, Any]] = key(default_factory=dict)
    source_url: str = ""


# One system is not faster than another by more: it is a percentage, or a typing mistake.
_MAX_SPEED = 10_000.0


class FactEntry(TomlTable, kw_only=True):
    """One `[[fact]]`: a speed, or the campaign from which it is computed."""

    of: str
    to: str
    source: str
    speed: Annotated[float, Meta(gt=0, le=_MAX_SPEED)] | None = None
    computed: ComputedTable | None = None
    where: dict[str, Condition] = key(default_factory=dict)
    url: str = ""
    read: str = ""


class ExpectedFile(TomlTable):
    """`expected.toml`: systems by the factors of their runs, and facts about their speed."""

    systems: dict[str, dict[str, Condition]] = key(default_factory=dict)
    fact: tuple[FactEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a repository.

    inject     files, relative to the root, whose marked tables are kept up to date -> the tables expected in
               them, None where only the file is named
    source_url address of a line of a log on the web, with {path} and {line}; "" for the file itself
    knowledge  the systems; the `facts` about them follow when the logs are loaded that some depend on
    """

    inject: Mapping[str, Sequence[str] | None] = field(default_factory=lambda: dict(_DEFAULT_INJECT))
    protocols: Mapping[str, Protocol] = field(default_factory=dict)
    knowledge: SpeedFacts = NO_FACTS
    facts: tuple[SpeedFact | ComputedFact, ...] = ()
    source_url: str = ""


def read_settings(folder: Path, place: str) -> Settings:
    """Return the settings of a reports folder; both files may be absent.

    place  the folder's name in messages; raises RequestError for anything wrong in the files
    """
    knowledge, facts = read_expected(folder / EXPECTED, f"{place}/{EXPECTED}")
    path, place = folder / SETTINGS, f"{place}/{SETTINGS}"
    if not path.exists():
        return Settings(knowledge=knowledge, facts=facts)
    file = read_toml(path, SettingsFile, place)
    inject = _inject(file.inject, f"{place}: inject.files") if file.inject else dict(_DEFAULT_INJECT)
    protocols = {}
    for name, table in file.protocols.items():
        own = f"{place}: protocols.{name}"
        if name[:1].isdecimal():
            raise RequestError(own, f'"{name}" would hide the notation', "begin with a letter")
        protocols[name] = Protocol.from_table(name, table, own)
    return Settings(inject, protocols, knowledge, facts, _source_url(file.source_url, f"{place}: source_url"))


def _source_url(text: str, place: str) -> str:
    if text and not (text.startswith(("https://", "http://")) and "{path}" in text):
        remedy = "write an address such as https://github.com/OWNER/NAME/blob/main/{path}#L{line}"
        raise RequestError(place, f'"{text}" is not an address of a file', remedy)
    return text


def _inject(table: InjectTable, place: str) -> dict[str, list[str] | None]:
    if isinstance(table.files, dict):
        return {below(name, f'{place}."{name}"'): tables for name, tables in table.files.items()}
    names = [table.files] if isinstance(table.files, str) else table.files
    return {below(name, f"{place}[{i}]"): None for i, name in enumerate(names)}


def read_expected(path: Path, place: str) -> tuple[SpeedFacts, tuple[SpeedFact | ComputedFact, ...]]:
    """Return the systems and the facts of an `expected.toml`, none if there is no such file."""
    if not path.exists():
        return NO_FACTS, ()
    file = read_toml(path, ExpectedFile, place)
    knowledge = SpeedFacts({name: conditions(where) for name, where in file.systems.items()}, (), place)
    return knowledge, tuple(
        _fact(entry, f"{place}: fact[{i}]", knowledge) for i, entry in enumerate(file.fact)
    )


def _fact(entry: FactEntry, place: str, knowledge: SpeedFacts) -> SpeedFact | ComputedFact:
    for name in ("of", "to", "source"):
        if not getattr(entry, name):
            raise RequestError(f"{place}.{name}", "empty", f'write {name} = "..."')
    knowledge.check(entry.of, f"{place}.of")
    knowledge.check(entry.to, f"{place}.to")
    if entry.of == entry.to:
        raise RequestError(place, f'a fact from "{entry.of}" to itself', "compare two systems")
    speed = math.nan if entry.computed else entry.speed
    if speed is None:
        raise RequestError(f"{place}.speed", "missing", "add speed = ...")
    where = conditions(entry.where)
    fact = SpeedFact(entry.of, entry.to, speed, where, entry.source, entry.url, entry.read, place)
    return check_computed(entry.computed, f"{place}.computed", fact) if entry.computed else fact
