"""Compare the commands of a campaign with its cases and with the runs that exist.

Runs of one case are repeats of one measurement. So the same command for several cases, or another command
than that of the existing runs, is most likely a mistake, and a warning says so before the first run.
"""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from collectors.format_v1.case import Case, case_folder_name


def equal_command_warnings(cases: Sequence[Case], commands: Sequence[Sequence[str]]) -> list[str]:
    """Return a warning for each command that several cases share."""
    sharing: dict[tuple[str, ...], list[Case]] = {}
    for case, command in zip(cases, commands):  # noqa: B905
        sharing.setdefault(tuple(command), []).append(case)
    return [_equal_command(command, same) for command, same in sharing.items() if len(same) > 1]


def _equal_command(command: Sequence[str], cases: Sequence[Case]) -> str:
    names = [name for name in cases[0] if any(case.get(name) != cases[0][name] for case in cases)]
    placeholders = ", ".join(f"{{{name}}}" for name in names)
    first, second, *others = map(case_folder_name, cases)
    shown = f"{first} and {second}" + (f" and {len(others)} more cases" if others else "")
    return (
        f"{shown} run the same command, {shlex.join(command)}; write {placeholders} where it takes the value"
    )


def other_command_warnings(folder: Path, runs: Sequence[dict[str, Any]], command: Sequence[str]) -> list[str]:
    """Return a warning if recorded runs of a case have another command than the one to run now.

    command  as it would be recorded
    """
    others = [run["command"] for run in runs if run.get("command") not in (None, list(command))]
    if not others:
        return []
    was = shlex.join(map(str, others[-1])) if isinstance(others[-1], list) else str(others[-1])
    return [
        f"{folder}: {len(others)} of {len(runs)} existing runs ran another command, {was}, and would "
        f"count as repeats of {shlex.join(command)}; if they differ in work, use another --case or --logs"
    ]
