"""What the commands print with: tables, messages, progress. Results to stdout, the rest to stderr."""

import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from reportgen.model import Finding, Severity
from reportgen.render.wording import count

Progress = Callable[[str, int, int], None]

# A log's escape sequences would be commands to the terminal.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def tell(message: str) -> None:
    """Print a message for people, out of the way of results."""
    print(plain(message), file=sys.stderr)


def plain(text: str) -> str:
    """Return the text with control characters replaced."""
    return _CONTROL.sub("\ufffd", text)


def summary(findings: Sequence[Finding], what: str) -> None:
    """Print the gravest findings one by one, the rest as counts."""
    counts = Counter(finding.severity for finding in findings)
    for finding in findings:
        if finding.severity == "invalid" or finding.rule.startswith("publish."):
            tell(
                f"{finding.severity}  {finding.source or finding.subject}: {finding.message} [{finding.rule}]"
            )
    plurals: dict[Severity, str] = {"invalid": "invalid", "warning": "warnings", "note": "notes"}
    shown = ", ".join(count(counts[s], s, plural) for s, plural in plurals.items() if counts[s])
    tell(f"{what}; findings: {shown or 'none'}")


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print aligned columns; on a terminal the widest cells give way until a line fits."""
    rows = [tuple(plain(re.sub(r"\s", " ", cell)) for cell in row) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    if sys.stdout.isatty():
        room = shutil.get_terminal_size().columns - 2 * (len(widths) - 1)
        while sum(widths) > room and max(widths) > 16:
            widths[widths.index(max(widths))] -= 1
    for row in rows:
        cells = [c if len(c) <= w else c[: w - 1] + "…" for c, w in zip(row, widths, strict=True)]
        print("  ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip())


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
