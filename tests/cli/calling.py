"""Call the command line in this process, through the same entry as the installed command."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest

from reportgen.cli import main

COMMANDS = [
    "build",
    "check",
    "serve",
    "diff",
    "compare",
    "runs",
    "export",
    "show",
    "history",
    "why",
    "plan",
    "expected",
    "render",
    "schema",
    "init",
    "formats",
    "learn",
    "audit",
    "cache",
    "rules",
    "explain",
]


def call(*arguments: str, code: int = 0) -> tuple[str, str]:
    """Return stdout and stderr of a command that must end with that exit code."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["reportgen", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
    assert (end.value.code or 0) == code, out.getvalue() + err.getvalue()
    return out.getvalue(), err.getvalue()


def error_of(*arguments: str) -> str:
    """Return the message of a command that must end with exit code 1, one line on stderr and nothing on stdout."""
    out, err = call(*arguments, code=1)
    assert (out, err.count("\n"), err[:7]) == ("", 1, "error  ")
    return err[7:-1]
