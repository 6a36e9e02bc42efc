"""A report of a folder of definitions: the result of `view_report`."""

from dataclasses import dataclass

from reportgen.core.errors import check_known
from reportgen.core.model import Finding
from reportgen.document.model import Document
from reportgen.library.result_table import ResultFigure, ResultTable
from reportgen.tables.results import Report


@dataclass(frozen=True, slots=True, repr=False)
class ResultReport:
    """A report with its tables and figures by id.

    report    everything else: cells with their cases and runs
    document  the same as data, as report.json has it
    """

    report: Report
    document: Document

    def __repr__(self) -> str:
        return f"<Result{repr(self.report)[1:]}"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings on the data of the report."""
        return self.report.findings

    @property
    def tables(self) -> dict[str, ResultTable]:
        """The tables by id, in their order."""
        return {table.id: ResultTable(table, self.document) for table in self.report.tables}

    @property
    def figures(self) -> dict[str, ResultFigure]:
        """The figures by id, in their order."""
        return {figure.id: ResultFigure(figure) for figure in self.document.figures}

    def table(self, id: str) -> ResultTable:
        """Return the table of this id. Raises RequestError with the nearest one."""
        check_known(f"table() of {self.report.name}", "table", id, self.tables)
        return self.tables[id]

    def figure(self, id: str) -> ResultFigure:
        """Return the figure of this id. Raises RequestError with the nearest one."""
        check_known(f"figure() of {self.report.name}", "figure", id, self.figures)
        return self.figures[id]

    def _repr_html_(self) -> str:
        from reportgen.render.page.notebook import report_html

        return report_html(self.document)
