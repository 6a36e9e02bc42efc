"""The gallery shows every kind of figure and comparison, as the program makes them today."""

import shutil
import tomllib
from pathlib import Path

import pytest

import reportgen
from reportgen.document.model import FigureKind
from tests.documentation import gallery

COMMAND = "run: python -m tests.documentation.generated"
DEFINITION = tomllib.loads("\n".join(gallery.BLOCK.findall(gallery.PAGE.read_text("utf-8"))))


def test_the_gallery_has_every_kind_of_figure() -> None:
    assert {figure["kind"] for figure in DEFINITION["figures"]} == {str(kind) for kind in FigureKind}


def test_the_gallery_has_every_kind_of_comparison() -> None:
    kinds = {table["compare"]["kind"] for table in DEFINITION["tables"] if "compare" in table}
    assert kinds == {"ratio", "speedup", "efficiency", "expected"}


def test_a_block_of_the_gallery_is_short() -> None:
    blocks = gallery.BLOCK.findall(gallery.PAGE.read_text("utf-8"))
    assert [block for block in blocks if len(block.splitlines()) > 12] == []


@pytest.mark.slow
def test_tables_and_figures_of_the_gallery_are_up_to_date(tmp_path: Path) -> None:
    page = gallery.PAGE.read_text("utf-8")
    reports = gallery.write(tmp_path, page)
    reportgen.build(reports)
    assert (tmp_path / "gallery.md").read_text("utf-8") == page, COMMAND
    figures = reports / "gallery/figures"
    assert {path.name for path in gallery.FIGURES.iterdir()} == {path.name for path in figures.iterdir()}, (
        COMMAND
    )
    shutil.copytree(gallery.FIGURES, figures, dirs_exist_ok=True)
    assert reportgen.build(reports, check=True).changes == (), COMMAND
