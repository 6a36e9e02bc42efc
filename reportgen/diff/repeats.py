"""Pair the repeats of a case before and after: kept, added, removed, edited, measured in another way.

A repeat is the same run if it has the same name, or if its files have the same content under another name.
A log that was written again by a later run is a new run under an old name, as its start time shows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reportgen.diff.cells import same_value
from reportgen.diff.snapshot import StoredCase, StoredRepeat

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

    kept: tuple[StoredRepeat, ...]
    edited: tuple[StoredRepeat, ...]
    edited_files: tuple[str, ...]
    remeasured: tuple[StoredRepeat, ...]
    added: tuple[StoredRepeat, ...]
    removed: tuple[StoredRepeat, ...]
    replaced: int = 0

    @property
    def is_none(self) -> bool:
        """Return whether every repeat was kept."""
        return not (self.edited or self.remeasured or self.added or self.removed)


def compare_repeats(
    old: StoredCase, new: StoredCase, old_sources: Sources, new_sources: Sources
) -> RepeatChanges:
    """Return what became of the repeats of a case. The sources are path -> SHA-256 of both reports."""
    before = {_name(repeat): repeat for repeat in old.measurements}
    by_content = {_content(repeat, old_sources): name for name, repeat in before.items()}
    kept, edited, remeasured, added = [], [], [], []
    edited_files: list[str] = []
    replaced = 0
    for repeat in new.measurements:
        content = _content(repeat, new_sources)
        name = _name(repeat) if _name(repeat) in before else by_content.get(content)
        earlier = before.pop(name, None) if name is not None else None
        if earlier is None:
            added.append(repeat)
        elif _is_other_run(earlier, repeat):
            added.append(repeat)
            before[("", len(before), earlier.run)] = earlier
            replaced += 1
        elif _same(earlier, repeat):
            kept.append(repeat)
        elif _content(earlier, old_sources) != content:
            edited.append(repeat)
            edited_files += [file for file in repeat.files if old_sources.get(file) != new_sources.get(file)]
        else:
            remeasured.append(repeat)
    return RepeatChanges(
        kept=tuple(kept),
        edited=tuple(edited),
        edited_files=tuple(dict.fromkeys(edited_files)),
        remeasured=tuple(remeasured),
        added=tuple(added),
        removed=tuple(before.values()),
        replaced=replaced,
    )


_Name = tuple[object, ...]


def _name(repeat: StoredRepeat) -> _Name:
    return repeat.files[:1], repeat.run.partition("#")[2]


def _content(repeat: StoredRepeat, sources: Sources) -> _Name:
    """Return what identifies a run under any name: its files, and its number in them."""
    digests: Sequence[str] = sorted(sources.get(file, file) for file in repeat.files)
    return tuple(digests), repeat.run.partition("#")[2]


def _is_other_run(old: StoredRepeat, new: StoredRepeat) -> bool:
    return old.started is not None and new.started is not None and old.started != new.started


def _same(old: StoredRepeat, new: StoredRepeat) -> bool:
    return old.value is not None and new.value is not None and same_value(old.value, new.value)
