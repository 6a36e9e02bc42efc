"""Choose default figures: one for each small table of the first metric.

Lines if a number of devices grows from row to row, curves if another size does; parts of a step that follow
one another are stacked. Everything else is a comparison: dots with intervals. Images and tokens are never
drawn in one figure; tables with more than 32 numbers get none. Where more load costs latency, the first
figure draws the latency over the rate. Pairs of devices are a heat map.
"""

from collections.abc import Sequence

from reportgen.autolayout.path_factors import ITEM
from reportgen.autolayout.table_layout import PAIR, SIZES, count_combinations
from reportgen.autolayout.tradeoff import load_of
from reportgen.core.factors import matches
from reportgen.core.model import Run
from reportgen.document.model import FigureKind
from reportgen.protocol import available_metrics
from reportgen.tables.spec import PHASE, FigureSpec, TableSpec

MAX_DOTS = 32
# More lines cannot be distinguished by colour and marker.
MAX_LINES = 8
_MIN_POINTS_PER_LINE = 3
_MAX_NAMED_POINTS = 64
_DEVICES = ("devices", "nodes")
# These phases follow one another in a step; other phases may contain one another.
_SEQUENTIAL_PHASES = {"data_loading", "preprocessing", "forward", "backward"}


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
    for table in (table for table in tables if table.metrics == tables[0].metrics):
        shown = [run for run in runs if matches(run.factors, table.where) and _has_data(run, table)]
        kind, x = _kind_and_x(table, shown) if shown else (None, "")
        if kind is not None:
            at = f"{place}: figures[{len(specs)}]"
            title = f"{table.title}, over {x.replace('_', ' ')}" if x else table.title
            specs.append(FigureSpec(at, table.id, title, kind, table.id, x=x, is_chosen=True))
    return specs


def _are_few(table: TableSpec, load: str, runs: Sequence[Run]) -> bool:
    """Return whether the systems of a table can be distinguished, and their points be named."""
    shown = [run for run in runs if _has_data(run, table)]
    systems = count_combinations([name for name in table.rows if name != load], shown)
    return systems <= MAX_LINES and count_combinations(table.rows, shown) <= _MAX_NAMED_POINTS


def _has_data(run: Run, table: TableSpec) -> bool:
    return any(metric in table.metrics and phase in table.phases for metric, phase in available_metrics(run))


def _kind_and_x(table: TableSpec, runs: Sequence[Run]) -> tuple[FigureKind | None, str]:
    """Return how a table is drawn, and over which row factor; no kind if it is not drawn."""
    if table.metrics == ("throughput",) and count_combinations([ITEM], runs) > 1:
        return None, ""
    by_phase = table.columns == (PHASE,)
    columns = len(table.phases) if by_phase else count_combinations(table.columns, runs)
    rows = count_combinations(table.rows, runs)
    if by_phase and set(table.phases) <= _SEQUENTIAL_PHASES and table.metrics == ("step_time",):
        return (FigureKind.STACKED_BAR if 1 < rows <= MAX_DOTS else None), ""
    if table.rows == PAIR[:1] and table.columns == PAIR[1:]:
        return FigureKind.HEAT_MAP, ""
    for x in SIZES:
        others = count_combinations([name for name in table.rows if name != x], runs)
        if x in table.rows and others * columns <= MAX_LINES and rows >= _MIN_POINTS_PER_LINE * others:
            return _kind_over(x, runs), x
    return (FigureKind.DOTS if 1 < rows * columns <= MAX_DOTS else None), ""


def _kind_over(x: str, runs: Sequence[Run]) -> FigureKind:
    """Return the kind for a size: a curve needs numbers above 0; devices have an ideal to compare with."""
    values = [run.factors.get(x) for run in runs]
    is_size = all(isinstance(value, (int, float)) and value > 0 for value in values)
    return FigureKind.CURVE if is_size and x not in _DEVICES else FigureKind.LINE
