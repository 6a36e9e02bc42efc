"""How the numbers of a table developed: the result of `table_history`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.core.change_points import ChangePointRule
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import Where
from reportgen.history.cells import cell_histories
from reportgen.history.commits import read_states
from reportgen.history.document import COLUMNS, csv_text, json_text, markdown_text, point_rows, title
from reportgen.history.logs import log_histories
from reportgen.history.points import CellHistory, with_all_changes
from reportgen.render.text.english import count

if TYPE_CHECKING:
    import pandas as pd

# The default: the commits of the repository. Everything else is read from the logs.
COMMIT = "commit"
_WIDTH = 96
_RULE = ChangePointRule()


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TableHistory:
    """The cells of a table over time, with the steps and drifts of each. notes: on what could not be read."""

    table: str
    cells: tuple[CellHistory, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        points = sum(len(cell.points) for cell in self.cells)
        changes = sum(len(cell.changes) for cell in self.cells)
        what = f"{count(len(self.cells), 'cell')}, {count(points, 'point')}, {count(changes, 'change')}"
        return f"<TableHistory {self.table}: {what}>"

    def to_markdown(self, width: int = _WIDTH) -> str:
        """Return the histories as Markdown. width: of their curves, in letters."""
        return markdown_text(self.cells, self.notes, width)

    def to_csv(self) -> str:
        """Return one line per point."""
        return csv_text(self.cells)

    def to_json(self) -> str:
        """Return the histories with their changes as JSON."""
        return json_text(self.cells, self.notes, _RULE)

    def to_dataframe(self) -> "pd.DataFrame":
        """Return one row per point, values in base units."""
        import pandas as pd

        rows = [
            {
                **cell.row,
                **cell.column,
                "quantity": cell.quantity,
                "point": point.label,
                "date": point.date,
                "value": point.value,
                "low": point.low,
                "high": point.high,
                "n": point.repeats,
                "commit": point.commit,
            }
            for cell in self.cells
            for point in cell.points
        ]
        return pd.DataFrame(rows)

    def _repr_html_(self) -> str:
        from reportgen.render.page.notebook import listing_html

        parts = [
            listing_html(
                title(cell),
                COLUMNS,
                list(point_rows(cell)),
                len(cell.points),
                [each.text for each in cell.changes],
            )
            for cell in self.cells
        ]
        return "\n".join(parts)


def read_history(
    reports: Path,
    name: str,
    table: str,
    by: str,
    rows: Where,
    columns: Where,
    progress: Callable[[str, int, int], None] | None = None,
) -> TableHistory:
    """Return how the cells of a table developed, over the commits or over `by`; see `api.table_history`."""
    if by == COMMIT:
        states = read_states(_folder_of(reports, name, table))
        chosen = cell_histories(states, table, rows, columns)
        notes = tuple(states.notes())
    else:
        notes = ()
        chosen = _from_logs(reports, name, table, by, rows, columns, progress)
    place = f"{name}/{table}"
    if not chosen:
        raise RequestError(
            place, "no number in these rows and columns", "check the rows and columns asked for"
        )
    return TableHistory(place, with_all_changes(chosen, _RULE), notes)


def _folder_of(reports: Path, name: str, table: str) -> Path:
    """Return the folder of a built report."""
    if not reports.is_dir():
        raise RequestError(str(reports), "no such folder", "name the folder of report definitions")
    built = sorted(path.parent.name for path in reports.glob("*/report.json"))
    if name not in built:
        raise RequestError(
            f"{name}/{table}", f'no built report is called "{name}"', did_you_mean(name, built)
        )
    return reports / name


def _from_logs(
    reports: Path,
    name: str,
    table: str,
    by: str,
    rows: Where,
    columns: Where,
    progress: Callable[[str, int, int], None] | None,
) -> list[CellHistory]:
    from reportgen import pipeline

    request = pipeline.Request(reports.resolve().parent, reports)
    return log_histories(pipeline.assemble_report(request, name, progress), table, by, rows, columns)
