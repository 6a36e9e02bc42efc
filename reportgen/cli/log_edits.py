"""Name committed logs that were edited or deleted since the merge base: logs are only added."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.cli.terminal import log, sanitize
from reportgen.render.text.english import count

if TYPE_CHECKING:
    from reportgen.core.results import Report


def print_log_edits(reports: Path, built: "Iterable[Report]", *, allowed: bool) -> bool:
    """Print the committed logs that were edited or deleted, and return whether there are any.

    allowed  leave out how to restore them
    Nothing is known outside a git repository, and in a clone without the history back to the merge base.
    """
    from reportgen.baseline import changed_logs

    compared = changed_logs(reports, [report.sources for report in built])
    if compared is None:
        return False
    endpoint, changes = compared
    states = [
        *((path, "edited") for path in changes.edited),
        *((path, "deleted") for path in changes.deleted),
    ]
    for path, what in sorted(states):
        print(sanitize(f"{what:9} {path}"))
    if states and not allowed:
        logs = count(len(states), "committed log file")
        log(
            f"{logs} edited or deleted since {endpoint.text}; logs are only added; restore them: "
            f"git checkout {endpoint.commit[:10]} -- PATH; or accept it: reportgen check --allow-log-edits"
        )
    return bool(states)
