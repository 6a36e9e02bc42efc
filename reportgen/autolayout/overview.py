"""The report that is built where nobody has defined one, and the definitions that `init` proposes.

It looks at the runs: factors that vary become rows and columns (`axes`), constant ones are said in the
caption. Each metric that runs can tell becomes a table, or one for each model where there are many, and the
first of them figures (`sketches`). Runs of which nothing is known get a row each.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from reportgen.autolayout.figure_choice import figure_specs
from reportgen.autolayout.table_layout import MOST_COLUMNS, axes, distinct, groups
from reportgen.core.factors import AcceptedValues, factors_key, matches
from reportgen.core.metrics import METRICS
from reportgen.core.model import STEP, Aggregate, FactorValue, Run, Series
from reportgen.protocol import Protocol, available_metrics
from reportgen.report.definition import ReportDefinition
from reportgen.tables.pivot import Ranks
from reportgen.tables.spec import METRIC, PHASE, TableSpec

# What the environment knows and a table may use like a factor: on which hardware a run was.
_HARDWARE = "gpu"
# As they follow one another in a step.
_TURN = (STEP, "data_loading", "preprocessing", "forward", "backward", "optimizer_step")
# A program with more metrics of its own has no table for each.
_MOST_OWN = 8


def overview(runs: Sequence[Run], place: str, log: str = "logs", name: str = "overview") -> ReportDefinition:
    """Return a definition with tables for each metric that these runs can tell.

    name  of the report and the folder that it goes to
    """
    tables = tuple(table_specs(runs, f"{place}/{name}"))
    figures = tuple(figure_specs(tables, with_hardware(runs), f"{place}/{name}"))
    title = "Overview" if name == "overview" else name
    return ReportDefinition(f"{place} (overview)", name, title, (log,), "", tables, figures)


def table_specs(runs: Sequence[Run], place: str, guessed: Collection[str] = ()) -> list[TableSpec]:
    """Return the specs of each metric, phases side by side where a metric has several.

    guessed  factors that stand for a level of the path, as `axes` takes them
    """
    tells: dict[str, dict[str, list[Run]]] = {}
    silent: list[Run] = []  # those that failed, which stand in every table
    runs = with_hardware(runs)
    for run in runs:
        told = _told(run)
        for metric, phase in told:
            tells.setdefault(metric, {}).setdefault(phase, []).append(run)
        silent += [] if told else [run]
    specs: list[TableSpec] = []
    most = _most(runs)
    own = sorted(tells.keys() - METRICS.keys())
    shared = own if len(own) > _MOST_OWN else []
    for metric in sorted(tells.keys() - set(shared), key=_metric_order):
        phases = _phases(tells[metric], most[metric])
        others = sorted(set(tells[metric]) - set(phases))
        able = list({id(run): run for phase in phases for run in tells[metric][phase]}.values())
        for where, group in groups(able, runs):
            # One that was cut short may lack what all others say; it would have a row of its own.
            said = set(group[0].factors).intersection(*(run.factors for run in group))
            failed = [run for run in silent if matches(run.factors, where) and said <= set(run.factors)]
            layout = axes([*group, *failed], runs, guessed, has_columns=len(phases) > 1)
            spec = _spec(f"{place}: tables[{len(specs)}]", metric, where, layout, phases)
            notes = (_left_out(others),) if others else ()
            specs.append(replace(spec, id=_unlike(spec.id, {one.id for one in specs}), notes=notes))
    if shared:
        told_own = {name: tells[name] for name in shared}
        specs.append(_of_own(f"{place}: tables[{len(specs)}]", told_own, runs, guessed))
    return specs


def _of_own(
    place: str,
    tells: Mapping[str, Mapping[str, Sequence[Run]]],
    runs: Sequence[Run],
    guessed: Collection[str],
) -> TableSpec:
    """Return the spec of one table for all metrics that a program has of its own, below one another."""
    able = list(
        {id(run): run for phases in tells.values() for told in phases.values() for run in told}.values()
    )
    rows, columns = axes(able, runs, guessed)
    if len(rows) == 1 and not columns and distinct(rows, able) <= MOST_COLUMNS:
        rows, columns = [], rows
    return TableSpec(
        place=place,
        id=_unlike("other-metrics", tells),
        title="Other metrics",
        protocol=Protocol(),
        metrics=tuple(tells),
        phases=tuple(dict.fromkeys(phase for phases in tells.values() for phase in sorted(phases))),
        unit="per-cell",
        rows=(METRIC, PHASE, *rows),
        columns=tuple(columns),
    )


def _told(run: Run) -> list[tuple[str, str]]:
    """Return what a run can tell, less the rates of phases that only say their times again."""
    figures: list[Series | Aggregate] = [*run.series, *run.aggregates]
    measured = {(one.metric, one.phase) for one in figures}
    return [
        (metric, phase)
        for metric, phase in available_metrics(run)
        if metric != "throughput" or phase == STEP or (metric, phase) in measured
    ]


def _spec(
    place: str,
    metric: str,
    where: Mapping[str, AcceptedValues],
    layout: tuple[list[str], list[str]],
    phases: tuple[str, ...],
) -> TableSpec:
    names = [str(values[0]) for values in where.values() if len(values) == 1]
    rows, columns = layout
    if len(phases) > 1:
        columns = [PHASE]
    return TableSpec(
        place=place,
        id=_id(metric, *names),
        title=": ".join([_title(metric), *names]),
        protocol=Protocol(),
        where=where,
        metrics=(metric,),
        phases=phases,
        rows=tuple(rows),
        columns=tuple(columns),
        order={PHASE: phases} if len(phases) > 1 else {},
    )


def _id(*names: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", "-".join(names).lower()).strip("-") or "metric"


def _unlike(id: str, taken: Collection[str]) -> str:
    numbered = (id if number == 1 else f"{id}-{number}" for number in count(1))
    return next(one for one in numbered if one not in taken)


def _title(metric: str) -> str:
    return METRICS[metric].title if metric in METRICS else metric.replace("_", " ").capitalize()


def _metric_order(metric: str) -> tuple[int, str]:
    known = list(METRICS)
    return (known.index(metric) if metric in METRICS else len(known), metric)


def _phases(tells: Mapping[str, Sequence[Run]], most: Mapping[str, float]) -> tuple[str, ...]:
    """Return the phases, the whole step first, then in turn, then those that most runs have.

    Of many the longest are shown.
    """
    longest = sorted(tells, key=lambda phase: (phase != STEP, -most.get(phase, 0.0), phase))
    shown = longest[:MOST_COLUMNS]
    turn = {phase: place for place, phase in enumerate(_TURN)}
    return tuple(sorted(shown, key=lambda phase: (turn.get(phase, len(turn)), -len(tells[phase]), phase)))


def _left_out(phases: Sequence[str]) -> str:
    more = f" and {len(phases) - MOST_COLUMNS} more" if len(phases) > MOST_COLUMNS else ""
    return f"Without the phases of the lowest values: {', '.join(phases[:MOST_COLUMNS])}{more}."


def _most(runs: Sequence[Run]) -> Mapping[str, Mapping[str, float]]:
    """Return the largest value that the runs have of each metric and phase."""
    most: dict[str, dict[str, float]] = defaultdict(dict)
    for run in runs:
        figures: list[Series | Aggregate] = [*run.series, *run.aggregates]
        for one in figures:
            value = float(np.max(one.value, initial=0.0, where=np.isfinite(one.value)))
            most[one.metric][one.phase] = max(value, most[one.metric].get(one.phase, 0.0))
    return most


def with_hardware(runs: Sequence[Run]) -> list[Run]:
    """Return the runs with the hardware as a factor if runs of one case were on different hardware."""
    seen: dict[object, set[FactorValue | None]] = {}
    for run in runs:
        seen.setdefault(factors_key(run.factors), set()).add(run.environment.get(_HARDWARE))
    if all(len(kinds) == 1 for kinds in seen.values()) or any(_HARDWARE in run.factors for run in runs):
        return list(runs)
    return [
        replace(run, factors={**run.factors, _HARDWARE: run.environment[_HARDWARE]})
        if _HARDWARE in run.environment
        else run
        for run in runs
    ]


def definition_text(runs: Sequence[Run], log: str, remark: str = "", *, guessed: Collection[str] = ()) -> str:
    """Return a definition as TOML to start from: the overview's tables of one campaign.

    remark   what is to be known before, as lines of comment
    guessed  factors that stand for a level of the path, as `axes` takes them
    """
    runs = with_hardware(runs)
    ranks = Ranks([run.factors for run in runs], {})
    lines = [f"title = {_text(log.rpartition('/')[2])}", f"logs = [{_text(log)}]", 'protocol = "20+100x7"']
    lines += [f"# {line}".rstrip() for line in remark.splitlines()]
    told: set[str] = set()
    tables = table_specs(runs, log, guessed)
    for spec in tables:
        lines += [
            "",
            "[[tables]]",
            f"id = {_text(spec.id)}",
            f"title = {_text(spec.title)}",
            *(f"where = {{ {name} = {_wanted(values)} }}" for name, values in spec.where.items()),
            f"metric = {_list(spec.metrics) if len(spec.metrics) > 1 else _text(spec.metrics[0])}",
            *([f"unit = {_text(spec.unit)}"] if spec.unit else []),
        ]
        if spec.phases != (STEP,):
            lines.append(f"phase = {_list(spec.phases)}")
        lines += [f"rows = {_list(spec.rows)}", f"columns = {_list(spec.columns)}"]
        lines += [f"notes = {_list(spec.notes)}"] if spec.notes else []
        new = [name for name in (*spec.rows, *spec.columns) if name not in told]
        lines += [_comment(name, ranks, runs) for name in new if any(name in run.factors for run in runs)]
        told.update(new)
    for figure in figure_specs(tables, runs, log):
        lines += ["", "[[figures]]", f"id = {_text(figure.id)}", f"title = {_text(figure.title)}"]
        lines += [f"kind = {_text(figure.kind)}", f"table = {_text(figure.table)}"]
        lines += [f"x = {_text(figure.x)}"] if figure.x else []
    return "\n".join(lines) + "\n"


def _comment(name: str, ranks: Ranks, runs: Sequence[Run]) -> str:
    """Return the values of a factor as a comment."""
    shown = sorted({ranks.rank(name, run.factors) for run in runs if name in run.factors})
    values = ", ".join(_text(str(ranks.value(name, rank)))[1:-1] for rank in shown[:6])
    return f"# {_text(name)[1:-1]}: {values}{', ...' if len(shown) > 6 else ''}"


def _list(names: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, names))}]"


def _wanted(values: AcceptedValues) -> str:
    return _value(values[0]) if len(values) == 1 else f"[{', '.join(map(_value, values))}]"


def _value(value: FactorValue) -> str:
    return _text(value) if isinstance(value, str) else str(value).lower()


def _text(text: str) -> str:
    """Return a TOML string: JSON's escapes are a part of TOML's, except pairs of surrogates."""
    whole = text.encode("utf-8", "backslashreplace").decode()
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
