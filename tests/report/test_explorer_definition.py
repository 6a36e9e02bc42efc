"""`[explorer]` of a definition: its keys, and the error of each wrong one."""

from pathlib import Path

import pytest

from reportgen.core.errors import RequestError
from reportgen.report.definition import read_definition
from reportgen.tables.spec import ExplorerSpec, SwitchSpec

TABLE = '[[tables]]\nid = "t"\nrows = ["devices"]\n'
OTHER = '[[tables]]\nid = "u"\nrows = ["devices"]\n'


def read(tmp_path: Path, text: str) -> ExplorerSpec | None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    return read_definition(path, "reports/x.toml", "x", {}).explorer


def test_a_report_has_no_explorer_unless_it_asks_for_one(tmp_path: Path) -> None:
    assert read(tmp_path, TABLE) is None


def test_the_empty_table_is_enough(tmp_path: Path) -> None:
    assert read(tmp_path, f"[explorer]\n{TABLE}") == ExplorerSpec("reports/x.toml: explorer")


def test_every_key_can_be_chosen(tmp_path: Path) -> None:
    text = """
[explorer]
facets = ["model", "precision"]
compare = "device"
baseline = "V100"
x = "batch_size"
tables = "t"
more = "### Method"

[[explorer.switches]]
id = "ignore"
title = "Ignore it"
note = "Beware."
tables = ["t"]
phases = "compute"
instead_of = ["training"]
"""
    switch = SwitchSpec("ignore", "Ignore it", "Beware.", ("t",), ("compute",), ("training",))
    assert read(tmp_path, text + TABLE) == ExplorerSpec(
        "reports/x.toml: explorer",
        ("model", "precision"),
        "device",
        "batch_size",
        "V100",
        ("t",),
        (switch,),
        "### Method",
    )


SWITCH = '[[explorer.switches]]\ntitle = "S"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('body = "x.md"\n[explorer]', "explorer: [explorer] needs at least one table; add [[tables]]"),
        (f'[explorer]\ntables = ["u"]\n{TABLE}', 'explorer.tables: no table "u"; known: t'),
        (f'[explorer]\nfacet = ["a"]\n{TABLE}', 'explorer.facet: no such key; did you mean "facets"?'),
        (
            f'[explorer]\nfacets = ["a"]\nx = "a"\n{TABLE}',
            'explorer: "a" is named twice in facets, compare and x; keep it in one of them',
        ),
        (
            f'[explorer]\nfacets = ["phase"]\n{TABLE}',
            'explorer: "phase" is not a factor; charts show metrics and phases',
        ),
        (
            f'{SWITCH}id = "s"\n{TABLE}',
            "explorer.switches[0]: switches nothing; add tables, phases or instead_of",
        ),
        (
            f'{SWITCH}id = "a b"\ntables = "t"\n{TABLE}',
            'explorer.switches[0].id: "a b" cannot be part of an address; use letters, digits, - and _',
        ),
        (f'{SWITCH}id = "s"\ntables = "u"\n{TABLE}', 'explorer.switches[0].tables: no table "u"; known: t'),
        (
            f'[explorer]\ntables = "t"\n{SWITCH}id = "s"\ntables = "u"\n{TABLE}{OTHER}',
            'explorer.switches[0].tables: no table "u"; known: t',
        ),
        (
            f'{SWITCH}id = "s"\ntables = "t"\n{SWITCH}id = "s"\ntables = "t"\n{TABLE}',
            'explorer.switches[1].id: "s" is already used; choose another',
        ),
    ],
)
def test_wrong_keys_are_errors(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RequestError) as error:
        read(tmp_path, text)
    assert str(error.value) == f"reports/x.toml: {message}"
