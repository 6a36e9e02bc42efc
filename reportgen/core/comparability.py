"""What a number was measured with, besides the factors of its case.

Factors are the experimenter's choices. A log says more: how much work a step was, how many ranks ran, on
which device, by which clock. Runs that differ in one of these are no repeats of each other, whatever their
factors say.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from reportgen.core.metrics import item_of, metric_of
from reportgen.core.model import STEP, Case, FactorValue, Measurement, Run
from reportgen.core.results import Difference

# Repeats must agree in these.
WORK, RANKS, DEVICE, CLOCK = "samples_per_step", "ranks", "device_model", "clock"
# What a rate counts, and the phases of a total. Numbers that differ in one of these are other quantities, so
# no definition can ignore it.
ITEM, PARTS = "item", "parts"
QUANTITIES = (ITEM, PARTS)
OF_REPEATS = (WORK, RANKS, DEVICE, CLOCK, *QUANTITIES)

# A comparison is meaningless if these differ, unless its definition accepts it.
EVIDENCE = "evidence"
ESSENTIAL = (WORK, CLOCK, EVIDENCE, ITEM)

# Factors that change the work of a step or the ranks: a comparison of these is about that difference.
DEVICE_COUNTS = frozenset(("nodes", "devices", "devices_per_node", "ranks"))
SIZES = DEVICE_COUNTS | {"batch_size", "global_batch_size", "micro_batch_size"}
# Factors that name the device.
_DEVICES = frozenset(("device", "gpu", "accelerator", "cluster", "system"))

# Factors that name what does the work, as opposed to the work: their values compete.
# fmt: off
COMPETITORS = frozenset((
    "accelerator", "attention", "backend", "cluster", "compiler", "cpu", "device", "device_name",
    "engine", "framework", "gpu", "gpu_name", "hardware", "host", "implementation", "instance",
    "interconnect", "kernel", "library", "loader", "machine", "node", "runtime", "server",
    "software", "system", "system_name", "variant", "version", "xla",
))
# fmt: on

# Name -> value of what a case was measured with, of several repeats with all their values.
Conditions = Mapping[str, str]

_EVIDENCE_KINDS: Mapping[str, str] = {
    "steps": "measured", "intervals": "measured",
    "aggregate": "already reduced", "published": "already reduced",
}  # fmt: skip

# Versions and settings that change speed, by their names in environments of our own and of other logs.
_ENVIRONMENT = re.compile(
    r"driver(?:[._]version)?|cpu(?:[._]model)?"
    r"|(?:software\.)?(?:cuda|cudnn|nccl|torch|pytorch|tensorflow|jax|mxnet|paddle)(?:[._]version)?"
    r"|torch\.(?:cuda|cudnn|nccl|float32_matmul_precision|matmul_allow_tf32|cudnn_allow_tf32)"
)

# The unit of rates that count items, such as images or tokens.
_RATE = "samples/s"

_DEVICE_NAME = re.compile(r"gpu(?:_name|\.name|\.[^.]+\.name)?|torch\.device|device(?:_name)?", re.IGNORECASE)

# What a clock measures. Printed rates and timestamps are of the host; only events are the device's own.
_CLOCK_KINDS: Mapping[str, str] = {"cuda_event": "device", "host": "host", "host_synchronized": "host"}


def conditions_of_run(run: Run) -> dict[str, FactorValue]:
    """Return what a run says about its work, ranks and device model; nothing for what it does not say."""
    work = _work(run)
    devices = {
        # Newer drivers put the maker before the name.
        str(value).removeprefix("NVIDIA ").strip()
        for name, value in run.environment.items()
        if _DEVICE_NAME.fullmatch(name) and value != ""
    }
    conditions: dict[str, FactorValue] = {}
    if work is not None:
        conditions[WORK] = int(work) if work % 1 == 0 else work
    if run.ranks is not None:
        conditions[RANKS] = run.ranks
    if devices:
        conditions[DEVICE] = " + ".join(sorted(devices))
    return conditions


def conditions_of(measurement: Measurement, metric: str) -> dict[str, FactorValue]:
    """Return the conditions of the run, the clock of the measurement, and what its value is about."""
    conditions = conditions_of_run(measurement.run)
    if clock := _CLOCK_KINDS.get(measurement.clock):
        conditions[CLOCK] = clock
    if measurement.unit == _RATE and (item := item_of(metric, measurement.run.factors)):
        conditions[ITEM] = item
    if measurement.parts:
        conditions[PARTS] = " + ".join(measurement.parts)
    return conditions


def differing(conditions: Sequence[Mapping[str, FactorValue]], names: Iterable[str]) -> list[str]:
    """Return the names for which two of the conditions say different things."""
    return [name for name in names if len({each[name] for each in conditions if name in each}) > 1]


def _work(run: Run) -> float | None:
    """Return the samples in most steps, over all ranks; None if the log does not say it.

    The last batch of an epoch is smaller. Where hardly two steps agree (sequences of any length), there is no
    such number.
    """
    per_rank = []
    for series in run.series:
        if series.metric != "step_time" or series.phase != STEP or not np.isfinite(series.samples).any():
            continue
        known = np.isfinite(series.samples) & (series.span > 0)
        works, counts = np.unique(series.samples[known] / series.span[known], return_counts=True)
        if 2 * int(counts.max()) <= int(known.sum()):
            return None
        per_rank.append((series.clock, series.rank, float(works[counts.argmax()])))
    if not per_rank:
        return run.samples_per_step
    clock = per_rank[0][0]
    return sum(work for of, _, work in per_rank if of == clock)


def have_same_device(case: Case, baseline: Case) -> bool:
    """Return whether two cases ran on one device model: by their logs, else by the factors that name it."""
    own, base = (conditions_of_case(side).get(DEVICE) for side in (case, baseline))
    if own and base:
        return own == base
    return all(case.factors.get(name) == baseline.factors.get(name) for name in _DEVICES)


def differences(case: Case, baseline: Case, compared: Collection[str]) -> tuple[Difference, ...]:
    """Return in what else than factors a case and its baseline differ, the essential first.

    compared  the factors that the comparison is about. Those that change the work of a step or the number of
              ranks explain a difference in these
    """
    return differing_conditions(conditions_of_case(case), conditions_of_case(baseline), case.metric, compared)


def differing_conditions(
    own: Conditions, base: Conditions, metric: str, compared: Collection[str] = ()
) -> tuple[Difference, ...]:
    """Return the same for the conditions of two cases of a metric, see `conditions_of_case`."""
    explained = set(compared)
    if SIZES & explained:
        explained |= {WORK, RANKS}
    if _DEVICES & explained:
        explained.add(DEVICE)
    # A rate is work over time, so rates of other work may be compared.
    essential = ESSENTIAL if metric_of(metric).better == "lower" else (CLOCK, EVIDENCE, ITEM)
    return tuple(
        Difference(name, own[name], base[name], name in essential)
        for name in (*ESSENTIAL, *sorted(own.keys() - set(ESSENTIAL)))
        if name in own and name in base and own[name] != base[name] and name not in explained - {ITEM}
    )


def conditions_of_case(case: Case) -> Conditions:
    """Return the conditions, evidence and environment of a case by name; values of its repeats are joined."""
    values: dict[str, set[str]] = {}
    for measurement in case.measurements:
        for name, value in _everything(measurement, case.metric):
            values.setdefault(name, set()).add(str(value))
    return {name: ", ".join(sorted(each)) for name, each in values.items()}


def _everything(measurement: Measurement, metric: str) -> Iterator[tuple[str, FactorValue]]:
    yield from conditions_of(measurement, metric).items()
    yield EVIDENCE, _EVIDENCE_KINDS[measurement.evidence]
    for name, value in measurement.run.environment.items():
        if _ENVIRONMENT.fullmatch(name):
            yield name.removeprefix("software."), value
