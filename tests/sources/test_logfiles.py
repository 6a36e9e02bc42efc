"""LogFiles, the view of files that readers get: in memory and on disk."""

import os
import pickle
from pathlib import Path

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.model import Source
from reportgen.sources import logfiles
from reportgen.sources.logfiles import HEAD, LogFiles

TREE = {"a/x.log": b"1", "a/b/y.log": b"22", "a-b/z.log": b"333", "top.log": b"4444"}


def on_disk(folder: Path) -> LogFiles:
    for name, content in TREE.items():
        (folder / "logs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "logs" / name).write_bytes(content)
    view, findings = LogFiles.at(folder / "logs", folder)
    assert not findings
    return view


def test_memory_and_disk_give_the_same_view(tmp_path: Path) -> None:
    memory, disk = LogFiles.of(TREE, prefix="logs"), on_disk(tmp_path)
    for view in (memory, disk):
        assert list(view) == sorted(TREE)
        assert {path: (view.bytes(path), view.size(path), view.head(path, 2)) for path in view} == {
            path: (content, len(content), content[:2]) for path, content in TREE.items()
        }
        assert view.source("a/x.log", 3) == Source("logs/a/x.log", 3)


@pytest.mark.parametrize("most", [1, 7, 4096])
def test_a_file_is_read_to_its_end_however_little_a_read_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    view, read = on_disk(tmp_path), os.read
    monkeypatch.setattr(os, "read", lambda file, size: read(file, min(size, most)))
    for path, content in TREE.items():
        assert (view.bytes(path), view.head(path, 3), view.end(path, 1)) == (
            content,
            content[:3],
            content[-1:],
        )


def test_a_file_that_cannot_be_read_to_its_end_has_no_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, read = on_disk(tmp_path), os.read
    parts = iter([1])

    def fail_after_a_part(file: int, size: int) -> bytes:
        for part in parts:
            return read(file, part)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "read", fail_after_a_part)
    with pytest.raises(OSError, match="Input/output error"):
        view.bytes("top.log")


def test_a_narrower_view_has_relative_paths_and_ids_below_the_argument() -> None:
    view = LogFiles.of(TREE, prefix="logs").subfolder("a")
    assert list(view) == ["b/y.log", "x.log"]
    assert view.children() == (["x.log"], ["b"])
    assert ("x.log" in view, "a/x.log" in view, "top.log" in view) == (True, False, False)
    assert (view.id(), view.id("x.log", 2), view.subfolder("b").id()) == ("a", "a/x.log#2", "a/b")
    assert view.subfolder("b").source("y.log") == Source("logs/a/b/y.log")
    assert view.file("b/y.log").path == "y.log"
    assert not view.file("b/y.log").is_folder


def test_views_can_be_restricted() -> None:
    view = LogFiles.of(TREE).subfolder("a")
    assert list(view.select(["x.log", "nothing"])) == ["x.log"]
    assert list(view.exclude(["x.log"])) == ["b/y.log"]
    assert view.total_size() == 3


def test_a_pickled_view_holds_only_its_files() -> None:
    view = LogFiles.of(TREE, {"f": {"k": 1}}, prefix="logs").subfolder("a")
    copy = pickle.loads(pickle.dumps(view))
    assert list(copy) == list(view)
    assert b"333" not in pickle.dumps(view)
    assert (copy.id(), copy.settings, copy.source()) == (view.id(), {"f": {"k": 1}}, view.source())


def test_settings_apply_below_their_folder() -> None:
    view = LogFiles.of(TREE).with_settings({"": {"f": {"k": 1}}, "a": {"f": {"k": 2}}})
    assert view.settings == {"f": {"k": 1}}
    assert view.subfolder("a").subfolder("b").settings == {"f": {"k": 2}}
    assert view.file("a/x.log").settings == {"f": {"k": 2}}
    assert view.subfolder("a-b").settings == {"f": {"k": 1}}


