"""Pair the repeats of a case before and after: kept, added, removed, edited, measured in another way.

A repeat is the same run if it has the same name, or if its files have the same content under another name.
A log that was written again by a later run is a new run under an old name, as its start time shows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reportgen.diff.cells import same_value
from reportgen.document.model import Case, Measurement

Sources = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RepeatChanges:
    """The repeats of a case before and after.

    kept        with the same value, whatever else changed in the log
    edited      the log has other content, in the edited files; without start times it may be another run
    remeasured  the log is the same and the value is not
    added, removed  with a value on one side only
    replaced    number of added repeats whose logs have the names of removed ones
    """

    kept: tuple[Measurement, ...]
    edited: tuple[Measurement, ...]
    edited_files: tuple[str, ...]
    remeasured: tuple[Measurement, ...]
    added: tuple[Measurement, ...]
    removed: tuple[Measurement, ...]
    replaced: int = 0

    @property
    def is_none(self) -> bool:
        """Return whether every repeat was kept."""
        return not (self.edited or self.remeasured or self.added or self.removed)


def compare_repeats(old: Case, new: Case, old_sources: Sources, new_sources: Sources) -> RepeatChanges:
    """Return what became of the repeats of a case. The sources are path -> SHA-256 of both reports."""

    def content(repeat: Measurement, sources: Sources) -> _Name:
        return tuple(sorted(sources.get(file, file) for file in repeat.files)), _number(repeat)

    def is_rewritten(file: str) -> bool:
        return file in old_sources and old_sources[file] != new_sources.get(file)

    before, after = _Unmatched(list(old.measurements)), _Unmatched(list(new.measurements))
    by_content = (lambda each: content(each, old_sources)), (lambda each: content(each, new_sources))
    kept = [
        *before.take(after, (_name, _name), _same),
        *before.take(after, by_content, _same),
        # A row of a table that was inserted above others renumbers them.
        *before.take(after, (_value, _value), _same),
    ]
    again = before.take(after, (_name, _name), _is_other_run)
    changed = [*before.take(after, (_name, _name)), *before.take(after, by_content)]
    changed += before.take(after, (_file, _file), lambda earlier, later: is_rewritten(later.files[0]))
    edited = [
        (earlier, later) for earlier, later in changed if by_content[0](earlier) != by_content[1](later)
    ]
    files = (
        file for _, later in edited for file in later.files if old_sources.get(file) != new_sources.get(file)
    )
    return RepeatChanges(
        kept=tuple(later for _, later in kept),
        edited=tuple(later for _, later in edited),
        edited_files=tuple(dict.fromkeys(files)),
        remeasured=tuple(pair[1] for pair in changed if pair not in edited),
        added=(*(later for _, later in again), *after.repeats),
        removed=(*(earlier for earlier, _ in again), *before.repeats),
        replaced=len(again),
    )


_Name = tuple[object, ...]
_Pairs = list[tuple[Measurement, Measurement]]
_Key = Callable[[Measurement], _Name]


@dataclass(slots=True)
class _Unmatched:
    """The repeats of one side that have no partner yet."""

    repeats: list[Measurement]

    def take(
        self,
        other: "_Unmatched",
        keys: tuple[_Key, _Key],
        matches: Callable[[Measurement, Measurement], bool] = lambda old, new: True,
    ) -> _Pairs:
        """Return the pairs of equal keys that match, and remove them from both sides."""
        waiting: dict[_Name, list[Measurement]] = {}
        for each in self.repeats:
            waiting.setdefault(keys[0](each), []).append(each)
        pairs: _Pairs = []
        for new in other.repeats:
            candidates = waiting.get(keys[1](new), [])
            position = next((i for i, old in enumerate(candidates) if matches(old, new)), None)
            if position is not None:
                pairs.append((candidates.pop(position), new))
        taken = {id(each) for pair in pairs for each in pair}
        self.repeats = [each for each in self.repeats if id(each) not in taken]
        other.repeats = [each for each in other.repeats if id(each) not in taken]
        return pairs


def _number(repeat: Measurement) -> str:
    """Return the number of a run in a log that has several, "" for the only one."""
    return repeat.run.id.partition("#")[2]


def _name(repeat: Measurement) -> _Name:
    return repeat.files[:1], _number(repeat)


def _file(repeat: Measurement) -> _Name:
    return repeat.files[:1]


def _value(repeat: Measurement) -> _Name:
    return repeat.files[:1], repeat.value


def _is_other_run(old: Measurement, new: Measurement) -> bool:
    starts = old.run.started, new.run.started
    return None not in starts and starts[0] != starts[1]


def _same(old: Measurement, new: Measurement) -> bool:
    return same_value(old.value, new.value) and not _is_other_run(old, new)
