"""What the commands print with: tables, messages, progress. Results to stdout, the rest to stderr."""

import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from reportgen.cli.terminal_table import Rows, lines, lines_of_runs
from reportgen.core.model import Finding
from reportgen.core.rules import Severity
from reportgen.render.text.english import count

Progress = Callable[[str, int, int], None]

# A log's escape sequences would be commands to the terminal.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def tell(message: str) -> None:
    """Print a message for people, out of the way of results."""
    print(plain(message), file=sys.stderr)


def plain(text: str) -> str:
    """Return the text with control characters replaced."""
    return _CONTROL.sub("\ufffd", text)


# So many warnings are printed one by one.
_SHOWN = 20


def summary(findings: Sequence[Finding], what: str, *, apart: Sequence[Finding] = ()) -> None:
    """Print the gravest findings one by one, those that no table shows (`apart`), the rest as counts."""
    counts = Counter(finding.severity for finding in findings)
    grave = [one for one in findings if one.severity == "invalid" or one.rule.startswith("publish.")]
    warnings = [one for one in apart if one.severity == "warning"]
    for finding in (*grave, *warnings[:_SHOWN]):
        tell(f"{finding.severity}  {finding.source or finding.subject}: {finding.text} [{finding.rule}]")
    if len(warnings) > _SHOWN:
        tell(f"... and {count(len(warnings) - _SHOWN, 'warning', 'warnings')} more: see --format json")
    plurals: dict[Severity, str] = {"invalid": "invalid", "warning": "warnings", "note": "notes"}
    shown = ", ".join(count(counts[s], s, plural) for s, plural in plurals.items() if counts[s])
    tell(f"{what}; findings: {shown or 'none'}")


def print_table(rows: Rows) -> None:
    """Print aligned columns; on a terminal what does not fit into a line goes on in the next."""
    for line in lines(_plain_rows(rows), room()):
        print(line)


def print_runs(rows: Rows) -> None:
    """Print a table of runs; on a terminal their common folder is said once, and factors go if they must."""
    folder, shown, is_short = lines_of_runs(_plain_rows(rows), room())
    if folder:
        print(f"all below: {folder}\n")
    for line in shown:
        print(line)
    if is_short:
        tell("the factors do not fit into this terminal: see --format csv, or pipe the table to less -S")


def room() -> int | None:
    """Return the columns of the terminal, None where results go elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _plain_rows(rows: Rows) -> list[tuple[str, ...]]:
    return [tuple(plain(re.sub(r"\s", " ", cell)) for cell in row) for row in rows]


@contextmanager
def progress() -> Iterator[Progress]:
    """Yield a function that shows (what, done, total) on a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda what, done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, int] = {}

        def show(what: str, done: int, total: int) -> None:
            name = what if what.startswith("reading") else "building"
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total)
            bar.update(bar.task_ids[tasks[name]], completed=done, total=total)

        yield show
