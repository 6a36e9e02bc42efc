"""The argument that names a table of a report: REPORT/TABLE, as `check` and `diff` print it."""

from reportgen.core.errors import RequestError


def split_table(table: str) -> tuple[str, str]:
    """Return the name of the report and the id of its table, which may have a "/" for its facet."""
    report, slash, id = table.partition("/")
    if not (report and slash and id):
        raise RequestError(table, "is not REPORT/TABLE", f"write it as {report or 'REPORT'}/TABLE")
    return report, id
