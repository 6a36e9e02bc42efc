"""Render reports: Markdown, HTML, JSON, CSV and figures, as bytes. Nothing is decided or computed here.

A Report goes in, a mapping from paths to bytes comes out; `publish` writes them. `registry` lists
the outputs. Every number on a page comes from one Grid per table (`grid`), so the pages cannot disagree.
Heavy libraries are imported only when something is rendered, so that `reportgen --help` is fast.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from reportgen.tables.results import Report, Table, TrackProgress

if TYPE_CHECKING:  # it is imported when something is rendered
    from reportgen.render.outputs import Output


def _no_file(_path: str) -> bytes | None:
    return None


def render_report(
    report: Report,
    read_existing: Callable[[str], bytes | None] = _no_file,
    watched: TrackProgress = iter,
    source_url: str = "",
    committed_only: bool = False,
    standalone: bool = False,
) -> dict[str, bytes]:
    """Return the files of a report: paths relative to its folder.

    read_existing  returns a file of an earlier build by its path, None if there is none; a figure that
                   draws what is drawn now is kept, so another version of matplotlib does not change it
    watched        passes the figures on, one by one as they are drawn
    source_url     address of a line of a log, with {path} and {line}; "" if a page should not link to logs
    committed_only  leaves out the files that are built and not committed
    standalone     puts what the page loads into it
    Raises RequestError for a mistake in the prose, with its file and line.
    """
    from reportgen.render.case_index import CaseIndex
    from reportgen.render.data import svg
    from reportgen.render.figures import drawing
    from reportgen.render.outputs import Content
    from reportgen.render.prose.template import fill_headline, fill_prose
    from reportgen.render.registry import OUTPUTS
    from reportgen.render.text import slugs

    outputs = [output for output in OUTPUTS if output.is_needed(report)]
    table_names = slugs.stems(table.id for table in report.tables)
    figure_names = slugs.stems(figure.id for figure in report.figures)
    with drawing.settings():
        svgs = {
            figure.id: drawing.up_to_date(figure, read_existing(svg.OUTPUT.path_of(figure_names[figure.id])))
            for figure in watched(report.figures)
        }
    content = Content(
        report=report,
        headline=fill_headline(report),
        prose=fill_prose(report),
        cases=CaseIndex(report),
        table_names=table_names,
        figure_names=figure_names,
        svgs=svgs,
        generated=sorted(
            path for output in outputs for path in output.paths(report, table_names, figure_names)
        ),
        source_url=source_url,
        is_standalone=standalone,
    )
    return {
        path: data
        for output in outputs
        if _is_written(output, committed_only, standalone)
        for path, data in output.files(content)
    }


def _is_written(output: "Output", committed_only: bool, standalone: bool) -> bool:
    return (output.is_committed or not committed_only) and not (standalone and output.is_inside_standalone)


def render_index(
    reports: Sequence[Report],
    read_existing: Callable[[str], bytes | None] = _no_file,
    committed_only: bool = False,
    standalone: bool = False,
) -> dict[str, bytes]:
    """Return the files of the reports folder itself: the index, and what all reports share.

    read_existing, committed_only, standalone  as above
    """
    from reportgen.render.registry import OUTPUTS

    files = {}
    for output in OUTPUTS:
        is_needed = output.is_committed or any(map(output.is_needed, reports))
        if output.of_reports and is_needed and _is_written(output, committed_only, standalone):
            old = read_existing(output.path)
            files[output.path] = old if old and output.is_current(old) else output.of_reports(reports)
    return files


def render_table_markdown(table: Table) -> str:
    """Return a table as Markdown, to be put between markers into a hand-written file."""
    from reportgen.render.markdown import table as markdown

    return markdown.table(table)
