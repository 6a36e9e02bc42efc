"""Make the plot of a figure: its marks, axes, legend and words, all that both printers print.

A figure of a report goes in; `kinds` say which marks show it, `scales` how its axes are.
"""

from dataclasses import replace

from reportgen.document.model import Figure
from reportgen.render.figures import names, scales
from reportgen.render.figures.kind import Kind, kind_named
from reportgen.render.figures.marks import FRONT, Categories, Ideal, LevelLine, Mark, Plot, RowField
from reportgen.render.figures.rounding import RepeatsOf, shown_figure
from reportgen.render.figures.shown import Shown

IDEAL = "Ideal"  # the name of the line of proportional growth


def plot_of(figure: Figure, repeats_of: RepeatsOf | None = None) -> Plot:
    """Return the plot of a figure.

    repeats_of  how many repeats are behind a case, by its name; None for a figure without evidence
    """
    kind = kind_named(figure.kind)
    return plot_shown(shown_figure(figure, repeats_of, has_names=kind.horizontal != "never"), kind)


def plot_shown(figure: Shown, kind: Kind) -> Plot:
    """Return the plot of a rounded figure."""
    is_one = _are_named_at_axis(figure) and not kind.columns
    figure = _in_one_colour(figure) if is_one else figure
    is_flat = _is_flat(figure, kind)
    values = _columns(figure) if kind.columns else scales.number_values(figure, kind)
    places = _categories(figure, kind, is_flat=is_flat) if figure.categories else None
    return Plot(
        title=figure.title,
        text=figure.text,
        places=places or scales.number_places(figure, kind),
        values=values,
        is_flat=is_flat,
        series=figure.legend,
        max_listed=kind.max_listed,
        marks=(*_ideal(figure), *kind.marks(figure), *_reference(figure, kind)),
        fields=_fields(figure, kind),
        lanes=kind.lanes(figure),
        slots=max(1, len(figure.series)) if kind.has_slots else 1,
        has_legend=not is_one and not kind.columns,
        has_line_ends=kind.has_line_ends,
    )


def _is_flat(figure: Shown, kind: Kind) -> bool:
    """Return whether categories are below each other: side by side, long names would need rotating."""
    is_long = max(map(len, figure.categories), default=0) > names.MAX_UPRIGHT_NAME
    is_wide = is_long and names.is_crowded(figure.categories)
    return kind.horizontal == "always" or (kind.horizontal == "if-long" and is_wide)


def _categories(figure: Shown, kind: Kind, *, is_flat: bool) -> Categories:
    count = len(figure.categories)
    axis = Categories(
        title=scales.values_title(figure) if kind.columns else scales.x_title(figure),
        names=figure.categories,
        width=kind.width,
        every=max(1, -(-count // kind.max_names)) if kind.max_names else 1,
        guide=kind.guide(figure),
    )
    if is_flat:
        return axis
    if kind.labels == "level" and names.has_groups(figure.categories):
        return replace(axis, labels="groups")
    is_sloped = kind.labels == "sloped" or names.is_crowded(figure.categories)
    return replace(axis, labels="sloped" if is_sloped else "level")


def _columns(figure: Shown) -> Categories:
    """Return the axis of series that are columns."""
    title = f"{figure.x_title} in rows" if figure.x_title else ""
    columns = tuple(series.name for series in figure.series)
    return Categories(title=title, names=columns, labels="sloped" if names.is_crowded(columns) else "level")


def _ideal(figure: Shown) -> list[Mark]:
    lines = [Ideal(figure.ideal, _ideal_name(figure))] if figure.ideal else []
    return [*lines, *([Ideal(figure.front, FRONT)] if figure.front else [])]


def _ideal_name(figure: Shown) -> str:
    """Return the name of the ideal line: of one series, if they begin at different values."""
    firsts = {row.series: row.value for row in reversed(figure.rows)}
    return IDEAL if len(set(firsts.values())) < 2 else f"{IDEAL} ({figure.series[0].name})"


def _reference(figure: Shown, kind: Kind) -> list[Mark]:
    value = scales.reference(figure, kind)
    return [] if value is None else [LevelLine(value, scales.reference_name(figure))]


def _are_named_at_axis(figure: Shown) -> bool:
    """Return whether the series have the names of their categories: a legend would repeat the axis."""
    return all(set(series.places) <= {series.name} for series in figure.series)


def _in_one_colour(figure: Shown) -> Shown:
    """Return the figure with one look for all series: the axis names them, so colours would say nothing."""
    return replace(figure, series=tuple(replace(series, look=0) for series in figure.series))


def _fields(figure: Shown, kind: Kind) -> tuple[RowField, ...]:
    """Return the lines of the tooltip of a row."""
    ends = ("low", "high") if kind.ends_are_interval else ()
    return (
        RowField("series"),
        RowField("x", figure.x_title, figure.x_unit),
        RowField("y", figure.y_title, figure.unit, ends),
        RowField("failed"),
        RowField("repeats", "repeats"),
    )
