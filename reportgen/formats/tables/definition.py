"""Define a family of result tables in TOML: how a file is recognised, its rows, and the meaning of columns.

The structs are the schema; docs/how-to/read-a-table.md explains it with examples.
"""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal

from msgspec import field

from reportgen.core import units
from reportgen.core.errors import did_you_mean
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.metrics import METRICS, metric_of
from reportgen.core.model import FactorValue, Status
from reportgen.core.schema import InvalidTable, TomlTable
from reportgen.formats.parsing.user_patterns import pattern_fault
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.derive import FUNCTIONS

Kind = Literal["json", "jsonl", "csv", "tsv", "markdown", "aligned", "columns", "pattern", "block", "matrix"]
Layout = Literal["objects", "columns", "split", "grid", "lists"]
# Kinds whose rows are read as Markdown.
BETWEEN_BARS = ("markdown", "aligned")
Severity = Literal["note", "warning", "invalid"]

#: Placeholder of a column that names the statistic of its figure.
STATISTIC = "statistic"
#: Placeholder of a column that has the number of the repeat; the first may be 0.
REPEAT = "repeat"
#: Statistic of single numbers, of which a list has one in each item.
SAMPLE = "sample"
# A metric whose name is as similar to a known one is a misspelling: "bandwith", but not "read_bandwidth".
_MISSPELT = 0.9
_NAME = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}")
_PLACEHOLDER = lazy_pattern(r"\{(\w+)\}")
# "p50", "p99.9", "90%", "percentile(99%)": percentiles as programs write them.
_STATISTICS = (
    r"mean|avg|average|median|med|min|minimum|max|maximum|best"
    r"|p[0-9]{1,2}(?:[._][0-9]{1,3})?|p001|p999|p\([0-9]{1,2}(?:\.[0-9]{1,3})?\)"
    r"|(?:percentile\()?[0-9]{1,2}(?:\.[0-9]{1,3})?%\)?|[0-9]{1,2}\.[0-9]{6}"
)


class Sign(TomlTable):
    """`[sign]`: what a file of the family has in its first 64 KiB.

    keys     keys of a JSON object or columns of a header; all of them
    any      lists of keys; all keys of one of the lists, besides `keys`
    lacks    keys that other families have and this one has not
    text     regular expression, for text; `marks` are literals of which it contains one
    """

    keys: list[str] = field(default_factory=list)
    any: list[list[str]] = field(default_factory=list)
    lacks: list[str] = field(default_factory=list)
    text: str = ""
    marks: list[str] = field(default_factory=list)
    confidence: float = 0.9

    def __post_init__(self) -> None:
        if not self.keys and not self.any and not self.marks:
            raise InvalidTable("names nothing that a file must have", 'add keys = ["..."] or marks = ["..."]')
        _compile(self.text, "text")


class Expansion(TomlTable):
    """`expand`: a row that holds several, taken apart by a function of `expand.FUNCTIONS`."""

    function: str
    of: list[str]


