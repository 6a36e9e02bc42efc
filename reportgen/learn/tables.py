"""Propose a definition for a table of results: the role of each column, checked by reading the table back.

What a table leaves open (a unit, a column that may be a setting or a result) is stated and left out. Units
may be given as answers: column -> unit.
"""

import json
import math
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from reportgen.core import units
from reportgen.core.errors import RequestError
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding, Run
from reportgen.core.rules import Rule
from reportgen.formats.detection import detect
from reportgen.formats.filetype import no_text
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.registry import FORMATS
from reportgen.formats.tables import own, own_table
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import meaning_of
from reportgen.formats.tables.derive import is_missing
from reportgen.formats.tables.find_tables import MAX_TABLES, FoundTable, find_tables
from reportgen.formats.tables.interpret import TableReading, interpret, numbers
from reportgen.formats.tables.interpret.questions import OpenQuestion
from reportgen.formats.tables.interpret.reading import FigureGuess, columns_of
from reportgen.formats.tables.likely_units import in_full
from reportgen.formats.tables.records import Record, are_branches
from reportgen.formats.tables.stated_units import IGNORE, SETTING, is_short_answer
from reportgen.formats.tables.unnamed import OPTION, named_table, unnamed_table
from reportgen.labels.labels_toml import LEARNED
from reportgen.labels.path_tokens import add_path_settings
from reportgen.learn.blocks import printed_blocks
from reportgen.learn.printed import other_results, printed_results, remark_behind
from reportgen.load.normalize import normalize_run
from reportgen.protocol import DEFAULT
from reportgen.report.listing import RunListing
from reportgen.report.run_entry import entry_of_run
from reportgen.sources.logfiles import LogFiles

GUIDE = "docs/how-to/read-a-table.md"
_BY_HAND = f"write [table] by hand, see {GUIDE}"
_MAX_SHOWN_ROWS = 3
_JSON_BEGINS = lazy_pattern(rb'\s*(?:\{\s*"|\[\s*[\[{"])')
_HTML = lazy_pattern(rb"(?i)<(?:!doctype html|html|body|table)\b[^>]*>")
_MAX_EXCERPT = 2**18
_MAX_SHOWN_CHARS = 24
_MAX_NAMED = 12
_MAX_ASKED = 24
_MAX_QUESTIONS = 8
_LINES = "other lines with a name and numbers with units are not read"
_MAX_PLACES = 8
_MAX_LINE = 60
_OTHERS = "the file has other tables, which are not read"
_BESIDE = "numbers beside the rows are not read"
_UNKNOWN = "the file has tables whose metric or unit is not stated"
_WITHOUT = "the file has tables without a known result, which are not read"


@dataclass(frozen=True, slots=True)
class TableProposal:
    """A definition proposed from a table.

    table     `[table]` of a labels.toml
    columns   headings, then a row for each column: its name, its role, its first cells
    numbers   numbers in the columns of figures; read  how many of them the definition reads
    open      column and question of what is left out
    files     paths of all files with such a table, the sample first
    """

    name: str
    table: Mapping[str, Any]
    columns: tuple[tuple[str, ...], ...]
    rows: int
    numbers: int
    read: int
    open: tuple[tuple[str, OpenQuestion], ...]
    notes: tuple[str, ...]
    listing: RunListing
    path: str
    files: tuple[str, ...] = ()

    @property
    def reads(self) -> bool:
        """Whether the definition reads a number, if there are any."""
        return bool(self.read or not self.numbers)

    @property
    def is_in_text(self) -> bool:
        """Whether its rows are cells below other lines, or below a statement: "# tries: 5, 10 s"."""
        rows = self.table["rows"]
        is_below = "header" in rows or any(": " in name for name, *_ in self.columns[1:])
        return rows["kind"] in ("csv", "tsv") and is_below

    @property
    def toml(self) -> str:
        """Text of a labels.toml."""
        return labels_text([self])

    def document(self) -> dict[str, object]:
        """Return the proposal as JSON has it; `runs` is what `runs --format json` prints."""
        heads, *rows = self.columns
        return {
            "name": self.name,
            "files": list(self.files),
            "rows": self.rows,
            "numbers": self.numbers,
            "read": self.read,
            "columns": [dict(zip(heads, row, strict=True)) for row in rows],
            "open": [
                {"column": column, "question": asked.text, "examples": list(asked.examples(column))}
                for column, asked in self.open
            ],
            "notes": list(self.notes),
            "runs": msgspec.Raw(self.listing.to_json().encode()),
            "toml": self.toml,
        }


