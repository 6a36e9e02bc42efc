"""The script of the action that comments: servers that break off, and texts that are too long."""

import json
import os
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reportgen.diff.markdown import MARKER, MAX_CHARS
from tests.workflow.github import BOT, REPOSITORY, ROOT

HTTP_OK = b"HTTP/1.0 200 OK\r\n"


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """Serve the same bytes to every request, then close the connection."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            self.wfile.write(answer)

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def run_script(folder: Path, url: str = "") -> tuple[str, str]:
    """Return the log and the summary of the script; without a URL, it does not comment."""
    event, summary = folder / "event.json", folder / "summary.md"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    variables = {
        "COMMENT": "true" if url else "false",
        "COMMENT_AUTHOR": BOT,
        "GITHUB_API_URL": url,
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_STEP_SUMMARY": str(summary),
        "no_proxy": "*",
    }
    done = subprocess.run(
        [sys.executable, str(ROOT / "action" / "comment.py"), str(folder)],
        env=os.environ | variables,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, summary.read_text("utf-8")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"nonsense\r\n",
        HTTP_OK + b"\r\n<html>",
        HTTP_OK + b"\r\n\xff",
        HTTP_OK + b"Content-Length: 99\r\n\r\n[",
        HTTP_OK + b"\r\n{}",
        HTTP_OK + b"\r\nnull",
        HTTP_OK + b'\r\n"comments"',
    ],
)
def test_an_answer_that_is_not_a_list_of_comments_is_a_warning(tmp_path: Path, answer: bytes) -> None:
    with answering(answer) as url:
        log, summary = run_script(tmp_path, url)
    assert log.splitlines()[-1].startswith("::warning::no comment: ")
    assert log.endswith("; the job summary has the comparison\n")
    assert "The reports are up to date." in summary


def test_entries_that_are_not_comments_of_ours_are_skipped(tmp_path: Path) -> None:
    entries = [
        1,
        None,
        [],
        {"user": 1, "body": MARKER, "id": 1},
        {"user": {"login": BOT}, "body": 1, "id": 1},
    ]
    entries += [
        {"user": {"login": BOT}, "body": MARKER, "id": "x/../../1"},
        {"user": {"login": BOT}, "body": MARKER},
    ]
    with answering(HTTP_OK + b"\r\n" + json.dumps(entries).encode()) as url:
        log, _ = run_script(tmp_path, url)
    assert log.splitlines()[-1] == "comment created"


def test_the_longest_comparison_fits_below_an_output(tmp_path: Path) -> None:
    comparison = f"{MARKER}\n" + "x" * (MAX_CHARS - len(MARKER) - 1)
    (tmp_path / "diff.md").write_text(comparison)
    (tmp_path / "check.txt").write_text("y" * 5000)
    (tmp_path / "check.code").write_text("3")
    _, text = run_script(tmp_path)
    assert len(text) < 65_000
    assert text.endswith("x\n")


def test_a_comment_that_is_too_long_is_cut_at_a_line(tmp_path: Path) -> None:
    (tmp_path / "diff.md").write_text("| a | b |\n" * (MAX_CHARS // 10))
    (tmp_path / "check.txt").write_text("`" * 5000)  # the fences are as long as the text
    (tmp_path / "check.code").write_text("3")
    _, text = run_script(tmp_path)
    assert 64_000 < len(text) <= 65_000
    assert text.endswith("| a | b |\n\n… The rest does not fit: see `reportgen diff`.\n")
