"""The conditions of a case, by its logs: work, ranks, clock, evidence, and versions that change speed."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from reportgen.core.model import Case, FactorValue, Measurement
from reportgen.protocol.conditions import CLOCK, ITEM, WORK, conditions_of

# A comparison is meaningless if these differ, unless its definition accepts it.
EVIDENCE = "evidence"
ESSENTIAL = (WORK, CLOCK, EVIDENCE, ITEM)

# Factors that change the work of a step or the ranks: a comparison of these is about that difference.
DEVICE_COUNTS = frozenset(("nodes", "devices", "devices_per_node", "ranks"))
SIZES = DEVICE_COUNTS | {"batch_size", "global_batch_size", "micro_batch_size"}
# Factors that name the device.
DEVICE_NAMES = frozenset(("device", "gpu", "accelerator", "cluster", "system"))

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

# Versions that change speed, by their names in environments of our own and of other logs.
_VERSIONS: Mapping[str, re.Pattern[str]] = {
    "driver": re.compile(r"driver(?:[._]version)?"),
    "cpu": re.compile(r"cpu(?:[._]model)?"),
    "framework": re.compile(r"(?:software\.)?(?:torch|pytorch|tensorflow|jax|mxnet|paddle)(?:[._]version)?"),
    **{
        name: re.compile(rf"(?:software\.)?{name}(?:[._]version)?|torch\.{name}")
        for name in ("cuda", "cudnn", "nccl")
    },
}
# Settings that change speed; a log that has none of them has the defaults.
_SETTINGS = re.compile(r"torch\.(?:float32_matmul_precision|matmul_allow_tf32|cudnn_allow_tf32)")

# What a reader of a comparison expects to be known of the software and the host.
VERSIONS = tuple(_VERSIONS)


@lru_cache(maxsize=1024)
def version_of(name: str) -> str:
    """Return what a name of an environment gives the version of: "cuda" for "torch.cuda", "" for others."""
    return next((version for version, names in _VERSIONS.items() if names.fullmatch(name)), "")


@lru_cache(maxsize=1024)
def _changes_speed(name: str) -> bool:
    return bool(version_of(name) or _SETTINGS.fullmatch(name))


def conditions_of_case(case: Case) -> Conditions:
    """Return the conditions, evidence and environment of a case by name; values of its repeats are joined."""
    values: dict[str, set[str]] = {}
    for measurement in case.measurements:
        for name, value in _everything(measurement, case.metric):
            values.setdefault(name, set()).add(str(value))
    return {name: ", ".join(sorted(each)) for name, each in values.items()}


def changes(old: Conditions, new: Conditions) -> Iterator[tuple[str, str]]:
    """Yield the conditions that differ between two points in time, by name, and the change in words."""
    for name in sorted(old.keys() & new.keys()):
        if old[name] != new[name]:
            yield name, f"{name.replace('_', ' ')} {old[name]} -> {new[name]}"


def _everything(measurement: Measurement, metric: str) -> Iterator[tuple[str, FactorValue]]:
    yield from conditions_of(measurement, metric).items()
    yield EVIDENCE, _EVIDENCE_KINDS[measurement.evidence]
    for name, value in measurement.run.environment.items():
        if _changes_speed(name):
            yield name.removeprefix("software."), value
