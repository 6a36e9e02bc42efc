"""The script of index.html: modules of plain JavaScript, put together without a build step.

Each module is a file in `templates/script/`. They share one function scope, in the order of `MODULES`, so a
module uses what an earlier one declares and adds nothing to `window`. The page's content security policy
names the digest of the script; no other script inside the page runs.
"""

import base64
import hashlib
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "templates" / "script"

MODULES = (
    "elements",  # h(), svg(): elements whose text stays text
    "evidence",  # the data of the page, read on demand
    "tables",  # tables, cells and their addresses
    "view",  # rows, columns and bars that a table shows
    "copy",  # a table as Markdown, CSV or LaTeX
    "tools",  # the controls of a table
    "families",  # tables that differ in their facets only, one shown at a time
    "contents",  # the side list of sections, with search
    "strip",  # the repeats of a case as a strip plot
    "panel",  # the panel behind every number
    "measurement",  # its sections: the case in words, comparison, repeats
    "steps",  # ... steps, phases and telemetry, from the file beside the page
    "context",  # ... findings, environment, factors
    "charts",  # draws a specification of Vega-Lite, with tooltips, legend and downloads
    "figures",  # the figures of the page as charts
    "start",  # what happens when the page is opened
)

# Only on pages with an explorer, before the last module.
EXPLORER = (
    "explorer_data",  # the configurations that a reader explores
    "explorer_view",  # what is selected, and its address
    "explorer_table",  # the numbers of a selection, and of all configurations
    "explorer_charts",  # the charts of a selection
    "explorer_answers",  # the fastest that fits, the trade-off of two measures
    "explorer_csv",  # a selection as a file
    "explorer",  # controls, and what they change
)


@cache
def page_script(*, has_explorer: bool = False) -> str:
    """Return the script."""
    *first, last = MODULES
    names = (*first, *(EXPLORER if has_explorer else ()), last)
    modules = "\n".join((_FOLDER / f"{name}.js").read_text("utf-8") for name in names)
    return f'(() => {{\n"use strict";\n{modules}}})();\n'


def digest(script: str) -> str:
    """Return the digest of a script as a content security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
