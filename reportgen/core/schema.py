"""Read TOML into typed tables: msgspec structs say what a file may hold, errors say place, fact and remedy.

A subclass of `TomlTable` is the schema of one TOML table. Its fields are the known keys, their types and
bounds the accepted values; `__post_init__` raises InvalidTable for values that do not fit together. `decode`
and `convert` raise RequestError for the first fault. `convert_valid_parts` leaves out what is wrong and
reports all of it, for files that are data and must not stop a build.

msgspec: https://jcristharif.com/msgspec/
"""

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, time
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import inspect

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import Accepted, Presence
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue

T = TypeVar("T")

# One value or several: what `where` accepts for a factor or column.
Condition = FactorValue | Annotated[list[FactorValue], msgspec.Meta(min_length=1)]
Key = str | int

_INTEGER_LIMIT = 2**63
_MAX_VALUE_CHARS = 60
_UNKNOWN_KEY, _MISSING = "no such key", "missing"
_SEGMENT = lazy_pattern(r"\.([^.\[\]]+)|\[(\d+)\]|(\[\.\.\.\])")
_NAMED_KINDS = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}


class TomlTable(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The schema of one TOML table. Other keys than fields are errors."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a document: the keys that lead to it, what is wrong, what to do."""

    path: tuple[Key, ...]
    fact: str
    remedy: str = ""

    @property
    def place(self) -> str:
        """The path as TOML writes it, "" for the whole document."""
        return path_text(self.path)


class InvalidTable(ValueError):
    """Raised by `__post_init__` of a TomlTable whose values do not fit together.

    path  keys below the table that the error is about, none for the table itself
    """

    def __init__(self, fact: str, remedy: str = "", path: tuple[Key, ...] = ()) -> None:
        super().__init__(fact)
        self.fault = Fault(path, fact, remedy)


# Definitions of many tables have some 100 kB.
MAX_CHARACTERS = 4 * 2**20

# tomllib takes quadratic time and memory for a key of many parts: 3.6 GB for 60 kB. No value has parts, so
# whatever has too many of them outside of comments and strings is such a key. A quote that is not closed
# reaches to the end of the line or of the text, so that a search takes linear time.
_MAX_KEY_PARTS = 100
_KEY_PART = r"""(?:"(?:[^"\\\n]|\\[^\n])*+"?+|'[^'\n]*+'?+|[A-Za-z0-9_-]++)"""
_NEXT_PART = rf"(?:[ \t]*+\.[ \t]*+{_KEY_PART})"
_KEY_OR_SKIPPED = lazy_pattern(
    r"#[^\n]*+"
    r'|"{3}(?:[^"\\]|\\.|"{1,2}(?!"))*+(?:"{3,5})?+'
    r"|'{3}(?:[^']|'{1,2}(?!'))*+(?:'{3,5})?+"
    rf"|(?P<deep>{_KEY_PART}{_NEXT_PART}{{{_MAX_KEY_PARTS}}})"
    rf"|{_KEY_PART}{_NEXT_PART}*+",
    re.DOTALL,
)


def read_text(path: Path, place: str, *, what: str = "") -> str:
    """Return a file of the request as text. Raises RequestError if it does not exist or is not UTF-8.

    what  the file's name, where `place` is the key that names it
    """
    subject = f'"{what}": ' if what else ""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise RequestError(place, f"{subject}is not a file", "replace it by a file")
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        fact = f"{subject}not UTF-8 text at byte {error.start}"
        raise RequestError(place, fact, "save it as UTF-8") from None
    except OSError as error:
        fact = f"{subject}{str(error.strerror or error).lower()}"
        raise RequestError(place, fact, "check the path and its permissions") from None


def read_toml(path: Path, kind: type[T], place: str) -> T:
    """Return a TOML file as a `kind`. Raises RequestError for anything wrong with it."""
    return decode(read_text(path, place), kind, place)


def decode(text: str, kind: type[T], place: str) -> T:
    """Return TOML text as a `kind`; `place` is the name of the file. Raises RequestError."""
    try:
        document = parse(text)
    except ValueError as error:
        raise RequestError(place, str(error), "correct it there; the grammar is at https://toml.io") from None
    return convert(document, kind, place)


def parse(text: str) -> dict[str, Any]:
    """Return TOML text as a document. Raises ValueError with a message for people."""
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"longer than {MAX_CHARACTERS // 2**20} MiB")
    if deep := next((key for key in _KEY_OR_SKIPPED.finditer(text) if key["deep"]), None):
        line = text.count("\n", 0, deep.start()) + 1
        raise ValueError(f"not valid TOML: a key of more than {_MAX_KEY_PARTS} parts (at line {line})")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {str(error)[:1].lower()}{str(error)[1:]}") from None
    except ValueError:  # from int(), before tomllib knows the line
        raise ValueError("not valid TOML: an integer of thousands of digits") from None
    except RecursionError:
        raise ValueError("not valid TOML: nested too deeply") from None


