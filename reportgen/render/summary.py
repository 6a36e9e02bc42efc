"""What the pages say beside tables: findings by rule, and the facts behind expected speeds.

Both pages show these parts, so they are put into plain values here, and each form only writes them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from reportgen.core import units
from reportgen.core.model import FactorValue, Finding
from reportgen.core.results import Conditions, Expected, Figure, Report, Step
from reportgen.core.rules import SEVERITIES, Rule
from reportgen.render.text import escape
from reportgen.render.text.english import sentence

# A reviewer reads this many messages of one rule; the rest is counted and stands in report.json.
EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """The findings of one rule and severity: how many, and the first few."""

    rule: Rule
    severity: str
    count: int
    examples: tuple[Finding, ...]

    @property
    def rest(self) -> int:
        """Return how many are not among the examples."""
        return self.count - len(self.examples)


@dataclass(frozen=True, slots=True)
class Fact:
    """One sourced fact about speed as a sentence, and where it was read."""

    text: str
    source: str
    url: str
    read: str


@dataclass(frozen=True, slots=True)
class ExpectedLine:
    """One expected speed: the statement, and the paths that lead to it."""

    statement: str
    paths: tuple[str, ...]


def alt_text(figure: Figure) -> str:
    """Return the alternative text of a figure, for screen readers."""
    if figure.alt:
        return escape.one_line(figure.alt)
    names = ", ".join(series.name for series in figure.series)
    return escape.one_line(f"{figure.title}: {figure.y_title} over {figure.x_title}, for {names}")


def protocol_line(report: Report) -> str:
    """Return what the protocol does, "" where no number rests on steps that it could be applied to."""
    cells = (cell for table in report.tables for row in table.cells for cell in row if cell.case)
    evidence = {m.evidence for cell in cells if cell.case for m in cell.case.measurements}
    return sentence(report.protocol_text) if evidence & {"steps", "intervals"} else ""


def finding_groups(report: Report) -> tuple[FindingGroup, ...]:
    """Return the findings of the report and its tables by rule, the gravest first."""
    groups: dict[tuple[int, Rule], list[Finding]] = {}
    for finding in _different(report):
        groups.setdefault((SEVERITIES.index(finding.severity), finding.rule), []).append(finding)
    return tuple(
        FindingGroup(rule, SEVERITIES[rank], len(found), _examples(found))
        for (rank, rule), found in sorted(groups.items(), key=lambda pair: pair[0])
    )


def _different(report: Report) -> Iterable[Finding]:
    return dict.fromkeys([*report.findings, *(f for table in report.tables for f in table.findings)])


def _examples(found: list[Finding]) -> tuple[Finding, ...]:
    ordered = sorted(found, key=lambda f: (f.subject, f.message, str(f.source or "")))
    return tuple(ordered[:EXAMPLES])


def expected_lines(report: Report) -> tuple[ExpectedLine, ...]:
    """Return the expected speeds that the report uses, with their paths."""
    return tuple(
        ExpectedLine(_statement(expected), tuple(_path(expected, path) for path in expected.paths))
        for expected in report.expected
    )


def _statement(expected: Expected) -> str:
    speed = _speed(expected.speed)
    text = f"{expected.target} is expected to run at {speed} x the speed of {expected.reference}"
    if _speed(expected.low) != _speed(expected.high):
        text += f" (between {_speed(expected.low)} and {_speed(expected.high)})"
    return f"{text} {holds_for(expected.where)}".rstrip()


def holds_for(conditions: Conditions) -> str:
    """Return the cases that facts hold for: `where devices = 8, precision = fp32`, "" for all."""
    texts = [f"{name} = {' or '.join(map(_plain, values))}" for name, values in conditions]
    return f"where {', '.join(texts)}" if texts else ""


def _plain(value: FactorValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _path(expected: Expected, path: tuple[Step, ...]) -> str:
    """Return a path as the product it is: `0.67 (V100-LS : V100) x 0.927 (V100 : A40)`."""
    if not path:
        return f"{expected.target} and {expected.reference} are the same system"
    return " x ".join(map(_factor, path))


def _factor(step: Step) -> str:
    of, to, speed = _stated(step)
    return f"{'1/' if step.inverted else ''}{_speed(speed)} ({of} : {to})"


def _stated(step: Step) -> tuple[str, str, float]:
    """Return of, to and speed as the source of the fact states them, whichever way the path goes."""
    return (step.to, step.of, 1 / step.speed) if step.inverted else (step.of, step.to, step.speed)


def facts(report: Report) -> tuple[Fact, ...]:
    """Return each fact on any path once, in the order of first use."""
    steps = [step for expected in report.expected for path in expected.paths for step in path]
    return tuple(dict.fromkeys(_fact(step) for step in steps))


def _fact(step: Step) -> Fact:
    of, to, speed = _stated(step)
    text = f"{of} runs at {_speed(speed)} x the speed of {to}"
    return Fact(f"{text} {holds_for(step.where)}".rstrip(), step.source, step.url, step.read)


def _speed(speed: float) -> str:
    return units.text(speed, digits=4).rstrip("0").rstrip(".") if speed % 1 else units.text(speed, decimals=0)