def best_reading(files: LogFiles, answers: Mapping[str, str] | None = None) -> TableReading | None:
    """Return the table of a file with most numbers; None for a text without a table."""
    if no_text(files.head(files.path)):
        return None
    readings = [interpret(table, answers) for table in find_tables(files)]
    if not readings:
        return None
    best = max(readings, key=_weight)
    if len(best.table.records) > 1:
        return best
    # Keys of one object of JSON may be rows: `results.a100.latency_ms` and `results.h100.latency_ms`.
    in_rows = [
        each for each in readings if len(each.table.records) > 1 and 2 * _weight(each)[0] >= _weight(best)[0]
    ]
    return max(in_rows, key=_weight, default=best)


def _weight(reading: TableReading) -> tuple[int, bool, int, int]:
    """Return the numbers that a reading gives, or may give with answers, its rows, and its clear columns."""
    rows, questions = len(reading.table.records), reading.open.values()
    asked = 0 if reading.figures else sum(question.is_of_unit for question in questions)
    clear = len(reading.factors) - len(questions)
    may_be_read = bool(reading.figures or questions)
    return sum(1 for _ in numbers(reading)), may_be_read, rows * (asked or 1), clear


def propose_table(
    files: LogFiles, answers: Mapping[str, str] | None = None, taken: Iterable[str] = (), called: str = ""
) -> TableProposal | None:
    """Return a definition for the table of a file; None for a text without a table of results.

    answers  column -> unit; RequestError for a column that the table has not, or for an unknown unit
    taken    names of other definitions
    called   what the definition is called; "" for the name of the file
    """
    files = _excerpt(files)
    answers = _of_columns(answers or {}, files)
    reading = best_reading(files, answers)
    if reading is None or reading.series:
        return None
    _check_answers(reading, answers)
    if not reading.figures:
        return None
    proposal = _proposal(files, reading, _name(called or files.path, taken), answers)
    return proposal if proposal.reads else None


def _check_answers(reading: TableReading, answers: Mapping[str, str]) -> None:
    """Raise RequestError for an answer that cannot hold, or that leaves its column unread."""
    for fact in reading.refused.values():
        raise RequestError("--unit", fact, "leave this answer out")
    factors = {
        column: "it is read as a factor" for of in reading.factors.values() for column in columns_of(of)
    }
    read = {column for column, _ in numbers(reading)}
    empty = {x.column: f"none of its cells is in {x.unit}" for x in reading.figures if x.column not in read}
    unread = {**factors, **empty, **reading.left_out, **reading.open}
    for column, answer in answers.items():
        if column in unread and answer not in (IGNORE, SETTING):
            fact = f'"{_printable(column)}={answer}" changes nothing: {_printable(str(unread[column]))}'
            raise RequestError("--unit", fact, f"leave it out, or write [table] by hand, see {GUIDE}")


