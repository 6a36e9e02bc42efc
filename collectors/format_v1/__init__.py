"""Write log format version 1, as `logs/FORMAT.md` specifies it."""