def test_a_single_file_is_an_argument_too(tmp_path: Path) -> None:
    on_disk(tmp_path)
    view, _ = LogFiles.at(tmp_path / "logs" / "top.log", tmp_path)
    assert (list(view), view.is_folder, view.id(view.path)) == (["top.log"], False, "top.log")
    assert view.source(view.path) == Source("logs/top.log")


def test_the_root_and_paths_outside_it_have_sources(tmp_path: Path) -> None:
    on_disk(tmp_path)
    assert LogFiles.at(tmp_path, tmp_path)[0].source("logs/top.log") == Source("logs/top.log")
    outside, _ = LogFiles.at(tmp_path / "logs", tmp_path / "elsewhere")
    assert outside.source("top.log") == Source("../logs/top.log")


def test_a_missing_path_is_a_request_error(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="nothing: no such file or folder"):
        LogFiles.at(tmp_path / "nothing", tmp_path)


def test_links_are_followed_inside_the_root_only(tmp_path: Path) -> None:
    root = tmp_path / "root"
    view = on_disk(root)
    (tmp_path / "secret").write_bytes(b"secret")
    (root / "logs" / "in.log").symlink_to(root / "logs" / "top.log")
    (root / "logs" / "out.log").symlink_to(tmp_path / "secret")
    (root / "logs" / "loop").symlink_to(root / "logs")
    (root / "logs" / "gone.log").symlink_to(root / "logs" / "nothing")
    (root / "logs" / ".hidden").write_bytes(b"")
    os.mkfifo(root / "logs" / "pipe")
    view, findings = LogFiles.at(root / "logs", root)
    assert list(view) == sorted([*TREE, "in.log"])
    assert [(one.severity, one.rule, one.source) for one in findings] == [
        ("warning", "read.unreadable-file", Source("logs/gone.log")),
        ("invalid", "read.unreadable-file", Source("logs/out.log")),
    ]


@pytest.mark.parametrize(
    "name", ["x.log", ".hid/x.log", "a/x.log", "../x.log", "../other/x.log", "..y/x.log"]
)
def test_a_file_keeps_the_path_that_it_has_from_the_root(tmp_path: Path, name: str) -> None:
    root = tmp_path / "root"
    place = root / name
    root.mkdir()
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(b"x")
    view, _ = LogFiles.at(place, root)
    assert str(view.source("x.log", 3)) == f"{name}:3"
    (place.parent / "out.log").symlink_to("/etc/passwd")
    view, (finding,) = LogFiles.at(place.parent, root)
    assert (str(view.source("x.log")), str(finding.source)) == (name, name.replace("x.log", "out.log"))


def test_a_linked_folder_is_listed_under_the_name_of_the_link(tmp_path: Path) -> None:
    root, (logs, runs) = tmp_path, (tmp_path / "logs", tmp_path / "runs")
    for folder in (logs / "real", logs / ".store/hidden", runs / "1", runs / "2"):
        folder.mkdir(parents=True)
        (folder / "x.log").write_bytes(folder.name.encode())
    for name, target in {
        "b": "../runs/1",
        "a": "../runs/1",  # listed under the first of both
        "hidden": ".store/hidden",
        "latest": "real",  # listed anyway
        "self": "self",
        "up": "..",
        "nowhere": "../runs/3",
    }.items():
        (logs / name).symlink_to(target)
    (runs / "1" / "other").symlink_to("../2")
    (runs / "2" / "back").symlink_to("../1")
    view, findings = LogFiles.at(logs, root)
    assert {path: view.bytes(path) for path in view} == {
        "a/other/x.log": b"2",
        "a/x.log": b"1",
        "hidden/x.log": b"hidden",
        "real/x.log": b"real",
    }
    assert [(str(one.source), one.message) for one in findings] == [
        ("logs/nowhere", "cannot be read: no such file or directory"),
        ("logs/self", "cannot be read: too many levels of symbolic links"),
        ("logs/up", "cannot be read: the link leads to a folder that contains it"),
    ]


