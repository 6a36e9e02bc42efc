"""The only writer of files: atomic, minimal, and it removes nothing but its own."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen import publish
from reportgen.errors import RequestError
from reportgen.publish import Change
from reportgen.render import svg

FIGURE = svg.stamped(b"<svg><path d='M 1 2'/></svg>", "ab" * 32)
OUTPUTS = {
    "README.md": b"# 1\n",
    "index.html": b"<p>1</p>",
    "report.json": b'{"version": 1}',
    "tables/a.csv": b"a\n1\n",
    "figures/a.svg": FIGURE,
}


def _content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_what_is_written_is_up_to_date_afterwards(tmp_path: Path) -> None:
    assert publish.compare(OUTPUTS, tmp_path) == [Change(path, "new") for path in sorted(OUTPUTS)]
    assert publish.apply(OUTPUTS, tmp_path) == [Change(path, "new") for path in sorted(OUTPUTS)]
    assert _content(tmp_path) == OUTPUTS
    assert publish.compare(OUTPUTS, tmp_path, owned=OUTPUTS) == []


def test_compare_writes_nothing(tmp_path: Path) -> None:
    publish.compare(OUTPUTS, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_unchanged_files_are_not_touched(tmp_path: Path) -> None:
    publish.apply(OUTPUTS, tmp_path)
    before = {path: (tmp_path / path).stat().st_ino for path in OUTPUTS}
    publish.apply(OUTPUTS | {"README.md": b"# 2\n"}, tmp_path)
    changed = [path for path in OUTPUTS if (tmp_path / path).stat().st_ino != before[path]]
    assert changed == ["README.md"]


@pytest.mark.parametrize("path", sorted(OUTPUTS))
def test_one_touched_digit_is_reported_in_every_kind_of_file(tmp_path: Path, path: str) -> None:
    publish.apply(OUTPUTS, tmp_path)
    file = tmp_path / path
    old = file.read_bytes()
    place = max(old.rfind(digit) for digit in b"12")
    file.write_bytes(old[:place] + b"7" + old[place + 1 :])
    what = "edited" if path.endswith(".svg") else "changed"
    assert publish.compare(OUTPUTS, tmp_path) == [Change(path, what)]
    publish.apply(OUTPUTS, tmp_path)
    assert file.read_bytes() == old


def test_a_figure_of_the_same_content_is_not_rewritten(tmp_path: Path) -> None:
    publish.apply(OUTPUTS, tmp_path)
    redrawn = svg.stamped(b"<svg><path d='M 1 2 z'/></svg>", "ab" * 32)
    assert publish.apply(OUTPUTS | {"figures/a.svg": redrawn}, tmp_path) == []
    assert (tmp_path / "figures/a.svg").read_bytes() == FIGURE


def test_a_figure_of_other_content_is(tmp_path: Path) -> None:
    publish.apply(OUTPUTS, tmp_path)
    other = svg.stamped(b"<svg/>", "cd" * 32)
    changes = publish.apply(OUTPUTS | {"figures/a.svg": other}, tmp_path)
    assert changes == [Change("figures/a.svg", "changed")]


def test_orphans_are_removed_with_their_empty_folders_and_nothing_else(tmp_path: Path) -> None:
    publish.apply(OUTPUTS | {"old/tables/b.csv": b"", "old/notes.md": b"mine"}, tmp_path)
    owned = [*OUTPUTS, "old/tables/b.csv", "old/notes.md", "../outside", "gone/README.md"]
    outside = tmp_path.parent / "outside"
    outside.write_bytes(b"")
    assert publish.apply(OUTPUTS, tmp_path, owned=owned) == [Change("old/tables/b.csv", "removed")]
    assert _content(tmp_path) == OUTPUTS | {"old/notes.md": b"mine"}
    assert not (tmp_path / "old/tables").exists()
    assert outside.exists()


@pytest.mark.parametrize("failing", range(1, 5))  # the figure stays as it is
def test_a_full_disk_leaves_the_old_files_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    publish.apply(OUTPUTS | {"tables/orphan.csv": b"x"}, tmp_path)
    before = _content(tmp_path)
    calls = 0

    def fsync(handle: int) -> None:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)
    new = {path: content.replace(b"1", b"2") for path, content in OUTPUTS.items()}
    with pytest.raises(RequestError, match="cannot be written: No space left on device"):
        publish.apply(new, tmp_path, owned=["tables/orphan.csv"])
    assert _content(tmp_path) == before


def test_no_folder_on_the_way_may_be_a_link(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "tables").symlink_to(elsewhere)
    with pytest.raises(RequestError, match="tables: is a symbolic link; replace it by a folder"):
        publish.apply(OUTPUTS, folder)
    assert list(elsewhere.iterdir()) == []
    assert sorted(path.name for path in folder.iterdir()) == ["tables"]


def test_a_file_that_is_a_link_is_replaced_and_its_target_left(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(OUTPUTS["README.md"])
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "README.md").symlink_to(target)
    assert Change("README.md", "changed") in publish.apply(OUTPUTS | {"README.md": b"new"}, folder)
    assert not (folder / "README.md").is_symlink()
    assert target.read_bytes() == OUTPUTS["README.md"]


def test_permissions_of_a_replaced_file_are_kept(tmp_path: Path) -> None:
    publish.apply({"README.md": b"1"}, tmp_path)
    (tmp_path / "README.md").chmod(0o640)
    publish.apply({"README.md": b"2"}, tmp_path)
    assert (tmp_path / "README.md").stat().st_mode & 0o777 == 0o640


def test_create_touches_nothing_that_exists(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"mine")
    assert publish.create({"a": b"ours", "b/c": b"ours"}, tmp_path) == ["b/c"]
    assert (tmp_path / "a").read_bytes() == b"mine"


def test_a_folder_in_the_way_is_an_error_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "README.md").mkdir()
    with pytest.raises(RequestError, match="cannot be written"):
        publish.apply({"README.md": b"1"}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_nothing_heavy_is_imported_before_something_is_rendered() -> None:
    code = "import sys, reportgen.publish, reportgen.render; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert not {"matplotlib", "jinja2", "markdown", "pandas"} & set(modules.split())
