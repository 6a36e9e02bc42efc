"""Published tables: a CSV with a source.toml beside it."""
