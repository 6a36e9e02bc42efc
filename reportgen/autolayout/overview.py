"""Define the report that is built without a definition, and write the definitions that `init` proposes.

Factors that vary between runs become rows and columns (`table_layout`); captions state the constant ones.
Every metric with data gets a table, or a table per model if there are many cases, and the first metric gets
figures (`figure_choice`). Runs without factors get one row each.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from reportgen.autolayout.candidates import MetricRuns, plain_tables, propose_layouts, spec_of, table_id
from reportgen.autolayout.environment_factors import with_environment
from reportgen.autolayout.figure_choice import figure_specs
from reportgen.autolayout.layouts import ReportLayout
from reportgen.autolayout.mlperf_score import SCORED, are_of_mlperf, are_scored, score_table
from reportgen.autolayout.report_plan import OVERVIEW, ReportPlan
from reportgen.autolayout.report_title import report_title
from reportgen.autolayout.table_layout import (
    MAX_COLUMNS,
    Axes,
    choose_axes,
    count_combinations,
    devices_of_programs,
)
from reportgen.autolayout.tradeoff import tradeoff_spec
from reportgen.compare.conditions import DEVICE_COUNTS
from reportgen.core.devices import shown_value
from reportgen.core.factors import Accepted, Presence, condition_text, matches
from reportgen.core.metrics import METRICS
from reportgen.core.model import STEP, Aggregate, FactorValue, Run, Series
from reportgen.document.model import FigureKind
from reportgen.protocol import Protocol, available_metrics
from reportgen.protocol.conditions import STATISTIC, USUAL_STATISTICS
from reportgen.report.definition import ReportDefinition
from reportgen.report.headline import joined
from reportgen.tables.pivot import Ranks
from reportgen.tables.spec import METRIC, PHASE, STATUS, CompareSpec, TableSpec

# Phases in the order in which they follow one another in a step.
_PHASE_ORDER = (STEP, "data_loading", "preprocessing", "forward", "backward", "optimizer_step")
# More metrics of a program's own, or of telemetry, get one table for all of them.
_MAX_SEPARATE_METRICS = 8

# Above each definition that `init` writes.
_HEAD = (
    "# This definition is yours: `init` does not change it again. All keys: docs/reference/definitions.md.",
)

# What a benchmark is about that trains up to a quality, the unit in which people read it, and what they ask.
_OF_ALL_WORK = (SCORED, "time_to_train")
_OF_ALL_WORK_UNIT = "min"
_NOT_OFFICIAL = (
    "The median of the runs is not the score of MLPerf, which leaves out the fastest and the slowest run."
)

# phase -> runs with data
RunsByPhase = Mapping[str, Sequence[Run]]


def define_overview(
    runs: Sequence[Run],
    place: str,
    logs: Sequence[str] = ("logs",),
    *,
    name: str = OVERVIEW,
    title: str = "",
    guessed: Collection[str] = (),
    note: str = "",
) -> ReportDefinition:
    """Return a definition with tables for every metric that these runs have data of.

    place    of the reports folder, for messages
    name     of the report and its folder
    title    what sets it apart from other reports of the build, "" for the only one
    guessed  factors that name a level of the path; see `choose_axes`
    note     on the tables of the first metric
    """
    tables = tuple(table_specs(runs, f"{place}/{name}", guessed, note=note))
    figures = tuple(figure_specs(tables, with_environment(runs), f"{place}/{name}"))
    title = report_title(tables[0], runs, title) if tables else title or name.capitalize()
    return ReportDefinition(f"{place} (overview)", name, title, tuple(logs), "", tables, figures)


def table_specs(
    runs: Sequence[Run], place: str, guessed: Collection[str] = (), pick: int = 1, note: str = ""
) -> list[TableSpec]:
    """Return the specs of all tables: one or more per metric, with its phases as columns.

    guessed  factors that name a level of the path; see `choose_axes`
    pick     which of the layouts of the first metric to use, the best is the first
    note     on the tables of that metric
    """
    prepared = _Prepared(with_environment(runs), guessed)
    by_metric, runs, first = prepared.by_metric, prepared.runs, prepared.first
    specs: list[TableSpec] = []
    for metric in prepared.separate:
        numbers = prepared.numbers(metric)
        omitted = sorted(set(by_metric[metric]) - set(numbers.phases))
        is_median = metric == "time_to_train" and are_of_mlperf(numbers.runs)
        notes = [
            *([_omitted_phases(omitted)] if omitted else ()),
            *([_NOT_OFFICIAL] if is_median else ()),
            *([note] if note and metric == first else ()),
        ]
        unit = _OF_ALL_WORK_UNIT if metric in _OF_ALL_WORK else ""
        made = _picked(propose_layouts(numbers), pick) if metric == first else plain_tables(numbers)
        for each in (part for table in made for part in _usual_first(table, numbers.runs)):
            own = _device_notes(numbers.everything(each.where), each)
            each = replace(each, notes=(*notes, *own), unit=unit)
            each = score_table(each, numbers.runs) if metric == first == SCORED else each
            id = _free_id(each.id, {other.id for other in specs})
            specs.append(replace(each, place=f"{place}: tables[{len(specs)}]", id=id))
        if metric == first:
            tradeoff = tradeoff_spec(by_metric, runs, f"{place}: tables[{len(specs)}]", guessed)
            specs += [tradeoff] if tradeoff else []
    for title, metrics in prepared.combined.items():
        at = f"{place}: tables[{len(specs)}]"
        specs.append(_combined_spec(at, title, {name: by_metric[name] for name in metrics}, runs, guessed))
    return [*_grouped(specs, runs, place), *_failed_spec(place, runs, specs, guessed)]


def _grouped(tables: Sequence[TableSpec], runs: Sequence[Run], place: str) -> list[TableSpec]:
    """Return the tables with the size that the lines are over as the last row factor: rows follow a line."""
    lines = (FigureKind.LINE, FigureKind.CURVE)
    over = {each.table: each.x for each in figure_specs(tables, runs, place) if each.kind in lines}
    usual = next(iter(over.values()), "")
    grouped = []
    for table in tables:
        x = over.get(table.id, usual)
        # A number of nodes follows that of devices from point to point.
        last = DEVICE_COUNTS if x in DEVICE_COUNTS else {x}
        rows = (*(n for n in table.rows if n not in last), *(n for n in table.rows if n in last))
        grouped.append(replace(table, rows=rows) if x in table.rows else table)
    return grouped


def _usual_first(table: TableSpec, runs: Sequence[Run]) -> list[TableSpec]:
    """Return a table that compares several statistics as one of the usual one and one of the others."""
    shown = [run for run in runs if matches(run.factors, table.where)]
    known = {str(run.factors.get(STATISTIC, "")) for run in shown}
    usual = next((name for name in USUAL_STATISTICS if name in known), "")
    others = tuple(sorted(known - {usual}))
    rows = tuple(name for name in table.rows if name != STATISTIC)
    if not table.compare or rows in ((), table.rows) or not (usual and others) or "" in others:
        return [table]
    first = replace(
        table, title=f"{table.title}, {usual}", where={**table.where, STATISTIC: (usual,)}, rows=rows
    )
    rest = replace(
        table,
        id=f"{table.id}-other-statistics",
        title=f"{table.title}, other statistics",
        where={**table.where, STATISTIC: others},
        compare=None,
        show=("value",),
        best_first=False,
    )
    return [first, rest]


def _device_notes(runs: Sequence[Run], table: TableSpec) -> Iterator[str]:
    """Yield what some programs alone state of the device, in sentences: no row of the table says it."""
    shown = [run for run in runs if matches(run.factors, table.where)]
    for name, programs in devices_of_programs(shown).items():
        value = next(str(run.factors[name]) for run in shown if name in run.factors)
        yield f"Only the logs of {joined(programs)} state the {name}: {shown_value(name, value)}."


class _Prepared:
    """The runs of a report by metric, and the metrics that have tables of their own, in order."""

    def __init__(self, runs: Sequence[Run], guessed: Collection[str]) -> None:
        self.runs, self.guessed = runs, guessed
        self.by_metric: dict[str, dict[str, list[Run]]] = {}
        self.without_data: list[Run] = []  # failed runs, which every table shows
        for run in runs:
            pairs = _distinct_metrics(run)
            for metric, phase in pairs:
                self.by_metric.setdefault(metric, {}).setdefault(phase, []).append(run)
            self.without_data += [] if pairs else [run]
        self.largest = _largest_values(runs)
        self.combined = _combined_metrics(self.by_metric, runs)
        separate = self.by_metric.keys() - {name for names in self.combined.values() for name in names}
        self.separate = sorted(separate, key=lambda name: (self._place(name), _metric_order(name)))
        self.first = self.separate[0] if self.separate else ""

    def _place(self, metric: str) -> int:
        """Return a sorting key: the time of all work leads if most runs have it, not the rate of a part."""
        runs = _unique([run for some in self.by_metric[metric].values() for run in some])
        is_usual = metric in _OF_ALL_WORK and 2 * len(runs) >= len(self.runs)
        leads = is_usual and (metric != SCORED or are_scored(runs))
        return _OF_ALL_WORK.index(metric) if leads else len(_OF_ALL_WORK)

    def numbers(self, metric: str) -> MetricRuns:
        """Return the runs with data of a metric, in the phases that are shown."""
        by_phase = self.by_metric[metric]
        phases = _phases(by_phase, self.largest[metric])
        members = _unique([run for phase in phases for run in by_phase[phase]])
        return MetricRuns(metric, phases, members, self.without_data, self.runs, self.guessed)


def layouts_of(plan: ReportPlan) -> list[ReportLayout]:
    """Return the layouts of the first metric of a planned report, the best first; [] without a number."""
    prepared = _Prepared(with_environment(plan.runs), plan.guessed)
    return propose_layouts(prepared.numbers(prepared.first)) if prepared.first else []


def _picked(layouts: Sequence[ReportLayout], pick: int) -> Sequence[TableSpec]:
    """Return the tables of a layout by its number, of the last one if there are fewer."""
    return layouts[min(pick, len(layouts)) - 1].tables


def _combined_metrics(by_metric: Mapping[str, RunsByPhase], runs: Sequence[Run]) -> dict[str, list[str]]:
    """Return title -> metrics of the tables that show many metrics, one below the other."""
    sampled = {metric for run in runs for device in run.telemetry for metric in device.columns}
    own = by_metric.keys() - METRICS.keys() - sampled
    groups = {"Devices": by_metric.keys() & sampled, "Other metrics": own}
    return {
        title: sorted(metrics, key=_metric_order)
        for title, metrics in groups.items()
        if len(metrics) > _MAX_SEPARATE_METRICS
    }


def _failed_spec(
    place: str, runs: Sequence[Run], specs: Sequence[TableSpec], guessed: Collection[str]
) -> Iterator[TableSpec]:
    """Yield a table of runs by status if the others lack a failed run, such as a model that always fails."""
    failed = [run for run in runs if run.status != "complete" and not available_metrics(run)]
    if all(any(matches(run.factors, spec.where) for spec in specs) for run in failed):
        return
    statuses = tuple(sorted({run.status for run in failed}))
    axes = choose_axes([run for run in runs if run.status in statuses], runs, guessed)
    metric = specs[0].metrics[0] if specs else "throughput"
    id = _free_id("incomplete-runs", {other.id for other in specs})
    spec = replace(spec_of(metric, {STATUS: statuses}, axes), id=id, title="Runs that did not complete")
    yield replace(spec, place=f"{place}: tables[{len(specs)}]")


def _combined_spec(
    place: str,
    title: str,
    by_metric: Mapping[str, RunsByPhase],
    runs: Sequence[Run],
    guessed: Collection[str],
) -> TableSpec:
    """Return the spec of one table for many metrics, one below the other."""
    members = _unique([run for phases in by_metric.values() for some in phases.values() for run in some])
    axes = choose_axes(members, runs, guessed)
    if len(axes.rows) == 1 and not axes.columns and count_combinations(axes.rows, members) <= MAX_COLUMNS:
        axes = Axes([], axes.rows)
    return TableSpec(
        place=place,
        id=_free_id(table_id(title), by_metric),
        title=title,
        protocol=Protocol(),
        metrics=tuple(by_metric),
        phases=tuple(dict.fromkeys(phase for phases in by_metric.values() for phase in sorted(phases))),
        unit="per-cell",
        rows=(METRIC, PHASE, *axes.rows),
        columns=tuple(axes.columns),
    )


def _unique(runs: Sequence[Run]) -> list[Run]:
    return list({id(run): run for run in runs}.values())


def _distinct_metrics(run: Run) -> list[tuple[str, str]]:
    """Return the metrics and phases of a run, without those that only repeat others.

    A rate of a phase repeats its time. The time of a step without phases and its throughput are one figure
    twice, if the log has only one of the two: the throughput is kept.
    """
    values: list[Series | Aggregate] = [*run.series, *run.aggregates]
    logged = {(each.metric, each.phase) for each in values}
    available = available_metrics(run)
    step, rate = ("step_time", STEP), ("throughput", STEP)
    has_phases = any(metric == "step_time" and phase != STEP for metric, phase in available)
    is_repeated = rate in available and not has_phases and not {step, rate} <= logged
    return [
        (metric, phase)
        for metric, phase in available
        if (metric != "throughput" or phase == STEP or (metric, phase) in logged)
        and not (is_repeated and (metric, phase) == step)
    ]


def _free_id(id: str, taken: Collection[str]) -> str:
    numbered = (id if number == 1 else f"{id}-{number}" for number in count(1))
    return next(free for free in numbered if free not in taken)


def _metric_order(metric: str) -> tuple[int, str]:
    known = list(METRICS)
    return (known.index(metric) if metric in METRICS else len(known), metric)


def _phases(by_phase: RunsByPhase, largest: Mapping[str, float]) -> tuple[str, ...]:
    """Return the phases to show: the whole step, then in the order of a step, then by number of runs.

    Of too many phases those with the largest values are kept.
    """
    by_value = sorted(by_phase, key=lambda phase: (phase != STEP, -largest.get(phase, 0.0), phase))
    order = {phase: place for place, phase in enumerate(_PHASE_ORDER)}
    return tuple(
        sorted(
            by_value[:MAX_COLUMNS],
            key=lambda phase: (order.get(phase, len(order)), -len(by_phase[phase]), phase),
        )
    )


def _omitted_phases(phases: Sequence[str]) -> str:
    more = f" and {len(phases) - MAX_COLUMNS} more" if len(phases) > MAX_COLUMNS else ""
    return f"Phases with smaller values are omitted: {', '.join(phases[:MAX_COLUMNS])}{more}."


def _largest_values(runs: Sequence[Run]) -> Mapping[str, Mapping[str, float]]:
    """Return the largest value of each metric and phase."""
    largest: dict[str, dict[str, float]] = defaultdict(dict)
    for run in runs:
        values: list[Series | Aggregate] = [*run.series, *run.aggregates]
        for each in values:
            value = float(np.max(each.value, initial=0.0, where=np.isfinite(each.value)))
            largest[each.metric][each.phase] = max(value, largest[each.metric].get(each.phase, 0.0))
    return largest


def definition_text(plan: ReportPlan, remark: str = "", pick: int = 1) -> str:
    """Return a definition as TOML to start from: the tables that `define_overview` makes.

    remark  written above the tables as comment
    pick    which of the layouts of the first metric to use, the best is the first
    """
    runs = with_environment(plan.runs)
    ranks = Ranks([run.factors for run in runs], {})
    tables = table_specs(runs, plan.name, plan.guessed, pick, plan.note)
    title = report_title(tables[0], runs, plan.title) if tables else plan.title or OVERVIEW.title()
    lines = [*_HEAD, f"title = {_text(title)}", f"logs = {_list(plan.logs)}"]
    lines.append('protocol = "20+100x7"  # ignore 20 steps, measure the next 100, repeat 7 times')
    lines += [f"# {line}".rstrip() for line in remark.splitlines()]
    commented: set[str] = set()
    for spec in tables:
        lines += _table_lines(spec)
        new = [name for name in (*spec.rows, *spec.columns) if name not in commented]
        lines += [_comment(name, ranks, runs) for name in new if any(name in run.factors for run in runs)]
        commented.update(new)
    for figure in figure_specs(tables, runs, plan.name):
        lines += ["", "[[figures]]", f"id = {_text(figure.id)}", f"title = {_text(figure.title)}"]
        lines += [f"kind = {_text(figure.kind)}", f"table = {_text(figure.table)}"]
        lines += [f"x = {_text(figure.x)}"] if figure.x else []
        lines += [f"show = {_text(figure.show)}"] if figure.show != "value" else []
        lines += ["ideal = true"] if figure.ideal else []
        lines += [f"of = {_text(figure.of)}"] if figure.of != "steps" else []
        lines += [f"where = {{ {_conditions(figure.where)} }}"] if figure.where else []
    return "\n".join(lines) + "\n"


def _table_lines(spec: TableSpec) -> list[str]:
    """Return a `[[tables]]` entry."""
    metric = _list(spec.metrics) if len(spec.metrics) > 1 else _text(spec.metrics[0])
    return [
        "",
        "[[tables]]",
        f"id = {_text(spec.id)}",
        f"title = {_text(spec.title)}",
        *([f"where = {{ {_conditions(spec.where)} }}"] if spec.where else []),
        f"metric = {metric}",
        *([f"unit = {_text(spec.unit)}"] if spec.unit else []),
        *([f"protocol = {_text(spec.protocol.name)}"] if spec.protocol != Protocol() else []),
        *([f"phase = {_list(spec.phases)}"] if spec.phases != (STEP,) else []),
        f"rows = {_list(spec.rows)}",
        *([f"columns = {_list(spec.columns)}"] if spec.columns else []),
        *([f"facets = {_list(spec.facets)}"] if spec.facets else []),
        *([f"qualify = {_list(list(spec.qualify))}"] if spec.qualify else []),
        *([f"pick = {_inline(spec.pick)}"] if spec.pick else []),
        *(
            ["best_first = true  # among cases that differ only in what is compared"]
            if spec.best_first
            else []
        ),
        *(_compare_line(spec.compare) if spec.compare else []),
        *([f"show = {_list(spec.show)}"] if spec.compare and "value" not in spec.show else []),
        *([f"notes = {_list(spec.notes)}"] if spec.notes else []),
    ]


def _comment(name: str, ranks: Ranks, runs: Sequence[Run]) -> str:
    """Return the values of a factor as a comment."""
    shown = sorted({ranks.rank(name, run.factors) for run in runs if name in run.factors})
    values = ", ".join(_text(str(ranks.value(name, rank)))[1:-1] for rank in shown[:6])
    return f"# {_text(name)[1:-1]}: {values}{', ...' if len(shown) > 6 else ''}"


def _list(names: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, names))}]"


def _compare_line(compare: CompareSpec) -> Iterator[str]:
    yield "# Each number is compared with the one that has these values, and is equal in all other factors."
    mean = ", mean = true" if compare.mean else ""
    yield f"compare = {{ kind = {_text(compare.kind)}, baseline = {_inline(compare.baseline)}{mean} }}"


def _inline(values: Mapping[str, FactorValue | Presence]) -> str:
    return "{ " + ", ".join(f"{_key(name)} = {_value(value)}" for name, value in values.items()) + " }"


def _conditions(where: Mapping[str, Accepted]) -> str:
    return ", ".join(f"{_key(name)} = {_accepted(values)}" for name, values in where.items())


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _accepted(values: Accepted) -> str:
    return _value(values[0]) if len(values) == 1 else f"[{', '.join(map(_value, values))}]"


def _value(value: FactorValue | Presence) -> str:
    if isinstance(value, Presence):
        return condition_text(value)
    return _text(value) if isinstance(value, str) else str(value).lower()


def _text(text: str) -> str:
    """Return a TOML string: JSON's escapes are valid in TOML, except pairs of surrogates."""
    whole = text.encode("utf-8", "backslashreplace").decode()
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")
