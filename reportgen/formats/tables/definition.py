"""Define a family of result tables in TOML: how a file is recognised, its rows, and the meaning of columns.

The structs are the schema; docs/how-to/read-a-table.md explains it with examples.
"""

import re
from typing import Literal

from msgspec import field

from reportgen.core.model import FactorValue, Status
from reportgen.core.schema import InvalidTable, TomlTable

Kind = Literal["json", "jsonl", "csv", "tsv", "markdown", "columns", "pattern", "block", "matrix"]
Severity = Literal["note", "warning", "invalid"]

#: Placeholder of a column that names the statistic of its figure.
STATISTIC = "statistic"
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
# "p50", "p99.9", "90%", "percentile(99%)": percentiles as programs write them.
_STATISTICS = (
    r"mean|avg|average|median|min|minimum|max|maximum|best"
    r"|[pP][0-9]{1,2}(?:[._][0-9]{1,3})?|p0[0-9]{2}|p999"
    r"|(?:percentile\()?[0-9]{1,2}(?:\.[0-9]{1,3})?%\)?"
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


class Rows(TomlTable, kw_only=True):
    """`[rows]`: where the rows of a file are.

    kind      json, jsonl, csv, tsv, markdown: as the names say. columns: words below a header line.
              pattern: lines that match a regular expression. block: `label: value` lines below a title.
              matrix: numbers below a line of column numbers
    path      of rows in JSON: `benchmarks[*].states[*]`; "" for the document itself
    header    regular expression of the header line, of columns and of CSV below other text
    pattern   regular expression with named groups, of a row
    begin     regular expression of the title of a block or matrix; its named groups are columns
    end       regular expression of the line after a block
    each      a column with a list: each item makes a row of its own, a repeat
    twin      names of files beside with the same results in a better form: "{stem}.json"; the best first
    """

    kind: Kind
    path: str = ""
    header: str = ""
    pattern: str = ""
    begin: str = ""
    end: str = ""
    each: str = ""
    twin: str | list[str] = ""

    def __post_init__(self) -> None:
        needed = {"columns": "header", "pattern": "pattern", "block": "begin", "matrix": "begin"}
        if (name := needed.get(self.kind)) and not getattr(self, name):
            raise InvalidTable(f'kind "{self.kind}" needs {name}', f"add {name} = '...'")
        for name in ("header", "pattern", "begin", "end"):
            _compile(getattr(self, name), name)

    def twins(self, path: str) -> list[str]:
        """Return the names of files beside a path that may have its results in a better form."""
        name = path.rpartition("/")[2]
        stem = name.rpartition(".")[0] or name
        named = [self.twin] if isinstance(self.twin, str) else self.twin
        twins = [twin.replace("{stem}", stem) for twin in named if twin]
        return twins[: twins.index(name)] if name in twins else twins


class Context(TomlTable, kw_only=True):
    """One `[[context]]`: lines of a text that say something about the rows after them.

    pattern   regular expression; its named groups are columns of all rows after it
    counts    name of a column with the number of matches
    distinct  column -> named group: the number of different texts
    resets    whether a match begins another run, whose columns are its own
    """

    pattern: str
    counts: str = ""
    distinct: dict[str, str] = field(default_factory=dict)
    resets: bool = False

    def __post_init__(self) -> None:
        _compile(self.pattern, "pattern")


class FactColumn(TomlTable):
    """A column as a fact: what its texts are replaced by, or the part that a pattern matches.

    columns  the first of these that a row has, where versions of a program differ
    """

    column: str = ""
    columns: list[str] = field(default_factory=list)
    pattern: str = ""
    values: dict[str, FactorValue] = field(default_factory=dict)
    value: FactorValue | None = None

    def __post_init__(self) -> None:
        if not self.column and not self.columns and self.value is None:
            raise InvalidTable("names no column", 'add column = "..." or value = ...')
        _compile(self.pattern, "pattern")


class RowCondition(TomlTable, kw_only=True):
    """A condition on one column of a row: all of its parts hold."""

    column: str
    equals: FactorValue | None = None
    above: float | None = None
    below: float | None = None
    less_than: str = ""
    matches: str = ""
    missing: bool | None = None

    def __post_init__(self) -> None:
        _compile(self.matches, "matches")


class Check(RowCondition, kw_only=True):
    """One `[[checks]]`: what a row says about its validity. `{column}` in the message is the row's text."""

    message: str
    severity: Severity = "warning"
    status: Status = "complete"


class Derived(TomlTable):
    """One `[[derived]]`: a column made of others by a function of `derive.FUNCTIONS`."""

    column: str
    function: str
    of: list[str]


class FigureColumn(TomlTable, kw_only=True):
    """One `[[figures]]`: a column of numbers.

    column     name; `{statistic}` stands for mean, median, p99, ...; any other `{name}` is a factor
    unit       of numbers without a unit of their own; a column with units is `unit_column`
    statistic  of the numbers, if the column does not name it; "" for a rate or time over all of the work
    where      conditions on the row
    zero       what 0 means: a value, or that nothing was measured
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
    zero: Literal["value", "absent"] = "value"
    factors: dict[str, FactorValue] = field(default_factory=dict)

    def pattern(self) -> re.Pattern[str] | None:
        """Return what its columns match, with a group for each placeholder; None for a single column."""
        if not _PLACEHOLDER.search(self.column):
            return None
        parts = _PLACEHOLDER.split(self.column)
        text = "".join(re.escape(part) if at % 2 == 0 else _group(part) for at, part in enumerate(parts))
        return re.compile(text)


class TableFamily(TomlTable, kw_only=True):
    """A definition: `families/NAME.toml`, or `[table]` in a labels.toml.

    factors         of a run; `results` are factors of single results in a run, such as the size of a message
    repeat          column with the number of the repeat
    skip            rows that repeat others: totals, aggregates of listed repeats
    item            what rates count: token, image
    sensitive       whether other columns of such files hold secrets and are never shown
    """

    summary: str = ""
    url: str = ""
    version: int = 1
    sign: Sign | None = None
    rows: Rows
    context: list[Context] = field(default_factory=list)
    derived: list[Derived] = field(default_factory=list)
    factors: dict[str, str | FactColumn] = field(default_factory=dict)
    results: dict[str, str | FactColumn] = field(default_factory=dict)
    environment: dict[str, str | FactColumn] = field(default_factory=dict)
    figures: list[FigureColumn]
    skip: list[RowCondition] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    repeat: str = ""
    devices: str = ""
    started: str = ""


def _group(name: str) -> str:
    return f"(?P<{STATISTIC}>{_STATISTICS})" if name == STATISTIC else f"(?P<{name}>.+?)"


def _compile(pattern: str, name: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise InvalidTable(f"{name}: not a regular expression: {error}", "correct it") from None


def statistic_name(text: str) -> str:
    """Return the usual name of a statistic: `mean` for avg, `p99` for 99%, `median` for p50."""
    lower = text.lower().removeprefix("percentile(").rstrip(")").replace("_", ".")
    if lower.endswith("%"):
        lower = f"p{lower[:-1]}"
    if re.fullmatch(r"p0[0-9]{2}", lower):
        lower = f"p{lower[2:]}"
    if lower == "p999":
        lower = "p99.9"
    return _NAMES.get(lower, lower)


_NAMES = {
    "avg": "mean",
    "average": "mean",
    "p50": "median",
    "p50.0": "median",
    "min": "minimum",
    "max": "maximum",
}
