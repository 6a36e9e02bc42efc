"""Read result files as evidence: a CSV with a head, JSON of records, a report.json.

A result file has one case a row: columns of texts and of known counts are factors, the other numbers results.
Headings say what a result is and its unit, as they do in tables made by hand.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from reportgen.audit.csv_tables import read_csv
from reportgen.audit.documents import MAX_CELLS, TextCell, TextTable, rectangle
from reportgen.audit.hints import says_of
from reportgen.audit.keys import factors_of_heading, squash
from reportgen.audit.numbers import (
    Number,
    find_unit,
    has_decimal_comma,
    is_missing,
    parse_number,
    unit_of_heading,
)
from reportgen.core.errors import RequestError
from reportgen.core.metrics import METRICS, metric_of
from reportgen.core.model import STEP, Aggregate, FactorValue, Run, Source
from reportgen.core.units import Unit
from reportgen.document.encode import decode, is_document
from reportgen.document.model import Document

_MAX_DEPTH = 12


def read_results(name: str, text: str) -> tuple[list[Run], Document | None]:
    """Return the runs of a result file, and its document if it is a report.json.

    name  of the file; its extension says CSV or JSON
    Raises RequestError if it is neither, or has no numbers.
    """
    document = None
    if name.lower().endswith(".json"):
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise RequestError(name, f"is not JSON: {error}", "name a CSV or JSON file of results") from None
        if is_document(content):
            document = decode(text.encode(), name)
            runs = list(_of_document(document, name))
        else:
            runs = [run for table in _tables(content) for run in _of_table(table, name)]
    else:
        runs = [run for table in read_csv(text) for run in _of_table(table, name)]
    if not runs:
        raise RequestError(name, "has no row with a result", "name a CSV or JSON file of results")
    return runs, document


def _of_document(document: Document, name: str) -> Iterator[Run]:
    """Yield a run for each case of a document, with its summary as the result."""
    for number, case in enumerate(document.cases, 1):
        if case.summary is not None:
            first = case.measurements[0].run.source if case.measurements else ""
            path, _, line = first.rpartition(":")
            source = Source(path, int(line)) if path and line.isdigit() else Source(first or name)
            value, statistic = case.summary.value, case.summary.statistic
            unit = "" if case.metric in METRICS else case.unit
            result = Aggregate(
                case.metric, phase=case.phase, value=value, original=f"{value!r}", statistic=statistic,
                source=source, unit=unit,
            )  # fmt: skip
            yield _run(f"{name}#{number}", source, case.factors, [result])


def _run(id: str, source: Source, factors: dict[str, FactorValue], results: Sequence[Aggregate]) -> Run:
    return Run(id, "results", source, factors, aggregates=tuple(results), published=True)


def _tables(content: Any) -> Iterator[TextTable]:
    """Yield the records of JSON as tables: lists of objects, and objects of objects with numbers inside."""
    records: list[dict[str, str]] = []
    for record in _records(content, (), 0):
        records.append(record)
        if len(records) * max(map(len, records)) > MAX_CELLS:
            break
    names = list(dict.fromkeys(name for record in records for name in record))
    if records:
        rows = [names, *([record.get(name, "") for name in names] for record in records)]
        cells = [[TextCell(text, line, 0, 0) for text in row] for line, row in enumerate(rows)]
        yield TextTable(rectangle(cells), 1)


def _records(content: Any, path: tuple[str, ...], depth: int) -> Iterator[dict[str, str]]:
    """Yield every object that has a number, with the keys above it as `level 1`, `level 2`, ..."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(content, list):
        for each in content:
            yield from _records(each, path, depth + 1)
        return
    if not isinstance(content, dict):
        return
    plain = {key: value for key, value in content.items() if isinstance(value, str | int | float)}
    if any(not isinstance(value, str | bool) for value in plain.values()):
        above = {f"level {level}": key for level, key in enumerate(path, 1)}
        yield above | {key: str(value) for key, value in plain.items()}
    for key, value in content.items():
        yield from _records(value, (*path, key), depth + 1)


def _of_table(table: TextTable, name: str) -> Iterator[Run]:
    head, *rows = table.rows
    comma = has_decimal_comma(cell.text for row in rows for cell in row)
    numbers = [[parse_number(cell.text, comma=comma) for cell in row] for row in rows]
    results = [
        column
        for column, cell in enumerate(head)
        if _is_result(cell.text, [row[column] for row in numbers], [row[column].text for row in rows])
    ]
    if not results:
        return
    for row, own in zip(rows, numbers, strict=True):
        source = Source(name, row[0].line)
        factors = {
            _factor(head[column].text): _value(cell.text, own[column])
            for column, cell in enumerate(row)
            if column not in results and cell.text and head[column].text
        }
        values = [
            _aggregate(head[column].text, number, source)
            for column in results
            if (number := own[column]) is not None
        ]
        if values:
            yield _run(f"{name}#{row[0].line}", source, factors, values)


def _is_result(heading: str, numbers: Sequence[Number | None], texts: Sequence[str]) -> bool:
    """Return whether a column has results: numbers that are not the values of a known factor."""
    said = [number for number, text in zip(numbers, texts, strict=True) if not is_missing(text)]
    if not said or any(number is None for number in said) or factors_of_heading(heading):
        return False
    is_named = bool(unit_of_heading(heading)) or any(says_of((heading,)))
    return is_named or any(number and not number.value.is_integer() for number in said)


def _factor(heading: str) -> str:
    return next(iter(factors_of_heading(heading)), heading.strip().lower().replace(" ", "_"))


def _value(text: str, number: Number | None) -> FactorValue:
    is_count = number is not None and not number.unit and number.value.is_integer()
    return int(number.value) if number is not None and is_count else text


def _aggregate(heading: str, number: Number, source: Source) -> Aggregate:
    """Return a number as the result that its heading names."""
    metrics, phases, statistics = says_of((heading,))
    written = number.unit or unit_of_heading(heading)
    unit = find_unit(written) or Unit("", "1", 1.0)
    rate = "throughput" if unit.base == "samples/s" else ""
    time = "step_time" if unit.base == "s" and (phases or not metrics) else ""
    metric = rate or time or min(metrics, default="") or squash(heading)
    if metric in METRICS and written and METRICS[metric].unit != unit.base:
        metric = squash(heading)
    phase = min(phases) if phases and metric == "step_time" else STEP
    return Aggregate(
        metric, phase=phase, value=number.value * unit.factor, original=number.text,
        statistic=min(statistics, default="published"), source=source,
        unit="" if metric in METRICS else metric_of(metric, unit.base).unit,
    )  # fmt: skip
