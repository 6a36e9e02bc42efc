"""The marks of a figure: what is drawn and where, in data space, whichever program draws it.

A Plot is two axes and a list of marks, drawn in their order, with all texts above them. A mark draws rows: a
row stands for one value of a series, at a place (a category or a number) along one axis and at its value
along the other. All that two drawings have to agree on is decided here: numbers are rounded, in the unit
shown; scales, ticks, titles and names are chosen. The printers, `svg` and `vega`, choose pixels.

Places are on the horizontal axis, values on the upright one; a plot that `is_flat` has them the other way
round. A distance along categories is a share of the distance between two of them.
"""

from dataclasses import dataclass
from typing import Literal

# A category by its name, or a number.
Place = float | str
Scale = Literal["linear", "log"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkRow:
    """One value of a series, or the reason why there is none.

    series     its place in `Plot.series`
    place      where it is; shift  how far from the middle of its category
    value      None interrupts a line, and draws nothing else
    low, high  of its interval, or where its bar begins and ends
    text       beside the value, or in its cell
    fill, ink  colours of a cell and of its text
    failed     why there is no value
    lift       how many crosses of failures are below this one
    case       the name of the case behind the value; repeats  how many repeats are behind it
    """

    series: int
    place: Place
    shift: float = 0.0
    value: float | None = None
    low: float | None = None
    high: float | None = None
    text: str = ""
    fill: str = ""
    ink: str = ""
    failed: str = ""
    lift: int = 0
    case: str | None = None
    repeats: int | None = None

    @property
    def has_interval(self) -> bool:
        """Return whether the row has an interval that is longer than nothing."""
        return self.low is not None and self.high is not None and self.low < self.high


Rows = tuple[MarkRow, ...]


@dataclass(frozen=True, slots=True)
class Points:
    """A marker at each value. size: its diameter in points; opacity: from 0 to 1."""

    rows: Rows
    size: float = 6.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Targets:
    """A place on a line that a reader can point at; a file has none. size: as above."""

    rows: Rows
    size: float


@dataclass(frozen=True, slots=True)
class Lines:
    """A line through the values of each series, from the smallest place to the largest.

    is_stairs    each value holds up to the next place
    is_in_order  the line follows the order of the rows
    name         of all these lines, which are grey and thin; "" for lines in the colours of their series
    """

    rows: Rows
    width: float = 1.8
    is_stairs: bool = False
    is_in_order: bool = False
    name: str = ""


# The name of the line through the points that no other one beats in both values.
FRONT = "Best trade-off"


@dataclass(frozen=True, slots=True)
class Ideal:
    """A dashed line with its name, of proportional growth or of a front; points: place and value in turn."""

    points: tuple[tuple[float, float], ...]
    name: str

    @property
    def is_front(self) -> bool:
        """Whether no point is below it and to the right, so that its name has room there."""
        return self.name == FRONT


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar for each value.

    width   of one bar
    begin   "zero"; "low" for bars from `low` to `high`; "stack" for the same, where each bar begins at the
            end of that of the series before
    """

    rows: Rows
    width: float
    begin: Literal["zero", "low", "stack"] = "zero"


@dataclass(frozen=True, slots=True)
class Cells:
    """A rectangle for each value, in the row of its place and the column of its series.

    size  height of a cell
    """

    rows: Rows
    size: float = 0.96


@dataclass(frozen=True, slots=True)
class Intervals:
    """A thin line from `low` to `high` of each row that has an interval; is_ink: in the colour of text."""

    rows: Rows
    is_ink: bool = False
    cap: float = 2.5


@dataclass(frozen=True, slots=True)
class Areas:
    """A pale band from `low` to `high` along the places of each series; a row without them interrupts it."""

    rows: Rows


@dataclass(frozen=True, slots=True)
class Dashes:
    """A short line across the values at each row. length: along the places."""

    rows: Rows
    length: float


@dataclass(frozen=True, slots=True)
class Segments:
    """A thin straight line from one row to another.

    is_ink  in the colour of text, else of the series of the first row
    """

    ends: tuple[tuple[MarkRow, MarkRow], ...]
    width: float
    is_ink: bool = False


@dataclass(frozen=True, slots=True)
class Crosses:
    """A cross at the axis for each row whose case failed; is_ink: in the colour of text."""

    rows: Rows
    is_ink: bool = False


@dataclass(frozen=True, slots=True)
class Texts:
    """The text of each row: beside its value, or in the middle of its cell."""

    rows: Rows
    where: Literal["beside", "cell"]


@dataclass(frozen=True, slots=True)
class LevelLine:
    """A dashed line across the plot at a value, with its name at the end."""

    value: float
    name: str


@dataclass(frozen=True, slots=True)
class ChangeMark:
    """A change of a series, with its size as a text at the upper edge.

    first, last  where it begins and ends; if equal, it is a step, a dashed line before `first`; else a pale
                 band
    line         of the text, from 0 at the edge
    """

    series: int
    first: str
    last: str
    text: str
    line: int

    @property
    def is_step(self) -> bool:
        """Return whether the change is between two neighbours."""
        return self.first == self.last

    @property
    def shift(self) -> float:
        """Return where it begins, from the middle of `first`."""
        return -0.5 if self.is_step else 0.0

    @property
    def text_shift(self) -> float:
        """Return where its text begins."""
        return -0.4 if self.is_step else 0.0


Mark = (
    Points | Targets | Lines | Ideal | Bars | Cells | Intervals | Areas | Dashes | Segments | Crosses | Texts
    | LevelLine | ChangeMark
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LegendSeries:
    """A name of the legend. look: its place among the colours, markers, dashes and hatchings."""

    name: str
    look: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """An axis of numbers.

    ticks    where it has ticks; () for round numbers
    limits   where it begins and ends; None to fit the data, from zero if `is_from_zero`
    is_whole  only whole numbers are at ticks
    is_roomy  texts need room beyond the data
    is_value  it shows the values, not the places
    """

    title: str
    scale: Scale = "linear"
    ticks: tuple[float, ...] = ()
    limits: tuple[float, float] | None = None
    is_from_zero: bool = False
    has_grid: bool = False
    is_whole: bool = False
    is_roomy: bool = False
    is_value: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Categories:
    """An axis of names.

    names   in their order; the first one is on top if they are below each other
    width   of what is drawn of a category
    labels  how names are written so that they do not overlap; "groups": on two lines, the first part of a
            name once for its neighbours
    every   only each of so many names is written
    guide   what leads the eye along a category, if it is not its marks
    """

    title: str
    names: tuple[str, ...]
    width: float = 1.0
    labels: Literal["level", "sloped", "groups"] = "level"
    every: int = 1
    guide: Literal["", "lines", "stripes"] = ""


Axis = Numbers | Categories


@dataclass(frozen=True, slots=True)
class RowField:
    """A line of the tooltip of a row: a field, its title and unit; ends: the fields of its interval."""

    name: str
    title: str = ""
    unit: str = ""
    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A figure, ready to be printed.

    text     what it shows, for those who cannot see it
    values   numbers, or the series as columns
    max_listed  how many series the legend names; None for all
    lanes    how many marks are below each other in a category of a flat plot
    slots    how many bars are beside each other in a category; 1 where `shift` says where a row is
    has_legend  whether the series are named beside the plot
    has_line_ends  whether names at the ends of the lines may replace the legend
    """

    title: str
    text: str
    places: Axis
    values: Axis
    is_flat: bool
    series: tuple[LegendSeries, ...]
    marks: tuple[Mark, ...]
    fields: tuple[RowField, ...]
    max_listed: int | None = None
    lanes: int = 1
    slots: int = 1
    has_legend: bool = True
    has_line_ends: bool = False

    @property
    def listed(self) -> tuple[LegendSeries, ...]:
        """Return the series that the legend names."""
        return self.series[: self.max_listed]

    @property
    def crosses(self) -> int:
        """How many crosses of failures are above each other in a band of their own below the values.

        0 if the axis begins at zero: elsewhere a cross at its lower end would be read as a value.
        """
        lifts = [row.lift for mark in self.marks if isinstance(mark, Crosses) for row in mark.rows]
        axis = self.values
        has_end = not isinstance(axis, Numbers) or axis.is_from_zero or axis.limits
        return 0 if has_end or self.is_empty or not lifts else max(lifts) + 1

    @property
    def is_empty(self) -> bool:
        """Whether nothing has a value, so that any number at the axis would be invented."""
        return not any(row.value is not None for mark in self.marks for row in getattr(mark, "rows", ()))

    @property
    def failures(self) -> tuple[str, ...]:
        """Return why rows have no value, each reason once."""
        rows = (row for mark in self.marks if isinstance(mark, Crosses | Texts) for row in mark.rows)
        return tuple(sorted({row.failed for row in rows if row.failed}))
