"""Collect the damaged lines of a file into few findings.

A damaged log has thousands of damaged lines with one cause, so there is one finding per file and kind of
damage, at the first line, with a count.
"""

from dataclasses import dataclass, field

from reportgen.core.model import Finding, Source
from reportgen.core.rules import Rule, Severity


@dataclass(slots=True)
class Malformed:
    """The damaged lines of a file; `path` is relative to the root, `subject` a run or a file."""

    subject: str
    path: str
    rule: Rule = Rule.READ_MALFORMED_LINE
    _kinds: dict[str, tuple[int, int, Severity]] = field(default_factory=dict)

    def add(self, line: int, fact: str, count: int = 1, severity: Severity = "warning") -> None:
        """Add damaged lines; `fact` names the kind of damage, as a fragment of a sentence.

        severity  `note` if nothing was lost
        """
        first, known, _ = self._kinds.get(fact, (line, 0, severity))
        self._kinds[fact] = (min(first, line), known + count, severity)

    def findings(self) -> tuple[Finding, ...]:
        """Return one finding per kind of damage, in the order of their first lines."""
        kinds = sorted(self._kinds.items(), key=lambda kind: (kind[1][0], kind[0]))
        return tuple(self._finding(fact, *kind) for fact, kind in kinds)

    def _finding(self, fact: str, line: int, count: int, severity: Severity) -> Finding:
        more = f", and {count - 1} more like it" if count > 1 else ""
        return Finding(severity, self.rule, self.subject, fact + more, Source(self.path, line))
