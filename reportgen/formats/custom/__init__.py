"""Formats that users define in labels.toml."""
