"""The report that is built where nobody has defined one, and the definitions that `init` proposes.

It looks at the runs: factors that vary become rows and columns, the one with the fewest values across
the page; constant factors are said in the caption. Each metric that runs can tell becomes one table.
"""

import json
import re
from collections.abc import Sequence

from reportgen.metrics import METRICS
from reportgen.model import STEP, FactorValue, Run
from reportgen.protocol import Protocol, available
from reportgen.report.definition import Definition
from reportgen.tables.pivot import Ranks
from reportgen.tables.spec import PHASE, TableSpec

# A column factor with more values than this makes a table too wide to read.
MOST_COLUMNS = 8


def overview(runs: Sequence[Run], place: str, logs: tuple[str, ...]) -> Definition:
    """Return a definition with one table for each metric that these runs can tell."""
    tables = tuple(table_specs(runs, f"{place}/overview"))
    return Definition(f"{place} (overview)", "overview", "Overview", logs, "", tables, ())


def table_specs(runs: Sequence[Run], place: str) -> list[TableSpec]:
    """Return one spec a metric, phases side by side where a metric has several."""
    tells: dict[str, dict[str, list[Run]]] = {}
    for run in runs:
        for metric, phase in available(run):
            tells.setdefault(metric, {}).setdefault(phase, []).append(run)
    specs: list[TableSpec] = []
    for metric in sorted(tells, key=_metric_order):
        phases = _phases(tells[metric])
        able = list({id(run): run for phase in phases for run in tells[metric][phase]}.values())
        rows, columns = _axes(able)
        if len(phases) > 1:
            rows, columns = [*rows, *columns], [PHASE]
        specs.append(
            TableSpec(
                place=f"{place}: tables[{len(specs)}]",
                id=re.sub(r"[^A-Za-z0-9]+", "-", metric).strip("-") or "metric",
                title=_title(metric),
                protocol=Protocol(),
                metrics=(metric,),
                phases=phases,
                rows=tuple(rows) or tuple(columns),
                columns=tuple(columns) if rows else (),
                order={PHASE: phases} if len(phases) > 1 else {},
            )
        )
    return specs


def _title(metric: str) -> str:
    return METRICS[metric].title if metric in METRICS else metric.replace("_", " ").capitalize()


def _metric_order(metric: str) -> tuple[int, str]:
    known = list(METRICS)
    return (known.index(metric) if metric in METRICS else len(known), metric)


def _phases(tells: dict[str, list[Run]]) -> tuple[str, ...]:
    """Return the phases, the whole step first, then those that most runs have."""
    return tuple(sorted(tells, key=lambda phase: (phase != STEP, -len(tells[phase]), phase)))


def _axes(runs: Sequence[Run]) -> tuple[list[str], list[str]]:
    """Return row and column factors: those that vary, the last short one across the page."""
    values: dict[str, set[FactorValue]] = {}
    for run in runs:
        for name, value in run.factors.items():
            values.setdefault(name, set()).add(value)
    lacking = {name for name in values if any(name not in run.factors for run in runs)}
    varying = sorted(
        (name for name in values if len(values[name]) > 1 or name in lacking),
        key=lambda name: (len(values[name]), name),
        reverse=True,
    )
    if not varying:
        return sorted(values)[:1], []
    last = varying[-1]
    return (varying[:-1], [last]) if len(varying) > 1 and len(values[last]) <= MOST_COLUMNS else (varying, [])


def definition_text(runs: Sequence[Run], log: str) -> str:
    """Return a definition as TOML to start from: the overview's tables of one campaign."""
    lines = [f"title = {_text(log.rpartition('/')[2])}", f"logs = [{_text(log)}]", 'protocol = "20+100x7"']
    for spec in table_specs(runs, log):
        ranks = Ranks([run.factors for run in runs], {})
        lines += [
            "",
            "[[tables]]",
            f"id = {_text(spec.id)}",
            f"title = {_text(spec.title)}",
            f"metric = {_text(spec.metrics[0])}",
        ]
        if spec.phases != (STEP,):
            lines.append(f"phase = {_list(spec.phases)}")
        lines += [f"rows = {_list(spec.rows)}", f"columns = {_list(spec.columns)}"]
        for name in (*spec.rows, *spec.columns):
            if name != PHASE:
                shown = sorted({ranks.rank(name, run.factors) for run in runs if name in run.factors})
                values = ", ".join(_text(str(ranks.value(name, rank)))[1:-1] for rank in shown[:6])
                lines.append(f"# {_text(name)[1:-1]}: {values}{', ...' if len(shown) > 6 else ''}")
    return "\n".join(lines) + "\n"


def _list(names: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, names))}]"


def _text(text: str) -> str:
    """Return a TOML string: JSON's escapes are a part of TOML's."""
    return json.dumps(text)
