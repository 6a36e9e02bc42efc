"""Read what DLPerf's gpu_memory_usage.py leaves beside a log: `X.mem` beside `X.log`.

    max device0 memory usage is: 5934088192

That is the most bytes that device 0 held, whoever used it, asked for once a second while the log was written.
Format: Oneflow-Inc/DLPerf, gpu_memory_usage.py of OneFlow's and HugeCTR's Wide & Deep.
"""

import re
from dataclasses import replace

from reportgen.core.model import Aggregate
from reportgen.formats.base import Claim
from reportgen.formats.parsing.text_log import COUNT
from reportgen.sources.logfiles import LogFiles

_MOST = re.compile(rb"^max device0 memory usage is: (" + COUNT + rb")\r?$", re.MULTILINE)


def with_memory(found: Claim | None) -> Claim | None:
    """Return the claim of a log with the file that may lie beside it."""
    return found and replace(found, beside=(_name(found.files[0]),))


def memory(files: LogFiles) -> list[Aggregate]:
    """Return the memory of the run in the only file of a view; none where nobody watched, or it saw none."""
    name = _name(files.path)
    content = files.read_sibling(name) or b""
    found = _MOST.search(content)
    if not found or not int(found[1]):
        return []
    source = files.source(name, content.count(b"\n", 0, found.start()) + 1)
    text = found[1].decode("ascii")
    return [
        Aggregate(
            "memory_used", value=float(text), original=f"{text} bytes", statistic="maximum", source=source
        )
    ]


def _name(log: str) -> str:
    folder, slash, name = log.rpartition("/")
    return f"{folder}{slash}{name.rpartition('.')[0] or name}.mem"
