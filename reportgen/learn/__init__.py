"""Propose how to read files of an unknown form: `reportgen learn`.

A text log gives the table `[format]` of a labels.toml, with the lines that match and those that nearly
match; a table of results gives `[table]`, with the role of each column and what is left open. Both are read
back, with the runs that `runs` would list. Nothing is written here.
"""

from collections.abc import Mapping

from reportgen.core.errors import RequestError
from reportgen.formats.tables.parquet import as_text
from reportgen.learn.folder import TablesProposal, propose_tables
from reportgen.learn.propose import Proposal, propose_format
from reportgen.learn.refusals import known_already, refusal
from reportgen.learn.tables import TableProposal, is_open_row, propose_each, propose_printed, why_not
from reportgen.learn.unknown_logs import learn_logs
from reportgen.sources.logfiles import LogFiles

__all__ = [
    "Proposal",
    "TableProposal",
    "TablesProposal",
    "is_learned",
    "learn_logs",
    "propose_file",
    "propose_format",
    "propose_tables",
]


def is_learned(files: LogFiles) -> bool:
    """Return whether there is a definition for a file (a view of one) that leaves no question open."""
    try:
        proposal = propose_file(files, {})
    except (RequestError, OSError):
        return False
    is_open = isinstance(proposal, TablesProposal) and bool(proposal.questions)
    return bool(proposal.written()) and not is_open


def propose_file(files: LogFiles, units: Mapping[str, str]) -> Proposal | TablesProposal:
    """Return definitions of the tables of a file (a view of one), or a format of its lines.

    units  column -> unit, for tables
    Raises RequestError if there is neither.
    """
    files = as_text(files)
    path, known = files.source(files.path).path, known_already(files)
    tables = propose_each(files, units)
    # A line of a log may look like the header of lines with commas.
    is_table = not known or not all(table.is_in_text for table in tables)
    if tables and is_table:
        return TablesProposal(tuple(tables), {})
    if known:
        raise RequestError(path, *known)
    try:
        proposal = propose_format(files)
        if is_open_row(files, units, int(proposal.records[1][0])) and (reason := why_not(files, units)):
            raise RequestError(path, *reason)
        return proposal
    except RequestError:
        if printed := propose_printed(files, units):
            return TablesProposal((printed,), {})
        if reason := refusal(files) or why_not(files, units):
            raise RequestError(path, *reason) from None
        raise
