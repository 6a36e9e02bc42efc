"""Say what each column of a table of unknown origin is, and write the definition that reads it.

A figure needs a metric and a unit: from the name of its column, a second header row, or its cells. A column
of text is a factor, one of numbers with a usual name of a setting, too. What stays open is left out and said.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from reportgen.core import units
from reportgen.core.factors import parse_scalar
from reportgen.core.model import RESERVED
from reportgen.core.schema import convert
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.csv_cells import quantity
from reportgen.formats.parsing.timestamps import wall_time
from reportgen.formats.tables.case_kinds import count_word, kind_of, numbered, pairs_of
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import (
    CONFIGURATION,
    ColumnMeaning,
    factor_name,
    meaning_of,
    slug,
    words_of,
)
from reportgen.formats.tables.definition import Check, statistic_name
from reportgen.formats.tables.derive import is_missing, numeric, plain_text, spelled
from reportgen.formats.tables.find_tables import FoundTable
from reportgen.formats.tables.reader import holds
from reportgen.formats.tables.records import ROW

_OUT_OF_MEMORY = re.compile(r"(?i)(?:cuda |gpu )?(?:oom|out[ -_]of[ -_]memory).{0,40}")
_OUT_OF_MEMORY_WORDS = r"(?i)\boom\b|out[ _-]?of[ _-]?memory"
_FAILED = re.compile(
    r"(?i)x|(?:fail(?:ed|ure)?|error|err|crash(?:ed)?|timeout|timed out|killed|exception|invalid"
    r"|dnf)\b.{0,40}"
)
# "1.93x", the ratio of two results; a whole number, as in "8x", may be a count.
_MULTIPLE = re.compile(r"[0-9]+\.[0-9]+ ?[x×]")
_GOOD = frozenset(
    (
        *("ok", "okay", "success", "successful", "succeeded", "pass", "passed", "complete", "completed"),
        *("done", "finished", "true", "valid", "yes", "0", "ran"),
    )
)
_CANCELLED = frozenset(("cancelled", "canceled", "aborted", "skipped", "skip"))
_TOTALS = re.compile(
    r"(?i)[*_ ]*(?:grand )?(?:totals?|sum|average|avg\.?|mean|median|geo(?:metric)?[ -]?mean|gmean|overall"
    r"|all|summe|mittelwert|min|max|std|stdev|summary)(?: .{0,20})?[*_: ]*"
)
_SPEEDS = ("s", "samples/s", "B/s", "FLOP/s")
_MAX_REPEATS = 100
_MAX_FIGURES = 200
# Fewer rows may be cases, also where a number of them grows.
_MIN_SERIES = 5
_MAX_NAME = 80
# Minutes and seconds, or hours and minutes.
_ONE_COLON = re.compile("[0-9]+:[0-9]+")
# What begins the columns of the objects around a row of JSON.
_AROUND = ("/", "../")
# A column with more different texts does not hold a status.
_MAX_WORDS = 20
_METRIC_COLUMN = {"metric", "metric_name", "measure", "measurement", "quantity", "kpi"}
_VALUE_COLUMN = {"value", "result", "measurement", "measured", "score", "metric_value", "val"}
_UNIT_COLUMN = {"unit", "units", "metric_unit"}
# First columns whose texts are cases, also if they are words of metrics.
_FACTOR_COLUMNS = {"benchmark", "model", "operation", "op", "test", "kernel", "case", "workload"}
_NAMELESS = ("", "unnamed_0", "index", "column_1")
_ERROR_COLUMN = {"error", "err", "errors", "error_message", "exception", "failure", "error_msg"}
_STATISTIC_COLUMN = {"statistic", "stat", "percentile", "aggregation", "agg"}
_DURATIONS = frozenset(
    (
        *(
            "duration",
            "elapsed",
            "epoch",
            "runtime",
            "total",
            "wall",
            "walltime",
            "train",
            "training",
            "took",
        ),
        *("laufzeit", "per", "run", "job", "wallclock"),
    )
)
# Factors that only have whole numbers: "GBs" is a batch size with 512, a bandwidth with 410.5.
_COUNTS = frozenset(
    (
        *(
            "batch_size",
            "global_batch_size",
            "micro_batch_size",
            "devices",
            "nodes",
            "seq_len",
            "concurrency",
        ),
        *("tensor_parallel", "pipeline_parallel"),
    )
)


@dataclass(frozen=True, slots=True)
class FigureGuess:
    """A column that is read as numbers.

    where  column -> text, of the rows that it is read from, for tables that name the metric in a column
    """

    column: str
    metric: str
    unit: str
    scale: float = 1.0
    statistic: str = ""
    phase: str = "step"
    factors: tuple[tuple[str, str], ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    unit_column: str = ""

    @property
    def item(self) -> str:
        """The item that a rate counts."""
        base = units.to_base(1.0, self.unit)[1]
        return self.unit.removesuffix("/s").removesuffix("s") if base == "samples/s" else ""

    @property
    def kind(self) -> tuple[object, ...]:
        """The metric with all that distinguishes it: a row has it once."""
        return self.metric, self.phase, self.statistic, self.factors, self.where

    def toml(self) -> dict[str, Any]:
        """Return the figure as a definition has it."""
        entry: dict[str, Any] = {"column": self.column, "metric": self.metric}
        entry |= {"unit": self.unit} if self.unit else {}
        entry |= {"unit_column": self.unit_column} if self.unit_column else {}
        entry |= {"scale": self.scale} if self.scale != 1 else {}
        entry |= {"statistic": self.statistic} if self.statistic else {}
        entry |= {"phase": self.phase} if self.phase != "step" else {}
        entry |= (
            {"factors": {name: parse_scalar(text) for name, text in self.factors}} if self.factors else {}
        )
        if self.where:
            entry["where"] = [{"column": name, "equals": text} for name, text in self.where]
        return entry


@dataclass(slots=True)
class TableReading:
    """A table as it is understood.

    factors   factor -> column; `environment` in the same form
    open      columns that may be figures, and the question about each; they are left out
    left_out  columns that are neither figures nor factors, and why
    notes     assumptions
    doubts    why the table is not read without a definition, none if all is clear
    totals    column and texts of rows that repeat others
    series    column that counts the steps of one run, "" for a table of results
    """

    table: FoundTable
    figures: list[FigureGuess] = field(default_factory=list)
    factors: dict[str, str | dict[str, Any]] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    checks: list[dict[str, Any]] = field(default_factory=list)
    skip: list[dict[str, Any]] = field(default_factory=list)
    repeat: str = ""
    started: str = ""
    series: str = ""
    open: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    skipped_lines: set[int] = field(default_factory=set)

    @property
    def is_certain(self) -> bool:
        """Whether the table can be read without a definition."""
        return bool(self.figures) and not self.doubts and not self.series

    def definition(self, name: str) -> dict[str, Any]:
        """Return the table `[table]` of a labels.toml."""
        rows = self.table.rows
        entry: dict[str, Any] = {"kind": rows.kind}
        entry |= {"path": rows.path} if rows.path else {}
        entry |= {"header": rows.header} if rows.header else {}
        entry |= {"heads": rows.heads} if rows.heads != 1 else {}
        entry |= {"separator": rows.separator} if rows.separator != "," else {}
        entry |= {"decimal": rows.decimal} if rows.decimal != "." else {}
        factors = {**self.factors, **{key: {"value": value} for key, value in self.constants.items()}}
        table: dict[str, Any] = {"name": name}
        table |= {"repeat": self.repeat} if self.repeat else {}
        table |= {"started": self.started} if self.started else {}
        table["rows"] = entry
        table |= {"factors": factors} if factors else {}
        table["figures"] = [figure.toml() for figure in self.figures]
        table |= {"skip": self.skip} if self.skip else {}
        table |= {"checks": self.checks} if self.checks else {}
        return table


def interpret(table: FoundTable, answers: Mapping[str, str] | None = None) -> TableReading:
    """Return what the columns of a table are. answers  column -> unit, as the user states it."""
    return _Interpreter(table, answers or {}).reading()


class _Interpreter:
    """One table being understood.

    cells     the cells of each column, without skipped rows
    figure_factors  factors in whose values the names of figures differ
    has_ratios  whether a column compares others
    named_in  the columns with the name and the value of each figure, for a table with one number a row
    """

    def __init__(self, table: FoundTable, answers: Mapping[str, str]) -> None:
        self.table, self.answers = table, answers
        self.result = TableReading(table)
        self.records = list(table.records)
        names = frozenset(table.columns)
        self.columns = [name for name in table.columns if not _is_repeated(name, names)]
        self.units: dict[str, str] = {}
        self.unit_column = ""
        self.named_in = ("", "")
        self.figure_factors: set[str] = set()
        self.has_ratios = any(meaning_of(name).kind == "derived" for name in self.columns)
        self.cells: dict[str, list[object]] = {}

    def reading(self) -> TableReading:
        """Return the result."""
        self._take_units_row()
        self._collect()
        self._take_totals()
        if not self._long():
            self._wide_rows()
            for column in dict.fromkeys(figure.column for figure in self.result.figures):
                self._faults(column)
        self._name_items()
        self._check_rows()
        return self.result

    def _take_units_row(self) -> None:
        """Take the units of a second header row."""
        if self.table.is_json or len(self.records) < 2:
            return
        first = {name: str(cell).strip().strip("()[]") for name, cell in self.records[0].cells.items()}
        unit_texts = {name: text for name, text in first.items() if text and unit_of(text)}
        others = [text for name, text in first.items() if text not in ("", "-") and name not in unit_texts]
        if (
            unit_texts
            and len(others) <= len(unit_texts)
            and not any(number_of(text) is not None for text in first.values())
        ):
            self.units = unit_texts
            name = next(iter(unit_texts))
            self.result.skip.append({"column": name, "equals": str(self.records[0].cells[name]).strip()})
            self.result.doubts.append("the second row holds units")
            self.result.skipped_lines.add(self.records[0].line)
            self.records = self.records[1:]

    def _collect(self) -> None:
        self.cells = {name: [record.cells.get(name) for record in self.records] for name in self.columns}

    def _take_totals(self) -> None:
        """Skip the rows at the end whose first text says that they repeat others."""
        if self.table.is_json or len(self.records) < 3:
            return
        # Below numbers of repeats, too: "mean" is not a seed.
        texts = [name for at, name in enumerate(self.columns) if not at or self._is_text(name)]
        name = next((name for name in texts if self._is_text(name) or self._has_total(name)), "")
        if not name:
            return
        at = [i for i, cell in enumerate(self.cells[name]) if _TOTALS.fullmatch(str(cell).strip())]
        are_last = at == list(range(len(self.records) - len(at), len(self.records)))
        most = len(self.records) // (2 if are_last else 3)
        if slug(name) in _STATISTIC_COLUMN | _METRIC_COLUMN or not at or len(at) > max(most, 1):
            return
        words = sorted({str(self.cells[name][i]).strip() for i in at})
        self.result.notes.append(f'rows are skipped as totals: {", ".join(words)} in column "{name}"')
        self.result.doubts.append("some rows repeat others")
        self.result.skip += [{"column": name, "equals": word} for word in words]
        self.result.skipped_lines |= {self.records[i].line for i in at}
        self.records = [record for i, record in enumerate(self.records) if i not in at]
        self._collect()

    def _has_total(self, name: str) -> bool:
        return any(_TOTALS.fullmatch(str(cell).strip()) for cell in self.cells[name])

    # Kinds of cells

    def _known(self, name: str) -> list[object]:
        return [cell for cell in self.cells[name] if not is_missing(cell)]

    def _is_text(self, name: str) -> bool:
        """Return whether the cells of a column are texts, and not numbers with or without units."""
        known = self._known(name)
        return bool(known) and sum(1 for cell in known if number_of(cell) is not None) * 2 < len(known)

    def _is_whole(self, name: str) -> bool:
        return all(
            (value := number_of(cell)) is not None and value[0].is_integer() and not value[1]
            for cell in self._known(name)
        )

    def _unit_of_cells(self, name: str) -> str:
        """Return the unit that cells have; the most frequent one of several of one base."""
        unit_texts = Counter(
            value[1] for cell in self._known(name) if (value := number_of(cell)) and value[1]
        )
        if not unit_texts or len({units.to_base(1.0, unit)[1] for unit in unit_texts}) > 1:
            return ""
        if not all(map(_is_fault, self._known(name))):
            return ""  # "15W" beside "MAXN" names a mode
        numbers = sum(1 for cell in self._known(name) if number_of(cell))
        return unit_texts.most_common(1)[0][0] if sum(unit_texts.values()) * 2 > numbers else ""

    # Tables that name the metric in a column

    def _long(self) -> bool:
        """Understand a table with one number a row and a column that names its metric; False for others."""
        # The name and the value of an object around the rows are not theirs.
        by_slug = {slug(name): name for name in self.columns if not name.startswith(_AROUND)}
        name_column = next((by_slug[word] for word in sorted(_METRIC_COLUMN) if word in by_slug), "")
        values = [
            by_slug[word]
            for word in sorted(_VALUE_COLUMN)
            if word in by_slug and by_slug[word] != name_column
        ]
        if not name_column and "name" in by_slug:
            texts = {str(cell) for cell in self._known(by_slug["name"])}
            named = all(meaning_of(text).metric for text in texts)
            name_column = by_slug["name"] if texts and named else ""
        cases = [] if values else self._transposed(name_column)
        if not name_column and cases:
            name_column = self.columns[0]
        values = values[:1] or cases
        if not name_column or not values or not self._is_text(name_column):
            return False
        value, unit_column = values[0], next((by_slug[word] for word in _UNIT_COLUMN if word in by_slug), "")
        self.result.doubts.append("the metric is named in a column")
        self.named_in = name_column, value
        figures: list[tuple[str, ColumnMeaning]] = []
        for text in dict.fromkeys(str(cell).strip() for cell in self._known(name_column)):
            at = [i for i, cell in enumerate(self.cells[name_column]) if str(cell).strip() == text]
            stated = {str(self.cells[unit_column][i]).strip() for i in at} if unit_column else set()
            answer = self.answers.get(text) or (next(iter(stated)) if len(stated) == 1 else "")
            meaning = meaning_of(text, answer if unit_of(answer) else "")
            if meaning.kind != "figure" or meaning.doubt or not meaning.metric:
                self.result.open[text] = self._question(text, meaning)
            else:
                figures.append((text, meaning))
        self._cases(figures, [])
        self._repeat_for(cases)
        for column in self.columns:
            if column not in (name_column, *values, unit_column):
                self._other(column, meaning_of(column))
        return True

    def _transposed(self, name_column: str) -> list[str]:
        """Return the columns of cases of a table whose rows are metrics, [] for other tables."""
        if not self.columns:
            return []
        names, *others = self.columns
        known = self._known(names)
        texts = [cell for cell in known if isinstance(cell, str) and len(cell) <= _MAX_NAME]
        is_words = len(texts) == len(known) and self._is_text(names)
        if (name_column or names) != names or not is_words or len(texts) > _MAX_FIGURES:
            return []
        measured = [text for text in texts if (each := meaning_of(text)).kind == "figure" and each.metric]
        cases = [name for name in others if self._known(name) and not self._is_text(name)]
        are_figures = any(meaning_of(name).kind in ("figure", "spread", "derived") for name in cases)
        is_known = len(set(texts)) == len(texts) and 2 * len(measured) > len(texts)
        return cases if is_known and not are_figures and slug(names) not in _FACTOR_COLUMNS else []

    def _repeat_for(self, cases: list[str]) -> None:
        """Give each column of a transposed table the figures that its first column has."""
        if not cases:
            return
        kind, values = _case_factor(cases, cases)
        factor = kind if kind and not any(kind in dict(x.factors) for x in self.result.figures) else "case"
        self.result.figures = [
            replace(figure, column=column, factors=(*figure.factors, (factor, value)))
            for column, value in zip(cases, values, strict=True)
            for figure in self.result.figures
        ]
        self.result.notes.append(f'{", ".join(cases)}: read as values of the factor "{factor}"')

    # Tables with a column for each figure

    def _wide_rows(self) -> None:
        figures: list[tuple[str, ColumnMeaning]] = []
        unknown: list[str] = []
        statistic = next((n for n in self.columns if slug(n) in _STATISTIC_COLUMN and self._is_text(n)), "")
        for column in self.columns:
            if column == statistic:
                continue
            self._sort_column(column, figures, unknown)
        self._cases(self._with_unit_column(figures), unknown)
        if statistic:
            self._by_statistic(statistic)

    def _with_unit_column(self, figures: list[tuple[str, ColumnMeaning]]) -> list[tuple[str, ColumnMeaning]]:
        """Take the units of figures without one from the column that has the unit of each row."""
        own = [name for name in self.columns if not name.startswith(_AROUND)]
        column = next((name for name in own if slug(name) in _UNIT_COLUMN), "")
        stated = {str(cell).strip() for cell in self._known(column)} if column else set()
        bases = {units.to_base(1.0, unit)[1] for unit in stated}
        bare = [name for name, meaning in figures if not meaning.unit]
        if len(bases) != 1 or not all(map(units.find, stated)) or not bare:
            return figures
        self.unit_column = column
        self.result.factors = {name: x for name, x in self.result.factors.items() if x != column}
        self.result.doubts.append("the unit is in a column")
        unit = sorted(stated)[0]
        return [(name, meaning if meaning.unit else meaning_of(name, unit)) for name, meaning in figures]

    def _sort_column(self, column: str, figures: list[tuple[str, ColumnMeaning]], unknown: list[str]) -> None:
        known = self._known(column)
        if not known:
            self.result.left_out[column] = "empty"
            return
        if re.search(r"\{\w+\}", column) or not _is_writable(column):
            self.result.left_out[column] = "a definition cannot have its name"
            self.result.doubts.append(f"{column!r} cannot be written")
            return
        if any(isinstance(cell, list) for cell in known):
            self.result.left_out[column] = "lists"
            return
        if column.rpartition("/")[2] == "*":
            self._member_names(column)
            return
        meaning = self._meaning(column)
        if column.endswith((".unit", ".units")) and f"{column.rpartition('.')[0]}.value" in self.columns:
            return
        if meaning.kind in ("figure", "spread", "derived") and self._is_text(column):
            text_meaning = self._of_texts(column, meaning)
            if text_meaning is None:
                return
            meaning = text_meaning
        if column.startswith(_AROUND):
            self._about(column, meaning)
        elif meaning.kind == "figure":
            figures.append((column, meaning))
        elif meaning.kind == "other" and not self._is_text(column) and not self._are_truths(column):
            unknown.append(column)
        else:
            self._other(column, meaning)

    def _of_texts(self, column: str, meaning: ColumnMeaning) -> ColumnMeaning | None:
        """Return what a column with the name of a figure is whose cells are texts; None if it stays open."""
        known = self._known(column)
        digits = [str(cell) for cell in known if re.match(r"[-+±~<>≈=$€]*\s*[0-9]", str(cell))]
        are_numbers = len(digits) * 2 > len(known)
        if meaning.kind == "figure" and are_numbers:
            own = self._spelled(column, meaning)
            if own is None:
                self._open_text(column, digits[0])
            return own
        if not are_numbers and (meaning.kind != "figure" or not all(map(_is_fault, known))):
            return ColumnMeaning("factor", factor=factor_name(column))
        return meaning

    def _spelled(self, column: str, meaning: ColumnMeaning) -> ColumnMeaning | None:
        """Return the meaning of a column of numbers such as `181k` or `2:06:50`; None for other texts."""
        unit = meaning.unit or ("s" if _is_duration(column) else "")
        texts = [str(cell).strip() for cell in self._known(column)]
        own = [text for text in texts if number_of(text) is None]
        read = [spelled(text, unit) for text in own]
        if not all(read):
            return None
        is_clock = all(map(_ONE_COLON.fullmatch, own))
        if is_clock and column not in self.answers:
            return None
        self.result.doubts.append(f'"{column}" is not written as plain numbers')
        shown = " ".join(f"{number:,g} {known}" for number, known in filter(None, read[:1]))
        self.result.notes.append(f'"{own[0]}" in column "{column}" is read as {shown}')
        return meaning if meaning.unit else meaning_of(column, unit)

    def _open_text(self, column: str, text: str) -> None:
        self.result.open[column] = (
            f'is "{text}" minutes and seconds (mm:ss) or hours and minutes (h:mm)?'
            if _ONE_COLON.fullmatch(text)
            else f'its cells are not plain numbers: "{text[:40]}"'
        )
        self.result.doubts.append(f'the cells of "{column}" are not numbers')

    def _meaning(self, column: str) -> ColumnMeaning:
        """Return the meaning of a column; its unit may be an answer, in a row of units, or in its cells."""
        unit = self.answers.get(column) or self.units.get(column, "")
        from_cells = "" if unit else self._unit_of_cells(column)
        meaning = meaning_of(column, unit)
        if from_cells and not meaning.unit:
            meaning = meaning_of(column, from_cells)
            self.result.doubts.append(f'the unit of "{column}" is in its cells')
        if column.endswith(".value") and f"{column.removesuffix('.value')}.unit" in self.columns:
            stated = {str(x) for x in self._known(f"{column.removesuffix('.value')}.unit")}
            if len(stated) == 1 and unit_of(only := stated.pop()):
                meaning = meaning_of(column.removesuffix(".value"), only)
        if meaning.kind == "other" and all(_MULTIPLE.fullmatch(str(x).strip()) for x in self._known(column)):
            return ColumnMeaning("derived")
        if meaning.kind == "other" and self._is_clock(column):
            return ColumnMeaning("series")
        if meaning.factor in _COUNTS and not self._is_text(column) and not self._is_whole(column):
            return ColumnMeaning("other")
        is_named = bool(meaning.label) and not kind_of([meaning.label]) and column not in self.answers
        if is_named and meaning.doubt == "names no metric" and self._is_constant(column):
            return ColumnMeaning("factor", factor=factor_name(column))
        return meaning

    def _are_truths(self, column: str) -> bool:
        return all(
            isinstance(cell, bool) or str(cell).lower() in ("true", "false") for cell in self._known(column)
        )

    def _about(self, column: str, meaning: ColumnMeaning) -> None:
        """Add a fact about all rows of JSON: a setting that is the same in all of them."""
        own = slug(column.rpartition(".")[2].lstrip("./"))
        if meaning.kind in ("factor", "other") and not any(isinstance(x, list) for x in self._known(column)):
            if meaning.kind == "other" and not self._is_text(column) and not self._is_whole(column):
                self.result.left_out[column] = "a number without a known meaning"
            else:
                self._factor(self._named(column, replace(meaning, factor=meaning.factor or own)), column)
        elif meaning.kind == "started" and all(wall_time(str(x).encode()) for x in self._known(column)):
            self.result.started = self.result.started or column
        elif meaning.kind == "figure":
            self.result.left_out[column] = "a figure of all rows"

    def _other(self, column: str, meaning: ColumnMeaning) -> None:
        """Add a column that is not a figure."""
        if meaning.kind == "repeat":
            numbers = [number_of(cell) for cell in self._known(column)]
            if all(number and number[0].is_integer() and not number[1] for number in numbers):
                self.result.repeat = self.result.repeat or column
                return
            meaning = ColumnMeaning("factor", factor=factor_name(column))
        if meaning.kind == "series":
            if self._counts_rows(column):
                self.result.series = column
                return
            meaning = ColumnMeaning("factor", factor=factor_name(column))
        if meaning.kind == "started" or (meaning.kind == "other" and self._are_dates(column)):
            self._date(column)
        elif meaning.kind == "status":
            self._status(column)
        elif slug(column) in _ERROR_COLUMN and self._is_text(column):
            self._errors(column)
        elif meaning.kind == "index" and not (slug(column) in _NAMELESS and self._is_text(column)):
            self.result.left_out[column] = "a number of the row"
        elif meaning.kind == "ignored":
            self.result.left_out[column] = "neither a setting nor a result"
        elif meaning.kind == "spread":
            self.result.left_out[column] = "the spread of another column"
        elif meaning.kind == "derived":
            self.result.left_out[column] = "derived from other columns"
        else:
            self._factor(self._named(column, meaning), column)

    def _named(self, column: str, meaning: ColumnMeaning) -> str:
        last = meaning.factor or column.rpartition(".")[2] or column
        if not self.table.is_json:
            last = re.sub(r"[(\[][^()\[\]]*[)\]]", "", last) or last
        own = factor_name(last)
        if own in ("gpu", "gpus") and self._is_text(column):
            return "device"
        is_corner = self._is_text(column) and bool(meaning_of(column).unit)  # "latency (ms)" of the others
        if own in (*_NAMELESS, "name", "case") or is_corner:
            return kind_of(map(str, self._known(column))) or "case"
        return own

    def _member_names(self, column: str) -> None:
        """Name the factor that the keys of an object of rows are: `bs_8` is a batch size, `A100` a device."""
        texts = [str(cell) for cell in self._known(column)]
        if counted := numbered(texts):
            self._factor(counted[0], column, pattern="([0-9]+)")
        else:
            name = kind_of(texts) or "case"
            self._factor(name if name not in self.result.factors else "member", column)

    def _share_name(self, name: str, column: str) -> None:
        """Give a name that two columns may have to the one that is called so: `batch_size` before `batch`."""
        known = self.result.factors[name]
        other = known if isinstance(known, str) else known["column"]
        self.result.doubts.append(f'"{other}" and "{column}" may both be {name}')
        if slug(column) == name != slug(other) and slug(other) not in self.result.factors:
            del self.result.factors[name]
            self.result.factors[slug(other)] = known

    def _factor(self, name: str, column: str, pattern: str = "") -> None:
        name = f"{name}_factor" if name in (*RESERVED, "statistic", "item") else name
        if name in self.result.factors:
            self._share_name(name, column)
            name = slug(column)
        if name in self.result.factors or not name:
            self.result.left_out[column] = "another column has its name"
            return
        plain = name.isascii() and not re.search(r"token|secret|passw|api_?key|credential", name)
        if not plain and re.search(r"secret|passw|api_?key|credential", name):
            self.result.left_out[column] = "may be a secret"
            return
        self.result.factors[name] = {"column": column, "pattern": pattern} if pattern else column

    def _is_clock(self, column: str) -> bool:
        """Return whether a column has the times of day at which a run was observed, one after the other."""
        known = [str(cell).strip() for cell in self._known(column)]
        is_clock = all(re.fullmatch(r"[0-2][0-9]:[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?", text) for text in known)
        return len(known) >= _MIN_SERIES and is_clock and known == sorted(set(known))

    def _counts_rows(self, column: str) -> bool:
        """Return whether a column counts the steps of one run: it only grows, over many rows."""
        if self._is_clock(column):
            return True
        values = [number[0] for cell in self._known(column) if (number := number_of(cell))]
        return len(values) >= _MIN_SERIES and all(a < b for a, b in pairwise(values))

    def _are_dates(self, column: str) -> bool:
        known = self._known(column)
        return bool(known) and all(isinstance(x, str) and re.match(r"\d{4}-\d{2}-\d{2}", x) for x in known)

    def _date(self, column: str) -> None:
        known = self._known(column)
        if all(wall_time(str(cell).encode()) for cell in known):
            self.result.started = self.result.started or column
        elif slug(column) in ("date", "when", "created") or self._are_dates(column):
            self.result.left_out[column] = "a date without a time"
        else:
            self.result.left_out[column] = "a time in an unknown form"
        if len(self.records) > _MAX_REPEATS:
            self.result.doubts.append("a row for each moment")

    def _status(self, column: str) -> None:
        texts = list(dict.fromkeys(str(cell).strip() for cell in self._known(column)))
        if len(texts) > _MAX_WORDS:
            self.result.left_out[column] = "too many different texts for a status"
            self.result.doubts.append("the status is unknown")
            return
        for text in texts:
            lower = text.lower()
            status = (
                "complete" if lower in _GOOD
                else "out_of_memory" if _OUT_OF_MEMORY.fullmatch(text)
                else "cancelled" if lower in _CANCELLED
                else "failed" if _FAILED.fullmatch(text) or lower in ("false", "no", "1")
                else ""
            )  # fmt: skip
            if not status:
                self.result.doubts.append(f'the status "{text[:40]}" is unknown')
                self.result.notes.append(f'"{text[:40]}" in column "{column}" is read as a complete run')
            elif status != "complete":
                self.result.checks.append(
                    {
                        "column": column,
                        "equals": text,
                        "status": status,
                        "message": f"{slug(column)}: {text[:60]}",
                    }
                )

    def _errors(self, column: str) -> None:
        """Add checks for the rows that state an error."""
        message = f"{slug(column)}: {{{column}}}"
        texts = [str(cell).strip() for cell in self._known(column)]
        if any(re.search(_OUT_OF_MEMORY_WORDS, text) for text in texts):
            self.result.checks.append(
                {
                    "column": column,
                    "matches": _OUT_OF_MEMORY_WORDS,
                    "status": "out_of_memory",
                    "message": message,
                }
            )
        if any(not re.search(_OUT_OF_MEMORY_WORDS, text) for text in texts):
            self.result.checks.append(
                {"column": column, "missing": False, "status": "failed", "message": message}
            )

    # Figures

    def _cases(self, figures: list[tuple[str, ColumnMeaning]], unknown: list[str]) -> None:
        """Add the figures; columns that differ in one word are cases of one metric."""
        named = [(column, meaning) for column, meaning in figures if not self._ask(column, meaning)]
        for column, _ in named[_MAX_FIGURES:]:
            self.result.open[column] = f"one of more than {_MAX_FIGURES} figures"
            self.result.doubts.append("too many figures")
        named = named[:_MAX_FIGURES]
        groups: dict[tuple[object, ...], list[tuple[str, ColumnMeaning]]] = {}
        for column, meaning in named:
            key = (
                meaning.metric or meaning.base,
                meaning.base,
                meaning.item,
                meaning.statistic,
                meaning.phase,
            )
            groups.setdefault(key, []).append((column, meaning))
        kinds = [(_case_factor([name], [x.label]), x.label) for name, x in named if x.label]
        values: dict[str, set[str]] = {}
        for (kind, own), _ in kinds:
            values.setdefault(kind, set()).add(own[0].lower())
        self.figure_factors = {kind for kind, known in values.items() if kind and len(known) > 1}
        for group in groups.values():
            self._group(group)
        self._unknown(unknown)

    def _ask(self, column: str, meaning: ColumnMeaning) -> bool:
        """Leave a column open whose metric or unit is not known; True if it is."""
        if column in self.answers and meaning.unit:
            return False
        if meaning.unit and meaning.metric and (not meaning.doubt or meaning.doubt == "names no metric"):
            return False
        if meaning.unit and not meaning.metric and meaning.base == "s" and meaning.extra:
            return False
        self.result.open[column] = self._question(column, meaning)
        return True

    def _question(self, column: str, meaning: ColumnMeaning) -> str:
        if meaning.kind != "figure":
            return "names no known metric"
        return meaning.doubt or "its unit is not stated"

    def _group(self, group: list[tuple[str, ColumnMeaning]]) -> None:
        """Add columns of one metric, statistic and unit: one column, or one for each case."""
        labels = [meaning.label for _, meaning in group]
        kind, values = _case_factor([column for column, _ in group], labels)
        if not kind and (pairs := pairs_of(labels)):
            for (column, meaning), factors in zip(group, pairs, strict=True):
                self._figure(column, _with_metric(meaning), factors)
            names = '" and "'.join(name for name, _ in pairs[0])
            self.result.notes.append(f'{", ".join(labels)}: read as values of the factors "{names}"')
            return
        if len(group) == 1:
            self._single(*group[0], kind, values[0])
            return
        are_distinct = all(labels) and len(set(labels)) == len(labels)
        if kind or (are_distinct and (self.has_ratios or all(meaning.metric for _, meaning in group))):
            factor = kind if kind and kind not in self.result.factors else "variant"
            for (column, meaning), value in zip(group, values, strict=True):
                self._figure(column, _with_metric(meaning), ((factor, value),))
            role = "repeats" if factor == "repeat" else f'values of the factor "{factor}"'
            self.result.notes.append(f"{', '.join(labels)}: read as {role}")
            if not kind:
                self.result.doubts.append("columns of one metric differ in words")
            return
        plain = [pair for pair in group if not pair[1].label and pair[1].metric]
        times = [pair for pair in group if pair[1].base == "s" and _has_word(pair[1].label)]
        if len(plain) <= 1 and len({slug(pair[1].label) for pair in times}) == len(times) == len(group) - len(
            plain
        ):
            for column, meaning in [*plain, *times]:
                self._single(column, meaning, "", "")
            return
        names = ", ".join(column for column, _ in group)
        for column, _ in group:
            self.result.open[column] = f"several columns have the same metric: {names}"
        self.result.doubts.append(f"{names} have the same metric")

    def _single(self, column: str, meaning: ColumnMeaning, kind: str, value: str) -> None:
        """Add the only column of its metric and statistic; the words beside them are not a factor of it.

        A usual value, as in `train_samples_per_sec`, is that of all figures, unless others differ in it.
        """
        label = meaning.label
        if not label:
            self._figure(column, meaning, ())
        elif kind in self.figure_factors and kind not in self.result.factors:
            self._figure(column, _with_metric(meaning), ((kind, value),))
        elif kind and kind not in self.result.factors and value.lower() not in ("cpu", "gpu"):
            self.result.constants[kind] = value
            self._figure(column, _with_metric(meaning), ())
        elif meaning.base == "s" and _has_word(label):
            words = [word for word in words_of(label) if word != "time"]
            own = replace(meaning, metric=f"{'_'.join(words)}_time", doubt="")
            self.result.notes.append(
                f'"{column}" becomes the metric {own.metric}; neither direction of it is better'
            )
            if meaning.doubt:
                self.result.doubts.append(f'"{column}" {meaning.doubt}')
            self._figure(column, own, ())
        else:
            self.result.doubts.append(f'"{label}" in "{column}" is not clear')
            self.result.notes.append(f'"{label}" in "{column}" is not read')
            self._figure(column, _with_metric(meaning), ())

    def _figure(self, column: str, meaning: ColumnMeaning, factors: tuple[tuple[str, str], ...]) -> None:
        if meaning.doubt:
            self.result.doubts.append(f'"{column}" {meaning.doubt}')
            self.result.notes.append(f'"{column}" names no metric: {meaning.metric} is assumed from its unit')
        name_column, value = self.named_in
        if name_column:
            self._add(_guess(value, meaning, factors, where=((name_column, column),)))
            return
        is_bare = not meaning_of(column, self.units.get(column, "")).unit
        self._add(_guess(column, meaning, factors, unit_column=self.unit_column if is_bare else ""))

    def _add(self, figure: FigureGuess) -> None:
        if any(known.kind == figure.kind and known.item == figure.item for known in self.result.figures):
            self.result.open[figure.column] = f"another column has the same metric, {figure.metric}"
            self.result.doubts.append(f"two columns have the metric {figure.metric}")
            return
        self.result.figures.append(figure)

    def _faults(self, column: str) -> None:
        """Add checks for texts such as OOM in place of numbers, and say which other cells are not numbers."""
        unit = next(figure.unit for figure in self.result.figures if figure.column == column)
        known = self._known(column)
        faults = dict.fromkeys(str(x).strip() for x in known if _number_in(x, unit) is None)
        has_clock = any(_ONE_COLON.fullmatch(str(x).strip()) for x in known)
        if has_clock and any(map(number_of, known)) and column not in self.answers:
            self.result.doubts.append(f'"{column}" has times with one colon beside plain numbers')
        for text in list(faults)[:_MAX_WORDS]:
            status = (
                "out_of_memory"
                if _OUT_OF_MEMORY.fullmatch(text)
                else "failed"
                if _FAILED.fullmatch(text)
                else ""
            )
            message = f"{slug(column)}: {text[:60]}"
            if not status:
                self.result.doubts.append(f'"{text[:40]}" in "{column}" is not a number')
                self.result.notes.append(
                    f'"{text[:40]}" in column "{column}" is not a number and is not read'
                )
            elif not any(x["column"] == column and x.get("equals") == text for x in self.result.checks):
                if self._alone(column, text):
                    self.result.checks.append(
                        {"column": column, "equals": text, "status": status, "message": message}
                    )
                else:
                    self.result.notes.append(f'"{text[:40]}" in column "{column}": no value there')
                    self.result.doubts.append(f'"{text[:40]}" beside numbers')

    def _alone(self, column: str, text: str) -> bool:
        """Return whether rows with a text in a column have no numbers in other columns of figures."""
        others = {figure.column for figure in self.result.figures} - {column}
        rows = [record for record in self.records if str(record.cells.get(column)).strip() == text]
        return not any(number_of(record.cells.get(other)) is not None for record in rows for other in others)

    def _unknown(self, unknown: list[str]) -> None:
        """Sort the columns of numbers whose names say nothing: settings, cases of one metric, or open."""
        cases = [column for column in unknown if not self._is_setting(column)]
        counted = numbered(cases) if len(cases) > 1 else None
        kind, values = counted or (kind_of(cases) if len(cases) > 1 else "", cases)
        stated = self._stated_metric()
        if len(cases) > 1 and stated and not self.result.figures and (kind or len(cases) == len(unknown)):
            factor = kind or "case"
            for column, value in zip(cases, values, strict=True):
                self._figure(column, replace(stated, doubt=""), ((factor, value),))
            shown = f"{stated.metric} in {stated.unit}"
            self.result.notes.append(f'{", ".join(cases)}: read as values of "{factor}", of {shown}')
            self.result.doubts.append("a column for each case")
            unknown = [column for column in unknown if column not in cases]
        elif kind:
            for column in cases:
                self.result.open[column] = f"a case of the factor {kind}? its metric and unit are not stated"
            unknown = [column for column in unknown if column not in cases]
        for column in unknown:
            if self._is_setting(column):
                self._factor(self._named(column, ColumnMeaning("other")), column)
                self.result.doubts.append(f'"{column}" may be a setting or a result')
                self.result.notes.append(f'"{column}" is read as a factor; if it is a result, state its unit')
            else:
                unstated = "name says no metric" if self._unit_of_cells(column) else "unit is not stated"
                self.result.open[column] = f"a setting or a result? its {unstated}"
                self.result.doubts.append(f'"{column}" may be a setting or a result')

    def _is_setting(self, column: str) -> bool:
        """Return whether numbers are rather chosen than measured: whole, or the same in several rows."""
        if kind_of([column]) and not self._is_repetitive(column):
            return False
        return self._is_repetitive(column) or (self._is_whole(column) and len(self.records) < 2)

    def _is_constant(self, column: str) -> bool:
        """Return whether several rows have the same number, which is chosen then: no two times are equal."""
        values = [number for cell in self._known(column) if (number := number_of(cell))]
        return len(values) > 1 and len(set(values)) == 1

    def _is_repetitive(self, column: str) -> bool:
        values = [number[0] for cell in self._known(column) if (number := number_of(cell))]
        if len(values) > 2 and len(set(values)) * 2 <= len(values):
            return True
        powers = all(
            value > 0 and float(value).is_integer() and (int(value) & (int(value) - 1)) == 0
            for value in values
        )
        return self._is_whole(column) and (powers or values == list(range(1, len(values) + 1)))

    def _stated_metric(self) -> ColumnMeaning | None:
        """Return the metric and unit that the line above the table, or the first column, states."""
        texts = [self.table.title, *(name for name in self.columns[:1] if self._is_text(name))]
        for text in texts:
            for part in (text, *re.split(r"[:;,\u2013-]\s", text)):
                meaning = meaning_of(part) if part else None
                if (
                    meaning
                    and meaning.kind == "figure"
                    and meaning.metric
                    and meaning.unit
                    and not meaning.doubt
                ):
                    return meaning
        return None

    def _by_statistic(self, column: str) -> None:
        """Make a figure for each statistic that a column names."""
        texts = list(dict.fromkeys(str(cell).strip() for cell in self._known(column)))
        names = {text: self._statistic(text) for text in texts}
        figures, self.result.figures = self.result.figures, []
        for figure in figures:
            for text, name in names.items():
                if name:
                    self.result.figures.append(replace(figure, statistic=name, where=((column, text),)))
        for text, name in names.items():
            if not name:
                self.result.left_out[f"{column} = {text}"] = "not a statistic of values"
        self.result.doubts.append("the statistic is named in a column")

    def _statistic(self, text: str) -> str:
        meaning = meaning_of(f"latency {text} (ms)")
        if meaning.kind != "figure" or meaning.extra or not meaning.statistic:
            return ""
        return statistic_name(meaning.statistic)

    # The whole

    def _name_items(self) -> None:
        """State what rates count; of rates of several items, the rate of samples keeps the plain name."""
        plain = [x for x in self.result.figures if x.metric in ("throughput", "throughput_per_device")]
        items = list(dict.fromkeys(figure.item for figure in plain))
        if len(items) > 1:
            order = [item for item in items if item not in ("token", "step")] or [
                x for x in items if x != "step"
            ]
            keep = order[0]
            names = {"token": "token_throughput", "step": "step_rate"}
            for at, figure in enumerate(self.result.figures):
                if figure in plain and figure.item != keep:
                    metric = names.get(figure.item, f"{figure.item}_rate")
                    self.result.figures[at] = replace(figure, metric=metric)
            # A row of a table that names its metrics in a column may have a rate of another item.
            items = [keep] if not self.named_in[0] else []
        if items and items[0] not in ("sample", ""):
            self.result.constants["item"] = items[0]

    def _check_rows(self) -> None:
        """Note commas that may be decimal marks, and rows that agree in all factors."""
        result = self.result
        if result.figures and not result.series:
            self._check_commas()
        if self.table.is_part:
            result.doubts.append("more rows than people write")
        if self.table.rows.decimal == ",":
            result.doubts.append("the decimal mark is a comma")
        if self.table.rows.heads > 1:
            result.doubts.append("the header has two lines")
        keys = Counter(self._key(record.cells) for record in self.records)
        most = max(keys.values(), default=0)
        if most > 1 and not result.repeat and not self._names_rows():
            for column in list(result.open):
                if most > 1 and column in self.cells and not self._is_text(column):
                    self._keep_apart(column)
                    keys = Counter(self._key(record.cells) for record in self.records)
                    most = max(keys.values(), default=0)
            if most > 1:
                result.notes.append(f"up to {most} rows agree in all factors: they are read as repeats")
        if most > _MAX_REPEATS or (len(self.records) > 1 and not result.factors):
            result.doubts.append("rows do not differ in any factor")
        if not any(units.to_base(1.0, figure.unit)[1] in _SPEEDS for figure in result.figures):
            result.doubts.append("no time or rate")

    def _names_rows(self) -> bool:
        return any(figure.where for figure in self.result.figures)

    def _key(self, cells: Mapping[str, Any]) -> tuple[str, ...]:
        columns = [
            column if isinstance(column, str) else column["column"] for column in self.result.factors.values()
        ]
        if self.result.repeat:
            columns.append(self.result.repeat)
        return tuple(str(cells.get(column)) for column in columns)

    def _keep_apart(self, column: str) -> None:
        """Make an open column a factor if rows without it would be taken for repeats."""
        result = self.result
        if meaning_of(column).kind == "figure":
            return
        self._factor(self._named(column, ColumnMeaning("other")), column)
        del result.open[column]
        result.doubts.append(f'"{column}" may be a setting or a result')
        result.notes.append(f'"{column}" is read as a factor, so that its rows are not taken for repeats')

    def _check_commas(self) -> None:
        """Leave figures open whose commas may separate thousands or decimals."""
        if self.table.rows.decimal == "," or self.table.is_json:
            return
        cells = {x.column: [str(cell) for cell in self._known(x.column)] for x in self.result.figures}
        every = [text for texts in cells.values() for text in texts]
        proof = any(re.search(r"[0-9],[0-9]{3}(?:,[0-9]{3}|\.[0-9])|[0-9]\.[0-9]", text) for text in every)
        if proof:
            return
        for column, texts in cells.items():
            if (
                any(re.search(r"[0-9],[0-9]{3}(?![0-9])", text) for text in texts)
                and self.table.rows.separator != ","
            ):
                self.result.figures = [x for x in self.result.figures if x.column != column]
                self.result.open[column] = "do its commas separate thousands or decimals?"
                self.result.doubts.append("commas are not clear")


def _guess(
    column: str,
    meaning: ColumnMeaning,
    factors: tuple[tuple[str, str], ...] = (),
    where: tuple[tuple[str, str], ...] = (),
    unit_column: str = "",
) -> FigureGuess:
    """Return the figure of a column by its meaning."""
    return FigureGuess(
        column,
        meaning.metric,
        meaning.unit,
        meaning.scale,
        meaning.statistic,
        meaning.phase,
        factors,
        where,
        unit_column,
    )


def _case_factor(columns: Sequence[str], labels: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the factor that the words in names of columns are values of, "" without one, and the values."""
    if not all(labels):
        return "", labels
    if counted := numbered(labels):
        return counted
    if len(labels) > 1 and all(label.isdigit() for label in labels):
        return kind_of(labels) or count_word(columns[0]), labels
    return kind_of(labels), labels


