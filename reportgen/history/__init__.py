"""How the numbers of a table developed: one point per commit that measured them anew, with change points.

`points` makes values of what was measured, `commits` reads them from committed report.json files, `changes`
finds steps and drifts and says what else changed there, and `document` writes tables, CSV and JSON.
"""
