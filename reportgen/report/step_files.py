"""Make the side files of a document: steps and telemetry of the runs behind a table, one line per run.

A document holds no steps; it names these files, with their digests. The page loads the file of a table when a
reader opens a number; a script that assigns data is the one form that a browser loads from the disk. Only
tables of runs with steps have one.
"""

from collections.abc import Mapping

import msgspec

from reportgen.core.column_file import release_columns
from reportgen.core.model import Window
from reportgen.core.plain_text import one_line, printable_json
from reportgen.document.file_names import stems
from reportgen.report.step_series import run_json, runs_with_steps
from reportgen.tables.results import Report, Table

# After as many runs, the steps that were read leave the memory.
_RELEASED_AT_ONCE = 500

BEGIN = "(globalThis.reportgenSteps ??= {})["


def step_files(report: Report) -> Mapping[str, bytes]:
    """Return path -> content of the side files, relative to the folder of the report."""
    names = stems(table.id for table in report.tables)
    known: _Lines = {}
    files = ((names[table.id], _steps_js(table, names[table.id], known)) for table in report.tables)
    return {f"steps/{name}.js": content for name, content in files if content}


# The line of a run with its window: tables of several metrics show the same runs.
_Lines = dict[tuple[int, Window | None], str]


def _steps_js(table: Table, name: str, known: _Lines) -> bytes:
    """Return a list of [run, document]; empty for a table without steps."""
    lines = []
    for number, (run, window) in enumerate(runs_with_steps(table), 1):
        if number % _RELEASED_AT_ONCE == 0:
            release_columns()
        key = id(run), window
        if key not in known:
            document = [one_line(run.id), run_json(run, window)]
            known[key] = printable_json(msgspec.json.encode(document).decode("utf-8", "replace"))
        lines.append(known[key])
    if not lines:
        return b""
    joined = ",\n".join(lines)
    return f"{BEGIN}{msgspec.json.encode(name).decode()}] = [\n{joined}\n];\n".encode()
