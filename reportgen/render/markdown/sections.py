"""Write the sections of a Markdown page below its results: expected speed, environments, findings, sources.

Each function returns the blocks of its section, [] if there is nothing to say.
"""

from collections.abc import Iterator, Sequence

from reportgen.document.model import Acceptance, Document, Environment, Provenance
from reportgen.render.grid import acceptance, first_screen
from reportgen.render.grid.contracts import ContractText, contracts_of_tables
from reportgen.render.grid.summary import (
    Example,
    ExpectedSpeed,
    FindingGroup,
    expected_speeds,
    facts,
    finding_groups,
    protocol_line,
    severity_counts,
    shown_environments,
)
from reportgen.render.markdown import table as markdown
from reportgen.render.markdown.blocks import fold
from reportgen.render.text import escape

# Characters of the subject of a finding: the factors of a case. report.json has all.
_MAX_SUBJECT = 60


def acceptance_table(entry: Acceptance) -> str:
    """Return the table of an entry; results other than a pass are bold."""
    body = []
    for line in acceptance.lines(entry):
        *texts, result = map(escape.markdown, line.texts)
        body.append([*texts, result if line.is_pass else f"**{result}**"])
    table = markdown.pipe_table(acceptance.HEADS, body, ["left", "left", "right", "right", "right", "left"])
    return f"{escape.paragraph(acceptance.heading(entry))}\n\n{table}"


def expected(report: Document) -> list[str]:
    """Return the expected speeds, and folded the facts behind them."""
    speeds = expected_speeds(report)
    return ["\n".join(map(_expected_speed, speeds)), fold("Facts used", _facts(report))] if speeds else []


def _expected_speed(speed: ExpectedSpeed) -> str:
    conditions = f" for {escape.markdown(speed.conditions)}" if speed.conditions else ""
    products = f": {' or '.join(map(escape.markdown, speed.products))}" if speed.products else ""
    return f"- **{escape.markdown(speed.statement)}**{conditions}{products}"


def _facts(report: Document) -> str:
    lines = []
    for number, fact in enumerate(facts(report), start=1):
        read = f", read {escape.markdown(fact.read)}" if fact.read else ""
        source = f" ({escape.link(fact.source, fact.url)}{read})" if fact.source else ""
        lines.append(f"{number}. {escape.markdown(fact.text)}{source}")
    return "\n".join(lines)


def comparisons(report: Document) -> list[str]:
    """Return what the comparisons of each table held equal, folded."""
    lines = [line for text, titles in contracts_of_tables(report).items() for line in _contract(text, titles)]
    return [fold("What the comparisons held equal", "\n".join(lines))] if lines else []


def _contract(text: ContractText, titles: Sequence[str]) -> Iterator[str]:
    yield f"- {'; '.join(map(escape.markdown, titles))}"
    lists = {
        "Held equal": text.held_equal,
        "Compared": text.compared,
        "Differs": text.differs,
        "Not stated": text.not_stated,
    }
    yield from (f"  - {title}: {escape.markdown(names)}" for title, names in lists.items() if names)


def environments(report: Document) -> list[str]:
    """Return each environment, folded."""
    return [_environment(environment) for environment in shown_environments(report)]


def _environment(environment: Environment) -> str:
    body = [[escape.markdown(name), escape.markdown(value)] for name, value in environment.rows]
    return fold(environment.title, markdown.pipe_table(["", "Value"], body, ["left", "left"]))


def findings(report: Document) -> list[str]:
    """Return the findings by rule with examples, folded."""
    groups = finding_groups(report)
    if not groups:
        return ["None."]
    return [
        "By rule. `reportgen explain RULE` describes a rule and what to do.",
        fold(", ".join(severity_counts(groups)), "\n".join(map(_finding_group, groups))),
    ]


def _finding_group(group: FindingGroup) -> str:
    if group.count == 1:
        return f"- {escape.code(group.rule)} ({group.label}): {_example(group.examples[0])}"
    examples = (f"  - {_example(example)}" for example in group.examples)
    lines = [f"- {escape.code(group.rule)}: {group.label}", *examples]
    if group.rest:
        lines.append(f"  - {group.rest:,} more in [report.json](report.json)")
    return "\n".join(lines)


def _example(example: Example) -> str:
    finding = example.finding
    subject = escape.code(_cut(finding.subject)) + example.and_others if finding.subject else ""
    source = escape.code(example.place) if example.place else ""
    places = "; ".join(place for place in (subject, source) if place)
    return escape.sentence(example.message) + (f" ({places})" if places else "")


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SUBJECT else f"{text[:_MAX_SUBJECT]}..."


def sources(report: Document) -> list[str]:
    """Return the protocol, the numbers of runs, and the folders of logs."""
    protocol = protocol_line(report)
    text = [escape.paragraph(protocol)] if protocol else []
    text += [escape.paragraph(counts)] if (counts := first_screen.runs_below(report)) else []
    if not report.provenance:
        return text
    body = [_source_row(provenance) for provenance in report.provenance]
    heads, aligns = ["Logs", "Format", "Runs", "Source", "Date"], ("left", "left", "right", "left", "left")
    kept = [i for i in range(len(heads)) if any(row[i] for row in body)]
    table = markdown.pipe_table(
        [heads[i] for i in kept],
        [[row[i] for i in kept] for row in body],
        ["right" if aligns[i] == "right" else "left" for i in kept],
    )
    return [*text, table]


def _source_row(provenance: Provenance) -> list[str]:
    source = escape.link(provenance.title or provenance.url, provenance.url)
    return [
        escape.code(provenance.path, in_table=True),
        escape.markdown(provenance.format),
        str(provenance.runs),
        source,
        escape.markdown(provenance.date),
    ]