def convert(document: object, kind: type[T], place: str) -> T:
    """Return a parsed TOML document as a `kind`; dates become text. Raises RequestError for the first fault.

    place  the name of the file, or the file and the keys that lead to the document ("x.toml: tables[0]")
    """
    try:
        return msgspec.convert(_plain(document, ()), kind)
    except _FaultFound as error:
        fault = error.fault
    except msgspec.ValidationError as error:
        fault = _fault(error, document, kind)
    raise RequestError(_joined(place, fault.path), fault.fact, fault.remedy)


def convert_valid_parts(document: dict[str, Any], kind: type[T]) -> tuple[T, list[Fault]]:
    """Return a document as a `kind` without its faulty parts, and a fault for each part left out.

    A key that is unknown or has a wrong value is left out. In an entry of a list of tables that would change
    what the entry means, so an entry with a wrong value is left out as a whole. All fields of `kind` itself
    need defaults.
    """
    faults: list[Fault] = []
    removed: dict[tuple[Key, ...], list[int]] = {}
    document = _without_unusable_values(document, faults)
    while True:
        try:
            return msgspec.convert(document, kind), faults
        except msgspec.ValidationError as error:
            fault = _fault(error, document, kind)
        faults.append(replace(fault, path=_original(fault.path, removed)))
        _remove(document, _faulty_part(fault, document), removed)


class PresenceTable(TomlTable):
    """`{ absent = true }` or `{ present = true }`: whether a factor is there, whatever its value."""

    absent: bool = False
    present: bool = False

    def __post_init__(self) -> None:
        """Check that it says one of the two."""
        if self.absent == self.present:
            raise InvalidTable("says neither absent nor present alone", "write { absent = true }")

    @property
    def presence(self) -> Presence:
        """Return it as a condition."""
        return Presence.ABSENT if self.absent else Presence.PRESENT


def where_conditions(table: Mapping[str, Condition | PresenceTable]) -> dict[str, Accepted]:
    """Return name -> accepted values, or whether the factor is there."""
    return {
        name: (value.presence,) if isinstance(value, PresenceTable) else conditions({name: value})[name]
        for name, value in table.items()
    }


def conditions(table: Mapping[str, Condition]) -> dict[str, tuple[FactorValue, ...]]:
    """Return name -> accepted values; a single value is a list of one."""
    return {name: tuple(value) if isinstance(value, list) else (value,) for name, value in table.items()}


