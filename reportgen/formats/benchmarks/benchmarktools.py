"""Read what Julia's BenchmarkTools.jl saves and prints, and FluxBench's JSON.

Every benchmark in a file becomes a Run. A saved Trial has all its samples: they are a Series with one sample
a step, in seconds per evaluation. Everything else is already reduced: a TrialEstimate, a printed Trial (both
layouts), the minimum that `@btime` and a printed BenchmarkGroup show, FluxBench's median.

Format: JuliaCI/BenchmarkTools.jl src/serialization.jl and src/trials.jl, FluxML/FluxBench.jl.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue, Finding
from reportgen.core.rules import Rule
from reportgen.core.units import to_base
from reportgen.formats.base import Claim, Results
from reportgen.formats.parsing.json_values import is_number, items, load, table
from reportgen.formats.parsing.run_builder import ResultRun, make_series
from reportgen.formats.parsing.text_log import TextLog, TextSign, format_of
from reportgen.sources.logfiles import LogFiles

_NAME = "benchmarktools"
_JSON = (
    (b'"BenchmarkTools"', lazy_pattern(rb'\s*\[\s*\{[^{}]{0,300}"BenchmarkTools"\s*:\s*"[^"]{1,40}"')),
    (b'"result_value"', lazy_pattern(rb'\s*\[\s*\{[^{}]{0,2000}"result_value"\s*:[^{}]{0,2000}\}')),
)
# FluxBench's names: model, pass and sizes in one word; the group ends in the kind of device.
_FLUX = lazy_pattern(r"(?:Forw_)?([A-Za-z0-9-]+?)_(forw|back)_(.+)")
_PASSES = {"forw": "forward", "back": "forward+backward"}
_FLUX_STATISTICS = (("median", "result_value"), ("minimum", "min"), ("maximum", "max"))
_NS = 1e-9
_MAX_DEPTH = 50

_TIME = rb"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?(ns|us|\xce\xbcs|\xc2\xb5s|ms|s)\b"
_TRIAL = lazy_pattern(rb"BenchmarkTools\.Trial: ?(?:([0-9]{1,9}) samples? with ([0-9]{1,9}) evaluations?)?")
_BTIME = lazy_pattern(
    rb"^ {2}" + _TIME + rb" \(([0-9]{1,15}) allocations?: ([0-9.]{1,12}) (bytes|KiB|MiB|GiB)\)", re.MULTILINE
)
_GROUP = lazy_pattern(rb"[0-9]{1,9}-element BenchmarkTools\.BenchmarkGroup:")
# The first line of a group, and a group or a result inside another group.
_MEMBER = lazy_pattern(
    rb"^(?:%(group)s|(?P<indentation>[ \t]{2,200})(?P<key>[^ \t\r\n][^\r\n]{0,200}?) => "
    rb"(?:%(group)s|Trial(Estimate)?\(%(time)s\)))" % {b"group": _GROUP.pattern, b"time": _TIME},
    re.MULTILINE,
)
# The command typed in the line before a result.
_TYPED = lazy_pattern(rb"@(?:benchmark|btime) ([^\r\n]{1,300}?)[ \t]{0,9}\r?\n[# \t]{0,9}\Z")
_MAX_TYPED_BYTES = 400
_RANGE = rb"Range {1,4}\(min \xe2\x80\xa6 max\): {1,10}"
# Statistic -> its pattern in a printed trial: the layout until 1.0, then the one since 1.1.
_STATISTICS = [
    (statistic, lazy_pattern(before + _TIME))
    for statistic, before in (
        *((name, f"{name} time: {{1,10}}".encode()) for name in ("minimum", "median", "mean", "maximum")),
        ("minimum", _RANGE),
        ("maximum", _RANGE + rb"[^\r\n\xe2]{1,40}\xe2\x80\xa6 {1,10}"),
        ("median", rb"Time {1,4}\(median\): {1,10}"),
        ("mean", rb"Time {1,4}\(mean \xc2\xb1 \xcf\x83\): {1,10}"),
        ("single", rb"Single result which took "),
    )
]
_SAMPLES = lazy_pattern(rb"samples: {1,12}([0-9]{1,9})")
_ALLOCATIONS = lazy_pattern(rb"(?:allocs estimate: {1,12}|over )([0-9]{1,15})")
_PRINTED = b"BenchmarkTools.Trial:"
_MAX_TRIAL_BYTES = 4000  # a printed trial has about twelve lines


def _refine(files: LogFiles, printed: Claim | None) -> Claim | None:
    """Claim JSON that names BenchmarkTools or has FluxBench's fields before a printed result."""
    head = files.head(files.path)
    for literal, pattern in _JSON:
        if literal in head and (match := pattern.match(head)):
            reason = " ".join(match[0].decode("utf-8", "replace").split())[-80:]
            return Claim.at(files, 0.95, reason, head, head.index(literal))
    return printed


