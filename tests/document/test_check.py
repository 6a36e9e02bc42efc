"""A document of another program whose parts do not fit together is refused with place, fact and remedy."""

import json
from pathlib import Path
from typing import Any

import pytest

from reportgen import api
from reportgen.core.errors import RequestError


def _document(**changes: object) -> dict[str, Any]:
    """Return a document of one table of one number; changes are made in its only cell."""
    cell = {"value": 2.0, "case": "a", **changes}
    table = {"id": "t", "row_factors": ["n"], "row_titles": [{"text": "n"}], "rows": [{"key": [1]}]}
    table |= {"columns": [{}], "cells": [[cell]]}
    notes = {"gap": {"text": "x"}}
    return {"version": 5, "name": "r", "tables": [table], "cases": [{"name": "a"}], "notes": notes}


def _twice() -> dict[str, Any]:
    document = _document()
    return {**document, "tables": document["tables"] * 2}


def _without_row() -> dict[str, Any]:
    document = _document()
    document["tables"][0]["cells"] = []
    return document


def _figure(**changes: object) -> dict[str, Any]:
    figure = {
        "id": "f",
        "title": "F",
        "kind": "bar",
        "series": [{"name": "a", "x": ["x"], "y": [1.0]}],
        **changes,
    }
    return {**_document(), "figures": [figure]}


def _table(**changes: object) -> dict[str, Any]:
    document = _document()
    document["tables"][0] |= changes
    return document


def _compared(**changes: object) -> dict[str, Any]:
    compared = {"kind": "ratio", "baseline": "a", "value": 1.0, **changes}
    return {**_table(comparisons={"a": "c"}), "comparisons": {"c": compared}}


def _explorer(**changes: object) -> dict[str, Any]:
    factor = {"name": "gpu", "title": "GPU", "values": ["a"], "labels": ["A"]}
    measure = {"metric": "latency", "phase": "step", "title": "Latency", "label": "L", "unit": _SECONDS}
    explorer = {
        "factors": [factor],
        "measures": [measure],
        "charts": [{"id": "c", "title": "C", "measures": [0]}],
        "switches": [{"id": "s", "title": "S"}],
        "configurations": [{"values": ["a"], "cells": [None]}],
    }
    return {**_document(), "explorer": explorer | changes}


_SECONDS = {"name": "s", "base": "s", "factor": 1.0}
_SECONDS_OF_NO_SIZE = {"name": "s", "base": "s", "factor": 0.0}


@pytest.mark.parametrize(
    ("document", "place", "fact", "remedy"),
    [
        (_document(case="b"), "tables[0].cells[0][0]", 'no case "b"', "a"),
        (_explorer(compared=1), "explorer.compared", "no position 1: there are 1", "count from 0"),
        (_explorer(compared=0, baseline=1), "explorer.baseline", "no position 1: there are 1", "count from 0"),
        (
            _explorer(charts=[{"id": "c", "title": "C", "measures": [1]}]),
            "explorer.charts[0].measures", "no position 1: there are 1", "count from 0",
        ),
        (
            _explorer(switches=[{"id": "s", "title": "S", "instead_of": [-1]}]),
            "explorer.switches[0].instead_of", "no position -1: there are 1", "count from 0",
        ),
        (
            _explorer(configurations=[{"values": ["a"], "cells": []}]),
            "explorer.configurations[0].cells", "0 values, but 1 are needed", "its value",
        ),
        (
            _explorer(configurations=[{"values": ["aa"], "cells": [None]}]),
            "explorer.configurations[0].values", 'no value "aa" of "gpu"', "did you mean",
        ),
        (
            _explorer(factors=[{"name": "g", "title": "G", "values": ["a", "a\n"], "labels": ["A", "B"]}]),
            "explorer.factors[0].values[1]", "\"'a'\" is there twice", "a name of its own",
        ),
        (_explorer(others=["cpu"]), "explorer.configurations[0].others", "0 values, but 1", "its value"),
        (_without_row(), "tables[0].cells", "0 rows of cells, but 1 heads of rows", "give each row its head"),
        (_document(notes=["gaps"]), "tables[0].cells[0][0].notes", 'no note "gaps"', "gap"),
        ({**_document(), "name": "../x"}, "name", '"../x" cannot be the name of a folder', "use letters"),
        (_twice(), "tables[1]", '"t" is there twice', "give each a name of its own"),
        (_figure(unit=_SECONDS_OF_NO_SIZE), "figures[0].unit", "the factor is 0", "above 0"),
        (_figure(kind="waterfall"), "figures[0].series[0].low", "a bar without its ends", "low and high"),
        (_table(rows=[{"is_mean": True}]), "tables[0].rows[0].labels", "0 values, but 1", "give each row"),
        (_table(row_titles=[]), "tables[0].row_titles", "0 values, but 1", "give each row"),
        (_table(columns=[], cells=[[]]), "tables[0].columns", "rows without columns", "one column"),
        (_table(decimals=1000), "tables[0].decimals", "is 1000", "use 0 to 30"),
        (_document(value=1e301), "tables[0].cells[0][0]", "a number above 1e+300", "leave it out"),
        (_compared(baseline=""), "comparisons.c.baseline", 'no case ""', "a"),
        (_table(comparisons={"a": "c"}), "tables[0].comparisons.a", 'no comparison "c"', "there are none"),
        ({**_table(comparisons={"b": "c"}), "comparisons": _compared()["comparisons"]}, "tables[0].comparisons", 'no case "b"', "a"),
        (
            _compared(cycles={"speed_ratio": 0.0}),
            "comparisons.c", "a ratio of speeds that is not above 0", "leave it out",
        ),
        ({**_document(), "name": "r" * 300}, "name", '"rrr', "use letters"),
        (_document(value=None), "tables[0].cells[0][0]", "a number without a value", "give a value"),
        (
            _document(unit={"name": "s", "base": "s", "factor": 0.0}),
            "tables[0].cells[0][0].unit", "the factor is 0", "use a factor above 0",
        ),
    ],
)  # fmt: skip
def test_a_wrong_document_is_refused(
    tmp_path: Path, document: dict[str, Any], place: str, fact: str, remedy: str
) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(document))
    with pytest.raises(RequestError) as error:
        api.read_document(path)
    text = str(error.value)
    assert text.startswith(f"{path}: {place}: {fact}")
    assert remedy in text.removeprefix(f"{path}: {place}: {fact}")


@pytest.mark.parametrize(
    "content", [b'{"version":3,"name":"\xff"}', b'{"version":2,"tables":[{}]}', b'{"version":2,"verdict":5}']
)
def test_what_is_not_a_document_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    with pytest.raises(RequestError, match=r"is not a report\.json"):
        api.read_document(path)


def test_a_right_document_is_read(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(_document()))
    assert api.read_document(path).tables[0].cells[0][0].value == 2.0
