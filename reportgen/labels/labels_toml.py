"""What the files themselves cannot tell: labels.toml, for everything below its folder.

Constants, names and values put in order, factors from paths, settings for formats, a format of one's own.
Where several labels.toml lie above a log, the nearer wins; `labelling` applies them to a run. A labels.toml
is part of the request, not of the data: what is wrong with it raises RequestError.
Grammar: docs/reference/labels.md.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.model import RESERVED, Factors, FactorValue, Source, is_value
from reportgen.formats.custom import reader as custom
from reportgen.formats.custom.definition import definition
from reportgen.formats.registry import FORMATS
from reportgen.labels.path_pattern import PathPattern
from reportgen.sources.logfiles import Settings

NAME = "labels.toml"
_KEYS = ("constants", "environment", "rename", "aliases", "paths", "formats", "format", "prefer")
# A part or constant of this name numbers the run instead of describing its case.
REPEAT = "repeat"


@dataclass(frozen=True, slots=True)
class Labels:
    """One labels.toml. `folder` is relative to the root ("" is the root itself)."""

    folder: str
    constants: Factors = field(default_factory=dict)
    environment: Factors = field(default_factory=dict)
    rename: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, Factors] = field(default_factory=dict)
    paths: tuple[PathPattern, ...] = ()
    formats: Settings = field(default_factory=dict)
    format: Mapping[str, Any] | None = None
    prefer: str | None = None

    @property
    def source(self) -> Source:
        """The file itself."""
        return Source(f"{self.folder}/{NAME}" if self.folder else NAME)

    def holds(self, path: str) -> bool:
        """Whether a log (path relative to the root) lies in or below the folder."""
        return not self.folder or path == self.folder or path.startswith(self.folder + "/")

    def fitting(self, path: str) -> tuple[int, Factors] | None:
        """Return the first pattern that a path fits, by its number, and what it reads from the path."""
        below = path[len(self.folder) + 1 :] if self.folder else path
        for number, pattern in enumerate(self.paths):
            if (found := pattern.match(below)) is not None:
                return number, found
        return None


def parse(content: bytes, folder: str) -> Labels:
    """Return the labels of a folder; RequestError says what is wrong with them."""
    place = Labels(folder).source.path
    try:
        document = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise RequestError(place, f"not TOML: {error}") from None
    _check_keys(place, document, _KEYS)
    for key in ("constants", "environment", "rename", "aliases", "formats"):
        if not isinstance(document.get(key, {}), dict):
            raise RequestError(f"{place}: {key}", "is not a table", f"write [{key}]")
    prefer = document.get("prefer")
    if prefer not in (None, "log", "labels"):
        raise RequestError(f"{place}: prefer", f'"{prefer}" is neither "log" nor "labels"')
    _check_keys(f"{place}: formats", document.get("formats", {}), _configurable())
    return Labels(
        folder,
        constants=_factors(f"{place}: constants", document.get("constants", {})),
        environment=_scalars(f"{place}: environment", document.get("environment", {})),
        rename=_names(f"{place}: rename", document.get("rename", {})),
        aliases={
            factor: _scalars(f"{place}: aliases.{factor}", values)
            for factor, values in document.get("aliases", {}).items()
        },
        paths=_patterns(place, document.get("paths", [])),
        formats={
            name: _is_table(f"{place}: formats.{name}", values)
            for name, values in document.get("formats", {}).items()
        },
        format=_own_format(f"{place}: format", document.get("format")),
        prefer=prefer,
    )


def above(path: str, labels: Iterable[Labels]) -> list[Labels]:
    """Return the labels that hold for a path relative to the root, the nearest last."""
    return sorted((each for each in labels if each.holds(path)), key=lambda each: len(each.folder))


def settings(chain: Iterable[Labels]) -> Settings:
    """Return what the labels say to the formats, the nearest last and winning key by key.

    A format of one's own is taken whole from the nearest that defines one: half of it would fit nothing. The
    devices that hold for every run go with it, for rates that are printed per device.
    """
    merged: dict[str, Mapping[str, Any]] = {}
    devices: FactorValue | None = None
    for labels in chain:
        merged |= {name: {**merged.get(name, {}), **values} for name, values in labels.formats.items()}
        devices = labels.constants.get("devices", devices)
        if labels.format is not None:
            merged[custom.NAME] = labels.format
    if custom.NAME in merged and isinstance(devices, int) and devices > 0:
        merged[custom.NAME] = {**merged[custom.NAME], "devices": devices}
    return merged


def _check_keys(place: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
    for key in table:
        if key not in known:
            raise RequestError(place, f'unknown key "{key}"', did_you_mean(key, known))


def _configurable() -> list[str]:
    return [known.name for known in FORMATS if known is not custom.FORMAT]


def _own_format(place: str, table: object) -> Mapping[str, Any] | None:
    if table is None:
        return None
    found = _is_table(place, table)
    if "devices" in found:
        raise RequestError(place, 'unknown key "devices"', "write it below [constants]")
    name = definition(place, found).name
    if name in [known.name for known in FORMATS]:
        raise RequestError(f"{place}.name", f'"{name}" is a format that is known already', "choose another")
    return found


def _is_table(place: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise RequestError(place, "is not a table")
    return value


def _scalars(place: str, table: object) -> dict[str, FactorValue]:
    found: dict[str, FactorValue] = {}
    for name, value in _is_table(place, table).items():
        if isinstance(value, (date, time)):
            found[name] = str(value)
        elif is_value(value):
            found[name] = value
        else:
            raise RequestError(
                f"{place}.{name}",
                "is not a text, number or boolean",
                "numbers are finite and fit into 64 bits",
            )
    return found


def _names(place: str, table: Mapping[str, Any]) -> dict[str, str]:
    for name, value in table.items():
        if not isinstance(value, str):
            raise RequestError(f"{place}.{name}", "is not the new name of a factor", 'write old = "new"')
        if value != REPEAT:
            _check_name(f"{place}.{name}", value)
    return dict(table)


def _check_name(place: str, name: str) -> None:
    if name in RESERVED:
        raise RequestError(place, f'"{name}" is reserved and cannot be a factor', "choose another name")


def _factors(place: str, table: object) -> dict[str, FactorValue]:
    """Return constants; `repeat` is a number, and other reserved names are refused."""
    found = _scalars(place, table)
    for name, value in found.items():
        if name != REPEAT:
            _check_name(f"{place}.{name}", name)
        elif not isinstance(value, int) or isinstance(value, bool):
            raise RequestError(f"{place}.{name}", f"{value!r} is not a whole number")
    return found


def _patterns(place: str, entries: object) -> tuple[PathPattern, ...]:
    if not isinstance(entries, list):
        raise RequestError(f"{place}: paths", "is not a list of tables", "write [[paths]]")
    patterns = []
    for number, entry in enumerate(entries):
        where = f"{place}: paths[{number}]"
        _check_keys(where, _is_table(where, entry), ("pattern",))
        text = entry.get("pattern")
        if not isinstance(text, str):
            raise RequestError(
                f"{where}.pattern", "is required, as text", 'write pattern = "{model}_{repeat:int}.log"'
            )
        if ".." in text.split("/"):
            raise RequestError(
                f"{where}.pattern", f'"{text}" leads out of the folder', "patterns stay below it"
            )
        try:
            patterns.append(PathPattern.parse(text))
        except ValueError as error:
            raise RequestError(f"{where}.pattern", str(error)) from None
        _check_parts(f"{where}.pattern", patterns[-1])
    return tuple(patterns)


def _check_parts(place: str, pattern: PathPattern) -> None:
    for name, kind in pattern.parts:
        if name != REPEAT:
            _check_name(place, name)
        elif kind != "int":
            raise RequestError(place, f'"{{{name}}}" does not say that it is a number', "write {repeat:int}")