def propose_each(files: LogFiles, answers: Mapping[str, str] | None = None) -> list[TableProposal]:
    """Return definitions for the tables of results of a file, the one with most numbers first.

    Of JSON they are below different keys: others have the same numbers, or belong to one of these.
    """
    files = _excerpt(files)
    answers = _of_columns(answers or {}, files)
    first = propose_table(files, answers)
    best = best_reading(files, answers) if first else None
    if first is None or best is None:
        return []
    proposals, chosen = [first], [best]
    unread: list[TableProposal] = []
    readings = [interpret(table, answers) for table in find_tables(files)]
    for reading in sorted(readings, key=_weight, reverse=True) if best.table.is_json else readings:
        is_result = reading.figures and not reading.series and not reading.refused
        if is_result and all(_is_beside(reading, each) for each in chosen):
            name = _name(files.path, [each.name for each in proposals])
            proposal = _proposal(files, reading, name, answers)
            (proposals if proposal.reads else unread).append(proposal)
            chosen.append(reading)
    printed = None if best.table.is_json else _printed_beside(files, answers, chosen)
    if printed:
        name = _name(files.path, [each.name for each in proposals])
        proposals.append(_proposal(files, printed, name, answers))
    if len(proposals) == 1:
        return proposals
    # All tables with figures have a definition; the first proposal names the unread tables.
    said = (*([_LINES] if printed else []), *([] if unread else [_OTHERS]))
    once = (_OTHERS, _LINES, _BESIDE, _UNKNOWN, _WITHOUT)
    return [
        replace(x, notes=tuple(n for n in x.notes if not n.startswith(said if x is first else once)))
        for x in proposals
    ]


def _printed_beside(
    files: LogFiles, answers: Mapping[str, str], tables: Sequence[TableReading]
) -> TableReading | None:
    """Return the results that are printed line by line, or in blocks, beside tables; None without them."""
    lines = {record.line for each in tables for record in each.table.records}
    printed = (table for table in (printed_results(files), printed_blocks(files)) if table)
    beside = [x for x in printed if lines.isdisjoint(record.line for record in x.records)]
    readings = [each for each in (interpret(table, answers) for table in beside) if each.figures]
    reading = max(readings, key=_weight, default=None)
    if reading is None or reading.refused:
        return None
    _note_remark(files, reading)
    return reading


def _note_remark(files: LogFiles, reading: TableReading) -> None:
    """Note the brackets behind the numbers of printed lines, which are not read."""
    if remark := remark_behind(files, reading.table):
        reading.notes.append(f'"{_printable(remark)[:_MAX_LINE]}" behind the numbers of a line is not read')


def propose_printed(files: LogFiles, answers: Mapping[str, str]) -> TableProposal | None:
    """Return a definition for results that are printed line by line; None for a text without them."""
    reading = _printed_reading(files, answers)
    if reading is None or not reading.figures:
        return None
    _note_remark(files, reading)
    return _proposal(files, reading, _name(files.path, ()), answers)


def _printed_reading(files: LogFiles, answers: Mapping[str, str]) -> TableReading | None:
    """Return the results that are printed line by line, or in blocks; None for a text without them."""
    if no_text(files.head(files.path)) or detect(files.with_settings({})):
        return None
    tables = [table for table in (printed_results(files), printed_blocks(files)) if table]
    own = _of_tables(answers, tables) if tables else {}
    readings = [interpret(table, own) for table in tables]
    reading = max(readings, key=lambda each: _weight(each)[0], default=None)
    if reading is not None:
        _check_answers(reading, own)
    return reading


def _proposal(files: LogFiles, reading: TableReading, name: str, answers: Mapping[str, str]) -> TableProposal:
    """Return the definition of a table, checked by reading its file with it."""
    table = reading.definition(name)
    runs, findings = _read_back(files, table)
    read = sum(not math.isnan(figure.value) for run in runs for figure in run.aggregates)
    expected = read if reading.table.is_part else sum(1 for _ in numbers(reading, in_any_unit=True))
    notes = _notes(files, reading, answers)
    entries = tuple(entry_of_run(run, DEFAULT) for run in runs[:200])
    return TableProposal(
        name,
        table,
        _columns(reading),
        len(reading.table.records),
        expected,
        read,
        tuple(reading.open.items()),
        tuple(dict.fromkeys((*notes, *_unread(findings, notes), *_losses(expected, read)))),
        RunListing(entries),
        files.source(files.path).path,
        (files.source(files.path).path,),
    )


