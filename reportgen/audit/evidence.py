"""Derive everything that logs can prove: every case with the values of every measure, as one matrix.

Runs go in. A row of the matrix is a case: a single run, or the repeats of one configuration. A column is a
measure: metric, phase, protocol, statistic of the repeats, and whether the value is the total, that of one
device, or an inverse (steps per second). Values are in base units, NaN where a case has no such value.

Folders of the logs are factors here too: a hand-made table often names a system as its folder is called.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from reportgen.core.factors import factors_key
from reportgen.core.metrics import RATES
from reportgen.core.model import STEP, FactorValue, FloatArray, Run, Source
from reportgen.core.rules import Rule
from reportgen.protocol import DEFAULT, MeasuredRuns, Protocol, try_measure
from reportgen.protocol.available import Totals

CodeArray = NDArray[np.int32]

# A factor that counts the repeats, and those that name the folders of a log, the outermost first.
REPEAT, FOLDER = "repeat", "folder"
# Derived from the factors of a case where it has both.
PER_NODE, GLOBAL_BATCH = "devices_per_node", "global_batch_size"
# Metrics whose values are events rather than results.
_IGNORED_METRICS = frozenset({"action_time", "throttle_reasons"})
_DERIVED = frozenset((REPEAT, PER_NODE, GLOBAL_BATCH))
ABSENT, VARIES = -1, -2
_MAX_CASES = 20_000
_MAX_POOLED_RUNS = 12
_MAX_MEASURES = 4_000
_MAX_SUMS = 8


@dataclass(frozen=True, slots=True, order=True)
class Measure:
    """The meaning of a value.

    statistic  of the repeats: median, mean, minimum, maximum; "repeat" for one of several
    scope      total, device (of one device), inverse (per second), ratio
    baseline   of a ratio: what it is relative to, in words; inverted if the baseline is divided by the case
    """

    metric: str
    phase: str = STEP
    protocol: str = ""
    statistic: str = "median"
    scope: str = "total"
    baseline: str = ""

    @property
    def quantity(self) -> tuple[str, str]:
        """The metric with its phase."""
        return self.metric, self.phase


@dataclass(frozen=True, slots=True)
class EvidenceCase:
    """A configuration, or one of its runs if `repeat` is among its factors.

    differs_in  factors in which its runs differ: they are several cases, of one folder
    """

    factors: Mapping[str, FactorValue]
    runs: tuple[int, ...]
    differs_in: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Evidence:
    """The matrix: `values[measure, case]`.

    units    base unit of each measure
    codes    factor -> number of its value in each case, ABSENT where the case has no such factor, VARIES
             where its runs have several values of it
    levels   factor -> its values, by number
    sources  (run, metric, phase) -> where it was read
    """

    runs: tuple[Run, ...]
    cases: tuple[EvidenceCase, ...]
    measures: tuple[Measure, ...]
    units: tuple[str, ...]
    values: FloatArray
    codes: Mapping[str, CodeArray]
    levels: Mapping[str, tuple[FactorValue, ...]]
    sources: Mapping[tuple[int, str, str], Source] = field(default_factory=dict)

    def source_of(self, case: int, measure: Measure) -> Source | None:
        """Return the file and line of the first value behind a number."""
        for run in self.cases[case].runs:
            if source := self.sources.get((run, *measure.quantity)):
                return source
        return None

    def studies(self) -> list[NDArray[np.bool_]]:
        """Return the studies, each as the mask of its cases: of one folder, or with the same factors."""
        names = [frozenset(name for name in case.factors if name not in _DERIVED) for case in self.cases]
        own = [frozenset(name for name in each if not name.startswith(FOLDER)) for each in names]
        folders = [case.factors.get(f"{FOLDER}1", "") for case in self.cases]
        study_of: dict[object, int] = {}
        members: list[set[int]] = []
        for number, keys in enumerate(zip(own, folders, strict=True)):
            known = {study_of[key] for key in keys if key in study_of}
            first = min(known, default=len(members))
            if first == len(members):
                members.append(set())
            members[first].add(number)
            for other in known - {first}:
                members[first] |= members[other]
                members[other] = set()
                study_of = {key: first if study == other else study for key, study in study_of.items()}
            study_of |= dict.fromkeys(keys, first)
        return [np.isin(np.arange(len(self.cases)), list(each)) for each in members if each]

    def is_published(self, case: int) -> bool:
        """Return whether a case is figures of a publication rather than logs."""
        return self.runs[self.cases[case].runs[0]].published


@dataclass(slots=True)
class _Repeats:
    """Runs with the factors that they share: repeats of one case, unless they differ in some."""

    factors: dict[str, FactorValue]
    runs: list[int]
    differs_in: tuple[str, ...] = ()


def gather_evidence(
    runs: Iterable[Run], protocols: Sequence[Protocol] = (DEFAULT,), totals: Totals | None = None
) -> Evidence:
    """Measure all runs under every protocol, and return what can be derived from them.

    totals  total -> phases that add up to it
    """
    kept = tuple(
        run for run in runs if not any(each.rule == Rule.READ_DUPLICATE_RUN for each in run.findings)
    )
    kept = kept[:_MAX_CASES]
    values, units, sources = _measure(kept, protocols, {**_sums(kept), **(totals or {})})
    cases = _cases(kept)
    return _matrix(kept, cases, values, units, sources)


def _sums(runs: Sequence[Run]) -> dict[str, tuple[str, ...]]:
    """Return the sums that people make of phases: both passes, and all phases of a run."""
    sums: dict[str, tuple[str, ...]] = {"compute": ("forward", "backward")}
    for run in runs:
        every = {each.phase for each in run.aggregates if each.metric == "step_time"}
        every |= {each.phase for each in run.series if each.metric == "step_time"}
        phases = tuple(sorted(every - {STEP}))
        if len(phases) > 1 and STEP not in every and phases not in sums.values():
            sums[" + ".join(phases)] = phases
    return dict(list(sums.items())[:_MAX_SUMS])


RunValues = dict[tuple[str, str, str], dict[int, float]]


def _measure(
    runs: Sequence[Run], protocols: Sequence[Protocol], totals: Totals
) -> tuple[RunValues, dict[str, str], dict[tuple[int, str, str], Source]]:
    """Return (metric, phase, protocol) -> run -> value; the unit of each metric; where values were read.

    A value that no protocol changes (an aggregate) is kept under the first one only.
    """
    measured = MeasuredRuns()
    values: RunValues = {}
    units: dict[str, str] = {}
    sources: dict[tuple[int, str, str], Source] = {}
    for number, run in enumerate(runs):
        own = measured.of(run)
        for metric, phase in own.available(totals):
            if metric in _IGNORED_METRICS:
                continue
            first = math.nan
            for protocol in protocols:
                measurement = try_measure(own, metric, phase, protocol, totals).measurement
                if measurement is None or not math.isfinite(measurement.value):
                    continue
                if measurement.value == first:
                    continue
                first = measurement.value if math.isnan(first) else first
                values.setdefault((metric, phase, protocol.name), {})[number] = measurement.value
                units.setdefault(metric, measurement.unit)
                place = measurement.sources[0] if measurement.sources else run.source
                sources.setdefault((number, metric, phase), place)
    return values, units, sources


def _cases(runs: Sequence[Run]) -> list[_Repeats]:
    """Return every case: runs with equal factors in one folder, then over folders, then each repeat alone."""
    folders = _folders(runs)
    near: dict[object, list[int]] = {}
    far: dict[object, list[int]] = {}
    for number, run in enumerate(runs):
        key = factors_key(run.factors)
        near.setdefault((key, tuple(folders[number].items())), []).append(number)
        far.setdefault(key, []).append(number)
    groups = [
        _Repeats({**folders[members[0]], **_derived(runs[members[0]].factors)}, members)
        for members in near.values()
    ]
    lone = {group.runs[0] for group in groups if len(group.runs) == 1}
    for members in far.values():
        shared = _shared([folders[member] for member in members])
        if len({tuple(folders[member].items()) for member in members}) > 1:
            groups.append(_Repeats({**shared, **_derived(runs[members[0]].factors)}, members))
    groups += _pooled(runs, folders)
    for number, run in enumerate(runs):
        if number not in lone:
            near_members = near[factors_key(run.factors), tuple(folders[number].items())]
            repeat = run.repeat if run.repeat is not None else near_members.index(number) + 1
            groups.append(_Repeats({**folders[number], **_derived(run.factors), REPEAT: repeat}, [number]))
    return groups[:_MAX_CASES]


def _pooled(runs: Sequence[Run], folders: Sequence[dict[str, FactorValue]]) -> Iterable[_Repeats]:
    """Yield the runs of one folder that differ in factors: people take the mean of a folder anyway."""
    by_folder: dict[object, list[int]] = {}
    for number, folder in enumerate(folders):
        by_folder.setdefault(tuple(folder.items()), []).append(number)
    for members in by_folder.values():
        keys = {factors_key(runs[member].factors) for member in members}
        if 1 < len(members) <= _MAX_POOLED_RUNS and len(keys) > 1:
            shared = _shared([runs[member].factors for member in members])
            others = sorted({name for member in members for name in runs[member].factors} - set(shared))
            yield _Repeats({**folders[members[0]], **_derived(shared)}, members, tuple(others))


def _derived(factors: Mapping[str, FactorValue]) -> dict[str, FactorValue]:
    """Return the factors with the numbers that people derive from them."""
    own = dict(factors)
    devices, nodes, batch = (own.get(name) for name in ("devices", "nodes", "batch_size"))
    if isinstance(devices, int) and isinstance(nodes, int) and nodes > 0 and devices % nodes == 0:
        own.setdefault(PER_NODE, devices // nodes)
    if isinstance(devices, int) and isinstance(batch, int):
        own.setdefault(GLOBAL_BATCH, devices * batch)
    return own


def _folders(runs: Sequence[Run]) -> list[dict[str, FactorValue]]:
    """Return the folders of each run's log below the folder that all logs share, as factors."""
    paths = [PurePosixPath(run.source.path).parts[:-1] for run in runs]
    shared = 0
    while paths and len({path[shared : shared + 1] for path in paths}) == 1 and paths[0][shared : shared + 1]:
        shared += 1
    # A single folder for everything may still be what people call the system.
    return [{f"{FOLDER}{level}": part for level, part in enumerate(path[shared:], 1)} for path in paths]


