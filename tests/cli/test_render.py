"""`reportgen render`: a report from its report.json alone."""

import json
import shutil
from pathlib import Path

import pytest

from reportgen.render.registry import filter_committed
from tests.cli.calling import call, error_of
from tests.conftest import ROOT

REPORT = ROOT / "reports" / "flux"


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_a_file_in_another_folder_gives_the_same_report(tmp_path: Path) -> None:
    shutil.copytree(REPORT, tmp_path / "elsewhere")
    call("render", str(tmp_path / "elsewhere" / "report.json"), "--out", str(tmp_path / "out"))
    committed = {name: _files(REPORT)[name] for name in filter_committed(_files(REPORT))}
    assert {Path(name).suffix for name in committed} >= {".md", ".html", ".svg", ".json"}
    rendered = _files(tmp_path / "out" / "flux")
    assert {name: rendered[name] for name in filter_committed(rendered)} == committed


def test_steps_that_are_not_beside_the_file_are_named(tmp_path: Path) -> None:
    side_files = json.loads((REPORT / "report.json").read_text("utf-8"))["side_files"]
    assert side_files
    shutil.copy(REPORT / "report.json", tmp_path)
    _, err = call("render", str(tmp_path / "report.json"), "--out", str(tmp_path / "out"))
    assert all(path in err for path in side_files)


@pytest.mark.parametrize(
    ("content", "fact"),
    [('{"version": 2, "name": "x"}', "has version 2"), ("no JSON", "is not a report.json"), (None, "cannot be read")],
)  # fmt: skip
def test_what_is_not_a_document_is_refused_by_name(tmp_path: Path, content: str | None, fact: str) -> None:
    path = tmp_path / "given.json"
    if content is not None:
        path.write_text(content)
    assert error_of("render", str(path), "--out", str(tmp_path / "out")).startswith(f"{path}: {fact}")
    assert not (tmp_path / "out").exists()
