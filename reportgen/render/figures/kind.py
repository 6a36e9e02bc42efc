"""Define a kind of figure, and the marks that several kinds share.

A kind says with which marks a figure is shown, and how its axes are chosen. It draws nothing.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Literal

from reportgen.render.figures.marks import Crosses, Mark, Place, Rows
from reportgen.render.figures.shown import Shown

GROUP_WIDTH = 0.8  # of a group of bars or dots, as a share of the distance between two categories
# More lines cannot be distinguished by colour.
MAX_NAMED = 10


def _single(_figure: Shown) -> int:
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How figures of one kind are shown.

    marks       what is drawn, the first mark behind the others
    horizontal  when the categories, which places then always are, are below each other
    places      what numbers along the axis of places are: sizes of the cases, sizes that always double,
                numbers of steps, or measured values
    columns     the series are columns, and no axis shows the values
    width       of what is drawn of a category, as a share of the distance between two categories
    lanes       how many marks are beside each other in a category
    has_slots   bars are beside each other
    labels      "sloped" if the names of categories always are
    max_names   how many of them are written
    max_listed  how many series have a name in the legend; None for all
    zero        whether the values begin at zero: "always" for bars, whose lengths show them; "if-alone"
                unless they have intervals, which would be too short to see
    log_span    the axis of the values is logarithmic if they span this factor; None for never
    limits      of the axis of the values
    is_roomy    texts need room beyond the data
    has_line_ends  lines may be named at their ends
    ends_are_interval  `low` and `high` are an interval; else they are where a bar begins and ends
    guide       what leads the eye along a category, if it is not its marks
    """

    marks: Callable[[Shown], list[Mark]]
    horizontal: Literal["never", "if-long", "always"] = "never"
    places: Literal["sizes", "doubling", "steps", "measured"] = "sizes"
    columns: bool = False
    width: float = GROUP_WIDTH
    lanes: Callable[[Shown], int] = _single
    has_slots: bool = False
    labels: Literal["level", "sloped"] = "level"
    max_names: int | None = None
    max_listed: int | None = None
    zero: Literal["always", "usually", "if-alone", "never"] = "usually"
    log_span: float | None = 50.0
    limits: tuple[float, float] | None = None
    is_roomy: bool = False
    has_line_ends: bool = False
    ends_are_interval: bool = True
    guide: Callable[[Shown], Literal["", "lines", "stripes"]] = lambda _figure: ""


def kind_named(name: str) -> Kind:
    """Return the KIND of the module with the name of a kind."""
    kind: Kind = import_module(f"reportgen.render.figures.kinds.{name.replace('-', '_')}").KIND
    return kind


def crosses(figure: Shown, shifts: tuple[float, ...] = (), *, is_ink: bool = False) -> list[Mark]:
    """Return a cross for each case that failed; crosses of one place are above each other if none is shifted.

    The first one is at the axis, so that few reach heights at which they look like values.

    shifts  of the series within their categories
    """
    failed = []
    below: Counter[Place] = Counter()
    for row in (row for row in figure.all_rows if row.failed):
        failed.append(replace(row, shift=shifts[row.series] if shifts else 0.0, lift=below[row.place]))
        below[row.place] += 0 if any(shifts) else 1
    return [Crosses(tuple(failed), is_ink)] if failed else []


def shifted(rows: Rows, shifts: tuple[float, ...]) -> Rows:
    """Return the rows of each series with its distance from the middle of a category."""
    return tuple(replace(row, shift=shifts[row.series]) for row in rows)


def side_by_side(figure: Shown) -> tuple[float, ...]:
    """Return the shift of each series that shares the categories with the others."""
    count = len(figure.series)
    return tuple((n - (count - 1) / 2) * GROUP_WIDTH / count for n in range(count))


def split(rows: Rows) -> tuple[Rows, Rows]:
    """Return the rows of the series with a name in the legend, and all other rows."""
    return (
        tuple(row for row in rows if row.series < MAX_NAMED),
        tuple(row for row in rows if row.series >= MAX_NAMED),
    )


def not_listed(figure: Shown) -> str:
    """Return how many series have no name in the legend."""
    return f"{len(figure.series) - MAX_NAMED:,} not listed"
