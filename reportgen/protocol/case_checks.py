"""Check the repeats of a case: too few, too far apart, drifting, measured differently.

Each rule is one function from the measurements of a case to findings; `check_case` returns all of them.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from reportgen.core import units
from reportgen.core.command_line import differing_arguments
from reportgen.core.model import Finding, Measurement, Run
from reportgen.core.rules import Rule, Severity
from reportgen.core.stats import fewest_repeats, lower_group, median, trend
from reportgen.protocol.definition import Protocol

# Environment that differs from run to run by nature and says nothing about speed, by the last part of
# its name: when it ran, under which process or job number or seed, where a published row was read.
VARIES_BY_NATURE = frozenset(
    (
        *("time", "date", "timestamp", "started", "ended", "uptime", "boot_time"),
        *("pid", "ppid", "process_id", "job", "job_id", "jobid", "step_id", "array_task_id", "run_id"),
        *("seed", "random_seed"),
        *("load", "load_average", "available", "free", "port", "master_port"),
        *("source", "planned", "clock_closure"),
        *("device_uuid", "device_pci"),
    )
)

# More ids or values than these are counted rather than listed.
_MAX_LISTED = 4
_MAX_LISTED_NUMBERS = 8

# Larger numbers of repeats are ids of jobs.
_MAX_REPEAT_NUMBER = 1000

# With four repeats, even a strict order is too likely by chance.
_MIN_TREND_REPEATS = 5


def check_case(
    subject: str,
    quantity: str,
    measurements: Sequence[Measurement],
    runs: Sequence[Run],
    protocol: Protocol,
    numbers: Collection[int],
    *,
    is_split: bool,
) -> tuple[Finding, ...]:
    """Return the findings of a case as a whole.

    subject   the case in words; quantity  its metric and phase in words
    runs      all of its runs; measurements  those of the runs that have one
    numbers   the repeat numbers of all runs with these factors, also of those that another case has
    is_split  each repeat is a case of its own, so that there can be only one
    """
    return (
        *(() if is_split else few_repeats(subject, measurements, protocol)),
        *spread(subject, quantity, measurements, protocol),
        *drift(subject, quantity, measurements, protocol),
        *two_groups(subject, quantity, measurements, protocol),
        *repeat_collision(subject, runs),
        *(() if is_split else missing_repeats(subject, numbers, runs)),
        *pooled_folders(subject, quantity, measurements),
        *mixed(subject, measurements),
        *environment_varies(subject, [measurement.run for measurement in measurements]),
    )


def few_repeats(subject: str, measurements: Sequence[Measurement], protocol: Protocol) -> tuple[Finding, ...]:
    """Report fewer repeats than the protocol asks for; never for a single figure without steps."""
    n = len(measurements)
    has_steps = any(measurement.evidence in ("steps", "intervals") for measurement in measurements)
    if not measurements or n >= protocol.repeats or (n == 1 and not has_steps):
        return ()
    fewest = fewest_repeats(protocol.confidence)
    message = f"{n} of {protocol.repeats} repeats"
    if protocol.reduce != "median":
        fewest = protocol.repeats
    elif n < fewest:
        message += f"; a {100 * protocol.confidence:.4g}% interval of the median needs {fewest}"
    return (Finding("warning" if n < fewest else "note", Rule.PROTOCOL_FEW_REPEATS, subject, message),)


def spread(
    subject: str, quantity: str, measurements: Sequence[Measurement], protocol: Protocol
) -> tuple[Finding, ...]:
    """Report repeats that differ by more than the protocol's limit."""
    if len(measurements) < 2:
        return ()
    middle = median([measurement.value for measurement in measurements])
    lowest = min(measurements, key=lambda measurement: measurement.value)
    highest = max(measurements, key=lambda measurement: measurement.value)
    width = highest.value - lowest.value
    apart = width / middle if middle else math.inf
    if not middle >= 0 or not width or not apart > protocol.spread:
        return ()
    how = f"by {apart:.1%} (limit {protocol.spread:.1%})" if middle else _around_zero(lowest, highest)
    message = f"repeats of {quantity} vary {how}: lowest {lowest.run.id}, highest {highest.run.id}"
    return (Finding("warning", Rule.PROTOCOL_SPREAD, subject, message),)


def _around_zero(lowest: Measurement, highest: Measurement) -> str:
    """Return the range of repeats whose median is 0: it has no share of that."""
    low, high = (_value_text([each]) if each.value else "0" for each in (lowest, highest))
    return f"from {low} to {high}, around a median of 0"


