"""Find, read and normalise the runs below files and folders."""
