"""Find results that a program prints in blocks, each line with a name, a number and its unit.

`Throughput: 240.9 MB/s`, `Memory .... 12 MB` and `Elapsed time = 4.25 s` below `== random write ==`, or `Pipe
throughput  3741.6 lps (30.0 s, 2 samples)`. A heading, a title, a command or a setting above each block says
what it is.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import meaning_of
from reportgen.formats.tables.definition import Context, TableRows
from reportgen.formats.tables.find_tables import FoundTable
from reportgen.formats.tables.records import TableFile, read_records
from reportgen.learn.sections import blocks_of, setting_patterns, title_patterns
from reportgen.sources.logfiles import LogFiles

_NUMBER = r"[+-]?[0-9][0-9,]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
_BEFORE = r"^[ \t]*(?:[-*] )?"
_BETWEEN = r"(?:[ \t]*[:=][ \t]*|[ \t]*:?[ \t]*\.{3,}:?[ \t]*|[ \t]{2,}|\t)"
_UNIT = r"[^\W\d_][\w/%µμ]*(?: (?:per|/) [^\W\d_]+)?|%|#/sec"
_STATEMENT = lazy_pattern(
    rf"{_BEFORE}(?P<label>[^\W\d_][^:=\n]{{0,80}}?){_BETWEEN}(?P<value>{_NUMBER})"
    rf"(?P<rest>(?:[ \t]?[\[(]?(?P<unit>{_UNIT})[\])]?)?(?:[ \t]*$|[ \t]*[(,;].*|[ \t]+[(\[a-z].*))"
)
_SETTING = lazy_pattern(
    rf"{_BEFORE}(?P<label>[^\W\d_][^:=\n]{{0,80}}?)[ \t]*[:=][ \t]*(?P<value>\S.*?)[ \t]*$"
)
# "1.5k req/s", "3 M tokens/s"
_MULTIPLE_BEFORE_UNIT = lazy_pattern(r"[ \t]?[kKMGBT][ \t]+(?P<unit>[^\s,;()]+)")
_MAX_LINES = 5000
_MAX_LABELS = 60
_MIN_ROWS = 3
_SPEEDS = ("s", "samples/s", "B/s", "FLOP/s")
_NAMES = ("metric", "value", "unit")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A line with a label, a number and its unit, "" without one.

    is_below  whether the line above is such a line, too: a setting is above the results
    """

    label: str
    value: str
    unit: str
    is_below: bool

    @property
    def has_unit(self) -> bool:
        """Whether its number, or its label, has a unit."""
        return bool(self.unit or meaning_of(self.label).unit)

    @property
    def names_metric(self) -> bool:
        """Whether its label states a metric, whose unit may be open."""
        return bool(meaning_of(self.label).metric)

    @property
    def is_setting(self) -> bool:
        """Whether its label names a setting; below other lines, one with a unit may be a result."""
        kind = meaning_of(self.label, self.unit if unit_of(self.unit) else "").kind
        return kind in ("factor", "index", "repeat") and not (self.is_below and self.unit)

    @property
    def is_known(self) -> bool:
        """Whether its words are a metric, or the time of something, with a unit."""
        meaning = meaning_of(self.label, self.unit if unit_of(self.unit) else "")
        return meaning.kind == "figure" and bool(meaning.unit) and not meaning.doubt

    @property
    def is_speed(self) -> bool:
        """Whether it is a time or a rate: memory and clocks alone are the facts of a machine."""
        return (
            self.is_known and meaning_of(self.label, self.unit if unit_of(self.unit) else "").base in _SPEEDS
        )


