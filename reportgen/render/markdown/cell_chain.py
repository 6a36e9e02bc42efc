"""Explain one cell: how its number came about, from the formula to the lines of the logs, and why it is slow.

The result is a list of sections of plain texts. The command line prints them as text or as Markdown.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from msgspec import structs

from reportgen.compare.breakdown import percent
from reportgen.core import units
from reportgen.core.metrics import metric_of
from reportgen.core.model import RESERVED
from reportgen.document.model import (
    COMPARED_QUANTITIES,
    QUANTITY_TITLES,
    Breakdown,
    Case,
    Comparison,
    Document,
    Header,
    Table,
    source_of,
)
from reportgen.document.model import Cell as TableCell
from reportgen.document.texts import number, unit_label
from reportgen.render.grid.contracts import contract_text
from reportgen.render.grid.evidence import CaseEvidence, Repeat, evidence_of, messages
from reportgen.render.markdown import table as markdown
from reportgen.render.text import escape
from reportgen.render.text.english import count

# Letters of the bar of the largest part.
_BAR = 24
_MAX_SOURCES = 2

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CellSection:
    """A heading, and rows below their heads; without heads the first cell of a row is its name."""

    title: str
    rows: tuple[Row, ...]
    heads: Row = ()


def explain(
    report: Document, table: Table, column: Header, cell: TableCell, heads: tuple[str, str]
) -> list[CellSection]:
    """Return the sections about a cell; `heads` are the texts of its row and its column."""
    evidence = {each.name: each for each in evidence_of(report, lambda shown: shown.id).cases}
    cases = report.case_by_name
    sections = [CellSection("cell", tuple(_cell_rows(report, table, column, cell, heads)))]
    comparison = report.comparison_of(table, cell)
    if cell.case:
        sections += _case_sections("case", cases[cell.case], evidence[cell.case])
    for name in cell.several:
        sections += _case_sections("one of the cases", cases[name], evidence[name])
    if comparison and comparison.baseline != cell.case:
        name = comparison.baseline
        sections += _case_sections("baseline", cases[name], evidence[name])
        if comparison.breakdown:
            sections += _breakdown_sections(comparison.breakdown)
    return sections


def as_markdown(sections: Iterable[CellSection]) -> str:
    """Return the sections as Markdown, one heading each."""
    return "\n".join(_markdown(section) for section in sections)


def _markdown(section: CellSection) -> str:
    width = max(len(row) for row in section.rows)
    heads = section.heads or ("",) * width
    body = [[escape.markdown(text) for text in row + ("",) * (len(heads) - len(row))] for row in section.rows]
    table = markdown.pipe_table(heads, body, ["left"] * len(heads))
    return f"## {escape.markdown(section.title)}\n\n{table}\n"


def _cell_rows(
    report: Document, table: Table, column: Header, cell: TableCell, heads: tuple[str, str]
) -> Iterator[Row]:
    yield "report", f"{report.name}: {report.title}"
    yield "table", f"{table.id}: {table.title}"
    yield "row", heads[0]
    yield "column", heads[1]
    unit = f" {unit_label(cell.unit)}".rstrip()
    yield QUANTITY_TITLES[column.quantity], number(table, column.quantity, cell) + unit
    if cell.over_all is not None:
        with_gaps = number(table, column.quantity, structs.replace(cell, value=cell.over_all))
        yield "over all of the time", f"{with_gaps}{unit}, with what gaps left out"
    if cell.invalid:
        yield "invalid", f"{cell.invalid}: no ratio, verdict, mean or best follows from this number"
    if comparison := report.comparison_of(table, cell):
        yield from _formulas(report, comparison, report.case(cell.case))
    for note in cell.notes:
        yield "note", report.notes[note].text


def _formulas(report: Document, comparison: Comparison, case: Case | None) -> Iterator[Row]:
    """Yield how the numbers of a comparison follow from the medians of both cases."""
    baseline, value = report.case_by_name[comparison.baseline], comparison.value
    if case is None or case.summary is None or baseline.summary is None or case is baseline or value is None:
        return
    own, base = (f"{_six(side.summary.value)} {side.unit}" for side in (case, baseline) if side.summary)
    better = metric_of(case.metric).better
    is_inverse = better == ("higher" if comparison.kind == "expected" else "lower")
    is_inverse &= comparison.kind != "ratio"
    terms = f"baseline / case = {base} / {own}" if is_inverse else f"case / baseline = {own} / {base}"
    if comparison.kind == "efficiency":
        terms += " / ratio of devices"
    title = QUANTITY_TITLES[COMPARED_QUANTITIES[comparison.kind][0]]
    yield "formula", f"{title} = {terms} = {_six(value)}"
    expected = report.expected_paths(comparison.expected) if comparison.expected else None
    if expected and comparison.excess is not None:
        for path in expected.paths:
            product = " x ".join(f"{_six(edge.speed)} ({edge.of} : {edge.to})" for edge in path)
            speed = _six(math.prod(edge.speed for edge in path))
            yield "formula", f"expected speed = {product} = {speed}"
        if len(expected.paths) > 1:
            mean = f"geometric mean of the {len(expected.paths)} paths = {_six(expected.speed)}"
            band = f" ({_six(expected.low)} to {_six(expected.high)})" if expected.is_band else ""
            yield "formula", f"expected speed = {mean}{band}"
        excess = f"{_six(value)} x {_six(expected.speed)} = {_six(comparison.excess)}"
        yield "formula", f"slowdown vs expected = slowdown x expected speed = {excess}"
    if comparison.verdict:
        yield "verdict", comparison.sentence
    for difference in comparison.differs:
        yield "differs in", difference.text
    text = contract_text(report, [(case.name, comparison)])
    for name, listed in (("held equal", text.held_equal), ("not stated", text.not_stated)):
        if listed:
            yield name, listed


def _case_sections(title: str, case: Case, evidence: CaseEvidence) -> Iterator[CellSection]:
    """Yield the case itself and its runs, each with its window and its lines."""
    factors = ", ".join(f"{name}={value}" for name, value in case.factors.items() if name not in RESERVED)
    rows = [("factors", factors), (evidence.title, evidence.summary)]
    rows += [("total of", " + ".join(case.parts))] if case.parts else []
    yield CellSection(title, (*rows, *(("finding", text) for text in messages(evidence.findings))))
    heads = ("run", evidence.unit or "value", "evidence", "measured steps", "time", "status", "source")
    yield CellSection(f"runs of the {title}", tuple(map(_run, evidence.repeats)), heads)
    findings = dict.fromkeys(
        (each.run.id, text) for each in evidence.repeats for text in messages(each.findings)
    )
    if findings:
        yield CellSection(f"findings about runs of the {title}", tuple(findings), ("run", "finding"))


def _run(repeat: Repeat) -> Row:
    first, last, steps = repeat.steps
    window = f"{first} to {last} ({count(steps, 'step')}) {repeat.in_time}".strip() if steps else ""
    more = [f"{repeat.more_sources:,} more"] if repeat.more_sources else []
    sources = ", ".join([*map(str, repeat.sources), *more])
    return repeat.run.id, repeat.value, repeat.evidence, window, repeat.shares, repeat.status, sources


def _breakdown_sections(breakdown: Breakdown) -> Iterator[CellSection]:
    """Yield the parts of the difference, what was not measured, and what may explain the parts."""
    largest = max((abs(part.seconds or 0.0) for part in breakdown.measured), default=0.0)
    rows = []
    for part in breakdown.measured:
        seconds = part.seconds or 0.0
        length = round(_BAR * abs(seconds) / largest) if largest else 0
        rows.append(
            (
                part.text,
                percent(math.nan if part.share is None else part.share),
                ("#" if seconds >= 0 else "-") * length,
                _seconds(seconds),
                _seconds(part.case_seconds),
                _seconds(part.baseline_seconds),
                _places([*part.case_sources, *part.baseline_sources]) or part.remark,
            )
        )
    total = ("all", "100 %" if breakdown.seconds else "", "", _seconds(breakdown.seconds))
    rows.append((*total, _seconds(breakdown.case_seconds), _seconds(breakdown.baseline_seconds), ""))
    heads = ("part", "share", "", f"s per {breakdown.per}", "case", "baseline", "source")
    yield CellSection(f"difference: {breakdown.sentence}", tuple(rows), heads)
    unmeasured = tuple((part.text, part.remark) for part in breakdown.parts if part.seconds is None)
    if unmeasured:
        yield CellSection("not measured", unmeasured)
    if breakdown.remarks:
        yield CellSection("remarks", tuple(("", remark) for remark in breakdown.remarks))
    hints = tuple(
        (hint.kind, hint.of, str(source_of(hint.source)) if hint.source else "", hint.message)
        for hint in breakdown.hints
    )
    if hints:
        yield CellSection("hints from the logs", hints, ("part", "of", "source", "message"))


def _six(value: float) -> str:
    shown = units.text(value, digits=6)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else units.text(seconds, digits=4)


def _places(sources: Sequence[str]) -> str:
    texts = list(dict.fromkeys(str(source_of(source)) for source in sources))
    more = [f"{len(texts) - _MAX_SOURCES} more"] if len(texts) > _MAX_SOURCES else []
    return ", ".join([*texts[:_MAX_SOURCES], *more])