class TableRows(TomlTable, kw_only=True):
    """`[rows]`: where the rows of a file are.

    kind      json, jsonl, csv, tsv: as the names say. markdown: also tables of HTML. aligned: columns that
              blanks align, also below a rule of dashes. columns: words below a header line. pattern:
              lines that match a regular expression. block: `label: value` lines below a title. matrix:
              numbers below a line of column numbers
    path      of rows in JSON: `benchmarks[*].states[*]`; "" for the document itself. `[*]` also takes one
              object
    line      key of JSON whose line is that of its row, without one the first key that is in each row once
    all_results  whether every row is a result: one without numbers is reported
    header    regular expression of the header line, of columns and of CSV below other text
    pattern   regular expression with named groups, of a row
    begin     regular expression of the title of a block or matrix; its named groups are columns. Of JSON in a
              text: of what precedes each document
    end       regular expression of the line after a block, or after the rows of CSV
    also      regular expression of lines that are rows of their own, beside columns or matrices: totals
    split     regular expression of what separates the names in the header of columns
    torn      columns at which a row may continue on a later line, because other output tore it
    last      whether only the last match of a pattern counts: the others are progress
    once      whether rows of columns with the same text are one row
    beside    name of a JSON file beside this one; its keys are columns that begin with `beside.`
    expand    takes a row with lists apart
    each      a column with a list: each item makes a row of its own, a repeat
    twin      name of a file with the same results in a better form, or several: "{stem}.json"; `{column}` is
              a cell of the row, or a group of a context
    twin_same  columns whose numbers must all occur in the twin; without them the twin has all rows
    layout    of JSON. objects: each is a row. columns: an object of lists of one length, or of objects with
              the same keys, which are the column `*`. split: rows are lists, beside or below a
              list of names. grid: an object with lists of lists of numbers, each a row with its place.
              lists: a list of rows as lists, whose columns are `names`
    transposed  whether each column of CSV or Markdown is a row; the first has the names of its cells
    groups    whether a row that has only a first cell names the group of the rows below it: column `../group`
    fill      columns whose empty cells repeat the cell above, of CSV or Markdown
    heads     lines of the header of CSV: the first of several names columns of the next
    names     names of the columns of CSV, or of rows of JSON that are lists, without a header
    separator of cells, of CSV; " " for columns of words, "&" for LaTeX
    decimal   mark of numbers: "," in 1.234,5; or the columns whose mark is a comma; or "proven" where the
              numbers of a column say it: some programs print as the machine does; or "either" where each
              number says it
    """

    kind: Kind
    path: str = ""
    line: str = ""
    all_results: bool = False
    header: str = ""
    pattern: str = ""
    begin: str = ""
    end: str = ""
    also: str = ""
    split: str = r"\s+"
    torn: list[str] = field(default_factory=list)
    last: bool = False
    once: bool = False
    beside: str = ""
    expand: Expansion | None = None
    each: str = ""
    twin: str | list[str] = ""
    twin_same: list[str] = field(default_factory=list)
    layout: Layout = "objects"
    transposed: bool = False
    groups: bool = False
    fill: list[str] = field(default_factory=list)
    heads: Literal[1, 2, 3] = 1
    names: list[str] = field(default_factory=list)
    separator: Literal[",", ";", "|", " ", "&"] = ","
    decimal: Literal[".", ",", "proven", "either"] | list[str] = "."

    def __post_init__(self) -> None:
        needed = {"columns": "header", "pattern": "pattern", "block": "begin", "matrix": "begin"}
        if (name := needed.get(self.kind)) and not getattr(self, name):
            raise InvalidTable(f'kind "{self.kind}" needs {name}', f"add {name} = '...'")
        for name in ("header", "pattern", "begin", "end", "also", "split"):
            _compile(getattr(self, name), name)

    @property
    def twins(self) -> list[str]:
        """Return the names of `twin`, each with its placeholders."""
        return [self.twin] if isinstance(self.twin, str) and self.twin else list(self.twin)


class Context(TomlTable, kw_only=True):
    """One `[[context]]`: lines of a text that say something about the rows after them.

    pattern   regular expression; its named groups are columns of the rows after it, until a match states one
              of them again: it takes back all that the match before it stated
    mark      literal that every match has: without it the text is not searched
    counts    name of a column with the number of matches
    distinct  column -> named group: the number of different texts
    joins     column -> named group: the texts of the column in all matches, as one text; a text of the group
              that comes again begins another list
    resets    whether a match begins another run, whose columns are its own
    lasts     whether it holds for all later runs, too: a heading
    ahead     whether it says something about the next run: it is printed before the line that begins it
    after     whether it says something about all rows of its run, the earlier ones too: a verdict
    """

    pattern: str
    mark: str = ""
    counts: str = ""
    distinct: dict[str, str] = field(default_factory=dict)
    joins: dict[str, str] = field(default_factory=dict)
    resets: bool = False
    lasts: bool = False
    ahead: bool = False
    after: bool = False

    def __post_init__(self) -> None:
        _compile(self.pattern, "pattern")
        groups = re.compile(self.pattern).groupindex
        for key, table in (("distinct", self.distinct), ("joins", self.joins)):
            for column, group in table.items():
                if group not in groups:
                    fact = f'the pattern has no group "{group}"'
                    raise InvalidTable(fact, did_you_mean(group, groups), (key, column))


class RowCondition(TomlTable, kw_only=True):
    """A condition on one column of a row: all of its parts hold."""

    column: str
    equals: FactorValue | None = None
    differs: FactorValue | None = None
    above: float | None = None
    below: float | None = None
    less_than: str = ""
    matches: str = ""
    missing: bool | None = None

    def __post_init__(self) -> None:
        _compile(self.matches, "matches")


