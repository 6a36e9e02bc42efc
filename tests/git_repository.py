"""A scratch git repository with fixed dates and authors, which no setting of the user or the machine changes."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from reportgen.sources.git import CI_VARIABLES
from tests.builders import write_files

_IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def leave_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the variables by which a CI system that runs the tests names its own branches."""
    for name in CI_VARIABLES:
        monkeypatch.delenv(name, raising=False)


class ScratchRepository:
    """A repository in a folder of a test. Each commit is a day after the one before it."""

    def __init__(self, root: Path, *, branch: str = "main") -> None:
        self.root, self._day = root, 0
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", f"--initial-branch={branch}")

    def git(self, *arguments: str, **variables: str) -> str:
        """Run git and return what it prints."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        command = ["git", "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always", *arguments]
        result = subprocess.run(
            command,
            cwd=self.root,
            env=kept | _IDENTITY | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    def commit(self, files: Mapping[str, str | bytes] | None = None, message: str = "change") -> str:
        """Write files, commit all that changed, and return the hash."""
        write_files(self.root, files or {})
        self._day += 1
        date = f"2024-03-{self._day:02d}T12:00:00+00:00"
        self.git("add", "--all")
        self.git(
            "commit", "--quiet", "--allow-empty", "-m", message, GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date
        )
        return self.git("rev-parse", "HEAD")
