"""Pass on history.js: how the numbers of a report developed over the commits of its repository.

The file is built and not committed: a page that held its own history would be out of date with each commit,
and a clone without old commits would build another one. `reportgen.history` makes it; where there is no
history, it is empty, so that a page finds it everywhere.
"""

import re

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.document.file_names import HISTORY
from reportgen.render.outputs import NO_HISTORY, Content, Output


def history_js(content: Content) -> bytes:
    """Return the file as it was made for the report."""
    return content.history


OUTPUT = Output(
    path=HISTORY,
    mark=lazy_pattern(rb"\A" + re.escape(NO_HISTORY.partition(b"{")[0])),
    of_report=history_js,
    is_committed=False,
    is_inside_standalone=True,
)
