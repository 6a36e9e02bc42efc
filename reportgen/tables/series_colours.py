"""Give each series its colour: the same in all figures of a report, so that a reader learns it once.

Colours are numbers; what they look like is up to the renderer, which has `DISTINCT` plain ones and then
combines them with markers and hatching.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from reportgen.document.model import FigureKind
from reportgen.tables.results import Figure

DISTINCT = 8


def with_colours(figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """Return the figures with a colour for each name, in the order in which names first appear.

    A name takes a colour that no other has; once all plain ones are taken, one that none beside it has. A
    name that continues another takes that one's colour, unless both are in one figure.
    Steps of runs and parts of a difference have names of their own and are left as they are.
    """
    shared = [figure for figure in figures if _is_shared(figure)]
    beside: dict[str, set[str]] = {}
    for figure in shared:
        names = {series.name for series in figure.series}
        for name in names:
            beside.setdefault(name, set()).update(names)
    colours: dict[str, int] = {}
    for name in _in_order(shared, beside):
        near = {colours[other] for other in beside[name] if other in colours}
        stem = _stem(name, colours)
        fresh = {*range(DISTINCT)} - {*colours.values()}
        if stem and colours[stem] not in near:
            colours[name] = colours[stem]
        else:
            colours[name] = min(fresh or {*range(len(near) + 1)} - near)
    return tuple(
        replace(figure, series=tuple(replace(each, colour=colours[each.name]) for each in figure.series))
        if _is_shared(figure)
        else figure
        for figure in figures
    )


def _in_order(figures: Sequence[Figure], names: Collection[str]) -> list[str]:
    """Return the names as they appear, figure by figure; those that continue others are its last ones."""
    by_figure = ([series.name for series in figure.series] for figure in figures)
    return list(
        dict.fromkeys(
            name for each in by_figure for name in sorted(each, key=lambda name: bool(_stem(name, names)))
        )
    )


def _stem(name: str, names: Collection[str]) -> str:
    """Return the longest of the names that this one continues: "OneFlow" for "OneFlow bsz=160"; or ""."""
    return max((other for other in names if name.startswith(f"{other} ")), key=len, default="")


def _is_shared(figure: Figure) -> bool:
    return figure.kind not in (FigureKind.SERIES, FigureKind.WATERFALL)
