"""Read what Julia's BenchmarkTools.jl saves and prints, and FluxBench's JSON.

Every benchmark in a file becomes a Run. A saved Trial has all its samples: they are a Series with one sample
a step, in seconds per evaluation. Everything else is already reduced: a TrialEstimate, a printed Trial (both
layouts), the minimum that `@btime` and a printed BenchmarkGroup show, FluxBench's median.

Format: JuliaCI/BenchmarkTools.jl src/serialization.jl and src/trials.jl, FluxML/FluxBench.jl.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from reportgen.core.model import FactorValue, Finding, FloatArray, Run
from reportgen.core.rules import Rule
from reportgen.core.units import to_base
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.json_values import is_number, items, load, table
from reportgen.formats.parsing.run_builder import ResultRun, make_series
from reportgen.formats.parsing.text_log import TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "benchmarktools"
_JSON = (
    (b'"BenchmarkTools"', re.compile(rb'\s*\[\s*\{[^{}]{0,300}"BenchmarkTools"\s*:\s*"[^"]{1,40}"')),
    (b'"result_value"', re.compile(rb'\s*\[\s*\{[^{}]{0,2000}"result_value"\s*:[^{}]{0,2000}\}')),
)
# FluxBench's names: model, pass and sizes in one word; the group ends in the kind of device.
_FLUX = re.compile(r"(?:Forw_)?([A-Za-z0-9-]+?)_(forw|back)_(.+)")
_PASSES = {"forw": "forward", "back": "forward+backward"}
_FLUX_STATISTICS = (("median", "result_value"), ("minimum", "min"), ("maximum", "max"))
_NS = 1e-9
_MAX_DEPTH = 50

_TIME = rb"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?(ns|us|\xce\xbcs|\xc2\xb5s|ms|s)\b"
_TRIAL = re.compile(rb"BenchmarkTools\.Trial: ?(?:([0-9]{1,9}) samples? with ([0-9]{1,9}) evaluations?)?")
_BTIME = re.compile(
    rb"^ {2}" + _TIME + rb" \(([0-9]{1,15}) allocations?: ([0-9.]{1,12}) (bytes|KiB|MiB|GiB)\)", re.MULTILINE
)
_ENTRY = re.compile(
    rb"^([ \t]{2,200})([^ \t\r\n][^\r\n]{0,200}?) => Trial(Estimate)?\(" + _TIME + rb"\)", re.MULTILINE
)
_GROUP = re.compile(rb"[0-9]{1,9}-element BenchmarkTools\.BenchmarkGroup:")
# The first line of a group, inside another group or by itself.
_OPENED = re.compile(rb"^(?:([ \t]{2,200})([^ \t\r\n][^\r\n]{0,200}?) => )?" + _GROUP.pattern, re.MULTILINE)
# The command typed in the line before a result.
_TYPED = re.compile(rb"@(?:benchmark|btime) ([^\r\n]{1,300}?)[ \t]{0,9}\r?\n[# \t]{0,9}\Z")
_MAX_TYPED_BYTES = 400
_RANGE = rb"Range {1,4}\(min \xe2\x80\xa6 max\): {1,10}"
# Statistic -> its pattern in a printed trial: the layout until 1.0, then the one since 1.1.
_STATISTICS = (
    ("minimum", re.compile(rb"minimum time: {1,10}" + _TIME)),
    ("median", re.compile(rb"median time: {1,10}" + _TIME)),
    ("mean", re.compile(rb"mean time: {1,10}" + _TIME)),
    ("maximum", re.compile(rb"maximum time: {1,10}" + _TIME)),
    ("minimum", re.compile(_RANGE + _TIME)),
    ("maximum", re.compile(_RANGE + rb"[^\r\n\xe2]{1,40}\xe2\x80\xa6 {1,10}" + _TIME)),
    ("median", re.compile(rb"Time {1,4}\(median\): {1,10}" + _TIME)),
    ("mean", re.compile(rb"Time {1,4}\(mean \xc2\xb1 \xcf\x83\): {1,10}" + _TIME)),
    ("single", re.compile(rb"Single result which took " + _TIME)),
)
_SAMPLES = re.compile(rb"samples: {1,12}([0-9]{1,9})")
_ALLOCATIONS = re.compile(rb"(?:allocs estimate: {1,12}|over )([0-9]{1,15})")
_MARKS = (b"BenchmarkTools.Trial:", b"BenchmarkTools.BenchmarkGroup:", b" allocation")
_MAX_TRIAL_BYTES = 4000  # a printed trial has about twelve lines


class Reduced(NamedTuple):
    """A number that was already reduced: value in s, the text in the log, samples (0 if unknown)."""

    statistic: str
    value: float
    text: str
    n: int = 0


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark; `samples` are s per evaluation, empty if the file does not have them."""

    factors: Mapping[str, FactorValue]
    environment: Mapping[str, FactorValue] = field(default_factory=dict)
    samples: FloatArray = field(default_factory=lambda: np.empty(0))
    reduced: Sequence[Reduced] = ()
    line: int = 0


