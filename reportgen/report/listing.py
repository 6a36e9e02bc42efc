"""Runs as `reportgen runs` lists them: the JSON contract (design, section 9), and a flat table of it.

Everything is plain data here: dictionaries, lists, strings and numbers in base units.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.model import STEP, Factors, Finding, Measurement, Run, Series, Source, Window
from reportgen.protocol import Protocol, attempt, available
from reportgen.units import choose, machine, rate_unit, text

VERSION = 1


def listing(runs: Sequence[Run], findings: Sequence[Finding], protocol: Protocol) -> dict[str, Any]:
    """Return the document of `runs --format json`."""
    return {
        "version": VERSION,
        "runs": [run_record(run, protocol) for run in runs],
        "findings": [_finding(finding) for finding in findings],
    }


def as_json(document: Mapping[str, Any]) -> str:
    """Return the document as `runs --format json` prints it, without the last line feed."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)


def run_record(run: Run, protocol: Protocol) -> dict[str, Any]:
    """Return one run: what it is, what it measured under the protocol, what may be wrong."""
    tried = [(metric, phase, *attempt(run, metric, phase, protocol)) for metric, phase in available(run)]
    measured = [(metric, phase, result) for metric, phase, result, _ in tried if result]
    found = [finding for *_, result, why in tried for finding in (*(result.findings if result else ()), *why)]
    return {
        "id": run.id,
        "path": run.source.path,
        "format": run.format,
        "status": run.status,
        "repeat": run.repeat,
        "factors": _values(run.factors),
        "environment": _values(run.environment),
        "samples_per_step": _number(run.samples_per_step),
        "steps": _steps(run),
        "measurements": [_measurement(*one) for one in measured],
        "findings": [_finding(f) for f in dict.fromkeys([*run.findings, *found])],
    }


def _measurement(metric: str, phase: str, result: Measurement) -> dict[str, Any]:
    return {
        "metric": metric,
        "phase": phase,
        "value": _number(result.value),
        "unit": result.unit,
        "evidence": result.evidence,
        "window": _window(result.window),
    }


def _window(window: Window | None) -> dict[str, Any] | None:
    if window is None:
        return None
    return {
        "first": window.first,
        "last": window.last,
        "steps": window.steps,
        "time": _number(window.time),
        "gap_time": _number(window.gap_time),
        "samples": _number(window.samples),
    }


def _steps(run: Run) -> dict[str, Any]:
    """Return how many steps of their own the log tells: the fullest series of whole steps, or of any."""
    whole = [s for s in run.series if s.phase == STEP] or list(run.series)
    if not whole:
        return {"count": 0, "first": None, "last": None}
    fullest: Series = max(whole, key=lambda series: len(series.step))
    if not len(fullest.step):
        return {"count": 0, "first": None, "last": None}
    first = int((fullest.step - fullest.span).min()) + 1
    return {"count": len(fullest.step), "first": first, "last": int(fullest.step.max())}


def _values(factors: Factors) -> dict[str, Any]:
    return {
        name: _number(value) if isinstance(value, float) else value for name, value in sorted(factors.items())
    }


def findings_of(document: Mapping[str, Any]) -> list[Finding]:
    """Return every finding of the document, those of the protocol included: what `--strict` looks at."""
    outside = [("", finding) for finding in document["findings"]]
    of_runs = [(run["id"], finding) for run in document["runs"] for finding in run["findings"]]
    return [
        Finding(f["severity"], f["rule"], subject, f["message"], _source(f))
        for subject, f in (*outside, *of_runs)
    ]


def _source(finding: Mapping[str, Any]) -> Source | None:
    return Source(finding["path"], finding["line"] or 0) if finding["path"] else None


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "rule": finding.rule,
        "message": finding.message,
        "path": finding.source.path if finding.source else None,
        "line": finding.source.line if finding.source and finding.source.line else None,
    }


def _number(value: float | None) -> float | int | None:
    """Return a number of 12 significant digits, None where JSON has no word for it."""
    if value is None or not (shown := machine(value)):
        return None
    number = float(shown)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


_COLUMNS = ("id", "format", "status", "repeat", "steps", "metric", "phase", "value", "unit", "evidence")


def as_csv(document: Mapping[str, Any]) -> str:
    """Return one line a measurement, factors in columns of their own; runs without one keep a line."""
    names = sorted({name for run in document["runs"] for name in run["factors"]})
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_COLUMNS, *(f"factor:{name}" for name in names), "findings"])
    for run in document["runs"]:
        for one in run["measurements"] or [{}]:
            row = {**run, **one, "steps": run["steps"]["count"]}
            rules = " ".join(dict.fromkeys(f["rule"] for f in run["findings"]))
            cells = [
                *(row.get(name) for name in _COLUMNS),
                *(run["factors"].get(name) for name in names),
                rules,
            ]
            writer.writerow(["" if cell is None else _safe(cell) for cell in cells])
    return out.getvalue()


def _safe(cell: object) -> object:
    """Keep a text from a log from starting a formula in a spreadsheet."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _shared(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the factors that are the same in all of several runs."""
    first, *others = document["runs"] or [{"factors": {}}]
    if not others:
        return {}
    # Written as text, so that 1 and true stay different.
    return {
        name: value
        for name, value in first["factors"].items()
        if all(repr(run["factors"].get(name)) == repr(value) for run in others)
    }


def shared_factors(document: Mapping[str, Any]) -> str:
    """Return what all runs have in common, to be said once above the table; "" for a single run."""
    return " ".join(f"{name}={value}" for name, value in _shared(document).items())


def as_table(document: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return rows of texts for a terminal, the first of them headings: one line a run.

    Factors that `shared_factors` says are left out.
    """
    shared = _shared(document)
    rows: list[tuple[str, ...]] = [("run", "format", "status", "steps", "factors", "measured", "findings")]
    for run in document["runs"]:
        factors = " ".join(f"{k}={v}" for k, v in run["factors"].items() if k not in shared)
        rules = sorted({f["rule"] for f in run["findings"] if f["severity"] != "note"})
        rows.append(
            (
                run["id"],
                run["format"],
                run["status"].replace("_", " "),
                str(run["steps"]["count"] or "-"),
                factors or "-",
                _headline(run["measurements"], str(run["factors"].get("item", ""))) or "-",
                " ".join(rules) or "-",
            )
        )
    return rows


def _headline(measurements: Sequence[Mapping[str, Any]], item: str) -> str:
    """Return the one value that a reader looks for first: the throughput of the step, else its time."""
    order = {("throughput", STEP): 0, ("step_time", STEP): 1}
    ranked = sorted(measurements, key=lambda m: order.get((m["metric"], m["phase"]), 2))
    if not ranked or ranked[0]["value"] is None:
        return ""
    best = ranked[0]
    value, unit = float(best["value"]), choose([best["value"]], best["unit"])
    name = rate_unit(item) if best["unit"] == "samples/s" else unit.name
    parts = (
        best["metric"].replace("_", " "),
        text(value / unit.factor),
        name if name not in ("1", "count", "ratio") else "",
        best["phase"] if best["phase"] != STEP else "",
        f"({best['evidence']})" if best["evidence"] != "steps" else "",
    )
    return " ".join(part for part in parts if part)
