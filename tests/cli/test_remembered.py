"""Answers of `runs` from the cache: the same bytes, and none that anything could have changed."""

import os
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import pytest

from reportgen import cli
from reportgen.cache import answers, cache_folder, inputs
from reportgen.cli import terminal
from reportgen.cli.remembered import KeptStream
from tests.cli.calling import call
from tests.formats.valid_logs import NANOGPT

ARGUMENTS = ("runs", "logs/a", "--format", "json")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: a log in logs/a, an empty cache, and files that are old at once."""
    work = tmp_path / "work"
    (work / "logs" / "a").mkdir(parents=True)
    (work / "logs" / "a" / "x.log").write_bytes(NANOGPT)
    monkeypatch.chdir(work)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(inputs, "YOUNG_SECONDS", 0.0)
    return work


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Count how often the program itself runs when a command is called."""
    count = 0
    run = cli._run

    def counted() -> None:
        nonlocal count
        count += 1
        run()

    monkeypatch.setattr(cli, "_run", counted)

    def reads(*arguments: str, code: int = 0) -> int:
        before = count
        call(*arguments, code=code)
        return count - before

    return reads


@pytest.mark.parametrize("options", [[], ["--format=csv"], ["--format", "json"], ["--skipped"]])
def test_an_answer_has_the_same_bytes_as_reading(
    folder: Path, reads: Callable[..., int], options: list[str]
) -> None:
    (folder / "logs" / "a" / "caf\u00e9.txt").write_text("no log\n")
    read = call("runs", "logs/a", *options, "--no-cache")
    assert reads("runs", "logs/a", *options) == 1
    assert call("runs", "logs/a", *options) == read
    assert reads("runs", "logs/a", *options) == 0


def test_the_exit_code_of_findings_is_stored_and_that_of_errors_is_not(
    folder: Path, reads: Callable[..., int]
) -> None:
    (folder / "logs" / "a" / "y.log").write_bytes(NANOGPT)  # a copy is a warning
    assert [reads("runs", "logs/a", "--strict", code=4) for _ in range(2)] == [1, 0]
    assert [reads("runs", "logs/a", "--where", "nothing", code=1) for _ in range(2)] == [1, 1]
    assert [reads("runs", "logs/missing", code=1) for _ in range(2)] == [1, 1]
    assert [reads("runs", "logs/a", "--unknown", code=2) for _ in range(2)] == [1, 1]