def is_open_row(files: LogFiles, answers: Mapping[str, str], line: int) -> bool:
    """Return whether a line is a row between bars of a table with open columns, not a line of a log."""
    lines = TextLog(files).content.split(b"\n")
    reading = best_reading(files, answers)
    return bool(lines[line - 1].strip().startswith(b"|") and reading and reading.open and not reading.series)


def why_not(files: LogFiles, answers: Mapping[str, str] | None = None) -> tuple[str, str] | None:
    """Return why a table has no proposal, and the remedy; None for a text without a table."""
    if broken := _broken_json(files):
        return broken
    reading = best_reading(files, answers) or _printed_reading(files, answers or {})
    if (unnamed := unnamed_table(files)) and not named_table(files) and not _says_more(reading):
        first = _printable(", ".join(unnamed.cells[0]))
        remedy = f"name its columns, with the units of results, such as: {OPTION} {unnamed.example()}"
        return f"a table without a header, whose first row is {first}", remedy
    if reading is None and _HTML.search(files.head(files.path)):
        return "a page of HTML without a table of results", f"save its tables as CSV or Markdown, see {GUIDE}"
    if reading is None or len(reading.table.columns) < 2:
        return None
    if reading.series:
        fact = f'its rows are steps of one run (column "{_printable(reading.series)}"), not results'
        return fact, "write [format] with a pattern for its lines, see docs/reference/formats/custom.md"
    beside = ("../", "/", "#row")
    names = [
        _printable(x)
        for x in reading.table.columns
        if not x.startswith(beside) and not (x.endswith("#") and x[:-1] in reading.table.columns)
    ]
    shown = ", ".join(names[:_MAX_NAMED]) + (", ..." if len(names) > _MAX_NAMED else "")
    fact = f"a table with the columns {shown}; none names a metric and its unit"
    if reading.figures:
        return f"a table with the columns {shown}, whose numbers no definition reads", _BY_HAND
    asked = questions(reading.open.items())
    lists = [name for name, why in reading.left_out.items() if why == "lists"]
    nested = [name for name in lists if _has_lists(reading.table, name)]
    if nested:
        fact = f'"{_printable(nested[0])}" is a list of lists: nothing names its numbers'
        return fact, f"write an object for each row, with a name for each number: see {GUIDE}"
    if len(lists) > 1 and not asked:
        fact = f'an object of lists, "{_printable(lists[0])}" and others, not of rows'
        return fact, f"write an object for each row: see {GUIDE}"
    if not asked and not _has_numbers(reading.table):
        return f"a table of words alone, with the columns {shown}", "name a file with numbers"
    if asked:
        fact += ": " + "; ".join(_asked(name, why) for (name, *_), why in asked[:_MAX_QUESTIONS])
        fact += f"; and {len(asked) - _MAX_QUESTIONS} more" if len(asked) > _MAX_QUESTIONS else ""
    ask = [_option(name, unit) for (name, *_), why in asked for unit in why.examples(name)[:1]]
    if reading.open and not ask:
        return fact, f"{next(iter(reading.open.values())).remedy}, see {GUIDE}"
    stated = ask[:_MAX_ASKED]
    shown = " ".join(stated) or f'--unit "{names[-1] if names else "COLUMN"}=1"'
    which = "the units" if len(stated) > 1 else "a unit"
    return fact, f"state {which}: {shown}, or write [table] by hand, see {GUIDE}"


def _says_more(reading: TableReading | None) -> bool:
    """Return whether JSON names numbers, so that its lists are not its table."""
    return reading is not None and reading.table.is_json and bool(reading.open)


def _has_lists(table: FoundTable, column: str) -> bool:
    """Return whether the items of the lists of a column are lists."""
    cells = (record.cells.get(column) for record in table.records)
    return any(isinstance(item, list) for cell in cells if isinstance(cell, list) for item in cell)


