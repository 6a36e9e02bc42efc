"""MLPerf training logs (mllog)."""
