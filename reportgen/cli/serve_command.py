"""The command serve: reports in a browser that follow every change."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.build_commands import Logs, Reports, build_and_print
from reportgen.cli.terminal import log
from reportgen.cli.watching import watch

if TYPE_CHECKING:
    from reportgen.document.model import Document

_DEFAULT_PORT = 8000


def serve(
    reports: Reports = Path("reports"),
    logs: Logs = None,
    port: Annotated[int, typer.Option(help="Port on this host; 0: any free one.")] = _DEFAULT_PORT,
) -> None:
    """Show the reports in a browser; build again after every change.

    \b
    Example: reportgen serve reports/

    Only this host can connect. The generated files are written as by `reportgen build`.
    """
    from reportgen.cli.live_server import LiveServer

    root = reports.resolve().parent
    with LiveServer(root, f"/{reports.resolve().name}/", port) as server:

        def build() -> "Iterable[Document]":
            result = build_and_print(reports, logs=logs)
            server.builds += 1
            log(f"open {server.url}")
            return result.reports

        try:
            watch(reports, logs, build)
        except KeyboardInterrupt:
            log("stopped")
