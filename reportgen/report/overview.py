"""The report that is built where nobody has defined one, and the definitions that `init` proposes.

It looks at the runs: factors that vary become rows and columns, the one with the fewest values across
the page; constant factors are said in the caption. Each metric that runs can tell becomes one table. Runs
of which nothing is known get a row each.
"""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from reportgen.metrics import METRICS
from reportgen.model import STEP, FactorValue, Run, identities
from reportgen.protocol import Protocol, available
from reportgen.report.definition import Definition
from reportgen.report.levels import ITEM
from reportgen.tables.pivot import Ranks
from reportgen.tables.spec import PHASE, REPEAT, TableSpec

# A column factor with more values than this makes a table too wide to read.
MOST_COLUMNS = 8
# What the environment knows and a table may use like a factor: on which hardware a run was.
_HARDWARE = "gpu"
# Where nothing varies, these say best what was run.
_TELLING = ("model", "benchmark", "workload", "system", "device")


def overview(runs: Sequence[Run], place: str, logs: tuple[str, ...] = ("logs",)) -> Definition:
    """Return a definition with one table for each metric that these runs can tell."""
    tables = tuple(table_specs(runs, f"{place}/overview"))
    return Definition(f"{place} (overview)", "overview", "Overview", logs, "", tables, ())


def table_specs(runs: Sequence[Run], place: str) -> list[TableSpec]:
    """Return one spec a metric, phases side by side where a metric has several."""
    tells: dict[str, dict[str, list[Run]]] = {}
    runs = with_hardware(runs)
    for run in runs:
        for metric, phase in available(run):
            tells.setdefault(metric, {}).setdefault(phase, []).append(run)
    specs: list[TableSpec] = []
    for metric in sorted(tells, key=_metric_order):
        phases = _phases(tells[metric])
        able = list({id(run): run for phase in phases for run in tells[metric][phase]}.values())
        rows, columns = _axes(able, runs)
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


def with_hardware(runs: Sequence[Run]) -> list[Run]:
    """Return the runs with the hardware as a factor if runs of one case were on different hardware."""
    seen: dict[object, set[FactorValue | None]] = {}
    for run in runs:
        seen.setdefault(identities(run.factors), set()).add(run.environment.get(_HARDWARE))
    if all(len(kinds) == 1 for kinds in seen.values()) or any(_HARDWARE in run.factors for run in runs):
        return list(runs)
    return [
        replace(run, factors={**run.factors, _HARDWARE: run.environment[_HARDWARE]})
        if _HARDWARE in run.environment
        else run
        for run in runs
    ]


def _values(runs: Sequence[Run]) -> dict[str, set[FactorValue]]:
    values: dict[str, set[FactorValue]] = {}
    for run in runs:
        for name, value in run.factors.items():
            values.setdefault(name, set()).add(value)
    return values


def _axes(runs: Sequence[Run], campaign: Sequence[Run]) -> tuple[list[str], list[str]]:
    """Return row and column factors: those that vary, the last short one across the page."""
    values = _values(runs)
    lacking = {name for name in values if any(name not in run.factors for run in runs)}
    varying = sorted(
        (name for name in values if len(values[name]) > 1 or name in lacking),
        key=lambda name: (len(values[name]), name),
        reverse=True,
    )
    if not varying:
        return [_title_factor(values, campaign)], []
    short = [name for name in varying if 1 < len(values[name]) <= MOST_COLUMNS]
    if len(varying) == 1 or not short:
        return varying, []
    return [name for name in varying if name != short[-1]], short[-1:]


def _title_factor(names: Collection[str], campaign: Sequence[Run]) -> str:
    """Return the row factor where none varies: one that varies elsewhere, one that tells, else the repeat."""
    known = sorted(set(names) - {ITEM})
    if not known:
        return REPEAT
    values = _values(campaign)
    return min(known, key=lambda name: (-len(values[name]), name not in _TELLING, name))


def definition_text(runs: Sequence[Run], log: str, remark: str = "") -> str:
    """Return a definition as TOML to start from: the overview's tables of one campaign.

    remark  what is to be known before, as lines of comment
    """
    runs = with_hardware(runs)
    ranks = Ranks([run.factors for run in runs], {})
    lines = [f"title = {_text(log.rpartition('/')[2])}", f"logs = [{_text(log)}]", 'protocol = "20+100x7"']
    lines += [f"# {line}".rstrip() for line in remark.splitlines()]
    for spec in table_specs(runs, log):
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
        told = [name for name in (*spec.rows, *spec.columns) if any(name in run.factors for run in runs)]
        lines += [_comment(name, ranks, runs) for name in told]
    return "\n".join(lines) + "\n"


def _comment(name: str, ranks: Ranks, runs: Sequence[Run]) -> str:
    """Return the values of a factor as a comment."""
    shown = sorted({ranks.rank(name, run.factors) for run in runs if name in run.factors})
    values = ", ".join(_text(str(ranks.value(name, rank)))[1:-1] for rank in shown[:6])
    return f"# {_text(name)[1:-1]}: {values}{', ...' if len(shown) > 6 else ''}"


def _list(names: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, names))}]"


def _text(text: str) -> str:
    """Return a TOML string: JSON's escapes are a part of TOML's."""
    return json.dumps(text)
