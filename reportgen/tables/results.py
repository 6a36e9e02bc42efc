"""Define the parts of a report: tables of cells, figures, and the report that holds them.

`tables` and `report` decide; `render` only shows. So all of it is already chosen: order, headings, units,
footnotes. Numbers stay in base units at full precision, beside the unit to be read; the renderer rounds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from reportgen.compare.comparison import Comparison
from reportgen.compare.expected_speed import Expected
from reportgen.core.model import Case, FactorValue, Finding, Run, Source
from reportgen.core.units import Unit
from reportgen.document.model import (
    Acceptance,
    CellKind,
    Environment,
    FigureKind,
    FigureMark,
    Header,
    Label,
    Note,
    Provenance,
    Quantity,
    UnitMode,
)
from reportgen.tables.explorer_model import Explorer


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One cell: a number in base units with the unit to show it in, or a text that says why not.

    value       base unit, None unless kind is number
    unit        to show it in (factor 1 for ratios)
    low, high   interval of the value where the table shows intervals (base unit), band of an expected speed;
                of kind interval: of the ratio
    text        what is shown when kind is not number: -, out of memory, several, planned
    case        the evidence; None for absent and planned cells
    several     the cases that fell into one cell, which therefore shows none of them
    invalid     rule of the finding for which the number means nothing
    over_all    the number over all of the windows' time; None where gaps left out little of it
    qualifiers  shown small beside the number where neither row nor column can say it
    notes       names of its notes in the table
    """

    kind: CellKind
    value: float | None = None
    unit: Unit | None = None
    low: float | None = None
    high: float | None = None
    text: str = ""
    case: Case | None = None
    comparison: Comparison | None = None
    qualifiers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    several: tuple[Case, ...] = ()
    invalid: str = ""
    over_all: float | None = None

    @property
    def cases(self) -> tuple[Case, ...]:
        """Return every case behind the cell, including its baseline."""
        own = (self.case,) if self.case else ()
        return (*own, *((self.comparison.baseline,) if self.comparison else ()), *self.several)

    def __repr__(self) -> str:
        shown = f" {self.value:.6g}" if self.value is not None else f" {self.text!r}" if self.text else ""
        return f"<Cell: {self.kind}{shown}>"


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """One table: rows x columns of cells.

    id                 of the definition, with /<facet values> if facets split it
    row_titles         headings of the row-factor columns; column_titles  the names of the column factors
    rows, columns      heads; cells[i][j] belongs to rows[i] and columns[j]
    unit_mode          the place of the unit: caption, column head, row head or cell
    unit               of the whole table if unit_mode is table
    digits, decimals   how numbers are shown (decimals wins)
    notes              footnotes by name, in the order in which a reader meets them
    about              sentences that hold for the whole table, each with its name: metric, unit, protocol
    facet              the factors that split the definition, with the values of this table
    facet_words        for each of them its title and its value in words
    has_signs          whether each ratio has the sign of its verdict beside it
    sets_differ        how many cases the sides of its comparison have, as a clause, "" if all have all
    definition         digest of what the definition says about numbers: not of headings, order and digits
    """

    id: str
    title: str
    metric: str
    metric_title: str
    row_factors: tuple[str, ...]
    row_titles: tuple[Label, ...]
    column_factors: tuple[str, ...]
    rows: tuple[Header, ...]
    columns: tuple[Header, ...]
    cells: tuple[tuple[Cell, ...], ...]
    notes: Mapping[str, Note]
    unit_mode: UnitMode
    unit: Unit | None
    digits: int
    decimals: int | None
    about: tuple[Note, ...] = ()
    facet: tuple[tuple[str, FactorValue], ...] = ()
    facet_words: tuple[tuple[str, str], ...] = ()
    has_signs: bool = False
    definition: str = ""
    findings: tuple[Finding, ...] = ()
    column_titles: tuple[Label, ...] = ()
    sets_differ: str = ""

    @property
    def caption(self) -> tuple[str, ...]:
        """Return the sentences about the whole table."""
        return tuple(note.text for note in self.about)

    @property
    def family(self) -> str:
        """Return the id of the definition, which the tables of its facets share."""
        return self.id.partition("/")[0] if self.facet else self.id

    @property
    def facet_text(self) -> str:
        """Return the facet in words: the part of the title after ": "."""
        return ", ".join(value for _, value in self.facet_words)

    @property
    def family_title(self) -> str:
        """Return the title that the tables of all facets share."""
        return self.title.removesuffix(f": {self.facet_text}") if self.facet else self.title

    def __repr__(self) -> str:
        shape = f"{len(self.rows)} rows x {len(self.columns)} columns"
        return (
            f"<Table {self.id}: {self.metric_title}, {shape}, {' and '.join(self.row_factors) or 'one row'}>"
        )


