"""How the numbers of a table developed: points with what changed between them.

`points` finds steps and drifts and says what else changed there, `commits` reads the points from committed
report.json files, `logs` from the dates, factors and environments of the logs, and `document` writes text,
Markdown, CSV and JSON.
"""
