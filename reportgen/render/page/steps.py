"""Write steps/<id>.js: the steps and the telemetry of the runs behind a table, one line per run.

A repository stays small without them: they are built, not committed. The page loads the file when a reader
opens a number; a script that assigns data is the one form that a browser loads from the disk. Only tables of
runs with steps have one.
"""

import re

import msgspec

from reportgen.core.plain_text import one_line, printable_json
from reportgen.render.outputs import Content, Output
from reportgen.render.page.step_series import run_json, runs_with_steps
from reportgen.tables.results import Table

_BEGIN = "(globalThis.reportgenSteps ??= {})["


def steps_js(content: Content, table: Table) -> bytes:
    """Return the file: a list of [run, document]."""
    runs = ([one_line(run.id), run_json(run, window)] for run, window in runs_with_steps(table))
    lines = ",\n".join(printable_json(msgspec.json.encode(run).decode("utf-8", "replace")) for run in runs)
    name = msgspec.json.encode(content.table_names[table.id]).decode()
    return f"{_BEGIN}{name}] = [\n{lines}\n];\n".encode()


OUTPUT = Output(
    path="steps/*.js",
    mark=re.compile(rb"\A" + re.escape(_BEGIN).encode()),
    of_table=steps_js,
    is_committed=False,
    is_inside_standalone=True,
    is_for_table=lambda table: bool(runs_with_steps(table)),
)
