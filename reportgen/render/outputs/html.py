"""Write index.html: the report as one file that needs no network, no server and no JavaScript.

Every number links to its case: the repeats with value, steps, status, findings and source lines, once per
case even if several tables show it. The script shows them in a panel, from JSON in the page; a browser
without JavaScript shows the same as text. The template escapes all texts, and a content security policy
allows no script but ours, so that nothing from a log can become active.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape as html_escape
from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.core.results import Figure, Table
from reportgen.render import acceptance, evidence, first_screen, page_outline, page_script
from reportgen.render.best_cells import best_cells
from reportgen.render.evidence_data import evidence_json
from reportgen.render.figures import digest
from reportgen.render.figures.colours import GRID, INK, PAPER
from reportgen.render.grid import Grid, lay_out
from reportgen.render.outputs import csv, steps
from reportgen.render.outputs.base import Content, Output
from reportgen.render.page_templates import page_style, page_templates, sentence_html
from reportgen.render.prose.numbers import text_notes
from reportgen.render.prose.numbers_html import link_numbers
from reportgen.render.summary import (
    alt_text,
    expected_speeds,
    facts,
    finding_groups,
    protocol_line,
    shown_environments,
)
from reportgen.render.text.english import sentence

if TYPE_CHECKING:
    from reportgen.render.prose.template import Prose
    from reportgen.render.prose.template_functions import PageBlock

# More tables that differ in their facet only are folded.
_MOST_UNFOLDED = 4

# A figure inside the page takes the page's colours, light or dark.
_THEME = {INK: "var(--ink)", GRID: "var(--line)", PAPER: "var(--paper)"}


def index_html(content: Content) -> bytes:
    """Return the page."""
    report, cases = content.report, content.cases.cases
    page = _Page(content)
    proofs = evidence.evidence_of(content.cases, page.anchor)
    script = page_script.page_script()
    main = page.main()
    context = {
        "report": report,
        "headline": page.headline(),
        "figure": page.headline_figure(),
        "measured": first_screen.measured(report, cases),
        "trust": first_screen.trust(report, cases),
        "has_findings": 'id="findings"' in main,
        "protocol": protocol_line(report),
        "style": page_style(),
        "main": main,
        "contents": page_outline.outline(main),
        "evidence": proofs,
        "evidence_json": Markup(evidence_json(proofs, content.source_url)),
        "script": Markup(script),
        "script_digest": page_script.digest(script),
        "has_steps": 'data-steps="' in main,
    }
    return page_templates().get_template("report.html").render(context).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """A table as the template shows it.

    csv     path of its CSV file; steps  that of its steps, "" for none
    cases   the name of the case of each cell
    best    positions of the best numbers; caption  the sentences below, with what "best" means
    values  each cell in the base unit, by which a column is sorted; empty if all of a column have one unit
    """

    grid: Grid
    title: str
    anchor: str
    csv: str
    steps: str
    cases: Sequence[Sequence[str | None]]
    best: Collection[tuple[int, int]]
    caption: Sequence[str]
    values: Mapping[tuple[int, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Tables that differ in their facet only, each with its figures and what the fold is called.

    title  of all, "" if each table has its own heading and nothing is folded
    """

    title: str
    anchor: str
    members: Sequence[tuple[str, Sequence[Markup]]]


def _families(tables: Sequence[Table]) -> list[list[Table]]:
    """Return the tables of each definition, one per facet, together."""
    families: dict[str, list[Table]] = {}
    for table in tables:
        families.setdefault(table.id.partition("/")[0] if table.facet else table.id, []).append(table)
    return list(families.values())


def _values(table: Table) -> dict[tuple[int, int], str]:
    if table.unit_mode in ("table", "column"):
        return {}
    cells = ((i, j, cell.value) for i, line in enumerate(table.cells) for j, cell in enumerate(line))
    return {(i, j): f"{value:.6g}" for i, j, value in cells if value is not None}


