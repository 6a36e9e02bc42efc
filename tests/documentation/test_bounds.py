"""The bounds on the page of the threat model are those in the code."""

import re
from importlib import import_module
from pathlib import Path

from tests.each_of import each_row

PAGE = Path(__file__).parents[2] / "docs/developers/threat-model.md"
ROWS = re.findall(r"\| ([\d,]+)( [KMG]iB)? \| `([\w/]+)\.py` `(\w+)` \|", PAGE.read_text("utf-8"))
UNITS = {"": 1, " KiB": 2**10, " MiB": 2**20, " GiB": 2**30}


def test_all_bounds_of_the_page_are_compared() -> None:
    assert len(ROWS) == PAGE.read_text("utf-8").count(".py` `")


@each_row(ROWS)
def test_a_bound_on_the_page_is_in_the_code(number: str, unit: str, module: str, name: str) -> None:
    assert (
        getattr(import_module(module.replace("/", ".")), name) == int(number.replace(",", "")) * UNITS[unit]
    )
