"""Turn JSON whose rows are not objects into objects: columns as lists or objects, rows as lists, grids."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from reportgen.formats.parsing import json_values
from reportgen.formats.tables.column_words import meaning_of

# Keys of lists that name columns.
_NAMES = {"column", "columns", "cols", "fields", "head", "header", "headers", "keys", "labels", "names"}


def are_columns(value: object) -> bool:
    """Return whether an object has columns: lists of one length, or objects with the same keys."""
    if not isinstance(value, dict):
        return False
    columns = _columns(value)
    if _are_cases(value, columns):
        return False
    length = len(next(iter(columns.values()), ()))
    return (
        len(columns) + len(_groups(value, columns)) > 1
        and length > 1
        and all(map(_is_single, next(iter(columns.values()))))
    )


def _are_cases(value: Mapping[str, Any], columns: Mapping[str, Any]) -> bool:
    """Return whether objects are rows: they have figures with units, or statistics without named metrics.

    So are statistics beside a number, which is not a statistic: {"ms": {"p50": 1.5, "p99": 2.5}, "rps": 410}.
    """
    keys = {key for name in columns if isinstance(value[name], dict) for key in value[name]}
    meanings = [meaning_of(key) for key in keys]
    are_statistics = all(x.kind == "spread" or (x.statistic and not x.extra) for x in meanings)
    if {"value", "unit"} <= keys or any(x.kind == "figure" and x.unit for x in meanings):
        return True
    are_plain = all(meaning_of(name).kind != "figure" for name in columns)
    return bool(keys) and are_statistics and (are_plain or any(map(json_values.is_number, value.values())))


def is_split(value: object) -> bool:
    """Return whether a value has rows as lists: with `columns` and `data`, or below a list of names."""
    names, rows = _split(value)
    is_named = len(names) > 1 and all(isinstance(name, str) and name for name in names)
    are_rows = all(
        isinstance(row, list) and len(row) == len(names) and all(map(_is_single, row)) for row in rows
    )
    has_numbers = any(json_values.is_number(cell) for row in rows[:1] for cell in row)
    return is_named and len(set(names)) == len(names) and bool(rows) and are_rows and has_numbers


def is_unnamed(value: object) -> bool:
    """Return whether a value is a list of rows as lists of equal length, with numbers in the same places."""
    rows = json_values.items(value)
    if len(rows) < 2 or not all(isinstance(row, list) and all(map(_is_single, row)) for row in rows):
        return False
    kinds = {tuple(map(json_values.is_number, row)) for row in rows}
    return len(kinds) == 1 and len(rows[0]) > 1 and any(next(iter(kinds)))


def is_grid(value: object) -> bool:
    """Return whether an object has lists of lists of numbers, such as three times of each query.

    Beside a list as long as the grid, its rows are values of one row, unless a list names them, too.
    """
    if not isinstance(value, dict):
        return False
    grids = _grids(value)
    width = max((len(row) for rows in grids.values() for row in rows), default=0)
    return bool(grids) and (not are_columns(value) or _names_of(value, width, "")[0] != "")


def _objects(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value


def _by_columns(value: object) -> Iterator[dict[str, Any]]:
    """Yield a row for each place of the lists and each case; what is beside them is of each row."""
    if not isinstance(value, dict):
        return
    columns = _columns(value)
    groups = _groups(value, columns)
    about = {name: cell for name, cell in value.items() if name not in columns and name not in groups}
    first = next((column for column in columns.values()), [])
    keys = _keys([value[name] for name in columns if isinstance(value[name], dict)])
    named = {} if keys == [str(at) for at in range(len(keys))] else dict(enumerate(keys))
    for at in range(len(first)):
        own = {"*": named[at]} if at in named else {}
        row = {**own, **about, **{name: column[at] for name, column in columns.items()}}
        for case in _keys(list(groups.values())):
            yield {
                "*": case,
                **row,
                **{name: group[case][at] for name, group in groups.items() if case in group},
            }
        if not groups:
            yield row


def _columns(value: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the members of an object that are its columns, each as a list."""
    lists = {name: cell for name, cell in value.items() if isinstance(cell, list) and cell}
    if lists:
        length = Counter(map(len, lists.values())).most_common(1)[0][0]
        return {name: cell for name, cell in lists.items() if len(cell) == length}
    objects = {name: cell for name, cell in value.items() if isinstance(cell, dict) and cell}
    form = Counter(map(tuple, objects.values())).most_common(1)[0][0] if objects else ()
    # A subject may lack one of the metrics.
    alike = {
        name: cell for name, cell in objects.items() if 2 * len(cell.keys() & form) >= len({*cell, *form})
    }
    keys = _keys(list(alike.values()))
    return {name: [cell.get(key) for key in keys] for name, cell in alike.items()}


def _groups(value: Mapping[str, Any], columns: Mapping[str, Any]) -> dict[str, dict[str, list[Any]]]:
    """Return the objects beside lists whose members are lists as long, a column for each case.

    {"sizes": [16, 32], "time_ms": {"mine": [1.5, 2.5], "other": [0.5, 0.75]}}. Beside a list of results,
    whose case is not known, there are none.
    """
    if any(meaning_of(name).kind == "figure" for name in columns):
        return {}
    length = {len(value[name]) for name in columns if isinstance(value[name], list)}
    return {
        name: group
        for name, group in value.items()
        if isinstance(group, dict) and group and all(map(_is_flat, group.values()))
        if {len(cell) for cell in group.values()} == length
    }


