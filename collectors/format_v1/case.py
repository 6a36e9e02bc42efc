"""A case: the factors of a run, and the name of the folder that holds its repeats."""

import hashlib
import re
from collections.abc import Mapping
from typing import Union

Factor = Union[str, int, float, bool]
Case = Mapping[str, Factor]

_FACTOR_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
_MAX_INTEGER = 2**63  # exclusive; readers need not support larger integers
_MAX_FOLDER_NAME_CHARS = 120  # file systems allow 255 bytes; archives and other systems allow less


def validate_case(case: Case) -> dict[str, Factor]:
    """Return a copy of `case`; raises ValueError for a name or value that the format does not allow."""
    for name, value in case.items():
        if not isinstance(name, str) or not _FACTOR_NAME.match(name):
            raise ValueError(f"case: {name!r} is not a factor name; start with a letter, use no spaces")
        if not isinstance(value, (str, int, float, bool)):
            kind = type(value).__name__
            raise ValueError(f"case: {name} is a {kind}; use text, a number or a boolean")
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            raise ValueError(f"case: {name} is {value}, which JSON cannot represent; use text")
        if isinstance(value, int) and not -_MAX_INTEGER < value < _MAX_INTEGER:
            raise ValueError(f"case: {name} is {value}, which exceeds 63 bits; use a smaller number or text")
    return dict(case)


def case_folder_name(case: Case) -> str:
    """Return the folder name of a case: its factors; a digest is added if characters had to be dropped."""
    if not case:
        return "unnamed"
    exact = ",".join(f"{name}={factor_text(value)}" for name, value in case.items())
    plain = re.sub(r"[^A-Za-z0-9_.,=+-]+", "-", exact)
    if plain == exact and len(plain) <= _MAX_FOLDER_NAME_CHARS:
        return plain
    # "a/b" and "a-b" are two cases and need two folders.
    digest = hashlib.sha256(exact.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{plain[:_MAX_FOLDER_NAME_CHARS]}-{digest}"


def factor_text(value: Factor) -> str:
    """Return a factor as it is written on a command line and in a folder name."""
    return str(value).lower() if isinstance(value, bool) else str(value)
