"""Hold the data of the explorer: the cases of a report's tables, by configuration and measure.

`tables.explorer` makes it, `render` shows it. Numbers are in base units at full precision, and every number
belongs to a case that a table shows too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from reportgen.compare.comparison import Comparison
from reportgen.core.model import Case
from reportgen.document.model import ExplorerChart, ExplorerFactor, ExplorerMeasure, ExplorerSwitch


@dataclass(frozen=True, slots=True, eq=False)
class ExplorerCell:
    """A measure of one configuration.

    case       None if several cases share the configuration; then text says so
    text       why there is no number, "" if there is one
    comparison  with the baseline, a ratio of values; None without one
    reason     why there is no comparison, "" if there is one or none is meant to be
    """

    case: Case | None
    text: str = ""
    comparison: Comparison | None = None
    reason: str = ""

    @property
    def value(self) -> float | None:
        """Return the value in the base unit, None without a number."""
        return self.case.summary.median if self.case and self.case.summary and not self.text else None


@dataclass(frozen=True, slots=True, eq=False)
class Configuration:
    """One combination of factor values.

    values  positions in the values of each factor of the explorer, in their order
    others  values of the factors that follow from these, as text
    device_memory  B, the size of one device; None if no log says it
    cells   by position of the measure
    """

    values: tuple[int, ...]
    others: tuple[str, ...]
    device_memory: float | None
    cells: Mapping[int, ExplorerCell]


@dataclass(frozen=True, slots=True, eq=False)
class Explorer:
    """The explorer of a report.

    factors    those that a reader chooses one value of, then `compared` (if any), then `x`
    compared   the factor whose values are side by side, None if there is none
    baseline   position of the value of `compared` that ratios refer to
    others     names of factors that vary but follow from the factors
    more       the author's text about method, systems and terms, in Markdown
    """

    factors: tuple[ExplorerFactor, ...]
    compared: ExplorerFactor | None
    x: ExplorerFactor
    baseline: int
    others: tuple[str, ...]
    measures: tuple[ExplorerMeasure, ...]
    charts: tuple[ExplorerChart, ...]
    switches: tuple[ExplorerSwitch, ...]
    configurations: tuple[Configuration, ...] = field(default=())
    more: str = ""
