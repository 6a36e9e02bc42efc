"""Tables, figures and definitions for logs without a definition."""
