"""The gallery shows every kind of figure and comparison, as the program makes them today."""

import tomllib
from pathlib import Path

import pytest

import reportgen
from reportgen.document.model import FigureKind
from reportgen.render.figures import digest
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
    drawn, kept = contents(reports / "gallery/figures"), contents(gallery.FIGURES)
    assert drawn.keys() == kept.keys(), COMMAND
    # As a build decides: another matplotlib may draw the same with other bytes.
    assert [name for name in kept if not digest.is_up_to_date(kept[name], drawn[name])] == [], COMMAND


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
