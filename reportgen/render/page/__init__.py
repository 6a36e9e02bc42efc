"""The HTML page of a report: its blocks, its data, its script and style."""
