"""The texts of a report, once for all readers: tables as grids, summaries, evidence."""
