"""Find results that a program prints line by line: `sgemm_naive : 257.2 ms, 0.53 TFLOPS`.

Each line has a name and numbers with units; lines with `key=value` before them say what the next results were
measured with. Lines whose names differ in digits alone are steps, and not results.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.definition import Context, TableRows
from reportgen.formats.tables.find_tables import FoundTable
from reportgen.formats.tables.records import TableFile, read_records
from reportgen.learn.sections import blocks_of, title_patterns
from reportgen.sources.logfiles import LogFiles

_NUMBER = r"[0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
_UNIT = r"[^\W\d_][\w/µμ]*(?: per [^\W\d_]+)?"
_VALUE = rf"(?:{_NUMBER}) ?(?:{_UNIT})"
_BETWEEN = r"[ \t]*(?:[,;|(/]|\.\.\.)?[ \t]*"
_NAME = r"^[ \t]*(?:[-*] +)?(?P<name>[^\s*-].*?)(?:[ \t]*[:=]|[ \t]*:?[ \t]*\.{3,}:?|[ \t]{2}|\t)[ \t]*"
# What is in brackets behind, "[sort: 148 ms]" or "(0.3 ms/step)", is about a part.
_END = r"[ \t]*\)?(?:[ \t]+(?:\[[^\[\]]*\]|\([^()]*\)))?[ \t]*$"
_REMARK = lazy_pattern(r"[ \t]+(\[[^\[\]]*\]|\([^()]*\))[ \t]*$")
_LINE = lazy_pattern(rf"{_NAME}(?P<values>{_VALUE}(?:{_BETWEEN}{_VALUE})*){_END}")
_EACH = lazy_pattern(rf"({_NUMBER}) ?({_UNIT})")
_SETTING = lazy_pattern(r"(?<![\w.-])([A-Za-z_]\w*)=([\w.]+)")
# The names of columns by the base unit of their numbers.
_COLUMNS = {
    "s": "time",
    "B/s": "bandwidth",
    "FLOP/s": "flops",
    "samples/s": "throughput",
    "B": "memory",
    "W": "power",
    "J": "energy",
}
_MIN_LINES = 3
_MAX_LINES = 5000

Printed = tuple[str, tuple[tuple[str, str], ...]]


def printed_results(files: LogFiles) -> FoundTable | None:
    """Return the lines of results of a text as a table.

    None without three such lines, or if nothing distinguishes them.
    """
    log, lines = TextLog(files), _lines(files)
    results = {at: result for at, line in enumerate(lines) if (result := _result(line))}
    kinds = Counter(map(_bases, results.values()))
    bases = max(kinds, key=lambda each: kinds[each], default=())
    rows = {at: result for at, result in results.items() if _bases(result) == bases}
    if len(rows) < _MIN_LINES or len(set(bases)) < len(bases):
        return None
    titles = _titles(lines, {at: name for at, (name, _) in rows.items()}, set(results))
    if not titles and not _are_cases(list(rows.values())):
        return None
    before = [line for at, line in enumerate(lines[: max(rows)]) if at not in results]
    contexts = titles or _contexts(before)
    measured = {_column(*pair) for pair in next(iter(rows.values()))[1]}
    table = None if contexts is None else _table(log, _pattern(list(rows.values())), contexts, measured)
    return table if table and len(table.records) == len(rows) else None


def other_results(files: LogFiles, read: Collection[int]) -> dict[int, str]:
    """Return the lines with a name before a colon, and numbers with units, by number. read  lines left out"""
    others = {number: line.strip() for number, line in enumerate(_lines(files), 1) if number not in read}
    return {at: line for at, line in others.items() if ":" in line and "|" not in line and _result(line)}


def remark_behind(files: LogFiles, table: FoundTable) -> str:
    """Return the first brackets behind the numbers of a line of a table, "" without any."""
    lines, pattern = _lines(files), re.compile(table.rows.pattern)
    for record in table.records:
        read = pattern.match(lines[record.line - 1])
        if read and (remark := _REMARK.search(read.string, read.end(read.lastindex or 0))):
            return remark[1]
    return ""


def _lines(files: LogFiles) -> list[str]:
    content = TextLog(files).content.decode("utf-8", "replace")
    return [line.rstrip("\r") for line in content.split("\n")[:_MAX_LINES]]


def _titles(lines: Sequence[str], rows: Mapping[int, str], results: set[int]) -> list[str]:
    """Return the patterns of titles above blocks of lines, [] without one above each or of lines without "=".

    rows  line -> name
    """
    used = {at for at, line in enumerate(lines) if at in results or _SETTING.search(line)}
    breaks = {at for at, line in enumerate(lines) if line.strip()} - used
    blocks = blocks_of(list(rows.items()), breaks)
    are_repeated = len(blocks) > 1 and all(len(block) > 1 for block in blocks)
    has_settings = any(_SETTING.search(line) for line in lines[: min(rows)])
    return title_patterns(lines, blocks, used) if are_repeated and not has_settings else []


def _table(
    log: TextLog, pattern: str, contexts: Sequence[str], measured: Collection[str]
) -> FoundTable | None:
    """Return the matches of a pattern as a table; None if two of them have the same name and settings."""
    rows = TableRows(kind="pattern", pattern=pattern)
    table = TableFile(log, rows, [Context(pattern=each) for each in contexts], is_own=True)
    records = tuple(read_records(table))
    names = dict.fromkeys(name for record in records for name in record.cells if not name.startswith("#"))
    columns = ("name", *(name for name in names if name != "name"))
    cases = [name for name in columns if name not in measured]
    cells = {tuple(record.cells.get(name) for name in cases) for record in records}
    name = PurePosixPath(log.source.path).name
    are_apart = len(cells) == len(records)
    return FoundTable(rows, columns, records, name=name, contexts=tuple(contexts)) if are_apart else None


def _bases(result: Printed) -> tuple[str, ...]:
    return tuple(base for base, _ in result[1])


def _are_cases(results: Sequence[Printed]) -> bool:
    """Return whether names differ in more than digits: "step 10" and "step 20" are steps of one run."""
    names = {name for name, _ in results}
    words = {re.sub("[0-9]+", "", name) for name in names}
    return 2 * len(words) > len(names)


def _result(line: str) -> Printed | None:
    """Return the name of a line of results, and (base, unit) of each number; None for other lines."""
    match = _LINE.match(line)
    values = match["values"] if match else ""
    stated, bases = _stated(values)
    if len(set(bases)) < len(bases):  # "14.2 ms (0.028 ms/step)": the time of a part
        stated, bases = _stated(values.partition("(")[0])
    if not match or any(base not in _COLUMNS for base in bases) or not re.search("[^\\W\\d_]", match["name"]):
        return None
    return match["name"].strip(), tuple(zip(bases, stated, strict=True))


def _stated(values: str) -> tuple[list[str], list[str]]:
    """Return the unit of each number, and its base unit, "" for one that is not known."""
    stated = [unit for _, unit in _EACH.findall(values)]
    known = [unit_of(unit) for unit in stated]
    return stated, [units.to_base(1.0, each.unit)[1] if each and not each.doubt else "" for each in known]


def _pattern(results: Sequence[Printed]) -> str:
    """Return the pattern of lines of results, with a group for the name and for each number with its unit."""
    groups = []
    for place, (base, _) in enumerate(results[0][1]):
        spelled = sorted({values[place][1] for _, values in results}, key=lambda unit: (-len(unit), unit))
        texts = "|".join(map(re.escape, spelled)).replace("\\ ", " ")
        name = _column(base, spelled[0])
        is_cell = name == _COLUMNS[base]
        groups.append(
            f"(?P<{name}>{_NUMBER} ?(?:{texts}))" if is_cell else f"(?P<{name}>{_NUMBER}) ?(?:{texts})"
        )
    return _NAME + _BETWEEN.join(groups) + _END


def _column(base: str, unit: str) -> str:
    """Return the name of the column of a number: a unit of several words is its name."""
    return _COLUMNS[base] if units.find(unit) else re.sub(r"\W+", "_", unit)


def _contexts(lines: Sequence[str]) -> list[str] | None:
    """Return the patterns of lines with `key=value`; None if some are printed more often than others.

    Then it is not known for which results a line holds.
    """
    counts = Counter(filter(None, (_context(line.strip()) for line in lines)))
    return list(counts) if len(set(counts.values())) < 2 else None


def _context(line: str) -> str:
    """Return the pattern of a line with `key=value`, "" for other lines."""
    keys = [match[1] for match in _SETTING.finditer(line)]
    if not keys or len(set(keys)) < len(keys) or set(keys) & {*_COLUMNS.values(), "name"}:
        return ""
    return "".join(_parts(line))


def _parts(line: str) -> Iterator[str]:
    at = 0
    for match in _SETTING.finditer(line):
        yield re.escape(line[at : match.start(2)]).replace("\\ ", " ")
        yield rf"(?P<{match[1]}>[\w.]+)"
        at = match.end()
    yield re.escape(line[at:]).replace("\\ ", " ")
