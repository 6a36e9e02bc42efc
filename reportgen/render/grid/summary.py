"""Prepare the parts of both pages beside tables: findings by rule, expected speeds, the protocol.

These are plain values; each output only formats them.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from reportgen.compare.expected_speed import FactConditions
from reportgen.core import units
from reportgen.core.factors import value_text
from reportgen.core.plain_text import one_line
from reportgen.core.rules import SEVERITIES, Severity
from reportgen.document.model import Document, Environment, Expected, Figure, Finding, SpeedEdge, source_of
from reportgen.render.text.english import count, sentence

# Different messages of one rule that a page shows; report.json lists all.
EXAMPLES = 3
# Rows of an environment that a page shows, and characters of a value; report.json has all.
_MAX_ENVIRONMENT_ROWS = 200
_MAX_VALUE_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Example:
    """One message of a rule: the first finding with it, and how many others have the same message."""

    finding: Finding
    others: int

    @property
    def message(self) -> str:
        """Return the message as a sentence, without full stop if a place in parentheses follows."""
        has_place = self.finding.subject or self.finding.source
        return sentence(self.finding.text).removesuffix("." if has_place else "")

    @property
    def place(self) -> str:
        """Return where the first finding was read, "" if it is about no place."""
        return str(source_of(self.finding.source)) if self.finding.source else ""

    @property
    def and_others(self) -> str:
        """Return how many others have the message, to follow the subject."""
        return f" and {self.others:,} more" if self.others else ""


def shown_environments(report: Document) -> list[Environment]:
    """Return the environments as a page shows them: a log may have any number of keys of any length."""
    return [replace(environment, rows=_shown_rows(environment)) for environment in report.environments]


def _shown_rows(environment: Environment) -> tuple[tuple[str, str], ...]:
    shown = tuple((_cut(name), _cut(value)) for name, value in environment.rows[:_MAX_ENVIRONMENT_ROWS])
    rest = len(environment.rows) - len(shown)
    return (*shown, ("...", f"{rest:,} more in report.json")) if rest else shown


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_VALUE_CHARACTERS else f"{text[:_MAX_VALUE_CHARACTERS]}..."


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """The findings of one rule and severity: how many, and the first different messages."""

    rule: str
    severity: Severity
    count: int
    examples: tuple[Example, ...]

    @property
    def label(self) -> str:
        """Return the number of findings with their severity: `66 warnings`."""
        return count_of(self.severity, self.count)

    @property
    def rest(self) -> int:
        """Return how many findings have other messages than the examples."""
        return self.count - sum(1 + example.others for example in self.examples)


@dataclass(frozen=True, slots=True)
class Fact:
    """One sourced fact about speed as a sentence, and where it was read."""

    text: str
    source: str
    url: str
    read: str


@dataclass(frozen=True, slots=True)
class ExpectedSpeed:
    """An expected speed in words: the statement, the cases it holds for, and the products of facts.

    products  empty if the speed is itself a fact
    """

    statement: str
    conditions: str
    products: tuple[str, ...]


def alt_text(figure: Figure) -> str:
    """Return the alternative text of a figure, for screen readers."""
    if figure.alt:
        return one_line(figure.alt)
    names = ", ".join(series.name for series in figure.series)
    return one_line(f"{figure.title}: {figure.y_title} over {figure.x_title}, for {names}")


def protocol_line(report: Document) -> str:
    """Return what the protocol does; empty if no number was measured over steps."""
    names = {cell.case for table in report.tables for row in table.cells for cell in row if cell.case}
    # In the order of the document, in which cases are read from a file once.
    evidence = {m.evidence for case in report.cases if case.name in names for m in case.measurements}
    return sentence(report.protocol_text) if evidence & {"steps", "intervals"} else ""


def finding_groups(report: Document) -> tuple[FindingGroup, ...]:
    """Return the findings of the report and its tables by rule, the most severe first."""
    groups: dict[tuple[int, str], list[Finding]] = {}
    for finding in dict.fromkeys([*report.findings, *(f for table in report.tables for f in table.findings)]):
        groups.setdefault((SEVERITIES.index(finding.severity), finding.rule), []).append(finding)
    return tuple(
        FindingGroup(rule, SEVERITIES[rank], len(findings), _examples(findings))
        for (rank, rule), findings in sorted(groups.items(), key=lambda pair: pair[0])
    )


def severity_counts(groups: Iterable[FindingGroup]) -> tuple[str, ...]:
    """Return the number of findings of each severity in words: `66 warnings`."""
    numbers: Counter[Severity] = Counter()
    for group in groups:
        numbers[group.severity] += group.count
    return tuple(count_of(severity, number) for severity, number in numbers.items())


def count_of(severity: Severity, number: int) -> str:
    """Return a number of findings with their severity: `66 warnings`."""
    return count(number, severity, "invalid" if severity == "invalid" else "")


def _examples(findings: Iterable[Finding]) -> tuple[Example, ...]:
    by_text: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda f: (f.subject, f.text, f.source)):
        by_text.setdefault(finding.text, []).append(finding)
    return tuple(Example(alike[0], len(alike) - 1) for alike in list(by_text.values())[:EXAMPLES])


def expected_speeds(report: Document) -> tuple[ExpectedSpeed, ...]:
    """Return the expected speeds that the report uses, with the facts they are products of."""
    return tuple(
        ExpectedSpeed(
            _statement(expected),
            holds_for(expected.where),
            () if _is_one_fact(expected) else tuple(_product(expected, path) for path in expected.paths),
        )
        for expected in report.expected
    )


def _statement(expected: Expected) -> str:
    text = f"{expected.target}: {_speed(expected.speed)}x the speed of {expected.reference}"
    if _speed(expected.low) != _speed(expected.high):
        text += f" ({_speed(expected.low)}x to {_speed(expected.high)}x)"
    return text


def holds_for(conditions: FactConditions) -> str:
    """Return the cases that facts hold for, such as `devices = 8, precision = fp32`; empty for all."""
    return ", ".join(f"{name} = {' or '.join(map(value_text, values))}" for name, values in conditions)


def _is_one_fact(expected: Expected) -> bool:
    return [len(path) for path in expected.paths] == [1] and not expected.paths[0][0].inverted


def _product(expected: Expected, path: tuple[SpeedEdge, ...]) -> str:
    """Return a path as a product of facts: `0.67 (V100-LS / V100) x 0.927 (V100 / A40)`."""
    if not path:
        return f"{expected.target} and {expected.reference} are the same system"
    return " x ".join(map(_factor, path))


def _factor(edge: SpeedEdge) -> str:
    of, to, speed = _stated(edge)
    return f"{'1/' if edge.inverted else ''}{_speed(speed)} ({of} / {to})"


def _stated(edge: SpeedEdge) -> tuple[str, str, float]:
    """Return (of, to, speed) as the source states them, whichever way the path goes."""
    return (edge.to, edge.of, 1 / edge.speed) if edge.inverted else (edge.of, edge.to, edge.speed)


def facts(report: Document) -> tuple[Fact, ...]:
    """Return each fact on any path once, in the order of first use."""
    edges = [edge for expected in report.expected for path in expected.paths for edge in path]
    return tuple(dict.fromkeys(_fact(edge) for edge in edges))


def _fact(edge: SpeedEdge) -> Fact:
    of, to, speed = _stated(edge)
    conditions = f" for {where}" if (where := holds_for(edge.where)) else ""
    statement = f"{of} runs at {_speed(speed)}x the speed of {to}{conditions}{edge.origin_text}"
    if edge.differs:
        statement += f"; the cases also differ in {', '.join(edge.differs)}"
    return Fact(statement, edge.source, edge.url, edge.read)


def _speed(speed: float) -> str:
    return units.text(speed, digits=4).rstrip("0").rstrip(".") if speed % 1 else units.text(speed, decimals=0)
