"""Every committed report.json is valid by the printed schema, as another program reads it."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from reportgen import api
from reportgen.document.model import VERSION
from tests.conftest import ROOT

REPORTS = sorted((ROOT / "reports").glob("*/report.json"))


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = json.loads(api.json_schema())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.parent.name)
def test_a_committed_report_is_valid(validator: Any, path: Path) -> None:
    assert [error.message for error in validator.iter_errors(json.loads(path.read_text("utf-8")))] == []


@pytest.mark.parametrize("document", [{"name": "a"}, {"version": 2, "name": "a"}, {"version": 5, "name": 1}])
def test_the_schema_refuses_what_is_wrong(validator: Any, document: dict[str, Any]) -> None:
    assert not validator.is_valid(document)


def test_the_documentation_has_the_version() -> None:
    assert f"`version` is {VERSION};" in (ROOT / "docs/reference/outputs.md").read_text("utf-8")
