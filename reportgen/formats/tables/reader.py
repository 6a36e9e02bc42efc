"""Read a table of results by its definition: rows become runs, columns factors and figures.

Rows that agree in the factors of a run are one run. Each combination of factors of its results, such as the
size of a message or the statistic of a latency, is a Run, with `part_of`, the number of its run in the file.
"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, TypeVar

from msgspec import structs

from reportgen.core import units
from reportgen.core.factors import factors_key, parse_scalar
from reportgen.core.metrics import METRICS
from reportgen.core.model import RESERVED, FactorValue, Finding, Run, Status
from reportgen.core.rules import Rule, Severity
from reportgen.formats.base import Results
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import quantity
from reportgen.formats.parsing.exit_status import ERRORS, error
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.parsing.timestamps import wall_time
from reportgen.formats.parsing.user_patterns import compiled, syntax_fault
from reportgen.formats.tables.column_units import RATES, unit_of, unit_of_cell
from reportgen.formats.tables.definition import (
    REPEAT,
    SAMPLE,
    STATISTIC,
    FactColumn,
    FigureColumn,
    OwnTable,
    RowCondition,
    TableFamily,
    columns_pattern,
    filled,
    statistic_name,
)
from reportgen.formats.tables.derive import (
    FUNCTIONS,
    PATH,
    is_clock,
    is_missing,
    is_nan,
    money,
    numeric,
    plain_text,
    spelled,
    spread_of,
    with_own_unit,
    without_unit,
)
from reportgen.formats.tables.multiples import shortened, without_multiple
from reportgen.formats.tables.records import Record, TableFile, read_records
from reportgen.formats.tables.secret_names import may_be_secret
from reportgen.formats.tables.twins import Twins

_MAX_TEXT = 200
_PREFIXES = {1e3: "k", 1e6: "M", 1e9: "G"}
# A column whose name is as similar to that of a figure is what its definition means.
_MISSPELT = 0.8
# A longer cell is not searched by patterns to its end.
_MAX_CELL = 4000
# What begins the columns that are not of the row itself.
_ABOUT = ("#", "/", "../")
_ROWS_OF_RUNS = ("json", "csv", "tsv", "jsonl", "markdown", "aligned")
_SPEEDS = ("s", *RATES)
_PRINTED = ("columns", "pattern", "block", "matrix")
_WORST: tuple[Status, ...] = ("out_of_memory", "failed", "cancelled", "running", "partial", "complete")

Cells = Mapping[str, Any]
T = TypeVar("T")
Factors = dict[str, FactorValue]


@dataclass(frozen=True, slots=True)
class TableNumber:
    """A number of a row, in the base unit of its metric.

    unit    base unit of the value, "" if none is stated; spread  what the cell states beside it, in this unit
    repeat  number of the repeat, for a table with a column for each; None for others
    is_rounded  whether 0 was measured
    """

    figure: FigureColumn
    value: float
    unit: str
    text: str
    statistic: str
    factors: Factors
    n: int
    repeat: int | None
    spread: float | None = None
    item: int = 0
    is_rounded: bool = False

    @property
    def identity(self) -> tuple[object, ...]:
        """The parts in which the numbers of a result differ; a number in a list has its place in it."""
        return self.figure.metric, self.figure.phase, self.statistic, self.item


@dataclass(slots=True)
class _Results:
    """The numbers of one run: one list for each combination of factors of results, in order."""

    record: Record
    factors: Factors
    repeat: int | None
    environment: Factors
    started: str = ""
    samples: float | None = None
    status: Status = "complete"
    findings: list[tuple[Severity, str]] = field(default_factory=list)
    groups: dict[object, tuple[Factors, list[tuple[Record, TableNumber]]]] = field(default_factory=dict)

    def add(self, record: Record, factors: Factors, values: Sequence[TableNumber]) -> bool:
        """Add the numbers of a row; False if it has one that the run already has."""
        new: list[tuple[object, Factors, TableNumber]] = []
        for value in values:
            own = factors | value.factors
            key: object = factors_key(own)
            _, known = self.groups.get(key, (own, []))
            if any(x.identity == value.identity for _, x in known):
                return False
            new.append((key, own, value))
        if not values:
            self.groups.setdefault(factors_key(factors), (factors, []))
        for key, own, value in new:
            self.groups.setdefault(key, (own, []))[1].append((record, value))
        return True


@dataclass(slots=True)
class _Seen:
    """Facts of all rows of a file: the last line, the columns, why rows are skipped with the first line."""

    last: int = 0
    columns: dict[str, None] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)


def read(name: str, family: TableFamily, log: TextLog, before: int = 0) -> Results:
    """Yield the runs of a file of a family, and findings about what cannot be read.

    before  number of runs that were read from other tables of the file
    """
    runs: list[_Results] = []
    latest: dict[object, _Results] = {}
    twins = Twins(family.rows, log)
    seen, has_bare_rows = _Seen(), False
    for record in _rows(family, log, seen, twins):
        if not _add_row(family, record, runs, latest):
            has_bare_rows = True
            if family.rows.all_results:
                log.malformed.add(record.line, "not the result of a test")
        for column, fact, severity in _unread(family, record.cells):
            log.malformed.add(record.line, f'column "{column[:60]}" {fact}', severity=severity)
    for why, line in seen.reasons.items():
        if why:
            yield Finding("note", Rule.READ_EXCERPT, log.id, why, structs.replace(log.source, line=line))
    used = list(twins.used())
    for twin in used:
        message = f"the results of this run are also in {twin}, with all digits; read from there"
        yield Finding("note", Rule.READ_EXCERPT, log.id, message, log.source)
    if runs and family.rows.kind in _PRINTED:
        _note_error(family, log, seen.last, runs[-1])
    _number_repeats(family, runs)
    for fact, severity in _unknown_columns(family, seen.columns) if runs else ():
        log.malformed.add(runs[0].record.line, fact, severity=severity)
    yield from _runs(name, log, runs, before)
    faults = log.malformed.findings()
    yield from faults
    is_bare = has_bare_rows or any(run.status == "complete" for run in runs)
    lacks_numbers = is_bare and not any(values for run in runs for _, values in run.groups.values())
    if not (faults or used) and (lacks_numbers or not (runs or any(seen.reasons))):
        message = f"recognised as {name}, but it has no results"
        yield Finding("warning", Rule.READ_INCOMPLETE_RUN, log.id, message, log.source)


def _rows(family: TableFamily, log: TextLog, seen: _Seen, twins: Twins) -> Iterator[Record]:
    """Yield the rows that are results, with the columns that are made of others."""
    is_own = isinstance(family, OwnTable)
    table = TableFile(log, family.rows, family.context, is_own)
    for record in _details(family, read_records(table)):
        cells = _with_derived(family, record.cells, log.source.path)
        seen.last = max(seen.last, record.line)
        if is_own:
            seen.columns |= dict.fromkeys(cells)
        skip = next((skip for skip in family.skip if holds(skip, cells)), None)
        if skip:
            seen.reasons.setdefault(skip.why, record.line)
        elif not twins.have(cells):
            yield replace(record, cells=cells)


def _details(family: TableFamily, records: Iterable[Record]) -> Iterable[Record]:
    """Return the rows without those that repeat others."""
    for summary in family.summaries:
        pairs = [(record, all(holds(x, record.cells) for x in summary.where)) for record in records]
        known = {_key(record, summary.of) for record, is_summary in pairs if not is_summary}
        records = [
            record for record, is_summary in pairs if not is_summary or _key(record, summary.of) not in known
        ]
    return records


def _key(record: Record, columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(record.cells.get(column)) for column in columns)


def _add_row(
    family: TableFamily, record: Record, runs: list[_Results], latest: dict[object, _Results]
) -> bool:
    """Add a row to its run; False if it says nothing."""
    cells = record.cells
    factors = facts(family.factors, cells, family.named_columns)
    results = facts(family.results, cells)
    repeat = json_values.whole(parse_scalar(str(cells.get(family.repeat)))) if family.repeat else None
    status, messages = _checked(family, cells)
    values = [] if status in ("failed", "out_of_memory", "cancelled") else figures_of(family, cells)
    if not values and status == "complete" and not messages:
        return False
    for number, own in _by_repeat(values, repeat):
        key = (record.part, factors_key(factors), number)
        run = latest.get(key) if family.results or family.rows.kind in _ROWS_OF_RUNS else None
        if run is None or not run.add(record, results, own):
            run = _Results(record, factors, number, facts(family.environment, cells))
            run.started = str(cells.get(family.started) or "")
            samples = numeric(cells.get(family.samples))
            run.samples = samples if 0 < samples < math.inf else None
            run.add(record, results, own)
            runs.append(run)
            latest[key] = run
        run.findings += [each for each in messages if each not in run.findings]
        run.status = min(run.status, status, key=_WORST.index)
    return True


def _by_repeat(values: list[TableNumber], repeat: int | None) -> list[tuple[int | None, list[TableNumber]]]:
    """Return (repeat, its numbers) of a row; the first one has the columns that belong to no repeat."""
    repeats = sorted({value.repeat for value in values if value.repeat is not None})
    if not repeats:
        return [(repeat, values)]
    first = repeats[0]
    return [
        (number, [x for x in values if (first if x.repeat is None else x.repeat) == number])
        for number in repeats
    ]


def _unread(family: TableFamily, cells: Cells) -> Iterator[tuple[str, str, Severity]]:
    """Yield (column, fact, severity) of the figures that a row should have and that are not plain numbers.

    NaN, units of something else and times with one colon always; of a user's own table also texts, and what
    says that there is no value.
    """
    if _checked(family, cells)[0] in ("failed", "out_of_memory", "cancelled"):
        return
    for figure in family.figures:
        cell = cells.get(figure.column)
        if figure.column not in cells or not all(holds(condition, cells) for condition in figure.where):
            continue
        is_own = isinstance(family, OwnTable)
        is_text = isinstance(cell, str) and (is_own or figure.zero == "value")
        if is_nan(cell):
            yield figure.column, "is NaN", "warning"
        elif is_text and (unit := _other_unit(family, figure.column, cells)):
            yield figure.column, f"is in {unit}, which is not a unit of its metric", "warning"
        elif is_text and is_clock(str(cell)) and _value(figure, {}, cell, cells):
            yield figure.column, "has times with one colon, read as minutes and seconds", "note"
        elif not is_own:
            continue
        elif is_missing(cell):
            yield figure.column, f"has no value ({_shown(cell).strip() or 'empty'})", "note"
        elif is_text and math.isnan(_number(cell, figure.unit)[0]):
            yield figure.column, "has a text that is not a number of its unit", "warning"


def _unknown_columns(family: TableFamily, columns: Collection[str]) -> Iterator[tuple[str, Severity]]:
    """Yield (fact, severity) of figures of a user's table without a column; a misspelling is a warning."""
    unused = [name for name in columns if name not in family.named_columns]
    for figure in family.figures if isinstance(family, OwnTable) else ():
        pattern = figure.pattern()
        if figure.column in columns or (pattern and any(map(pattern.fullmatch, columns))):
            continue
        fact = f'no row has the column "{figure.column[:60]}" of a figure'
        if close := get_close_matches(figure.column, unused, n=1, cutoff=_MISSPELT):
            yield f'{fact}; did you mean "{close[0][:60]}"?', "warning"
        else:
            yield fact, "note"