def printed_blocks(files: LogFiles) -> FoundTable | None:
    """Return the results of the blocks of a text as a table; None without them, or if two are alike.

    If no number has a unit, those of several blocks with titles or settings may be results. A multiple
    before a unit is not read: its numbers would be too small.
    """
    log = TextLog(files)
    lines = [line.rstrip("\r") for line in log.content.decode("utf-8", "replace").split("\n")[:_MAX_LINES]]
    matches = {at: match for at, line in enumerate(lines) if (match := _STATEMENT.match(line))}
    if any(_has_multiple(match["rest"]) for match in matches.values()):
        return None
    statements = {
        at: _Statement(match["label"].strip(), match["value"], match["unit"] or "", at - 1 in matches)
        for at, match in matches.items()
    }
    possible = {at: each for at, each in statements.items() if not each.is_setting}
    measured = {at: each for at, each in possible.items() if each.has_unit or each.names_metric}
    labels = _labels(list((measured or possible).values()))
    results = [(at, each.label) for at, each in (measured or possible).items() if each.label in labels]
    has_units = any(statements[at].has_unit for at, _ in results)
    is_speed = not has_units or any(statements[at].is_speed for at, _ in results)
    if len(results) < _MIN_ROWS or not is_speed:
        return None
    settings = {
        at: (match["label"].strip(), match["value"])
        for at, line in enumerate(lines)
        if (match := _SETTING.match(line)) and at not in dict(results)
    }
    titles = {at for at, line in enumerate(lines) if line.strip() and at not in settings}
    blocks = blocks_of(results, titles - dict(results).keys())
    contexts = title_patterns(lines, blocks, {*settings, *statements})
    contexts += setting_patterns(settings, blocks, set(_NAMES))
    if not has_units and (len(blocks) < 2 or not contexts):
        return None
    return _table(log, _pattern([statements[at] for at, _ in results]), contexts, len(results))


def _has_multiple(rest: str) -> bool:
    """Return whether a text behind a number is a multiple and a unit."""
    match = _MULTIPLE_BEFORE_UNIT.match(rest)
    return bool(match and unit_of(match["unit"]))


def _labels(results: Sequence[_Statement]) -> set[str]:
    """Return the labels of results: those that several blocks have and that vary; of one block, all."""
    counts = Counter(each.label for each in results)
    often = {label for label, count in counts.items() if count > 1}
    if not often:
        return {each.label for each in results} if len(counts) <= _MAX_LABELS else set()
    values = {label: {each.value for each in results if each.label == label} for label in often}
    known = {each.label for each in results if each.is_known}
    varying = {label for label in often if len(values[label]) > 1 or label in known}
    return varying if len(varying) <= _MAX_LABELS else set()


def _pattern(results: Sequence[_Statement]) -> str:
    """Return the pattern of the lines of results, with groups for the label, the number and the unit."""
    labels = sorted({each.label for each in results}, key=lambda label: (-len(label), label))
    units = sorted({each.unit for each in results} - {""}, key=lambda unit: (-len(unit), unit))
    unit = rf"(?:[ \t]?[\[(]?(?P<unit>{'|'.join(map(_escaped, units))})(?:[^\w/%].*)?)?" if units else ""
    names = "|".join(map(_escaped, labels))
    name = "metric" if units or any(meaning_of(each).kind == "figure" for each in labels) else "name"
    return rf"{_BEFORE}(?P<{name}>{names}){_BETWEEN}(?P<value>{_NUMBER}){unit}$"


def _escaped(text: str) -> str:
    return re.escape(text).replace("\\ ", " ")


def _table(log: TextLog, pattern: str, contexts: Sequence[str], count: int) -> FoundTable | None:
    """Return the matches of a pattern as a table; None if two rows differ in their number alone."""
    rows = TableRows(kind="pattern", pattern=pattern)
    table = TableFile(log, rows, [Context(pattern=each) for each in contexts], is_own=True)
    records = tuple(read_records(table))
    names = dict.fromkeys(name for record in records for name in record.cells if not name.startswith("#"))
    columns = (*(name for name in names if name not in _NAMES), *(name for name in _NAMES if name in names))
    keys = {tuple(record.cells.get(name) for name in columns if name != "value") for record in records}
    if len(records) != count or len(keys) < len(records):
        return None
    name = PurePosixPath(log.source.path).name
    return FoundTable(rows, columns, records, name=name, contexts=tuple(contexts))
