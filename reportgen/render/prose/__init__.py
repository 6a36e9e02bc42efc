"""The author's Markdown: fill its placeholders in a sandbox, turn it into HTML."""