def _other_unit(family: TableFamily, column: str, cells: Cells) -> str:
    """Return the unit of a number that fits no figure of its column, "" if one reads it."""
    figures = [figure for figure in family.figures if figure.column == column]
    if any(_value(figure, {}, cells[column], cells) for figure in figures):
        return ""
    number, _, unit = _number(cells[column], figures[0].unit)
    return "" if math.isnan(number) or unit in ("", figures[0].unit) else unit


def _note_error(family: TableFamily, log: TextLog, line: int, run: _Results) -> None:
    """Note an error that the log prints after the line of the last row; rows that would follow are missing.

    A block is whole when it is printed, and servers are often stopped after it.
    """
    if log.lacks(ERRORS):
        return
    rows = b"\n".join(log.content.split(b"\n")[:line])
    kind, at = error(log.content, len(rows))
    is_whole = family.rows.kind == "block"
    if kind is None or (is_whole and kind == "cancelled"):
        return
    place = f"{kind.replace('_', ' ')} after the last figure, in line {log.place(at).line}"
    run.findings.append(("warning", place))  # without the text, which may name hosts
    run.status = run.status if is_whole else min(run.status, "partial", key=_WORST.index)


def _number_repeats(family: TableFamily, runs: Sequence[_Results]) -> None:
    """Number the runs that agree in all factors, unless columns have the numbers."""
    if family.repeat:
        return
    groups: dict[object, list[_Results]] = {}
    for run in runs:
        groups.setdefault(factors_key(run.factors), []).append(run)
    for group in groups.values():
        if len({run.repeat for run in group}) < len(group):
            for number, run in enumerate(group, 1):
                run.repeat = number


