"""Write report.json: every cell, case, comparison, finding and source of a report, without step data.

Keys are sorted and numbers have 12 significant digits, so the file changes only where the report does. Each
value has its own line, so a diff shows which value changed. `generated` lists the files that the build owns
in the report's folder; only files on the list of an earlier build may be removed.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal

import msgspec

from reportgen.compare.breakdown import Breakdown, BreakdownPart, Hint
from reportgen.compare.comparison import Comparison
from reportgen.compare.conditions import conditions_of_case
from reportgen.compare.cycles import CycleComparison
from reportgen.compare.expected_speed import Expected, SpeedEdge
from reportgen.compare.verdict import Verdict
from reportgen.core import units
from reportgen.core.model import Case, FactorValue, Finding, Measurement, Run, Source, Summary, Window
from reportgen.core.plain_text import printable_json
from reportgen.render.case_index import CaseIndex
from reportgen.render.grid.grid import note_numbers, number, unit_label
from reportgen.render.outputs import Content, Output
from reportgen.tables.results import Cell, Header, Provenance, Report, Table

VERSION = 2

Json = dict[str, object]

# The library writes integers of 64 bits; longer ones are written as decimal numbers.
_MAX_INTEGER = 2**63 - 1
_ENCODER = msgspec.json.Encoder(order="sorted", decimal_format="number")


def encode_report(content: Content) -> bytes:
    """Return report.json: UTF-8, sorted keys, a line break at the end."""
    report, cases = content.report, content.cases
    document: Json = {
        "version": VERSION,
        "name": report.name,
        "title": report.title,
        "verdict": [text for text in (content.headline.text, *report.verdict) if text],
        "protocol": report.protocol,
        "protocols": report.protocols,
        "generated": content.generated,
        "tables": [_table(table, cases) for table in report.tables],
        "cases": [_case(case, cases.name(case)) for case in cases.cases],
        "expected": [_expected(expected) for expected in report.expected],
        "environments": [
            {"title": environment.title, "runs": environment.runs, "rows": environment.rows}
            for environment in report.environments
        ],
        "findings": _findings(report.findings),
        "sources": report.sources,
        "provenance": [_provenance(provenance) for provenance in report.provenance],
        **_without_blanks(acceptance=[asdict(entry) for entry in report.acceptance]),
        **_without_blanks(breakdowns=_breakdowns(report.tables, cases)),
    }
    return _encode(document)


def encode_cell(report: Report, table: Table, row: Header, column: Header, cell: Cell) -> bytes:
    """Return one cell with its cases and their runs, and the parts of its difference, as in report.json."""
    cases = CaseIndex(report)
    breakdown = cell.comparison.breakdown if cell.comparison else None
    document: Json = {
        "version": VERSION,
        "report": report.name,
        "table": table.id,
        "cell": _cell(table, row, column, cell, note_numbers(table), cases),
        "notes": [table.notes[note].text for note in cell.notes],
        "cases": [_case(case, cases.name(case)) for case in dict.fromkeys(cell.cases)],
        **_without_blanks(breakdown=breakdown and _breakdown(breakdown)),
    }
    return _encode(document)


def _encode(document: Json) -> bytes:
    text = msgspec.json.format(_ENCODER.encode(_canonical(document)), indent=1).decode()
    return printable_json(text).encode() + b"\n"


def _canonical(value: object) -> object:
    """Return what the encoder can write: 12 significant digits, null for NaN, no lone surrogates."""
    if isinstance(value, Mapping):
        return {_canonical(name): _canonical(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(each) for each in value]
    if isinstance(value, float):
        return float(units.machine(value)) if math.isfinite(value) else None
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, int) and abs(value) > _MAX_INTEGER:
        return Decimal(value)
    return value


def _without_blanks(**fields: object) -> Json:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if not _is_blank(value)}


def _is_blank(value: object) -> bool:
    return value in (None, "", [], (), {}) or (isinstance(value, float) and not math.isfinite(value))


def _source(source: Source | None) -> str:
    return str(source) if source else ""


def _findings(findings: Iterable[Finding]) -> list[Json]:
    ordered = sorted(findings, key=lambda f: (f.rule, f.subject, f.text, f.severity, _source(f.source)))
    return [
        _without_blanks(
            severity=finding.severity,
            rule=finding.rule,
            subject=finding.subject,
            message=finding.message,
            detail=finding.detail,
            source=_source(finding.source),
        )
        for finding in ordered
    ]


def _provenance(provenance: Provenance) -> Json:
    return _without_blanks(
        path=provenance.path,
        format=provenance.format,
        runs=provenance.runs,
        title=provenance.title,
        reader=provenance.reader,
        url=provenance.url,
        date=provenance.date,
    )


def _table(table: Table, cases: CaseIndex) -> Json:
    numbers = note_numbers(table)
    cells = [
        _cell(table, row, column, cell, numbers, cases)
        for row, line in zip(table.rows, table.cells, strict=True)
        for column, cell in zip(table.columns, line, strict=True)
    ]
    return _without_blanks(
        id=table.id,
        title=table.title,
        metric=table.metric,
        definition=table.definition,
        facet=dict(table.facet),
        cells=cells,
        notes=[table.notes[note].text for note in numbers],
        findings=_findings(table.findings),
    )


def _cell(
    table: Table, row: Header, column: Header, cell: Cell, numbers: Mapping[int, int], cases: CaseIndex
) -> Json:
    return _without_blanks(
        row=_key(table.row_factors, row.key),
        column=_key(table.column_factors, column.key),
        quantity=column.quantity,
        kind=cell.kind,
        value=cell.value,
        unit=cell.unit.base if cell.unit else None,
        low=cell.low,
        high=cell.high,
        shown=_shown(table, column, cell),
        text=cell.text,
        qualifiers=cell.qualifiers,
        notes=[numbers[note] for note in cell.notes],
        case=cases.name(cell.case),
        comparison=cell.comparison and _comparison(cell.comparison, cases),
    )


def _shown(table: Table, column: Header, cell: Cell) -> str:
    """Return the number as the pages show it, with its unit; "" where there is none."""
    if cell.value is None or not math.isfinite(cell.value):
        return ""
    return f"{number(table, column.quantity, cell)} {unit_label(cell.unit)}".rstrip()


def _key(names: Sequence[str], values: Sequence[FactorValue]) -> Json:
    """Return the factors of a head; the row of means has no values."""
    return dict(zip(names, values, strict=False))


def _comparison(comparison: Comparison, cases: CaseIndex) -> Json:
    return _without_blanks(
        kind=comparison.kind,
        baseline=cases.name(comparison.baseline),
        value=comparison.value,
        expected_speed=comparison.expected and comparison.expected.speed,
        excess=comparison.excess,
        excess_low=comparison.low,
        excess_high=comparison.high,
        differs={each.name: [each.own, each.baseline] for each in comparison.differs},
        verdict=comparison.verdict and _verdict(comparison.verdict),
        cycles=comparison.cycles and _cycles(comparison.cycles, comparison.verdict),
        energy_per_sample=comparison.energy,
    )


def _breakdowns(tables: Iterable[Table], cases: CaseIndex) -> list[Json]:
    """Return the differences whose parts are known, each pair of cases once."""
    known: dict[tuple[str | None, str | None], Json] = {}
    for cell in (cell for table in tables for line in table.cells for cell in line):
        comparison = cell.comparison
        if comparison and comparison.breakdown and comparison.breakdown.is_split:
            pair = cases.name(cell.case), cases.name(comparison.baseline)
            if pair not in known:
                known[pair] = {"case": pair[0], "baseline": pair[1], **_breakdown(comparison.breakdown)}
    return list(known.values())


def _breakdown(breakdown: Breakdown) -> Json:
    """Return a difference with its parts; before rounding, their seconds add up to it."""
    return _without_blanks(
        seconds=breakdown.seconds,
        per=breakdown.per,
        case_seconds=breakdown.own,
        baseline_seconds=breakdown.baseline,
        parts=[_part(breakdown, part) for part in breakdown.measured],
        not_measured={part.name: part.remark for part in breakdown.parts if part.seconds is None},
        remarks=breakdown.remarks,
        hints=[_hint(hint) for hint in breakdown.hints],
    )


def _part(breakdown: Breakdown, part: BreakdownPart) -> Json:
    return _without_blanks(
        name=part.name,
        kind=part.kind,
        seconds=part.seconds,
        share=breakdown.share(part),
        case_seconds=part.own.seconds,
        baseline_seconds=part.baseline.seconds,
        case_sources=[_source(source) for source in part.own.sources],
        baseline_sources=[_source(source) for source in part.baseline.sources],
        remark=part.remark,
    )


def _hint(hint: Hint) -> Json:
    return _without_blanks(
        kind=hint.kind,
        rule=hint.finding.rule,
        message=hint.finding.text,
        source=_source(hint.finding.source),
        runs=hint.runs,
        of="baseline" if hint.is_baseline else "case",
    )


def _verdict(verdict: Verdict) -> Json:
    """Return a verdict; its ratio is one of speeds, above 1 where the case is faster."""
    return _without_blanks(
        kind=verdict.kind,
        sentence=verdict.sentence(),
        speed_ratio=verdict.ratio,
        low=verdict.low,
        high=verdict.high,
        coverage=verdict.coverage or None,
        p=verdict.p,
        test=verdict.test,
        order=verdict.arrangement,
    )


def _cycles(cycles: CycleComparison, verdict: Verdict | None) -> Json:
    """Return a comparison per cycle; its ratio is one of speeds, as in a verdict. Clocks are in Hz."""
    return _without_blanks(
        sentence=cycles.sentence(verdict),
        speed_ratio=cycles.ratio,
        low=cycles.verdict.low,
        high=cycles.verdict.high,
        sm_clock=cycles.clock,
        baseline_sm_clock=cycles.baseline_clock,
    )


def _case(case: Case, name: str | None) -> Json:
    return _without_blanks(
        case=name,
        factors={name: value for name, value in case.factors.items() if name not in ("metric", "phase")},
        metric=case.metric,
        phase=case.phase,
        unit=case.unit,
        protocol=case.protocol,
        conditions=conditions_of_case(case),
        summary=case.summary and _summary(case.summary),
        measurements=[_measurement(measurement) for measurement in case.measurements],
        unmeasured=[_run(run) for run in case.unmeasured],
        findings=_findings(case.findings),
    )


def _summary(summary: Summary) -> Json:
    line: Json = {"statistic": summary.statistic, "value": summary.median, "repeats": summary.n}
    if summary.n > 1:
        line |= {"low": summary.low, "high": summary.high}
    # [low, high] contains the median with a known probability; of any other statistic it is the range.
    if summary.n > 1 and summary.statistic == "median":
        line |= {"coverage": summary.coverage, "reached": summary.reached}
    return line


def _run(run: Run) -> Json:
    return _without_blanks(
        run=run.id,
        format=run.format,
        status=run.status,
        repeat=run.repeat,
        started=run.started,
        started_clock=run.started_clock,
        round=run.round,
        source=_source(run.source),
        findings=_findings(run.findings),
    )


def _measurement(measurement: Measurement) -> Json:
    return _run(measurement.run) | _without_blanks(
        value=measurement.value,
        evidence=measurement.evidence,
        window=measurement.window and _window(measurement.window),
        sources=[_source(source) for source in measurement.sources if source != measurement.run.source],
        findings=_findings([*measurement.run.findings, *measurement.findings]),
    )


def _window(window: Window) -> Json:
    return _without_blanks(
        first=window.first,
        last=window.last,
        steps=window.steps,
        time=window.time,
        gap_time=window.gap_time,
        samples=window.samples,
    )


def _expected(expected: Expected) -> Json:
    return {
        "target": expected.target,
        "reference": expected.reference,
        "speed": expected.speed,
        "low": expected.low,
        "high": expected.high,
        "paths": [[_edge(edge) for edge in path] for path in expected.paths],
    }


def _edge(edge: SpeedEdge) -> Json:
    return _without_blanks(
        of=edge.of,
        to=edge.to,
        speed=edge.speed,
        source=edge.source,
        url=edge.url,
        read=edge.read,
        inverted=edge.inverted,
        where=dict(edge.where),
    )


def _listed(content: bytes) -> Sequence[str]:
    """Return the list of generated files in a report.json; empty if it cannot be read."""
    try:
        document = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError):
        return []
    names = document.get("generated") if isinstance(document, dict) else None
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


OUTPUT = Output(
    path="report.json",
    mark=re.compile(rb'^ ?"generated": \[', re.MULTILINE),
    of_report=encode_report,
    listed=_listed,
)
