"""Name committed logs that were edited or deleted since the merge base: logs are only added."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.cli.terminal import log, sanitize
from reportgen.render.text.english import count

if TYPE_CHECKING:
    from reportgen.document.model import Document


@dataclass(frozen=True, slots=True)
class LogEdits:
    """Committed logs with their states, `edited` or `deleted`, by path.

    since   the commit that they are compared with, in words; commit  its name
    """

    states: tuple[tuple[str, str], ...] = ()
    since: str = ""
    commit: str = ""

    def print_states(self) -> None:
        """Print each log."""
        for path, what in self.states:
            print(sanitize(f"{what:9} {path}"))

    def log_remedy(self) -> None:
        """Log how to restore the logs, if any."""
        if self.states:
            logs = count(len(self.states), "committed log file")
            log(
                f"{logs} edited or deleted since {self.since}; logs are only added; restore them: "
                f"git checkout {self.commit[:10]} -- PATH; or accept it: reportgen check --allow-log-edits"
            )


def find_log_edits(reports: Path, built: "Iterable[Document]") -> LogEdits:
    """Return the committed logs that were edited or deleted.

    Nothing is known outside a git repository, and in a clone without the history back to the merge base.
    """
    from reportgen.baseline import changed_logs

    compared = changed_logs(reports, [report.sources for report in built])
    if compared is None:
        return LogEdits()
    endpoint, changes = compared
    states = [
        *((path, "edited") for path in changes.edited),
        *((path, "deleted") for path in changes.deleted),
    ]
    return LogEdits(tuple(sorted(states)), endpoint.text, endpoint.commit)
