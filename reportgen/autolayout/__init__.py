"""Definitions for logs that nobody has described: tables, figures, labels."""