def read(log: TextLog) -> Results:
    """Yield a run for every benchmark in the file, or a finding if there is none."""
    runs = list(_saved_runs(log) if log.content.lstrip()[:1] == b"[" else _printed_runs(log))
    if not runs:
        yield Finding("warning", Rule.READ_MALFORMED_LINE, log.id, "no benchmark could be read", log.source)
    for number, run in enumerate(runs, 1):
        run.status = "complete" if run.series or run.aggregates else "failed"
        yield run.run(number if len(runs) > 1 else None)


FORMAT = format_of(
    _NAME,
    "Results of Julia's BenchmarkTools.jl and FluxBench, saved or printed.",
    (
        TextSign((_PRINTED,), _TRIAL, 0.95),
        TextSign((b"BenchmarkTools.BenchmarkGroup:",), _GROUP, 0.95),
        TextSign((b" allocation",), _BTIME, 0.8),
    ),
    read,
    _refine,
    [literal for literal, _ in _JSON],
)


# JSON


class _Lines:
    """Starts runs at the lines of their names, which are in the order of the file."""

    def __init__(self, log: TextLog) -> None:
        self._log, self._at, self._line = log, 0, 1

    def start(self, name: str) -> ResultRun:
        """Start the run of a quoted name; if it is escaped in the file, at the line of the previous one."""
        content = self._log.content
        at = content.find(b'"' + name.encode("utf-8", "replace") + b'"', self._at)
        if at >= 0:
            self._line += content.count(b"\n", self._at, at)
            self._at = at
        return ResultRun.of_file(_NAME, self._log.files, self._line, framework="Julia")


def _saved_runs(log: TextLog) -> Iterator[ResultRun]:
    """Yield the benchmarks in a file of BenchmarkTools.save or FluxBench; other objects are skipped."""
    document, lines = items(load(log.content)), _Lines(log)
    if len(document) == 2 and "BenchmarkTools" in table(document[0]):
        environment: dict[str, FactorValue] = {
            name.lower(): text for name, text in document[0].items() if isinstance(text, str)
        }
        saved = items(document[1])
        for number, node in enumerate(saved, 1):
            for run in _saved(node, [str(number)] if len(saved) > 1 else [], lines):
                run.environment = environment | run.environment
                yield run
        return
    for entry in document:
        if "result_value" in table(entry):
            yield _flux(entry, lines)


def _saved(node: Any, names: list[str], lines: _Lines) -> Iterator[ResultRun]:
    """Yield the trials and estimates below a serialized [type, fields]."""
    is_typed = isinstance(node, list) and len(node) == 2 and isinstance(node[1], dict)
    if not is_typed or len(names) > _MAX_DEPTH:
        return
    kind, fields = str(node[0]).rpartition(".")[2], node[1]
    if kind == "BenchmarkGroup":
        for name, child in table(fields.get("data")).items():
            yield from _saved(child, [*names, name], lines)
    elif kind in ("Trial", "TrialEstimate"):
        run = lines.start(names[-1] if names else kind)
        run.factors["benchmark"] = "/".join(names)
        facts = {"allocations": fields.get("allocs"), "allocated_bytes": fields.get("memory")}
        run.environment = {name: n for name, n in facts.items() if isinstance(n, int)}
        if kind == "Trial":
            _add_samples(run, fields.get("times"))
        elif is_number(time := fields.get("time")):
            run.add_aggregate("step_time", time * _NS, f"{float(time):.12g} ns", "estimate")
        yield run


