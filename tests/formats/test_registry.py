"""A file's marks decide which formats are asked: the result must be the same as from all formats."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Format
from reportgen.formats.detection import detect
from reportgen.formats.registry import FORMATS, Registry
from reportgen.sources.logfiles import HEAD, LogFiles
from tests.conftest import IS_THOROUGH
from tests.each_of import each_of
from tests.formats.valid_logs import SETTINGS, VALID_LOGS

ALL_ASKED = Registry(replace(known, marks=()) for known in FORMATS)
SINGLE = [(name, path) for name, contents in VALID_LOGS.items() for path in contents]


def answers(view: LogFiles) -> tuple[object, object]:
    """Return the format detected by marks, and the one detected by asking every format."""
    return tuple(
        found and (found.format.name, found.claim, found.rivals)
        for found in (detect(view), detect(view, ALL_ASKED))
    )


@each_of(SINGLE, [{}, SETTINGS])
def test_marks_do_not_change_the_detected_format(place: tuple[str, str], settings: dict[str, object]) -> None:
    name, path = place
    by_marks, by_asking = answers(LogFiles.of(VALID_LOGS[name], settings).file(path))
    assert by_marks == by_asking


@pytest.mark.parametrize(
    ("views", "asked"), [("files", "file"), ("folders", "folder"), ("both", "file folder")]
)
def test_a_format_is_asked_about_its_kind_of_view_only(views: str, asked: str) -> None:
    registry = Registry([Format("x", "", lambda files: None, lambda files: iter(()), views=views)])
    folder = LogFiles.of({"d/x.log": b""})
    kinds = {"file": folder.file("d/x.log"), "folder": folder}
    assert [kind for kind, view in kinds.items() if list(registry.candidates(view))] == asked.split()


@given(st.sampled_from(SINGLE), st.data())
def test_marks_do_not_change_the_detected_format_for_pieces_of_logs(
    place: tuple[str, str], cut: st.DataObject
) -> None:
    content = VALID_LOGS[place[0]][place[1]]
    begin = cut.draw(st.integers(0, len(content)))
    end = cut.draw(st.integers(begin, len(content)))
    by_marks, by_asking = answers(LogFiles.of({"x.log": content[begin:end]}).file("x.log"))
    assert by_marks == by_asking


def test_marks_do_not_change_the_detected_format_for_real_logs(corpus: Path) -> None:
    files, _ = LogFiles.at(corpus, corpus)
    paths = list(files)[:: 1 if IS_THOROUGH else 8]
    differing = [path for path in paths if len(set(map(str, answers(files.file(path))))) > 1]
    assert paths
    assert not differing


@each_of(known for known in FORMATS if known.marks)
def test_a_claimed_file_has_a_mark_in_its_name_or_head(known: object) -> None:
    claimed = 0
    for name, path in SINGLE:
        view = LogFiles.of(VALID_LOGS[name], SETTINGS if name in ("custom", "table") else {}).file(path)
        if known.claims(view):
            claimed += 1
            assert any(mark in path.encode() + b"\n" + view.head(view.path, HEAD) for mark in known.marks)
    assert claimed, "VALID_LOGS has no file that this format claims"


def test_marks_are_matched_among_any_bytes() -> None:
    registry = Registry(
        Format(mark.decode(), "", lambda files: None, lambda files: iter(()), marks=(mark, b"DLL "))
        for mark in (b"DLL", b"a.b", b"\\", b"[x](")
    )

    def asked(content: bytes) -> list[str]:
        return [known.name for known in registry.candidates(LogFiles.of({"x": content}).file("x"))]

    assert asked(b"\xff\x00DLL-a+b\xc3[x](") == ["DLL", "[x]("]
    assert asked(b"\\a.b") == ["a.b", "\\"]
    assert asked(b"DLL ") == ["DLL", "a.b", "\\", "[x]("]
    assert asked(b"") == []


ENDS = {
    "an error": b"RuntimeError: CUDA error: an illegal memory access\n",
    "an error in colours": b"RuntimeError: CUDA \x1b[31merror: an illegal memory access\x1b[0m\n",
    "an error with a NUL": b"RuntimeError: CUDA\0 error: an illegal memory access\n",
    "an error between Windows line ends": b"last line\r\nKilled\r\n",
    "a warning in colours": b"NCCL INFO \x1b[33mUsing network Socket\n",
    "nothing": b"",
}


@pytest.mark.parametrize("end", ENDS)
def test_a_log_reads_alike_with_and_without_the_search_for_its_literals(end: str) -> None:
    """The search of the head also decides whether errors and warnings are searched for."""
    for name, path in SINGLE:
        content = {path: VALID_LOGS[name][path] + ENDS[end]}
        searched = detect(LogFiles.of(content, SETTINGS).file(path))
        if searched:
            alone = LogFiles.of(content, SETTINGS).file(path).select(searched.files, searched.claim.beside)
            assert comparable(searched.format.read(searched.files)) == comparable(searched.format.read(alone))


def comparable(items: Iterable[Run | Finding]) -> list[object]:
    return [
        (item.id, item.status, item.findings, item.factors, len(item.series))
        if isinstance(item, Run)
        else item
        for item in items
    ]


def test_the_search_of_a_head_says_nothing_about_a_longer_file() -> None:
    late = LogFiles.of({"a.log": b"." * HEAD + b"\nKilled\n"}).file("a.log")
    short = LogFiles.of({"a.log": b"\nKilled\n"}).file("a.log")
    for view in (late, short):
        list(FORMATS.candidates(view))
    assert (late.literals("a.log"), short.literals("a.log")) == (None, {b"\nKilled\n"})
