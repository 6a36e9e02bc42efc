"""Find which of many literals stand in a text, in one pass over it.

A file is recognised by some sixty literals of forty formats. Looking for one after the other costs more than
reading the file; an automaton over all of them costs as much as six of them.
"""

from collections.abc import Iterable, Set
from functools import cached_property

import re2


class Marks:
    """Literals of ASCII bytes, by whatever is meant by them."""

    def __init__(self, literals: Iterable[bytes]) -> None:
        self.literals = tuple(dict.fromkeys(literals))

    def in_text(self, text: bytes) -> Set[bytes]:
        """Return the literals that stand in a text."""
        found = self._automaton.Match(text)
        return {self.literals[number] for number in found} if found else frozenset()

    @cached_property
    def _automaton(self) -> re2.Set:
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1  # bytes as they come, UTF-8 or not
        automaton = re2.Set.SearchSet(options)
        for literal in self.literals:
            automaton.Add(re2.escape(literal.decode("ascii")))
        automaton.Compile()
        return automaton
