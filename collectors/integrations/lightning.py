"""Record the steps of Lightning: a callback for the Trainer and one for Fabric.

    trainer = Trainer(callbacks=[RecordSteps(item="image", case={"model": "resnet50"})])
    fabric = Fabric(callbacks=[RecordFabricSteps(item="image")])

A step is one step of the optimizer; with accumulated gradients it has several batches. Samples are counted in
the batches themselves. The phases are those that Lightning has hooks for: forward (with the loss), backward,
and the optimizer's step. Validation and the borders of epochs are breaks.
"""

from typing import Any, Callable, Optional

from collectors.integrations.hooks import HookedRecorder, count_samples
from collectors.recorder.exit_hooks import status_of
from collectors.recorder.recorder import Recorder

Count = Callable[[Any], Optional[int]]


def __getattr__(name: str) -> Any:
    """Derive `RecordSteps` from Lightning's class on first use, so that Lightning is not imported before."""
    if name != "RecordSteps":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from lightning.pytorch import Callback
    except ImportError:  # the older name of the package
        from pytorch_lightning import Callback
    hooks = (LightningHooks, Callback)
    globals()[name] = type(name, hooks, {"__module__": __name__, "__doc__": LightningHooks.__doc__})
    return globals()[name]


class LightningHooks:
    """A callback for `lightning.pytorch.Trainer`. It takes the options of `Recorder.start`.

    samples  counts the samples of a batch; the default is the length of its first tensor
    """

    def __init__(self, *, samples: Count = count_samples, **options: Any) -> None:
        self._samples = samples
        self._options = options
        self._hooked: Optional[HookedRecorder] = None
        self._steps_done = 0  # of the optimizer

    @property
    def recorder(self) -> Optional[Recorder]:
        """The recorder; None before the training begins."""
        return self._hooked.recorder if self._hooked else None

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Start the run, after Lightning's sanity check of the validation."""
        self._steps_done = trainer.global_step
        self._hooked = HookedRecorder(Recorder.start(**self._options))

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Exclude the time between epochs: new workers, the end of the validation."""
        if self._hooked and trainer.current_epoch:
            self._hooked.mark_break("epoch")

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """End the wait for data, begin the forward pass."""
        if self._hooked:
            self._hooked.receive_batch(self._samples(batch))
            self._hooked.enter("forward")

    def on_before_backward(self, trainer: Any, pl_module: Any, loss: Any) -> None:
        """Begin the backward pass."""
        if self._hooked:
            self._hooked.leave("forward")
            self._hooked.enter("backward")

    def on_after_backward(self, trainer: Any, pl_module: Any) -> None:
        """End the backward pass."""
        if self._hooked:
            self._hooked.leave("backward")

    def on_before_optimizer_step(self, trainer: Any, pl_module: Any, optimizer: Any) -> None:
        """Begin the optimizer's step; the next hook is at the end of the batch."""
        if self._hooked:
            self._hooked.enter("optimizer")

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """End the step if the optimizer has stepped."""
        if not self._hooked:
            return
        if trainer.global_step == self._steps_done:
            self._hooked.await_batch()
        else:
            self._steps_done = trainer.global_step
            self._hooked.end_step()

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """Exclude the validation; a step with batches before and after it is discarded."""
        if self._hooked and not trainer.sanity_checking:
            self._hooked.mark_break("evaluation")

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """End the run."""
        if self._hooked:
            self._hooked.recorder.close()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """End the run with the status of the exception; Lightning hides Ctrl-C from all other hooks."""
        if self._hooked:
            self._hooked.recorder.close(*status_of(exception))


class RecordFabricSteps:
    """A callback for `lightning.fabric.Fabric`: a step ends when an optimizer of Fabric has stepped.

    The first step is not recorded, because its beginning is unknown. `recorder.steps(loader)` over a loader
    of Fabric records more: the first step, and the wait for data. Takes the options of `Recorder.start`. Call
    `recorder.close()` at the end of the training, or let the process end.
    """

    def __init__(self, **options: Any) -> None:
        self._options = options
        self.recorder: Optional[Recorder] = None

    def on_after_optimizer_step(self, strategy: Any, optimizer: Any) -> None:
        """End a step and begin the next."""
        if self.recorder is None:
            self.recorder = Recorder.start(**self._options)
        else:
            self.recorder.step()
