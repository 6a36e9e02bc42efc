"""What keeps docs/ true: generated parts of pages, and examples that are run."""