def _runs(name: str, log: TextLog, runs: Sequence[_Results], before: int) -> Iterator[Run]:
    """Yield a Run for each combination of factors of results; the first has the findings of its run."""
    several = before + sum(max(len(run.groups), 1) for run in runs) > 1
    number = before
    for position, results in enumerate(runs, before + 1):
        for is_first, (factors, values) in _with_first(results.groups.values() or [({}, [])]):
            number += 1
            line = values[0][0].line if values else results.record.line
            run = ResultRun.of_file(name, log.files, line, number if several else None)
            run.factors = results.factors | factors
            run.environment = dict(results.environment)
            run.repeat, run.status = results.repeat, results.status
            run.samples_per_step = results.samples
            if results.started:
                run.set_start(wall_time(results.started.encode()))
            for record, value in values:
                statistic = value.statistic or "total"
                figure = value.figure
                run.add_aggregate(
                    figure.metric,
                    value.value,
                    value.text,
                    statistic,
                    value.n,
                    record.line,
                    phase=figure.phase,
                    only_finite=False,
                    unit=value.unit,
                    spread=value.spread,
                    is_rounded=value.is_rounded,
                )
            if is_first:
                for severity, message in results.findings:
                    rule = Rule.READ_STATED_PROBLEM if results.status == "complete" else Rule.READ_FAILED_RUN
                    run.findings.append(Finding(severity, rule, run.id, message, run.source))
            yield replace(run.run(), part_of=position if len(results.groups) > 1 else 0)


