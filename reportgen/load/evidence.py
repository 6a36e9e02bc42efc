"""Join evidence to the run beside it: the telemetry of its devices, a profile of its kernels.

A file of evidence names no run. It belongs to the log of the same stem (`a.log`, `a_gpu.csv`), else to the
only log in its folder. A run of another machine, device or time is not meant. If several runs remain, or
none, the file stays on its own and says why.

Samples are placed on the clock of the steps only if both clocks are in one time zone for certain. Otherwise
their times are unknown, and all of them count.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from reportgen.core.devices import find_device
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding, FloatArray, Run
from reportgen.core.rules import Rule
from reportgen.load.duplicates import RunFingerprint, fingerprint_run
from reportgen.load.scan import FolderJob

# Times only decide between this many logs: all of them are in memory at once.
_MAX_LOGS = 16
_MAX_NAMED = 3
_REMEDY = "name it like the log of its run (a_gpu.csv beside a.log), or move both into a folder of their own"
# Two clocks without a zone may be hours apart. Samples fit the steps in one way only if they cover them, and
# take less than an hour longer.
_ZONE_SECONDS, _SLACK_SECONDS = 3600.0, 60.0

_EXTENSION = lazy_pattern(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
_LOG = lazy_pattern(r"\.(?:log|txt|out|err|jsonl?)$", re.IGNORECASE)
_WORD = (
    r"(?:gpus?[-_]?)?(?:monitor|telemetry|metrics|stats|usage|util|power)|gpus?|(?:nvidia[-_]?|nv)?smi|dcgmi?|dmon"
    r"|nsys|ncu|(?:cuda[-_])?(?:gpu|api)[-_]?kern(?:el)?[-_]?sum|gpukernsum|kernels?|prof(?:ile|iler)?"
)
_SUFFIX = lazy_pattern(rf"(?<=[^._-])(?:[._-](?:{_WORD}))+$", re.IGNORECASE)
_PREFIX = lazy_pattern(rf"^(?:{_WORD})[._-](?=[^._-])", re.IGNORECASE)


def stem_of(name: str) -> str:
    """Return the part of a file's name that a log shares with its evidence."""
    stem = _SUFFIX.sub("", _EXTENSION.sub("", name))
    return _LOG.sub("", _PREFIX.sub("", stem))


class Group(NamedTuple):
    """Logs that are read together with the evidence that may belong to them; most often a log alone.

    offered  of each piece of evidence, the positions of the logs that it may belong to
    """

    logs: tuple[FolderJob, ...]
    evidence: tuple[FolderJob, ...] = ()
    offered: tuple[tuple[int, ...], ...] = ()

    @property
    def jobs(self) -> tuple[FolderJob, ...]:
        """Its logs, then the evidence."""
        return self.logs + self.evidence


def group_jobs(jobs: Sequence[FolderJob], cut: Container[str]) -> list[Group]:
    """Return the jobs in groups that can be read one after the other.

    cut  folders that have other files than these: there, only a stem says what belongs together
    """
    if not any(job.format.evidence for job in jobs):
        return [Group((job,)) for job in jobs]
    folders: dict[str, list[FolderJob]] = defaultdict(list)
    groups = []
    for job in jobs:
        if job.files.is_folder:
            groups.append(Group((job,)))
        else:
            folders[job.files.location].append(job)
    for folder, members in folders.items():
        groups += _groups_of(members, is_whole=folder not in cut)
    return groups


def _groups_of(jobs: Sequence[FolderJob], *, is_whole: bool) -> Iterator[Group]:
    """Yield the groups of the files in one folder."""
    logs = [job for job in jobs if not job.format.evidence]
    by_stem: dict[str, list[int]] = defaultdict(list)
    for position, job in enumerate(logs):
        by_stem[_stem(job)].append(position)
    # Those of a stem come first: a run has one file of telemetry for a device.
    pieces = sorted((job for job in jobs if job.format.evidence), key=lambda job: _stem(job) not in by_stem)
    others = list(range(len(logs))) if is_whole else []
    offered = [tuple(by_stem.get(_stem(piece), others)) for piece in pieces]
    if any(len(at) > 1 for at in offered) and len(logs) <= _MAX_LOGS:
        yield Group(tuple(logs), tuple(pieces), tuple(offered))
        return
    for position, log in enumerate(logs):
        own = tuple(piece for piece, at in zip(pieces, offered, strict=True) if at == (position,))
        yield Group((log,), own, ((0,),) * len(own))
    for piece, at in zip(pieces, offered, strict=True):
        if len(at) != 1:
            yield Group((), (piece,), (at,))


def _stem(job: FolderJob) -> str:
    return stem_of(job.files.path.rpartition("/")[2])


@dataclass(slots=True)
class Joined:
    """A job that was read, and the evidence that belongs to its runs.

    prints  fingerprints of the runs without it
    """

    job: FolderJob
    runs: list[Run]
    findings: list[Finding]
    prints: list[RunFingerprint]
    evidence: list[FolderJob] = field(default_factory=list)


def join(group: Group, read: Sequence[tuple[list[Run], list[Finding]]]) -> list[Joined]:
    """Return what was read of a group's jobs, each piece of evidence in its run or else on its own."""
    files = [
        Joined(job, runs, findings, list(map(fingerprint_run, runs)))
        for job, (runs, findings) in zip(group.jobs, read, strict=True)
    ]
    logs, pieces = files[: len(group.logs)], files[len(group.logs) :]
    left = []
    for piece, offered in zip(pieces, group.offered, strict=True):
        if len(logs) < len(offered):
            why = f"its folder has {len(offered)} logs"
        elif not offered or not _says_something(piece):
            why = ""
        else:
            why = _join(piece, [logs[each] for each in offered])
            if not why:
                continue
        left.append(_alone(piece, why))
    return logs + left


