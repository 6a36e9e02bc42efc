"""The command line: parse, call the library, print, exit. Nothing is decided here.

Results go to stdout, the rest to stderr. Exit codes: 0 done, 1 error in the inputs, 2 usage, 3 stale
(`check`), 4 findings under `--strict`, 5 what `diff --fail-on` names, 6 not accepted (`build`, `check`).
Heavy modules are imported inside the commands that need them, and the commands if the cache has no answer.
"""

import sys
from io import TextIOWrapper

from reportgen.cli.remembered import answer_or_run


def main() -> None:
    """Run the program; a wrong request is one line on stderr and exit code 1."""
    # Logs may contain letters that the terminal's encoding lacks, and file names bytes that are not text.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    answer_or_run(sys.argv[1:], _run)


def _run() -> None:
    from reportgen.cli.program import app
    from reportgen.cli.terminal import log
    from reportgen.core.errors import RequestError

    try:
        app()
    except RequestError as error:
        log(f"error  {error}")
        sys.exit(1)