def _with_first(items: Iterable[T]) -> Iterator[tuple[bool, T]]:
    """Yield (whether it is the first, item)."""
    return ((position == 0, item) for position, item in enumerate(items))


# One row


def _with_derived(family: TableFamily, cells: Cells, path: str) -> Cells:
    """Return the cells of a row with the columns that the definition makes of others or of the log's path."""
    if not family.derived:
        return cells
    own = dict(cells)
    for derived in family.derived:
        value = FUNCTIONS[derived.function](
            [path if column == PATH else own.get(column) for column in derived.of]
        )
        if value is not None:
            own[derived.column] = value
    return own


def facts(columns: Mapping[str, str | FactColumn], cells: Cells, without: Set[str] = frozenset()) -> Factors:
    """Return the factors that a row has, by their columns; a placeholder matches none of `without`."""
    known: Factors = {}
    for name, column in _named(columns, cells, without):
        value = _fact(FactColumn(column=column) if isinstance(column, str) else column, cells)
        if value is not None and not may_be_secret(name, value):
            known[name] = value
    return known


def _named(
    columns: Mapping[str, str | FactColumn], cells: Cells, without: Set[str]
) -> Iterator[tuple[str, str | FactColumn]]:
    """Yield (factor, column), one for each column that a name with a placeholder matches."""
    for name, column in columns.items():
        pattern = columns_pattern(column) if isinstance(column, str) else None
        if pattern is None:
            yield name, column
            continue
        for each in cells:
            match = pattern.fullmatch(each)
            if match and each not in without and not each.startswith(_ABOUT):
                own = filled(name, match.groupdict())
                yield (f"parameter_{own}" if own in RESERVED else own), each


