"""The outputs of a report.

A new output is one file in `markdown`, `page` or `data`, one line here, and a row in
docs/reference/outputs.md.

`publish` asks here which files it may replace or remove: those whose path an output writes and whose
content carries the mark of that output.
"""

from collections.abc import Iterable, Sequence
from importlib import import_module

from reportgen.render.outputs import Output

# Modules of this package.
_MODULES = (
    "markdown.readme",  # README.md of a report
    "markdown.table_page",  # tables/*.md
    "page.html",  # index.html
    "data.report_json",  # report.json
    "data.csv",  # tables/*.csv
    "data.acceptance_csv",  # acceptance.csv
    "data.svg",  # figures/*.svg
    "page.steps",  # steps/*.js
    "page.history",  # history.js
    "page.evidence_files",  # evidence/*.js
    "page.page_script",  # assets/page.js, for all reports
    "page.page_style",  # assets/page.css, for all reports
    "page.library",  # assets/vega.js, for all reports
    "markdown.index",  # README.md of all reports
    "page.index_page",  # index.html of all reports
)

OUTPUTS: tuple[Output, ...] = tuple(import_module(f"{__package__}.{name}").OUTPUT for name in _MODULES)


def is_output_path(path: str) -> bool:
    """Return whether a build gives files such a path."""
    return any(output.writes(path) for output in OUTPUTS)


def shared_paths() -> list[str]:
    """Return the paths of the files for all reports, relative to their folder."""
    return [output.path for output in OUTPUTS if output.of_reports]


def report_patterns() -> list[str]:
    """Return the paths of the files of a report as patterns, relative to its folder."""
    return [output.path for output in OUTPUTS if not output.of_reports]


def filter_committed(paths: Iterable[str]) -> list[str]:
    """Return the files that belong into the repository, and are not built by each clone."""
    built = [output for output in OUTPUTS if not output.is_committed]
    return [path for path in paths if not any(output.writes(path) for output in built)]


def is_generated(path: str, content: bytes) -> bool:
    """Return whether the file carries the mark of an output that writes such a path."""
    return any(output.writes(path) and output.mark.search(content) for output in OUTPUTS)


def is_intact(path: str, old: bytes) -> bool:
    """Return False for an old file that was edited by hand, if its output can detect that."""
    return all(output.is_intact(old) for output in OUTPUTS if output.writes(path))


def keeps_edited(path: str) -> bool:
    """Return whether a build keeps the text of an edited file."""
    return any(output.keeps_edited for output in OUTPUTS if output.writes(path))


def is_listing(path: str) -> bool:
    """Return whether the file holds a list of generated files."""
    return any(output.listed for output in OUTPUTS if output.writes(path))


def listed(path: str, content: bytes) -> Sequence[str]:
    """Return the generated files that a file lists, relative to its folder."""
    return [
        name for output in OUTPUTS if output.listed and output.writes(path) for name in output.listed(content)
    ]
