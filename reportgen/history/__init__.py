"""How the numbers of a table developed: points with what changed between them.

`points` finds steps and drifts and says what else changed there. `commits` reads report.json files of the
commits, of each only what it measured (`measured`), and `cells` makes points of them; `logs` makes them from
the dates, factors and environments of the logs. `document` writes text, Markdown, CSV and JSON, `page_file`
the file for a page.
"""
