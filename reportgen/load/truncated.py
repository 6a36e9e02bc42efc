"""Say of a run that not all of its log was read, and take the lines off what stands behind the gap.

A reader sees the begin and the end of a very large file as if they were one text. What it found in the end
is right; the lines that it counted there are not, and nobody read the middle to know how many are in it.
"""

from dataclasses import replace

import numpy as np

from reportgen.core.model import Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.sources.logfiles import TAIL, WHOLE, LogFiles

_MIB = 2**20


def with_gap(run: Run, files: LogFiles, path: str, lines: int) -> Run:
    """Return the run with `read.large-file`, and without the lines behind a gap in one of its files.

    lines  of the file before the gap; readers that count carriage returns too count more, not fewer
    """
    source = files.source(path)

    def place(found: Source) -> Source:
        return Source(found.path) if found.path == source.path and found.line > lines else found

    def finding(found: Finding) -> Finding:
        return replace(found, source=place(found.source)) if found.source else found

    series = tuple(
        replace(one, source=place(one.source), line=np.where(one.line > lines, 0, one.line))
        if one.source.path == source.path
        else one
        for one in run.series
    )
    message = (
        f"{files.size(path) / _MIB:.0f} MiB: only the first {(WHOLE - TAIL) / _MIB:g} MiB and the last "
        f"{TAIL / _MIB:g} MiB were read; steps between them are missing"
    )
    return replace(
        run,
        source=place(run.source),
        series=series,
        aggregates=tuple(replace(one, source=place(one.source)) for one in run.aggregates),
        telemetry=tuple(replace(one, source=place(one.source)) for one in run.telemetry),
        findings=(
            *map(finding, run.findings),
            Finding("warning", Rule.READ_LARGE_FILE, run.id, message, source),
        ),
    )
