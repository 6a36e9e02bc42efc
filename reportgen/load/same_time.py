"""Find runs that competed: at the same time on one device, or on one machine.

Each run of such a pair gets a finding. Runs on one machine that name different devices are not meant: a
campaign may use all devices of a node. But repeats of one case that begin and end together are more likely
ranks of one job, whose launcher the recorder does not know. A log without start and end, or without a
machine, says nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple, TypeVar

from reportgen.core.model import Finding, Run, Source
from reportgen.core.rules import Rule

K = TypeVar("K")

# Of the shorter run: a launcher may start a run while the one before it still ends.
_MIN_SHARE = 0.01
# Ranks of one job begin within this time.
_RANKS_SECONDS = 10.0


class Stay(NamedTuple):
    """When a run was where: s since 1970 in UTC, the UUIDs of its devices, its machines, and what it ran.

    case  the same digest for repeats of one rank; empty for several ranks
    job   of the scheduler; "" if the log names none
    """

    id: str
    source: Source
    started: float
    ended: float
    devices: tuple[str, ...]
    machines: tuple[str, ...]
    case: bytes = b""
    job: str = ""


def stay_of(run: Run) -> Stay | None:
    """Return when a run was where; None if its log does not say when."""
    if run.started is None or run.ended is None or run.started_clock or not run.ended > run.started:
        return None
    names = (run.environment.get(f"rank.{rank}.device_uuid") for rank in range(run.ranks or 0))
    devices = tuple(sorted({str(name) for name in names if name is not None}))
    factors = repr(sorted(run.factors.items())).encode("utf-8", "backslashreplace")
    case = b"" if (run.ranks or 1) > 1 else blake2b(factors, digest_size=8).digest()
    job = str(run.environment.get("scheduler.job_id", ""))
    return Stay(run.id, run.source, run.started, run.ended, devices, tuple(sorted(run.machines)), case, job)


def find_company(stays: Mapping[K, Stay]) -> Iterator[tuple[K, Finding]]:
    """Yield (key, `protocol.same-time`) of each run that was not alone."""
    by_device: dict[str, list[K]] = {}
    by_machine: dict[str, list[K]] = {}
    for key, stay in stays.items():
        for groups, names in ((by_device, stay.devices), (by_machine, stay.machines)):
            for name in names:
                groups.setdefault(name, []).append(key)
    company: dict[K, tuple[K, str]] = {}
    pairs = [(pair, f"device {name}") for name, keys in by_device.items() for pair in _pairs(stays, keys)]
    for keys in by_machine.values():
        pairs += [(pair, "one machine") for pair in _pairs(stays, keys, is_machine=True)]
        pairs += [(pair, "one machine") for pair in _possible_ranks(stays, keys)]
    for (key, other), where in pairs:
        company.setdefault(key, (other, where))
        company.setdefault(other, (key, where))
    for key, stay in stays.items():
        if key in company:
            other, where = company[key]
            seconds, duration = _overlap(stay, stays[other]), stay.ended - stay.started
            message = (
                f"ran on {where} together with {stays[other].id} for {seconds:.3g} of its {duration:.3g} s"
            )
            if _look_like_ranks(stay, stays[other]):
                message += "; they may be ranks of one job, and not repeats: set RANK and WORLD_SIZE"
            yield key, Finding("warning", Rule.PROTOCOL_SAME_TIME, stay.id, message, stay.source)


def _pairs(stays: Mapping[K, Stay], keys: Iterable[K], *, is_machine: bool = False) -> Iterator[tuple[K, K]]:
    """Yield each run of a place that began before an earlier one had ended, with that one.

    On a machine, one of the two does not name its devices.
    """
    last: K | None = None
    last_unnamed: K | None = None
    for key in sorted(keys, key=lambda key: (stays[key].started, stays[key].id)):
        stay = stays[key]
        other = last_unnamed if is_machine and stay.devices else last
        if other is not None and _is_long(stay, stays[other]):
            yield key, other
        if last is None or stay.ended > stays[last].ended:
            last = key
        if not stay.devices and (last_unnamed is None or stay.ended > stays[last_unnamed].ended):
            last_unnamed = key


def _possible_ranks(stays: Mapping[K, Stay], keys: Iterable[K]) -> Iterator[tuple[K, K]]:
    """Yield each run that looks like another rank of the run that began before it, with that one."""
    by_case: dict[bytes, list[K]] = {}
    for key in sorted(keys, key=lambda key: (stays[key].started, stays[key].id)):
        by_case.setdefault(stays[key].case, []).append(key)
    for case, members in by_case.items():
        if case:
            pairs = [(later, earlier) for earlier, later in pairwise(members)]
            yield from (pair for pair in pairs if _look_like_ranks(stays[pair[0]], stays[pair[1]]))


def _look_like_ranks(stay: Stay, other: Stay) -> bool:
    """Return True for runs of one case that began within seconds and ran together almost all of the time.

    Elements of a Slurm array are jobs of their own.
    """
    longer = max(each.ended - each.started for each in (stay, other))
    is_together = abs(stay.started - other.started) < _RANKS_SECONDS and _overlap(stay, other) > 0.9 * longer
    return is_together and bool(stay.case) and (stay.case, stay.job) == (other.case, other.job)


def _is_long(stay: Stay, other: Stay) -> bool:
    shorter = min(each.ended - each.started for each in (stay, other))
    return _overlap(stay, other) > _MIN_SHARE * shorter


def _overlap(stay: Stay, other: Stay) -> float:
    """Return the seconds that two runs have in common."""
    return min(stay.ended, other.ended) - max(stay.started, other.started)
