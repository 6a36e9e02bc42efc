"""Tables of results: one reader, and a definition in TOML for each family of files (`families/`)."""