def path_text(path: tuple[Key, ...]) -> str:
    """Return keys as TOML writes them: `tables[0].where."my factor"`."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            name = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else f'"{key}"'
            text += f".{name}" if text else name
    return text


class _FaultFound(Exception):
    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.fact)
        self.fault = fault


def _plain(value: object, path: tuple[Key, ...]) -> object:
    """Return a document with dates as text. Raises _FaultFound for numbers that nothing can hold."""
    if isinstance(value, str | bool):  # first, because most values are
        return value
    if isinstance(value, dict):
        return {key: _plain(item, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, (*path, position)) for position, item in enumerate(value)]
    if isinstance(value, date | time):
        return str(value)
    if isinstance(value, int) and not -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
        raise _FaultFound(Fault(path, "an integer of more than 64 bits"))
    if isinstance(value, float) and not math.isfinite(value):
        raise _FaultFound(Fault(path, "not a finite number"))
    return value


def _without_unusable_values(document: dict[str, Any], faults: list[Fault]) -> dict[str, Any]:
    while True:
        try:
            plain = _plain(document, ())
        except _FaultFound as error:
            faults.append(error.fault)
            _remove(document, _faulty_part(error.fault, document), {})
        else:
            assert isinstance(plain, dict)
            return plain


def _joined(place: str, path: tuple[Key, ...]) -> str:
    text = path_text(path)
    if not text or text.startswith("["):
        return f"{place}{text}"
    return f"{place}: {text}" if place.endswith(".toml") else f"{place}.{text}"


def _fault(error: msgspec.ValidationError, document: object, kind: Any) -> Fault:
    """Return what msgspec found, with the keys that it does not name, and a remedy."""
    message, _, location = str(error).rpartition(" - at `$")
    path = _located(location.rstrip("`"), document, kind, str(error)) if message else ()
    message = message or str(error)
    if isinstance(error.__cause__, InvalidTable):
        fault = error.__cause__.fault
        return replace(fault, path=(*path, *fault.path))
    expected = _expected(kind, document, path)
    value = _at(document, path)
    if match := re.fullmatch(r"Object contains unknown field `(.*)`", message):
        names = [field.encode_name for field in getattr(expected, "fields", ())]
        inside = [
            field.encode_name for field in _nested_fields(expected) if match[1] in _names_in(field.type)
        ]
        remedy = f"it belongs inside {inside[0]}" if inside else did_you_mean(match[1], names)
        return Fault((*path, match[1]), _UNKNOWN_KEY, remedy)
    if match := re.fullmatch(r"Object missing required field `(.*)`", message):
        return Fault((*path, match[1]), _MISSING, f"add {match[1]} = {_example(expected, match[1])}")
    if message.startswith("Invalid enum value"):
        is_enum = isinstance(expected, inspect.EnumType)
        values = [str(known) for known in (expected.cls if is_enum else getattr(expected, "values", ()))]
        return Fault(path, f"{_shown(value)} is not known", did_you_mean(str(value), values))
    if match := re.fullmatch(r"Expected `([^`]*)`, got `[^`]*`", message):
        kinds = [_NAMED_KINDS.get(name, name) for name in match[1].split(" | ")]
        fact = f"expected {_either(kinds)}, got {_shown(value)}"
        return Fault(path, fact, _written(_declared(kind, document, path), path, value))
    if isinstance(value, list):
        return Fault(path, "an empty list", "name at least one value")
    return Fault(path, f"{_shown(value)} is out of range", _bounds(expected))


def _nested_fields(kind: object) -> tuple[inspect.Field, ...]:
    return kind.fields if isinstance(kind, inspect.StructType) else ()


def _names_in(kind: inspect.Type) -> set[str]:
    """Return the keys of the table that a field holds, alone or as one of several types."""
    kinds = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    return {field.encode_name for each in kinds for field in _nested_fields(each)}


def _located(text: str, document: object, kind: Any, message: str) -> tuple[Key, ...]:
    """Return the path of a msgspec location; for `[...]` the key is the one that fails when it is alone."""
    path: tuple[Key, ...] = ()
    for match in _SEGMENT.finditer(text):
        if match[3] is None:
            path = (*path, match[1] if match[1] is not None else int(match[2]))
            continue
        table = _at(document, path)
        assert isinstance(table, Mapping)
        for key in table:
            alone = _replaced(document, path, {key: table[key]})
            try:
                msgspec.convert(alone, kind)
            except msgspec.ValidationError as error:
                if str(error) == message:
                    path = (*path, key)
                    break
    return path


def _at(document: Any, path: tuple[Key, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def _replaced(document: Any, path: tuple[Key, ...], value: object) -> Any:
    """Return a copy of a document with another value at a path."""
    if not path:
        return value
    copy: Any = dict(document) if isinstance(document, Mapping) else list(document)
    copy[path[0]] = _replaced(document[path[0]], path[1:], value)
    return copy


def _expected(kind: Any, document: object, path: tuple[Key, ...]) -> Any:
    """Return msgspec's description of the type that is wanted at a path, for a value of the kind it has."""
    return _alternative(_declared(kind, document, path), _at(document, path))


def _declared(kind: Any, document: object, path: tuple[Key, ...]) -> Any:
    """Return msgspec's description of the type that is declared at a path; it may be a union."""
    described: Any = inspect.type_info(kind)
    value: Any = document
    for key in path:
        described, value = _alternative(described, value), value[key]
        if isinstance(described, inspect.StructType | inspect.DataclassType):
            described = next(field.type for field in described.fields if field.encode_name == key)
        else:
            described = getattr(described, "value_type", None) or getattr(described, "item_type", None)
    return described


