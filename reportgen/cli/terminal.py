"""Print tables, messages and progress for all commands. Results go to stdout, the rest to stderr."""

import os
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from reportgen.cli.remembered import KeptStream
from reportgen.cli.terminal_table import Rows, run_table_lines, table_lines
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.render.text.english import count
from reportgen.sources.filesystem import printable

if TYPE_CHECKING:
    from reportgen.core.model import Finding
    from reportgen.core.rules import Rule, Severity
    from reportgen.report.run_groups import RunRows

Progress = Callable[[str, int, int], None]

# Escape sequences in a log would be commands to the terminal.
_CONTROL = lazy_pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
# Findings of one rule that are printed one by one.
_MAX_OF_RULE = 3
_SECONDS_BETWEEN_LINES = 10.0
_PLURALS: "dict[Severity, str]" = {"invalid": "invalid", "warning": "warnings", "note": "notes"}


def log(message: str) -> None:
    """Print a message to stderr, apart from the results."""
    print(sanitize(message), file=sys.stderr)


def sanitize(text: str) -> str:
    """Return the text with control characters replaced, and bytes of file names that are not UTF-8 shown."""
    return printable(_CONTROL.sub("\ufffd", text))


def summarize(
    findings: "Sequence[Finding]", what: str, *, listed: "Sequence[Finding]" = (), more: str = "--format json"
) -> None:
    """Print the worst findings and the warnings of `listed` by rule, and the others as counts.

    more  where the findings are that are only counted
    """
    counts = Counter(finding.severity for finding in findings)
    worst = [each for each in findings if each.severity == "invalid" or _is_task(each)]
    warnings = [finding for finding in listed if finding.severity == "warning"]
    of_rule: dict[tuple[Severity, Rule], list[Finding]] = {}
    for finding in (*worst, *warnings):
        of_rule.setdefault((finding.severity, finding.rule), []).append(finding)
    for (severity, rule), members in of_rule.items():
        shown = members if _is_task(members[0]) else members[:_MAX_OF_RULE]
        for finding in shown:
            log(f"{severity}  {finding.source or finding.subject}: {finding.text} [{rule}]")
        if rest := len(members) - len(shown):
            log(f"{severity}  ... and {rest:,} more of {rule}: see {more}")
    numbers = [
        count(counts[severity], severity, plural) for severity, plural in _PLURALS.items() if counts[severity]
    ]
    log(f"{what}; findings: {', '.join(numbers) or 'none'}")


def _is_task(finding: "Finding") -> bool:
    """Return whether each finding of the rule asks for an edit of one file."""
    return finding.rule.startswith("publish.")


def print_table(rows: Rows, elsewhere: int | None = None) -> None:
    """Print aligned columns; on a terminal, cells that are too wide continue on the next line.

    elsewhere  the same width for a file or a pipe, None for any
    """
    for line in table_lines(_sanitized(rows), terminal_width() or elsewhere):
        print(line)


def print_runs(table: "RunRows") -> None:
    """Print a table of runs; on a terminal that is too narrow, print their common folder once."""
    table = table.map(_sanitized_cell)
    lines = run_table_lines(table, terminal_width())
    if table.shared:
        shared = " ".join(f"{name}={value}" for name, value in table.shared.items())
        print(f"all runs: {shared}")
    if lines.folder:
        print(f"all below: {lines.folder}")
    if table.shared or lines.folder:
        print()
    for line in lines.lines:
        print(line)


def terminal_width() -> int | None:
    """Return the columns of the terminal, None if stdout is not a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _sanitized(rows: Rows) -> list[tuple[str, ...]]:
    return [tuple(map(_sanitized_cell, row)) for row in rows]


def _sanitized_cell(text: str) -> str:
    return sanitize(re.sub(r"\s", " ", text))


@contextmanager
def progress() -> Iterator[Progress]:
    """Yield a function that shows (what, done, total): a bar on a terminal, elsewhere a line every 10 s."""
    # Progress does not belong to an answer that is stored.
    stream = sys.stderr.stream if isinstance(sys.stderr, KeptStream) else sys.stderr
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield _progress_lines(stream)
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(file=stream), transient=True) as bar:
        tasks: dict[str, int] = {}

        def show(what: str, done: int, total: int) -> None:
            name = _task(what).partition(" ")[0]
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total)
            bar.update(bar.task_ids[tasks[name]], completed=done, total=total)

        yield show


def _task(what: str) -> str:
    """Return what is done; of a report, the pipeline gives the name alone."""
    return what if what.startswith("reading") else f"building {what}"


def _progress_lines(stream: TextIO, clock: Callable[[], float] = time.monotonic) -> Progress:
    """Return a function that prints a line at most every 10 s, and none in the first 10 s."""
    printed = clock()

    def show(what: str, done: int, total: int) -> None:
        nonlocal printed
        if clock() - printed >= _SECONDS_BETWEEN_LINES:
            printed = clock()
            print(sanitize(f"{_task(what)}: {100 * done // max(total, 1)} %"), file=stream, flush=True)

    return show
