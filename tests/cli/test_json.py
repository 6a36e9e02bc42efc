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


def test_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_text(
        "".join(f"iter {i}: loss 3.2202, time 8{i % 10}.76ms, mfu 16.68%\n" for i in range(1, 130))
    )
    shown = document("show", "a.log")
    assert (shown["format"], shown["status"]) == ("nanogpt", "complete")
    (steps,) = (each for each in shown["steps"] if each["unit"] == "s")
    assert steps["values"][:2] == [0.08176, 0.08276]
    assert sum(steps["measured"]) == 100
    assert shown["measurements"][0]["window"]["steps"] == 100


def test_learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.log").write_text("".join(f"step={step} time=0.{step % 10 + 1}5 s\n" for step in range(1, 140)))
    proposed = document("learn", "a.log")
    assert (proposed["lines"], proposed["matched"], proposed["written"]) == (139, 139, [])
    assert proposed["records"][0]["step"] == "1"
    assert "\n[format]\n" in proposed["toml"]
    assert proposed["runs"]["runs"][0]["steps"]["count"] == 139
    assert document("learn", "a.log", "--write", ".")["written"] == [
        "a.expected.json",
        "a.sample.log",
        "labels.toml",
    ]
