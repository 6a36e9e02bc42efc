"""Propose layouts for the numbers of a metric: matrices, lists, a table for each model, without a comparison.

A matrix has the work in its rows and what did it in its columns, or the reverse. It is followed by the tables
of all cases where it leaves numbers out: where it picks the best batch size, or has room for ratios alone.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from reportgen.autolayout.default_comparison import DefaultComparison, arrange, comparisons
from reportgen.autolayout.layouts import ReportLayout, rank, score
from reportgen.autolayout.sweeps import apart, at_largest
from reportgen.autolayout.table_layout import (
    SUBJECTS,
    Axes,
    TableGroup,
    choose_axes,
    count_combinations,
    group_runs,
)
from reportgen.core.factors import Accepted, Presence, factor_key, factors_key, matches, value_order
from reportgen.core.metrics import METRICS
from reportgen.core.model import STEP, FactorValue, Run
from reportgen.protocol import Protocol
from reportgen.protocol.conditions import STATISTIC
from reportgen.tables.spec import PHASE, TableSpec

# A table compares each of these phases; with more, its columns are too many to read.
MAX_COMPARED_PHASES = 4
# With more columns, a matrix shows ratios without values.
_MAX_PAIRS = 3
_MAX_MATRIX_COLUMNS = 24
_MAX_FACETS = 12
_MAX_CORE_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class MetricRuns:
    """The runs with data of a metric, in the phases that are shown.

    failed    runs without data, which every table shows
    campaign  all runs, including those that belong to other tables
    guessed   factors that name a level of the path
    """

    metric: str
    phases: tuple[str, ...]
    runs: Sequence[Run]
    failed: Sequence[Run]
    campaign: Sequence[Run]
    guessed: Collection[str] = ()

    def groups(self) -> Iterator[tuple[TableGroup, list[Run]]]:
        """Yield the runs of each table, with the failed ones that belong there."""
        for group in group_runs(self.runs, self.campaign):
            yield group, [*group.runs, *self._failed_like(group.runs, group.where)]

    def everything(self, where: Mapping[str, Accepted] = MappingProxyType({})) -> list[Run]:
        """Return all runs, with the failed ones that have their factors and meet the conditions."""
        return [*self.runs, *self._failed_like(self.runs, where)]

    def _failed_like(self, runs: Sequence[Run], where: Mapping[str, Accepted]) -> list[Run]:
        # A run that was cut short may lack factors that all others have; it would get its own row.
        common = set(runs[0].factors).intersection(*(run.factors for run in runs))
        return [run for run in self.failed if matches(run.factors, where) and common <= set(run.factors)]


def plain_tables(numbers: MetricRuns) -> list[TableSpec]:
    """Return tables without a comparison: one, or one for each model."""
    made = []
    for group, shown in numbers.groups():
        axes = choose_axes(shown, numbers.campaign, numbers.guessed, has_columns=len(numbers.phases) > 1)
        made.append(spec_of(numbers.metric, group.where, axes, numbers.phases))
    return apart(made, numbers.runs)


def propose_layouts(numbers: MetricRuns) -> list[ReportLayout]:
    """Return the layouts of the tables of a metric, the best first; repeats of a case count once."""
    distinct, campaign = (
        list({factors_key(run.factors): run for run in runs}.values())
        for runs in (numbers.runs, numbers.campaign)
    )
    numbers = replace(numbers, runs=distinct, campaign=campaign)
    plain = plain_tables(numbers)
    lists = [("without a comparison", [*_at_largest(plain, numbers), *plain])]
    if len(numbers.phases) <= MAX_COMPARED_PHASES:
        lists = [*_lists(numbers), *lists]
    layouts = _scored(numbers, lists)
    matrices = _scored(numbers, _matrices(numbers, plain, rank(layouts)[0].tables))
    chosen = comparisons(numbers.metric, numbers.runs, numbers.guessed)
    is_scaling = bool(chosen) and chosen[0].kind == "efficiency"
    # Of equals the first is used.
    return rank([*layouts, *matrices] if is_scaling else [*matrices, *layouts])


def _at_largest(tables: Sequence[TableSpec], numbers: MetricRuns) -> Iterator[TableSpec]:
    """Yield the table of the largest message that the first of these gives, if it gives one."""
    if tables and (table := at_largest(tables[0], numbers.runs)):
        yield table


def _scored(numbers: MetricRuns, proposed: Iterable[tuple[str, Sequence[TableSpec]]]) -> list[ReportLayout]:
    """Return the layouts of proposed tables."""
    failed = numbers.everything()[len(numbers.runs) :]
    return [
        ReportLayout(about, tuple(tables), score(tables, numbers.runs, failed)) for about, tables in proposed
    ]


def _lists(numbers: MetricRuns) -> Iterator[tuple[str, list[TableSpec]]]:
    """Yield tables that compare from row to row: one for all, and one for each model."""
    chosen = comparisons(numbers.metric, numbers.runs, numbers.guessed)
    for comparison in chosen:
        shown = numbers.everything()
        axes = choose_axes(shown, numbers.campaign, numbers.guessed, has_columns=len(numbers.phases) > 1)
        spec = spec_of(numbers.metric, {}, axes, numbers.phases)
        yield f"a list, {_words(comparison)}", _compared(spec, axes, comparison, shown, numbers)
    if not chosen and (parts := list(_models_that_compare(numbers))):
        rest = plain_tables(numbers)
        yield "a list of each model that compares, and one of all", [*parts, *_all_values(parts[0], rest)]
    if count_combinations(SUBJECTS, numbers.runs) > 1:
        tables = []
        for group, shown in numbers.groups():
            axes = choose_axes(shown, numbers.campaign, numbers.guessed, has_columns=len(numbers.phases) > 1)
            spec = spec_of(numbers.metric, group.where, axes, numbers.phases)
            first = next(iter(comparisons(numbers.metric, group.runs, numbers.guessed)), None)
            tables += _compared(spec, axes, first, shown, numbers) if first else [spec]
        if any(table.compare for table in tables):
            yield "a list for each model", tables


def _models_that_compare(numbers: MetricRuns) -> Iterator[TableSpec]:
    """Yield the tables of models that several systems ran, where most of the others ran on one only."""
    for name in SUBJECTS:
        models = {factor_key(run.factors[name]) for run in numbers.runs if name in run.factors}
        for key in sorted(models, key=value_order) if len(models) > 1 else ():
            where: dict[str, Accepted] = {name: (key[1],)}
            part = replace(numbers, runs=[run for run in numbers.runs if matches(run.factors, where)])
            if comparison := next(iter(comparisons(part.metric, part.runs, part.guessed)), None):
                shown = part.everything(where)
                axes = choose_axes(shown, part.campaign, part.guessed, has_columns=len(part.phases) > 1)
                spec = spec_of(part.metric, where, axes, part.phases)
                yield _compared(spec, axes, comparison, shown, part)[0]


def _compared(
    spec: TableSpec, axes: Axes, comparison: DefaultComparison, runs: Sequence[Run], numbers: MetricRuns
) -> list[TableSpec]:
    """Return the table that compares; if it picks some of the cases, then one of all of them."""
    arranged = arrange(axes, comparison, runs)
    table = replace(
        _picking(spec, comparison),
        rows=arranged.rows,
        columns=spec.columns if PHASE in spec.columns else arranged.columns,
        facets=arranged.facets,
        qualify={},
        compare=comparison.spec,
        show=("value", comparison.kind),
        best_first=comparison.kind == "speedup",
    )
    return [table, spec] if _drops(table, numbers) else [table]


def _picking(spec: TableSpec, comparison: DefaultComparison) -> TableSpec:
    """Return the table, with the best batch size alone if the comparison is about that."""
    if not comparison.pick:
        return spec
    title = f"{spec.title}, best batch size"
    return replace(spec, id=f"{spec.id}-best-batch", title=title, pick=comparison.pick)


def _drops(table: TableSpec, numbers: MetricRuns) -> bool:
    """Return whether a table picks some cases of several: else a second table would repeat it."""
    cases = {factors_key(run.factors) for run in numbers.runs}
    left = {
        factors_key({name: value for name, value in run.factors.items() if name not in table.pick})
        for run in numbers.runs
    }
    return len(left) < len(cases)


def _matrices(
    numbers: MetricRuns, plain: Sequence[TableSpec], lists: Sequence[TableSpec]
) -> Iterator[tuple[str, list[TableSpec]]]:
    """Yield matrices of work and what did it, with ratios: both ways round, and a part that fits a page.

    plain  tables of all cases without ratios, which follow a whole matrix
    lists  tables of all cases, with ratios if there are any, which follow a part of one
    """
    if len(numbers.phases) > 1:
        return
    for comparison in comparisons(numbers.metric, numbers.runs, numbers.guessed):
        if comparison.kind != "speedup":
            continue
        work, columns = _sides(numbers, comparison)
        for rows, across, facets in _axes(work, columns, numbers.runs):
            if table := _matrix(numbers, comparison, rows, across, facets):
                about = f"a matrix of {_and(rows)} and {_and(across)}, {_words(comparison)}"
                about += f", a table for each value of {_and(facets)}" if facets else ""
                is_whole = "value" in table.show and not _drops(table, numbers)
                yield about, [table, *([] if is_whole else _all_values(table, plain))]
        if core := _core(numbers, columns[0]):
            kept = f"the values of {columns[0]} with most cases"
            yield f"a matrix of {_and(core.rows)} and {kept}", [core, *_all_values(core, lists)]


def _all_values(matrix: TableSpec, tables: Sequence[TableSpec]) -> list[TableSpec]:
    """Return the tables that follow a matrix, under another title."""
    return [
        replace(table, title=f"{table.title}, all values") if table.title == matrix.title else table
        for table in tables
    ]


def _sides(numbers: MetricRuns, comparison: DefaultComparison) -> tuple[list[str], list[str]]:
    """Return the factors of the work, and those that are compared and distinguish more."""
    runs = numbers.everything()
    axes = choose_axes(runs, numbers.campaign, numbers.guessed, has_columns=True)
    shown = [name for name in axes.rows if name not in comparison.pick]
    main, *followers = comparison.baseline
    columns = [main, *(name for name in followers if name in shown and _splits([main], name, runs))]
    return [name for name in shown if name not in comparison.baseline], columns


def _axes(
    work: Sequence[str], columns: Sequence[str], runs: Sequence[Run]
) -> Iterator[tuple[list[str], list[str], tuple[str, ...]]]:
    """Yield rows, columns and facets of matrices."""
    sizes = _sizes(work)
    ordered = [*sizes, *(name for name in work if name not in sizes)]
    yield ordered, list(columns), ()
    yield list(columns), ordered, ()
    settings = [name for name in work if name not in (*sizes, *SUBJECTS)]
    for facets in (sizes, [*sizes, *settings]):
        # In one facet, what follows from it has one value, which the caption says.
        others = [name for name in ordered if name not in facets and _splits(facets, name, runs)]
        if facets and others and count_combinations(facets, runs) <= _MAX_FACETS:
            yield others, list(columns), tuple(facets)
            yield list(columns), others, tuple(facets)


def _sizes(names: Collection[str]) -> list[str]:
    return [name for name in ("nodes", "devices") if name in names]


def _core(numbers: MetricRuns, main: str) -> TableSpec | None:
    """Return a matrix of a part that fits a page: of the usual sizes, and the columns with most cases.

    A column with fewer than half as many cases as the fullest one is mostly dashes.
    """
    known = set[str]().union(*(run.factors for run in numbers.runs))
    where: dict[str, Accepted] = {
        name: (next(iter(_most_common(name, numbers.runs))),) for name in _sizes(known)
    }
    shown = [run for run in numbers.runs if matches(run.factors, where)]
    counts = _most_common(main, shown)
    kept = [value for value, count in counts.items() if 2 * count >= max(counts.values())]
    kept = kept[:_MAX_CORE_COLUMNS]
    if count_combinations([main], numbers.runs) <= len(kept) and len(shown) == len(numbers.runs):
        return None
    where[main] = tuple(kept)
    part = replace(numbers, runs=[run for run in numbers.runs if matches(run.factors, where)])
    own = next((c for c in comparisons(part.metric, part.runs, part.guessed) if main in c.baseline), None)
    if own is None or own.kind != "speedup":
        return None
    rows, columns = _sides(part, own)
    table = _matrix(part, own, [name for name in rows if name not in where], columns, ())
    return replace(table, where=where) if table else None


def _most_common(name: str, runs: Sequence[Run]) -> dict[FactorValue, int]:
    """Return the values of a factor with the number of their cases, the one with most first."""
    cases = {factors_key(run.factors): run.factors for run in runs if name in run.factors}.values()
    counts = Counter(factor_key(factors[name]) for factors in cases)
    ordered = sorted(counts, key=lambda key: (-counts[key], value_order(key)))
    return {key[1]: counts[key] for key in ordered}


def _matrix(
    numbers: MetricRuns,
    comparison: DefaultComparison,
    rows: Sequence[str],
    columns: Sequence[str],
    facets: tuple[str, ...],
) -> TableSpec | None:
    """Return a matrix, None if it has too few rows or too many columns, or lacks a factor that varies."""
    runs = numbers.runs
    across = count_combinations(columns, runs)
    if across > _MAX_MATRIX_COLUMNS or min(across, count_combinations(rows, runs)) < 2:
        return None
    is_upright = set(columns) <= set(comparison.baseline)
    shown = (*rows, *columns, *facets)
    others = tuple(name for name in comparison.baseline if name not in shown)
    if any(_splits(shown, name, runs) for name in others):
        return None
    axes = Axes(list(rows), list(columns), facets, others)
    spec = spec_of(numbers.metric, {}, axes, numbers.phases)
    return replace(
        _picking(spec, comparison),
        # A mean over sizes of one model means nothing, nor does one over statistics.
        compare=replace(
            comparison.spec, mean=is_upright and not set(SUBJECTS).isdisjoint(rows) and STATISTIC not in rows
        ),
        show=("value", comparison.kind) if across <= _MAX_PAIRS else (comparison.kind,),
    )


def _splits(names: Sequence[str], other: str, runs: Sequence[Run]) -> bool:
    """Return whether another factor has several values for one combination of some."""
    return count_combinations([*names, other], runs) > count_combinations(names, runs)


def _words(comparison: DefaultComparison) -> str:
    baseline = ", ".join(str(value) for value in comparison.baseline.values())
    what = f"compared with {baseline}" if comparison.kind == "speedup" else f"efficiency from {baseline} on"
    return f"{what}, each at its best {_and(comparison.pick)}" if comparison.pick else what


def _and(names: Collection[str]) -> str:
    return " and ".join(name.replace("_", " ") for name in names)


def spec_of(
    metric: str, where: Mapping[str, Accepted], axes: Axes, phases: tuple[str, ...] = (STEP,)
) -> TableSpec:
    """Return the definition of a table of one metric, which compares nothing."""
    names = [
        f"without {name.replace('_', ' ')}" if values == (Presence.ABSENT,) else str(values[0])
        for name, values in where.items()
        if len(values) == 1 and values != (Presence.PRESENT,)
    ]
    return TableSpec(
        place="",
        id=table_id(metric, *names),
        title=": ".join([_title(metric), *names]),
        protocol=Protocol(),
        where=where,
        metrics=(metric,),
        phases=phases,
        rows=tuple(axes.rows),
        columns=(PHASE,) if len(phases) > 1 else tuple(axes.columns),
        facets=axes.facets,
        qualify=dict.fromkeys(axes.qualify),
        order={PHASE: phases} if len(phases) > 1 else {},
    )


def table_id(*names: str) -> str:
    """Return names as the id of a table."""
    return re.sub(r"[^a-z0-9]+", "-", "-".join(names).lower()).strip("-") or "metric"


def _title(metric: str) -> str:
    return METRICS[metric].title if metric in METRICS else metric.replace("_", " ").capitalize()
