"""Turn the actions of a profiler's report into figures: phases of a step, other calls, the whole run.

Names changed over the versions; here the parts of a step get the names that all formats share. What is
called once for every batch is part of a step and keeps its own name where no other exists; the rest is a
call of an action.
"""

from collections.abc import Mapping, Sequence

from reportgen.core.model import STEP, Aggregate, Source
from reportgen.formats.lightning.profiler import Action, total_of

# Phase -> names of the action, the one that is nearest to the thing first.
_PHASES: Mapping[str, tuple[str, ...]] = {
    "forward": ("model_forward", "training_step"),
    "backward": ("model_backward", "backward"),
    "data_loading": ("get_train_batch", "train_dataloader_next", "train_next"),
    "training_batch": ("run_training_batch",),
}
# What transformers-benchmarking adds up as the time that is neither forward nor backward ("cpu_time"). The
# optimizer step is no part of it: its time contains both.
BETWEEN_STEPS = (
    "get_train_batch",
    "on_batch_start",
    "on_train_batch_start",
    "training_step_end",
    "on_after_backward",
    "on_batch_end",
    "on_train_batch_end",
)


def step_times(actions: Sequence[Action], path: str) -> tuple[Aggregate, ...]:
    """Return the figures of a report in the file `path`: means per step, means per call, the total."""
    named = {one.short_name: one for one in reversed(actions) if one.mean is not None}
    phases = {
        phase: named[name]
        for phase, names in _PHASES.items()
        if (name := next((name for name in names if name in named), ""))
    }
    usual = next((phases[name].calls for name in ("training_batch", "forward") if name in phases), 0)
    found = [_mean(phase, one, path, "step_time") for phase, one in phases.items()]
    taken = set(map(id, phases.values()))
    for one in actions:
        if one.mean is None:
            if one is not total_of(actions):
                found.append(_total(one.name, one, path))
        elif id(one) not in taken:
            found.append(_mean(one.name, one, path, "step_time" if one.calls == usual > 1 else "action_time"))
    total = total_of(actions)
    whole = _whole_step(phases, path)
    return (*found, *whole, *((_total(STEP, total, path),) if total else ()))


def between_steps(actions: Sequence[Action], path: str) -> Aggregate | None:
    """Return the sum of the means between two steps, None where one of them is not in the report."""
    named = {one.name: one for one in actions if one.mean is not None}
    if not all(name in named for name in BETWEEN_STEPS):
        return None
    parts = [named[name] for name in BETWEEN_STEPS]
    # In this order and not by fsum: the figures of the original are sums of floats one after another.
    value = sum(one.mean for one in parts if one.mean is not None)
    text = " + ".join(one.text for one in parts)
    return Aggregate(
        "step_time",
        phase="between_steps",
        value=value,
        original=text,
        statistic="mean",
        n=parts[0].calls,
        source=Source(path, parts[0].line),
    )


def _whole_step(phases: Mapping[str, Action], path: str) -> tuple[Aggregate, ...]:
    """Return the step from batch to batch: the trainer's work on one and the wait for the next."""
    batch, loading = phases.get("training_batch"), phases.get("data_loading")
    if not batch or not loading or batch.mean is None or loading.mean is None:
        return ()
    text = f"{batch.text} + {loading.text}"
    return (
        Aggregate(
            "step_time",
            value=batch.mean + loading.mean,
            original=text,
            statistic="mean",
            n=batch.calls,
            source=Source(path, batch.line),
        ),
    )


def _mean(phase: str, one: Action, path: str, metric: str) -> Aggregate:
    assert one.mean is not None
    return Aggregate(
        metric,
        phase=phase,
        value=one.mean,
        original=one.text,
        statistic="mean",
        n=one.calls,
        source=Source(path, one.line),
    )


def _total(phase: str, one: Action, path: str) -> Aggregate:
    return Aggregate(
        "run_time",
        phase=phase,
        value=one.total,
        original=f"{one.total:g}",
        statistic="total",
        n=one.calls,
        source=Source(path, one.line),
    )
