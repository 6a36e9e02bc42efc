"""labels.toml: facts about logs that the files themselves do not state."""