def test_the_end_of_a_file_is_the_same_in_memory_and_on_disk(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes(content := b"begin\n" + b"\0" * 2 * HEAD + b"\nend")
    for files in (
        LogFiles.of({"x.log": content}).file("x.log"),
        LogFiles.at(tmp_path / "x.log", tmp_path)[0],
    ):
        view = files.tail_view()
        assert view is not None
        assert view.head("x.log") == content[-HEAD:]
        assert view.head("x.log", 2 * HEAD) == content[: 2 * HEAD]
        assert view.head("x.log", 3) == content[-HEAD:][:3]


def test_names_that_are_not_utf8_can_be_shown(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"bad\xff.log")).write_bytes(b"x")
    view, _ = LogFiles.at(tmp_path, tmp_path)
    (name,) = view
    assert name == r"bad\xff.log"
    assert view.bytes(name) == b"x"


@pytest.mark.parametrize("size", [0, 1, HEAD - 3, HEAD, HEAD + 1])
def test_a_byte_order_mark_is_removed(tmp_path: Path, size: int) -> None:
    (tmp_path / "x.log").write_bytes(b"\xef\xbb\xbf" + b"x" * size)
    memory = LogFiles.of({"x.log": (tmp_path / "x.log").read_bytes()})
    for folder in (memory, LogFiles.at(tmp_path, tmp_path)[0]):
        file = folder.file("x.log")
        assert file.head("x.log", 4) == b"x" * min(size, 1)
        assert (file.head("x.log"), file.bytes("x.log")) == (b"x" * min(size, HEAD - 3), b"x" * size)
        assert file.read_sibling("x.log") == (b"x" * size if size <= HEAD - 3 else None)


def test_the_head_of_a_sibling_is_read_at_any_size(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf\0" + b"x" * HEAD
    (tmp_path / "x.bin").write_bytes(content)
    (tmp_path / "x.log").write_bytes(b"")
    for folder in (LogFiles.of({"x.bin": content, "x.log": b""}), LogFiles.at(tmp_path, tmp_path)[0]):
        file = folder.file("x.log")
        assert file.read_sibling_head("x.bin", 5) == (content[:5], len(content))
        assert file.read_sibling_head("x.bin", 2 * HEAD) == (content, len(content))
        assert [file.read_sibling_head(name, 5) for name in ("y.bin", "../x.bin", "/etc/passwd")] == [
            None
        ] * 3


def test_a_large_file_gives_whole_lines_of_head_and_tail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"".join(b"line %02d\n" % number for number in range(20))
    (tmp_path / "x.log").write_bytes(content)
    disk, memory = LogFiles.at(tmp_path, tmp_path)[0], LogFiles.of({"x.log": content})
    assert all(
        view.lines_before_gap("x.log") is None and view.bytes("x.log") == content for view in (disk, memory)
    )
    monkeypatch.setattr(logfiles, "WHOLE", 60)
    monkeypatch.setattr(logfiles, "TAIL", 20)
    for view in (LogFiles.at(tmp_path, tmp_path)[0], LogFiles.of({"x.log": content})):
        assert view.bytes("x.log") == content[:40] + content[-16:]
        assert view.lines_before_gap("x.log") == 5
        assert view.head("x.log") == content


def test_a_large_file_of_one_line_gives_its_head(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logfiles, "WHOLE", 60)
    monkeypatch.setattr(logfiles, "TAIL", 20)
    view = LogFiles.of({"x": b"y" * 100, "bar": b"\r12345" * 20})
    assert (view.bytes("x"), view.lines_before_gap("x")) == (b"y" * 40, 0)
    assert (view.bytes("bar"), view.lines_before_gap("bar")) == (
        b"\r12345" * 6 + b"\r" + b"12345\r12345\r12345",
        0,
    )
