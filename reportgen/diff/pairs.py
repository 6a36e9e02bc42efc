"""A case in two states of a report: the verdict on its new runs, and why its number moved."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.compare.conditions import differing_conditions
from reportgen.compare.verdict import Verdict
from reportgen.compare.verdicts import TimedRepeat, decide
from reportgen.core import units
from reportgen.core.metrics import metric_of
from reportgen.diff.parts import parts_sentence
from reportgen.diff.repeats import RepeatChanges, compare_repeats
from reportgen.diff.rows import NO_ORDER, RowSide, arrow_text
from reportgen.document.model import Case, Document, Measurement

# Files that describe logs. They may be corrected; logs may not.
DESCRIPTIONS = ("labels.toml", "source.toml")

_MAX_NAMED = 2


def side_of(case: Case, shown: str = "") -> RowSide:
    """Return one side of a row."""
    summary = case.summary
    assert summary is not None
    unit = units.choose([summary.value], case.unit)
    text = shown or f"{units.text(summary.value / unit.factor)} {unit.name}".removesuffix(" ratio")
    return RowSide(summary.value, text, summary.repeats, summary.low, summary.high)


@dataclass(frozen=True, slots=True)
class CasePair:
    """A case in two states of a report.

    is_redefined  whether the definition of a table that shows it changed
    """

    old_report: Document
    new_report: Document
    old: Case
    new: Case
    is_redefined: bool = False

    @property
    def repeats(self) -> RepeatChanges:
        """Repeats kept, added, removed, rewritten."""
        return compare_repeats(self.old, self.new, self.old_report.sources, self.new_report.sources)

    @property
    def has_moved(self) -> bool:
        """Return whether anything but findings differs: a repeat, or the number."""
        assert self.old.summary is not None
        assert self.new.summary is not None
        return self.old.summary != self.new.summary or not self.repeats.is_none


def verdict_on_pair(pair: CasePair) -> Verdict | None:
    """Return the verdict on the new runs against the old ones, None for a metric that is not a speed.

    Runs that are on both sides say nothing about a change, so only new runs are compared with the old ones.
    """
    metric = metric_of(pair.new.metric, pair.new.unit)
    if not metric.is_speed or metric.better is None:
        return None
    changes = pair.repeats
    new, old = _timed(changes.added), _timed(pair.old.measurements)
    ratio = _speed_ratio(pair, metric.better)
    if ratio is None or any(each.value <= 0 for each in (*new, *old)):
        return None
    reason = _not_comparable(pair)
    if reason:
        return Verdict("not comparable", ratio, NO_ORDER, reason=reason)
    if not new:
        return Verdict("undecided", ratio, NO_ORDER, reason="no run was added, so nothing new was measured")
    return decide(new, old, better=metric.better)


def _not_comparable(pair: CasePair) -> str:
    """Return why old and new numbers do not measure the same thing, "" if they do."""
    if _protocol_changes(pair):
        return "measured by another protocol"
    changes = pair.repeats
    if changes.edited:
        return "a log was edited"
    if changes.remeasured:
        return "the same logs give other numbers"
    differs = differing_conditions(pair.new.conditions, pair.old.conditions, pair.new.metric)
    essential = [each for each in differs if each.is_essential]
    return f"differs in {' and '.join(map(arrow_text, essential))}" if essential else ""


def _speed_ratio(pair: CasePair, better: Literal["higher", "lower"]) -> float | None:
    assert pair.old.summary is not None
    assert pair.new.summary is not None
    old, new = pair.old.summary.value, pair.new.summary.value
    if old <= 0 or new <= 0:
        return None
    return new / old if better == "higher" else old / new


def _timed(repeats: Sequence[Measurement]) -> list[TimedRepeat]:
    return [
        TimedRepeat(each.value, each.run.started, each.run.round, clock=each.run.started_clock)
        for each in repeats
    ]


def reasons_of(pair: CasePair) -> tuple[str, ...]:
    """Return why the number of a case moved: protocol, logs, labels, definition, reader, phases."""
    reasons = [*_protocol_changes(pair), *_log_changes(pair), *_label_changes(pair)]
    if pair.is_redefined:
        reasons.append("definition changed")
    readers = [*_reader_changes(pair)]
    if not readers and not reasons and pair.repeats.remeasured:
        readers.append("reader changed: the same logs give other numbers")
    parts = parts_sentence(pair.old_report, pair.new_report, pair.old.name, pair.new.name)
    return (*reasons, *readers, *([parts] if parts else ()))


def _protocol_changes(pair: CasePair) -> list[str]:
    old, new = pair.old.protocol, pair.new.protocol
    before, after = pair.old_report.protocols.get(old, {}), pair.new_report.protocols.get(new, {})
    fields = [
        f"{name} {_plain(before[name])} -> {_plain(after[name])}"
        for name in after
        if name != "name" and name in before and before[name] != after[name]
    ]
    if not fields:
        return [] if old == new else [f"protocol changed: {old} -> {new}"]
    return [f"protocol changed: {', '.join(fields)}"]


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _log_changes(pair: CasePair) -> Iterator[str]:
    changes = pair.repeats
    replaced = changes.replaced
    if replaced:
        yield f"{_runs(replaced)} measured again under the same name"
    if changes.edited:
        yield f"log edited: {_named(changes.edited_files)}"
    if len(changes.added) > replaced:
        yield f"{_runs(len(changes.added) - replaced)} added"
    without = {run.id: run.status for run in pair.new.unmeasured}
    failed = [each for each in changes.removed if each.run.id in without]
    if failed:
        files = [file for each in failed for file in each.files[:1]]
        yield f"no number any more: {_named(files)} ({without[failed[0].run.id].replace('_', ' ')})"
    removed = len(changes.removed) - replaced - len(failed)
    if removed:
        yield f"{_runs(removed)} no longer counted"


def _runs(number: int) -> str:
    return f"{number} run{'' if number == 1 else 's'}"


def _named(files: Sequence[str]) -> str:
    more = f" and {len(files) - _MAX_NAMED} more" if len(files) > _MAX_NAMED else ""
    return ", ".join(files[:_MAX_NAMED]) + more


def _label_changes(pair: CasePair) -> Iterator[str]:
    before, after = pair.old_report.sources, pair.new_report.sources
    files = {file for side in (pair.old, pair.new) for repeat in side.measurements for file in repeat.files}
    above = {folder for file in files for folder in _folders(file)}
    for path in sorted(f"{folder}{name}" for folder in above for name in DESCRIPTIONS):
        if before.get(path) == after.get(path):
            continue
        # Reports of older versions do not list their labels.
        name = path.rpartition("/")[2]
        if path in before or any(each.endswith(name) for each in before):
            yield f"{path} changed"


def _folders(file: str) -> Iterator[str]:
    """Yield the folders above a file, each with a slash at its end; "" is the root."""
    parts = file.split("/")
    return ("".join(f"{part}/" for part in parts[:depth]) for depth in range(len(parts)))


def _reader_changes(pair: CasePair) -> Iterator[str]:
    formats = {repeat.run.format for repeat in pair.new.measurements}
    before, after = (_readers(report) for report in (pair.old_report, pair.new_report))
    for name in sorted(formats & before.keys() & after.keys()):
        if before[name] != after[name]:
            yield f"reader changed: {name} version {before[name]} -> {after[name]}"


def _readers(report: Document) -> Mapping[str, int]:
    return {each.format: each.reader for each in report.provenance}
