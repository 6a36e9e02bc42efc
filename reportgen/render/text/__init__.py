"""Text of every output: escaping, plain English, file names."""
