"""Choose default figures: one for each small table of the first metric, of the kind that readers expect.

Runs of several days are a trend. Lines if a number of devices grows from row to row, beside the ideal one,
curves if another size does, with a figure for each value of a factor if these are too many for one; parts of
a step that follow one another are stacked. A large matrix of ratios and pairs of devices are heat maps; of a
very large one, lines show the share of rows up to each ratio. One number is drawn as its repeats, or as the
steps of its run. Everything else is a comparison: dots with intervals. Images and tokens are never drawn in
one figure, but their ratios are; more than 32 numbers get no dots. Where more load costs latency, the first
figure draws the latency over the rate.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.autolayout.candidates import table_id
from reportgen.autolayout.path_factors import ITEM
from reportgen.autolayout.raw_speed import raw_speed
from reportgen.autolayout.table_layout import PAIR, SIZES, SWEEPS, count_combinations
from reportgen.autolayout.tradeoff import load_of
from reportgen.compare.conditions import DEVICE_COUNTS
from reportgen.compare.why.phases import SEQUENTIAL
from reportgen.core.factors import AcceptedValues, factors_key, matches
from reportgen.core.metrics import RATES, item_of, metric_of
from reportgen.core.model import STEP, Aggregate, Run, Series
from reportgen.core.units import rate_unit
from reportgen.document.model import FigureKind, Quantity
from reportgen.protocol import available_metrics
from reportgen.protocol.conditions import STATISTIC, USUAL_STATISTICS
from reportgen.tables.spec import PHASE, FigureSpec, SharesOf, TableSpec
from reportgen.tables.trends import DATE

MAX_DOTS = 32
# More lines cannot be distinguished by colour and marker.
MAX_LINES = 8
_MIN_POINTS_PER_LINE = 3
_MAX_NAMED_POINTS = 64
# Units of a table with a figure each.
_MAX_UNITS = 4
# A heat map with more rows is several screens high.
_MAX_HEAT_ROWS = 128
# Where the largest number of a matrix is more than this times the smallest, ratios show more.
_MAX_SPREAD = 10
# Fewer days of one case, or steps of a run, show no course.
_MIN_DAYS, _MIN_STEPS = 3, 10
_DEVICES = ("devices", "nodes")


def figure_specs(tables: Sequence[TableSpec], runs: Sequence[Run], place: str) -> list[FigureSpec]:
    """Return the specs of figures for the tables with the same metric as the first one."""
    specs = [
        FigureSpec(
            f"{place}: figures[0]",
            table.id,
            table.title,
            FigureKind.LATENCY_THROUGHPUT,
            table.id,
            x=load,
            is_chosen=True,
        )
        for table in tables
        if (load := load_of(table)) and _are_few(table, load, runs)
    ]
    for table in _drawn(tables):
        shown = [run for run in runs if matches(run.factors, table.where) and _has_data(run, table)]
        for part in _parts(table, shown):
            if drawing := _drawing(part.table, part.runs):
                specs.append(_spec(table, part, drawing, f"{place}: figures[{len(specs)}]"))
    return specs


@dataclass(frozen=True, slots=True)
class _FigurePart:
    """The part of a table that shares an axis: a phase of the steps, or the rows of one unit.

    table  reduced to the part; where  selects it
    name   of the part: its unit or its value of a factor; "" if the table has only one part
    """

    table: TableSpec
    runs: Sequence[Run]
    where: Mapping[str, AcceptedValues]
    name: str = ""


def _parts(table: TableSpec, runs: Sequence[Run]) -> Iterator[_FigurePart]:
    """Yield the parts of a table that are drawn, each in a figure."""
    where: dict[str, AcceptedValues] = {}
    if table.columns == (PHASE,) and not _are_sequential(table):
        phase = STEP if STEP in table.phases else _longest_phase(table, runs)
        where[PHASE] = (phase,)
        table = replace(table, columns=(), phases=(phase,))
    if STATISTIC in table.rows:
        # A figure of the largest and the smallest call beside the median shows twelve dots for three numbers.
        known = {run.factors[STATISTIC] for run in runs if STATISTIC in run.factors}
        if usual := next((each for each in USUAL_STATISTICS if each in known), ""):
            where[STATISTIC] = (usual,)
            table = replace(table, rows=tuple(name for name in table.rows if name != STATISTIC))
            runs = [run for run in runs if run.factors.get(STATISTIC) == usual]
    by_item: dict[str, list[Run]] = {}
    for run in runs:
        by_item.setdefault(_item(table, run), []).append(run)
    subject = next((name for name in table.rows if _has_one_item(name, runs)), "")
    is_scaling = table.compare is not None and table.compare.kind == "efficiency"
    if len(by_item) < 2 or not subject or (table.compare and not is_scaling):
        yield from _with_few_lines(table, runs, where) if runs else ()
        return
    for item, own in sorted(by_item.items())[:_MAX_UNITS]:
        if is_scaling and count_combinations(["devices"], own) < 2:
            continue
        if values := {run.factors[subject]: None for run in own if subject in run.factors}:
            yield _FigurePart(table, own, {**where, subject: tuple(values)}, rate_unit(item))


def _with_few_lines(
    table: TableSpec, runs: Sequence[Run], where: Mapping[str, AcceptedValues]
) -> Iterator[_FigurePart]:
    """Yield the part, or a part for each value of a factor if it has too many lines over a size."""
    rows, columns = (count_combinations(names, runs) for names in (table.rows, table.columns))
    is_too_much = rows * columns > MAX_DOTS and PHASE not in table.columns and not table.compare
    # The first size is what a figure is over; a figure for each of the others leaves it that.
    sizes = [name for name in reversed(SIZES) if name in table.rows]
    others = [name for name in (*table.rows, *table.columns) if name not in sizes]
    for name in [*sizes[:-1], *others] if is_too_much and not _over_size_of(table, runs) else ():
        values = dict.fromkeys(run.factors[name] for run in runs if name in run.factors)
        if not all(name in run.factors for run in runs) or not 1 < len(values) <= _MAX_UNITS:
            continue
        parts = [[run for run in runs if run.factors[name] == value] for value in values]
        reduced = replace(
            table,
            rows=tuple(other for other in table.rows if other != name),
            columns=tuple(other for other in table.columns if other != name),
        )
        if all(_over_size_of(reduced, own) for own in parts):
            for value, own in zip(values, parts, strict=True):
                words = value if isinstance(value, str) else f"{name.replace('_', ' ')} {value}"
                yield _FigurePart(reduced, own, {**where, name: (value,)}, words)
            return
    yield _FigurePart(table, runs, where)


def _over_size_of(table: TableSpec, runs: Sequence[Run]) -> "_FigureChoice | None":
    return _over_size(
        table, runs, count_combinations(table.rows, runs), count_combinations(table.columns, runs)
    )


def _item(table: TableSpec, run: Run) -> str:
    """Return what a rate of a run counts; "" for all other quantities."""
    is_rate = metric_of(table.metrics[0]).unit in RATES
    return item_of(table.metrics[0], run.factors) if is_rate else ""


def _are_sequential(table: TableSpec) -> bool:
    """Return whether the phases of a table follow one another: they can be stacked."""
    return set(table.phases) <= SEQUENTIAL and table.metrics == ("step_time",)


def _longest_phase(table: TableSpec, runs: Sequence[Run]) -> str:
    """Return the phase with the largest values."""
    largest = dict.fromkeys(table.phases, 0.0)
    values: Iterator[Series | Aggregate] = (
        each for run in runs for several in (run.series, run.aggregates) for each in several
    )
    for each in values:
        if each.metric in table.metrics and each.phase in largest:
            largest[each.phase] = max(largest[each.phase], float(np.median(each.value)))
    return max(largest, key=largest.__getitem__)


def _has_one_item(name: str, runs: Sequence[Run]) -> bool:
    """Return whether all runs with a value of a factor count the same."""
    return count_combinations([name], runs) > 1 and (
        count_combinations([name, ITEM], runs) == count_combinations([name], runs)
    )


def _spec(table: TableSpec, part: _FigurePart, drawing: "_FigureChoice", place: str) -> FigureSpec:
    of: SharesOf = "rows" if drawing.kind is FigureKind.ECDF else "steps"
    x = drawing.x.replace("_", " ")
    phases = [str(phase).replace("_", " ") for phase in part.where.get(PHASE, ())]
    # A series draws step times, also beside a table of another metric.
    phases += map(str, part.where.get(STATISTIC, ()))
    shares = "speed-up" if drawing.kind is FigureKind.ECDF and drawing.show == "speedup" else ""
    titles = (table.title, *phases, part.name, shares, f"over {x}" if x else "")
    title = "Step time" if drawing.kind is FigureKind.SERIES else ", ".join(filter(None, titles))
    id = table_id(table.id, part.name.partition("/")[0]) if part.name else table.id
    return FigureSpec(
        place,
        id,
        title,
        drawing.kind,
        table.id,
        x=drawing.x,
        show=drawing.show,
        ideal=drawing.ideal,
        where=part.where,
        of=of,
        is_chosen=True,
    )


@dataclass(frozen=True, slots=True)
class _FigureChoice:
    """The kind of a figure, and what it draws over what."""

    kind: FigureKind
    x: str = ""
    show: Quantity = "value"
    ideal: bool = False


def _drawn(tables: Sequence[TableSpec]) -> list[TableSpec]:
    """Return the tables of the first metric: those that compare and the sweeps, if the first one compares."""
    same = [table for table in tables if table.metrics == tables[0].metrics]
    compared = [table for table in same if table.compare or not {*SWEEPS}.isdisjoint(table.rows)]
    return compared if same and same[0].compare else same


def _are_few(table: TableSpec, load: str, runs: Sequence[Run]) -> bool:
    """Return whether the systems of a table can be distinguished, and their points be named."""
    shown = [run for run in runs if _has_data(run, table)]
    systems = count_combinations([name for name in table.rows if name != load], shown)
    return systems <= MAX_LINES and count_combinations(table.rows, shown) <= _MAX_NAMED_POINTS


def _has_data(run: Run, table: TableSpec) -> bool:
    return any(metric in table.metrics and phase in table.phases for metric, phase in available_metrics(run))


def _most_in_a_facet(names: Sequence[str], table: TableSpec, runs: Sequence[Run]) -> int:
    """Return the rows or columns of the largest facet: each has a figure of its own."""
    facets: dict[object, list[Run]] = {}
    for run in runs:
        facets.setdefault(tuple([run.factors.get(name) for name in table.facets]), []).append(run)
    return max((count_combinations(names, own) for own in facets.values()), default=0)


def _drawing(table: TableSpec, runs: Sequence[Run]) -> _FigureChoice | None:
    """Return how a table is drawn, None if it is not."""
    by_phase = table.columns == (PHASE,)
    columns = len(table.phases) if by_phase else _most_in_a_facet(table.columns, table, runs)
    rows = _most_in_a_facet(table.rows, table, runs)
    if table.compare and table.columns and not by_phase and table.compare.kind == "speedup":
        return _of_matrix(table, runs, rows, columns)
    if len({_item(table, run) for run in runs}) > 1:
        is_ratio = table.compare is not None and table.compare.kind == "speedup"
        return _of_ratios(rows * columns) if is_ratio else None
    if by_phase:
        return _FigureChoice(FigureKind.STACKED_BAR) if 1 < rows <= MAX_DOTS else None
    if table.rows == PAIR[:1] and table.columns == PAIR[1:]:
        return _FigureChoice(FigureKind.HEAT_MAP)
    if _has_course(table, runs):
        return _FigureChoice(FigureKind.TREND, DATE)
    return _over_size(table, runs, rows, columns) or _of_numbers(runs, rows * columns)


def _of_matrix(table: TableSpec, runs: Sequence[Run], rows: int, columns: int) -> _FigureChoice:
    """Return dots of values if these are few and of one unit, else ratios: dots, a heat map, their shares."""
    is_one_unit = count_combinations([ITEM], runs) == 1
    if rows * columns <= MAX_DOTS:
        has_values = is_one_unit and "value" in table.show
        over = _over_size(table, runs, rows, columns) if has_values else None
        show: Quantity = "value" if has_values and _are_near(table, runs) else "speedup"
        return over or _FigureChoice(FigureKind.DOTS, show=show)
    if columns == 2 and rows <= MAX_DOTS:
        # One of the two is the baseline, which has no ratios; a map of the other is a list.
        return _FigureChoice(FigureKind.DOTS, show="speedup")
    return _FigureChoice(FigureKind.HEAT_MAP if rows <= _MAX_HEAT_ROWS else FigureKind.ECDF, show="speedup")


def _are_near(table: TableSpec, runs: Sequence[Run]) -> bool:
    """Return whether speeds are so near that their differences show on one axis."""
    speeds = [speed for run in runs if (speed := raw_speed(table.metrics[0], run)) > 0]
    return not speeds or max(speeds) <= _MAX_SPREAD * min(speeds)


def _of_ratios(cells: int) -> _FigureChoice:
    """Return dots, or the share of many rows up to each ratio."""
    return _FigureChoice(FigureKind.DOTS if cells <= MAX_DOTS else FigureKind.ECDF, show="speedup")


def _over_size(table: TableSpec, runs: Sequence[Run], rows: int, columns: int) -> _FigureChoice | None:
    """Return lines over a factor that grows from row to row, None if there is none."""
    for x in SIZES:
        beside = [name for name in table.rows if name != x and not _is_same_count(name, x, runs)]
        others = count_combinations(beside, runs)
        if x in table.rows and others * columns <= MAX_LINES and rows >= _MIN_POINTS_PER_LINE * others:
            kind = _kind_over(x, runs)
            is_scaling = table.compare is not None and table.compare.kind == "efficiency"
            return _FigureChoice(kind, x, ideal=is_scaling and kind is FigureKind.LINE)
    return None


def _is_same_count(name: str, x: str, runs: Sequence[Run]) -> bool:
    """Return whether both count devices or nodes, one as the other: 8 and 16 devices on 1 and 2 nodes."""
    return {name, x} <= DEVICE_COUNTS and count_combinations([x, name], runs) == count_combinations([x], runs)


def _has_course(table: TableSpec, runs: Sequence[Run]) -> bool:
    """Return whether most cases were measured on several days."""
    if DATE in table.rows:
        return count_combinations([DATE], runs) >= _MIN_DAYS
    days: dict[object, set[str]] = {}
    for run in runs:
        days.setdefault(factors_key(run.factors), set()).update({run.day} - {""})
    return len(days) <= MAX_LINES and sum(len(own) >= _MIN_DAYS for own in days.values()) > len(days) / 2


def _of_numbers(runs: Sequence[Run], cells: int) -> _FigureChoice | None:
    """Return dots of several numbers, and for one number its repeats, or the steps of its only run."""
    if cells > 1:
        return _FigureChoice(FigureKind.DOTS if cells <= MAX_DOTS else FigureKind.ECDF)
    if len(runs) > 1:
        return _FigureChoice(FigureKind.STRIP)
    times = (each for run in runs for each in run.series if (each.metric, each.phase) == ("step_time", STEP))
    steps = max((len(each.value) for each in times), default=0)
    return _FigureChoice(FigureKind.SERIES) if steps >= _MIN_STEPS else None


def _kind_over(x: str, runs: Sequence[Run]) -> FigureKind:
    """Return the kind for a size: a curve needs numbers above 0; devices have an ideal to compare with."""
    values = [run.factors.get(x) for run in runs]
    is_size = all(isinstance(value, (int, float)) and value > 0 for value in values)
    return FigureKind.CURVE if is_size and x not in _DEVICES else FigureKind.LINE
