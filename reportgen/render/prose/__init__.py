"""The author's text: fill in its numbers, convert its Markdown to HTML."""