def _has_numbers(table: FoundTable) -> bool:
    """Return whether a cell of a table, or an item of a list in it, has a digit."""
    return any(re.search("[0-9]", str(cell)) for record in table.records for cell in record.cells.values())


def _asked(column: str, question: OpenQuestion) -> str:
    shown = f'"{_printable(column)}"'
    return question.text if question.text.startswith(shown) else f"{shown} {question}"


def answer_for(column: str, question: OpenQuestion) -> str:
    """Return examples of answers that can be pasted, "" if no unit answers the question."""
    return ", or ".join(_option(column, answer) for answer in question.examples(column))


def _option(column: str, answer: str) -> str:
    text = f"{_printable(column)}={answer}"
    return f"--unit {shlex.quote(text)}" if re.search(r'["$`\\!]', text) else f'--unit "{text}"'


def questions(open_columns: Iterable[tuple[str, OpenQuestion]]) -> list[tuple[list[str], OpenQuestion]]:
    """Return (columns, question), each once: the cases, or the statistics, of one metric share an answer."""
    shared: dict[OpenQuestion, list[str]] = {}
    asked = []
    for column, question in open_columns:
        if question not in shared:
            asked.append(([column], question))
            if question.is_shared:
                shared[question] = asked[-1][0]
        else:
            shared[question].append(column)
    return asked


def _broken_json(files: LogFiles) -> tuple[str, str] | None:
    """Return where a file that begins as JSON stops being JSON, and the remedy; None for others."""
    content = files.bytes(files.path)
    is_lines = isinstance(json_values.load(content.lstrip().partition(b"\n")[0]), dict)
    fault = json_values.fault(content) if _JSON_BEGINS.match(content) and not is_lines else None
    if fault is None:
        return None
    line, column, is_cut = fault
    if is_cut:
        remedy = "complete the file: its program may have been stopped"
        return f"its JSON ends in line {line}, column {column}", remedy
    return f"its JSON is broken in line {line}, column {column}", "repair the file"


def labels_text(proposals: Sequence[TableProposal]) -> str:
    """Return a labels.toml with the definitions of several proposals; what is open is a comment."""
    head = "[table]" if len(proposals) == 1 else "[[table]]"
    parts = []
    for proposal in proposals:
        lines = [f"{LEARNED}{_printable(proposal.path)}`; see {GUIDE}."]
        lines += [f"# Open: {_printable(name)}: {_printable(why.text)}" for name, why in proposal.open]
        parts.append("\n".join(lines) + "\n" + _toml(proposal.table, head))
    return "\n".join(parts)


def _of_columns(answers: Mapping[str, str], files: LogFiles) -> dict[str, str]:
    """Return answers by the columns, or named metrics, of the tables of a file.

    A name may be pasted as it is printed, with plain blanks. Raises RequestError for one that no table has.
    """
    return _of_tables(answers, find_tables(files)) if answers else {}


def _of_tables(answers: Mapping[str, str], tables: Sequence[FoundTable]) -> dict[str, str]:
    """Return answers by the columns, or named metrics, of tables. Raises RequestError as `_of_columns`."""
    cells = (cell for table in tables for record in table.records for cell in record.cells.values())
    # A list around the row may have megabytes.
    names = (*(name for table in tables for name in table.columns), *(x for x in cells if isinstance(x, str)))
    printed = {" ".join(_printable(name).split()): name for name in reversed(names)}
    own: dict[str, str] = {}
    for column, unit in answers.items():
        name = column if column in names else printed.get(" ".join(column.split()))
        if name is None and tables:
            largest = max(tables, key=lambda table: len(table.columns) * len(table.records))
            shown = ", ".join(_printable(each) for each in largest.columns[:_MAX_NAMED])
            raise RequestError("--unit", f'no column "{column}"', f"the columns are {shown}")
        _check_unit(unit)
        own[name or column] = unit
    return own


