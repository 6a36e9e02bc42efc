"""Our own log format, version 1 (logs/FORMAT.md)."""