def drift(
    subject: str, quantity: str, measurements: Sequence[Measurement], protocol: Protocol
) -> tuple[Finding, ...]:
    """Report repeats that rise or fall in their order: these are not independent.

    Needs explicit and distinct repeat numbers, because nothing else gives the order, and at least five.
    """
    by_number = {m.run.repeat: m.value for m in measurements if m.run.repeat is not None}
    values = [value for _, value in sorted(by_number.items())]
    if len(values) < _MIN_TREND_REPEATS or len(values) < len(measurements):
        return ()
    tau, p, slope = trend(values)
    moved = slope * (len(values) - 1) / median(values) if median(values) else 0.0
    if p > protocol.drift or abs(moved) <= protocol.drift_size:
        return ()
    message = (
        f"{quantity} {'rises' if moved > 0 else 'falls'} by {abs(moved):.1%} from first to last repeat "
        f"(Kendall's tau {tau:.2f}, p = {p:.2g}); interleave the cases"
    )
    return (Finding("warning", Rule.PROTOCOL_DRIFT_ACROSS_REPEATS, subject, message),)


def two_groups(
    subject: str, quantity: str, measurements: Sequence[Measurement], protocol: Protocol
) -> tuple[Finding, ...]:
    """Report repeats that fall into two groups, so that the median stands for neither.

    Smaller differences than `drift_size`, and those that the clock may have made, do not matter.
    """
    ordered = sorted(measurements, key=lambda measurement: measurement.value)
    size = lower_group([measurement.value for measurement in ordered])
    if not size:
        return ()
    groups = [ordered[:size], ordered[size:]]
    low, high = (median([each.value for each in group]) for group in groups)
    unsure = 2 * max(measurement.clock_error for measurement in measurements)
    if not low > 0 or high <= low * (1 + max(protocol.drift_size, unsure)):
        return ()
    groups.sort(key=lambda group: min((_started(each.run), measurements.index(each)) for each in group))
    shown = " and ".join(f"{len(group)} around {_value_text(group)}{_when(group)}" for group in groups)
    fewer = min(reversed(groups), key=len)
    ids = _listed([each.run.id for each in measurements if each in fewer])
    message = f"two groups of repeats, {high / low - 1:.1%} apart: {quantity} of {shown}"
    return (
        Finding("warning", Rule.PROTOCOL_TWO_GROUPS, subject, message, detail=f"the {len(fewer)} are {ids}"),
    )


def _started(run: Run) -> tuple[bool, str, float]:
    """Return a sorting key by time: runs of one clock together, and runs without a start time last."""
    return run.started is None, run.started_clock, run.started or 0.0


def _value_text(group: Sequence[Measurement]) -> str:
    values = [measurement.value for measurement in group]
    unit = units.choose(values, group[0].unit)
    is_rate = group[0].unit == "samples/s"
    name = units.rate_unit(str(group[0].run.factors.get("item", ""))) if is_rate else unit.name
    return f"{units.text(median(values) / unit.factor)} {name}".removesuffix(" 1")


def _when(group: Sequence[Measurement]) -> str:
    """Return when a group started: " (2024-05-01 10:00 to 10:20 UTC)"; "" if a log does not say it."""
    starts = sorted(dict.fromkeys(each.run.minute for each in group))
    if not all(starts):
        return ""
    first, last = starts[0], starts[-1].removeprefix(starts[0][:11])
    zone = "" if any(each.run.started_clock for each in group) else " UTC"
    return f" ({first}{f' to {last}' if len(starts) > 1 else ''}{zone})"


def repeat_collision(subject: str, runs: Sequence[Run]) -> tuple[Finding, ...]:
    """Report the repeat numbers that several runs of the case have, and published rows that have none.

    All of them are kept.
    """
    counts = Counter(run.repeat for run in runs if run.repeat is not None)
    findings = []
    for number, count in sorted(counts.items()):
        if count < 2:
            continue
        same = [run for run in runs if run.repeat == number]
        ids = _listed([run.id for run in same])
        message = f"{count} runs have repeat number {number}: {ids}; all are kept"
        findings.append(Finding("warning", Rule.READ_REPEAT_COLLISION, subject, message, same[1].source))
    return (*findings, *_equal_rows(subject, runs))


