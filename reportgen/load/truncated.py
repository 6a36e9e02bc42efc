"""Mark runs whose log was only partly read; drop line numbers after the skipped part.

A reader sees the head and the tail of a very large file as one text. What it reads from the tail is right,
but the line numbers there are not, because the lines of the skipped middle were not counted.
"""

from dataclasses import replace

import numpy as np
from msgspec import structs

from reportgen.core.model import Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.sources.logfiles import TAIL, WHOLE, LogFiles

_MIB = 2**20


def has_values_of(run: Run, path: str) -> bool:
    """Return whether a run has steps, figures or telemetry from a file."""
    sources = [part.source for parts in (run.series, run.aggregates, run.telemetry) for part in parts]
    return any(source.path == path for source in sources)


def mark_truncated(run: Run, files: LogFiles, path: str, lines: int) -> Run:
    """Return the run with `read.large-file`, and without line numbers after the gap in one of its files.

    lines  number of lines before the gap; readers that also count carriage returns count more, not fewer
    """
    source = files.source(path)

    def place(read: Source) -> Source:
        return Source(read.path) if read.path == source.path and read.line > lines else read

    def finding(read: Finding) -> Finding:
        return replace(read, source=place(read.source)) if read.source else read

    series = tuple(
        structs.replace(each, source=place(each.source), line=np.where(each.line > lines, 0, each.line))
        if each.source.path == source.path
        else each
        for each in run.series
    )
    message = (
        f"{files.size(path) / _MIB:.0f} MiB: only the first {(WHOLE - TAIL) / _MIB:g} MiB and the last "
        f"{TAIL / _MIB:g} MiB were read; steps between them are missing"
    )
    return replace(
        run,
        source=place(run.source),
        series=series,
        aggregates=tuple(replace(each, source=place(each.source)) for each in run.aggregates),
        telemetry=tuple(replace(each, source=place(each.source)) for each in run.telemetry),
        findings=(
            *map(finding, run.findings),
            Finding("warning", Rule.READ_LARGE_FILE, run.id, message, source),
        ),
    )
