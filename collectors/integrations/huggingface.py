"""Record the steps of the Trainer of transformers.

    trainer = Trainer(..., callbacks=[RecordSteps(item="sequence", case={"model": "bert-base"})])

A step is one step of the optimizer. The Trainer fetches all batches of a step before the step begins, so
`data_loading` is the wait for all of them. The hooks of the Trainer do not receive batches, so samples and
tokens are counted by a hook on the forward pass of the model. A compiled model gets no such hook; then the
batch size of the configuration is recorded. Evaluations and checkpoints are breaks.
"""

from typing import Any, Optional

from collectors.integrations.hooks import HookedRecorder, count_samples
from collectors.recorder.recorder import Recorder


def __getattr__(name: str) -> Any:
    """Derive `RecordSteps` from the class of transformers on first use; before, nothing is imported."""
    if name != "RecordSteps":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from transformers import TrainerCallback

    hooks = (TransformersHooks, TrainerCallback)
    globals()[name] = type(name, hooks, {"__module__": __name__, "__doc__": TransformersHooks.__doc__})
    return globals()[name]


class TransformersHooks:
    """A callback for `transformers.Trainer`. It takes the options of `Recorder.start`."""

    def __init__(self, **options: Any) -> None:
        self._options = options
        self._hooked: Optional[HookedRecorder] = None
        self._model_hook: Any = None

    @property
    def recorder(self) -> Optional[Recorder]:
        """The recorder; None before the training begins."""
        return self._hooked.recorder if self._hooked else None

    def on_train_begin(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """Start the run."""
        batch_size = args.train_batch_size * args.gradient_accumulation_steps
        self._hooked = HookedRecorder(Recorder.start(**{"samples_per_step": batch_size, **self._options}))
        model = members.get("model")
        if model is not None and not args.torch_compile:
            self._model_hook = model.register_forward_pre_hook(self._count, with_kwargs=True)

    def _count(self, model: Any, inputs: Any, named: dict[str, Any]) -> None:
        if self._hooked is None or not model.training:
            return
        samples = count_samples([*named.values(), *inputs])
        if samples is not None:
            self._hooked.recorder.samples(samples)
        if "input_ids" in named:
            self._hooked.recorder.tokens(named["input_ids"].numel())

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """Exclude the time between epochs."""
        if self._hooked and state.global_step:
            self._hooked.mark_break("epoch")

    def on_step_begin(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """End the wait for data."""
        if self._hooked:
            self._hooked.receive_batch(None)
            self._hooked.enter("forward_backward")

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """Begin the optimizer's step; gradients have been clipped."""
        if self._hooked:
            self._hooked.leave("forward_backward")
            self._hooked.enter("optimizer")

    def on_optimizer_step(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """End the optimizer's step."""
        if self._hooked:
            self._hooked.leave("optimizer")

    def on_step_end(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """End the step."""
        if self._hooked:
            self._hooked.end_step()

    def on_evaluate(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """Exclude the evaluation that has just ended."""
        if self._hooked:
            self._hooked.mark_break("evaluation")

    def on_save(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """Exclude the checkpoint that has just been written."""
        if self._hooked:
            self._hooked.mark_break("checkpoint")

    def on_train_end(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """End the run."""
        if self._model_hook is not None:
            self._model_hook.remove()
        if self._hooked:
            self._hooked.recorder.close()
            self._hooked = None
