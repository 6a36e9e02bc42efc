"""Ratios of two cases: speed-ups, slowdowns and efficiencies, as measures beside the ones of single cases.

The baseline of a case differs from it in one thing: a factor with a named value, or the number of devices,
where the smallest is the baseline. Speed-up is above 1 where the case is faster, for rates and times alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from reportgen.audit.agreement import RATIO
from reportgen.audit.evidence import GLOBAL_BATCH, PER_NODE, Evidence, Measure
from reportgen.audit.keys import Mask, is_folder
from reportgen.core.metrics import RATES
from reportgen.core.model import FloatArray

SCALE_FACTORS = frozenset({"devices", "nodes", PER_NODE, GLOBAL_BATCH})
_MAX_LEVELS, _MAX_QUANTITIES, _MAX_CASES = 12, 24, 3000


@dataclass(frozen=True, slots=True)
class _Baselines:
    """The baseline of each case, -1 for none: what it is called, and how many times the devices."""

    name: str
    of: np.ndarray
    devices: FloatArray


def with_ratios(evidence: Evidence, mask: Mask) -> Evidence:
    """Return the evidence with the ratios of the cases in a mask as further measures."""
    rows = [
        number
        for number, (measure, unit) in enumerate(zip(evidence.measures, evidence.units, strict=True))
        if (unit in RATES or unit == "s")
        and measure.scope == "total"
        and measure.statistic in ("median", "mean")
        if np.isfinite(evidence.values[number, mask]).any()
    ][:_MAX_QUANTITIES]
    cases = np.flatnonzero(mask)[:_MAX_CASES]
    measures, values = [], []
    for baselines in _baselines(evidence, cases):
        for row in rows:
            for measure, own in _ratios(evidence, row, baselines):
                if np.isfinite(own).any():
                    measures.append(measure)
                    values.append(own)
    if not values:
        return evidence
    return replace(
        evidence,
        measures=(*evidence.measures, *measures),
        units=(*evidence.units, *([RATIO] * len(measures))),
        values=np.vstack([evidence.values, *values]),
    )


def _ratios(evidence: Evidence, row: int, baselines: _Baselines) -> Iterator[tuple[Measure, FloatArray]]:
    own = evidence.values[row]
    known = baselines.of >= 0
    other = np.where(known, own[baselines.of], np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        speedup = own / other if evidence.units[row] in RATES else other / own
        speedup = np.where(np.isfinite(speedup) & (speedup > 0), speedup, np.nan)
        inverse = 1 / speedup
    measure = replace(evidence.measures[row], baseline=baselines.name)
    yield replace(measure, scope="speedup"), speedup
    yield replace(measure, scope="slowdown"), inverse
    if np.isfinite(baselines.devices).any():
        yield replace(measure, scope="efficiency"), speedup / baselines.devices


def _baselines(evidence: Evidence, cases: np.ndarray) -> Iterator[_Baselines]:
    size = len(evidence.cases)
    for factor in sorted(evidence.codes):
        codes = evidence.codes[factor][cases]
        levels = np.unique(codes[codes >= 0])
        if is_folder(factor) or factor in SCALE_FACTORS - {"devices"} or not 2 <= len(levels) <= _MAX_LEVELS:
            continue
        ignored = SCALE_FACTORS if factor == "devices" else {factor}
        keys = case_keys(evidence, cases, ignored)
        if factor == "devices":
            counts = [evidence.levels[factor][level] for level in levels]
            numbers = [count for count in counts if isinstance(count, int)]
            chosen = [
                level for level in levels if evidence.levels[factor][level] == min(numbers, default=None)
            ]
        else:
            chosen = list(levels)
        for level in chosen:
            first: dict[bytes, int] = {}
            for position in np.flatnonzero(codes == level).tolist():
                first.setdefault(keys[position].tobytes(), int(cases[position]))
            of = np.full(size, -1)
            for position, case in enumerate(cases.tolist()):
                if codes[position] >= 0:
                    of[case] = first.get(keys[position].tobytes(), -1)
            devices = _device_ratio(evidence, of) if factor == "devices" else np.full(size, np.nan)
            yield _Baselines(f"{factor} = {evidence.levels[factor][level]}", of, devices)


def case_keys(evidence: Evidence, cases: np.ndarray, ignored: frozenset[str] | set[str]) -> np.ndarray:
    """Return the codes of all other factors of each case, one row a case."""
    names = [name for name in sorted(evidence.codes) if name not in ignored and not is_folder(name)]
    return np.ascontiguousarray(np.array([evidence.codes[name][cases] for name in names]).T)


def _device_ratio(evidence: Evidence, of: np.ndarray) -> FloatArray:
    counts = np.full(len(of), np.nan)
    for case, each in enumerate(evidence.cases):
        devices = each.factors.get("devices")
        counts[case] = float(devices) if isinstance(devices, int) and devices > 0 else np.nan
    return np.where(of >= 0, counts / counts[of], np.nan)
