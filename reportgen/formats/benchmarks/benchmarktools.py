"""Read what Julia's BenchmarkTools.jl saves and prints, and FluxBench's JSON.

Every benchmark in a file becomes a Run of its own. A saved Trial has all its samples: they are a Series, one
sample a step, in seconds per evaluation. Everything else is reduced already: a TrialEstimate, a printed Trial
(both layouts), the minimum that `@btime` and a printed BenchmarkGroup show, FluxBench's median.

Format: JuliaCI/BenchmarkTools.jl src/serialization.jl and src/trials.jl, FluxML/FluxBench.jl.
"""

import json
import math
import re
from collections.abc import Iterator

from reportgen.core.model import Aggregate, Finding, Run, Series
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.benchmarks import benchmarktools_json, benchmarktools_text
from reportgen.formats.benchmarks.benchmarktools_json import Benchmark
from reportgen.formats.parsing.text_log import TextLog
from reportgen.sources.logfiles import LogFiles

_NAME = "benchmarktools"
_JSON = (
    (b'"BenchmarkTools"', re.compile(rb'\s*\[\s*\{[^{}]{0,300}"BenchmarkTools"\s*:\s*"[^"]{1,40}"')),
    (b'"result_value"', re.compile(rb'\s*\[\s*\{[^{}]{0,2000}"result_value"\s*:[^{}]{0,2000}\}')),
)


def claims(files: LogFiles) -> Claim | None:
    """Claim JSON that names BenchmarkTools or has FluxBench's fields, and text with a printed result."""
    if files.is_folder:
        return None
    head = files.head(files.path)
    for literal, pattern in _JSON:
        if literal in head and (found := pattern.match(head)):
            line = head.count(b"\n", 0, head.index(literal)) + 1
            reason = " ".join(found[0].decode("utf-8", "replace").split())[-80:]
            return Claim(0.95, files.source(files.path, line), reason, (files.path,))
    return benchmarktools_text.claim_text(files)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield a run for every benchmark in the file, or a finding if there is none."""
    log = TextLog(files)
    if log.content.lstrip()[:1] == b"[":
        found = _read_json(log)
    else:
        found = list(benchmarktools_text.benchmarks(log))
    if not found:
        message = "no benchmark could be read"
        yield Finding("warning", Rule.READ_MALFORMED_LINE, log.id, message, log.source)
    for number, one in enumerate(found, 1):
        yield _run(log, one, number if len(found) > 1 else None)


FORMAT = Format(
    _NAME,
    "Results of Julia's BenchmarkTools.jl and FluxBench, saved or printed.",
    claims,
    read,
    marks=(*(literal for literal, _ in _JSON), *benchmarktools_text.MARKS),
)


def _read_json(log: TextLog) -> list[Benchmark]:
    try:
        document = json.loads(log.content)
    except (ValueError, RecursionError):
        return []
    return list(benchmarktools_json.benchmarks(document, log.content))


def _run(log: TextLog, found: Benchmark, number: int | None) -> Run:
    source = log.files.source(log.path, found.line)
    series: tuple[Series, ...] = ()
    if len(found.samples):
        series = (found.series(source),)
    aggregates = tuple(
        Aggregate("step_time", value=value, original=text, statistic=statistic, n=n, source=source)
        for statistic, value, text, n in found.reduced
        if math.isfinite(value)
    )
    return Run(
        log.files.id(log.path, number),
        _NAME,
        source,
        {"framework": "Julia", **found.factors},
        found.environment,
        status="complete" if series or aggregates else "failed",
        series=series,
        aggregates=aggregates,
    )
