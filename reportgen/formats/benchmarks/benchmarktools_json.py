"""Find the benchmarks in JSON of BenchmarkTools.save and of FluxBench; times there are ns and s."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reportgen.core.model import FactorValue, FloatArray, Series, Source
from reportgen.formats.parsing.json_values import is_number

_NS = 1e-9
_DEEPEST = 50
# FluxBench's names: model, pass and sizes in one word; the group ends in the kind of device.
_FLUX = re.compile(r"(?:Forw_)?([A-Za-z0-9-]+?)_(forw|back)_(.+)")
_PASSES = {"forw": "forward", "back": "forward+backward"}


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark.

    samples  s per evaluation of every sample, empty where they are not there
    reduced  (statistic, s, the text or number as it stood there, number of samples, 0 if unknown)
    """

    factors: Mapping[str, FactorValue]
    environment: Mapping[str, FactorValue] = field(default_factory=dict)
    samples: FloatArray = field(default_factory=lambda: np.empty(0))
    reduced: tuple[tuple[str, float, str, int], ...] = ()
    line: int = 0

    def series(self, source: Source) -> Series:
        """Return the samples as steps."""
        n = len(self.samples)
        return Series(
            "step_time",
            clock="host",
            step=np.arange(1, n + 1),
            span=np.ones(n, dtype=np.int64),
            begin=np.full(n, np.nan),
            value=self.samples,
            samples=np.full(n, np.nan),
            line=np.full(n, self.line),
            source=source,
        )


class _Lines:
    """Finds the lines of names in the order of the file, each behind the one before."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at, self._line = content, 0, 1

    def of(self, text: str) -> int:
        """Return the line of a text in quotes; where it is written otherwise, the last line found."""
        at = self._content.find(b'"' + text.encode("utf-8", "replace") + b'"', self._at)
        if at >= 0:
            self._line += self._content.count(b"\n", self._at, at)
            self._at = at
        return self._line


def benchmarks(document: Any, content: bytes) -> Iterator[Benchmark]:
    """Yield the benchmarks of a parsed file; what is not of either form is passed over."""
    if not isinstance(document, list):
        return
    lines = _Lines(content)
    if len(document) == 2 and isinstance(document[0], dict) and "BenchmarkTools" in document[0]:
        environment = {name.lower(): value for name, value in document[0].items() if isinstance(value, str)}
        saved = document[1] if isinstance(document[1], list) else []
        for number, one in enumerate(saved):
            yield from _saved(one, [str(number + 1)] if len(saved) > 1 else [], environment, lines)
        return
    for one in document:
        if isinstance(one, dict) and "result_value" in one:
            yield _flux(one, lines)


def _saved(
    node: Any, names: list[str], environment: Mapping[str, FactorValue], lines: _Lines
) -> Iterator[Benchmark]:
    """Yield the trials and estimates below a serialized [type, fields]."""
    if not (isinstance(node, list) and len(node) == 2 and isinstance(node[1], dict)) or len(names) > _DEEPEST:
        return
    kind, fields = str(node[0]).rpartition(".")[2], node[1]
    if kind == "BenchmarkGroup":
        inside = fields.get("data")
        for name, one in inside.items() if isinstance(inside, dict) else ():
            yield from _saved(one, [*names, name], environment, lines)
    elif kind in ("Trial", "TrialEstimate"):
        factors: dict[str, FactorValue] = {"benchmark": "/".join(names)} if names else {}
        facts = {**environment, **_facts(fields)}
        line = lines.of(names[-1] if names else kind)
        if kind == "Trial":
            yield _trial(fields, factors, facts, line)
        elif is_number(fields.get("time")):
            time = float(fields["time"])
            yield Benchmark(
                factors, facts, reduced=(("estimate", time * _NS, f"{time:.12g} ns", 0),), line=line
            )


def _trial(
    fields: Mapping[str, Any], factors: Mapping[str, FactorValue], facts: Mapping[str, FactorValue], line: int
) -> Benchmark:
    times = fields.get("times")
    numbers = [float(time) for time in times if is_number(time)] if isinstance(times, list) else []
    samples = np.array(numbers, dtype=np.float64) * _NS
    reduced: tuple[tuple[str, float, str, int], ...] = ()
    if len(samples):
        # A slow benchmark has a handful of samples, too few for a warm-up; BenchmarkTools did one of its own.
        text = f"of {len(samples)} samples"
        reduced = (("median", float(np.median(samples)), "median " + text, len(samples)),
                   ("minimum", float(samples.min()), "minimum " + text, len(samples)))  # fmt: skip
    return Benchmark(factors, facts, samples, reduced, line)


def _facts(fields: Mapping[str, Any]) -> dict[str, FactorValue]:
    found = {"allocations": fields.get("allocs"), "allocated_bytes": fields.get("memory")}
    return {name: value for name, value in found.items() if isinstance(value, int)}


def _flux(one: Mapping[str, Any], lines: _Lines) -> Benchmark:
    name = str(one.get("benchmark", ""))
    reduced = tuple((statistic, float(one[key]), f"{one[key]} s", 0)
                    for statistic, key in (("median", "result_value"), ("minimum", "min"), ("maximum", "max"))
                    if is_number(one.get(key)))  # fmt: skip
    environment = {key: str(one[key]) for key in ("executable", "environment", "commitid", "branch")
                   if isinstance(one.get(key), str)}  # fmt: skip
    return Benchmark(flux_factors(name), environment, reduced=reduced, line=lines.of(name))


def flux_factors(name: str) -> dict[str, FactorValue]:
    """Return what a benchmark's name tells: `Group_GPU/Model_forw_sizes` has model, pass and device."""
    factors: dict[str, FactorValue] = {"benchmark": name}
    group, _, own = name.rpartition("/")
    kind = group.rpartition("_")[2]
    if kind in ("GPU", "CPU"):
        factors["device"] = kind
    if found := _FLUX.fullmatch(own):
        factors |= {"model": found[1], "pass": _PASSES[found[2]]}
    return factors
