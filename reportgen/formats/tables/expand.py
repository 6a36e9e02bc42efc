"""Functions that take a row apart which holds several, for `expand` of a definition.

A function gets the cells of the row and the names of the columns that it works on, and returns the columns of
each new row.
"""

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing import json_values
from reportgen.formats.tables.derive import numeric

TableRows = list[dict[str, Any]]

# More combinations than these are not parameters of a benchmark.
_MAX_COMBINATIONS = 100_000
_TEST = lazy_pattern(
    r"(?:pp ?(?P<n_prompt>\d{1,9}))?\+?(?:tg ?(?P<n_gen>\d{1,9}))?(?: @ d(?P<n_depth>\d{1,9}))?"
)


def _together(cells: Mapping[str, Any], of: Sequence[str]) -> TableRows:
    """Return a row for each item of the first list, with the items at its place in the other lists."""
    lists = {column: json_values.items(cells.get(column)) for column in of}
    return _side_by_side(lists, len(lists[of[0]]))


def _matrix(cells: Mapping[str, Any], of: Sequence[str]) -> TableRows:
    """Return a row for each item of a list of lists, with `from`, `to`, `value`."""
    numbers = [
        {"from": start, "to": end, "value": value}
        for start, line in enumerate(json_values.items(cells.get(of[0])))
        for end, value in enumerate(json_values.items(line))
    ]
    return [{"#item": number, **row} for number, row in enumerate(numbers)]


def _devices(cells: Mapping[str, Any], of: Sequence[str]) -> TableRows:
    """Return a row for each `- `-separated part of texts, with the number of the device, `#item`."""
    texts = {column: re.split(r"\s+-\s+", str(cells.get(column) or "").strip()) for column in of}
    return _side_by_side(texts, len(texts[of[0]]))


def _side_by_side(lists: Mapping[str, list[Any]], count: int) -> TableRows:
    return [
        {"#item": number, **{column: items[number] for column, items in lists.items() if number < len(items)}}
        for number in range(count)
    ]


def _combinations(cells: Mapping[str, Any], of: Sequence[str]) -> TableRows:
    """Return asv's results: `[values, parameters, ...]`, values by combination, the last parameter fastest.

    Samples, if they are stored, are one list for each combination.
    """
    entry, columns = cells.get(of[0]), json_values.items(cells.get(of[1]))
    if not isinstance(entry, list):  # a single value, of a benchmark without parameters
        return [{"result": entry}]
    named = dict(zip(columns or ["result", "params"], entry, strict=False))
    values = json_values.items(named.get("result"))
    parameters = [json_values.items(each) for each in json_values.items(named.get("params"))]
    if math.prod(map(len, parameters)) > _MAX_COMBINATIONS:
        return []
    rows = []
    for number, combination in enumerate(itertools.islice(itertools.product(*parameters), len(values))):
        row: dict[str, Any] = {f"param.{at}": value for at, value in enumerate(combination, 1)}
        row["result"] = values[number]
        row |= {
            name: column[number]
            for name, column in named.items()
            if name not in ("result", "params") and isinstance(column, list) and number < len(column)
        }
        rows.append(row)
    return rows


def _forks(cells: Mapping[str, Any], of: Sequence[str]) -> TableRows:
    """Return a row for each list of numbers in a list, with their mean and their number."""
    rows = []
    for number, values in enumerate(json_values.items(cells.get(of[0]))):
        numbers = [value for value in json_values.items(values) if json_values.is_number(value)]
        if numbers:
            rows.append({"#item": number, "mean": math.fsum(numbers) / len(numbers), "n": len(numbers)})
    return rows


def _bars(cells: Mapping[str, Any], of: Sequence[str]) -> TableRows:
    """Return the cells of a table of `|` in a text: `column` by the first line, `row`, `value`, `threads`."""
    header: list[str] = []
    rows: TableRows = []
    threads = None
    for line in str(cells.get(of[0]) or "").split("\n"):
        if match := re.match(r"(\d+) threads?:", line.strip()):
            threads = int(match[1])
            continue
        name, *parts = [part.strip() for part in line.split("|")]
        if not header:
            header = parts
            continue
        for column, part in zip(header, parts, strict=False):
            value = re.sub(r"\s*\(! *\d+%\)", "", part)
            if value:
                rows.append({"row": name, "column": column, "value": value, "threads": threads})
    return rows


