"""A case in two states of a report: the verdict on its new runs, and why its number moved."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.compare.breakdown import Breakdown
from reportgen.compare.comparison import CompareKind, Comparison
from reportgen.compare.pair import Question, compare_cases
from reportgen.compare.spread import Spreads
from reportgen.core.factors import value_text
from reportgen.core.metrics import metric_of
from reportgen.diff.cells import number_text
from reportgen.diff.parts import stored_breakdown
from reportgen.diff.repeats import RepeatChanges, compare_repeats
from reportgen.document.model import Case, Document
from reportgen.document.sides import side_of

# Files that describe logs. They may be corrected; logs may not.
DESCRIPTIONS = ("labels.toml", "source.toml")

_MAX_NAMED = 2


def shown_number(case: Case) -> str:
    """Return the number of a case in the unit that fits it."""
    assert case.summary is not None
    return number_text(case.summary.value, case.unit, case.metric, case.factors)


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


def compare_pair(pair: CasePair, spreads: Spreads) -> Comparison:
    """Return how the new runs compare with the old ones, and in which parts the difference is.

    spreads  of the repeats of the old report's cases

    Runs that are on both sides say nothing about a change, so only new runs are compared with the old ones.
    """
    changes = pair.repeats
    none = "no run was added, so nothing new was measured"
    new = side_of(pair.new, changes.added, none)
    old = side_of(pair.old)
    kind: CompareKind = "speedup" if metric_of(pair.new.metric, pair.new.unit).is_speed else "ratio"
    hindrance = _hindrance(pair, changes)
    comparison = compare_cases(new, old, Question(kind), spreads=spreads, hindrance=hindrance)
    parts = stored_breakdown(pair.old_report, pair.new_report, pair.old.name, pair.new.name)
    return replace(comparison, breakdown=parts)


def _hindrance(pair: CasePair, changes: RepeatChanges) -> str:
    """Return why the two numbers do not measure one thing, if it is not in their conditions; else ""."""
    if protocol_change(pair):
        return "measured by another protocol"
    if changes.edited:
        return "a log was edited"
    return "the same logs give other numbers" if changes.remeasured else ""


def reasons_of(pair: CasePair, parts: Breakdown | None) -> tuple[str, ...]:
    """Return why the number of a case moved: protocol, logs, labels, definition, reader, phases."""
    protocol = protocol_change(pair)
    reasons = [f"protocol changed: {protocol}"] if protocol else []
    reasons += [*_log_changes(pair), *_label_changes(pair)]
    if pair.is_redefined:
        reasons.append("definition changed")
    readers = [*_reader_changes(pair)]
    if not readers and not reasons and pair.repeats.remeasured:
        readers.append("reader changed: the same logs give other numbers")
    return (*reasons, *readers, *([parts.sentence()] if parts else ()))


def protocol_change(pair: CasePair) -> str:
    """Return the fields in which the protocols of the two cases differ, "" if none does."""
    old, new = pair.old.protocol, pair.new.protocol
    before, after = pair.old_report.protocols.get(old, {}), pair.new_report.protocols.get(new, {})
    fields = [
        f"{name} {value_text(before[name])} -> {value_text(after[name])}"
        for name in after
        if name != "name" and name in before and before[name] != after[name]
    ]
    return ", ".join(fields) or ("" if old == new else f"{old} -> {new}")


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
