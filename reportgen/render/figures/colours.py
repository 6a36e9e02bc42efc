"""Colours of figures; those of text, lines and paper are replaced by the page's own inside index.html."""

INK = "#2b3036"
GRID = "#dfe3e8"
PAPER = "#ffffff"
IDEAL = "#8a8f96"

# Okabe and Ito, Color Universal Design (2008), without the yellow, which is too light on white paper. With
# the wine red there are eight: DLPerf compares eight frameworks.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#882255")
