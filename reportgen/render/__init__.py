"""Show reports: Markdown, HTML, JSON, CSV and figures, as bytes. Nothing is decided or computed here.

A Report goes in, a mapping from paths to bytes comes out; `publish` writes them. Every number on a
page comes from one Grid per table (`grid`), so the pages cannot disagree.
"""
