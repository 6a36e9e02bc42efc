"""Write assets/page.js: the script of all pages, put together from modules of plain JavaScript.

Each module is a file in `templates/script/`. They share one function scope, in the order of `MODULES`, so a
module uses what an earlier one declares and adds nothing to `window`. A page has `loader.js` inside, whose
digest its content security policy names; the loader adds the script, and no other script runs.
"""

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.document.model import Document
from reportgen.render.outputs import Output
from reportgen.render.page.compare_data import compare_words
from reportgen.render.page.page_json import encoded

_TEMPLATES = Path(__file__).parent / "templates"
_BEGIN = "/* The script of the pages of reportgen."

MODULES = (
    "elements",  # h(), svg(): elements whose text stays text
    "evidence",  # the data of the page, read on demand
    "statistics",  # sums, deviations, the signed rank test
    "verdicts",  # which of two cases is faster
    "contract",  # what was held equal between two cases
    "comparisons",  # two cases compared, as `reportgen compare` does
    "tables",  # tables, cells and their addresses
    "view",  # rows, columns and bars that a table shows
    "copy",  # a table as Markdown, CSV or LaTeX
    "tools",  # the controls of a table
    "scrolls",  # what a table has beside what is seen of it
    "families",  # tables that differ in their facets only, one shown at a time
    "contents",  # the side list of sections, with search
    "strip",  # the repeats of a case as a strip plot
    "panel",  # the panel behind every number
    "ask",  # one number against another one that a reader chooses
    "command",  # the commands that check the answer, or settle it
    "measurement",  # its sections: the case in words, comparison, repeats
    "history",  # ... the number at earlier commits, from the file beside the page
    "steps",  # ... steps, phases and telemetry, from the file beside the page
    "context",  # ... findings, environment, factors
    "charts",  # draws a specification of Vega-Lite, with tooltips, legend and downloads
    "figures",  # the figures of the page as charts
    "start",  # what happens when the page is opened
)

# Run only on pages with an explorer, before the last module.
EXPLORER = (
    "explorer_data",  # the configurations that a reader explores
    "explorer_view",  # what is selected, and its address
    "explorer_table",  # the numbers of a selection, and of all configurations
    "explorer_charts",  # the charts of a selection
    "explorer_answers",  # the fastest that fits, the trade-off of two measures
    "explorer_csv",  # a selection as a file
    "explorer",  # controls, and what they change
)

# Version of what a page says to its script: the keys of its data, and the elements that the script looks for.
# A page and a script of different versions do not run together; raise it when one of them needs the other.
PAGE_VERSION = "4"

# `currentScript` is the element that the loader adds, or the script inside a standalone page.
_HEAD = f"""\
{_BEGIN} `reportgen build` writes it: change its modules, not this file. */
(() => {{
"use strict";
const own = document.currentScript.dataset;
own.serves = "{PAGE_VERSION}";
if (own.page !== own.serves) return;
const compareWords = {encoded(compare_words())};
function start() {{
"""
_TAIL = """\
}
if (document.readyState === "loading") addEventListener("DOMContentLoaded", start, { once: true });
else start();
})();
"""


@cache
def page_script() -> str:
    """Return the script of all pages."""
    *first, last = MODULES
    explorer = f'if (document.getElementById("explorer-data")) {{\n{_joined(EXPLORER)}}}\n'
    return f"{_HEAD}{_joined(first)}{explorer}{_joined([last])}{_TAIL}"


@cache
def loader() -> str:
    """Return the script inside each page, which adds assets/page.js.

    It depends on nothing, so a change of the script changes no page.
    """
    return (_TEMPLATES / "loader.js").read_text("utf-8")


def digest(script: str) -> str:
    """Return the digest of a script as a content security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _joined(names: Sequence[str]) -> str:
    return "".join((_TEMPLATES / "script" / f"{name}.js").read_text("utf-8") for name in names)


def _page_js(_reports: Sequence[Document]) -> bytes:
    return page_script().encode()


OUTPUT = Output(
    path="assets/page.js",
    mark=lazy_pattern(rb"\A" + re.escape(_BEGIN.encode())),
    of_reports=_page_js,
    is_inside_standalone=True,
)
