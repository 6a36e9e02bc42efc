"""The definition of a table or figure: its keys, checked and typed.

`report.definition` reads these from TOML. `place` is the entry's position in the definition; errors name it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal

from reportgen.compare.comparison import CompareKind
from reportgen.core.factors import Accepted, Presence
from reportgen.core.model import FactorValue, Status
from reportgen.document.model import FigureKind, Quantity
from reportgen.protocol import Protocol

Pick = Literal["largest", "smallest", "best", "absent", "present"]
Wanted = tuple[FactorValue, ...]

# Names that a definition may use like factors, although no run has a factor of that name.
METRIC, PHASE, REPEAT, STATUS, SYSTEM = "metric", "phase", "repeat", "status", "system"


@dataclass(frozen=True, slots=True)
class CompareSpec:
    """The baseline of each cell: its own case with the factors in `baseline` replaced.

    mean             adds a row with the geometric mean of each column's ratios
    same_within      share within which two cases are the same
    is_exchangeable  the author declares that the order of the runs does not matter
    accept           essential differences that the author accepts, see `compare.conditions`
    why              footnotes say which parts the difference of two times consists of
    """

    kind: CompareKind
    baseline: Mapping[str, FactorValue | Presence]
    mean: bool = False
    same_within: float = 0.01
    is_exchangeable: bool = False
    accept: tuple[str, ...] = ()
    why: bool = False


@dataclass(frozen=True, slots=True)
class RequiredSpec:
    """Cells and repeats that must be present; their absence is a finding.

    cells      factors with values, of rows, columns and facets: a cell with them must have a number
    all_cells  every cell must have a number
    counts     factor of rows, columns or facets -> fewest of its values that must have a number
    repeats    fewest repeats of each case; statuses  how its runs may end, any way if empty
    """

    cells: tuple[Mapping[str, FactorValue], ...] = ()
    all_cells: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    repeats: int = 0
    statuses: tuple[Status, ...] = ()


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One `[[tables]]` entry. `where` maps a factor to the values it may have, or to its absence."""

    place: str
    id: str
    title: str
    protocol: Protocol
    where: Mapping[str, Accepted] = field(default_factory=dict)
    metrics: tuple[str, ...] = ("throughput",)
    phases: tuple[str, ...] = ("step",)
    unit: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    order: Mapping[str, Wanted] = field(default_factory=dict)
    qualify: Mapping[str, FactorValue | None] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    pick: Mapping[str, Pick] = field(default_factory=dict)
    compare: CompareSpec | None = None
    show: tuple[Quantity, ...] = ("value",)
    totals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    best_first: bool = False
    missing: str = "-"
    planned: tuple[Mapping[str, FactorValue], ...] = ()
    interval: bool = False
    digits: int = 4
    decimals: int | None = None
    notes: tuple[str, ...] = ()
    required: RequiredSpec = RequiredSpec()

    @property
    def named(self) -> frozenset[str]:
        """Return every factor that the entry names; all others must not vary inside a cell."""
        return frozenset((*self.where, *self.rows, *self.columns, *self.facets, *self.ignore))


def definition_digest(spec: TableSpec) -> str:
    """Return a digest of what decides about numbers: which runs, how they are grouped and compared.

    Headings, order, digits and the protocol are not in it.
    """
    compare = spec.compare and (
        spec.compare.kind,
        sorted(spec.compare.baseline.items()),
        spec.compare.same_within,
        spec.compare.is_exchangeable,
        sorted(spec.compare.accept),
    )
    groups = (sorted(spec.rows), sorted(spec.columns), sorted(spec.facets), sorted(spec.ignore))
    chosen = (sorted(spec.where.items()), spec.metrics, spec.phases, sorted(spec.pick.items()))
    what = repr((chosen, groups, sorted(spec.totals.items()), compare))
    return blake2b(what.encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()


SharesOf = Literal["steps", "repeats", "rows"]
LatencySource = Literal["measured", "batch / throughput"]


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """One `[[figures]]` entry, drawn from the table definition `table` (one figure for each facet).

    where      the factors of the rows and columns that it shows, of one cell in a waterfall
    is_sorted  the largest value first (dots)
    of         what the shares are of (ecdf)
    latency    where latencies come from (latency-throughput)
    is_chosen  whether the program chose it, not an author: then it is left out where it cannot be drawn
    """

    place: str
    id: str
    title: str
    kind: FigureKind
    table: str
    x: str = ""
    show: Quantity = "value"
    ideal: bool = False
    where: Mapping[str, Wanted] = field(default_factory=dict)
    is_sorted: bool = False
    of: SharesOf = "steps"
    latency: LatencySource = "measured"
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class SwitchSpec:
    """A check box of an explorer.

    tables      charts that are shown only while it is on, by the ids of their tables
    phases      phases that are shown only while it is on
    instead_of  phases that are shown only while it is off
    """

    id: str
    title: str
    note: str = ""
    tables: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExplorerSpec:
    """The explorer of a report. What is empty or None is chosen from the cases of the tables.

    facets   factors of which a reader chooses one value; compare  the factor whose values are side by side
    x        the factor on the x axis; tables  ids of the tables that become charts
    more     Markdown
    """

    place: str
    facets: tuple[str, ...] | None = None
    compare: str | None = None
    x: str = ""
    baseline: FactorValue | None = None
    tables: tuple[str, ...] = ()
    switches: tuple[SwitchSpec, ...] = ()
    more: str = ""
