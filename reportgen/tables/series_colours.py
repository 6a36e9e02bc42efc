"""Give each series its colour: the same in all figures of a report, so that a reader learns it once.

Colours are numbers; what they look like is up to the renderer, which has `DISTINCT` plain ones and then
combines them with markers and hatching.
"""

from collections.abc import Sequence
from dataclasses import replace

from reportgen.core.results import Figure, FigureKind

DISTINCT = 8


def with_colours(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """Return the figures with a colour for each name, in the order in which names first appear.

    A name takes a colour that no other has; once all plain ones are taken, one that none beside it has.
    Steps of runs and parts of a difference have names of their own and are left as they are.
    """
    shared = [figure for figure in figures if _is_shared(figure)]
    beside: dict[str, set[str]] = {}
    for figure in shared:
        names = {series.name for series in figure.series}
        for name in names:
            beside.setdefault(name, set()).update(names)
    colours: dict[str, int] = {}
    for name in dict.fromkeys(series.name for figure in shared for series in figure.series):
        fresh = {*range(DISTINCT)} - {*colours.values()}
        near = {colours[other] for other in beside[name] if other in colours}
        colours[name] = min(fresh or {*range(len(near) + 1)} - near)
    return tuple(
        replace(figure, series=tuple(replace(each, colour=colours[each.name]) for each in figure.series))
        if _is_shared(figure)
        else figure
        for figure in figures
    )


def _is_shared(figure: Figure) -> bool:
    return figure.kind not in (FigureKind.SERIES, FigureKind.WATERFALL)
