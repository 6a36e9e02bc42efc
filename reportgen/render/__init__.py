"""Render documents: Markdown, HTML, JSON, CSV and figures, as bytes. Nothing is decided or computed here.

A Document goes in, a mapping from paths to bytes comes out; `publish` writes them. `registry` lists the
outputs. Every number on a page comes from one Grid per table (`grid`), so the pages cannot disagree. Heavy
libraries are imported only when something is rendered, so that `reportgen --help` is fast.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from reportgen.core.progress import TrackProgress

if TYPE_CHECKING:  # they are imported when something is rendered
    from reportgen.core.stored_files import StoredFiles
    from reportgen.document.model import Document, Figure, Table
    from reportgen.render.outputs import Output


# Where the files are that all pages load, relative to the folder of all reports.
ASSETS = "assets/"


class DrawnFigures(Protocol):
    """Remembers which files drawing gave for which figures, with this program."""

    def is_drawn(self, figure: "Figure", content: bytes) -> bool:
        """Return whether drawing the figure gave this content."""

    def add_drawn(self, figure: "Figure", content: bytes) -> None:
        """Remember that it did."""


def _no_file(_path: str) -> bytes | None:
    return None


def render_document(
    document: "Document",
    side_files: Mapping[str, bytes] | None = None,
    read_existing: Callable[[str], bytes | None] = _no_file,
    watched: TrackProgress = iter,
    committed_only: bool = False,
    standalone: bool = False,
    history: bytes | None = None,
    drawn: DrawnFigures | None = None,
) -> "StoredFiles":
    """Return the files of a report: paths relative to its folder.

    side_files     the files with steps and telemetry that the document names, as far as they are at hand
    read_existing  returns a file of an earlier build by its path, None if there is none; a figure that
                   draws what is drawn now is kept, so another version of matplotlib does not change it
    watched        passes the figures on, one by one as they are drawn
    committed_only  leaves out the files that are built and not committed
    standalone     puts what the page loads into it
    history        the file with the history of the numbers; None if none is known, empty to leave it out
    drawn          knows the files of figures that need not be drawn again
    Raises RequestError for a mistake in the prose, with its file and line.
    """
    from reportgen.core.stored_files import StoredFiles
    from reportgen.document.file_names import stems
    from reportgen.render.outputs import NO_HISTORY, Content
    from reportgen.render.prose.template import fill_headline, fill_prose
    from reportgen.render.registry import OUTPUTS

    outputs = [output for output in OUTPUTS if output.is_needed(document)]
    table_names = stems(table.id for table in document.tables)
    figure_names = stems(figure.id for figure in document.figures)
    headline, prose = fill_headline(document), fill_prose(document)  # a mistake there ends it before it draws
    content = Content(
        report=document,
        headline=headline,
        prose=prose,
        table_names=table_names,
        figure_names=figure_names,
        svgs=_svgs(document.figures, figure_names, read_existing, watched, drawn),
        generated=sorted(
            path for output in outputs for path in output.paths(document, table_names, figure_names)
        ),
        side_files=side_files or {},
        history=NO_HISTORY if history is None else history,
        is_standalone=standalone,
    )
    files = StoredFiles()
    for output in outputs:
        if _is_written(output, committed_only, standalone):
            for path, data in output.files(content):
                files.add(path, data)
    return files


def _svgs(
    figures: "Sequence[Figure]",
    names: Mapping[str, str],
    read_existing: Callable[[str], bytes | None],
    watched: TrackProgress,
    drawn: DrawnFigures | None,
) -> dict[str, bytes]:
    """Return the SVG of each figure by its id; parameters as in `render_document`."""
    from reportgen.render.data import svg

    existing = {figure.id: read_existing(svg.OUTPUT.path_of(names[figure.id])) for figure in figures}
    svgs = {
        figure.id: old
        for figure in figures
        if drawn and (old := existing[figure.id]) and drawn.is_drawn(figure, old)
    }
    if missing := [
        figure for figure in figures if figure.id not in svgs
    ]:  # matplotlib is loaded only to draw
        from reportgen.render.figures.svg import drawing

        with drawing.settings():
            for figure in watched(missing):
                svgs[figure.id] = drawing.up_to_date(figure, existing[figure.id])
                if drawn:
                    drawn.add_drawn(figure, svgs[figure.id])
    return svgs


def _is_written(output: "Output", committed_only: bool, standalone: bool) -> bool:
    return (output.is_committed or not committed_only) and not (standalone and output.is_inside_standalone)


def render_index(
    documents: "Sequence[Document]",
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
        is_needed = output.is_committed or any(map(output.is_needed, documents))
        if output.of_reports and is_needed and _is_written(output, committed_only, standalone):
            old = read_existing(output.path)
            files[output.path] = old if old and output.is_current(old) else output.of_reports(documents)
    return files


def render_assets(
    documents: "Sequence[Document]",
    read_existing: Callable[[str], bytes | None] = _no_file,
    standalone: bool = False,
) -> dict[str, bytes]:
    """Return what the pages of reports load, without an index of the reports."""
    files = render_index(documents, read_existing, standalone=standalone)
    return {path: content for path, content in files.items() if path.startswith(ASSETS)}


def headline_text(document: "Document") -> str:
    """Return the headline with its numbers; RequestError for a mistake of the author."""
    from reportgen.render.prose.template import fill_headline

    return fill_headline(document).text


def render_table_markdown(document: "Document", table: "Table") -> str:
    """Return a table of a document as Markdown, to be put between markers into a hand-written file."""
    from reportgen.render.markdown import table as markdown

    return markdown.table_markdown(document, table)
