"""The digest of a table's definition: it changes with what decides about numbers, and with nothing else."""

from dataclasses import replace

import pytest

from reportgen.tables.spec import CompareSpec, TableSpec, definition_digest
from tests.builders import SHORT
from tests.each_of import each_of

SPEC = TableSpec(
    "a.toml",
    "a",
    "A",
    SHORT,
    where={"model": ("x",), "devices": (1, 8)},
    rows=("devices",),
    columns=("framework",),
    compare=CompareSpec("ratio", {"devices": 1}),
)


@pytest.mark.parametrize(
    "changed",
    [
        replace(SPEC, place="b.toml", id="b", title="B", digits=3, decimals=1, best_first=True),
        replace(SPEC, labels={"devices": "GPUs"}, order={"devices": (8, 1)}, notes=("x",), missing="?"),
        replace(SPEC, where={"devices": (1, 8), "model": ("x",)}),
    ],
)
def test_headings_order_and_digits_are_not_in_the_digest(changed: TableSpec) -> None:
    assert definition_digest(changed) == definition_digest(SPEC)


@each_of(
    [
        replace(SPEC, where={"model": ("y",), "devices": (1, 8)}),
        replace(SPEC, metrics=("step_time",)),
        replace(SPEC, phases=("forward",)),
        replace(SPEC, ignore=("host",)),
        replace(SPEC, pick={"batch_size": "best"}),
        replace(SPEC, totals={"both": ("forward", "backward")}),
        replace(SPEC, compare=CompareSpec("speedup", {"devices": 1})),
        replace(SPEC, compare=CompareSpec("ratio", {"devices": 2})),
        replace(SPEC, compare=None),
    ]
)
def test_what_decides_about_numbers_is_in_the_digest(changed: TableSpec) -> None:
    assert definition_digest(changed) != definition_digest(SPEC)
