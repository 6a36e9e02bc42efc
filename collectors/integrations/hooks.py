"""The part that all callbacks share: a recorder that is driven by hooks.

A hook that is never called, or called twice, must not damage the log: phases that are open when a step ends
are closed there.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Optional

from collectors.format_v1.steps_file import DATA_LOADING
from collectors.recorder.phases import Phase
from collectors.recorder.recorder import Recorder


class HookedRecorder:
    """A recorder that hooks drive. A step begins where the one before it ends."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._open: dict[str, Phase] = {}
        self.recorder.mark_break("setup")
        self.enter(DATA_LOADING)

    def enter(self, name: str) -> None:
        """Begin a phase; does nothing if it is open."""
        if name not in self._open:
            phase = self.recorder.phase(name)
            phase.__enter__()
            self._open[name] = phase

    def leave(self, name: str) -> None:
        """End a phase; does nothing if it is not open."""
        phase = self._open.pop(name, None)
        if phase is not None:
            phase.__exit__(None, None, None)

    def receive_batch(self, samples: Optional[int]) -> None:
        """End the wait for a batch."""
        self.leave(DATA_LOADING)
        if samples is not None:
            self.recorder.samples(samples)

    def end_step(self) -> None:
        """End the running step and begin to wait for the first batch of the next one."""
        self._leave_all()
        self.recorder.step()
        self.enter(DATA_LOADING)

    def await_batch(self) -> None:
        """Begin to wait for another batch of the same step."""
        self._leave_all()
        self.enter(DATA_LOADING)

    def mark_break(self, name: str) -> None:
        """Exclude the time since the last step; discards a step that has begun."""
        self._leave_all()
        self.recorder.mark_break(name)
        self.enter(DATA_LOADING)

    def _leave_all(self) -> None:
        for name in list(self._open):
            self.leave(name)


def count_samples(batch: Any) -> Optional[int]:
    """Return the number of samples in a batch: the length of its first tensor; None if there is none."""
    shape = getattr(batch, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else None
    members: Iterable[Any] = ()
    if isinstance(batch, Mapping):
        members = batch.values()
    elif isinstance(batch, (list, tuple)):
        members = batch
    counts = (count_samples(member) for member in members)
    return next((count for count in counts if count is not None), None)
