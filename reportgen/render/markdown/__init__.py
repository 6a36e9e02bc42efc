"""The Markdown page of a report, and the index of all reports."""
