"""Remove secrets, names and private paths from what is recorded as text, because logs are published.

The program of a command line is kept by its name. Secrets are replaced (`redaction`), and so are the names of
users and hosts (`personal_names`). Paths below the
working folder become relative, `~` replaces the home folder, and of any other absolute path only the last
part is kept, as `.../name`. The same holds for environment variables and for the texts of errors.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path, PurePath

from collectors.machine.personal_names import remove_names, remove_names_from_text
from collectors.machine.redaction import remove_secrets, remove_secrets_from_text

#: An absolute path: at the start of a word, after a sign or quote, or attached to an option (`-I/usr/x`).
#: The `//` of a URL and the `/` of a tag such as `</s>` begin none. A path ends at such signs; it contains a
#: space if the next word has a `/`.
_ABSOLUTE_PATH = re.compile(
    r"""(?:(?<=^)|(?<=[\s=:,;"'`(\[{<>|&@])|(?<=^-[A-Za-z])|(?<=\s-[A-Za-z])|(?<=file://))"""
    r"""/(?!/|\w+>)(?:[^\s=:,;"'`)\]}<>|&]|\s+(?=[^\s/="':,;-][^\s="':,;]*/))*"""
)


def own_command() -> list[str]:
    """Return the command line of this process, sanitised."""
    return sanitize(getattr(sys, "orig_argv", None) or [sys.executable, *sys.argv])  # Python 3.10


def sanitize(argv: Sequence[str]) -> list[str]:
    """Return a command line without secrets and private paths; the program is kept by its name."""
    if not argv:
        return []
    words = remove_names(remove_secrets(argv))[1:]
    return [PurePath(argv[0]).name, *map(shorten_paths, words)]


def sanitize_text(text: str) -> str:
    """Return a text (an environment variable, an error) without secrets and private paths."""
    return shorten_paths(remove_names_from_text(remove_secrets_from_text(text)))


def shorten_paths(text: str) -> str:
    """Return a text with its absolute paths made relative, or cut to their last part."""
    names = {str(Path("~").expanduser()): "~", str(Path.cwd()): "."}
    for folder in sorted(names, key=len, reverse=True):  # one of them may be below the other
        if folder != "/":
            text = _replace_folder(text, folder, names[folder])
    return _ABSOLUTE_PATH.sub(
        lambda match: f".../{PurePath(match[0]).name}" if match[0] != "/" else "/", text
    )


def _replace_folder(text: str, folder: str, name: str) -> str:
    """Return a text in which paths below a folder begin with `name`, or are relative if that is "."."""
    start = r"(?<![\w.~/-])|(?<=^-[A-Za-z])|(?<=\s-[A-Za-z])|(?<=file://)"
    whole = rf"(?:{start}){re.escape(folder)}(?:/(?=(.?))|(?![\w.-]))"

    def short(match: "re.Match[str]") -> str:
        if not match[0].endswith("/"):
            return name
        return "" if name == "." and match[1].strip() else f"{name}/"

    return re.sub(whole, short, text)