def _is_flat(value: object) -> bool:
    """Return whether a value is a list of single values."""
    return isinstance(value, list) and all(map(_is_single, value))


def _keys(objects: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the keys of objects, each once."""
    return list(dict.fromkeys(key for each in objects for key in each))


def _by_rows(value: object) -> Iterator[dict[str, Any]]:
    names, rows = _split(value)
    texts = [str(name) for name in names]
    for row in rows:
        yield dict(zip_longest(texts, json_values.items(row)[: len(texts)]))


def _by_lists(value: object) -> Iterator[dict[str, Any]]:
    """Yield a row for each list; the names of its cells are their places."""
    for row in json_values.items(value):
        yield {f"column {at}": cell for at, cell in enumerate(json_values.items(row), 1)}


def _by_places(value: object) -> Iterator[dict[str, Any]]:
    """Yield a row for each place of grids of one shape: their values, and the row and the column from 0.

    A list beside them that is as long as the grid, or as its rows, names these. The rest is about all rows.
    """
    grids = _grids(value) if isinstance(value, dict) else {}
    if not isinstance(value, dict) or not grids:
        return
    rows = next(iter(grids.values()))
    width = max(map(len, rows))
    # Of a square, either may be named.
    lists = value if len(rows) != width else {}
    above, beside = _names_of(lists, len(rows), "row_number"), _names_of(lists, width, "column_number")
    used = {*grids, above[0], beside[0]}
    about = {f"../{name}": cell for name, cell in value.items() if name not in used}
    for at, name in enumerate(above[1]):
        for place, other in enumerate(beside[1]):
            cells = {key: grid[at][place] for key, grid in grids.items() if place < len(grid[at])}
            if cells:
                yield {**about, above[0]: name, beside[0]: other, **cells}


def _names_of(value: Mapping[str, Any], length: int, place: str) -> tuple[str, Sequence[object]]:
    """Return (key, names) of the list of different values with a length; (place, numbers from 0) without."""
    lists = [
        (key, cell)
        for key, cell in value.items()
        if isinstance(cell, list) and len(cell) == length and all(map(_is_single, cell))
    ]
    is_named = len(lists) == 1 and len(set(map(str, lists[0][1]))) == length
    return lists[0] if is_named else (place, range(length))


def _grids(value: Mapping[str, Any]) -> dict[str, list[list[Any]]]:
    """Return the members of an object that are lists of at least two lists of single values, of one shape."""
    grids = {
        name: cell
        for name, cell in value.items()
        if isinstance(cell, list) and len(cell) > 1 and all(map(_is_row, cell))
    }
    shapes = {tuple(map(len, cell)) for cell in grids.values()}
    return grids if len(shapes) == 1 else {}


def _is_row(value: object) -> bool:
    """Return whether a value is a list of numbers, or of none where there is no number."""
    return isinstance(value, list) and all(x is None or json_values.is_number(x) for x in value)


def _split(value: object) -> tuple[list[Any], list[Any]]:
    """Return (names, rows); ([], []) for other values."""
    if isinstance(value, dict):
        if {"columns", "data", "index"} <= value.keys() and _is_named(value):
            return _tight(value)
        lists = [cell for cell in value.values() if isinstance(cell, list) and cell]
        names: list[Any] = next((cell for key, cell in value.items() if _is_names(key, cell)), [])
        return names, next((cell for cell in lists if all(isinstance(row, list) for row in cell)), [])
    rows = json_values.items(value)
    return (rows[0], rows[1:]) if rows and isinstance(rows[0], list) else ([], [])


def _tight(value: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Return (names, rows) of a table that pandas wrote with orient="tight" or "split".

    Its index is columns, too.

    A name of several levels is their words.
    """
    levels = [name or f"index {at}" for at, name in enumerate(_levels(value), 1)]
    names = [
        " ".join(str(part) for part in name if part not in ("", None)) if isinstance(name, list) else name
        for name in json_values.items(value["columns"])
    ]
    keys = [key if isinstance(key, list) else [key] for key in json_values.items(value["index"])]
    rows = json_values.items(value["data"])
    are_rows = len(keys) == len(rows) and all(isinstance(row, list) for row in rows)
    return [*levels, *names], [[*key, *row] for key, row in zip(keys, rows, strict=True)] if are_rows else []


def _levels(value: Mapping[str, Any]) -> list[Any]:
    """Return the names of the levels of an index, None for one without."""
    keys = json_values.items(value["index"])
    width = len(keys[0]) if keys and isinstance(keys[0], list) else 1
    return json_values.items(value.get("index_names")) or [None] * width


def _is_named(value: Mapping[str, Any]) -> bool:
    """Return whether the index of a table of pandas has names: no numbers of rows."""
    return "index_names" in value or not all(map(json_values.is_number, json_values.items(value["index"])))


def _is_names(key: str, value: object) -> bool:
    """Return whether a member of an object is a list of the names of columns."""
    last = re.split(r"[_ -]|(?<=[a-z])(?=[A-Z])", key)[-1].lower()
    return last in _NAMES and isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_single(cell: object) -> bool:
    return not isinstance(cell, list | dict)


LAYOUTS: Mapping[str, Callable[[object], Iterator[dict[str, Any]]]] = {
    "objects": _objects,
    "columns": _by_columns,
    "split": _by_rows,
    "grid": _by_places,
    "lists": _by_lists,
}