@dataclass(frozen=True, slots=True)
class FigureSeries:
    """One line, one colour of bars, or one strip: y over x, None where there is nothing.

    x  numbers, or texts when the figure is categorical; several equal x in a strip
    y, low, high  base unit; low and high are error bars or empty; in a waterfall, where a bar of length y
                  begins and ends
    failed  for each x, why the case has no value: "out of memory"; "" where it has one or never ran
    colour  its place among the colours, the same for this name in every figure of a report; None: its place
            in the figure
    cases   behind each value; empty if they are not known
    labels  a text beside each point, or empty
    """

    name: str
    x: tuple[float | str, ...]
    y: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    failed: tuple[str, ...] = ()
    colour: int | None = None
    cases: tuple[Case | None, ...] = ()
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot of a table: what to draw, not how. `ideal` is a dashed line y = x / x0 x y0, points given.

    quantity  what y is; everything but "value" is a ratio
    x_unit    of x, where x is a measured value in base units
    front     points that no other point exceeds in both quantities, where both are measured
    """

    id: str
    title: str
    kind: FigureKind
    x_title: str
    y_title: str
    unit: Unit
    categories: tuple[str, ...]
    series: tuple[FigureSeries, ...]
    ideal: tuple[tuple[float, float], ...] = ()
    alt: str = ""
    table: str = ""
    changes: tuple[FigureMark, ...] = ()
    quantity: Quantity = "value"
    x_unit: Unit | None = None
    front: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """One report, ready to be shown.

    name      path below the reports folder, also the folder's name
    headline  the first sentence, "" if there is none
    headline_place  where the author wrote the headline, a template; "" if it is plain text of the program
    verdict   the sentences after it
    run_counts  how many runs are behind the tables, and in none, in sentences
    prose     the Markdown template of the definition's body, "" if none; rendered by `render`
    tables    in order of definition, facets expanded
    protocols  each one's fields by name; protocol  the names; protocol_text  what they do, in words
    sources   path of every file behind the report -> its SHA-256
    acceptance  the results of the rules that the definition sets
    explorer  what a reader explores on the page, None if the definition asks for none
    """

    name: str
    title: str
    headline: str
    headline_place: str
    verdict: tuple[str, ...]
    run_counts: tuple[str, ...]
    prose: str
    prose_source: Source | None
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    expected: tuple[Expected, ...]
    environments: tuple[Environment, ...]
    findings: tuple[Finding, ...]
    provenance: tuple[Provenance, ...]
    runs: tuple[Run, ...]
    protocol: str
    protocol_text: str
    protocols: Mapping[str, Mapping[str, FactorValue]]
    sources: Mapping[str, str] = field(default_factory=dict)
    acceptance: tuple[Acceptance, ...] = ()
    explorer: Explorer | None = None

    def __repr__(self) -> str:
        counts = f"{len(self.tables)} tables, {len(self.figures)} figures, {len(self.runs)} runs"
        return f"<Report {self.name}: {counts}>"
