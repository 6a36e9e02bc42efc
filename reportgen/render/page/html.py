"""Write index.html: the report as a file that needs no network, no server and no JavaScript.

Every number links to its case: the repeats with value, steps, status, findings and source lines, once per
case even if several tables show it. The script shows them in a panel, from JSON in the page; a browser
without JavaScript shows the same as text. The template escapes all texts, and a content security policy
allows no script but ours, so that nothing from a log can become active.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape as html_escape
from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.plain_text import one_line
from reportgen.document.model import Figure, Table
from reportgen.render.data import csv
from reportgen.render.figures import digest
from reportgen.render.figures.colours import ON_A_PAGE
from reportgen.render.grid import acceptance, evidence, first_screen
from reportgen.render.grid.best_cells import find_best
from reportgen.render.grid.grid import Grid, lay_out
from reportgen.render.grid.summary import (
    alt_text,
    expected_speeds,
    facts,
    finding_groups,
    protocol_line,
    shown_environments,
)
from reportgen.render.outputs import Content, Output
from reportgen.render.page import evidence_files, library, page_script, page_style, standalone, steps
from reportgen.render.page import outline as page_outline
from reportgen.render.page.evidence_data import evidence_json, head_json
from reportgen.render.page.explorer_data import explorer_json
from reportgen.render.page.library import has_charts
from reportgen.render.page.page_templates import page_templates, sentence_html
from reportgen.render.prose.numbers import link_numbers, text_notes
from reportgen.render.prose.template_functions import BEGIN, END
from reportgen.render.text.english import sentence

if TYPE_CHECKING:
    from reportgen.render.prose.template import Prose
    from reportgen.render.prose.template_functions import PageBlock

# A longer headline, in characters, is set in the size of the text.
_LONG_HEADLINE = 300

# Sentences of a caption that a reader of single numbers does not need; the panel has them for each number.
_TERMS = ("sum", "constants", "contract", "sets", "chance")

# More tables that differ in their facet only are folded.
_MOST_UNFOLDED = 4

# A figure that is taller pushes the first table off the first screen, even if the style sheet makes it lower.
_MAX_HEIGHT_TO_WIDTH = 1.7
# The placeholders of two blocks after each other.
_PAIR = lazy_pattern(f"{BEGIN}([0-9]+){END}\\s*{BEGIN}([0-9]+){END}")


def index_html(content: Content) -> bytes:
    """Return the page."""
    report = content.report
    charts, drawn = _charts(content)
    page = _Page(content, drawn)
    is_beside = evidence_files.is_beside(report) and not content.is_standalone
    proofs = None if is_beside else evidence.evidence_of(report, page.anchor)
    of_all, of_each = (
        evidence_json(report, proofs) if proofs else (head_json(report, evidence_files.FILES), {})
    )
    scripts = standalone.scripts(content) if content.is_standalone else [page_script.loader()]
    main = page.main()
    context = {
        "report": report,
        "headline": page.headline(),
        "figure": page.headline_figure(),
        "measured": first_screen.measured(report),
        "trust": first_screen.trust(report),
        "has_findings": 'id="findings"' in main,
        "protocol": protocol_line(report),
        "plain_style": page_style.plain_style(),
        "style": page_style.page_style() if content.is_standalone else "",
        "style_sheet": f"../{page_style.OUTPUT.path}",
        "main": main,
        "contents": page_outline.contents_of(main),
        "evidence": proofs,
        "evidence_json": Markup(of_all),
        "evidence_of": {name: Markup(data) for name, data in of_each.items()},
        "explorer_json": Markup(explorer_json(report, report.explorer) if report.explorer else ""),
        "scripts": list(map(Markup, scripts)),
        "script_digests": list(map(page_script.digest, scripts)),
        "charts": Markup(charts),
        "library": "" if content.is_standalone else library.FROM_A_REPORT,
        "page_version": page_script.PAGE_VERSION,
        "is_standalone": content.is_standalone,
    }
    return page_templates().get_template("report.html").render(context).encode("utf-8", "replace")


def _charts(content: Content) -> tuple[str, Mapping[str, str]]:
    """Return what the charts of the page share as JSON, "" for a page without, and each by its name."""
    from reportgen.render.figures.vega import specification
    from reportgen.render.page.chart_data import charts_json

    if not has_charts(content.report):
        return "", {}
    specifications = {
        content.figure_names[figure.id]: specification(
            figure, lambda name: len(content.report.case_by_name[name].measurements)
        )
        for figure in content.report.figures
    }
    return charts_json(specifications)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """A table as the template shows it.

    csv     path of its CSV file; steps  that of its steps, "" for none
    cases   the name of the case of each cell
    best    positions of the best numbers; caption  the sentences below, with what "best" means
    terms   further sentences, folded: what all numbers have in common, and what was held equal
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
    terms: Sequence[str]
    values: Mapping[tuple[int, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyMember:
    """A table with its figures, folded.

    title   what the fold is called
    values  of its facets, as JSON
    """

    title: str
    values: str
    block: Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyView:
    """Tables that differ in their facets only, as the template shows them.

    title   of all of them
    facets  titles of the facets, as JSON; "" if the tables have none in common
    """

    title: str
    anchor: str
    facets: str
    members: Sequence[FamilyMember]


def _families(tables: Sequence[Table]) -> list[list[Table]]:
    """Return the tables of each definition, one per facet, together."""
    families: dict[str, list[Table]] = {}
    for table in tables:
        families.setdefault(table.family, []).append(table)
    return list(families.values())


def _json(texts: Sequence[str]) -> str:
    return json.dumps(list(map(one_line, texts)), ensure_ascii=False) if texts else ""


def _sentences(grid: Grid, *, folded: bool) -> list[str]:
    """Return the sentences of the caption that are folded, or the others."""
    return [note.text for note in grid.about if (note.mark in _TERMS) is folded]


def _values(table: Table) -> dict[tuple[int, int], str]:
    if table.unit_mode in ("table", "column"):
        return {}
    cells = ((i, j, cell.value) for i, line in enumerate(table.cells) for j, cell in enumerate(line))
    return {(i, j): f"{value:.6g}" for i, j, value in cells if value is not None}


def _height_to_width(svg: bytes) -> float:
    box = re.search(rb'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"', svg)
    return float(box[2]) / float(box[1]) if box else 0.0


class _Page:
    """The blocks of a page as HTML, wherever the author's text or the page itself places them."""

    def __init__(self, content: Content, charts: Mapping[str, str]) -> None:
        self._content, self._report, self._charts = content, content.report, charts
        self._tables = {table.id: table for table in content.report.tables}
        self._figures = {figure.id: figure for figure in content.report.figures}
        first = list(self._figures)[:1]
        fits = (_height_to_width(content.svgs[id]) <= _MAX_HEIGHT_TO_WIDTH for id in first)
        self._first = first[0] if any(fits) else ""

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
            "explorer": self.explorer(),
            "prose": self.prose().strip(),
            "run_counts": first_screen.runs_below(self._report),
            "families": [self._loose(members, drawn) for members in _families(loose)],
            "figures": [self.figure(figure) for figure in drawn.get("", ()) if figure.id != self._first],
            "expected": "" if prose.places("expected") else self.expected(),
            "environment": "" if prose.places("environment") else self.environment(),
            "findings": "" if prose.places("findings") else self.findings(),
        }
        return Markup(page_templates().get_template("main.html").render(context))

    def _loose(self, tables: Sequence[Table], drawn: Mapping[str, Sequence[Figure]]) -> Markup:
        """Return the tables of a definition that the text does not place; many are folded."""
        if len(tables) > _MOST_UNFOLDED:
            return self.family(tables, drawn, heading=True)
        return Markup("\n").join(self._drawn_table(table, drawn, heading=True) for table in tables)

    def _drawn_table(self, table: Table, drawn: Mapping[str, Sequence[Figure]], *, heading: bool) -> Markup:
        """Return a table with its figures beside it where there is room."""
        shown, figures = self.table(table, heading=heading), list(map(self.figure, drawn.get(table.id, ())))
        return self._macro("beside", [shown, *figures]) if figures else shown

    def family(
        self, tables: Sequence[Table], drawn: Mapping[str, Sequence[Figure]], *, heading: bool
    ) -> Markup:
        """Return tables that differ in their facets only, folded except the first."""
        first = tables[0]
        shown = FamilyView(
            title=first.family_title,
            anchor=f"family-{self._content.table_names[first.id]}",
            facets=_json([name for name, _ in first.facet_words]),
            members=[
                FamilyMember(
                    title=table.facet_text or table.title,
                    values=_json([words for _, words in table.facet_words]),
                    block=self._drawn_table(table, drawn, heading=False),
                )
                for table in tables
            ],
        )
        return self._macro("family", shown, heading)

    def headline_figure(self) -> Markup:
        """Return the first figure of the report, which the first screen shows."""
        return self._drawing(self._figures[self._first]) if self._first else Markup("")

    def table(self, table: Table, *, heading: bool) -> Markup:
        """Return the table; the author's text has its own headings."""
        grid, best = lay_out(self._report, table), find_best(self._report, table)
        shown = TableView(
            grid=grid,
            title=table.title,
            anchor=self.anchor(table),
            csv=self._csv(table),
            steps=self._steps_path(table),
            cases=[[item.case for item in cells] for _, cells in grid.rows],
            best=best.cells,
            caption=(*_sentences(grid, folded=False), *([best.text] if best.text else [])),
            terms=_sentences(grid, folded=True),
            values=_values(table),
        )
        return self._macro("table", shown, heading)

    def _csv(self, table: Table) -> str:
        if self._content.is_standalone:
            return standalone.csv_address(self._report, table)
        return csv.OUTPUT.path_of(self._content.table_names[table.id])

    def _steps_path(self, table: Table) -> str:
        path = steps.OUTPUT.path_of(self._content.table_names[table.id])
        return path if path in self._report.side_files else ""

    def figure(self, figure: Figure) -> Markup:
        """Return a figure, or a link to it if the first screen shows it."""
        if figure.id == self._first:
            return self._macro("figure_link", figure.title, self._content.figure_names[figure.id])
        return self._drawing(figure)

    def _drawing(self, figure: Figure) -> Markup:
        name = self._content.figure_names[figure.id]
        shown = digest.inline(
            self._content.svgs[figure.id],
            prefix=f"{name}-",
            alt=html_escape(alt_text(figure)),
            by_colour=ON_A_PAGE,
        )
        table = self._tables.get(figure.table)
        chart, is_tall = Markup(self._charts[name]), _height_to_width(self._content.svgs[figure.id]) > 1
        return self._macro("figure", Markup(shown), name, self.anchor(table) if table else "", is_tall, chart)

    def environment(self) -> Markup:
        environments = shown_environments(self._report)
        return self._macro("environments", environments) if environments else Markup("")

    def findings(self) -> Markup:
        return self._macro("findings", finding_groups(self._report))

    def expected(self) -> Markup:
        speeds = expected_speeds(self._report)
        return self._macro("expected", speeds, facts(self._report)) if speeds else Markup("")

    def explorer(self) -> Markup:
        """Return the place of the explorer, which the script fills, and the text that belongs to it."""
        from reportgen.render.prose.to_html import prose_html

        explorer = self._report.explorer
        if explorer is None:
            return Markup("")
        return self._macro("explorer", Markup(prose_html(explorer.more)) if explorer.more else "")

    def prose(self) -> Markup:
        from reportgen.render.prose.to_html import prose_html

        prose = self._content.prose
        html = page_outline.number_headings(prose_html(prose.marked))
        html = _PAIR.sub(self._pair, html)
        text = link_numbers(html, prose.numbers, "text")
        return Markup(prose.filled(text, self._block)) + Markup("\n") + self._notes(prose, "text")

    def _pair(self, placeholders: re.Match[str]) -> str:
        """Return the placeholders of a table and of its figure in an element that puts them side by side."""
        first, second = (self._content.prose.blocks[int(placeholders[i])] for i in (1, 2))
        if (first.kind, second.kind) != ("table", "figure") or self._figures[second.id].table != first.id:
            return placeholders[0]
        return f'<div class="beside">\n{placeholders[0]}\n</div>'

    def headline(self) -> Markup:
        """Return the headline as a paragraph, "" without one."""
        prose = self._content.headline
        if not prose.marked:
            return Markup("")
        html = str(sentence_html(prose.marked))
        text = link_numbers(html, prose.numbers, "headline")
        kind = "headline" if len(prose.text) <= _LONG_HEADLINE else "headline long"
        return Markup('<p class="{}">{}</p>').format(kind, Markup(text)) + self._notes(prose, "headline")

    def _notes(self, prose: "Prose", anchor: str) -> Markup:
        notes = [
            sentence(f"every number: {note.text}") if note.on_all else sentence(note.text)
            for note in text_notes(prose.numbers)
        ]
        return self._macro("notes", notes, anchor) if notes else Markup("")

    def _block(self, block: "PageBlock") -> str:
        if block.kind == "table":
            return self.table(self._tables[block.id], heading=False)
        if block.kind == "tables":
            return self.family(
                [self._tables[id] for id in block.tables], self._drawn_with(block), heading=False
            )
        if block.kind == "figure":
            return self.figure(self._figures[block.id])
        sections = {"environment": self.environment, "findings": self.findings, "expected": self.expected}
        return sections[block.kind]() or Markup("<p>None.</p>")

    def _drawn_with(self, block: "PageBlock") -> dict[str, list[Figure]]:
        """Return the figures of the tables of a block, by table."""
        drawn: dict[str, list[Figure]] = {id: [] for id in block.tables}
        for figure in self._report.figures:
            if figure.id in block.figures:
                drawn[figure.table].append(figure)
        return drawn

    def _macro(self, name: str, *arguments: object) -> Markup:
        return Markup(getattr(page_templates().get_template("blocks.html").module, name)(*arguments))


OUTPUT = Output(
    path="index.html",
    mark=lazy_pattern(rb'<meta name="generator" content="reportgen">'),
    of_report=index_html,
)
