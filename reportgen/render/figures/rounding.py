"""Round a figure of a report for drawing: the only module of this room that reads one.

Values go in in base units and come out in the unit shown, with 12 digits, so the last bit of a processor does
not matter. A value that is not finite becomes None. Texts are on one line. All places are names, or all are
numbers.
"""

import math
from collections.abc import Callable
from itertools import count

from reportgen.core import units
from reportgen.core.plain_text import one_line
from reportgen.document.model import Figure, FigureSeries
from reportgen.document.texts import unit_label
from reportgen.render.figures.marks import Place
from reportgen.render.figures.shown import CaseRef, Shown, ShownChange, ShownSeries
from reportgen.render.grid.summary import alt_text

RepeatsOf = Callable[[str], int]


def shown_figure(figure: Figure, repeats_of: RepeatsOf | None = None, *, has_names: bool = False) -> Shown:
    """Return the figure as the kinds of figures read it.

    repeats_of  how many repeats are behind a case, by the name with which a mark opens the evidence of its
                number; None for a figure without evidence, such as a file
    has_names   whether places are names even if all are numbers
    """
    xs = [x for series in figure.series for x in series.x]
    is_named = has_names or bool(figure.categories) or any(isinstance(x, str) for x in xs)
    x_factor = figure.x_unit.factor if figure.x_unit else 1.0

    def place(x: float | str) -> Place:
        if isinstance(x, str):
            return one_line(x)
        number = units.machine(x / x_factor)
        return number if is_named else float(number)

    def value(number: float | None) -> float | None:
        is_shown = number is not None and math.isfinite(number)
        return float(units.machine(number / figure.unit.factor)) if is_shown and number is not None else None

    series = tuple(
        ShownSeries(
            name=name,
            look=position if line.colour is None else line.colour,
            places=tuple(map(place, line.x)),
            values=tuple(map(value, line.y)),
            low=tuple(map(value, line.low)),
            high=tuple(map(value, line.high)),
            failed=tuple(map(one_line, line.failed)),
            labels=tuple(map(one_line, line.labels)),
            evidence=_evidence(line, repeats_of),
        )
        for position, (name, line) in enumerate(zip(_names(figure), figure.series, strict=True))
    )
    places = (str(x) for line in series for x in line.places) if is_named else ()
    return Shown(
        kind=figure.kind,
        title=one_line(figure.title),
        text=alt_text(figure),
        x_title=one_line(figure.x_title),
        y_title=one_line(figure.y_title),
        unit=unit_label(figure.unit),
        quantity=figure.quantity,
        categories=tuple(dict.fromkeys([*map(one_line, figure.categories), *places])),
        series=series,
        x_unit=unit_label(figure.x_unit),
        is_measured=figure.x_unit is not None,
        ideal=tuple((float(units.machine(x)), value(y) or 0.0) for x, y in figure.ideal),
        front=tuple((float(units.machine(x / x_factor)), value(y) or 0.0) for x, y in figure.front),
        changes=tuple(
            ShownChange(each.series, one_line(each.first), one_line(each.last), one_line(each.text))
            for each in figure.changes
        ),
    )


def _evidence(series: FigureSeries, repeats_of: RepeatsOf | None) -> tuple[CaseRef, ...]:
    if repeats_of is None:
        return ()
    return tuple(CaseRef(name, repeats_of(name)) if name else CaseRef() for name in series.cases)


def _names(figure: Figure) -> list[str]:
    """Return the name of each series; equal names are numbered, so that the series stay apart."""
    plain = [one_line(series.name) for series in figure.series]
    distinct: list[str] = []
    for name in plain:
        numbered = (f"{name} ({number})" for number in count(2))
        is_free = name not in distinct
        distinct.append(
            name if is_free else next(n for n in numbered if n not in plain and n not in distinct)
        )
    return distinct