def _check_unit(unit: str) -> None:
    """Raise RequestError for a unit that has several meanings, is misspelt or is none."""
    known = unit_of(unit)
    if unit in (SETTING, IGNORE) or is_short_answer(unit):
        return
    if known and known.doubt:
        full = in_full(unit) or "tokens/s, transactions/s, GB/s or Gbit/s"
        raise RequestError("--unit", known.doubt, f"write it in full, such as {full}")
    if known or units.find(unit):
        return
    if close := units.misspelt(unit):
        raise RequestError("--unit", f'unknown unit "{unit}"', f'did you mean "{close}"?')
    if not re.fullmatch(r"[^\W\d][^\n=]{0,19}", unit):
        raise RequestError(
            "--unit",
            f'"{unit}" is not a unit',
            "write ms, images/s, %, 1 for a count, setting or ignore; all units: reportgen learn --names",
        )


def _excerpt(files: LogFiles) -> LogFiles:
    """Return a long file of lines as its first lines; JSON is one whole."""
    content = files.bytes(files.path)
    first = content[:_MAX_EXCERPT]
    if len(content) <= _MAX_EXCERPT or (first.lstrip()[:1] in (b"{", b"[") and json_values.load(content)):
        return files
    folder, _, name = files.source(files.path).path.rpartition("/")
    short = {name: first[: first.rfind(b"\n") + 1]}
    return LogFiles.of(short, settings=files.settings, prefix=folder).file(name)


def _name(path: str, taken: Iterable[str]) -> str:
    stem = path.rpartition("/")[2].rpartition(".")[0] or path
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-_")[:40] or "results"
    used = {*taken, *(known.name for known in FORMATS)}
    if name not in used:
        return name
    return next(f"{name}-{number}" for number in range(2, 10_000) if f"{name}-{number}" not in used)


def _read_back(files: LogFiles, table: Mapping[str, Any]) -> tuple[list[Run], list[Finding]]:
    """Return the runs that the definition reads from the file, and findings about lost lines and cells."""
    view = files.with_settings({"": {own.NAME: own.settings_of([table])}})
    items = list(own.read(view)) if own.claims(view) else []
    findings = [item for item in items if isinstance(item, Finding)]
    runs = [normalize_run(add_path_settings(item)) for item in items if isinstance(item, Run)]
    findings += {finding.message: finding for run in reversed(runs) for finding in run.findings}.values()
    return runs, [x for x in findings if x.rule is Rule.READ_MALFORMED_LINE and x.severity == "warning"]


def numbers_read(files: LogFiles, table: Mapping[str, Any]) -> int:
    """Return how many numbers a definition reads from a file."""
    return sum(len(run.aggregates) for run in _read_back(files, table)[0])


def _unread(findings: Iterable[Finding], notes: Sequence[str]) -> Iterator[str]:
    """Yield findings about lines as notes, but for cells of columns that notes say are not read."""
    for finding in findings:
        column = re.match(r'column ("[^"]*")', finding.message)
        if column and any(column[1] in note and "not read" in note for note in notes):
            continue
        place = f"line {finding.source.line}: " if finding.source and finding.source.line else ""
        yield f"{place}{finding.message}"


def _losses(expected: int, read: int) -> list[str]:
    if read == expected:
        return []
    return [f"of {expected} numbers in columns of figures {read} are read: check the rows before you accept"]


