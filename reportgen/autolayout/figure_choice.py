"""Choose figures for tables that nobody has drawn yet: one for each small table of the first metric.

Lines where a number of devices or a size grows from row to row, else bars; parts of a step that follow one
another are stacked. Images and tokens go into no figure together, and a table with more bars than a page
takes is left to whoever knows what matters in it.
"""

from collections.abc import Sequence

from reportgen.autolayout.path_factors import ITEM
from reportgen.autolayout.table_layout import SIZES, distinct
from reportgen.core.factors import matches
from reportgen.core.model import Run
from reportgen.core.results import FigureKind
from reportgen.protocol import available_metrics
from reportgen.tables.spec import PHASE, FigureSpec, TableSpec

MOST_BARS = 32
# More lines are told apart neither by colour nor by marker.
MOST_LINES = 8
# Fewer points are no line.
_FEWEST_POINTS = 3
# These follow one another in a step; of other parts nobody knows whether one contains another.
_IN_TURN = {"data_loading", "preprocessing", "forward", "backward"}


def figure_specs(tables: Sequence[TableSpec], runs: Sequence[Run], place: str) -> list[FigureSpec]:
    """Return the specs of figures for those tables that show the same metric as the first one."""
    first = [table for table in tables if table.metrics == tables[0].metrics]
    specs: list[FigureSpec] = []
    for table in first:
        shown = [run for run in runs if matches(run.factors, table.where) and _tells(run, table)]
        if (drawn := _drawn(table, shown)) is not None:
            kind, x = drawn
            at = f"{place}: figures[{len(specs)}]"
            specs.append(FigureSpec(at, table.id, table.title, kind, table.id, x=x))
    return specs


def _tells(run: Run, table: TableSpec) -> bool:
    return any(metric in table.metrics and phase in table.phases for metric, phase in available_metrics(run))


def _drawn(table: TableSpec, runs: Sequence[Run]) -> tuple[FigureKind, str] | None:
    """Return how a table is drawn, and over which row factor; None where it had better not be."""
    if table.metrics == ("throughput",) and distinct([ITEM], runs) > 1:
        return None
    columns = len(table.phases) if table.columns == (PHASE,) else distinct(table.columns, runs)
    rows = distinct(table.rows, runs)
    if table.columns == (PHASE,) and set(table.phases) <= _IN_TURN and table.metrics == ("step_time",):
        return (FigureKind.STACKED_BAR, "") if 1 < rows <= MOST_BARS else None
    for x in SIZES:
        others = distinct([name for name in table.rows if name != x], runs)
        if x in table.rows and others * columns <= MOST_LINES and rows >= _FEWEST_POINTS * others:
            return FigureKind.LINE, x
    return (FigureKind.BAR, "") if 1 < rows * columns <= MOST_BARS else None
