"""What a case was measured with, and in which of these conditions it differs from its baseline."""

import re
from collections.abc import Collection, Iterator, Mapping

import msgspec

from reportgen.core.metrics import metric_of
from reportgen.core.model import Case, FactorValue, Measurement
from reportgen.protocol.conditions import CLOCK, DEVICE, ITEM, RANKS, WORK, conditions_of

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


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something other than a factor in which a case and its baseline differ.

    name          the condition
    own           its value in the case
    baseline      its value in the baseline
    is_essential  whether the ratio of the two means nothing
    """

    name: str
    own: str
    baseline: str
    is_essential: bool = False

    @property
    def text(self) -> str:
        """Return the difference in words: "driver (470; 550 in the baseline)"."""
        return f"{self.name} ({self.own}; {self.baseline} in the baseline)"


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
