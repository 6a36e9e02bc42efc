"""Write report.json: the document itself.

Its list of generated files is what the build owns in the folder of the report; only files on such a list
may be removed.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from reportgen.document.encode import MARK, encode_lines, generated_files
from reportgen.document.file_names import REPORT_JSON
from reportgen.render.outputs import Content, Output


def _report_json(content: Content) -> Iterator[bytes]:
    """Yield the lines of the file."""
    return encode_lines(replace(content.report, generated=tuple(content.generated)))


OUTPUT = Output(path=REPORT_JSON, mark=MARK, of_report=_report_json, listed=generated_files)
