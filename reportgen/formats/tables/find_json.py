"""Find the tables in a JSON document: objects in lists, members of objects, columns or rows as lists."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing import json_values
from reportgen.formats.tables.column_words import CONFIGURATION, meaning_of
from reportgen.formats.tables.definition import Layout, TableRows
from reportgen.formats.tables.layouts import are_columns, is_grid, is_split

_MAX_DEPTH = 5
_MAX_PATHS = 40
_PLAIN_KEY = lazy_pattern(r"[^.\[\]{}*/]+")


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where the rows of a table are, and the texts beside it: what it measures, all; the nearest first.

    contexts  patterns of lines that say something about the rows after them
    """

    rows: TableRows
    titles: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()


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
    places = _tables([document], "", 0) if nested else iter([_PlaceInJson("[*]")] if is_list else [])
    for each in islice(places, _MAX_PATHS):
        keys = [key for key in re.split(r"\.|\[\*\]|\{\*\}", each.path) if key]
        titles = (*keys[-1:], *_stated_units(document))
        rows = TableRows(kind="json", path=each.path, layout=each.layout)
        yield TablePlace(rows, titles, (*titles, *_descriptions(document)))


def _descriptions(document: object) -> Iterator[str]:
    """Yield what a document says about itself."""
    for key, value in document.items() if isinstance(document, dict) else ():
        if isinstance(value, str) and key.lower() in (
            "caption",
            "comment",
            "description",
            "note",
            "notes",
            "title",
        ):
            yield value


def _stated_units(document: object) -> Iterator[str]:
    """Yield the units that keys of a document state for its numbers: `unit`, `time_unit`."""
    for key, value in document.items() if isinstance(document, dict) else ():
        if isinstance(value, str) and re.fullmatch(r"(?i)(?:.*[_ ])?units?", key):
            yield f"units: {value}"


def _tables(values: Sequence[object], path: str, depth: int) -> Iterator[_PlaceInJson]:
    """Yield the places of several objects of one kind. values  all that a path leads to"""
    if depth > _MAX_DEPTH:
        return
    if all(map(is_split, values)):
        yield _PlaceInJson(path, "split")
    elif all(map(is_grid, values)):
        yield _PlaceInJson(path, "grid")
    elif all(map(are_columns, values)):
        yield _PlaceInJson(path, "columns")
    if items := _items(values):
        yield _PlaceInJson(f"{path}[*]")
        yield from _inside(items, f"{path}[*]", depth)
    elif objects := _objects(values):
        yield from _members(objects, path, depth)
        yield from _inside(objects, path, depth)


def _items(values: Sequence[object]) -> list[Mapping[str, object]]:
    """Return the items of values that are lists of objects, [] for other values."""
    lists = [value for value in values if isinstance(value, list) and value]
    return _objects([item for each in lists for item in each]) if len(lists) == len(values) else []


def _objects(values: Sequence[object]) -> list[Mapping[str, object]]:
    """Return the values if all of them are objects, else []."""
    objects: list[Mapping[str, object]] = [value for value in values if isinstance(value, dict)]
    return objects if len(objects) == len(values) else []


def _inside(objects: Sequence[Mapping[str, object]], path: str, depth: int) -> Iterator[_PlaceInJson]:
    """Yield the tables below the keys of objects."""
    for key in dict.fromkeys(key for each in objects for key in each):
        inner = [each[key] for each in objects if isinstance(each.get(key), list | dict)]
        if inner and _PLAIN_KEY.fullmatch(key):
            yield from _tables(inner, f"{path}.{key}" if path else key, depth + 1)


def _members(objects: Sequence[Mapping[str, object]], path: str, depth: int) -> Iterator[_PlaceInJson]:
    """Yield the tables whose rows are members of objects, members of these, and so on.

    The names of members are what differs: one name is a key, and a figure is not a row. Facts beside members
    are about all of them.
    """
    if _are_cases(objects):
        yield _PlaceInJson(f"{path}{{*}}")
    named = [
        (name, value)
        for each in objects
        for name, value in each.items()
        if isinstance(value, dict | list) and name.lower() not in CONFIGURATION
    ]
    names, values = {name for name, _ in named}, [value for _, value in named]
    is_figure = any(meaning_of(name).kind in ("figure", "spread") for name in names)
    if len(names) < 2 or is_figure or depth > _MAX_DEPTH:
        return
    if rows := _items(values):
        if _are_alike(rows):
            yield _PlaceInJson(f"{path}{{*}}.value[*]")
            yield from _inside(rows, f"{path}{{*}}.value[*]", depth + 1)
    elif members := _objects(values):
        if _are_alike(members):
            is_each = all(map(are_columns, members))
            yield _PlaceInJson(f"{path}{{*}}", "columns" if is_each else "objects")
        yield from _members(members, f"{path}{{*}}", depth + 1)
        yield from _inside(members, f"{path}{{*}}", depth + 1)


def _are_cases(objects: Sequence[Mapping[str, object]]) -> bool:
    """Return whether the members of all objects are numbers of one kind; of several, none names a metric."""
    if not objects or not all(map(_are_numbers, objects)):
        return False
    is_named = any(meaning_of(key, "ms").metric for each in objects for key in each)
    return len(objects) == 1 or (_are_alike(objects) and not is_named)


def _are_numbers(value: Mapping[str, object]) -> bool:
    """Return whether the members of an object are numbers of one kind, named by what differs: no figures."""
    are_numbers = len(value) > 1 and all(map(json_values.is_number, value.values()))
    return are_numbers and all(
        meaning_of(key).kind == "other" and not meaning_of(key).statistic for key in value
    )


def _are_alike(members: Sequence[Mapping[str, object]]) -> bool:
    """Return whether objects share keys: each has half of those that most have, and few that it has alone."""
    counts = Counter(key for member in members for key in member)
    usual = {key for key, count in counts.items() if 2 * count > len(members)}
    return all(
        2 * len(usual & member.keys()) >= len(usual)
        and 2 * sum(counts[key] > 1 or len(members) == 1 for key in member) >= len(member) > 0
        for member in members
    )
