"""A table and its figures: the result of `table`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.core.model import Finding
from reportgen.document.model import Document, Figure, FigureKind, Note, Quantity
from reportgen.document.model import Table as ShownTable
from reportgen.library.arguments import Condition, conditions
from reportgen.tables.results import Table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False)
class ResultFigure:
    """A figure of a table; `figure` says what is drawn. Notebooks show it as SVG."""

    figure: Figure

    def __repr__(self) -> str:
        return f"<Result{repr(self.figure)[1:]}"

    def to_svg(self) -> str:
        """Return the figure as an SVG file, as a report has it."""
        from reportgen.render.page.notebook import figure_svg

        return figure_svg(self.figure).decode()

    def _repr_html_(self) -> str:
        from reportgen.render.page.notebook import figure_html

        return figure_html(self.figure)


@dataclass(frozen=True, slots=True, repr=False)
class ResultTable:
    """A table as a report shows it.

    table     its cells with their cases and units
    document  with this table as texts, and with the cases behind it as data
    """

    table: Table
    document: Document

    def __repr__(self) -> str:
        return f"<Result{repr(self.table)[1:]}"

    @property
    def caption(self) -> tuple[str, ...]:
        """Sentences on the metric, the unit and the protocol."""
        return self.table.caption

    @property
    def notes(self) -> tuple[Note, ...]:
        """The footnotes."""
        return tuple(self.table.notes.values())

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings on the data of the table."""
        return self.table.findings

    def figure(
        self,
        kind: FigureKind | str = "bar",
        *,
        x: str = "",
        show: Quantity | None = None,
        ideal: bool = False,
        where: Mapping[str, Condition] | None = None,
        title: str = "",
    ) -> ResultFigure:
        """Return a figure of the table. Parameters mean what the keys of `[[figures]]` mean in a definition.

        Raises RequestError for an unknown kind, factor or quantity, and for one that the table does not show.
        """
        from reportgen.report.definition import figure_from_keys
        from reportgen.report.document import document_of_tables
        from reportgen.tables.figures import build_figures

        chosen = {name: list(values) for name, values in conditions(where, "figure().where").items()}
        keys = {"kind": kind, "x": x, "show": show, "ideal": ideal, "where": chosen, "title": title}
        given = {name: value for name, value in keys.items() if value}
        drawn = build_figures(figure_from_keys(given, self.table, "figure()"), [self.table])
        (figure,) = document_of_tables([self.table], drawn).figures
        return ResultFigure(figure)

    def to_markdown(self) -> str:
        """Return the table with caption and footnotes as GitHub-flavoured Markdown."""
        from reportgen.render import render_table_markdown

        return render_table_markdown(self.document, self._shown())

    def to_csv(self) -> str:
        """Return one line per row and column in base units, as `tables/<id>.csv` of a report."""
        from reportgen.render.data.csv import table_csv

        return table_csv(self.document, self._shown()).decode()

    def to_dataframe(self) -> "pd.DataFrame":
        """Return the numbers in base units, rows and columns as shown; `reasons` says why one is missing."""
        from reportgen.tables.dataframes import table_frame

        return table_frame(self.table)

    def reasons(self) -> "pd.DataFrame":
        """Return a frame shaped as `to_dataframe`: why a number is missing, "" where it is there."""
        from reportgen.tables.dataframes import reasons_frame

        return reasons_frame(self.table)

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def _repr_html_(self) -> str:
        from reportgen.render.page.notebook import table_html

        return table_html(self.document, self._shown())

    def _shown(self) -> ShownTable:
        return next(each for each in self.document.tables if each.id == self.table.id)
