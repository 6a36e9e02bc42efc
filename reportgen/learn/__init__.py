"""Propose a custom format from a sample: `reportgen learn`.

A log goes in; out comes the table `[format]` of a labels.toml that reads it, with what it matches over the
whole file, what nearly matches, and what `runs` would make of it. Nothing is written here.
"""

from reportgen.learn.propose import Proposal, propose_format

__all__ = ["Proposal", "propose_format"]
