"""Write log format version 1, as `logs/FORMAT.md` specifies it.

No other package in `collectors` spells file names, keys, columns and units. This package does not know what
is measured or when.
"""