def _with_metric(meaning: ColumnMeaning) -> ColumnMeaning:
    """Return a time without a metric as a latency or a time of a run, by its unit."""
    if meaning.metric:
        return meaning
    metric = "latency" if meaning.unit in ("ns", "us", "ms") else "run_time"
    return replace(meaning, metric=metric, doubt="names no metric")


def _has_word(label: str) -> bool:
    """Return whether a label is more than a number; a repeated header has one."""
    return bool(re.search(r"[^\W\d_]", label))


def _is_repeated(name: str, names: frozenset[str]) -> bool:
    """Whether a column of JSON is the same as another one, or a length of a list."""
    if name.endswith("#") or name == ROW:
        return True
    if not name.startswith(_AROUND):
        return False
    own = name.lstrip("./")
    group, dot, _ = own.partition(".")
    is_nested = bool(dot) and group.lower() not in CONFIGURATION  # rows, and what belongs to other tables
    return is_nested or (name.startswith("../") and f"/{own}" in names)


def _is_writable(text: str) -> bool:
    """Return whether TOML can have a text: JSON may hold halves of characters."""
    return not any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)


def number_of(cell: object) -> tuple[float, str] | None:
    """Return (number, unit) of a cell, None if it is not a number."""
    if isinstance(cell, bool) or is_missing(cell) or isinstance(cell, (list, dict)):
        return None
    if not isinstance(cell, str):
        return (float(cell), "") if json_values.is_number(cell) else None
    known = quantity(plain_text(cell), "")
    if known:
        return known
    value = numeric(cell)
    return (value, "") if value == value and abs(value) != float("inf") else None


