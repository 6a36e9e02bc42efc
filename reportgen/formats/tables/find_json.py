"""Find the tables in a JSON document: objects in lists, members of objects, columns or rows as lists."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reportgen.formats.parsing import json_values
from reportgen.formats.tables.column_words import CONFIGURATION, meaning_of
from reportgen.formats.tables.definition import Layout, TableRows
from reportgen.formats.tables.layouts import are_columns, is_split

_MAX_DEPTH = 5
_MAX_PATHS = 40
_PLAIN_KEY = re.compile(r"[^.\[\]{}*/]+")


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where the rows of a table are, and the texts that may say what it measures, the nearest first."""

    rows: TableRows
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _PlaceInJson:
    path: str
    layout: Layout = "objects"


def places_in_json(content: bytes, *, nested: bool) -> Iterator[TablePlace]:
    """Yield the tables of a document. nested  whether to look inside it, too."""
    document = json_values.load(content)
    if document is None:
        first = content.lstrip().partition(b"\n")[0]
        if isinstance(json_values.load(first), dict):
            yield TablePlace(TableRows(kind="jsonl"))
        return
    if isinstance(document, dict):
        yield TablePlace(TableRows(kind="json"))
    is_list = isinstance(document, list)
    places = list(_tables(document, "", 0)) if nested else [_PlaceInJson("[*]")] if is_list else []
    for each in places[:_MAX_PATHS]:
        keys = [key for key in re.split(r"\.|\[\*\]|\{\*\}", each.path) if key]
        titles = (*keys[-1:], *_stated_units(document))
        yield TablePlace(TableRows(kind="json", path=each.path, layout=each.layout), titles)


def _stated_units(document: object) -> Iterator[str]:
    """Yield the units that keys of a document state for its numbers: `unit`, `time_unit`."""
    for key, value in document.items() if isinstance(document, dict) else ():
        if isinstance(value, str) and re.fullmatch(r"(?i)(?:.*[_ ])?units?", key):
            yield f"units: {value}"


def _tables(value: object, path: str, depth: int) -> Iterator[_PlaceInJson]:
    """Yield the places of several objects of one kind."""
    if depth > _MAX_DEPTH:
        return
    if is_split(value):
        yield _PlaceInJson(path, "split")
    elif are_columns(value):
        yield _PlaceInJson(path, "columns")
    if isinstance(value, list):
        if value and all(isinstance(item, dict) for item in value):
            yield _PlaceInJson(f"{path}[*]")
            yield from _inside(value[0], f"{path}[*]", depth)
    elif isinstance(value, dict):
        yield from _members(value, path)
        yield from _inside(value, path, depth)


def _inside(value: Mapping[str, object], path: str, depth: int) -> Iterator[_PlaceInJson]:
    for key, inner in value.items():
        if isinstance(inner, (list, dict)) and _PLAIN_KEY.fullmatch(key):
            yield from _tables(inner, f"{path}.{key}" if path else key, depth + 1)


def _members(value: Mapping[str, object], path: str) -> Iterator[_PlaceInJson]:
    """Yield the tables whose rows are members of an object, or members of these."""
    if _are_lists_of_rows(value):
        yield _PlaceInJson(f"{path}{{*}}.value[*]")
    if _are_rows(value):
        is_each = all(are_columns(member) for member in value.values())
        yield _PlaceInJson(f"{path}{{*}}", "columns" if is_each else "objects")
    if _are_tables(value):
        yield _PlaceInJson(f"{path}{{*}}{{*}}")
    if _are_numbers(value):
        yield _PlaceInJson(f"{path}{{*}}")


def _are_numbers(value: Mapping[str, object]) -> bool:
    """Return whether the members of an object are numbers of one kind, named by what differs: no figures."""
    are_numbers = len(value) > 1 and all(map(json_values.is_number, value.values()))
    return are_numbers and all(
        meaning_of(key).kind == "other" and not meaning_of(key).statistic for key in value
    )


def _are_rows(value: object) -> bool:
    """Return whether the members of an object are rows: objects with the same keys, named by what differs."""
    if not isinstance(value, dict) or len(value) < 2:
        return False
    members = list(value.values())
    if not all(isinstance(member, dict) and member for member in members):
        return False
    if any(meaning_of(key).kind in ("figure", "spread") for key in value):
        return False
    first = set(members[0])
    return all(len(first & set(member)) * 2 >= len(first | set(member)) for member in members)


def _are_tables(value: Mapping[str, object]) -> bool:
    """Return whether the members of an object, but for settings, are objects of rows with the same keys."""
    members = [each for name, each in value.items() if name.lower() not in CONFIGURATION]
    if len(members) < 2 or not all(map(_are_rows, members)):
        return False
    rows = [row for member in members if isinstance(member, dict) for row in member.values()]
    return _are_rows({str(number): row for number, row in enumerate(rows)})


def _are_lists_of_rows(value: Mapping[str, object]) -> bool:
    """Return whether the members of an object are lists of rows with the same keys."""
    firsts = [each[0] for each in value.values() if isinstance(each, list) and each]
    are_rows = len(firsts) == len(value) and all(isinstance(first, dict) for first in firsts)
    return are_rows and _are_rows({str(number): first for number, first in enumerate(firsts)})
