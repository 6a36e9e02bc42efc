"""Lets `python -m reportgen` do what the command `reportgen` does."""

from reportgen.cli import main

main()