def _fact(column: FactColumn, cells: Cells) -> FactorValue | None:
    if not all(holds(condition, cells) for condition in column.where):
        return None
    names = [name for name in (column.column, *column.columns) if name]
    cell = next((cells[name] for name in names if cells.get(name) not in (None, "")), None)
    if cell is None or isinstance(cell, list):
        return column.values.get("null", column.value) if names else column.value
    text = str(cell).strip() if not isinstance(cell, bool) else str(cell).lower()
    if column.pattern:
        match = search(column.pattern, text[:_MAX_CELL])
        if not match:
            return None
        text = match[match.lastindex or 0]
        cell = text
    if text in column.values:
        return column.values[text]
    if column.text:
        return text[:_MAX_TEXT]
    value = parse_scalar(text[:_MAX_TEXT]) if isinstance(cell, str) else json_values.scalar(cell)
    if column.grouped and isinstance(value, str) and math.isfinite(number := numeric(value)):
        value = number
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def figures_of(family: TableFamily, cells: Cells) -> list[TableNumber]:
    """Return the numbers of a row by the figures of the definition, the first of each identity.

    A row may have a number twice: `p50` beside `median`. A run that failed prints 0 for all that it measures.
    """
    known: dict[object, TableNumber] = {}
    for figure in family.figures:
        if all(holds(condition, cells) for condition in figure.where):
            for value in _values(figure, cells):
                if not family.statistic_factor:
                    value.factors.pop(STATISTIC, None)
                key = (value.identity, factors_key(value.factors), value.repeat)
                known.setdefault(key, value)
    values = list(known.values())
    return [replace(x, is_rounded=False) for x in values] if _has_failed(values) else values


def _has_failed(values: Sequence[TableNumber]) -> bool:
    """Return whether all times and rates of a row are 0, or all numbers; memory may be beside them."""
    if all(x.value for x in values):
        return False
    speeds = [x for x in values if units.to_base(1.0, x.unit)[1] in _SPEEDS]
    several = speeds if len({(x.figure.metric, x.statistic) for x in speeds}) > 1 else values
    kinds = {(x.figure.metric, x.statistic) for x in several}
    return len(kinds) > 1 and not any(x.value for x in several)


def _values(figure: FigureColumn, cells: Cells) -> Iterator[TableNumber]:
    pattern = figure.pattern()
    if pattern is None:
        cell = cells.get(figure.column)
        if isinstance(cell, list) and figure.statistic == SAMPLE:
            each = ((item, _value(figure, {}, number, cells)) for item, number in enumerate(cell, 1))
            yield from (replace(value, item=item, n=1) for item, value in each if value)
        elif value := _value(figure, {}, cell, cells):
            yield value
        return
    for column in cells:
        match = pattern.fullmatch(column)
        if match and (value := _value(figure, match.groupdict(), cells[column], cells)):
            yield value


def _value(figure: FigureColumn, named: Mapping[str, str], cell: object, cells: Cells) -> TableNumber | None:
    unit, scale = _unit_of_row(figure, cells)
    declared = unit
    number, text, unit = _number(cell, unit)
    # An infinite number is kept, so that a finding says it.
    if math.isnan(number) or (number <= 0 and figure.zero == "absent"):
        return None
    if unit != declared or _has_unit(cell, unit):
        scale = 1.0  # of the unit of the column: a cell with its own unit is not scaled
    elif _has_multiple(cell):
        scale = without_multiple(scale)
    if unit != declared and declared:
        # "12.5MB" in a column of rates, which names the second
        unit = unit_of_cell(unit, declared)
        if not unit:
            return None  # a time in a column of rates
    value, base = units.to_base(number * scale, unit)
    if figure.metric not in METRICS:
        base = units.counted_by(unit) or base  # no item of a run says what it counts
    statistic = statistic_name(named.get(STATISTIC, figure.statistic))
    own = figure.factors | {name: parse_scalar(part) for name, part in named.items() if name != STATISTIC}
    if statistic:
        own[STATISTIC] = statistic
    n = json_values.whole(parse_scalar(str(cells.get(figure.n)))) if figure.n else 0
    repeat = json_values.whole(own.pop(REPEAT, None))
    spread = _spread(figure, cell, unit)
    shown = _printed_as(text, scale, unit)
    is_rounded = figure.zero == "rounded"
    return TableNumber(
        figure, value, base, shown, statistic, own, n or 0, repeat, spread, is_rounded=is_rounded
    )


def _has_unit(cell: object, unit: str) -> bool:
    """Return whether the text of a cell ends with its unit."""
    return isinstance(cell, str) and bool(unit) and plain_text(cell).endswith(unit)


