"""Define the parts of a report: tables of cells, figures, and the report that holds them.

`tables` and `report` decide; `render` only shows. So all of it is already chosen: order, headings, units,
footnotes. Numbers stay in base units at full precision, beside the unit to be read; the renderer rounds.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Self

from reportgen.compare.comparison import CompareKind, Comparison
from reportgen.compare.expected_speed import Expected
from reportgen.core.model import Case, FactorValue, Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.core.units import Unit
from reportgen.tables.explorer_model import Explorer

Quantity = Literal[
    "value", "ratio", "speedup", "efficiency", "observed", "expected", "excess", "repeats",
    "interval", "verdict", "cycles", "energy",
]  # fmt: skip
CellKind = Literal["number", "absent", "status", "several", "planned", "interval", "verdict", "incomparable"]
UnitMode = Literal["table", "column", "row", "cell"]


FigureContent = Literal["cells", "repeats", "steps", "shares", "parts", "pairs"]


class FigureKind(StrEnum):
    """The kind of a figure. The text of a kind is its name in a definition; `render.figures.kinds` draws it.

    shows      what a series consists of: the cells of a column, the repeats behind them, their steps, shares
               of either up to a value, the parts of a difference, or cells of two metrics in pairs
    numeric_x  x may be a number; else it is always a category
    """

    shows: FigureContent
    numeric_x: bool

    def __new__(cls, name: str, shows: FigureContent, numeric_x: bool) -> Self:
        """Make the text of a kind its name."""
        kind = str.__new__(cls, name)
        kind._value_ = name
        kind.shows, kind.numeric_x = shows, numeric_x
        return kind

    LINE = "line", "cells", True
    CURVE = "curve", "cells", True
    DOTS = "dots", "cells", False
    BAR = "bar", "cells", False
    STACKED_BAR = "stacked-bar", "cells", False
    HEAT_MAP = "heat-map", "cells", False
    LATENCY_THROUGHPUT = "latency-throughput", "pairs", True
    STRIP = "strip", "repeats", False
    ECDF = "ecdf", "shares", True
    WATERFALL = "waterfall", "parts", False
    SERIES = "series", "steps", True
    TREND = "trend", "repeats", False


# The quantities that each comparison can show, and their titles.
COMPARED_QUANTITIES: Mapping[CompareKind, tuple[Quantity, ...]] = {
    "ratio": ("ratio", "interval", "verdict", "cycles", "energy"),
    "speedup": ("speedup", "interval", "verdict", "cycles", "energy"),
    "efficiency": ("efficiency",),
    "expected": ("observed", "expected", "excess", "interval", "verdict", "cycles", "energy"),
}
# These are shown only on request.
ON_REQUEST: frozenset[Quantity] = frozenset(("interval", "verdict", "cycles", "energy"))
QUANTITY_TITLES: Mapping[Quantity, str] = {
    "value": "value",
    "ratio": "ratio",
    "speedup": "speed-up",
    "efficiency": "scaling efficiency",
    "observed": "slowdown",
    "expected": "expected speed",
    "excess": "slowdown vs expected",
    "repeats": "repeats",
    "interval": "interval",
    "verdict": "verdict",
    "cycles": "in cycles",
    "energy": "energy per sample",
}

# Yields the items one by one and reports the progress to the user.
TrackProgress = Callable[[Sequence[Any]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Label:
    """Text of a heading, with a link if the definition gives one."""

    text: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote of a table, or a sentence about all of it.

    rule  of the finding that it comes from; name  what it is about, if it comes from none
    """

    text: str
    rule: Rule | None = None
    name: str = "note"

    @property
    def mark(self) -> str:
        """Return the word that refers to the note: it does not depend on the other notes of the table."""
        return self.rule.short if self.rule else self.name


