"""Find the results that BenchmarkTools.jl prints: trials of both layouts, `@btime` lines, groups."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from reportgen.core.model import FactorValue
from reportgen.core.units import to_base
from reportgen.formats.base import Claim
from reportgen.formats.benchmarks.benchmarktools_json import Benchmark, flux_factors
from reportgen.formats.parsing.text_log import TextLog, claim
from reportgen.sources.logfiles import LogFiles

_TIME = rb"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?(ns|us|\xce\xbcs|\xc2\xb5s|ms|s)\b"
_TRIAL = re.compile(rb"BenchmarkTools\.Trial: ?(?:([0-9]{1,9}) samples? with ([0-9]{1,9}) evaluations?)?")
_BTIME = re.compile(
    rb"^ {2}" + _TIME + rb" \(([0-9]{1,15}) allocations?: ([0-9.]{1,12}) (bytes|KiB|MiB|GiB)\)", re.MULTILINE
)
_ENTRY = re.compile(
    rb"^([ \t]{2,200})([^ \t\r\n][^\r\n]{0,200}?) => Trial(Estimate)?\(" + _TIME + rb"\)", re.MULTILINE
)
_GROUP = re.compile(rb"[0-9]{1,9}-element BenchmarkTools\.BenchmarkGroup:")
# A group, in another one or by itself.
_OPENED = re.compile(rb"^(?:([ \t]{2,200})([^ \t\r\n][^\r\n]{0,200}?) => )?" + _GROUP.pattern, re.MULTILINE)
# What was typed in the line before a result.
_TYPED = re.compile(rb"@(?:benchmark|btime) ([^\r\n]{1,300}?)[ \t]{0,9}\r?\n[# \t]{0,9}\Z")
_BEFORE = 400
# Statistic -> where a trial's text has it: the layout until 1.0 and the one since 1.1.
_STATISTICS = (
    ("minimum", re.compile(rb"minimum time: {1,10}" + _TIME)),
    ("median", re.compile(rb"median time: {1,10}" + _TIME)),
    ("mean", re.compile(rb"mean time: {1,10}" + _TIME)),
    ("maximum", re.compile(rb"maximum time: {1,10}" + _TIME)),
    ("minimum", re.compile(rb"Range {1,4}\(min \xe2\x80\xa6 max\): {1,10}" + _TIME)),
    (
        "maximum",
        re.compile(
            rb"Range {1,4}\(min \xe2\x80\xa6 max\): {1,10}[^\r\n\xe2]{1,40}\xe2\x80\xa6 {1,10}" + _TIME
        ),
    ),
    ("median", re.compile(rb"Time {1,4}\(median\): {1,10}" + _TIME)),
    ("mean", re.compile(rb"Time {1,4}\(mean \xc2\xb1 \xcf\x83\): {1,10}" + _TIME)),
    ("single", re.compile(rb"Single result which took " + _TIME)),
)
_SAMPLES = re.compile(rb"samples: {1,12}([0-9]{1,9})")
_ALLOCATIONS = re.compile(rb"(?:allocs estimate: {1,12}|over )([0-9]{1,15})")
MARKS = (b"BenchmarkTools.Trial:", b"BenchmarkTools.BenchmarkGroup:", b" allocation")
# A printed trial is about twelve lines long.
_LONGEST = 4000


def claim_text(files: LogFiles) -> Claim | None:
    """Claim a text file with a printed result."""
    return (
        claim(files, MARKS[0], _TRIAL, 0.95)
        or claim(files, MARKS[1], _GROUP, 0.95)
        or claim(files, MARKS[2], _BTIME, 0.8)
    )


def benchmarks(log: TextLog) -> Iterator[Benchmark]:
    """Yield the results in the order of their lines."""
    groups = _Groups()
    kinds = ((_TRIAL, _trial), (_BTIME, _btime), (_ENTRY, groups.entry), (_OPENED, groups.open))
    found = [(one.start(), one, make) for pattern, make in kinds for one in pattern.finditer(log.content)]
    found.sort(key=lambda each: each[0])
    lines = log.lines([start for start, _, _ in found]).tolist()
    for line, (_, one, make) in zip(lines, found, strict=True):
        if benchmark := make(log, one):
            yield replace(benchmark, line=line)


class _Groups:
    """The groups that are open where a line stands, by its indentation: the path to a benchmark."""

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []

    def open(self, log: TextLog, line: re.Match[bytes]) -> None:
        """Go into a group; one that has no name begins anew."""
        if line[2] is None:
            self._path = []
        else:
            self._path = [*self._above(line[1]), (_width(line[1]), _key(line[2]))]

    def entry(self, log: TextLog, line: re.Match[bytes]) -> Benchmark:
        """Return the result of an entry: a trial shows its minimum, an estimate does not say what it is."""
        value, text = _seconds(line[4], line[5])
        names = [name for _, name in self._above(line[1])] + [_key(line[2])]
        statistic = "estimate" if line[3] else "minimum"
        return Benchmark(flux_factors("/".join(names)), reduced=((statistic, value, text, 0),))

    def _above(self, indentation: bytes) -> list[tuple[int, str]]:
        return [one for one in self._path if one[0] < _width(indentation)]


def _width(indentation: bytes) -> int:
    return len(indentation.expandtabs(8))


def _key(text: bytes) -> str:
    """Return a key as it is called: texts without their quotes."""
    return text.decode("utf-8", "replace").strip('"')


def _named(log: TextLog, result: re.Match[bytes]) -> dict[str, FactorValue]:
    """Return what was typed before a result as its name, nothing where something else stands there."""
    typed = _TYPED.search(log.content[max(result.start() - _BEFORE, 0) : result.start()])
    return {"benchmark": typed[1].decode("utf-8", "replace")} if typed else {}


def _trial(log: TextLog, head: re.Match[bytes]) -> Benchmark:
    following = log.content.find(b"BenchmarkTools.Trial:", head.end())
    end = min(following if following >= 0 else len(log.content), head.end() + _LONGEST)
    samples = _SAMPLES.search(log.content, head.end(), end)
    count = int(head[1] or (samples[1] if samples else b"0"))
    reduced = []
    for statistic, pattern in _STATISTICS:
        if time := pattern.search(log.content, head.end(), end):
            value, text = _seconds(time[1], time[2])
            reduced.append((statistic, value, text, 1 if statistic == "single" else count))
    allocations = _ALLOCATIONS.search(log.content, head.end(), end)
    facts: Mapping[str, FactorValue] = {"allocations": int(allocations[1])} if allocations else {}
    return Benchmark(_named(log, head), facts, reduced=tuple(reduced))


def _btime(log: TextLog, line: re.Match[bytes]) -> Benchmark:
    value, text = _seconds(line[1], line[2])
    size, _ = to_base(_number(line[4]), line[5].decode())
    facts: dict[str, FactorValue] = {"allocations": int(line[3]), "allocated_bytes": int(size)}
    return Benchmark(_named(log, line), facts, reduced=(("minimum", value, text, 0),))


def _seconds(number: bytes, unit: bytes) -> tuple[float, str]:
    name = unit.decode()
    return to_base(float(number), name)[0], f"{number.decode()} {name}"


def _number(text: bytes) -> float:
    """Return the number, 0 for dots that are none."""
    return float(text) if text.count(b".") < 2 and text != b"." else 0.0
