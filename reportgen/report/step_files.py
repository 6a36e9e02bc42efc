"""Make the side files of a document: steps and telemetry of the runs behind a table, one line per run.

A document holds no steps; it names these files, with their digests. The page loads the file of a table when a
reader opens a number; a script that assigns data is the one form that a browser loads from the disk. Only
tables of runs with steps have one.
"""

from collections.abc import Iterator, Sequence

import msgspec

from reportgen.core.column_file import release_columns
from reportgen.core.plain_text import one_line, printable_json
from reportgen.core.stored_files import StoredFiles
from reportgen.document.file_names import stems
from reportgen.report.step_series import MeasuredSteps, run_json, runs_with_steps
from reportgen.tables.results import Report

# After as many runs, the steps that were read leave the memory.
_RELEASED_AT_ONCE = 500

BEGIN = "(globalThis.reportgenSteps ??= {})["


def step_files_of(report: Report) -> StoredFiles:
    """Return path -> content of the side files, relative to the folder of the report."""
    names = stems(table.id for table in report.tables)
    files, lines = StoredFiles(), StoredFiles()
    for table in report.tables:
        runs = runs_with_steps(table)
        if runs:
            files.add(f"steps/{names[table.id]}.js", _steps_js(runs, names[table.id], lines))
    return files


def _steps_js(runs: Sequence[MeasuredSteps], name: str, lines: StoredFiles) -> Iterator[bytes]:
    """Yield the parts of a list of [run, document]."""
    yield f"{BEGIN}{msgspec.json.encode(name).decode()}] = [\n".encode()
    for number, (run, window) in enumerate(runs):
        if number % _RELEASED_AT_ONCE == 0:
            release_columns()
        # Tables of several metrics show the same runs.
        key = f"{id(run)} {id(window)}"
        if key not in lines:
            document = [one_line(run.id), run_json(run, window)]
            lines.add(key, printable_json(msgspec.json.encode(document).decode("utf-8", "replace")).encode())
        yield (b",\n" if number else b"") + lines[key]
    yield b"\n];\n"