class FactColumn(TomlTable):
    """A column as a fact: what its texts are replaced by, or the part that a pattern matches.

    columns  the first of these that a row has, where versions of a program differ
    where    conditions on the row; without them, the fact is unknown
    text     whether the cell is a text, also if it looks like a number: a version, a hash
    grouped  whether marks separate the thousands of its numbers: 1'024, 1 024, 1_024
    """

    column: str = ""
    columns: list[str] = field(default_factory=list)
    pattern: str = ""
    values: dict[str, FactorValue] = field(default_factory=dict)
    value: FactorValue | None = None
    where: list[RowCondition] = field(default_factory=list)
    text: bool = False
    grouped: bool = False

    def __post_init__(self) -> None:
        if not self.column and not self.columns and self.value is None:
            raise InvalidTable("names no column", 'add column = "..." or value = ...')
        _compile(self.pattern, "pattern")


class Check(RowCondition, kw_only=True):
    """One `[[checks]]`: what a row says about its validity. `{column}` in the message is the row's text."""

    message: str
    severity: Severity = "warning"
    status: Status = "complete"


class RepeatingRows(TomlTable, kw_only=True):
    """One `[[summaries]]`: rows that repeat others. They count only if the file lacks these.

    where  conditions on such a row
    of     columns in which it and the rows that it repeats agree
    """

    where: list[RowCondition]
    of: list[str]


class Skip(RowCondition, kw_only=True):
    """One `[[skip]]`: rows that are not read; a note of each file says `why`, unless it is ""."""

    why: str = ""


class Derived(TomlTable):
    """One `[[derived]]`: a column made of others by a function of `derive.FUNCTIONS`.

    of  columns; `#path` is the path of the log, `#part` the number of the run in it
    """

    column: str
    function: str
    of: list[str]


class FigureColumn(TomlTable, kw_only=True):
    """One `[[figures]]`: a column of numbers.

    column     name; `{statistic}` stands for mean, median, p99, ...; any other `{name}` is a factor,
               `{repeat}` the number of the repeat. A list of the statistic `sample` has a number in each item
    unit       of numbers without a unit of their own; a column with units is `unit_column`
    statistic  of the numbers, if the column does not name it; "" for a rate or time over all of the work
    where      conditions on the row
    zero       what 0 means: a value; absent: nothing was measured, as what is below 0; rounded: a time or
               rate that was measured, and is 0 or less than its last digit
    n          column with the number of values that the statistic was made of
    """

    column: str
    metric: str
    unit: str = ""
    unit_column: str = ""
    scale: float = 1.0
    phase: str = "step"
    statistic: str = ""
    n: str = ""
    where: list[RowCondition] = field(default_factory=list)
    zero: Literal["value", "absent", "rounded"] = "value"
    factors: dict[str, FactorValue] = field(default_factory=dict)

    def pattern(self) -> re.Pattern[str] | None:
        """Return what its columns match, with a group for each placeholder; None for a single column."""
        return columns_pattern(self.column)


