"""Logs of the frameworks that DLPerf compares."""
