"""Remember what was read: below the user's cache folder, never in a repository.

Nothing here decides what a log says. A stored answer is used only if everything that it was computed from
looks unchanged; otherwise the logs are read. This package imports little, because a stored answer must cost
less than the start of the program.
"""

import os
import sys


def cache_folder() -> str:
    """Return the folder of the cache: the usual one of the platform, or below $XDG_CACHE_HOME."""
    home = os.path.expanduser("~")  # noqa: PTH111  # pathlib takes longer than the answer
    places = {
        "darwin": f"{home}/Library/Caches",
        "win32": os.environ.get("LOCALAPPDATA", f"{home}/AppData/Local"),
    }
    return f"{os.environ.get('XDG_CACHE_HOME') or places.get(sys.platform, f'{home}/.cache')}/reportgen"


def is_own(status: os.stat_result) -> bool:
    """Return whether this user wrote a file: another user's could say anything."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
