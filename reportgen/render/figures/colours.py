"""Colours and looks of figures. A page replaces the colours of text, lines and paper by its own.

Series differ in colour and in marker, dashes or hatching, so a reader need not see colours. The look of a
series is its place among all of these.
"""

INK = "#2b3036"
GRID = "#dfe3e8"
PAPER = "#ffffff"
IDEAL = "#8a8f96"

# Okabe and Ito, Color Universal Design (2008), without the yellow, which is too light on white paper. With
# the wine red there are eight: DLPerf compares eight frameworks.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255", "#7f7f7f")

# What is replaced on dark paper; the other colours can be seen on both.
IN_THE_DARK = {INK: "#e4e8ec", GRID: "#313a43", PAPER: "#14181c", SERIES[0]: "#2b8fd0", SERIES[6]: "#c2497d"}

# The page's own colours, light or dark, for those of a figure.
ON_A_PAGE = {
    INK: "var(--ink)",
    GRID: "var(--line)",
    PAPER: "var(--paper)",
    SERIES[0]: "var(--series-1)",
    SERIES[6]: "var(--series-7)",
}

_MARKERS = 8


def series(look: int) -> str:
    """Return the colour of a series."""
    return SERIES[look % len(SERIES)]


def marker(look: int) -> int:
    """Return the place of its marker among eight; series with equal colours have different markers."""
    return (look + look // len(SERIES)) % _MARKERS


def repeat(look: int, count: int) -> int:
    """Return the place of its dashes or hatching among `count`: it changes where the colours begin again."""
    return look // len(SERIES) % count
