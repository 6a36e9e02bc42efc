"""Run the examples of a page in a folder of their own and compare what they print.

What a page shows is written in fenced blocks:

    ```python title="make_logs.py"     a file with this content (any language)
    ```sh, ```python                   run in the folder of the page; must succeed
    ```text                            directly after a block that is run: what it prints, stdout and stderr together;
                                       a line `...` stands for any number of lines
    <!-- setup: COMMANDS -->           run like ```sh, and not shown
    ```bash                            shown and not run: needs a GPU, the network or another program
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests import warm

ROOT = Path(__file__).parents[2]
_PART = re.compile(
    r"^<!-- setup:(?P<setup>.*?)-->$|^```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Example:
    """A block of a page: a file to write (`title`), or code to run with what it should print."""

    language: str
    text: str
    title: str | None
    printed: str | None
    span: tuple[int, int]  # where the printed text is in the page

    @property
    def is_run(self) -> bool:
        """Whether the code is run."""
        return self.language in ("sh", "python") and self.title is None


def examples(page: str) -> Iterator[Example]:
    """Yield the blocks of a page in their order."""
    parts = list(_PART.finditer(page))
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        printed, span = None, (0, 0)
        is_output = (
            following and following["language"] == "text" and not page[part.end() : following.start()].strip()
        )
        if following and is_output:
            printed, span = following["text"], following.span("text")
        language = "sh" if part["setup"] is not None else part["language"]
        yield Example(language, part["setup"] or part["text"], part["title"], printed, span)


def run(example: Example, folder: Path, environment: dict[str, str]) -> str:
    """Run a block and return what it prints; CalledProcessError if it fails."""
    call = ["bash", "-euo", "pipefail", "-c"] if example.language == "sh" else [sys.executable, "-c"]
    done = subprocess.run(
        [*call, example.text],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, f"{example.text}\nexit code {done.returncode}\n{done.stdout}"
    return done.stdout


def environment(folder: Path) -> dict[str, str]:
    """Return an environment whose `reportgen`, `python` and `python3` come from this checkout."""
    folder.mkdir()
    python = f'"{sys.executable}"'
    for name, call in (("reportgen", warm.program()), ("python", python), ("python3", python)):
        (folder / name).write_text(f'#!/bin/sh\nexec {call} "$@"\n', encoding="utf-8")
        (folder / name).chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "PYTHONUNBUFFERED": "1"}


def agrees(printed: str, expected: str) -> bool:
    """Compare line by line, without spaces at the ends of lines; `...` stands for any lines."""
    got = "".join(f"{line.rstrip()}\n" for line in printed.strip().splitlines())
    lines = [line.rstrip() for line in expected.strip().splitlines()]
    pattern = "".join(r"(?:.*\n)*" if line == "..." else f"{re.escape(line)}\n" for line in lines)
    return re.fullmatch(pattern, got) is not None
