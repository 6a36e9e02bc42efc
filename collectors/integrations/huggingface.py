"""Record the steps of the Trainer of transformers.

    trainer = Trainer(..., callbacks=[RecordSteps(item="sequence", case={"model": "bert-base"})])

One step is one step of the optimizer. The Trainer fetches all batches of a step before it begins, so
`data_loading` is the wait for all of them. The Trainer's hooks show no batch: how many samples and tokens a
step has is counted where they enter the model, by a hook on the model's forward; a model that is compiled is
not hooked, and what the configuration says is recorded. Evaluations and checkpoints are declared breaks.
"""

from typing import Any, Optional

from collectors.integrations.hooks import HookedRecorder, samples_of
from collectors.recorder.recorder import Recorder


def __getattr__(name: str) -> Any:
    """Make `RecordSteps` of the library's own class when it is asked for; nothing here imports it before."""
    if name != "RecordSteps":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from transformers import TrainerCallback

    hooks = (StepHooks, TrainerCallback)
    globals()[name] = type(name, hooks, {"__module__": __name__, "__doc__": StepHooks.__doc__})
    return globals()[name]


class StepHooks:
    """A callback for `transformers.Trainer`. Options are those of `Recorder.start`."""

    def __init__(self, **options: Any) -> None:
        self._options = options
        self._hooked: Optional[HookedRecorder] = None
        self._removable: Any = None

    @property
    def recorder(self) -> Optional[Recorder]:
        """The recorder, once the training has begun."""
        return self._hooked.recorder if self._hooked else None

    def on_train_begin(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """Begin the run."""
        usual = args.train_batch_size * args.gradient_accumulation_steps
        self._hooked = HookedRecorder(Recorder.start(**{"samples_per_step": usual, **self._options}))
        model = members.get("model")
        if model is not None and not args.torch_compile:
            self._removable = model.register_forward_pre_hook(self._count, with_kwargs=True)

    def _count(self, model: Any, inputs: Any, named: dict[str, Any]) -> None:
        if self._hooked is None or not model.training:
            return
        samples = samples_of([*named.values(), *inputs])
        if samples is not None:
            self._hooked.recorder.samples(samples)
        if "input_ids" in named:
            self._hooked.recorder.tokens(named["input_ids"].numel())

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """Leave out what lies between epochs."""
        if self._hooked and state.global_step:
            self._hooked.mark_break("epoch")

    def on_step_begin(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """End the wait for data."""
        if self._hooked:
            self._hooked.got_batch(None)
            self._hooked.enter("forward_backward")

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """Begin the optimizer's step; gradients are clipped already."""
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
        """Leave out the evaluation that has just ended."""
        if self._hooked:
            self._hooked.mark_break("evaluation")

    def on_save(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """Leave out the checkpoint that has just been written."""
        if self._hooked:
            self._hooked.mark_break("checkpoint")

    def on_train_end(self, args: Any, state: Any, control: Any, **members: Any) -> None:
        """End the run."""
        if self._removable is not None:
            self._removable.remove()
        if self._hooked:
            self._hooked.recorder.close()
            self._hooked = None
