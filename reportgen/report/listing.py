"""Runs as `reportgen runs` lists them: the JSON contract (design, section 9), and a flat table of it.

Everything is plain data here: dictionaries, lists, strings and numbers in base units. A run becomes a Row
where it is read, so that neither its steps nor anything else of it has to leave that process.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from reportgen.core.metrics import METRICS, item_of, metric_of
from reportgen.core.model import STEP, Factors, Finding, Measurement, Run, Series, Source, Window
from reportgen.core.units import choose, machine, rate_unit, text
from reportgen.load.worker import RunMapper
from reportgen.protocol import MeasuredRun, Protocol, try_measure
from reportgen.report.jsontext import to_json

VERSION = 1


class Row(NamedTuple):
    """A run as it is listed.

    record  all of it but its findings; those are the run's own, and `more` of measuring it
    text    the record as JSON from its second key on, where that was asked for: the first is the id
    """

    id: str
    record: dict[str, Any]
    own: list[dict[str, Any]]
    more: list[dict[str, Any]]
    text: str = ""

    @property
    def findings(self) -> list[dict[str, Any]]:
        """All findings as they are listed."""
        return self.own + self.more


def rows(protocol: Protocol, *, as_text: bool = False) -> RunMapper[Row]:
    """Return the conversion of runs to rows, measured under a protocol; as JSON where that is printed."""
    return RunMapper(partial(row, protocol=protocol, as_text=as_text), _marked, _renamed)


def listing(found: Sequence[Row], findings: Sequence[Finding]) -> dict[str, Any]:
    """Return the document of `runs --format json`."""
    return {
        "version": VERSION,
        "runs": [{"id": one.id, **one.record, "findings": one.findings} for one in found],
        "findings": [_finding(finding) for finding in findings],
    }


def as_json(document: Mapping[str, Any]) -> str:
    """Return a document as `runs --format json` prints it, without the last line feed."""
    return to_json(document)


def json_of(found: Sequence[Row], findings: Sequence[Finding]) -> Iterator[str]:
    """Yield what `as_json` makes of the listing of rows that have their text."""
    yield f'{{\n "version": {VERSION},\n "runs": ['
    for number, one in enumerate(found):
        told = to_json(one.findings, 3)
        yield f"{',' if number else ''}\n  {{"
        yield f'\n   "id": {to_json(one.id)},{one.text}   "findings": {told}\n  }}'
    yield "\n ],\n" if found else "],\n"
    yield f' "findings": {to_json([_finding(finding) for finding in findings], 1)}\n}}'


def row(run: Run, protocol: Protocol, *, as_text: bool = False) -> Row:
    """Return one run: what it is, what it measured under the protocol, what may be wrong."""
    one = MeasuredRun(run)
    attempts = {pair: try_measure(one, *pair, protocol) for pair in one.available()}
    measured = [(*pair, attempt.measurement) for pair, attempt in attempts.items() if attempt.measurement]
    told = [
        finding
        for attempt in attempts.values()
        for finding in (*(attempt.measurement.findings if attempt.measurement else ()), *attempt.findings)
    ]
    record = {
        "path": run.source.path,
        "format": run.format,
        "status": run.status,
        "repeat": run.repeat,
        "factors": _values(run.factors),
        "environment": _values(run.environment),
        "samples_per_step": _number(run.samples_per_step),
        "steps": _steps(run),
        "measurements": [_measurement(*one) for one in measured],
    }
    known = dict.fromkeys(run.findings)
    own = [_finding(one) for one in known]
    more = [_finding(one) for one in dict.fromkeys(told) if one not in known]
    if not as_text:
        return Row(run.id, record, own, more)
    return Row(run.id, {}, own, more, to_json(record, 2)[1 : -len("\n  }")] + ",\n")


def _marked(one: Row, finding: Finding) -> Row:
    return one._replace(own=[*one.own, _finding(finding)])


def _renamed(one: Row, id: str) -> Row:
    return one._replace(id=id)


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


def findings_of(found: Sequence[Row], findings: Sequence[Finding]) -> list[Finding]:
    """Return every finding of a listing, those of the protocol included: what `--strict` looks at."""
    return [
        *findings,
        *(
            Finding(f["severity"], f["rule"], one.id, f["message"], _source(f))
            for one in found
            for f in one.findings
        ),
    ]


def _source(finding: Mapping[str, Any]) -> Source | None:
    return Source(finding["path"], finding["line"] or 0) if finding["path"] else None


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "rule": finding.rule,
        "message": finding.text,
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
                _headline(run["measurements"], run["factors"]) or "-",
                " ".join(rules) or "-",
            )
        )
    return rows


_ORDER = {name: position for position, name in enumerate(METRICS)}


def _rank(name: str, phase: str) -> tuple[bool, bool, int]:
    return not metric_of(name).is_speed, phase != STEP, _ORDER.get(name, len(_ORDER))


def _headline(measurements: Sequence[Mapping[str, Any]], factors: Mapping[str, Any]) -> str:
    """Return the one value that a reader looks for first: how fast the whole step was."""
    best = min(measurements, key=lambda m: _rank(m["metric"], m["phase"]), default=None)
    if not best or best["value"] is None:
        return ""
    value, unit = float(best["value"]), choose([best["value"]], best["unit"])
    name = rate_unit(item_of(best["metric"], factors)) if best["unit"] == "samples/s" else unit.name
    parts = (
        best["metric"].replace("_", " "),
        text(value / unit.factor),
        name if name not in ("1", "count", "ratio") else "",
        best["phase"] if best["phase"] != STEP else "",
        f"({best['evidence']})" if best["evidence"] != "steps" else "",
    )
    return " ".join(part for part in parts if part)