def _shared(mappings: Sequence[Mapping[str, FactorValue]]) -> dict[str, FactorValue]:
    first = mappings[0]
    return {
        name: value for name, value in first.items() if all(each.get(name) == value for each in mappings[1:])
    }


_STATISTICS = ("median", "mean", "minimum", "maximum")


def _matrix(
    runs: tuple[Run, ...],
    groups: Sequence[_Repeats],
    values: RunValues,
    units: Mapping[str, str],
    sources: Mapping[tuple[int, str, str], Source],
) -> Evidence:
    measures: list[Measure] = []
    base: list[str] = []
    rows: list[FloatArray] = []
    devices = np.array([_devices(group.factors) for group in groups])
    starts, flat = _flat(groups)
    is_single = np.array([REPEAT in group.factors for group in groups], dtype=bool)
    for (metric, phase, protocol), by_run in sorted(values.items()):
        own = np.full(len(runs), np.nan)
        own[list(by_run)] = list(by_run.values())
        for statistic, row in _reduce(own, groups, starts, flat, is_single).items():
            if np.isnan(row).all() or len(measures) >= _MAX_MEASURES:
                continue
            for scope, unit, scoped in _scopes(metric, phase, units[metric], row, devices):
                measures.append(Measure(metric, phase, protocol, statistic, scope))
                base.append(unit)
                rows.append(scoped)
    codes, levels = _codes(groups, runs)
    cases = tuple(EvidenceCase(group.factors, tuple(group.runs), group.differs_in) for group in groups)
    matrix = np.vstack(rows) if rows else np.empty((0, len(groups)))
    return Evidence(runs, cases, tuple(measures), tuple(base), matrix, codes, levels, sources)


