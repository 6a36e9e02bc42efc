"""Write report.json: the document itself.

`generated` lists the files that the build owns in the report's folder; only files on the list of an earlier
build may be removed.
"""

import re
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from reportgen.document.encode import encode
from reportgen.render.outputs import Content, Output


def report_json(content: Content) -> bytes:
    """Return the file."""
    return encode(replace(content.report, generated=tuple(content.generated)))


class _Listing(msgspec.Struct):
    """The list of generated files in a report.json of any version."""

    generated: list[str] = []


def _listed(content: bytes) -> Sequence[str]:
    """Return the list of generated files in a report.json; empty if it cannot be read."""
    try:
        return msgspec.json.decode(content, type=_Listing).generated
    except (msgspec.DecodeError, RecursionError):
        return []


OUTPUT = Output(
    path="report.json",
    mark=re.compile(rb'^ ?"generated": \[', re.MULTILINE),
    of_report=report_json,
    listed=_listed,
)
