"""Recognise names of users and hosts in command lines and texts, and replace them by `[removed]`.

A name is recognised by its option (`--host X`, `--username X`), by its form (an e-mail address, `ssh
me@node7`, `~me/x`, a private IP address), or because it is the name of this user or this host.
"""

import functools
import os
import re
import socket
from collections.abc import Sequence

from collectors.machine.redaction import REMOVED

#: Last words of options whose value names a host or a user.
_HOST_WORDS = {"host", "hosts", "hostname", "nodelist", "endpoint", "addr", "address", "ip", "hostlist"}
_USER_WORDS = {"username", "login", "email", "mail"}
_NOT_NAMED = re.compile(
    r"(?:localhost|127\.[0-9.]+|0\.0\.0\.0|\[?::1?\]?|[0-9]+|true|false|none|auto|all|\*)(?::[0-9]+)?\Z",
    re.IGNORECASE,
)
_URL = re.compile(r"[a-z][a-z0-9+.-]{0,20}://", re.IGNORECASE)
_OPTION = re.compile(
    r"(?P<name>--?[A-Za-z][\w.-]*|[A-Za-z]\w*(?:[._]\w+)*)(?:(?P<sign>=)(?P<value>.*))?\Z", re.DOTALL
)
_REMOTE_PROGRAMS = ("ssh", "scp", "rsync", "sftp", "sshpass", "autossh")
_FORMS = re.compile(
    r"""
      (?<![\w.+:/-])(?!git@)[\w.+-]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?![\w@])        # an e-mail address
    | (?<![^\s"'=,])(?!git@)[\w.-]+@(?!sha[0-9])[\w.-]+:(?=[\w/~.])                 # me@node7:path
    | (?<![\w.=~-])(?:10|172\.(?:1[6-9]|2[0-9]|3[01])|192\.168)(?:\.[0-9]{1,3}){2,3}(?![\w.-])
    | (?<=~)[a-z_][\w-]*(?=/)                                                       # ~me/x
    | (?<=:\\Users\\)[^\s\\"']+ | (?<=:\\\\Users\\\\)[^\s\\"']+ | (?<=:/Users/)[^\s/"']+
    """,
    re.VERBOSE,
)
_MIN_NAME_CHARS = 3  # a shorter name would be found in other words' places
#: Names that say nothing, and are words of command lines.
_COMMON = {
    "root",
    "user",
    "ubuntu",
    "admin",
    "runner",
    "localhost",
    "host",
    "node",
    "train",
    "test",
    "main",
    "python",
}


def remove_names(words: Sequence[str]) -> list[str]:
    """Return the words of a command line without names of users and hosts."""
    out: list[str] = []
    is_named = is_remote = False  # the next word is the value of an option; the next bare word is a host
    for word in words:
        is_remote = is_remote or word.rpartition("/")[2] in _REMOTE_PROGRAMS
        option = _OPTION.match(word)
        if is_named and not word.startswith("-"):
            out.append(_kept_or_removed(word))
        elif is_remote and re.match(r"[\w.-]+@[\w.-]+\Z", word):
            out.append(REMOVED)
        elif option and option["sign"] and _names_someone(option["name"]):
            out.append(f"{option['name']}={_kept_or_removed(option['value'])}")
        else:
            out.append(remove_names_from_text(word) if re.search(r"\s", word) else _remove_forms(word))
        is_named = bool(option and not option["sign"] and word.startswith("-") and _names_someone(word))
    return out


def remove_names_from_text(text: str) -> str:
    """Return a text without names of users and hosts."""
    pieces = re.split(r"(\s+)", text)
    pieces[::2] = remove_names(pieces[::2])
    return "".join(pieces)


def _names_someone(option: str) -> bool:
    words = re.findall("[a-z]+", option.lower())
    if not words:
        return False
    is_email = words[-2:] in (["mail", "user"], ["user", "name"])
    return is_email or words[-1] in _HOST_WORDS or words[-1] in _USER_WORDS


def _kept_or_removed(value: str) -> str:
    plain = value.strip("\"'")
    is_kept = not plain or _NOT_NAMED.match(plain) or _URL.match(plain) or REMOVED in plain or "/" in plain
    return _remove_forms(value) if is_kept else REMOVED


def _remove_forms(text: str) -> str:
    text = _FORMS.sub(lambda match: REMOVED + (":" if match[0].endswith(":") else ""), text)
    own = _own_names(os.environ.get("USER", ""), socket.gethostname())
    return own.sub(REMOVED, text) if own else text


@functools.lru_cache(maxsize=None)
def _own_names(user: str, host: str) -> "re.Pattern[str] | None":
    """Return what finds the names of this user and this host as whole words; None if they are too common."""
    names = {user, host, host.partition(".")[0]}
    wanted = [name for name in names if len(name) >= _MIN_NAME_CHARS and name.lower() not in _COMMON]
    if not wanted:
        return None
    alternatives = "|".join(map(re.escape, sorted(wanted, key=len, reverse=True)))
    return re.compile(rf"(?<![\w./-])(?:{alternatives})(?![\w-])")
