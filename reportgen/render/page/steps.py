"""Pass on steps/<id>.js, the side files of a document: the steps and the telemetry behind a table.

A repository stays small without them: they are built, not committed. `report.step_files` makes them, because
a document holds no steps.
"""

import re
from collections.abc import Iterator

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.stored_files import pieces_of
from reportgen.document.model import Table
from reportgen.render.outputs import Content, Output

_BEGIN = b"(globalThis.reportgenSteps ??= {})["


def steps_js(content: Content, table: Table) -> Iterator[bytes]:
    """Yield the side file of a table in pieces; none without one: the page says that it has no steps."""
    path = OUTPUT.path_of(content.table_names[table.id])
    if path in content.side_files:
        yield from pieces_of(content.side_files, path)


OUTPUT = Output(
    path="steps/*.js",
    mark=lazy_pattern(rb"\A" + re.escape(_BEGIN)),
    of_table=steps_js,
    is_committed=False,
    is_inside_standalone=True,
    is_for_table=lambda document, path: path in document.side_files,
)
