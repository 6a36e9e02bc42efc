"""Results of benchmark programs."""
