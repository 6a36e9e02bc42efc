"""Access to log files: listing folders, reading bytes, decoding text."""