class _Page:
    """The blocks of a page as HTML, wherever the author's text or the page itself places them."""

    def __init__(self, content: Content) -> None:
        self._content, self._report = content, content.report
        self._tables = {table.id: table for table in content.report.tables}
        self._figures = {figure.id: figure for figure in content.report.figures}
        self._first = next(iter(self._figures), "")

    def anchor(self, table: Table) -> str:
        return f"table-{self._content.table_names[table.id]}"

    def main(self) -> Markup:
        """Return the report below its first screen: text, tables, figures, facts, environments, findings."""
        prose = self._content.prose
        loose, drawn = prose.left(self._report)
        context = {
            "report": self._report,
            "acceptance": [
                (acceptance.heading(entry), list(acceptance.lines(entry)))
                for entry in self._report.acceptance
            ],
            "acceptance_heads": acceptance.HEADS,
            "prose": self.prose().strip(),
            "families": [self._family(members, drawn) for members in _families(loose)],
            "figures": [self.figure(figure) for figure in drawn.get("", ()) if figure.id != self._first],
            "expected": "" if prose.places("expected") else self.expected(),
            "environment": "" if prose.places("environment") else self.environment(),
            "findings": "" if prose.places("findings") else self.findings(),
        }
        return Markup(page_templates().get_template("main.html").render(context))

    def _family(self, members: Sequence[Table], drawn: Mapping[str, Sequence[Figure]]) -> Family:
        """Return tables that differ in their facet only; many are folded, except the first."""
        first = members[0]
        is_folded = len(members) > _MOST_UNFOLDED
        return Family(
            title=first.title.removesuffix(f": {first.facet_text}") if is_folded else "",
            anchor=f"family-{self._content.table_names[first.id]}",
            members=[
                (
                    table.facet_text or table.title,
                    [self.table(table, heading=not is_folded), *map(self.figure, drawn.get(table.id, ()))],
                )
                for table in members
            ],
        )

    def headline_figure(self) -> Markup:
        """Return the first figure of the report, which the first screen shows."""
        return self._drawing(self._figures[self._first]) if self._first else Markup("")

    def table(self, table: Table, *, heading: bool) -> Markup:
        """Return the table; the author's text has its own headings."""
        grid, best = lay_out(table), best_cells(table)
        shown = TableView(
            grid=grid,
            title=table.title,
            anchor=self.anchor(table),
            csv=csv.OUTPUT.path_of(self._content.table_names[table.id]),
            steps=self._steps_path(table),
            cases=[[self._content.cases.name(item.case) for item in cells] for _, cells in grid.rows],
            best=best.cells,
            caption=(*grid.caption, *([best.text] if best.text else [])),
            values=_values(table),
        )
        return self._macro("table", shown, heading)

    def _steps_path(self, table: Table) -> str:
        path = steps.OUTPUT.path_of(self._content.table_names[table.id])
        return path if path in self._content.generated else ""

    def figure(self, figure: Figure) -> Markup:
        """Return a figure, or a link to it if the first screen shows it."""
        if figure.id == self._first:
            return self._macro("figure_link", figure.title, self._content.figure_names[figure.id])
        return self._drawing(figure)

    def _drawing(self, figure: Figure) -> Markup:
        name = self._content.figure_names[figure.id]
        shown = digest.inline(
            self._content.svgs[figure.id], prefix=f"{name}-", alt=html_escape(alt_text(figure))
        )
        for colour, themed in _THEME.items():
            shown = shown.replace(colour, themed)
        return self._macro("figure", Markup(shown), name)

    def environment(self) -> Markup:
        environments = shown_environments(self._report)
        return self._macro("environments", environments) if environments else Markup("")

    def findings(self) -> Markup:
        return self._macro("findings", finding_groups(self._report))

    def expected(self) -> Markup:
        speeds = expected_speeds(self._report)
        return self._macro("expected", speeds, facts(self._report)) if speeds else Markup("")

    def prose(self) -> Markup:
        from reportgen.render.prose.to_html import prose_html

        prose = self._content.prose
        html = page_outline.number_headings(prose_html(prose.marked))
        text = link_numbers(html, prose.numbers, self._content.cases.name, "text")
        return Markup(prose.filled(text, self._block)) + Markup("\n") + self._notes(prose, "text")

    def headline(self) -> Markup:
        """Return the headline as a paragraph, "" without one."""
        prose = self._content.headline
        if not prose.marked:
            return Markup("")
        html = str(sentence_html(prose.marked))
        text = link_numbers(html, prose.numbers, self._content.cases.name, "headline")
        return Markup('<p class="headline">{}</p>').format(Markup(text)) + self._notes(prose, "headline")

    def _notes(self, prose: "Prose", anchor: str) -> Markup:
        notes = [
            sentence(f"every number: {note.text}") if note.on_all else sentence(note.text)
            for note in text_notes(prose.numbers)
        ]
        return self._macro("notes", notes, anchor) if notes else Markup("")

    def _block(self, block: "PageBlock") -> str:
        if block.kind == "table":
            return self.table(self._tables[block.id], heading=False)
        if block.kind == "figure":
            return self.figure(self._figures[block.id])
        sections = {"environment": self.environment, "findings": self.findings, "expected": self.expected}
        return sections[block.kind]() or Markup("<p>None.</p>")

    def _macro(self, name: str, *arguments: object) -> Markup:
        return Markup(getattr(page_templates().get_template("blocks.html").module, name)(*arguments))


OUTPUT = Output(
    path="index.html", mark=re.compile(rb'<meta name="generator" content="reportgen">'), of_report=index_html
)
