"""Collect what is wrong with the lines of one file into few findings.

A damaged log has thousands of damaged lines and one cause, so there is one finding per file and kind of
damage, at the first line, with a count.
"""

from dataclasses import dataclass, field

from reportgen.core.model import Finding, Source
from reportgen.core.rules import Rule


@dataclass(slots=True)
class Malformed:
    """Damage found so far in the file `path` (relative to the root) of the run or file `subject`."""

    subject: str
    path: str
    rule: Rule = Rule.READ_MALFORMED_LINE
    _kinds: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, line: int, fact: str, count: int = 1) -> None:
        """Note a damaged line; `fact` is a lower-case fragment and names the kind."""
        first, seen = self._kinds.get(fact, (line, 0))
        self._kinds[fact] = (min(first, line), seen + count)

    def findings(self) -> tuple[Finding, ...]:
        """Return one finding per kind of damage, in the order of their first lines."""
        kinds = sorted(self._kinds.items(), key=lambda kind: (kind[1][0], kind[0]))
        return tuple(self._finding(fact, line, seen) for fact, (line, seen) in kinds)

    def _finding(self, fact: str, line: int, seen: int) -> Finding:
        more = f", and {seen - 1} more like it" if seen > 1 else ""
        return Finding("warning", self.rule, self.subject, fact + more, Source(self.path, line))
