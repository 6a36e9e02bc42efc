"""Results of the library: sets of runs and cases, tables, figures, reports, comparisons.

Each has a `repr` of one line and, for notebooks, `_repr_html_`. `arguments` refuses wrong types and shapes,
so that no misspelt name gives an empty answer.
"""
