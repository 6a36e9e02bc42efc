"""Messages about logs as a whole: files that were skipped or not read, folders in an unknown format."""

import os
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.cli.terminal import log
from reportgen.render.text.english import count

if TYPE_CHECKING:
    from reportgen.load.unrecognised import UnknownFolder, UnrecognisedFile
    from reportgen.pipeline import LogSummary

_MAX_NAMED = 3


def skipped_files(files: "Sequence[UnrecognisedFile]", option: str) -> str:
    """Return the part of a summary that counts files without a run by reason, and names possible logs.

    option  that lists all of them
    """
    if not files:
        return ""
    reasons = Counter(file.reason for file in files)
    counted = ", ".join(f"{number:,} {reason}" for reason, number in sorted(reasons.items()))
    why = counted if len(reasons) > 1 else next(iter(reasons))
    logs = [file.path for file in files if file.may_be_log]
    more = f", ... (list all with {option})" if len(logs) > _MAX_NAMED else ""
    named = f": {', '.join(logs[:_MAX_NAMED])}{more}" if logs else ""
    return f"; {count(len(files), 'file')} skipped ({why}){named}{_tables(files)}"


def _tables(files: "Sequence[UnrecognisedFile]") -> str:
    """Return the part that names the files that are nearly results, with the command that learns them."""
    tables = [file.path for file in files if file.is_table and file.may_be_log]
    if not tables:
        return ""
    place = tables[0] if len(tables) == 1 else os.path.commonpath([Path(path).parent for path in tables])
    looks = "looks like a table" if len(tables) == 1 else "look like tables"
    command = f"reportgen learn {shlex.quote(Path(place or '.').as_posix())}"
    return f"; {count(len(tables), 'file')} {looks} of results: {command}"


def how_to_learn(files: "Sequence[UnrecognisedFile]") -> str:
    """Return the part of a summary without runs that says how its only file is learned; "" for others."""
    if len(files) != 1 or _tables(files) or not files[0].may_be_table:
        return ""
    return f"; propose how to read it: reportgen learn {shlex.quote(files[0].path)}"


def unexplained_files(logs: "LogSummary") -> "list[UnrecognisedFile]":
    """Return the unrecognised files that are in no folder that is named already."""
    folders = [f"{folder.path}/" for folder in logs.unknown_folders]
    return [file for file in logs.unrecognised if not any(file.path.startswith(folder) for folder in folders)]


def log_skipped(files: "Sequence[UnrecognisedFile]") -> None:
    """Print each file without a run, with the reason."""
    for file in files:
        log(f"skipped  {file.path}: {file.reason}")


def log_unread(paths: Sequence[str], *, verbose: bool) -> None:
    """Print the files and folders of logs that no definition names."""
    if not paths:
        return
    named = paths if verbose else paths[:_MAX_NAMED]
    more = ", ... (list all with --verbose)" if len(paths) > len(named) else ""
    log(f"no definition reads {', '.join(named)}{more}; add what is missing to `logs` of a definition")


def log_unknown_folders(folders: "Sequence[UnknownFolder]", base: Path, logs: Path | None = None) -> None:
    """Print each folder of logs in an unknown format, with the remedy.

    base  that the paths are relative to; logs  as the user named them, None for logs/
    """

    def shown(path: str) -> str:
        if logs is None:
            return path
        return Path(logs, os.path.relpath(base / path, logs.resolve())).as_posix()

    for folder in folders:
        example = shlex.quote(shown(folder.largest))
        files = count(folder.count, "file")
        log(f"{shown(folder.path)}: unknown format ({files}); try: reportgen learn {example}")
