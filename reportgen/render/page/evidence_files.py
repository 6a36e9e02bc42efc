"""Write evidence/*.js: the evidence of a large report, which its page loads when a reader opens a number.

A page has its evidence inside, as data and as text, so that it is complete alone and without a script.
Evidence of many runs would make it slow to open: then it is in files beside the page, in the form in which it
would be inside. The name of a case says in which, so a page needs no list of them. Like steps, they are
built, not committed.
"""

import re
from collections.abc import Mapping

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.stored_files import StoredFiles
from reportgen.document.model import Document, Table
from reportgen.render.outputs import Content, Output
from reportgen.render.page.evidence_data import parts_json

# Cases and their runs. So many are 1.5 to 3 MB of evidence; the largest of our reports has 4,036.
_MOST_INSIDE = 6000

# 10,000 cases of two runs are 5 MB of evidence, in files of 80 kB.
FILES = 64
_BEGIN = "(globalThis.reportgenEvidence ??= {})["


def is_beside(report: Document) -> bool:
    """Return whether the evidence of a report is in files beside its page."""
    runs = sum(len(case.measurements) + len(case.unmeasured) for case in report.cases)
    return len(report.cases) + runs > _MOST_INSIDE


def file_of(case: str) -> str:
    """Return the name of the file with a case, without extension. evidence.js computes it, too."""
    number = 0
    for character in case:
        number = (31 * number + ord(character)) % 2**32
    return str(number % FILES)


def evidence_files(content: Content) -> Mapping[str, bytes]:
    """Return the content of each file by its name."""
    files = StoredFiles()

    def anchor(table: Table) -> str:
        return f"table-{content.table_names[table.id]}"

    for name, part in parts_json(content.report, anchor, file_of):
        files.add(name, f'{_BEGIN}"{name}"] = {part.rstrip()};\n'.encode())
    return files


OUTPUT = Output(
    path="evidence/*.js",
    mark=lazy_pattern(rb"\A" + re.escape(_BEGIN.encode())),
    of_parts=evidence_files,
    parts=lambda document: sorted({file_of(case.name) for case in document.cases}),
    is_needed=is_beside,
    is_committed=False,
    is_inside_standalone=True,
)
