"""Match paths against patterns with named, typed parts: `{nodes:int}n{gpus:int}g/{model}_{repeat:int}.log`.

A pattern is literal text and parts; users cannot write regular expressions in it. It is compiled for RE2,
which matches in linear time. A part takes as much as it can, so that a model name may contain underscores,
and never crosses a "/".
"""

import re
from dataclasses import dataclass, field
from typing import Any

import re2

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue

MAX_PARTS = 32

_PART = lazy_pattern(r"\{([^{}]*)\}")
_NAME = lazy_pattern(r"([A-Za-z_][A-Za-z0-9_.-]*)(?::(int|float|str|date))?")
_KINDS = {
    "str": r"[^/]+",
    "int": r"[0-9]{1,18}",
    "float": r"[0-9]{1,18}(?:\.[0-9]{1,18})?",
    "date": r"(?:19|20)[0-9]{2}[-_.]?[01][0-9][-_.]?[0-3][0-9]",
}


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A pattern for the last components of a path, as many as it has; with a leading "/" for the whole path.

    parts  the named parts and their kinds (int, float, str, date), in order
    """

    text: str
    parts: tuple[tuple[str, str], ...]
    _regex: Any = field(compare=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> "PathPattern":
        """Return the pattern. Raises ValueError, with a fragment that says what is wrong with it."""
        pieces = _PART.split(text.removeprefix("/"))
        parts: list[tuple[str, str]] = []
        regex = ""
        for number, piece in enumerate(pieces):
            if number % 2:
                name, kind = _part(piece)
                regex += f"(?:{_KINDS[kind]})" if name == "_" else f"({_KINDS[kind]})"
                parts += [] if name == "_" else [(name, kind)]
            elif "{" in piece or "}" in piece:
                raise ValueError(f'a brace without its partner near "{piece}"')
            else:
                regex += re2.escape(piece)
        if len({name for name, _ in parts}) < len(parts):
            raise ValueError("two parts have the same name")
        if len(pieces) // 2 > MAX_PARTS:
            raise ValueError(f"more than {MAX_PARTS} parts")
        return cls(text, tuple(parts), re2.compile(regex))

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return PathPattern.parse, (self.text,)  # compiled patterns cannot be sent to other processes

    def match(self, path: str) -> dict[str, FactorValue] | None:
        """Return the values of the named parts, None if the path does not match."""
        depth = self.text.removeprefix("/").count("/") + 1
        components = path.split("/")
        if len(components) < depth or (self.text.startswith("/") and len(components) > depth):
            return None
        match = self._regex.fullmatch("/".join(components[-depth:]))
        if match is None:
            return None
        values = zip(self.parts, match.groups(), strict=True)
        return {name: _value(kind, text) for (name, kind), text in values}


def _part(text: str) -> tuple[str, str]:
    match = _NAME.fullmatch(text)
    if not match:
        raise ValueError(f'"{{{text}}}" is not a part')
    return match[1], match[2] or "str"


def _value(kind: str, text: str) -> FactorValue:
    if kind == "date":
        digits = re.sub(r"\D", "", text)
        return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"
    if kind == "str":
        return text
    return int(text) if kind == "int" else float(text)