def _devices(factors: Mapping[str, FactorValue]) -> float:
    devices = factors.get("devices")
    return (
        float(devices)
        if isinstance(devices, int) and not isinstance(devices, bool) and devices > 1
        else math.nan
    )


def _flat(groups: Sequence[_Repeats]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    sizes = [len(group.runs) for group in groups]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return starts, np.array([run for group in groups for run in group.runs], dtype=np.int64)


def _reduce(
    own: FloatArray,
    groups: Sequence[_Repeats],
    starts: NDArray[np.int64],
    flat: NDArray[np.int64],
    is_single: NDArray[np.bool_],
) -> dict[str, FloatArray]:
    """Return statistic -> value of each case; single runs among repeats have the statistic "repeat"."""
    rows = {name: np.full(len(groups), np.nan) for name in (*_STATISTICS, REPEAT)}
    gathered = own[flat]
    for number in range(len(groups)):
        members = gathered[starts[number] : starts[number + 1]]
        members = members[np.isfinite(members)]
        if not len(members):
            continue
        if is_single[number]:
            rows[REPEAT][number] = members[0]
        elif len(members) == 1:
            for name in _STATISTICS:
                rows[name][number] = members[0]
        else:
            rows["median"][number] = np.median(members)
            rows["mean"][number] = math.fsum(members) / len(members)
            rows["minimum"][number], rows["maximum"][number] = members.min(), members.max()
    return rows


def _scopes(
    metric: str, phase: str, unit: str, row: FloatArray, devices: FloatArray
) -> Iterable[tuple[str, str, FloatArray]]:
    """Yield (scope, base unit, values) of what people derive from one value."""
    yield "total", unit, row
    if unit in RATES and metric != "throughput_per_device":
        yield "device", unit, row / devices
    elif metric == "throughput_per_device":
        yield "all devices", unit, row * devices
    if unit == "s" and metric == "step_time":
        with np.errstate(divide="ignore"):
            yield "inverse", "samples/s", np.where(row > 0, 1 / row, np.nan)


def _codes(
    groups: Sequence[_Repeats], runs: Sequence[Run]
) -> tuple[dict[str, CodeArray], dict[str, tuple[FactorValue, ...]]]:
    numbers: dict[str, dict[object, int]] = {}
    levels: dict[str, list[FactorValue]] = {}
    codes: dict[str, CodeArray] = {}
    for position, group in enumerate(groups):
        for name, value in group.factors.items():
            if name not in codes:
                codes[name] = np.full(len(groups), ABSENT, dtype=np.int32)
                numbers[name], levels[name] = {}, []
            key = (type(value) is bool, str(value) if isinstance(value, str) else value)
            if key not in numbers[name]:
                numbers[name][key] = len(levels[name])
                levels[name].append(value)
            codes[name][position] = numbers[name][key]
    for position, group in enumerate(groups):
        if len(group.runs) > 1:
            every = {name for run in group.runs for name in _derived(runs[run].factors)}
            for name in every - set(group.factors):
                codes[name][position] = VARIES
    return codes, {name: tuple(values) for name, values in levels.items()}
