"""One module for each output file of a report."""
