"""The kinds of figures: a new kind is one module here and one line in `core.results.FigureKind`.

The module has the name of the kind (`-` becomes `_`) and a constant DRAWING.
docs/reference/definitions.md lists the kinds.
"""
