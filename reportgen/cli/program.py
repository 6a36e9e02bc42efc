"""The commands of the program, and its options."""

from typing import Annotated

import typer

from reportgen import __version__
from reportgen.cli import (
    audit_command,
    build_commands,
    cache_command,
    compare_command,
    diff_command,
    document_commands,
    export_command,
    history_command,
    learn_command,
    log_commands,
    plan_command,
    serve_command,
    show_command,
    why_command,
)

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
    export_command.export,
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
    cache_command.cache,
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
