"""Tables of profilers, which are evidence of a run."""