class TableFamily(TomlTable, kw_only=True, dict=True):
    """A definition: `families/NAME.toml`, or `[table]` in a labels.toml.

    factors         of a run; `results` are factors of single results in a run, such as the size of a message.
                    The name `{name}` stands for each column that matches: `"{name}" = "params.{name}"`;
                    `"{name}" = "{name}"` for all columns that nothing else names and `without` does not have
    repeat          column with the number of the repeat
    skip            rows that are not results: totals, fits
    samples         column with the work of a step over all devices
    statistic_factor  whether the statistic of a number is a factor: two statistics are two results. If not,
                    the number says it, and of several numbers of one quantity the best statistic counts
    """

    summary: str = ""
    url: str = ""
    version: int = 1
    sign: Sign | None = None
    rows: TableRows
    context: list[Context] = field(default_factory=list)
    derived: list[Derived] = field(default_factory=list)
    factors: dict[str, str | FactColumn] = field(default_factory=dict)
    results: dict[str, str | FactColumn] = field(default_factory=dict)
    environment: dict[str, str | FactColumn] = field(default_factory=dict)
    figures: list[FigureColumn]
    skip: list[Skip] = field(default_factory=list)
    summaries: list[RepeatingRows] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    repeat: str = ""
    started: str = ""
    samples: str = ""
    statistic_factor: bool = True
    without: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Check the metrics, units and zeros of the figures. Raises InvalidTable."""
        for position, figure in enumerate(self.figures):
            if wrong := self._wrong_figure(figure):
                key, fact, remedy = wrong
                raise InvalidTable(fact, remedy, ("figures", position, key))

    def _wrong_figure(self, figure: FigureColumn) -> tuple[str, str, str] | None:
        """Return (key, fact, remedy) of a metric, unit or zero that is wrong, None if none is."""
        if figure.metric not in METRICS and self._is_misspelt(figure.metric):
            return "metric", f'unknown metric "{figure.metric}"', did_you_mean(figure.metric, METRICS)
        if figure.unit and not units.find(figure.unit) and not self._is_own_unit(figure):
            return "unit", f'unknown unit "{figure.unit}"', did_you_mean(figure.unit, units.known_units())
        expected = METRICS[figure.metric].unit if figure.metric in METRICS else ""
        if figure.unit and expected and units.to_base(1.0, figure.unit)[1] != expected:
            fact = f'"{figure.unit}" does not fit {figure.metric} (base unit: {expected})'
            return "unit", fact, "correct the unit or the metric"
        base = expected or units.to_base(1.0, figure.unit)[1]
        if figure.zero == "rounded" and base and not metric_of(figure.metric, base).is_never_negative:
            fact = f'"rounded" is for times and rates, and {figure.metric} is none'
            return "zero", fact, 'write "absent" or "value"'
        return None

    def _is_misspelt(self, metric: str) -> bool:
        """Return whether a name that no metric has is wrong; what is shipped adds its metrics to METRICS."""
        return True

    def _is_own_unit(self, figure: FigureColumn) -> bool:
        """Return whether an unknown unit is accepted."""
        return False

    @cached_property
    def named_columns(self) -> frozenset[str]:
        """The columns that the definition names one by one, and the columns of `without`."""
        names = {*self.without, self.started}
        names |= {each.column for each in self.derived} | {each.column for each in self.figures}
        for facts in (self.factors, self.results, self.environment):
            for column in facts.values():
                names |= {column} if isinstance(column, str) else {column.column, *column.columns}
        return frozenset(names)


class OwnTable(TableFamily, kw_only=True):
    """`[table]` of a labels.toml: a family of a user's own files.

    files  a glob that the end of a path must match, "" for every path
    """

    name: str
    files: str = ""

    def __post_init__(self) -> None:
        """Check the name, the glob and the patterns. Raises InvalidTable."""
        if not _NAME.fullmatch(self.name):
            raise InvalidTable(
                f'"{self.name}" cannot be a name', "write letters, digits, _, - and .", ("name",)
            )
        if ".." in self.files.split("/"):
            raise InvalidTable(f'"{self.files}" leads out of the folder', "name files below it", ("files",))
        for name in self._shipped_only():
            raise InvalidTable("is for shipped families only", "leave it out", ("rows", name))
        if not self.figures:
            raise InvalidTable("has no figures", "add [[table.figures]] with column, metric and unit")
        self._check_placeholders()
        for path, pattern in self._patterns():
            if wrong := pattern_fault(pattern):
                raise InvalidTable(*wrong, path)
        for position, derived in enumerate(self.derived):
            if derived.function not in FUNCTIONS:
                raise InvalidTable(
                    f'no function "{derived.function}"',
                    did_you_mean(derived.function, FUNCTIONS),
                    ("derived", position, "function"),
                )
        super().__post_init__()

    def _is_misspelt(self, metric: str) -> bool:
        """Return whether a name is almost the name of a metric; others are metrics of the user's own."""
        return bool(get_close_matches(metric, METRICS, n=1, cutoff=_MISSPELT))

    def _is_own_unit(self, figure: FigureColumn) -> bool:
        """Return whether an unknown unit is one of the user's own, of a metric of his own."""
        known = unit_of(figure.unit)
        is_known = bool(known and known.unit == figure.unit)
        return figure.metric not in METRICS and (is_known or not units.misspelt(figure.unit))

    def _shipped_only(self) -> Iterator[str]:
        """Yield the keys of `rows` whose cost nothing bounds for a user's own text."""
        usual = TableRows(kind="json")
        names = ("split", "twin", "torn", "beside", "expand")
        return (name for name in names if getattr(self.rows, name) != getattr(usual, name))

    def _check_placeholders(self) -> None:
        """Check that columns can fill the placeholders of their names. Raises InvalidTable."""
        for at, figure in enumerate(self.figures):
            _check_column(figure.column, "", ("figures", at, "column"))
        for kind in ("factors", "results", "environment"):
            for name, column in getattr(self, kind).items():
                if isinstance(column, str) and _PLACEHOLDER.search(column):
                    _check_column(column, name, (kind, name))

    def _patterns(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield (keys, regular expression) of each pattern."""
        for name in ("header", "pattern", "begin", "end", "also"):
            yield ("rows", name), getattr(self.rows, name)
        for position, context in enumerate(self.context):
            yield ("context", position, "pattern"), context.pattern
        for kind in ("factors", "results", "environment"):
            for name, column in getattr(self, kind).items():
                if isinstance(column, FactColumn):
                    yield (kind, name, "pattern"), column.pattern
        conditions: list[tuple[tuple[Any, ...], RowCondition]] = [
            (("skip", at), each) for at, each in enumerate(self.skip)
        ]
        conditions += [(("checks", at), each) for at, each in enumerate(self.checks)]
        for at, figure in enumerate(self.figures):
            yield (
                ("figures", at, "column"),
                (known.pattern if (known := columns_pattern(figure.column)) else ""),
            )
            conditions += [(("figures", at, "where", n), each) for n, each in enumerate(figure.where)]
        for path, condition in conditions:
            yield (*path, "matches"), condition.matches
        if self.sign:
            yield ("sign", "text"), self.sign.text


def columns_pattern(column: str) -> re.Pattern[str] | None:
    """Return what the columns of a name with `{placeholders}` match; None for a single column."""
    if not _PLACEHOLDER.search(column):
        return None
    parts = _PLACEHOLDER.split(column)
    text = "".join(re.escape(part) if at % 2 == 0 else _group(part) for at, part in enumerate(parts))
    return re.compile(text)


def _check_column(column: str, name: str, path: tuple[str | int, ...]) -> None:
    """Check the placeholders of a column, and of the name of its factor. Raises InvalidTable."""
    parts = _PLACEHOLDER.findall(column)
    if bad := [part for part in parts if parts.count(part) > 1 or not part.isidentifier()]:
        fact = f'"{{{bad[0]}}}" is not a placeholder that can be filled'
        raise InvalidTable(fact, "begin placeholders with a letter, and write each once in a column", path)
    if lacking := set(_PLACEHOLDER.findall(name)) - set(parts):
        fact = f'no placeholder of "{column}" fills "{{{min(lacking)}}}"'
        raise InvalidTable(fact, "use the placeholders of the column", path)


def filled(name: str, parts: Mapping[str, str]) -> str:
    """Return a name with its `{placeholders}` replaced by the parts of a column."""
    return _PLACEHOLDER.sub(lambda match: parts.get(match[1], match[0]), name)


def _group(name: str) -> str:
    if name == REPEAT:
        return f"(?P<{REPEAT}>[0-9]{{1,9}})"
    return f"(?P<{STATISTIC}>(?i:{_STATISTICS}))" if name == STATISTIC else f"(?P<{name}>.+?)"


def _compile(pattern: str, name: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise InvalidTable(f"{name}: not a regular expression: {error}", "correct it") from None
    except (OverflowError, RecursionError):
        raise InvalidTable(f"{name}: nested too deeply, or repeated too often", "simplify it") from None


def statistic_name(text: str) -> str:
    """Return the usual name of a statistic: `mean` for avg, `p99` for 99%, `median` for p50."""
    lower = text.lower().removeprefix("percentile(").replace("p(", "p").rstrip(")").replace("_", ".")
    if lower.endswith("%"):
        lower = f"p{lower[:-1]}"
    if re.fullmatch(r"[0-9]{1,2}\.[0-9]{6}", lower):
        lower = f"p{float(lower):g}"
    if re.fullmatch(r"p0[1-9]", lower):
        lower = f"p{lower[2:]}"
    return _NAMES.get(lower.removesuffix(".0"), lower.removesuffix(".0"))


_NAMES = {
    "avg": "mean",
    "average": "mean",
    "med": "median",
    "p50": "median",
    "p001": "p0.1",
    "p999": "p99.9",
    "p100": "maximum",
    "min": "minimum",
    "max": "maximum",
}
