"""What may be wrong with the repeats of a case: too few, too far apart, drifting, not alike.

Each rule is one function from the measurements of a case to findings, all out of `of_case`.
"""

import re
from collections import Counter
from collections.abc import Sequence

from reportgen.core.model import Finding, Measurement, Run
from reportgen.core.rules import Rule
from reportgen.core.stats import fewest_repeats, median, trend
from reportgen.protocol.definition import Protocol

# Environment that differs from run to run by nature and says nothing about speed, by the last part of
# its name: when it ran, under which process or job number or seed, where a published row was found.
VARIES_BY_NATURE = frozenset(
    (
        *("time", "date", "timestamp", "started", "ended", "uptime", "boot_time"),
        *("pid", "ppid", "process_id", "job", "job_id", "jobid", "step_id", "array_task_id", "run_id"),
        *("seed", "random_seed"),
        *("load", "load_average", "available", "free", "port", "master_port"),
        *("source", "planned"),
    )
)

_SHOWN = 4


def of_case(
    subject: str,
    what: str,
    found: Sequence[Measurement],
    runs: Sequence[Run],
    protocol: Protocol,
    *,
    split: bool,
) -> tuple[Finding, ...]:
    """Return the findings of a case as a whole.

    subject  the case in words; what  its metric and phase in words
    runs     all of its runs; found  the measurements of those that yield one
    split    each repeat is a case of its own, so that one is all there can be
    """
    return (
        *(() if split else few_repeats(subject, found, protocol)),
        *spread(subject, what, found, protocol),
        *drift(subject, what, found, protocol),
        *repeat_collision(subject, runs),
        *mixed(subject, found),
        *environment_varies(subject, [one.run for one in found]),
    )


def few_repeats(subject: str, found: Sequence[Measurement], protocol: Protocol) -> tuple[Finding, ...]:
    """Say that there are fewer repeats than the protocol asks for; single figures are never meant."""
    n = len(found)
    has_steps = any(one.evidence in ("steps", "intervals") for one in found)
    if not found or n >= protocol.repeats or (n == 1 and not has_steps):
        return ()
    fewest = fewest_repeats(protocol.confidence)
    message = f"{n} of {protocol.repeats} repeats"
    if protocol.reduce != "median":
        fewest = protocol.repeats
    elif n < fewest:
        message += f"; {fewest} are the fewest for a {100 * protocol.confidence:.4g}% interval of the median"
    return (Finding("warning" if n < fewest else "note", Rule.PROTOCOL_FEW_REPEATS, subject, message),)


def spread(subject: str, what: str, found: Sequence[Measurement], protocol: Protocol) -> tuple[Finding, ...]:
    """Say that the repeats lie further apart than the protocol holds for normal."""
    values = [one.value for one in found]
    if len(values) < 2 or not median(values) > 0:
        return ()
    apart = (max(values) - min(values)) / median(values)
    if not apart > protocol.spread:
        return ()
    lowest, highest = min(found, key=lambda one: one.value), max(found, key=lambda one: one.value)
    message = (
        f"the repeats of {what} lie {apart:.1%} of their median apart (limit {protocol.spread:.1%}): "
        f"lowest {lowest.run.id}, highest {highest.run.id}"
    )
    return (Finding("warning", Rule.PROTOCOL_SPREAD, subject, message),)


def drift(subject: str, what: str, found: Sequence[Measurement], protocol: Protocol) -> tuple[Finding, ...]:
    """Say that the repeats rise or fall in their order: then they are no independent repeats.

    Needs explicit and distinct repeat numbers, because nothing else tells the order, and five of them:
    of four, even a strict order comes about by chance too often.
    """
    numbered = sorted((one.run.repeat, one.value) for one in found if one.run.repeat is not None)
    values = [value for _, value in numbered]
    if len(values) < 5 or len(values) < len(found) or len({number for number, _ in numbered}) < len(values):
        return ()
    tau, p, slope = trend(values)
    moved = slope * (len(values) - 1) / median(values) if median(values) else 0.0
    if p > protocol.drift or abs(moved) <= protocol.drift_size:
        return ()
    message = (
        f"the repeats of {what} {'rise' if moved > 0 else 'fall'} by {abs(moved):.1%} from first to last "
        f"(Kendall's tau {tau:.2f}, p = {p:.2g}); interleave the cases"
    )
    return (Finding("warning", Rule.PROTOCOL_DRIFT_ACROSS_REPEATS, subject, message),)


def repeat_collision(subject: str, runs: Sequence[Run]) -> tuple[Finding, ...]:
    """Say which repeat numbers several runs of the case carry; all of them are kept."""
    counts = Counter(run.repeat for run in runs if run.repeat is not None)
    found = []
    for number, count in sorted(counts.items()):
        if count < 2:
            continue
        same = [run for run in runs if run.repeat == number]
        ids = _some([run.id for run in same])
        message = f"{count} runs say that they are repeat {number}: {ids}; all are kept"
        found.append(Finding("warning", Rule.READ_REPEAT_COLLISION, subject, message, same[1].source))
    return tuple(found)


def mixed(subject: str, found: Sequence[Measurement]) -> tuple[Finding, ...]:
    """Say that the repeats were not measured alike: by other evidence, over other steps, other parts."""
    kinds = Counter(_how(one) for one in found)
    if len(kinds) < 2:
        return ()
    shown = ", ".join(f"{count} by {kind}" for kind, count in sorted(kinds.items()))
    return (
        Finding("warning", Rule.PROTOCOL_MIXED, subject, f"the repeats were not measured alike: {shown}"),
    )


def _how(one: Measurement) -> str:
    parts = f" of {' + '.join(one.parts)}" if one.parts else ""
    where = f" {one.window.first}..{one.window.last}" if one.window else ""
    return f"{one.evidence}{where}{parts}"


def environment_varies(subject: str, runs: Sequence[Run]) -> tuple[Finding, ...]:
    """Say what of the environment differs between the runs of a case, and how."""
    keys = sorted({key for run in runs for key in run.environment if not varies_by_nature(key)})
    varying = []
    for key in keys:
        values = list(dict.fromkeys(str(run.environment[key]) for run in runs if key in run.environment))
        if len(values) > 1:
            varying.append(f"{key} ({_some(sorted(values))})")
    if not varying:
        return ()
    return (
        Finding("warning", Rule.ENVIRONMENT_VARIES, subject, f"differs between the runs: {_some(varying)}"),
    )


def varies_by_nature(key: str) -> bool:
    """Return whether an environment's key tells of the run rather than of the machine: a clock, a process."""
    last = re.split(r"[./]", key)[-1].lower()
    return last in VARIES_BY_NATURE or last.endswith(("_ns", "_time", "_pid"))


def _some(items: Sequence[str]) -> str:
    more = len(items) - _SHOWN
    return ", ".join(items[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