def _says_something(piece: Joined) -> bool:
    """Return whether a piece has samples over time, or is a profile."""
    if not piece.runs:
        return any(each.rule == Rule.READ_PROFILE for each in piece.findings)
    return bool(piece.runs[0].telemetry) and piece.runs[0].status == "complete"


def _join(piece: Joined, logs: Sequence[Joined]) -> str:
    """Add a piece of evidence to the run that it belongs to; return why to none, "" if it was added."""
    runs = [(log, position) for log in logs for position in range(len(log.runs))]
    if not runs:
        return "no run could be read from the log beside it"
    watched = piece.runs[0] if piece.runs else None
    doubts = [_doubt(watched, log.runs[at], is_only=len(runs) == 1) if watched else "" for log, at in runs]
    possible = [place for place, doubt in zip(runs, doubts, strict=True) if not doubt]
    if len(possible) != 1:
        names = ", ".join(log.runs[at].id for log, at in (possible or runs)[:_MAX_NAMED])
        more = len(possible or runs) - _MAX_NAMED
        several = f"{names} and {more} more" if more > 0 else names
        return f"it may belong to several runs: {several}" if possible else f"{doubts[0]} ({several})"
    log, at = possible[0]
    run = log.runs[at]
    own = [replace(each, subject=run.id) for each in (watched or piece).findings]
    # The detail says what a profile is without a run.
    own = [replace(each, detail="") if each.rule == Rule.READ_PROFILE else each for each in own]
    joined = _watched(run, watched) if watched else run
    log.runs[at] = replace(joined, findings=(*run.findings, *own))
    log.evidence.append(piece.job)
    return ""


def _alone(piece: Joined, why: str) -> Joined:
    """Return a piece of evidence on its own, with a note that says why."""
    if not why:
        return piece
    source, rule = piece.job.files.source(piece.job.files.path), Rule.READ_UNASSIGNED_EVIDENCE
    note = Finding("note", rule, source.path, f"belongs to no run: {why}", source, _REMEDY)
    if not piece.runs:
        return replace(piece, findings=[*piece.findings, note])
    first, *others = piece.runs
    first = replace(first, findings=(*first.findings, replace(note, subject=first.id)))
    return replace(piece, runs=[first, *others])


def _doubt(watched: Run, run: Run, *, is_only: bool) -> str:
    """Return why telemetry cannot be of a run, "" if it may be."""
    if watched.machines and run.machines and watched.machines.isdisjoint(run.machines):
        return "it is of another machine"
    known = {device.device for device in run.telemetry}
    if any(device.device in known for device in watched.telemetry):
        return "the run has other telemetry of the same devices"
    names = [find_device(str(each.factors.get("device", ""))) for each in (watched, run)]
    if all(names) and names[0] != names[1]:
        return "it is of another device"
    samples, steps = _span(watched, [device.t for device in watched.telemetry]), _steps(run)
    is_comparable = _has_same_zone(watched, run) and (is_only or not watched.started_clock)
    if samples and steps and is_comparable and (samples[1] < steps[0] or steps[1] < samples[0]):
        return "its samples are of another time than the steps"
    return ""


def _has_same_zone(watched: Run, run: Run) -> bool:
    """Return whether both have times in UTC, or both local times, which may still differ in their zones."""
    return bool(watched.started_clock) == bool(run.started_clock)


def _span(run: Run, times: Sequence[FloatArray]) -> tuple[float, float] | None:
    """Return the first and the last of some times of a run in s since 1970, None if they are unknown."""
    known = [each[np.isfinite(each)] for each in times]
    known = [each for each in known if len(each)]
    if run.clock_zero is None or not known:
        return None
    first, last = min(each.min() for each in known), max(each.max() for each in known)
    return run.clock_zero + float(first), run.clock_zero + float(last)


def _steps(run: Run) -> tuple[float, float] | None:
    """Return begin and end of the steps of a run in s since 1970, None if they are unknown."""
    steps = [series for series in run.series if series.metric == "step_time"]
    return _span(run, [each for series in steps for each in (series.begin, series.begin + series.value)])


def _watched(run: Run, watched: Run) -> Run:
    """Return a run with telemetry, and with what the telemetry says of its devices."""
    device = {"device": watched.factors["device"]} if "device" in watched.factors else {}
    shift = _shift(run, watched)
    return replace(
        run,
        factors={**device, **run.factors},
        environment={**watched.environment, **run.environment},
        telemetry=(*run.telemetry, *(replace(each, t=each.t + shift) for each in watched.telemetry)),
    )


def _shift(run: Run, watched: Run) -> float:
    """Return the s to add to the times of samples on the clock of the steps, NaN if it is not certain."""
    samples, steps = _span(watched, [device.t for device in watched.telemetry]), _steps(run)
    zeros = watched.clock_zero, run.clock_zero
    if samples is None or steps is None or None in zeros or not _has_same_zone(watched, run):
        return np.nan
    covers = samples[0] <= steps[0] + _SLACK_SECONDS and steps[1] <= samples[1] + _SLACK_SECONDS
    longer = (samples[1] - samples[0]) - (steps[1] - steps[0])
    is_certain = not run.started_clock or (covers and longer < _ZONE_SECONDS - 2 * _SLACK_SECONDS)
    return (watched.clock_zero or 0.0) - (run.clock_zero or 0.0) if is_certain else np.nan
