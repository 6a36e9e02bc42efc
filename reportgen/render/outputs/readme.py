"""Write the README.md of a report: the page that a forge shows when the folder is opened.

Verdict first, then the author's prose, then every table and figure that the prose did not place, figures
behind the tables that have their numbers, then what these stand on. Nothing on it changes unless the content
does.
"""

import html
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from reportgen.core.results import Environment, Figure, Provenance, Report, Table
from reportgen.render import markdown
from reportgen.render.figures.svg_files import alt_text
from reportgen.render.generated_marker import PAGE_FOOTER
from reportgen.render.prose.fill import Prose
from reportgen.render.prose.template_functions import Block
from reportgen.render.summary import FindingGroup, expected_lines, facts, finding_groups, protocol_line
from reportgen.render.text import escape
from reportgen.render.text.english import count

Names = Mapping[str, str]

# More tables of one entry than this are folded: a page of forty open tables is not read.
MOST_OPEN = 6


def readme(report: Report, prose: Prose, tables: Names, figures: Names) -> bytes:
    """Return the page.

    tables, figures  file names without extension by id
    """
    show = _Blocks(report, tables, figures)
    parts = [
        f"# {escape.markdown(report.title)}",
        *_verdict(report),
        "The page [index.html](index.html) shows the same with the evidence behind every number; "
        "[report.json](report.json) has it for programs.",
    ]
    if prose.text:
        parts.append(prose.paragraphs(show.block))
    loose, drawn = prose.left(report)
    for _, group in groupby(loose, key=lambda table: table.id.partition("/")[0]):
        parts += _tables(list(group), lambda table: show.drawn_table(table, drawn.get(table.id, ())))
    parts += _section("Figures", [show.figure(figure) for figure in drawn.get("", ())])
    if not prose.places("expected"):
        parts += _section("Expected speed", _expected(report))
    if not prose.places("environment"):
        parts += _section("Environment", _environments(report))
    if not prose.places("findings"):
        parts += _section("Findings", _findings(report))
    parts += _section("Provenance", _provenance(report))
    parts.append(PAGE_FOOTER)
    return ("\n\n".join(part.strip("\n") for part in parts) + "\n").encode("utf-8", "replace")


def _tables(entry: list[Table], show: Callable[[Table], str]) -> list[str]:
    """Return the tables of one entry: each under its heading, or folded where facets make many."""
    if len(entry) <= MOST_OPEN:
        return [f"## {escape.markdown(table.title)}\n\n{show(table)}" for table in entry]
    folded = [
        f"<details>\n<summary>{html.escape(escape.one_line(table.facet_text))}</summary>\n\n"
        f"{show(table)}\n\n</details>"
        for table in entry
    ]
    return [f"## {escape.markdown(entry[0].title.removesuffix(f': {entry[0].facet_text}'))}", *folded]


def _section(title: str, parts: list[str]) -> list[str]:
    return [f"## {title}", *parts] if parts else []


def _verdict(report: Report) -> list[str]:
    sentences = " ".join(escape.markdown(sentence) for sentence in report.verdict)
    return [f"**{sentences}**"] if sentences else []


class _Blocks:
    """The blocks that prose may place, as Markdown."""

    def __init__(self, report: Report, tables: Names, figures: Names) -> None:
        self._report, self._table_names, self._figure_names = report, tables, figures
        self._tables = {table.id: table for table in report.tables}
        self._figures = {figure.id: figure for figure in report.figures}

    def block(self, block: Block) -> str:
        shown: dict[str, Callable[[], str]] = {
            "table": lambda: self.table(self._tables[block.id]),
            "figure": lambda: self.figure(self._figures[block.id]),
            "environment": lambda: "\n\n".join(_environments(self._report)),
            "findings": lambda: "\n\n".join(_findings(self._report)),
            "expected": lambda: "\n\n".join(_expected(self._report)) or "None.",
        }
        return shown[block.kind]().strip()

    def table(self, table: Table) -> str:
        csv = f"tables/{self._table_names[table.id]}.csv"
        return f"{markdown.table(table)}\n[Full precision as CSV]({csv})"

    def drawn_table(self, table: Table, figures: Sequence[Figure]) -> str:
        """Return a table with its figures behind it."""
        return "\n\n".join([self.table(table), *map(self.figure, figures)])

    def figure(self, figure: Figure) -> str:
        return f"![{escape.markdown(alt_text(figure))}](figures/{self._figure_names[figure.id]}.svg)"


def _expected(report: Report) -> list[str]:
    lines = expected_lines(report)
    if not lines:
        return []
    statements = [
        f"- **{escape.markdown(line.statement)}**: "
        + " or ".join(escape.markdown(path) for path in line.paths)
        for line in lines
    ]
    sources = []
    for i, fact in enumerate(facts(report), start=1):
        read = f", read {escape.markdown(fact.read)}" if fact.read else ""
        source = f" ({escape.link(fact.source, fact.url)}{read})" if fact.source else ""
        sources.append(f"{i}. {escape.markdown(fact.text)}{source}")
    return ["\n".join(statements), "From these facts:", "\n".join(sources)]


def _environments(report: Report) -> list[str]:
    return [_environment(environment) for environment in report.environments]


def _environment(environment: Environment) -> str:
    runs = count(environment.runs, "run")
    body = [[escape.markdown(name), escape.markdown(value)] for name, value in environment.rows]
    table = markdown.aligned(["", "Value"], body, ["left", "left"])
    title = html.escape(escape.one_line(environment.title))  # a summary is HTML: no Markdown inside
    return f"<details>\n<summary>{title} ({runs})</summary>\n\n{table}\n\n</details>"


def _findings(report: Report) -> list[str]:
    groups = finding_groups(report)
    if not groups:
        return ["None."]
    return [
        "What a reader of the numbers should know, by rule; `reportgen explain RULE` tells more.",
        "\n".join(_finding_group(group) for group in groups),
    ]


def _finding_group(group: FindingGroup) -> str:
    lines = [f"- {escape.code(group.rule)}, {_severity(group)}"]
    for finding in group.examples:
        subject = f"{escape.code(finding.subject)}: " if finding.subject else ""
        source = f" ({escape.code(str(finding.source))})" if finding.source else ""
        lines.append(f"  - {subject}{escape.sentence(finding.message)}{source}")
    if group.rest:
        lines.append(f"  - and {group.rest} more in [report.json](report.json)")
    return "\n".join(lines)


def _severity(group: FindingGroup) -> str:
    return count(group.count, group.severity, "invalid" if group.severity == "invalid" else "")


def _provenance(report: Report) -> list[str]:
    protocol = protocol_line(report)
    text = [escape.paragraph(protocol)] if protocol else []
    if not report.provenance:
        return text
    body = [_provenance_row(one) for one in report.provenance]
    heads, aligns = ["Logs", "Format", "Runs", "Source", "Date"], ("left", "left", "right", "left", "left")
    kept = [i for i in range(len(heads)) if any(row[i] for row in body)]
    table = markdown.aligned(
        [heads[i] for i in kept],
        [[row[i] for i in kept] for row in body],
        ["right" if aligns[i] == "right" else "left" for i in kept],
    )
    return [*text, table]


def _provenance_row(one: Provenance) -> list[str]:
    source = escape.link(one.title or one.url, one.url)
    return [
        escape.code(one.path, in_table=True),
        escape.markdown(one.format),
        str(one.runs),
        source,
        escape.markdown(one.date),
    ]