def claims(files: LogFiles) -> Claim | None:
    """Claim JSON that names BenchmarkTools or has FluxBench's fields, and text with a printed result."""
    if files.is_folder:
        return None
    head = files.head(files.path)
    for literal, pattern in _JSON:
        if literal in head and (match := pattern.match(head)):
            reason = " ".join(match[0].decode("utf-8", "replace").split())[-80:]
            return Claim.at(files, 0.95, reason, head, head.index(literal))
    return (
        claim(files, _MARKS[0], _TRIAL, 0.95)
        or claim(files, _MARKS[1], _GROUP, 0.95)
        or claim(files, _MARKS[2], _BTIME, 0.8)
    )


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield a run for every benchmark in the file, or a finding if there is none."""
    log = TextLog(files)
    is_json = log.content.lstrip()[:1] == b"["
    benchmarks = list(_saved_benchmarks(log.content) if is_json else _printed_benchmarks(log))
    if not benchmarks:
        message = "no benchmark could be read"
        yield Finding("warning", Rule.READ_MALFORMED_LINE, log.id, message, log.source)
    for number, benchmark in enumerate(benchmarks, 1):
        yield _run(log, benchmark, number if len(benchmarks) > 1 else None)


FORMAT = Format(
    _NAME,
    "Results of Julia's BenchmarkTools.jl and FluxBench, saved or printed.",
    claims,
    read,
    marks=(*(literal for literal, _ in _JSON), *_MARKS),
)


def _run(log: TextLog, benchmark: Benchmark, number: int | None) -> Run:
    run = ResultRun.of_file(_NAME, log.files, benchmark.line, number, framework="Julia")
    run.factors |= benchmark.factors
    run.environment |= benchmark.environment
    if n := len(benchmark.samples):
        step = np.arange(1, n + 1)
        step, line = np.arange(1, n + 1), benchmark.line
        run.series = [make_series("step_time", "host", step, benchmark.samples, run.source, line=line)]
    for statistic, value, text, count in benchmark.reduced:
        run.add_aggregate("step_time", value, text, statistic, count)
    run.status = "complete" if run.series or run.aggregates else "failed"
    return run.run()


# JSON


class _Lines:
    """Finds the lines of names in the order of the file, each search from the previous match."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at, self._line = content, 0, 1

    def of(self, text: str) -> int:
        """Return the line of a quoted text; if it is escaped in the file, that of the previous match."""
        at = self._content.find(b'"' + text.encode("utf-8", "replace") + b'"', self._at)
        if at >= 0:
            self._line += self._content.count(b"\n", self._at, at)
            self._at = at
        return self._line


def _saved_benchmarks(content: bytes) -> Iterator[Benchmark]:
    """Yield the benchmarks in a file of BenchmarkTools.save or FluxBench; other objects are skipped."""
    document = items(load(content))
    lines = _Lines(content)
    if len(document) == 2 and "BenchmarkTools" in table(document[0]):
        environment = {name.lower(): value for name, value in document[0].items() if isinstance(value, str)}
        saved = items(document[1])
        for number, node in enumerate(saved, 1):
            yield from _saved(node, [str(number)] if len(saved) > 1 else [], environment, lines)
        return
    for entry in document:
        if "result_value" in table(entry):
            yield _flux(entry, lines)


def _saved(
    node: Any, names: list[str], environment: Mapping[str, FactorValue], lines: _Lines
) -> Iterator[Benchmark]:
    """Yield the trials and estimates below a serialized [type, fields]."""
    if (
        not (isinstance(node, list) and len(node) == 2 and isinstance(node[1], dict))
        or len(names) > _MAX_DEPTH
    ):
        return
    kind, fields = str(node[0]).rpartition(".")[2], node[1]
    if kind == "BenchmarkGroup":
        for name, child in table(fields.get("data")).items():
            yield from _saved(child, [*names, name], environment, lines)
    elif kind in ("Trial", "TrialEstimate"):
        factors: dict[str, FactorValue] = {"benchmark": "/".join(names)} if names else {}
        facts = {"allocations": fields.get("allocs"), "allocated_bytes": fields.get("memory")}
        environment = {**environment, **{key: n for key, n in facts.items() if isinstance(n, int)}}
        benchmark = Benchmark(factors, environment, line=lines.of(names[-1] if names else kind))
        if kind == "Trial":
            yield _trial(benchmark, fields.get("times"))
        elif is_number(time := fields.get("time")):
            yield replace(benchmark, reduced=[Reduced("estimate", time * _NS, f"{float(time):.12g} ns")])


def _trial(benchmark: Benchmark, times: object) -> Benchmark:
    samples = np.array([time for time in items(times) if is_number(time)], dtype=np.float64) * _NS
    n = len(samples)
    if not n:
        return benchmark
    # A slow benchmark has a few samples, too few for a warm-up; BenchmarkTools has done one of its own.
    reduced = [
        Reduced("median", float(np.median(samples)), f"median of {n} samples", n),
        Reduced("minimum", float(samples.min()), f"minimum of {n} samples", n),
    ]
    return replace(benchmark, samples=samples, reduced=reduced)


