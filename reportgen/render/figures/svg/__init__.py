"""Print plots with matplotlib as SVG that depends on nothing but the plot."""
