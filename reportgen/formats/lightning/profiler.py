"""Read the reports of Lightning's profilers: the mean time of each action and how often it was called.

SimpleProfiler has three layouts: name, mean, total (2020); the same with calls and share of the total (until
2022); and either between bars on both sides, without calls and share if it is not extended. Copies from a
terminal have spaces instead of the tabs before the bars. All print five significant digits, measured by the
host without synchronising. AdvancedProfiler prints one cProfile table per action; its first line has the
total.

Actions contain one another (run_training_batch contains optimizer_step contains backward): only those that
follow one another are summed. Names changed between versions; the parts of a step get the phases that all
formats share. An action that is called once per batch is part of a step and keeps its own name as phase; any
other is a call of an action.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import STEP
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.text_log import NUMBER

TITLE = b"Profiler Report"
_SIMPLE = b"Mean duration (s)"
_ADVANCED = b"Profile stats for: "
_ROW = lazy_pattern(
    rb"^(?:\|[ ]++)?+(?P<name>[^|\t\r\n]{1,700}+)\t?\|[ ]++(?P<mean>%(n)s|-)[ ]*+"
    rb"(?:\t?\|[ ]*+(?P<calls>[0-9]{1,15}|_)[ ]*+)?\t?\|[ ]++(?P<total>%(n)s)[ ]*+"
    rb"(?:\t?\|(?:[ ]++(?:%(n)s)[ ]*+(?:%%[ ]*+)?\t?\|)?)?[ ]*+\r?$" % {b"n": NUMBER},
    re.MULTILINE,
)
_STATS = lazy_pattern(
    rb"^Profile stats for: (?P<name>[^\r\n]{1,700}+)\r?\n"
    rb"[ ]*+[0-9]{1,15}+ function calls (?:\([0-9]{1,15}+ primitive calls\) )?in (?P<total>%s) seconds"
    % NUMBER,
    re.MULTILINE,
)
_RANK = lazy_pattern(rb" rank: [0-9]{1,9}[ ]*$")
_STAGE = lazy_pattern(rb"([A-Z]+) $")
# Five digits of mean and total give an exact count up to here.
_MAX_EXACT_CALLS = 20_000
# Phase -> names of its action, the best match first.
_PHASES: Mapping[str, tuple[str, ...]] = {
    "forward": ("model_forward", "training_step"),
    "backward": ("model_backward", "backward"),
    "data_loading": ("get_train_batch", "train_dataloader_next", "train_next"),
    "training_batch": ("run_training_batch",),
}
# The actions that transformers-benchmarking sums as time outside forward and backward ("cpu_time"). The
# optimizer step is not among them, because its time contains both.
_BETWEEN_STEPS = (
    "get_train_batch", "on_batch_start", "on_train_batch_start", "training_step_end", "on_after_backward",
    "on_batch_end", "on_train_batch_end",
)  # fmt: skip

# The hooks of a batch that run outside its optimizer step.
_BATCH_HOOKS = ("on_batch_start", "on_train_batch_start", "on_batch_end", "on_train_batch_end")


@dataclass(frozen=True, slots=True)
class Action:
    """One row: mean in s, None if only a total is printed; calls, 0 if unknown."""

    name: str
    mean: float | None
    calls: int
    total: float
    text: str
    line: int

    @property
    def short_name(self) -> str:
        """The name without the calling class: `[Strategy]DDPStrategy.backward` is backward."""
        return self.name.rpartition("]")[2].rpartition(".")[2]


def is_report(content: bytes) -> bool:
    """Return whether a text contains a report of either profiler."""
    return TITLE in content and (_SIMPLE in content or _ADVANCED in content)


def parse(content: bytes) -> tuple[Action, ...]:
    """Return the actions of the training report, or of the first report if none is of training."""
    begin, end = _report(content)
    rows = list(_ROW.finditer(content, begin, end)) or list(_STATS.finditer(content, begin, end))
    actions, line, before = [], 1, 0
    for row in rows:
        line, before = line + content.count(b"\n", before, row.start("name")), row.start("name")
        actions.append(_action(row, line))
    return tuple(actions)


def second_training_report(content: bytes) -> int:
    """Return the offset of a second report of training, -1 if there is none."""
    reports = _training_reports(content)
    return reports[1] if len(reports) > 1 else -1


def _training_reports(content: bytes) -> list[int]:
    """Return the offsets of the titles of reports of training; older versions do not name the stage."""
    starts = [title.start() for title in re.finditer(TITLE, content)]
    stages = [_STAGE.search(content[max(start - 20, 0) : start]) for start in starts]
    return [start for start, stage in zip(starts, stages, strict=True) if not stage or stage[1] == b"FIT"]


def _report(content: bytes) -> tuple[int, int]:
    """Return begin and end of the training report; a log may also hold a report of testing."""
    start = next(iter(_training_reports(content)), content.find(TITLE))
    end = content.find(TITLE, start + 1)
    return (0, 0) if start < 0 else (start, len(content) if end < 0 else end)


def _action(row: re.Match[bytes], line: int) -> Action:
    printed = {"mean": b"-", "calls": b"_"} | {name: text for name, text in row.groupdict().items() if text}
    mean = None if printed["mean"] == b"-" else float(printed["mean"])
    total, calls = float(printed["total"]), 0
    if printed["calls"] != b"_":
        calls = int(printed["calls"])
    elif mean and 0 <= total / mean < _MAX_EXACT_CALLS:
        calls = round(total / mean)
    name = _RANK.sub(b"", printed["name"]).decode("utf-8", "replace").strip()
    return Action(name, mean, calls, total, printed["mean"].decode(), line)


def add_step_times(run: ResultRun, actions: Sequence[Action]) -> None:
    """Add the figures of a report, the file of the run: means per step, means per call, the total."""
    named = {action.short_name: action for action in reversed(actions) if action.mean is not None}
    matched = {phase: next((name for name in names if name in named), "") for phase, names in _PHASES.items()}
    phases = {phase: named[name] for phase, name in matched.items() if name}
    calls = next((phases[name].calls for name in ("training_batch", "forward") if name in phases), 0)
    for phase, action in phases.items():
        _add(run, "step_time", phase, action)
    # The row of the whole run, which newer layouts have.
    total = next((action for action in actions if action.name == "Total" and action.mean is None), None)
    used = {id(action) for action in (*phases.values(), total)}
    for action in actions:
        if id(action) not in used:
            metric = "step_time" if action.calls == calls > 1 else "action_time"
            _add(run, "run_time" if action.mean is None else metric, action.name, action)
    if whole := _whole_step(named, phases):
        _add(run, "step_time", STEP, *whole)
    if total:
        _add(run, "run_time", STEP, total)


def _whole_step(named: Mapping[str, Action], phases: Mapping[str, Action]) -> tuple[Action, ...]:
    """Return the actions from batch to batch: the trainer's work on one and the wait for the next.

    Before 1.1 no action is the whole work. There, the optimizer step contains the closure with forward and
    backward, and the hooks of the batch are outside it. () if the report has not all of them.
    """
    if "data_loading" not in phases:
        return ()
    if "training_batch" in phases:
        return phases["training_batch"], phases["data_loading"]
    parts = [phases[name].mean or 0.0 for name in ("forward", "backward") if name in phases]
    optimizer = named.get("optimizer_step")
    hooks = [named[name] for name in _BATCH_HOOKS if name in named]
    if optimizer is None or optimizer.calls != phases["data_loading"].calls or len(hooks) < len(_BATCH_HOOKS):
        return ()
    contains = len(parts) == 2 and (optimizer.mean or 0.0) >= sum(parts)
    return (optimizer, phases["data_loading"], *hooks) if contains else ()


def add_between_steps(run: ResultRun, actions: Sequence[Action]) -> None:
    """Add the sum of the means between two steps if the report has all of them."""
    named = {action.name: action for action in actions if action.mean is not None}
    if not all(name in named for name in _BETWEEN_STEPS):
        return
    _add(run, "step_time", "between_steps", *(named[name] for name in _BETWEEN_STEPS))


def _add(run: ResultRun, metric: str, phase: str, *actions: Action) -> None:
    """Add the sum of the means of actions, or the total of one without a mean."""
    # In this order and without fsum: the original adds floats one after another.
    value = sum(action.mean for action in actions if action.mean is not None)
    text, statistic, first = " + ".join(action.text for action in actions), "mean", actions[0]
    if first.mean is None:
        value, text, statistic = first.total, f"{first.total:g}", "total"
    run.add_aggregate(metric, value, text, statistic, first.calls, first.line, phase=phase, only_finite=False)
