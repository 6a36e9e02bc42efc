"""The document of a report: everything that is shown, as one value with a published schema.

`model` has the classes, `encode` writes them as report.json and reads them, `schema` describes them as JSON
Schema, `texts` writes their numbers for people. `report.document` makes a Document from a report; pages, CSV
files, `diff`, `history` and the terminal show a Document and know nothing else.
"""
