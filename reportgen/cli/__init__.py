"""The command line: parse, call the library, print, exit. Nothing is decided here.

Results go to stdout, the rest to stderr. Exit codes: 0 done, 1 error in the inputs, 2 usage, 3 stale
(`check`), 4 findings under `--strict`, 5 what `diff --fail-on` names, 6 not accepted (`build`, `check`).
Heavy modules are imported inside the commands that need them.
"""

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from reportgen import __version__
from reportgen.cli import (
    audit_command,
    build_commands,
    compare_command,
    diff_command,
    document_commands,
    history_command,
    learn_command,
    log_commands,
    plan_command,
    serve_command,
    show_command,
    why_command,
)
from reportgen.cli.terminal import log
from reportgen.core.errors import RequestError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for command in (
    build_commands.build,
    build_commands.check,
    serve_command.serve,
    diff_command.diff,
    compare_command.compare,
    log_commands.runs,
    show_command.show,
    history_command.history,
    why_command.why,
    plan_command.plan,
    build_commands.expected,
    document_commands.render,
    document_commands.schema,
    build_commands.init,
    log_commands.formats,
    learn_command.learn,
    audit_command.audit,
    log_commands.rules,
    log_commands.explain,
):
    app.command()(command)


@app.callback(invoke_without_command=True)
def _reportgen(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Benchmark logs in, reviewable reports out.

    \b
    Example: reportgen build reports/
    """
    if version:
        print(f"reportgen {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the program; a wrong request is one line on stderr and exit code 1."""
    # Logs may contain letters that the terminal's encoding lacks, and file names bytes that are not text.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        app()
    except RequestError as error:
        log(f"error  {error}")
        sys.exit(1)
