"""Definitions in, reports out: `definition` reads the TOML, `assemble` makes the Report."""
