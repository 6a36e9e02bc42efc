"""Make a command line fit to be published: no secrets, no private paths.

Logs are committed. Of a command, the program's name and the arguments are kept; values of options that
sound like a secret are blanked; paths are written relative to the working folder if they lie below it, with
`~` below the home folder, and of all others only the last part remains, behind `.../`.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path, PurePath

_SECRET = re.compile(r"(key|token|passw|secret|credential|auth)", re.IGNORECASE)
_URL_SECRET = re.compile(r"(://)[^/@\s]+@")
_BLANK = "[removed]"

#: An absolute path: at the begin of a word or behind `=`, `:` or `,`, but not the `//` of a URL.
_PATH = re.compile(r"(?:(?<=^)|(?<=[=:,]))/(?!/)[^=:,]*")


def own_command() -> list[str]:
    """Return the command line of this process as it may be recorded."""
    return command_to_record(getattr(sys, "orig_argv", None) or [sys.executable, *sys.argv])  # Python 3.10


def command_to_record(line: Sequence[str]) -> list[str]:
    """Return a command line, the program by its name alone, without secrets and private paths."""
    if not line:
        return []
    return [PurePath(line[0]).name, *(without_private_paths(word) for word in without_secrets(line[1:]))]


def without_secrets(line: Sequence[str]) -> list[str]:
    """Return words with the values of options that sound like a secret blanked, home as `~`."""
    out: list[str] = []
    is_secret_next = False
    for word in line:
        name, equals, _ = word.partition("=")
        is_named = name.startswith("-") or bool(equals)
        if is_secret_next and not word.startswith("-"):
            out.append(_BLANK)
            is_secret_next = False
            continue
        sounds_secret = is_named and bool(_SECRET.search(name))
        is_secret_next = sounds_secret and not equals
        out.append(f"{name}={_BLANK}" if sounds_secret and equals else _harmless(word))
    return out


def _harmless(word: str) -> str:
    return without_home(_URL_SECRET.sub(rf"\1{_BLANK}@", word))


def without_home(text: str) -> str:
    """Return a text with the home folder's path replaced by `~`."""
    home = str(Path("~").expanduser())
    return text.replace(home, "~") if len(home) > 1 else text


def without_private_paths(word: str) -> str:
    """Return a word of a command line with its absolute paths made relative, or cut to their last part."""
    # The working folder may lie below home, which is `~` by now.
    folder = without_home(str(Path.cwd()))
    if folder != "/" and (word == folder or f"{folder}/" in word):
        word = word.replace(f"{folder}/", "").replace(folder, ".")
    return _PATH.sub(lambda found: f".../{PurePath(found[0]).name}" if found[0] != "/" else "/", word)