@dataclass(frozen=True, slots=True)
class Header:
    """The head of one row or column.

    key         values of the table's row or column factors, in their order
    labels      one per level of heading, equal neighbours are merged by the renderer
    qualifiers  shown smaller under the heading: bsz=224, w/XLA
    quantity    what the cells below show (columns only); quantity_label  its heading, "" if it goes without
    unit        the unit of the whole column or row where that is how units are chosen
    split       qualifying factors that had to split this column from a neighbour with the same key
    notes       indices into the table's notes, of what holds for every number of the row
    is_mean     whether the row holds the means of all others (rows only)
    """

    key: tuple[FactorValue, ...]
    labels: tuple[Label, ...]
    qualifiers: tuple[str, ...] = ()
    quantity: Quantity = "value"
    quantity_label: str = ""
    unit: Unit | None = None
    split: tuple[tuple[str, FactorValue], ...] = ()
    notes: tuple[int, ...] = ()
    is_mean: bool = False

    def words(self, titles: Sequence[Label]) -> str:
        """Return the values of a row's head as one text; a number needs the name of its factor."""
        heads = zip(titles, self.key, self.labels, strict=True)
        words = (
            label.text if isinstance(key, str) else f"{title.text} {label.text}"
            for title, key, label in heads
        )
        return ", ".join(word for word in words if word)


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
    qualifiers  shown small beside the number where neither row nor column can say it
    notes       indices into the table's notes
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
    notes: tuple[int, ...] = ()
    several: tuple[Case, ...] = ()

    @property
    def cases(self) -> tuple[Case, ...]:
        """Return every case behind the cell, including its baseline."""
        own = (self.case,) if self.case else ()
        return (*own, *((self.comparison.baseline,) if self.comparison else ()), *self.several)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """One table: rows x columns of cells.

    id                 of the definition, with /<facet values> if facets split it
    row_titles         headings of the row-factor columns; column_titles  the names of the column factors
    rows, columns      heads; cells[i][j] belongs to rows[i] and columns[j]
    unit_mode          the place of the unit: caption, column head, row head or cell
    unit               of the whole table if unit_mode is table
    digits, decimals   how numbers are shown (decimals wins)
    about              sentences that hold for the whole table, each with its name: metric, unit, protocol
    facet              the factors that split the definition, with the values of this table
    facet_words        for each of them its title and its value in words
    has_signs          whether each ratio has the sign of its verdict beside it
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
    notes: tuple[Note, ...]
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
class FigureMark:
    """A step or a drift of a series: between two x, which are equal for a step, and its size in words."""

    series: int
    first: str
    last: str
    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot of a table: what to draw, not how. `ideal` is a dashed line y = x / x0 x y0, points given.

    quantity  what y is; everything but "value" is a ratio
    x_unit    of x, where x is a measured value in base units
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


@dataclass(frozen=True, slots=True)
class Environment:
    """Values that the runs of one machine (or one set of runs) share.

    rows  (name, value); values that differ between its runs are joined with " | "
    """

    title: str
    runs: int
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """One folder of logs that a report uses. reader: the version of the format's reader."""

    path: str
    format: str
    runs: int
    title: str = ""
    url: str = ""
    date: str = ""
    reader: int = 1


Outcome = Literal["pass", "fail", "not evaluated"]


@dataclass(frozen=True, slots=True)
class AcceptedCell:
    """One cell under a rule of acceptance, in base units.

    place      the cell in words
    reference  what the value is compared with; ratio  of both, above 1 is better
    reason     why the rule was not evaluated
    """

    place: str
    outcome: Outcome
    metric: str = ""
    unit: str = ""
    item: str = ""
    value: float | None = None
    reference: float | None = None
    ratio: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RatioBounds:
    """The bounds of a rule. A ratio that equals one is inside; the last bits of a quotient do not count."""

    low: float | None
    high: float | None

    def include(self, ratio: float) -> bool:
        """Return whether the ratio is inside."""
        is_low = self.low is not None and ratio < self.low * (1 - 1e-12)
        is_high = self.high is not None and ratio > self.high * (1 + 1e-12)
        return not (is_low or is_high)


@dataclass(frozen=True, slots=True)
class AcceptanceRuleResult:
    """A rule with every cell that it was applied to; `text` is the rule in words."""

    text: str
    bounds: RatioBounds
    outcome: Outcome
    cells: tuple[AcceptedCell, ...]


@dataclass(frozen=True, slots=True)
class Acceptance:
    """An entry of acceptance: its rules, and whether all of them (or any one) hold."""

    id: str
    title: str
    is_any: bool
    outcome: Outcome
    rules: tuple[AcceptanceRuleResult, ...]


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
