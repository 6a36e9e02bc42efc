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
    table |= {"columns": [{}], "cells": [[cell]], "notes": [{"text": "x"}]}
    return {"version": 3, "name": "r", "tables": [table], "cases": [{"name": "a"}]}


def _twice() -> dict[str, Any]:
    document = _document()
    return {**document, "tables": document["tables"] * 2}


def _without_row() -> dict[str, Any]:
    document = _document()
    document["tables"][0]["cells"] = []
    return document


@pytest.mark.parametrize(
    ("document", "place", "fact", "remedy"),
    [
        (_document(case="b"), "tables[0].cells[0][0]", 'no case "b"', "a"),
        (_without_row(), "tables[0].cells", "0 rows of cells, but 1 heads of rows", "give each row its head"),
        (_document(notes=[1]), "tables[0].cells[0][0].notes", "no note 1: the table has 1", "count from 0"),
        ({**_document(), "name": "../x"}, "name", '"../x" cannot be the name of a folder', "use letters"),
        (_twice(), "tables[1]", '"t" is there twice', "give each a name of its own"),
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


def test_a_right_document_is_read(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(_document()))
    assert api.read_document(path).tables[0].cells[0][0].value == 2.0
