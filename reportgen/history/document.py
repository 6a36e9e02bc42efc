"""Show histories for a terminal, as Markdown, CSV and JSON: everywhere the same points and sentences."""

import csv
import io
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from reportgen.core import units
from reportgen.core.change_points import ChangePointRule
from reportgen.core.plain_text import printable_json, spreadsheet
from reportgen.core.units import Unit
from reportgen.diff.cells import heading_text
from reportgen.document.model import QUANTITY_TITLES
from reportgen.history.points import CellHistory, HistoryPoint
from reportgen.render.text.english import count
from reportgen.render.text.escape import markdown
from reportgen.report.run_view import sparkline

VERSION = 1
COLUMNS = ("point", "date", "value", "interval", "repeats", "what changed", "commit")
_STEP, _DRIFT = "^", "~"
_TITLES = {str(quantity): title for quantity, title in QUANTITY_TITLES.items()}


def title(history: CellHistory) -> str:
    """Return the place of the cell in words: `study/times a, ratio`."""
    parts = [heading_text(dict(history.row)), heading_text(dict(history.column))]
    if history.quantity != "value":
        parts.append(quantity_title(history))
    return f"{history.report}/{history.table} {', '.join(part for part in parts if part)}".rstrip()


def quantity_title(history: CellHistory) -> str:
    """Return what the cell shows, in words."""
    return _TITLES.get(history.quantity, history.quantity)


def shown_values(history: CellHistory, point: HistoryPoint) -> list[float]:
    """Return the value of a point and, where it has one, the ends of its interval, in the unit shown."""
    unit = _unit(history)
    return [each / unit.factor for each in (point.value, point.low, point.high) if each is not None]


def summary_lines(history: CellHistory, width: int, *, is_brief: bool = False) -> Iterator[str]:
    """Yield the title with the range, the curve with marks below its changes, and a sentence for each.

    is_brief  without the note on a history that has no change
    """
    points = history.points
    if not points:
        yield f"{title(history)}: no numbers"
        return
    unit = _unit(history)
    first, last = (_number(point.value, unit) for point in (points[0], points[-1]))
    yield f"{title(history)}: {count(len(points), 'point')}, {first} -> {last} {_unit_name(unit)}".rstrip()
    if len(points) > 1:
        yield f"  {sparkline(np.array([point.value for point in points]), width)}"
        if history.changes and len(points) <= width:
            yield f"  {_marks(history)}".rstrip()
    for change in history.changes:
        yield f"  {change.text}{f': {change.cause}' if change.cause else ''}"
    if history.end:
        yield f"  {history.end}"
    if history.note and (history.changes or not is_brief):
        yield f"  {history.note}"


def _marks(history: CellHistory) -> str:
    marks = [" "] * len(history.points)
    for change in history.changes:
        mark = _STEP if change.point.kind == "step" else _DRIFT
        for position in range(change.point.first, change.point.last + 1):
            marks[position] = mark if marks[position] != _STEP else _STEP
    return "".join(marks)


def point_rows(history: CellHistory) -> list[tuple[str, ...]]:
    """Return a row of texts for each point, under COLUMNS."""
    unit = _unit(history)
    return [
        (
            point.label,
            point.date,
            f"{_number(point.value, unit)} {_unit_name(unit)}".rstrip(),
            _interval(point, unit),
            str(point.repeats or ""),
            "; ".join(_here(history, position, point)),
            point.subject,
        )
        for position, point in enumerate(history.points)
    ]


def _here(history: CellHistory, position: int, point: HistoryPoint) -> Iterator[str]:
    for change in history.changes:
        if change.point.kind == "step" and change.point.first == position:
            yield change.text.partition(": ")[2].join(("STEP ", ""))
        elif change.point.kind == "drift" and change.point.first == position:
            yield "DRIFT begins"
        elif change.point.kind == "drift" and change.point.last == position:
            yield "DRIFT ends"
    yield from point.events


def _interval(point: HistoryPoint, unit: Unit) -> str:
    if point.low is None or point.high is None:
        return ""
    return f"{_number(point.low, unit)} to {_number(point.high, unit)}"


def _unit(history: CellHistory) -> Unit:
    if history.unit == "ratio" or history.quantity != "value":
        return Unit("", "ratio", 1.0)
    if history.shown and history.shown.base == "samples/s":  # the table says samples of what
        return history.shown
    return units.choose([point.value for point in history.points], history.unit)


def _number(value: float, unit: Unit) -> str:
    return units.text(value / unit.factor)


def _unit_name(unit: Unit) -> str:
    return "" if unit.name in ("1", "count") else unit.name


def markdown_text(histories: Sequence[CellHistory], notes: Sequence[str], width: int) -> str:
    """Return a section per cell: its summary, and a table of its points."""
    lines: list[str] = []
    for history in histories:
        head, *rest = summary_lines(history, width)
        curve = [line for line in rest[:2] if set(line) <= set(f"▁▂▃▄▅▆▇█ {_STEP}{_DRIFT}")]
        lines += [f"### {markdown(head)}", "", *(["```text", *curve, "```", ""] if curve else [])]
        sentences = rest[len(curve) :]
        lines += [*(f"- {markdown(line.strip())}" for line in sentences), *([""] if sentences else [])]
        if history.points:
            lines += [_row(COLUMNS), _row(["---"] * len(COLUMNS))]
            lines += [_row([markdown(cell) for cell in row]) for row in point_rows(history)]
            lines.append("")
    lines += [f"{markdown(note)}\n" for note in notes]
    return "\n".join(lines).rstrip() + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def csv_text(histories: Sequence[CellHistory]) -> str:
    """Return one line per point, values in base units."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ("cell", "quantity", "point", "date", "value", "low", "high", "unit", "repeats", "what_changed")
    writer.writerow((*head, "commit", "subject"))
    for history in histories:
        for position, point in enumerate(history.points):
            numbers = [
                "" if number is None else units.machine(number)
                for number in (point.value, point.low, point.high)
            ]
            here = "; ".join(_here(history, position, point))
            texts = [title(history), history.quantity, point.label, point.date]
            more = [history.unit, str(point.repeats or ""), here, point.commit, point.subject]
            writer.writerow([*map(spreadsheet, texts), *numbers, *map(spreadsheet, more)])
    return out.getvalue()


def json_text(histories: Sequence[CellHistory], notes: Sequence[str], rule: ChangePointRule) -> str:
    """Return everything, with the parameters of the test; values are in base units."""
    document = {
        "version": VERSION,
        "rule": rule,
        "notes": notes,
        "cells": [
            {
                "report": history.report,
                "table": history.table,
                "row": history.row,
                "column": history.column,
                "quantity": history.quantity,
                "metric": history.metric,
                "unit": history.unit,
                "points": history.points,
                "changes": [
                    {
                        "kind": change.point.kind,
                        "first": history.points[change.point.first].label,
                        "last": history.points[change.point.last].label,
                        "ratio": change.point.ratio,
                        "p": change.point.p,
                        "sentence": change.text,
                        "cause": change.cause,
                    }
                    for change in history.changes
                ],
                "note": history.note,
                "end": history.end,
            }
            for history in histories
        ],
    }
    return printable_json(msgspec.json.format(msgspec.json.encode(document), indent=1).decode()) + "\n"