def _add_samples(run: ResultRun, times: object) -> None:
    samples = np.array([time for time in items(times) if is_number(time)], dtype=np.float64) * _NS
    if n := len(samples):
        step, line = np.arange(1, n + 1), run.source.line
        run.series = [make_series("step_time", "host", step, samples, run.source, line=line)]
        # A slow benchmark has a few samples, too few for a warm-up; BenchmarkTools has done one of its own.
        for statistic, value in (("median", np.median(samples)), ("minimum", samples.min())):
            run.add_aggregate("step_time", float(value), f"{statistic} of {n} samples", statistic, n)


def _flux(entry: Mapping[str, Any], lines: _Lines) -> ResultRun:
    name = str(entry.get("benchmark", ""))
    run = lines.start(name)
    run.factors |= _flux_factors(name)
    texts = ((key, entry.get(key)) for key in ("executable", "environment", "commitid", "branch"))
    run.environment = {key: text for key, text in texts if isinstance(text, str)}
    for statistic, key in _FLUX_STATISTICS:
        if is_number(value := entry.get(key)):
            run.add_aggregate("step_time", float(value), f"{value} s", statistic)
    return run


def _flux_factors(name: str) -> dict[str, FactorValue]:
    """Return model, pass and device from the name of a benchmark: `Group_GPU/Model_forw_sizes`."""
    factors: dict[str, FactorValue] = {"benchmark": name}
    group, _, own = name.rpartition("/")
    if (kind := group.rpartition("_")[2]) in ("GPU", "CPU"):
        factors["device"] = kind
    if match := _FLUX.fullmatch(own):
        factors |= {"model": match[1], "pass": _PASSES[match[2]]}
    return factors


# Console output


def _printed_runs(log: TextLog) -> Iterator[ResultRun]:
    """Yield the printed results in the order of their lines."""
    kinds = ((_TRIAL, _add_trial), (_BTIME, _add_btime), (_MEMBER, None))
    matches = [(match, add) for pattern, add in kinds for match in pattern.finditer(log.content)]
    matches.sort(key=lambda pair: pair[0].start())
    lines = log.lines([match.start() for match, _ in matches]).tolist()
    path: list[tuple[int, str]] = []  # indentation and name of the groups around a line
    for line, (match, add) in zip(lines, matches, strict=True):
        run = ResultRun.of_file(_NAME, log.files, line, framework="Julia")
        if add:
            typed = _TYPED.search(log.content[max(match.start() - _MAX_TYPED_BYTES, 0) : match.start()])
            run.factors["benchmark"] = typed[1].decode("utf-8", "replace") if typed else ""
            add(run, match)
            yield run
            continue
        width = len((match["indentation"] or b"").expandtabs(8))
        key = (match["key"] or b"").decode("utf-8", "replace").strip('"')
        inside = [*((left, name) for left, name in path if left < width), (width, key)]
        if match[4]:
            run.factors |= _flux_factors("/".join(name for _, name in inside))
            # A trial shows its minimum, an estimate does not name its kind.
            _add_time(run, "estimate" if match[3] else "minimum", match[4], match[5])
            yield run
        else:
            path = inside if match["key"] else []


def _add_trial(run: ResultRun, head: re.Match[bytes]) -> None:
    text = head.string[head.end() : head.end() + _MAX_TRIAL_BYTES].partition(_PRINTED)[0]
    samples, allocations = _SAMPLES.search(text), _ALLOCATIONS.search(text)
    count = int(head[1] or (samples[1] if samples else b"0"))
    for statistic, pattern in _STATISTICS:
        if time := pattern.search(text):
            _add_time(run, statistic, time[1], time[2], 1 if statistic == "single" else count)
    if allocations:
        run.environment["allocations"] = int(allocations[1])


def _add_btime(run: ResultRun, line: re.Match[bytes]) -> None:
    _add_time(run, "minimum", line[1], line[2])
    # A group of dots is not a number.
    amount = float(line[4]) if line[4].count(b".") < 2 and line[4] != b"." else 0.0
    size = int(to_base(amount, line[5].decode())[0])
    run.environment = {"allocations": int(line[3]), "allocated_bytes": size}


def _add_time(run: ResultRun, statistic: str, number: bytes, unit: bytes, n: int = 0) -> None:
    text = f"{number.decode()} {unit.decode()}"
    run.add_aggregate("step_time", to_base(float(number), unit.decode())[0], text, statistic, n)