def _notes(files: LogFiles, reading: TableReading, answers: Mapping[str, str]) -> list[str]:
    notes = list(reading.notes)
    known = detect(files.with_settings({}))
    if known and known.format is not own_table.FORMAT:
        notes.append(f"{known.format.name} already reads this file; [table] takes precedence")
    tables = find_tables(files)
    if len(tables) == MAX_TABLES:
        notes.append(f"only the first {len(tables)} tables of the file were looked at")
    others = [each for table in tables if not _is_within(each := interpret(table, answers), reading)]
    is_text = not reading.table.is_json
    read = {record.line for table in (*tables, reading.table) for record in table.records}
    if is_text and (lines := other_results(files, read)):
        at, line = next(iter(lines.items()))
        own = "put them in a file of their own"
        notes.append(f'{_LINES}: {len(lines)}, such as line {at}, "{_printable(line)[:_MAX_LINE]}"; {own}')
    if beside := _beside_rows(reading, tables):
        more = f" and {len(beside) - _MAX_PLACES} more" if len(beside) > _MAX_PLACES else ""
        notes.append(f"{_BESIDE}: {', '.join(beside[:_MAX_PLACES])}{more}")

    def is_apart(other: TableReading) -> bool:
        """Return whether a table is another one: of JSON, another list of records."""
        return is_text or (other.table.rows.path.endswith("[*]") and _is_beside(other, reading))

    for fact, readings in (
        (_OTHERS, [each for each in others if each.figures]),
        (_UNKNOWN, [each for each in others if each.open and not each.figures and is_apart(each)]),
        (_WITHOUT, [each for each in others if is_text and not each.open and not each.figures]),
    ):
        if readings:
            more = f" and {len(readings) - _MAX_PLACES} more" if len(readings) > _MAX_PLACES else ""
            shown = ", ".join(_shown_place(each) for each in readings[:_MAX_PLACES])
            notes.append(f"{fact}: {shown}{more}")
    return notes


def _beside_rows(reading: TableReading, tables: Sequence[FoundTable]) -> list[str]:
    """Return the results of a JSON document that are in no row of a table: `/summary.total_s`."""
    paths = {re.split(r"[\[{]", table.rows.path)[0] for table in tables if table.rows.path}
    if not reading.table.is_json or not reading.table.rows.path or "" in paths:
        return []
    rows = tuple(f"/{path}{end}" for path in paths for end in (".", "#"))
    cells = reading.table.records[0].cells
    return [
        _printable(name)
        for name in reading.table.columns
        if re.match(r"/.*\.", name) and not name.startswith(rows) and json_values.is_number(cells.get(name))
        if (meaning := meaning_of(name.rpartition(".")[2])).kind == "figure" and meaning.unit
        if name not in reading.open and name not in reading.left_out and name not in _read_columns(reading)
    ]


def _read_columns(reading: TableReading) -> set[str]:
    """Return the columns of figures and factors."""
    factors = (name for factor in reading.factors.values() for name in columns_of(factor))
    return {*factors, *(figure.column for figure in reading.figures)}


def _shown_place(reading: TableReading) -> str:
    """Return the path of a table of JSON, or the first columns and line of another one, and its answers."""
    table = reading.table
    columns = ", ".join(map(_printable, table.columns[:_MAX_SHOWN_ROWS]))
    named = f'that with "{columns}" (line {table.records[0].line})'
    place = (table.rows.path or "the document itself") if table.is_json else named
    asked = [] if reading.figures else questions(reading.open.items())
    answers = [_option(name, unit) for (name, *_), why in asked for unit in why.examples(name)[:1]]
    return f"{place}: {' '.join(answers[:_MAX_QUESTIONS])}" if answers else place


def _is_beside(other: TableReading, reading: TableReading) -> bool:
    """Return whether a file has two tables, and not one and a part of it."""
    if not other.table.is_json:
        return not _is_within(other, reading)
    return are_branches(other.table.rows.path, reading.table.rows.path)


def _is_within(other: TableReading, reading: TableReading) -> bool:
    """Return whether another table, with more rows, has the same numbers."""
    if not other.table.is_json:
        return other.table.rows == reading.table.rows
    path, own = reading.table.rows.path, other.table.rows.path
    if not path and reading.table.rows.layout == "columns":  # their objects may be rows, too
        return _weight(other)[0] <= _weight(reading)[0]
    if own == path or not own:
        skipped = len(reading.skipped) * len(reading.figures)
        return own == path or _weight(other)[0] <= _weight(reading)[0] + skipped
    steps = re.findall(r"\{\*\}\.value|\{\*\}|\[\*\]|\.?[^.{}\[\]]+", path)
    members = {"{*}.value": r"(?:\{\*\}(?:\.value)?|\.?[^.{}\[\]]+)", "{*}": r"(?:\{\*\}|\.?[^.{}\[\]]+)"}
    patterns = [members.get(step, re.escape(step)) for step in steps]
    if re.fullmatch("".join(patterns), own):
        return True
    around = any(re.fullmatch("".join(patterns[:end]), own) for end in range(1, len(patterns)))
    return around and _weight(other)[0] <= _weight(reading)[0]


