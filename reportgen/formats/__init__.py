"""The log formats: what a format is (`base`), which there are (`registry`), and which one reads a file."""
