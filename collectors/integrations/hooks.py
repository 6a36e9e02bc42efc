"""What the callbacks have in common: a recorder that is told by hooks when something begins and ends.

A hook that never comes, or comes twice, must not spoil the log: what is open when a step ends is closed
there.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Optional

from collectors.format_v1 import run_folder
from collectors.recorder.phases import Phase
from collectors.recorder.recorder import Recorder


class HookedRecorder:
    """A recorder between two steps or inside of one. A step begins where the one before ends."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.is_inside = False  # whether work of the running step has been done already
        self._open: dict[str, Phase] = {}
        self.recorder.mark_break("setup")
        self.enter(run_folder.WAITING)

    def enter(self, name: str) -> None:
        """Begin a phase."""
        if name not in self._open:
            phase = self.recorder.phase(name)
            phase.__enter__()
            self._open[name] = phase

    def leave(self, name: str) -> None:
        """End a phase, if it is open."""
        phase = self._open.pop(name, None)
        if phase is not None:
            phase.__exit__(None, None, None)

    def got_batch(self, samples: Optional[int]) -> None:
        """Take note that a batch is there."""
        self.leave(run_folder.WAITING)
        self.is_inside = True
        if samples is not None:
            self.recorder.samples(samples)

    def end_step(self) -> None:
        """End the running step and begin to wait for the next one's batch."""
        self._leave_all()
        self.recorder.step()
        self.is_inside = False
        self.enter(run_folder.WAITING)

    def wait_again(self) -> None:
        """Begin to wait for a further batch of the same step."""
        self._leave_all()
        self.enter(run_folder.WAITING)

    def mark_break(self, name: str) -> None:
        """Say that what happened since the last step was not step time; gives up a step that has begun."""
        self._leave_all()
        self.recorder.mark_break(name)
        self.is_inside = False
        self.enter(run_folder.WAITING)

    def _leave_all(self) -> None:
        for name in list(self._open):
            self.leave(name)


def samples_of(batch: Any) -> Optional[int]:
    """Return how many samples a batch has: the length of the first tensor in it; None if there is none."""
    shape = getattr(batch, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else None
    members: Iterable[Any] = ()
    if isinstance(batch, Mapping):
        members = batch.values()
    elif isinstance(batch, (list, tuple)):
        members = batch
    counts = (samples_of(member) for member in members)
    return next((count for count in counts if count is not None), None)
