"""Read labels.toml: facts about the logs below its folder that the files themselves do not state.

Constants, renamed factors and values, factors from paths, settings of formats, a custom format, own tables.
Where several labels.toml apply to a log, the nearest wins; `apply` applies them to a run. A labels.toml is
part of the request, not of the data: anything wrong with it raises RequestError. Grammar:
docs/reference/labels.md.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal

from msgspec import field as struct_field

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.model import RESERVED, Factors, FactorValue, Source
from reportgen.core.schema import TomlTable, decode
from reportgen.formats.custom import reader as custom
from reportgen.formats.custom.definition import format_definition
from reportgen.formats.registry import FORMATS
from reportgen.formats.tables import own
from reportgen.labels.path_pattern import PathPattern
from reportgen.sources.logfiles import Settings

NAME = "labels.toml"
# How a file begins that `reportgen learn` wrote.
LEARNED = "# Proposed by `reportgen learn "
_ACCEPTED = "# Accepted by `reportgen init`, since nothing was in doubt: check it.\n"
# A path part or constant of this name is the number of the repeat, not a factor.
REPEAT = "repeat"
# Each file is compared with every definition, and each definition is kept in its checked form.
_MAX_TABLES = 64

_CONFIGURABLE = [known.name for known in FORMATS if known not in (custom.FORMAT, own.FORMAT)]


class PathEntry(TomlTable):
    """One `[[paths]]` entry."""

    pattern: str


class LabelsFile(TomlTable):
    """A labels.toml. What the tables of single formats may hold is known to these."""

    constants: dict[str, FactorValue] = struct_field(default_factory=dict)
    environment: dict[str, FactorValue] = struct_field(default_factory=dict)
    rename: dict[str, str] = struct_field(default_factory=dict)
    aliases: dict[str, dict[str, FactorValue]] = struct_field(default_factory=dict)
    paths: tuple[PathEntry, ...] = ()
    formats: dict[str, dict[str, Any]] = struct_field(default_factory=dict)
    format: dict[str, Any] | None = None
    table: dict[str, Any] | list[dict[str, Any]] | None = None
    prefer: Literal["log", "labels"] | None = None
    time_zone: str | None = None


@dataclass(frozen=True, slots=True)
class PathMatch:
    """The number of the pattern that matches a path, and the factors in the path."""

    number: int
    factors: Factors


@dataclass(frozen=True, slots=True)
class Labels:
    """One labels.toml. `folder` is relative to the root ("" is the root itself).

    sha256      of its content
    utc_offset  s that the local times of its logs are ahead of UTC, None if it does not say it
    """

    folder: str
    sha256: str = ""
    constants: Factors = field(default_factory=dict)
    environment: Factors = field(default_factory=dict)
    rename: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, Factors] = field(default_factory=dict)
    paths: tuple[PathPattern, ...] = ()
    formats: Settings = field(default_factory=dict)
    format: Mapping[str, Any] | None = None
    tables: tuple[Mapping[str, Any], ...] = ()
    prefer: str | None = None
    utc_offset: float | None = None

    @property
    def source(self) -> Source:
        """The file itself."""
        return Source(f"{self.folder}/{NAME}" if self.folder else NAME)

    @property
    def table_names(self) -> tuple[str, ...]:
        """The names of its definitions of logs and tables."""
        return tuple(str(each["name"]) for each in (*([self.format] if self.format else []), *self.tables))

    def holds(self, path: str) -> bool:
        """Whether a log (path relative to the root) is in or below the folder."""
        return not self.folder or path == self.folder or path.startswith(self.folder + "/")

    def match(self, path: str) -> "PathMatch | None":
        """Return the match of the first pattern that matches a path."""
        below = path[len(self.folder) + 1 :] if self.folder else path
        for number, pattern in enumerate(self.paths):
            if (factors := pattern.match(below)) is not None:
                return PathMatch(number, factors)
        return None


def parse(content: bytes, folder: str) -> Labels:
    """Return the labels of a folder. Raises RequestError for anything wrong with them."""
    place = Labels(folder).source.path
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise RequestError(place, f"not UTF-8 text at byte {error.start}", "save it as UTF-8") from None
    file = decode(text, LabelsFile, place)
    _check_names(f"{place}: constants", {name: name for name in file.constants})
    _check_names(f"{place}: rename", file.rename)
    repeat = file.constants.get(REPEAT, 0)
    if not isinstance(repeat, int) or isinstance(repeat, bool):
        raise RequestError(f"{place}: constants.{REPEAT}", "not an integer", "write the number of the repeat")
    for name in file.formats:
        if name not in _CONFIGURABLE:
            raise RequestError(
                f"{place}: formats.{name}", "no such format", did_you_mean(name, _CONFIGURABLE)
            )
    if file.format is not None:
        _check_custom_format(file.format, f"{place}: format")
    tables = _checked_tables(file.table, f"{place}: table")
    return Labels(
        folder,
        sha256=sha256(content).hexdigest(),
        constants=file.constants,
        environment=file.environment,
        rename=file.rename,
        aliases=file.aliases,
        paths=tuple(
            _pattern(entry.pattern, f"{place}: paths[{i}].pattern") for i, entry in enumerate(file.paths)
        ),
        formats=file.formats,
        format=file.format,
        tables=tables,
        prefer=file.prefer,
        utc_offset=None if file.time_zone is None else _utc_offset(file.time_zone, f"{place}: time_zone"),
    )


def _utc_offset(zone: str, place: str) -> float:
    """Return the s that a zone is ahead of UTC. Names of zones are refused: most have a summer time."""
    try:
        offset = datetime.fromisoformat(f"2000-01-01T00:00:00{zone}").utcoffset()
    except ValueError:
        offset = None
    if offset is None:
        raise RequestError(place, f'"{zone}" is not an offset from UTC', 'write "+08:00", "-05:00" or "Z"')
    return offset.total_seconds()


def above(path: str, labels: Iterable[Labels]) -> list[Labels]:
    """Return the labels that hold for a path relative to the root, the nearest last."""
    return sorted((each for each in labels if each.holds(path)), key=lambda each: len(each.folder))


def settings(chain: Iterable[Labels]) -> Settings:
    """Return the settings of formats in a chain of labels, the nearest last; it wins key by key.

    A custom format and own tables are taken whole from the nearest labels that define them. A constant number
    of devices goes with the format, for rates that are printed per device.
    """
    merged: dict[str, Mapping[str, Any]] = {}
    devices: FactorValue | None = None
    for labels in chain:
        merged |= {name: {**merged.get(name, {}), **values} for name, values in labels.formats.items()}
        devices = labels.constants.get("devices", devices)
        if labels.format is not None:
            merged[custom.NAME] = labels.format
        if labels.tables:
            merged[own.NAME] = own.settings_of(labels.tables)
    if custom.NAME in merged and isinstance(devices, int) and devices > 0:
        merged[custom.NAME] = {**merged[custom.NAME], "devices": devices}
    return merged


def _checked_tables(
    tables: dict[str, Any] | list[dict[str, Any]] | None, place: str
) -> tuple[dict[str, Any], ...]:
    """Return the tables `[table]` or `[[table]]`, after a check of each."""
    several = isinstance(tables, list)
    every = tables if isinstance(tables, list) else [tables] if tables is not None else []
    if len(every) > _MAX_TABLES:
        remedy = "write those of some logs into a labels.toml in their folder"
        raise RequestError(place, f"{len(every):,} definitions, more than {_MAX_TABLES}", remedy)
    for position, table in enumerate(every):
        at = f"{place}[{position}]" if several else place
        name = own.table_definition(at, table).name
        if name in [known.name for known in FORMATS]:
            raise RequestError(f"{at}.name", f'"{name}" is a known format', "choose another name")
    return tuple(every)


def _check_custom_format(table: Mapping[str, Any], place: str) -> None:
    if "devices" in table:
        raise RequestError(f"{place}.devices", "no such key", "write it below [constants]")
    name = format_definition(place, table).name
    if name in [known.name for known in FORMATS]:
        raise RequestError(f"{place}.name", f'"{name}" is a known format', "choose another name")


def _check_names(place: str, names: Mapping[str, str]) -> None:
    """Check factor names, each given by the key that introduces it."""
    for key, name in names.items():
        if name != REPEAT:
            _check_name(f"{place}.{key}", name)


def _check_name(place: str, name: str) -> None:
    if name in RESERVED:
        raise RequestError(place, f'"{name}" is reserved and cannot be a factor', "choose another name")


def _pattern(text: str, place: str) -> PathPattern:
    if ".." in text.split("/"):
        raise RequestError(place, f'"{text}" leads out of the folder', "patterns stay below it")
    try:
        pattern = PathPattern.parse(text)
    except ValueError as error:
        raise RequestError(
            place, str(error), "parts are {name}, {name:int}, {name:float} and {_}, each name once"
        ) from None
    for name, kind in pattern.parts:
        if name != REPEAT:
            _check_name(place, name)
        elif kind != "int":
            raise RequestError(place, f'"{{{name}}}" is not declared as a number', "write {repeat:int}")
    return pattern


def accepted_by_init(text: str) -> str:
    """Return a labels.toml that `learn` proposed with the remark that no person accepted it."""
    head, newline, rest = text.partition("\n")
    return f"{head}{newline}{_ACCEPTED}{rest}"


def is_accepted_by_init(text: str) -> bool:
    """Return whether `init` accepted a labels.toml."""
    return _ACCEPTED in text
