"""Define an output: where its files go, how they are rendered, and how `publish` recognises them.

An output renders one file per report, table or figure, or the index of all reports. The outputs of a report
share one `Content`, so they cannot disagree. An output never touches the disk.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reportgen.document.model import Document, Figure, Table

if TYPE_CHECKING:  # these load jinja2, which `reportgen --help` does not wait for
    from reportgen.render.prose.template import Prose


# The history of a report whose numbers never changed, or whose repository is not at hand.
NO_HISTORY = b"globalThis.reportgenHistory = {};\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A report with everything that its outputs share.

    headline      the first sentence; prose  the author's text; both with their numbers filled in
    table_names   file name without folder and extension, by table id; figure_names  by figure id
    svgs          the drawn figures, by id
    generated     the paths of all files of the report, relative to its folder
    side_files    the files with steps and telemetry, as far as they are at hand
    history       the file with the history of the numbers; empty to leave it out
    is_standalone  whether a page has everything inside, as one file to mail
    """

    report: Document
    headline: "Prose"
    prose: "Prose"
    table_names: Mapping[str, str]
    figure_names: Mapping[str, str]
    svgs: Mapping[str, bytes]
    generated: Sequence[str]
    side_files: Mapping[str, bytes] = field(default_factory=dict)
    history: bytes = NO_HISTORY
    is_standalone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One kind of generated file.

    path       relative to the report's folder, or to the folder of all reports for `of_reports`;
               `*` stands for the name of the table, figure or part
    mark       is in the content of every such file, and in no hand-written file
    of_...     render the content, a large one in pieces; exactly one of the five is given
    parts      the names of the files of `of_parts`
    is_needed  False for a report that has no such file
    is_intact  False for an old file that was edited by hand; keeps_edited  whether a build keeps its text
    is_for_table  whether the document has such a file, by its path
    is_committed  False for files that each clone builds for itself; `check` does not ask for them
    is_inside_standalone  True for files that a standalone page has inside, so that they are not written
    is_current  whether an old file need not be rendered again, for `of_reports`
    listed     reads the list of generated files out of such a file; only one output has such a list
    """

    path: str
    mark: re.Pattern[bytes]
    of_report: Callable[[Content], bytes | Iterator[bytes]] | None = None
    of_table: Callable[[Content, Table], bytes | Iterator[bytes]] | None = None
    of_figure: Callable[[Content, Figure], bytes] | None = None
    of_parts: Callable[[Content], Mapping[str, bytes]] | None = None
    of_reports: Callable[[Sequence[Document]], bytes] | None = None
    parts: Callable[[Document], Sequence[str]] = lambda document: ()
    is_needed: Callable[[Document], bool] = lambda report: True
    is_intact: Callable[[bytes], bool] = bool
    keeps_edited: bool = False
    is_for_table: Callable[[Document, str], bool] = lambda document, path: True
    is_committed: bool = True
    is_inside_standalone: bool = False
    is_current: Callable[[bytes], bool] = lambda _: False
    listed: Callable[[bytes], Sequence[str]] | None = None

    def path_of(self, name: str) -> str:
        """Return the path of the file of one table, figure or part."""
        return self.path.replace("*", name)

    def writes(self, path: str) -> bool:
        """Return whether the output writes such a path in whichever folder."""
        return bool(re.fullmatch(f"(?:.+/)?{re.escape(self.path).replace(re.escape('*'), '[^/]+')}", path))

    def paths(
        self, report: Document, table_names: Mapping[str, str], figure_names: Mapping[str, str]
    ) -> list[str]:
        """Return the paths of the files of a report."""
        if self.of_reports:
            return []
        if self.of_report:
            return [self.path]
        if self.of_figure:
            return [self.path_of(name) for name in figure_names.values()]
        if self.of_parts:
            return [self.path_of(name) for name in self.parts(report)]
        paths = (self.path_of(table_names[table.id]) for table in report.tables)
        return [path for path in paths if self.is_for_table(report, path)]

    def files(self, content: Content) -> Iterator[tuple[str, bytes | Iterator[bytes]]]:
        """Yield (path, content) of the files of a report; a content may be in pieces."""
        if self.of_report:
            yield self.path, self.of_report(content)
        if self.of_table:
            for table in content.report.tables:
                path = self.path_of(content.table_names[table.id])
                if self.is_for_table(content.report, path):
                    yield path, self.of_table(content, table)
        if self.of_parts:
            for name, data in self.of_parts(content).items():
                yield self.path_of(name), data
        if self.of_figure:
            for figure in content.report.figures:
                yield self.path_of(content.figure_names[figure.id]), self.of_figure(content, figure)
