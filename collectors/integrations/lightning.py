"""Record the steps of Lightning: a callback for the Trainer, one for Fabric.

    trainer = Trainer(callbacks=[RecordSteps(item="image", case={"model": "resnet50"})])
    fabric = Fabric(callbacks=[RecordFabricSteps(item="image")])

One step is one step of the optimizer; with accumulated gradients it has several batches. Samples are those of
the batches that came. Phases are where Lightning has hooks: forward (with the loss), backward, and the
optimizer's step. Validation and the borders of epochs are declared breaks.
"""

from typing import Any, Callable, Optional

from collectors.integrations.hooks import HookedRecorder, samples_of
from collectors.recorder.exit_hooks import status_of
from collectors.recorder.recorder import Recorder

Count = Callable[[Any], Optional[int]]


def __getattr__(name: str) -> Any:
    """Make `RecordSteps` of Lightning's own class when it is asked for; nothing imports it before."""
    if name != "RecordSteps":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from lightning.pytorch import Callback
    except ImportError:  # the package under its older name
        from pytorch_lightning import Callback
    hooks = (StepHooks, Callback)
    globals()[name] = type(name, hooks, {"__module__": __name__, "__doc__": StepHooks.__doc__})
    return globals()[name]


class StepHooks:
    """A callback for `lightning.pytorch.Trainer`. Options are those of `Recorder.start`.

    samples  counts the samples of a batch; the default takes the length of the first tensor in it
    """

    def __init__(self, *, samples: Count = samples_of, **options: Any) -> None:
        self._samples = samples
        self._options = options
        self._hooked: Optional[HookedRecorder] = None
        self._done = 0  # steps of the optimizer

    @property
    def recorder(self) -> Optional[Recorder]:
        """The recorder, once the training has begun."""
        return self._hooked.recorder if self._hooked else None

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin the run, behind Lightning's sanity check of the validation."""
        self._done = trainer.global_step
        self._hooked = HookedRecorder(Recorder.start(**self._options))

    def on_train_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Leave out what lies between epochs: new workers, the end of the validation."""
        if self._hooked and trainer.current_epoch:
            self._hooked.mark_break("epoch")

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """End the wait for data, begin the forward pass."""
        if self._hooked:
            self._hooked.got_batch(self._samples(batch))
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
        """Begin the optimizer's step; there is no hook at its end but the batch's."""
        if self._hooked:
            self._hooked.enter("optimizer")

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """End the step if the optimizer has made one."""
        if not self._hooked:
            return
        if trainer.global_step == self._done:
            self._hooked.wait_again()
        else:
            self._done = trainer.global_step
            self._hooked.end_step()

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """Leave out the validation; a step whose batches lie on both sides of it is given up."""
        if self._hooked and not trainer.sanity_checking:
            self._hooked.mark_break("evaluation")

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """End the run."""
        if self._hooked:
            self._hooked.recorder.close()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """End the run as what it was; Lightning swallows Ctrl-C, so nobody else would know."""
        if self._hooked:
            self._hooked.recorder.close(*status_of(exception))


class RecordFabricSteps:
    """A callback for `lightning.fabric.Fabric`: a step ends where an optimizer set up by it has stepped.

    Begins with the optimizer's first step, of which nobody knows the begin. A plain `recorder.steps(loader)`
    over the loader that Fabric has set up records more: the first step, and the wait for data. Options are
    those of `Recorder.start`; call `recorder.close()` where the training ends, or let the process end.
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