def _flux(entry: Mapping[str, Any], lines: _Lines) -> Benchmark:
    name = str(entry.get("benchmark", ""))
    numbers = ((statistic, entry.get(key)) for statistic, key in _FLUX_STATISTICS)
    reduced = [Reduced(statistic, float(n), f"{n} s") for statistic, n in numbers if is_number(n)]
    texts = ((key, entry.get(key)) for key in ("executable", "environment", "commitid", "branch"))
    environment = {key: text for key, text in texts if isinstance(text, str)}
    return Benchmark(_flux_factors(name), environment, reduced=reduced, line=lines.of(name))


def _flux_factors(name: str) -> dict[str, FactorValue]:
    """Return model, pass and device from the name of a benchmark: `Group_GPU/Model_forw_sizes`."""
    factors: dict[str, FactorValue] = {"benchmark": name}
    group, _, own = name.rpartition("/")
    kind = group.rpartition("_")[2]
    if kind in ("GPU", "CPU"):
        factors["device"] = kind
    if match := _FLUX.fullmatch(own):
        factors |= {"model": match[1], "pass": _PASSES[match[2]]}
    return factors


# Console output


def _printed_benchmarks(log: TextLog) -> Iterator[Benchmark]:
    """Yield the printed results in the order of their lines."""
    groups = _Groups()
    kinds = ((_TRIAL, _printed_trial), (_BTIME, _btime), (_ENTRY, groups.entry), (_OPENED, groups.open))
    matches = [(match, parse) for pattern, parse in kinds for match in pattern.finditer(log.content)]
    matches.sort(key=lambda pair: pair[0].start())
    lines = log.lines([match.start() for match, _ in matches]).tolist()
    for line, (match, parse) in zip(lines, matches, strict=True):
        if benchmark := parse(log, match):
            yield replace(benchmark, line=line)


class _Groups:
    """The groups around a line, by indentation: the path to a benchmark."""

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []

    def open(self, log: TextLog, line: re.Match[bytes]) -> None:
        """Enter a group; a group without a name starts a new path."""
        if line[2] is None:
            self._path = []
        else:
            self._path = [*self._above(line[1]), (_width(line[1]), _key(line[2]))]

    def entry(self, log: TextLog, line: re.Match[bytes]) -> Benchmark:
        """Return the result of an entry: a trial shows its minimum, an estimate does not name its kind."""
        names = [name for _, name in self._above(line[1])] + [_key(line[2])]
        statistic = "estimate" if line[3] else "minimum"
        return Benchmark(_flux_factors("/".join(names)), reduced=[_reduced(statistic, line[4], line[5])])

    def _above(self, indentation: bytes) -> list[tuple[int, str]]:
        return [(width, name) for width, name in self._path if width < _width(indentation)]


def _width(indentation: bytes) -> int:
    return len(indentation.expandtabs(8))


def _key(text: bytes) -> str:
    """Return a key of a group, without the quotes of a text."""
    return text.decode("utf-8", "replace").strip('"')


def _printed_trial(log: TextLog, head: re.Match[bytes]) -> Benchmark:
    following = log.content.find(b"BenchmarkTools.Trial:", head.end())
    end = min(following if following >= 0 else len(log.content), head.end() + _MAX_TRIAL_BYTES)
    samples = _SAMPLES.search(log.content, head.end(), end)
    count = int(head[1] or (samples[1] if samples else b"0"))
    reduced = [
        _reduced(statistic, time[1], time[2], 1 if statistic == "single" else count)
        for statistic, pattern in _STATISTICS
        if (time := pattern.search(log.content, head.end(), end))
    ]
    allocations = _ALLOCATIONS.search(log.content, head.end(), end)
    environment: dict[str, FactorValue] = {"allocations": int(allocations[1])} if allocations else {}
    return Benchmark(_named(log, head), environment, reduced=reduced)


def _btime(log: TextLog, line: re.Match[bytes]) -> Benchmark:
    # A group of dots is not a number.
    amount = float(line[4]) if line[4].count(b".") < 2 and line[4] != b"." else 0.0
    size, _ = to_base(amount, line[5].decode())
    environment: dict[str, FactorValue] = {"allocations": int(line[3]), "allocated_bytes": int(size)}
    return Benchmark(_named(log, line), environment, reduced=[_reduced("minimum", line[1], line[2])])


def _named(log: TextLog, result: re.Match[bytes]) -> dict[str, FactorValue]:
    """Return the command typed in the line before a result as its name, nothing if there is no command."""
    typed = _TYPED.search(log.content[max(result.start() - _MAX_TYPED_BYTES, 0) : result.start()])
    return {"benchmark": typed[1].decode("utf-8", "replace")} if typed else {}


def _reduced(statistic: str, number: bytes, unit: bytes, n: int = 0) -> Reduced:
    name = unit.decode()
    return Reduced(statistic, to_base(float(number), name)[0], f"{number.decode()} {name}", n)