def _alternative(described: Any, value: object) -> Any:
    """Return the alternative of a union that a value chooses by its kind."""
    if not isinstance(described, inspect.UnionType):
        return described
    options: dict[str, list[Any]] = {"table": [], "list": [], "value": []}
    for option in described.types:
        is_table = isinstance(option, inspect.StructType | inspect.DictType)
        is_list = isinstance(option, inspect.ListType)
        options["table" if is_table else "list" if is_list else "value"].append(option)
    kind = "table" if isinstance(value, Mapping) else "list" if isinstance(value, list) else "value"
    chosen = options[kind]
    return chosen[0] if chosen else described


def _example(expected: Any, name: str) -> str:
    kinds = {field.encode_name: field.type for field in getattr(expected, "fields", ())}
    return _sample(kinds.get(name))


def _written(described: Any, path: tuple[Key, ...], value: object) -> str:
    """Return how to write a value that has the wrong type: `write rows = "..."`."""
    options = described.types if isinstance(described, inspect.UnionType) else (described,)
    samples = [sample for option in options if (sample := _sample(option)) != "..."]
    tables = [option for option in options if _is_table_list(option)]
    if not samples:
        return "write a number without quotes" if isinstance(value, str) else ""
    if not path or isinstance(path[-1], int):
        return f"write {' or '.join(samples[:2])}"
    name = path_text(path[-1:])
    return f"write it as [[{name}]]" if tables else f"write {name} = {' or '.join(samples[:2])}"


def _is_table_list(described: Any) -> bool:
    item = getattr(described, "item_type", None)
    return isinstance(item, inspect.StructType)


def _sample(described: Any) -> str:
    """Return a value of a type as TOML writes it, "..." for numbers."""
    if isinstance(described, inspect.StructType):
        required = [field for field in described.fields if field.required]
        inner = ", ".join(f"{field.encode_name} = {_sample(field.type)}" for field in required)
        return f"{{ {inner or 'name = value'} }}"
    if isinstance(described, inspect.DictType):
        return "{ name = value }"
    if isinstance(described, inspect.Metadata):
        examples = (described.extra_json_schema or {}).get("examples", [])
        return f'"{examples[0]}"' if examples else _sample(described.type)
    if isinstance(described, inspect.EnumType | inspect.LiteralType):
        values = described.cls if isinstance(described, inspect.EnumType) else described.values
        return f'"{next(iter(values))}"'
    if isinstance(described, inspect.StrType):
        return '"..."'
    if isinstance(described, inspect.ListType | inspect.VarTupleType):
        return f"[{_sample(described.item_type)}]"
    return "true or false" if isinstance(described, inspect.BoolType) else "..."


def _bounds(expected: Any) -> str:
    words = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}
    bounds = [
        f"{word} {getattr(expected, name):g}"
        for name, word in words.items()
        if getattr(expected, name, None) is not None
    ]
    return f"use a number {' and '.join(bounds)}" if bounds else ""


def _either(kinds: list[str]) -> str:
    kinds = [kind for kind in kinds if kind != "nothing"]
    if {"an integer", "a number"} <= set(kinds):
        kinds.remove("an integer")
    return kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} or {kinds[-1]}"


def _shown(value: object) -> str:
    if isinstance(value, Mapping | list):
        return "a table" if isinstance(value, Mapping) else "a list"
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _MAX_VALUE_CHARS else f"{text[:_MAX_VALUE_CHARS]}..."


def _faulty_part(fault: Fault, document: object) -> tuple[Key, ...]:
    """Return what to leave out: the key, or the entry of a list of tables that has it."""
    if fault.fact == _UNKNOWN_KEY:
        return fault.path
    path = fault.path[:-1] if fault.fact == _MISSING else fault.path
    for length, key in enumerate(path):
        if isinstance(key, int):
            is_table = isinstance(_at(document, path[: length + 1]), Mapping)
            return path[: length + 1] if is_table else path[:length]
    return path


def _remove(document: Any, path: tuple[Key, ...], removed: dict[tuple[Key, ...], list[int]]) -> None:
    if isinstance(path[-1], int):
        removed.setdefault(path[:-1], []).append(_original(path, removed)[-1])  # type: ignore[arg-type]
    del _at(document, path[:-1])[path[-1]]


def _original(path: tuple[Key, ...], removed: Mapping[tuple[Key, ...], list[int]]) -> tuple[Key, ...]:
    """Return a path with the positions that entries had before others were removed."""
    keys = list(path)
    for at, key in enumerate(path):
        if isinstance(key, int):
            for earlier in sorted(removed.get(path[:at], [])):
                keys[at] += earlier <= keys[at]  # type: ignore[operator]
    return tuple(keys)