def _equal_rows(subject: str, runs: Sequence[Run]) -> Iterator[Finding]:
    """Yield a finding for each published table with several rows of the case that no number distinguishes."""
    tables: dict[str, list[Run]] = {}
    for run in runs:
        if run.published and run.repeat is None and run.source:
            tables.setdefault(run.source.path, []).append(run)
    for same in tables.values():
        if len(same) > 1:
            ids = _listed([run.id for run in same])
            message = f"{len(same)} published rows claim this case: {ids}; all are kept"
            yield Finding("warning", Rule.READ_REPEAT_COLLISION, subject, message, same[1].source)


def missing_repeats(subject: str, numbers: Collection[int], runs: Sequence[Run]) -> tuple[Finding, ...]:
    """Report the repeat numbers below the highest that no run has."""
    highest = max(numbers, default=0)
    missing = [number for number in range(1, highest) if number not in numbers]
    if not missing or highest > _MAX_REPEAT_NUMBER:
        return ()
    unit = "repeat" if len(missing) == 1 else "repeats"
    shown = _listed([str(number) for number in missing], _MAX_LISTED_NUMBERS)
    message = f"{unit} {shown} of {highest} {'is' if len(missing) == 1 else 'are'} missing"
    return (Finding("warning", Rule.PROTOCOL_MISSING_REPEATS, subject, message, runs[0].source),)


def pooled_folders(subject: str, quantity: str, measurements: Sequence[Measurement]) -> tuple[Finding, ...]:
    """Report repeats from several folders that have several each."""
    values: dict[str, list[float]] = {}
    for measurement in measurements:
        folder = measurement.run.id.partition("#")[0].rpartition("/")[0]
        values.setdefault(folder, []).append(measurement.value)
    if sum(len(each) > 1 for each in values.values()) < 2:
        return ()
    ranges = sorted((min(each), max(each)) for each in values.values() if len(each) > 1)
    is_apart = any(high < low for (_, high), (low, _) in pairwise(ranges))
    folders = _listed(
        [f"{folder or '.'} ({len(each)}, median {median(each):.4g})" for folder, each in values.items()]
    )
    message = f"{len(measurements)} repeats of {quantity} come from {len(values)} folders: {folders}"
    severity: Severity = "warning" if is_apart else "note"
    return (Finding(severity, Rule.PROTOCOL_POOLED_FOLDERS, subject, message),)


def mixed(subject: str, measurements: Sequence[Measurement]) -> tuple[Finding, ...]:
    """Report repeats that were measured differently: other evidence, other steps."""
    kinds = Counter(_how(measurement) for measurement in measurements)
    if len(kinds) < 2:
        return ()
    shown = ", ".join(f"{count} by {kind}" for kind, count in sorted(kinds.items()))
    message = f"repeats were measured differently: {shown}"
    return (Finding("warning", Rule.PROTOCOL_MIXED, subject, message),)


def _how(measurement: Measurement) -> str:
    window = measurement.window
    where = f" {window.first}..{window.last}" if window else ""
    return f"{measurement.evidence}{where}"


def environment_varies(subject: str, runs: Sequence[Run]) -> tuple[Finding, ...]:
    """Report the environment that differs between the runs of a case, with its values."""
    # The runs of a machine share one environment, so most cases have a single one.
    environments = list({id(run.environment): run.environment for run in runs}.values())
    several = environments if len(environments) > 1 else []
    keys = sorted({key for each in several for key in each if not varies_by_nature(key)})
    varying = []
    for key in keys:
        values = list(dict.fromkeys(str(each[key]) for each in environments if key in each))
        if len(values) > 1:
            varying.append(f"{key} ({_listed(sorted(values))})")
    if text := _differing_commands(runs):
        varying.append(f"command ({text})")
    if not varying:
        return ()
    message = f"environment differs between runs: {_listed(varying)}"
    return (Finding("warning", Rule.ENVIRONMENT_VARIES, subject, message),)


def _differing_commands(runs: Sequence[Run]) -> str:
    """Return in what the command of a run differs from the command of the first run, "" if in nothing."""
    commands = list(dict.fromkeys(run.command for run in runs if run.command))
    for command in commands[1:]:
        first, other = differing_arguments(commands[0], command, frozenset())
        if first or other:
            return f"{first or '-'}; {other or '-'}"
    return ""


def varies_by_nature(key: str) -> bool:
    """Return True if an environment key describes the run rather than the machine: a clock, a process."""
    last = re.split(r"[./]", key)[-1].lower()
    return last in VARIES_BY_NATURE or last.endswith(("_ns", "_time", "_pid"))


def _listed(items: Sequence[str], most: int = _MAX_LISTED) -> str:
    more = len(items) - most
    return ", ".join(items[:most]) + (f" and {more} more" if more > 0 else "")
