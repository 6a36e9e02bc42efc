"""The kinds of figures: a new kind is one module here and one line in `document.model.FigureKind`.

The module has the name of the kind (`-` becomes `_`) and a constant KIND. It says which marks show a figure,
and draws nothing. docs/reference/definitions.md lists the kinds.
"""