def _providers(cells: Mapping[str, Any], of: Sequence[str]) -> TableRows:
    """Return columns `name (unit)` as rows: `provider`, `unit`, `value`; the others begin with `x.`."""
    named = {name: re.fullmatch(r"(.+?) \(([^()]+)\)", name) for name in cells if not name.startswith("#")}
    others = {f"x.{name}": cells[name] for name, match in named.items() if not match and name not in of}
    return [
        {**others, "provider": match[1], "unit": match[2], "value": cells[name]}
        for name, match in named.items()
        if match and cells[name] != "" and match[1] not in of
    ]


def _named_values(cells: Mapping[str, Any], of: Sequence[str]) -> TableRows:
    """Return one row: the text of one cell names the value in another, and a cell of JSON is columns.

    of  columns of the name, the value and the JSON
    """
    row: dict[str, Any] = {f"x.{cells.get(of[0])}": cells.get(of[1])}
    more = json_values.table(json_values.load(str(cells.get(of[2]) or "").encode()))
    return [row | {f"config.{name}": value for name, value in more.items() if f"x.{name}" not in row}]


def _tests(cells: Mapping[str, Any], of: Sequence[str]) -> TableRows:
    """Return a row for each test with results, whose name begins its columns: `train_rate` is `rate`.

    of  the column that each test with results has, the column of an error, and the names of the tests

    An error names no test: it is of the tests without results. Without any results, the row stays whole.
    """
    result, error, *tests = of
    measured = [name for name in tests if math.isfinite(numeric(cells.get(f"{name}_{result}")))]
    failed = [name for name in tests if name not in measured] if measured and cells.get(error) else []
    rows = []
    for name in (*measured, *failed):
        own = {
            key.removeprefix(f"{name}_"): cell for key, cell in cells.items() if key.startswith(f"{name}_")
        }
        rows.append({**own, "test": name, error: cells[error] if name in failed else None})
    return rows


def _tokens_of_test(cells: Mapping[str, Any], of: Sequence[str]) -> TableRows:
    """Return the row with the numbers of tokens in llama-bench's name of a test, such as `pp512 @ d4096`."""
    text = str(cells.get(of[0]) or "")
    name = {"test": text.partition(" @ ")[0].replace(" ", "")}
    match = _TEST.fullmatch(text)
    return [name | {column: int(n or 0) for column, n in match.groupdict().items()} if match else name]


def _go_result(cells: Mapping[str, Any], of: Sequence[str]) -> TableRows:
    """Return one row of a line of `go test -bench`: `9 allocs/op` is the column `allocs/op`.

    A part `size=256` of the name is the column `name.size`; `benchmark` has the others, `units` all units.

    of  columns of the name and of the numbers with their units
    """
    name, results = (str(cells.get(column) or "") for column in of)
    parts = [part.partition("=") for part in name.split("/")]
    row: dict[str, Any] = {f"name.{key}": value for key, is_set, value in parts if is_set}
    row["benchmark"] = "/".join(key for key, is_set, _ in parts if not is_set)
    words = results.split()
    row |= dict(zip(words[1::2], words[::2], strict=True))
    return [{**row, "units": " ".join(words[1::2])}]


def _named_words(cells: Mapping[str, Any], of: Sequence[str]) -> TableRows:
    """Return one row: `word.size` is the word of a cell below `(size)` in another.

    of  columns of the names in parentheses, and of the words
    """
    names = re.findall(r"\((\w+)\)", str(cells.get(of[0]) or ""))
    words = str(cells.get(of[1]) or "").split()
    return [{f"word.{name}": word for name, word in zip(names, words, strict=False)}]


FUNCTIONS: Mapping[str, Callable[[Mapping[str, Any], Sequence[str]], TableRows]] = {
    "together": _together,
    "matrix": _matrix,
    "devices": _devices,
    "combinations": _combinations,
    "forks": _forks,
    "bars": _bars,
    "providers": _providers,
    "named_values": _named_values,
    "tests": _tests,
    "tokens_of_test": _tokens_of_test,
    "go_result": _go_result,
    "named_words": _named_words,
}
