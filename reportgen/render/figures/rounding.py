"""Round a figure for drawing: matplotlib and Vega-Lite draw exactly these numbers and texts.

Values go in in base units and come out in the unit to show, with 12 digits, so the last bit of a processor
does not matter. A value that is not finite becomes None.
"""

import math

from msgspec.structs import replace

from reportgen.core import units
from reportgen.core.plain_text import one_line
from reportgen.document.model import Figure
from reportgen.render.figures.kinds.base import categories


def shown_figure(figure: Figure) -> Figure:
    """Return the rounded figure with all categories, as the kinds draw it."""
    shown = rounded(figure)
    return replace(shown, categories=categories(shown))


def rounded(figure: Figure) -> Figure:
    """Return the figure in the units to show, with numbers of 12 digits and texts on one line."""
    factor = figure.unit.factor
    x_factor = figure.x_unit.factor if figure.x_unit else 1.0

    def value(number: float | None) -> float | None:
        return None if number is None or not math.isfinite(number) else float(units.machine(number / factor))

    series = tuple(
        replace(
            line,
            name=one_line(line.name),
            x=tuple(_x(x, x_factor) for x in line.x),
            y=tuple(map(value, line.y)),
            low=tuple(value(bound) for bound in line.low),
            high=tuple(value(bound) for bound in line.high),
            failed=tuple(map(one_line, line.failed)),
            labels=tuple(map(one_line, line.labels)),
        )
        for line in figure.series
    )
    ideal = tuple((float(units.machine(x)), float(units.machine(y / factor))) for x, y in figure.ideal)
    return replace(
        figure,
        title=one_line(figure.title),
        x_title=one_line(figure.x_title),
        y_title=one_line(figure.y_title),
        categories=tuple(map(one_line, figure.categories)),
        series=series,
        ideal=ideal,
        changes=tuple(
            replace(each, first=one_line(each.first), last=one_line(each.last), text=one_line(each.text))
            for each in figure.changes
        ),
    )


def _x(x: float | str, factor: float) -> float | str:
    return one_line(x) if isinstance(x, str) else float(units.machine(x / factor))