def _same_size_and_time(log: Path) -> None:
    status = log.stat()
    log.write_bytes(log.read_bytes()[:-2] + b"9\n")
    os.utime(log, ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "content of the same size and time": lambda folder: _same_size_and_time(folder / "logs/a/x.log"),
    "another file": lambda folder: (folder / "logs/a/z.txt").write_text("new"),
    "no file": lambda folder: (folder / "logs/a/x.log").unlink(),
    "another name": lambda folder: (folder / "logs/a/x.log").rename(folder / "logs/a/z.log"),
    "labels": lambda folder: (folder / "logs/a/labels.toml").write_text('[constants]\nmodel = "x"\n'),
    "labels above": lambda folder: (folder / "logs/labels.toml").write_text('[constants]\nmodel = "x"\n'),
    "labels of the root": lambda folder: (folder / "labels.toml").write_text('[constants]\nmodel = "x"\n'),
    "permissions": lambda folder: (folder / "logs/a/x.log").chmod(0o600),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_read_again(folder: Path, reads: Callable[..., int], change: str) -> None:
    assert [reads(*ARGUMENTS) for _ in range(2)] == [1, 0]
    CHANGES[change](folder)
    assert call(*ARGUMENTS) == call(*ARGUMENTS, "--no-cache")
    assert reads(*ARGUMENTS) == 0


def test_labels_that_changed_are_read_again(folder: Path) -> None:
    labels = folder / "labels.toml"
    for name in ("one", "two"):  # of the same size
        labels.write_text(f'[constants]\nmodel = "{name}"\n')
        assert f'"model": "{name}"' in call(*ARGUMENTS)[0]


def test_another_question_is_not_answered(
    folder: Path, reads: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reads(*ARGUMENTS) == 1
    assert reads("runs", "logs", "--format", "json") == 1
    assert reads(*ARGUMENTS, "--protocol", "1+2x3") == 1
    monkeypatch.chdir("logs")
    assert reads("runs", "a", "--format", "json") == 1
    assert reads(*ARGUMENTS[:1], "*", *ARGUMENTS[2:]) == 1


def test_the_answer_of_another_program_is_not_used(
    folder: Path, reads: Callable[..., int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "program"
    (package / "cache").mkdir(parents=True)
    (package / "x.py").write_text("1")
    monkeypatch.setattr(inputs, "__file__", str(package / "cache" / "inputs.py"))
    assert [reads(*ARGUMENTS) for _ in range(2)] == [1, 0]
    (package / "x.py").write_text("2")
    assert [reads(*ARGUMENTS) for _ in range(2)] == [1, 0]
    monkeypatch.setattr(sys, "version", "another")
    assert reads(*ARGUMENTS) == 1


def test_young_files_are_not_stored(
    folder: Path, reads: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "YOUNG_SECONDS", 2.0)
    assert [reads(*ARGUMENTS) for _ in range(2)] == [1, 1]
    monkeypatch.setattr(inputs, "YOUNG_SECONDS", 0.0)
    future = 2**32
    os.utime(folder / "logs/a/x.log", (future, future))
    assert [reads(*ARGUMENTS) for _ in range(2)] == [1, 1]


def test_a_file_that_changes_while_it_is_read_is_not_stored(
    folder: Path, reads: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, log = cli._run, folder / "logs/a/x.log"

    def growing() -> None:
        try:
            run()
        finally:
            log.write_bytes(log.read_bytes() + b"\n")

    monkeypatch.setattr(cli, "_run", growing)
    call(*ARGUMENTS)
    monkeypatch.setattr(cli, "_run", run)
    assert not answers.Answers(cache_folder()).sizes()


def test_links_are_followed_or_read_again(folder: Path, reads: Callable[..., int]) -> None:
    target = folder / "target.log"
    target.write_bytes(NANOGPT)
    (folder / "logs/a/link.log").symlink_to(target)
    assert [reads(*ARGUMENTS) for _ in range(2)] == [1, 0]
    _same_size_and_time(target)
    assert reads(*ARGUMENTS) == 1
    (folder / "logs/a/folder").symlink_to(folder)  # what is behind it is not in the tree
    assert [reads(*ARGUMENTS) for _ in range(2)] == [1, 1]


def test_a_scribbled_cache_gives_what_reading_gives(folder: Path, reads: Callable[..., int]) -> None:
    read = call(*ARGUMENTS)
    (stored,) = Path(cache_folder(), "answers").iterdir()
    content = stored.read_bytes()
    for scribbled in (b"", content[:-1], content[: len(content) // 2], content.replace(b'"runs"', b'"rubs"')):
        stored.write_bytes(scribbled)
        assert call(*ARGUMENTS) == read
        assert reads(*ARGUMENTS) == 0  # it was stored again


def test_a_progress_bar_does_not_belong_to_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    kept = KeptStream(Terminal())
    with redirect_stderr(kept), terminal.progress() as show:  # type: ignore[type-var]
        show("reading", 1, 2)
    terminal_text = kept.stream.getvalue()  # type: ignore[attr-defined]
    assert ("reading" in terminal_text, kept.content()) == (True, b"")


def test_progress_elsewhere_is_a_line_every_ten_seconds() -> None:
    # Each line that is printed reads the clock once more.
    times = iter((0.0, 9.0, 10.0, 10.0, 19.0, 20.5, 20.5))
    out = StringIO()
    show = terminal._progress_lines(out, lambda: next(times))
    for what, done in (("reading logs", 1), ("reading logs", 5), ("jade2", 6), ("jade2", 19)):
        show(what, done, 20)
    assert out.getvalue() == "reading logs: 25 %\nbuilding jade2: 95 %\n"


def test_too_much_output_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.cli.remembered.MAX_ANSWER_BYTES", 5)
    kept = KeptStream(StringIO())
    kept.writelines(["abc", "de"])
    assert kept.content() == b"abcde"
    kept.write("f")
    assert (kept.content(), kept.stream.getvalue()) == (None, "abcdef")  # type: ignore[attr-defined]


def test_the_command_cache_shows_clears_and_verifies(folder: Path) -> None:
    assert call("cache", "info")[0].startswith("0 answers, 0.0 MB; ")
    call(*ARGUMENTS)
    call("runs", "logs")
    assert call("cache", "info")[0].startswith("2 answers, ")
    next(Path(cache_folder(), "answers").iterdir()).write_bytes(b"scribbled")
    assert call("cache", "verify")[0].startswith("1 damaged entry removed\n1 answer, ")
    assert call("cache", "clear")[0].startswith("0 answers, 0.0 MB; ")
    assert not answers.Answers(cache_folder()).sizes()
