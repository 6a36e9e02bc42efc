"""What the functions of the library return: sets of runs and cases, tables, figures, reports, comparisons.

Each has a `repr` of one line, and what a notebook shows as HTML has `_repr_html_`. `arguments` refuses what
the functions cannot take, so that no misspelt name gives an empty answer.
"""
