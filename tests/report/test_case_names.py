"""Equal cases have one name, and different ones never."""

from dataclasses import replace

import pytest
from msgspec import structs

from reportgen.report.case_names import CaseNames
from reportgen.tables.results import Table
from tests.render import example

CASE = example.case(10.0, {"devices": 1, "xla": True})


def _names(*cases: object) -> list[str]:
    table = example.throughput_table()
    cells = tuple(replace(table.cells[0][0], case=case, comparison=None) for case in cases)
    shown: Table = replace(table, cells=(cells,))
    names = CaseNames((shown,))
    return [names.name(cell.case) for cell in cells if cell.case]


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (replace(CASE), True),
        (replace(CASE, factors={"xla": True, "devices": 1.0}), True),
        (replace(CASE, factors={"devices": 1, "xla": 1}), False),
        (replace(CASE, factors={"devices": "1", "xla": True}), False),
        (replace(CASE, phase="forward"), False),
        (replace(CASE, measurements=CASE.measurements[:-1]), False),
        (
            replace(
                CASE, measurements=(structs.replace(CASE.measurements[0], value=9.0), *CASE.measurements[1:])
            ),
            False,
        ),
    ],
)
def test_equal_cases_have_one_name(other: object, is_same: bool) -> None:
    first, second = _names(CASE, other)
    assert (first == second) == is_same


def test_a_case_outside_of_the_tables_has_the_name_of_an_equal_one() -> None:
    table = example.throughput_table()
    names = CaseNames((table,))
    case = table.cells[0][0].case
    assert case
    assert names.name(replace(case)) == names.name(case)
    assert names.name_or_none(replace(case, phase="other")) is None