def _number_in(cell: object, unit: str) -> tuple[float, str] | None:
    """Return (number, unit) of a cell of a figure, also in a form that only its unit has."""
    return number_of(cell) or (spelled(cell.strip(), unit) if isinstance(cell, str) else None)


def _is_duration(column: str) -> bool:
    """Return whether a name says how long something took, and not when it was."""
    return bool(set(words_of(column)) & _DURATIONS)


def _is_fault(cell: object) -> bool:
    text = str(cell).strip()
    return bool(_OUT_OF_MEMORY.fullmatch(text) or _FAILED.fullmatch(text)) or number_of(cell) is not None


def numbers(reading: TableReading) -> Iterator[tuple[str, int]]:
    """Yield (column, line) of each number that the figures of a reading should give."""
    checks = [convert({**check, "message": ""}, Check, "checks") for check in reading.checks]
    for record in reading.table.records:
        is_failed = any(holds(check, record.cells) for check in checks)
        if is_failed or (record.line in reading.skipped_lines and not reading.table.is_json):
            continue
        for figure in reading.figures:
            is_its = all(str(record.cells.get(name)).strip() == text for name, text in figure.where)
            if is_its and _number_in(record.cells.get(figure.column), figure.unit) is not None:
                yield figure.column, record.line


def is_series(readings: Sequence[TableReading]) -> str:
    """Return the column that counts steps in the first table that is a series, "" for none."""
    return next((reading.series for reading in readings if reading.series), "")
