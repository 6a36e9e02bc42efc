"""Write assets/vega.js: the library that draws the charts, once for all reports.

It comes out of the package vl-convert-python, whose import takes a second. So it is written only if there is
none of this version. It has 900 kB and is not committed: each clone builds its own.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.document.model import Document
from reportgen.render.outputs import Output

_PATH = "assets/vega.js"
_PACKAGE = "vl-convert-python"
_BEGIN = "/* Charts of reportgen: Vega, Vega-Lite and Vega-Embed"

# The address of the library from the page of a report.
FROM_A_REPORT = f"../{_PATH}"


def has_charts(report: Document) -> bool:
    """Return whether the page of a report has charts."""
    return bool(report.figures) or report.explorer is not None


def vega_js(_reports: Sequence[Document] = ()) -> bytes:
    """Return the library, which sets `vegaEmbed`."""
    return _head() + _bundle()


def _head() -> bytes:
    return (
        f"{_BEGIN}, from {_PACKAGE} {version(_PACKAGE)}.\n"
        "   Copyright University of Washington Interactive Data Lab; BSD-3-Clause license. */\n"
    ).encode()


@cache
def _bundle() -> bytes:
    from vl_convert import javascript_bundle

    return str(javascript_bundle("window.vegaEmbed = vegaEmbed;")).encode()


OUTPUT = Output(
    path=_PATH,
    mark=lazy_pattern(rb"\A" + re.escape(_BEGIN.encode())),
    of_reports=vega_js,
    is_needed=has_charts,
    is_committed=False,
    is_inside_standalone=True,
    is_current=lambda old: old.startswith(_head()),
)
