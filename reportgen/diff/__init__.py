"""Compare two states of reports, from their report.json files: what moved, how sure that is, and why.

`snapshot` reads a report.json, `cells` pairs the cells of two, `changes` makes a Diff of all reports,
`sections` lays it out, and `markdown` and `document` write it. All functions are pure; `reportgen.baseline`
reads files and commits.
"""
