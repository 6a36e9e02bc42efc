"""Write a report for other programs: every cell, case, comparison, finding and source, no step data.

Order is canonical and numbers carry 12 significant digits, so the file changes only where the
report does. `generated` is the list of files that the build owns in the report's folder: what is
on the list of an earlier build and no longer made may be removed, nothing else.
"""

import json
import math
from collections.abc import Iterable, Mapping

from reportgen.core import units
from reportgen.core.model import Case, FactorValue, Finding, Measurement, Run, Source, Summary
from reportgen.core.results import Cell, Comparison, Expected, Header, Report, Table
from reportgen.render.case_index import Evidence
from reportgen.render.grid import note_numbers

VERSION = 2

Json = dict[str, object]


def report_json(report: Report, evidence: Evidence, generated: Iterable[str]) -> bytes:
    """Return report.json: UTF-8, sorted keys, a line break at the end."""
    content: Json = {
        "version": VERSION,
        "name": report.name,
        "title": report.title,
        "verdict": list(report.verdict),
        "protocol": report.protocol,
        "protocols": {name: _factors(fields) for name, fields in report.protocols.items()},
        "generated": sorted(generated),
        "tables": [_table(table, evidence) for table in report.tables],
        "cases": [_case(case, evidence.name(case)) for case in evidence.cases],
        "expected": [_expected(expected) for expected in report.expected],
        "environments": [
            {"title": e.title, "runs": e.runs, "rows": [list(row) for row in e.rows]}
            for e in report.environments
        ],
        "findings": _findings(report.findings),
        "provenance": [
            _without_blanks(
                {
                    "path": p.path,
                    "format": p.format,
                    "runs": p.runs,
                    "title": p.title,
                    "url": p.url,
                    "date": p.date,
                }
            )
            for p in report.provenance
        ],
    }
    return f"{_lines(content)}\n".encode("utf-8", "replace")


def _lines(value: object) -> str:
    """Return JSON with a line for each case, cell and finding, so that a diff shows which one changed."""
    if isinstance(value, dict) and ("cells" in value or "cases" in value):
        pairs = (f"{json.dumps(name, ensure_ascii=False)}: {_lines(value[name])}" for name in sorted(value))
        return "{\n" + ",\n".join(pairs) + "\n}"
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return "[\n" + ",\n".join(map(_lines, value)) + "\n]"
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _number(value: float | None) -> float | None:
    """Return the number to 12 significant digits; None where JSON has no number for it."""
    return None if value is None or not math.isfinite(value) else float(units.machine(value))


def _factor(value: FactorValue) -> object:
    return _number(value) if isinstance(value, float) else value


def _factors(factors: Mapping[str, FactorValue]) -> Json:
    return {name: _factor(value) for name, value in factors.items()}


def _without_blanks(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _source(source: Source | None) -> str:
    return str(source) if source else ""


def _findings(findings: Iterable[Finding]) -> list[Json]:
    ordered = sorted(findings, key=lambda f: (f.rule, f.subject, f.message, f.severity, _source(f.source)))
    return [
        _without_blanks(
            {
                "severity": f.severity,
                "rule": f.rule,
                "subject": f.subject,
                "message": f.message,
                "source": _source(f.source),
            }
        )
        for f in ordered
    ]


def _table(table: Table, evidence: Evidence) -> Json:
    numbers = note_numbers(table)
    cells = [
        _cell(table, row, column, cell, numbers, evidence)
        for row, line in zip(table.rows, table.cells, strict=True)
        for column, cell in zip(table.columns, line, strict=True)
    ]
    return _without_blanks(
        {
            "id": table.id,
            "title": table.title,
            "metric": table.metric,
            "facet": _factors(dict(table.facet)),
            "cells": cells,
            "notes": [table.notes[note].text for note in numbers],
            "findings": _findings(table.findings),
        }
    )


def _cell(
    table: Table, row: Header, column: Header, cell: Cell, numbers: Mapping[int, int], evidence: Evidence
) -> Json:
    return _without_blanks(
        {
            "row": _factors(dict(zip(table.row_factors, row.key, strict=False))),
            "column": _factors(dict(zip(table.column_factors, column.key, strict=False))),
            "quantity": column.quantity,
            "kind": cell.kind,
            "value": _number(cell.value),
            "unit": cell.unit.base if cell.unit else None,
            "low": _number(cell.low),
            "high": _number(cell.high),
            "text": cell.text,
            "qualifiers": list(cell.qualifiers),
            "notes": [numbers[note] for note in cell.notes],
            "case": evidence.name(cell.case),
            "comparison": _comparison(cell.comparison, evidence),
        }
    )


def _comparison(comparison: Comparison | None, evidence: Evidence) -> Json | None:
    if comparison is None:
        return None
    return _without_blanks(
        {
            "kind": comparison.kind,
            "baseline": evidence.name(comparison.baseline),
            "value": _number(comparison.value),
            "expected_speed": _number(comparison.expected.speed) if comparison.expected else None,
            "excess": _number(comparison.excess),
            "excess_low": _number(comparison.low),
            "excess_high": _number(comparison.high),
        }
    )


def _case(case: Case, name: str | None) -> Json:
    summary = case.summary
    return _without_blanks(
        {
            "case": name,
            "factors": _factors({k: v for k, v in case.factors.items() if k not in ("metric", "phase")}),
            "metric": case.metric,
            "phase": case.phase,
            "unit": case.unit,
            "protocol": case.protocol,
            "summary": summary and _summary(summary),
            "measurements": [_measurement(measurement) for measurement in case.measurements],
            "unmeasured": [_run(run) for run in case.unmeasured],
            "findings": _findings(case.findings),
        }
    )


def _summary(summary: Summary) -> Json:
    line: Json = {"statistic": summary.statistic, "value": _number(summary.median), "repeats": summary.n}
    if summary.n > 1:
        line |= {"low": _number(summary.low), "high": _number(summary.high)}
    # [low, high] holds the median with a known probability; of any other statistic it is the range.
    if summary.n > 1 and summary.statistic == "median":
        line |= {"coverage": _number(summary.coverage), "reached": summary.reached}
    return line


def _run(run: Run) -> Json:
    return _without_blanks(
        {
            "run": run.id,
            "format": run.format,
            "status": run.status,
            "repeat": run.repeat,
            "source": _source(run.source),
            "findings": _findings(run.findings),
        }
    )


def _measurement(measurement: Measurement) -> Json:
    window = measurement.window
    return _run(measurement.run) | _without_blanks(
        {
            "value": _number(measurement.value),
            "evidence": measurement.evidence,
            "window": window
            and _without_blanks(
                {
                    "first": window.first,
                    "last": window.last,
                    "steps": window.steps,
                    "time": _number(window.time),
                    "gap_time": _number(window.gap_time),
                    "samples": _number(window.samples),
                }
            ),
            "sources": [
                _source(source) for source in measurement.sources if source != measurement.run.source
            ],
            "findings": _findings([*measurement.run.findings, *measurement.findings]),
        }
    )


def _expected(expected: Expected) -> Json:
    return {
        "target": expected.target,
        "reference": expected.reference,
        "speed": _number(expected.speed),
        "low": _number(expected.low),
        "high": _number(expected.high),
        "paths": [
            [
                _without_blanks(
                    {
                        "of": s.of,
                        "to": s.to,
                        "speed": _number(s.speed),
                        "source": s.source,
                        "url": s.url,
                        "read": s.read,
                        "inverted": s.inverted,
                        "where": {name: list(values) for name, values in s.where},
                    }
                )
                for s in path
            ]
            for path in expected.paths
        ],
    }