def _columns(reading: TableReading) -> tuple[tuple[str, ...], ...]:
    """Return headings and a row for each column: name, role, first cells.

    A column with figures of several metrics has a row for each: `value: p99 latency`.
    """
    roles: dict[str, str] = {}
    parts: dict[str, FigureGuess] = {}
    for figure in reading.figures:
        shown = f"{figure.metric} in {figure.unit or '1'}"
        shown += f", {figure.statistic}" if figure.statistic else ""
        shown += "".join(f", {name} = {text}" for name, text in figure.factors)
        name = figure.column
        if figure.where:
            name = ": ".join((name, *(text[:_MAX_SHOWN_CHARS] for _, text in figure.where)))
            parts.setdefault(name, figure)
        roles[name] = f"{roles[name]}; {shown}" if name in roles else f"figure: {shown}"
    for name, column in reading.factors.items():
        roles |= dict.fromkeys(columns_of(column), f"factor: {name}")
    roles |= {reading.repeat: "repeat"} if reading.repeat else {}
    roles |= {reading.started: "start of the run"} if reading.started else {}
    roles |= {check["column"]: "status" for check in reading.checks if check["column"] not in roles}
    roles |= {column: f"left out: {why}" for column, why in reading.left_out.items()}
    roles |= {column: f"open: {why}" for column, why in reading.open.items()}
    rows = []
    for column, role in roles.items():
        part = parts.get(column)
        records = reading.table.records if part is None else list(_rows_of(part, reading.table.records))
        name = column if part is None else part.column
        cells = [record.cells.get(name) for record in records[:_MAX_SHOWN_ROWS]]
        shown_cells = ", ".join(
            _printable(str(cell))[:_MAX_SHOWN_CHARS] for cell in cells if not is_missing(cell)
        )
        rows.append((_printable(column), role, shown_cells))
    order = {name: at for at, name in enumerate(map(_printable, reading.table.columns))}
    last = len(order)
    order |= {_printable(name): order.get(_printable(part.column), last) for name, part in parts.items()}
    return (("column", "role", "first cells"), *sorted(rows, key=lambda row: order.get(row[0], last)))


def _rows_of(figure: FigureGuess, records: Iterable[Record]) -> Iterator[Record]:
    """Yield the rows that a figure holds for."""
    for record in records:
        if all(str(record.cells.get(name) or "").strip() == text for name, text in figure.where):
            yield record


# TOML


def _toml(table: Mapping[str, Any], head: str) -> str:
    """Return a definition as TOML below its head: its values, its tables, and its lists of tables."""
    name = head.strip("[]")
    plain = {key: value for key, value in table.items() if not isinstance(value, (dict, list))}
    text = f"{head}\n"
    text += "".join(f"{key} = {_value(value)}\n" for key, value in plain.items())
    for key, value in table.items():
        if isinstance(value, dict):
            text += f"\n[{name}.{key}]\n"
            text += "".join(f"{_key(inner)} = {_value(item)}\n" for inner, item in value.items())
        elif isinstance(value, list):
            for entry in value:
                text += f"\n[[{name}.{key}]]\n"
                text += "".join(f"{_key(inner)} = {_value(item)}\n" for inner, item in entry.items())
    return text


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items()) + " }"
    return repr(value)


def _text(text: str) -> str:
    """Return a TOML string, a literal one where backslashes would have to be doubled."""
    if "\\" in text and "'" not in text and text.isprintable():
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _printable(text: str) -> str:
    return "".join(x if x.isprintable() else " " if x.isspace() else "?" for x in text)