def _has_multiple(cell: object) -> bool:
    """Return whether a cell is a number with a letter that multiplies it: 1.2k."""
    return isinstance(cell, str) and shortened(plain_text(cell)) is not None


def _unit_of_row(figure: FigureColumn, cells: Cells) -> tuple[str, float]:
    """Return the unit of a figure in a row, and the scale of its numbers; a column may state it: ns/op."""
    text = str(cells.get(figure.unit_column, "")).strip() if figure.unit_column else ""
    if not text or units.find(text):
        return text or figure.unit, figure.scale
    known = unit_of(text)
    return (known.unit, figure.scale * known.scale) if known and not known.doubt else (text, figure.scale)


def _printed_as(text: str, scale: float, unit: str) -> str:
    """Return a number as the log prints it, with the unit that its column has: 2.5 krequests/s."""
    prefixed = f"{_PREFIXES.get(scale, '')}{unit}"
    if scale == 1 or (scale in _PREFIXES and units.find(prefixed)):
        return f"{text} {prefixed}".strip()
    return f"{text} x {scale:g} {unit}".strip()


def _spread(figure: FigureColumn, cell: object, unit: str) -> float | None:
    """Return the spread that a cell states beside its value in `unit`, in the base unit of the value."""
    known = spread_of(cell, unit)
    value, base = units.to_base(known[0] * figure.scale, known[1]) if known else (0.0, "")
    return value if known and base == units.to_base(1.0, unit)[1] else None


def _number(cell: object, unit: str) -> tuple[float, str, str]:
    """Return (number, text, unit) of a cell; a unit in the cell wins over the unit of the column."""
    if isinstance(cell, str):
        text = plain_text(cell)
        text = without_unit(text, unit)
        known = quantity(text, unit)
        if known:
            return known[0], text.removesuffix(known[1]).strip()[:40], known[1]
        if own := with_own_unit(text):
            return numeric(own[0]), own[0][:40], own[1]
        if amount := money(text):
            return amount[0], text.strip("$€£ ")[:40], amount[1]
        if other := spelled(text, unit):
            return other[0], text[:40], other[1]
        return numeric(text), text[:40], unit
    return json_values.number(cell), str(cell)[:40], unit


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:
    """Return a pattern that runs in linear time; a shipped one that RE2 does not know, as Python's."""
    return re.compile(pattern) if syntax_fault(pattern) else compiled(pattern)


def search(pattern: str, text: str) -> re.Match[str] | None:
    """Return the first match of a pattern in the text of a cell."""
    match: re.Match[str] | None = _compiled(pattern).search(text)
    return match


def holds(condition: RowCondition, cells: Cells) -> bool:
    """Return whether a row meets a condition."""
    cell = cells.get(condition.column)
    if condition.missing is not None and (cell in (None, "")) != condition.missing:
        return False
    if condition.equals is not None and not _equals(cell, condition.equals):
        return False
    if condition.differs is not None and _equals(cell, condition.differs):
        return False
    if condition.matches and not search(condition.matches, "" if cell is None else str(cell)[:_MAX_CELL]):
        return False
    number = numeric(cell)
    if condition.above is not None and not number > condition.above:
        return False
    if condition.below is not None and not number < condition.below:
        return False
    return not condition.less_than or number < numeric(cells.get(condition.less_than))


def _equals(cell: object, wanted: FactorValue) -> bool:
    if isinstance(wanted, bool) or isinstance(cell, bool):
        return str(cell).lower() == str(wanted).lower()
    return numeric(cell) == wanted if isinstance(wanted, int | float) else str(cell).strip() == wanted


def _checked(family: TableFamily, cells: Cells) -> tuple[Status, list[tuple[Severity, str]]]:
    status: Status = "complete"
    messages: list[tuple[Severity, str]] = []
    for check in family.checks:
        if holds(check, cells):
            status = min(status, check.status, key=_WORST.index)
            message = re.sub(r"\{([^{}]+)\}", lambda match: _shown(cells.get(match[1])), check.message)
            messages.append((check.severity, message))
    return status, messages


def _shown(cell: object) -> str:
    number = f"{cell:g}" if isinstance(cell, float) else str(cell)
    return "?" if cell is None else number[:_MAX_TEXT]
