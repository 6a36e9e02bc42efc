"""Read a TOML table key by key, so that every wrong key or type is an error with its place.

Each getter consumes its key; `done` raises for what is left, with the nearest known name. So the
list of known keys is nothing but the list of getters called, and cannot drift from it.
"""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reportgen.core.errors import RequestError, did_you_mean, misspelt
from reportgen.core.model import FactorValue, is_value
from reportgen.tables.spec import Wanted


def read_text(path: Path, place: str, *, what: str = "") -> str:
    """Return a file of the request as text. Raises RequestError if it is not there or not UTF-8.

    what  how the file is called where `place` is that of a key which names it
    """
    called = f'"{what}": ' if what else ""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise RequestError(
            place, f"{called}not UTF-8 text at byte {error.start}", "save it as UTF-8"
        ) from None
    except OSError as error:
        raise RequestError(place, f"{called}{str(error.strerror or error).lower()}") from None


def read_toml(path: Path, place: str) -> "Section":
    """Return the file as a section. Raises RequestError for a file that is not there or not TOML."""
    try:
        return Section(place, tomllib.loads(read_text(path, place)), top=True)
    except tomllib.TOMLDecodeError as error:
        raise RequestError(place, f"not valid TOML: {str(error)[:1].lower()}{str(error)[1:]}") from None
    except ValueError:  # of int(), before tomllib can say where
        raise RequestError(place, "not valid TOML: an integer of thousands of digits") from None
    except RecursionError:
        raise RequestError(place, "not valid TOML: nested too deeply") from None


def inside(root: Path, path: str, place: str) -> Path:
    """Return a path below the root on disk. Raises RequestError if a link on the way leads out of it."""
    found = root / path
    if not found.resolve().is_relative_to(root.resolve()):
        raise RequestError(
            place, f'"{path}" leads out of the repository through a link', "copy what it links to"
        )
    return found


class Section:
    """One table of a TOML file. `place` is the file and the path of keys that lead to it."""

    def __init__(self, place: str, table: Mapping[str, Any], *, top: bool = False) -> None:
        self.place = place
        self._table = dict(table)
        self._known: list[str] = []
        self._separator = ": " if top else "."

    def at(self, key: str) -> str:
        """Return the place of a key of this section."""
        return f"{self.place}{self._separator}{key}"

    def _take(self, key: str, kinds: type | tuple[type, ...], what: str) -> Any:
        self._known.append(key)
        value = self._table.pop(key, None)
        if value is not None and (not isinstance(value, kinds) or (isinstance(value, bool) and kinds is int)):
            raise RequestError(self.at(key), f"{_kind(value)} where {what} is wanted")
        _check_size(value, self.at(key))
        return value

    def text(self, key: str, default: str = "") -> str:
        """Return a string."""
        value = self._take(key, str, "a string")
        return default if value is None else value

    def required(self, key: str) -> str:
        """Return a string that must be there and not be empty."""
        value = self.text(key)
        if not value:
            self._check_misspelt(key)
            raise RequestError(self.at(key), "missing", f'add {key} = "..."')
        return value

    def choice(self, key: str, known: Mapping[str, Any], default: str = "") -> str:
        """Return a string that is one of the known ones."""
        value = self.text(key, default)
        if value not in known:
            raise RequestError(self.at(key), f'"{value}" is not known', did_you_mean(value, known))
        return value

    def flag(self, key: str) -> bool:
        """Return true or false, false where the key is absent."""
        return bool(self._take(key, bool, "true or false"))

    def number(self, key: str) -> int | None:
        """Return an integer, None where the key is absent."""
        value: int | None = self._take(key, int, "an integer")
        return value

    def positive(self, key: str) -> float:
        """Return a number above zero that must be there."""
        value = self._take(key, (int, float), "a number")
        if value is None:
            self._check_misspelt(key)
            raise RequestError(self.at(key), "missing", f"add {key} = ...")
        if isinstance(value, bool) or not 0 < value < float("inf"):
            raise RequestError(self.at(key), f"{value} where a number above 0 is wanted")
        return float(value)

    def _check_misspelt(self, key: str) -> None:
        """Raise RequestError for a key that stands there in place of a missing one."""
        if wrong := misspelt(key, self._table):
            raise RequestError(self.at(wrong), "no such key", f'did you mean "{key}"?')

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings; one string counts as a list of one."""
        value = self._take(key, (str, list), "a string or a list of strings")
        if value is None:
            return ()
        values = [value] if isinstance(value, str) else value
        for position, one in enumerate(values):
            if not isinstance(one, str):
                raise RequestError(f"{self.at(key)}[{position}]", f"{_kind(one)} where a string is wanted")
        return tuple(values)

    def section(self, key: str) -> "Section | None":
        """Return a table within this one, None where it is absent."""
        value = self._take(key, dict, "a table")
        return None if value is None else Section(self.at(key), value)

    def is_table(self, key: str) -> bool:
        """Return whether the key holds a table, for keys that take a list or a table."""
        return isinstance(self._table.get(key), dict)

    def sections(self, key: str) -> list["Section"]:
        """Return a list of tables."""
        values = self._take(key, list, "a list of tables") or []
        for position, value in enumerate(values):
            if not isinstance(value, dict):
                raise RequestError(f"{self.at(key)}[{position}]", f"{_kind(value)} where a table is wanted")
        return [Section(f"{self.at(key)}[{position}]", value) for position, value in enumerate(values)]

    def date(self, key: str) -> str:
        """Return a date as text, whether TOML's own or a string."""
        value = self._take(key, object, "a date")
        return "" if value is None else str(value)

    def names(self) -> Iterator[str]:
        """Yield the keys not taken yet, for tables whose keys are the user's own."""
        yield from list(self._table)

    def values(self) -> dict[str, object]:
        """Take all keys with whatever they hold, for a reader with checks of its own."""
        found: dict[str, object] = dict(self._table)
        self._table.clear()
        return found

    def scalars(self) -> dict[str, FactorValue]:
        """Take all keys as names and return them with their single values."""
        return {name: self._scalar(self.at(name), self._table.pop(name)) for name in self.names()}

    def wanted(self) -> dict[str, Wanted]:
        """Take all keys as names and return them with the one or several values each may have."""
        found = {}
        for name in self.names():
            value = self._table.pop(name)
            values = value if isinstance(value, list) else [value]
            if not values:
                raise RequestError(self.at(name), "an empty list matches nothing")
            found[name] = tuple(self._scalar(self.at(name), one) for one in values)
        return found

    @staticmethod
    def _scalar(place: str, value: object) -> FactorValue:
        if not isinstance(value, (str, int, float, bool)):
            raise RequestError(place, f"{_kind(value)} where a string, a number or true or false is wanted")
        _check_size(value, place)
        return value

    def done(self) -> None:
        """Raise RequestError for the first key that nobody asked for."""
        for key in self._table:
            raise RequestError(self.at(key), "no such key", did_you_mean(key, self._known))


def _check_size(value: object, place: str) -> None:
    if isinstance(value, int) and not is_value(value):
        raise RequestError(place, "an integer of more than 64 bits")


def _kind(value: object) -> str:
    kinds = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "a table",
    }
    return kinds.get(type(value), "a date")
