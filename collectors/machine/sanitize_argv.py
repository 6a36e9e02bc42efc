"""Remove secrets and private paths from a command line, because logs are published.

The program is kept by its name. The values of options whose names suggest a secret are replaced. Paths below
the working folder become relative, `~` replaces the home folder, and of any other absolute path only the last
part is kept, as `.../name`.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path, PurePath

_SECRET_NAME = re.compile(r"(key|token|passw|secret|credential|auth)", re.IGNORECASE)
_URL_PASSWORD = re.compile(r"(://)[^/@\s]+@")
_REMOVED = "[removed]"

#: An absolute path: at the start of a word or after `=`, `:` or `,`, but not the `//` of a URL.
_ABSOLUTE_PATH = re.compile(r"(?:(?<=^)|(?<=[=:,]))/(?!/)[^=:,]*")


def own_command() -> list[str]:
    """Return the command line of this process, sanitised."""
    return sanitize(getattr(sys, "orig_argv", None) or [sys.executable, *sys.argv])  # Python 3.10


def sanitize(argv: Sequence[str]) -> list[str]:
    """Return a command line without secrets and private paths; the program is kept by its name."""
    if not argv:
        return []
    return [PurePath(argv[0]).name, *(shorten_paths(word) for word in remove_secrets(argv[1:]))]


def remove_secrets(words: Sequence[str]) -> list[str]:
    """Return words with the values of secret options replaced by `[removed]`, and the home folder by `~`."""
    out: list[str] = []
    is_value_of_secret = False
    for word in words:
        name, equals, _ = word.partition("=")
        if is_value_of_secret and not word.startswith("-"):
            out.append(_REMOVED)
            is_value_of_secret = False
            continue
        is_named = name.startswith("-") or bool(equals)
        is_secret = is_named and bool(_SECRET_NAME.search(name))
        is_value_of_secret = is_secret and not equals
        out.append(f"{name}={_REMOVED}" if is_secret and equals else _remove_password_and_home(word))
    return out


def _remove_password_and_home(word: str) -> str:
    return replace_home(_URL_PASSWORD.sub(rf"\1{_REMOVED}@", word))


def replace_home(text: str) -> str:
    """Return a text with `~` for the path of the home folder."""
    home = str(Path("~").expanduser())
    return text.replace(home, "~") if len(home) > 1 else text


def shorten_paths(word: str) -> str:
    """Return a word with its absolute paths made relative, or cut to their last part."""
    # The working folder may be below home, which remove_secrets has already replaced by `~`.
    folder = replace_home(str(Path.cwd()))
    if folder != "/" and (word == folder or f"{folder}/" in word):
        word = word.replace(f"{folder}/", "").replace(folder, ".")
    return _ABSOLUTE_PATH.sub(
        lambda match: f".../{PurePath(match[0]).name}" if match[0] != "/" else "/", word
    )
