"""Commands that describe something print it as JSON too."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import call


def document(*arguments: str) -> dict[str, Any]:
    out, _ = call(*arguments, "--format", "json")
    read = json.loads(out)
    assert read.pop("version") == 1
    return read


def test_rules_and_explain() -> None:
    rules = {each["rule"]: each for each in document("rules")["rules"]}
    assert rules["protocol.gap"]["severities"] == ["note", "warning"]
    explained = document("explain", "protocol.gap")
    assert explained.pop("page").startswith("# protocol.gap")
    assert explained == rules["protocol.gap"]


def test_formats(repository: Path) -> None:
    known = {each["format"] for each in document("formats")["formats"]}
    assert {"published", "native", "tqdm"} <= known
    (claim,) = document("formats", "--explain", str(repository / "logs/rates"))["claims"]
    assert (claim["format"], claim["source"]["path"].rpartition("/")[2]) == ("published", "source.toml")


def test_init(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    (repository / "reports/frameworks.toml").unlink()
    written = document("init")
    assert written["campaigns"] == ["logs/rates"]
    assert "reports/rates.toml" in written["written"]


def test_expected(tmp_path: Path) -> None:
    (tmp_path / "expected.toml").write_text(
        '[systems]\na = { d = "A" }\nb = { d = "B" }\n'
        '[[fact]]\nof = "a"\nto = "b"\nspeed = 0.5\nsource = "s"\nwhere = { devices = 8 }\n'
    )
    speed = document("expected", "a", "b", "--where", "devices=8", "--reports", str(tmp_path))
    assert (speed["target"], speed["reference"], speed["speed"]) == ("a", "b", 0.5)
    assert speed["paths"][0][0]["source"] == "s"
