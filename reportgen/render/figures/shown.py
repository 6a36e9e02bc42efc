"""The input of a kind of figure: series in the unit shown, with rounded numbers and texts on one line.

`rounding` makes it of a figure of a report.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.render.figures.marks import LegendSeries, MarkRow, Place


@dataclass(frozen=True, slots=True)
class CaseRef:
    """The name of the case behind a value, and how many repeats it has."""

    case: str | None = None
    repeats: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSeries:
    """One series; all tuples but `name` are as long as `places`, or empty.

    places  categories or numbers; several equal ones in a strip
    failed  why there is no value, "" where there is one or the case never ran
    look    its place among colours and markers
    """

    name: str
    look: int
    places: tuple[Place, ...]
    values: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    failed: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    evidence: tuple[CaseRef, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A step or a drift of a series between two categories, which are equal for a step."""

    series: int
    first: str
    last: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A figure in the units shown.

    text        what it shows, for those who cannot see it
    unit        of the values, x_unit  of measured places; "" for plain numbers
    is_measured whether places are measured values
    categories  all names along the places; () if these are numbers
    ideal       points of the line of proportional growth
    front       points of the line of the best trade-off
    """

    kind: str
    title: str
    text: str
    x_title: str
    y_title: str
    unit: str
    quantity: str
    categories: tuple[str, ...]
    series: tuple[ShownSeries, ...]
    x_unit: str = ""
    is_measured: bool = False
    ideal: tuple[tuple[float, float], ...] = ()
    front: tuple[tuple[float, float], ...] = ()
    changes: tuple[ShownChange, ...] = ()

    @property
    def legend(self) -> tuple[LegendSeries, ...]:
        """Return the names and looks of the series."""
        return tuple(LegendSeries(each.name, each.look) for each in self.series)

    @property
    def rows(self) -> tuple[MarkRow, ...]:
        """Return a row for each value that exists, series by series."""
        return tuple(row for row in self.all_rows if row.value is not None)

    @property
    def all_rows(self) -> tuple[MarkRow, ...]:
        """Return a row for each place of each series, with the reason where its case failed."""
        return tuple(row for number in range(len(self.series)) for row in self._rows_of(number))

    def _rows_of(self, number: int) -> Iterator[MarkRow]:
        series = self.series[number]
        for i, (place, value) in enumerate(zip(series.places, series.values, strict=True)):
            evidence = series.evidence[i] if series.evidence else CaseRef()
            yield MarkRow(
                series=number,
                place=place,
                value=value,
                low=series.low[i] if series.low else None,
                high=series.high[i] if series.high else None,
                text=series.labels[i] if series.labels else "",
                failed=series.failed[i] if series.failed else "",
                case=evidence.case,
                repeats=evidence.repeats,
            )
