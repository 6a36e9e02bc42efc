"""A table while it is being understood: its rows, the cells of each column, and the kind of these cells."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise

from reportgen.core import units
from reportgen.core.metrics import METRICS
from reportgen.formats.tables.column_units import clock_of
from reportgen.formats.tables.column_words import CONFIGURATION, ColumnMeaning, compares, meaning_of
from reportgen.formats.tables.derive import is_missing
from reportgen.formats.tables.find_tables import FoundTable
from reportgen.formats.tables.interpret.arithmetic import Printed, printed
from reportgen.formats.tables.interpret.cells import is_fault, number_in, number_of
from reportgen.formats.tables.interpret.marks import plain_names
from reportgen.formats.tables.interpret.reading import TableReading
from reportgen.formats.tables.interpret.row_units import RowUnit, units_of_columns
from reportgen.formats.tables.interpret.spreads import is_spread
from reportgen.formats.tables.levels import levels_of
from reportgen.formats.tables.records import ROW

MAX_REPEATS = 100
# Fewer rows may be cases, also where a number of them grows.
MIN_SERIES = 5
MAX_FIGURES = 200
# Cases of one metric in the same rows differ by less.
NEAR = 50.0
# Rows with which columns are compared by arithmetic.
_MAX_COMPUTED = 100
_MAX_COMPARED = 8
VALUE_COLUMN = {"value", "result", "measurement", "measured", "score", "metric_value", "val"}
METRIC_COLUMN = {"metric", "metric_name", "measure", "measurement", "quantity", "kpi"}
# What begins the columns of the objects around a row of JSON.
AROUND = ("/", "../")
UNIT_COLUMN = {"unit", "units", "metric_unit"}
STATISTIC_COLUMN = {"statistic", "stat", "percentile", "aggregation", "agg"}

# Base units of what is rather measured than chosen.
_SPEEDS = ("s", "samples/s", "B/s", "FLOP/s")
# Columns with what their names mean.
Columns = list[tuple[str, ColumnMeaning]]


class Draft:
    """One table being understood.

    answers   the columns being read whose units the user states
    cells     the cells of each column, without skipped rows
    units     the unit of a column in a second header row
    named     the name of a column there
    figure_factors  factors in whose values the names of figures differ
    has_ratios  whether a column compares others
    cases     columns that are cases of one metric, whose names state no unit
    titled    the meanings of cases of the metric that the title names, with units in their cells
    statistic  the column whose texts are the statistics of the figures beside it, "" without one
    named_in  the columns with the name and the value of each figure, for a table with one number a row
    """

    def __init__(self, table: FoundTable) -> None:
        self.table = table
        self.answers: Mapping[str, str] = {}
        self.result = TableReading(table)
        self.records = list(table.records)
        names = frozenset(table.columns)
        self.columns = [name for name in table.columns if not _is_repeated(name, names)]
        self.units: dict[str, str] = {}
        # quantity -> words in which the columns of it differ, "" for one without
        self.labels: dict[tuple[str, ...], set[str]] = {}
        # column -> unit in the nameless column after it, if its name states another one
        self.loose_units: dict[str, str] = {}
        self.named: dict[str, str] = {}
        self.statistic = ""
        self.named_in = ("", "")
        self.figure_factors: set[str] = set()
        self.cases: list[str] = []
        self.titled: dict[str, ColumnMeaning] = {}
        self.has_ratios = any(compares(name) or meaning_of(name).kind == "derived" for name in self.columns)
        self.cells: dict[str, list[object]] = {}
        self._printed: dict[str, list[Printed | None]] = {}
        self._known: dict[str, list[object]] = {}
        self._numbers: dict[str, list[tuple[float, str] | None]] = {}
        self._texts: dict[str, bool] = {}

    def collect(self) -> None:
        """Take the cells of each column from the rows."""
        for parsed in (self._printed, self._known, self._numbers, self._texts):
            parsed.clear()
        self.cells = {name: [record.cells.get(name) for record in self.records] for name in self.columns}

    def named_by_key(self, name: str) -> str:
        """Return the name of a column; of the numbers of an object, the key that says what they measure."""
        path = self.table.rows.path
        key = path.removesuffix("{*}").rpartition(".")[2] if name == "value" and path.endswith("{*}") else ""
        meaning = meaning_of(key)
        return key if meaning.kind == "figure" and meaning.metric and not meaning.unit else name

    def known(self, name: str) -> list[object]:
        """Return the cells of a column that are not missing."""
        if name not in self._known:
            self._known[name] = [cell for cell in self.cells[name] if not is_missing(cell)]
        return self._known[name]

    def numbers(self, name: str) -> list[tuple[float, str] | None]:
        """Return (number, unit) of each cell that is not missing, None for a text."""
        if name not in self._numbers:
            self._numbers[name] = [number_of(cell) for cell in self.known(name)]
        return self._numbers[name]

    def values(self, name: str) -> list[float]:
        """Return the numbers of a column, as written."""
        return [number[0] for number in self.numbers(name) if number]

    def printed(self, name: str) -> list[Printed | None]:
        """Return the numbers of a column as printed, in its first rows."""
        if name not in self._printed:
            self._printed[name] = [printed(cell) for cell in self.cells[name][:_MAX_COMPUTED]]
        return self._printed[name]

    def plain(self, name: str) -> str:
        """Return the name of a column, with braces around a letter that is a mark and no unit."""
        return self._plain_names.get(name, name)

    @cached_property
    def _plain_names(self) -> dict[str, str]:
        return plain_names({name: self.values(name) for name in self.columns if name in self.cells})

    @cached_property
    def row_units(self) -> dict[str, RowUnit]:
        """The units that columns state for others: `latency_unit`, `unit`, and `time.unit` of `time.mean`."""
        return units_of_columns(self.table)

    @cached_property
    def unit_columns(self) -> frozenset[str]:
        """The columns that state the units of others."""
        return frozenset(each.column for each in self.row_units.values())

    @cached_property
    def levels(self) -> dict[str, tuple[str, str]]:
        """The upper and the lower name of columns that form a grid."""
        plain = {self.plain(name): name for name in self.columns if not name.startswith(AROUND)}
        return {plain[name]: levels for name, levels in levels_of(list(plain)).items()}

    @cached_property
    def parts(self) -> frozenset[str]:
        """The columns of JSON in an object with figures, beside other objects with figures."""
        own = {name: name.rpartition(".")[0] for name in self.columns if not name.startswith(AROUND)}
        meanings = {name: meaning_of(name) for name in own}
        figures = {own[name] for name, each in meanings.items() if each.kind == "figure" and each.unit}
        return frozenset(name for name, part in own.items() if part in figures and len(figures) > 1 and part)

    @cached_property
    def compared(self) -> list[str]:
        """The first columns that others may be ratios of: figures, then numbers that no name explains."""
        kinds = {name: meaning_of(name).kind for name in self.columns if not name.startswith(AROUND)}
        by_kind = [name for kind in ("figure", "other") for name in kinds if kinds[name] == kind]
        are_apart = (x for x in by_kind if not self.is_text(x) and not is_spread(x, self.columns))
        return list(islice(are_apart, _MAX_COMPARED))

    def is_text(self, name: str) -> bool:
        """Return whether the cells of a column are texts, and not numbers with or without units.

        A text that says that there is no number, such as OOM, does not count beside numbers.
        """
        if name not in self._texts:
            pairs = zip(self.known(name), self.numbers(name), strict=True)
            texts = [cell for cell, number in pairs if not number]
            numbers = len(self.known(name)) - len(texts)
            others = sum(1 for cell in texts if not is_fault(cell)) if numbers else len(texts)
            self._texts[name] = others > numbers
        return self._texts[name]

    def is_whole(self, name: str) -> bool:
        """Return whether all cells of a column are whole numbers without units."""
        return all(number and number[0].is_integer() and not number[1] for number in self.numbers(name))

    def unit_of_cells(self, name: str) -> str:
        """Return the unit that cells have; the most frequent one of several of one base."""
        pairs = list(zip(self.known(name), self.numbers(name), strict=True))
        quantities = [number or _duration(cell) for cell, number in pairs]
        if any(value and value[1] == "s" for value in quantities):  # "2:03:10" beside "45m 30s" is a time
            quantities = [number or number_in(cell, "s") for cell, number in pairs]
        unit_texts = Counter(value[1] for value in quantities if value and value[1])
        own = {unit: n for unit, n in unit_texts.items() if self._fits(name, unit)}
        if 2 * sum(own.values()) > len(quantities):  # "Savings" of 96 % below "Memory usage"
            unit_texts = Counter(own)
        if not unit_texts or len({units.to_base(1.0, unit)[1] for unit in unit_texts}) > 1:
            return ""
        cells = zip(self.known(name), quantities, strict=True)
        texts = [str(cell) for cell, value in cells if not value and not is_fault(cell)]
        numbers = sum(1 for value in quantities if value)
        is_speed = all(units.to_base(1.0, unit)[1] in _SPEEDS for unit in unit_texts)
        if len(texts) > numbers or (texts and not is_speed and len(unit_texts) == 1):
            return ""  # "15W" beside "MAXN" names a mode; sizes in KB and MB are measured
        return unit_texts.most_common(1)[0][0] if sum(unit_texts.values()) * 2 > numbers else ""

    def _fits(self, name: str, unit: str) -> bool:
        """Return whether a unit is one of the metric that the name of a column states."""
        metric = METRICS.get(meaning_of(name).metric)
        return metric is not None and metric.unit == units.to_base(1.0, unit)[1]

    def clock_of(self, name: str) -> str:
        """Return the form of a clock, "h:mm", that a name, its unit or an answer states; "" without one."""
        own = clock_of(" ".join((name, self.units.get(name, ""), self.answers.get(name, ""))))
        return own or (self.titled_clock if self.has_clocks(name) else "")

    @cached_property
    def titled_clock(self) -> str:
        """The form of a clock that a title of the table states: "Build times (mm:ss)"; "" without one."""
        return next((form for title in self.table.titles if (form := clock_of(title))), "")

    def has_clocks(self, name: str) -> bool:
        """Return whether all numbers of a column are written with colons."""
        known = [str(cell).strip() for cell in self.known(name) if not is_fault(cell)]
        return bool(known) and all(
            re.fullmatch(r"[0-9]+(?::[0-9]{2}){1,2}(?:\.[0-9]+)?", text) for text in known
        )

    def are_truths(self, column: str) -> bool:
        """Return whether all cells of a column are true or false."""
        return all(
            isinstance(cell, bool) or str(cell).lower() in ("true", "false") for cell in self.known(column)
        )

    def is_clock(self, column: str) -> bool:
        """Return whether a column has the times of day at which a run was observed, one after the other."""
        known = [str(cell).strip() for cell in self.known(column)]
        is_clock = all(re.fullmatch(r"[0-2][0-9]:[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?", text) for text in known)
        return len(known) >= MIN_SERIES and is_clock and known == sorted(set(known))

    def counts_rows(self, column: str) -> bool:
        """Return whether a column counts the steps of one run: it only grows, over many rows."""
        if self.is_clock(column):
            return True
        values = self.values(column)
        return len(values) >= MIN_SERIES and all(a < b for a, b in pairwise(values))

    def are_dates(self, column: str) -> bool:
        """Return whether all cells of a column begin with a date."""
        known = self.known(column)
        return bool(known) and all(isinstance(x, str) and re.match(r"\d{4}-\d{2}-\d{2}", x) for x in known)

    def is_constant(self, column: str) -> bool:
        """Return whether several rows have the same number, which is chosen then: no two times are equal."""
        values = [number for number in self.numbers(column) if number]
        return len(values) > 1 and len(set(values)) == 1

    def is_counted(self, column: str) -> bool:
        """Return whether numbers count the rows, from 0 or 1."""
        values = self.values(column)
        return values in (list(range(len(values))), list(range(1, len(values) + 1)))

    def note_nameless(self, factor: str, texts: Sequence[str]) -> None:
        """Note a factor of numbers whose name the table does not state. texts  its values, none if named"""
        if texts and all(re.fullmatch(r"[0-9.]+", text) for text in texts):
            name = f'the values of "{factor}" are unnamed numbers'
            self.result.notes.append(f"{name}: rename it in the definition, for example to batch_size")

    def is_repetitive(self, column: str) -> bool:
        """Return whether numbers are rather chosen than measured: they recur, are powers of two, or count."""
        values = self.values(column)
        if len(values) > 2 and len(set(values)) * 2 <= len(values):
            return True
        powers = all(
            value > 0 and float(value).is_integer() and (int(value) & (int(value) - 1)) == 0
            for value in values
        )
        return self.is_whole(column) and (powers or values == list(range(1, len(values) + 1)))


def _duration(cell: object) -> tuple[float, str] | None:
    """Return (seconds, "s") of a time in words, or with a fraction after a colon: "1m 12s", "1:23.45"."""
    is_time = isinstance(cell, str) and re.search(r"[hms]|:[0-9]{2}\.", cell)
    return number_in(cell, "s") if is_time else None


def _is_repeated(name: str, names: frozenset[str]) -> bool:
    """Whether a column of JSON is the same as another one, or a length of a list."""
    if (name.endswith("#") and name[:-1] in names) or name == ROW or re.fullmatch(r"(?:\.\./)+value", name):
        return True
    if not name.startswith(AROUND):
        return False
    own = name.lstrip("./")
    group, dot, _ = own.partition(".")
    is_nested = bool(dot) and group.lower() not in CONFIGURATION  # rows, and what belongs to other tables
    return is_nested or (name.startswith("../") and f"/{own}" in names)
