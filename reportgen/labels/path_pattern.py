"""Match paths against patterns with named, typed parts: `{nodes:int}n{gpus:int}g/{model}_{repeat:int}.log`.

A pattern is literal text and parts, nothing else: no regular expression of a user's is ever run, and a
path is matched in time bounded by parts x length^2. A part takes as much as it can, so that a model
name may contain underscores, and never crosses a "/".
"""

import re
from dataclasses import dataclass

from reportgen.core.model import FactorValue

_PART = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]*)(?::(int|float|str))?")
_TYPED = {"int": re.compile(r"[0-9]{1,18}"), "float": re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?")}
MOST_PARTS = 32


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    kind: str

    def ends(self, text: str, start: int) -> range:
        """Return the positions where the part may end, the farthest first."""
        if self.kind == "str":
            slash = text.find("/", start)
            return range(len(text) if slash < 0 else slash, start, -1)
        found = _TYPED[self.kind].match(text, start)
        return range(found.end() if found else start, start, -1)

    def value(self, text: str) -> FactorValue | None:
        if self.kind == "str":
            return text
        if not _TYPED[self.kind].fullmatch(text):
            return None
        return int(text) if self.kind == "int" else float(text)


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A parsed pattern; it is held against the last parts of a path, as many as it has itself.

    A pattern that begins with "/" is held against the whole path.
    """

    text: str
    tokens: tuple[str | _Part, ...]

    @classmethod
    def parse(cls, text: str) -> "PathPattern":
        """Return the pattern; ValueError says what is wrong with it, as a fragment."""
        pieces = _PART.split(text.removeprefix("/"))
        tokens: list[str | _Part] = []
        for number, piece in enumerate(pieces):
            if number % 2:
                tokens.append(_part(piece))
            elif "{" in piece or "}" in piece:
                raise ValueError(f'a brace without its partner near "{piece}"')
            elif piece:
                tokens.append(piece)
        names = [token.name for token in tokens if isinstance(token, _Part) and token.name != "_"]
        if len(set(names)) < len(names):
            raise ValueError("two parts of the same name")
        if len(pieces) // 2 > MOST_PARTS:
            raise ValueError(f"more than {MOST_PARTS} parts")
        return cls(text, tuple(tokens))

    @property
    def parts(self) -> list[tuple[str, str]]:
        """The named parts and their kinds (int, float, str), in order."""
        parts = (token for token in self.tokens if isinstance(token, _Part))
        return [(part.name, part.kind) for part in parts if part.name != "_"]

    def match(self, path: str) -> dict[str, FactorValue] | None:
        """Return the values of the named parts, None where the path does not match."""
        depth = self.text.removeprefix("/").count("/") + 1
        components = path.split("/")
        if len(components) < depth or (self.text.startswith("/") and len(components) > depth):
            return None
        values = self._match("/".join(components[-depth:]), 0, 0, set())
        return None if values is None else dict(reversed(values))

    def _match(
        self, text: str, token: int, start: int, dead: set[tuple[int, int]]
    ) -> list[tuple[str, FactorValue]] | None:
        """Match the tokens from `token` on; `dead` holds what was found not to match."""
        if token == len(self.tokens):
            return [] if start == len(text) else None
        if (token, start) in dead:
            return None
        part = self.tokens[token]
        if isinstance(part, str):
            is_there = text.startswith(part, start)
            return self._match(text, token + 1, start + len(part), dead) if is_there else None
        for end in part.ends(text, start):
            value = part.value(text[start:end])
            rest = self._match(text, token + 1, end, dead) if value is not None else None
            if rest is not None and value is not None:
                return rest if part.name == "_" else [*rest, (part.name, value)]
        dead.add((token, start))
        return None


def _part(text: str) -> _Part:
    found = _NAME.fullmatch(text)
    if not found:
        known = "{name}, {name:int}, {name:float} and {_}"
        raise ValueError(f'"{{{text}}}" is no part; there are {known}')
    return _Part(found[1], found[2] or "str")
