"""Logs that consist of progress bars only."""
