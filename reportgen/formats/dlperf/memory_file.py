"""Read the file that DLPerf's gpu_memory_usage.py writes for a log: `X.mem` for `X.log`.

    max device0 memory usage is: 5934088192

That is the peak memory of device 0 by all processes, sampled once a second while the log was written.
Format: Oneflow-Inc/DLPerf, gpu_memory_usage.py of OneFlow's and HugeCTR's Wide & Deep.
"""

from dataclasses import replace

from reportgen.formats.base import Claim
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.sources.logfiles import LogFiles

_PEAK = regex(r"^max device0 memory usage is: ({:int})\r?$")


def with_memory(files: LogFiles, claim: Claim | None) -> Claim | None:
    """Return a claim on a log as one on its memory file, too."""
    return claim and replace(claim, beside=(_name(files.path),))


def add_memory(run: RunBuilder) -> None:
    """Add the peak memory of a log; nothing where it was not measured."""
    files, name = run.log.files, _name(run.log.path)
    content = files.read_sibling(name) or b""
    peak = _PEAK.search(content)
    if peak and int(peak[1]):
        source = files.source(name, content.count(b"\n", 0, peak.start()) + 1)
        text = peak[1].decode("ascii")
        run.add_aggregate("memory_used", float(text), f"{text} bytes", "maximum", source=source)


def _name(log: str) -> str:
    folder, slash, name = log.rpartition("/")
    return f"{folder}{slash}{name.rpartition('.')[0] or name}.mem"
