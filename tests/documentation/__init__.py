"""Tools that keep docs/ correct: generated parts of pages, and examples that are run."""
