"""Figures as SVG that depends on nothing but its data."""
