"""The kind of a phase by its name, and which findings may explain which part of a difference."""

from collections.abc import Collection, Mapping

from reportgen.compare.breakdown import PartKind
from reportgen.core.rules import Rule

_DATA = frozenset(("data_loading", "data", "data_time", "dataloader", "input", "host_to_device"))
_DEVICE = frozenset(
    (
        "preprocessing",
        "forward",
        "loss",
        "backward",
        "forward+backward",
        "optimizer",
        "zero_grad",
        "gradient_clipping",
        "compute",
        "prefill",
        "decode",
    )
)
_COMMUNICATION = ("all_reduce", "allreduce", "communication", "reduce_scatter", "all_gather", "broadcast")

# These follow one another in a step, so their times add up; other phases may contain one another.
SEQUENTIAL = frozenset(("data_loading", "preprocessing", "forward", "backward"))

# Phases that contain others; where one of these is timed, the whole is not counted a second time.
_CONTENTS: Mapping[str, frozenset[str]] = {
    "forward+backward": frozenset(("forward", "backward")),
    "training_batch": frozenset(("forward", "backward", "optimizer")),
}

# The parts that a reader expects; a split says of each that was not measured that it was not.
EXPECTED_KINDS: tuple[PartKind, ...] = ("data loading", "device", "communication", "clocks", "stragglers")

EXPLAINED_BY: Mapping[Rule, PartKind] = {
    Rule.LOG_DATA_LOADING: "data loading",
    Rule.LOG_COMMUNICATION: "communication",
    Rule.LOG_COMPUTE: "device",
    Rule.LOG_MEMORY: "device",
    Rule.TELEMETRY_HOST_BOUND: "data loading",
    Rule.TELEMETRY_OTHER_PROCESS: "device",
    Rule.TELEMETRY_CLOCK_LOCK: "clocks",
    Rule.TELEMETRY_THROTTLED: "clocks",
    Rule.TELEMETRY_POWER_CAPPED: "clocks",
    Rule.RANK_STRAGGLER: "stragglers",
    Rule.READ_PROFILE: "device",
}


def kind_of(phase: str) -> PartKind:
    """Return the kind of a phase; a name that says nothing is "other"."""
    if phase in _DATA:
        return "data loading"
    if phase in _DEVICE:
        return "device"
    return "communication" if any(name in phase for name in _COMMUNICATION) else "other"


def without_containers(phases: Collection[str]) -> tuple[str, ...]:
    """Return the phases without those that contain another one of them."""
    return tuple(name for name in phases if not _CONTENTS.get(name, frozenset()) & set(phases))
