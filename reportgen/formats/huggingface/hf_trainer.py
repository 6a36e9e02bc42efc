"""Read what the Hugging Face Trainer leaves: trainer_state.json, printed dicts, LLaMA-Factory's log.

Each file becomes one Run; files of one training in a folder are one run (see one_training). The Trainer does
not time steps: trainer_state.json and the printed dicts end in totals over the whole `train()` call, which
become aggregates: without the evaluations whose times the file lists, with compilation and checkpoints.
Intervals exist if entries count time from the beginning of training (LLaMA-Factory's elapsed time in whole
seconds; newer versions' `train_runtime` in every entry), and if the progress bar of training is in the log.

Format: https://github.com/huggingface/transformers, trainer_callback.py and trainer_utils.py (speed_metrics);
https://github.com/hiyouga/LLaMA-Factory, train/callbacks.py.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray, Run
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Results
from reportgen.formats.huggingface.one_training import STATE, claim_training, merge_training
from reportgen.formats.parsing import json_values, trainer_output
from reportgen.formats.parsing.json_values import number, tables, whole
from reportgen.formats.parsing.progress_bars import apart
from reportgen.formats.parsing.run_builder import RunBuilder, spans
from reportgen.formats.parsing.several_runs import RunBorders, result_places, run_borders, run_logs
from reportgen.formats.parsing.step_numbers import shortened
from reportgen.formats.parsing.text_log import (
    NUMBER,
    JsonSign,
    TextLog,
    TextSign,
    format_of,
    read_with_warnings,
)
from reportgen.formats.parsing.timestamps import elapsed
from reportgen.sources.logfiles import LogFiles

_NAME = "hf_trainer"
_STATE = (b'"log_history"', b'"global_step"')
_LINES = (b'"current_steps"', b'"elapsed_time"')
# Python dicts; since transformers 5, numbers are formatted as texts.
_DICT = lazy_pattern(
    rb"\{'(?:loss|train_runtime|eval_loss)': '?" + NUMBER + rb"'?, [^{}\n]{0,3000}?'epoch': '?" + NUMBER
)
_ELAPSED = lazy_pattern(r"(?:\d{1,4} days?, )?\d{1,4}:\d{2}:\d{2}", re.ASCII)
_LINE = lazy_pattern(rb'^\{"current_steps": (?P<step>[0-9]{1,15}), ', re.MULTILINE)
_RATE = "train_samples_per_second"
_INCOMPLETE = Rule.READ_INCOMPLETE_RUN
# A process was resumed if the first entry's time per step is below this share of the later entries'.
_MIN_FIRST_STEP_SHARE = 0.75


def read(log: TextLog) -> Results:
    """Yield the runs of the file: a console output or a log may hold several trainings."""
    begins = _line_begins(log.content)
    borders = RunBorders(begins) if begins else run_borders(log, result_places(log, trainer_output.FINAL))
    for part in run_logs(log, borders):
        yield _read_one(part)


def _first(log: TextLog) -> Results:
    yield _read_one(log)


def _line_begins(content: bytes) -> tuple[int, ...]:
    """Return where trainings begin in LLaMA-Factory's log of steps: where the first step comes again."""
    begins: list[int] = []
    first = before = 0
    for line in _LINE.finditer(content):
        step = int(line["step"])
        if not begins or (step < before and step <= first):
            begins.append(line.start() if begins else 0)
            first = step
        before = step
    return tuple(begins)


def _read_one(log: TextLog) -> Run:
    start = log.content.lstrip(b" \t\r\n")[:1]
    if start == b"{" and _STATE[0] in log.content:
        return _from_state(log)
    if start == b"{" and _LINES[0] in log.content:
        return _from_lines(log)
    return _from_text(log)


_STATE_SIGN = JsonSign(_STATE, 0.95)
_HEAD = TextSign((trainer_output.BEGUN,), trainer_output.NAMED_PLAN, 0.6)
_FILES = format_of(
    _NAME,
    "Hugging Face Trainer: trainer_state.json, console output, LLaMA-Factory's log.",
    (
        _STATE_SIGN,
        JsonSign(_LINES, 0.95),
        TextSign((b"'epoch': ",), _DICT, 0.8),
        TextSign((trainer_output.SUMMARY,), trainer_output.FINAL, 0.8),
        TextSign((trainer_output.METRICS,), trainer_output.BLOCK, 0.8),
        # A job may run out of memory before its first loss.
        TextSign((trainer_output.BEGUN,), trainer_output.PLAN, 0.6),
    ),
    read,
)


def claims(files: LogFiles) -> Claim | None:
    """Claim a file by its content, and the files of one training in a folder."""
    return claim_training(files, _STATE_SIGN) if files.is_folder else _FILES.claims(files)


def begun(files: LogFiles) -> Claim | None:
    """Claim a file by the plan of a training."""
    return _HEAD.claim(files)


def _read_view(files: LogFiles) -> Results:
    """Yield the run of a file, or the one run of the files of a training."""
    if not files.is_folder:
        yield from _FILES.read(files)
        return
    logs = {name: read_with_warnings(TextLog(files.file(name)), _first) for name in files}
    runs = {name: item for name, items in logs.items() for item in items if isinstance(item, Run)}
    if STATE in runs:
        yield merge_training(runs)


FORMAT = replace(_FILES, claims=claims, read=_read_view, begun=begun, views="both")


def _start(log: TextLog, step: ArrayLike, line: ArrayLike) -> RunBuilder:
    run = RunBuilder(log, _NAME, np.array(step, np.int64), np.array(line, np.int64), len(log.content))
    run.factors["framework"] = "transformers"
    return run


def _from_state(log: TextLog) -> Run:
    document = json_values.load(log.content)
    state = json_values.table(document)
    entries = tables(state.get("log_history"))
    final = next((entry for entry in reversed(entries) if _RATE in entry), None)
    training = entries[: entries.index(final)] if final else entries
    places = [i for i, entry in enumerate(training) if "train_runtime" in entry and whole(entry.get("step"))]
    timed = [training[i] for i in places]
    evaluated = np.cumsum([0.0, *(math.fsum(_evaluations(entry)) for entry in training)])
    # Entries are in the order of the file, so the line of each is that of its own key.
    lines = [*json_values.lines_of(log.content, b'"train_runtime"'), *[0] * len(timed)]
    run = _start(log, [entry["step"] for entry in timed], lines[: len(timed)])
    run.factors["item"] = "sample"
    if timed and bool((np.diff(run.step) > 0).all()):
        tokens = _numbers(timed, "num_input_tokens_seen")
        # An evaluation is listed behind the step that it follows, and is part of the next interval.
        _add_since_begin(
            run, _numbers(timed, "train_runtime"), tokens, np.diff(evaluated[places], prepend=0.0)
        )
        run.factors["item"] = "token" if np.isfinite(tokens).all() else "sample"
    if batch := whole(state.get("train_batch_size")):
        run.factors["micro_batch_size"] = batch
    if document is None:
        log.malformed.add(1, "not a JSON document")
    if final:
        evaluations = [time for entry in training for time in _evaluations(entry)]
        _add_final(run, final, whole(state.get("max_steps")) or 0, evaluations)
    elif not run.series:
        run.note(_INCOMPLETE, "no totals: a checkpoint's state; the end of training adds them")
    return run.run()


def _numbers(entries: Sequence[Mapping[str, Any]], key: str) -> FloatArray:
    return np.array([number(entry.get(key)) for entry in entries])


def _add_since_begin(
    run: RunBuilder, since: FloatArray, tokens: FloatArray, evaluated: FloatArray | float = 0.0
) -> bool:
    """Add intervals from a clock (s) that restarts with each process; return whether one was resumed.

    evaluated  s of evaluations in each interval

    A resumed process continues to count steps and tokens, so the share of its first entry is unknown.
    """
    span, time = np.diff(run.step, prepend=0), np.diff(since, prepend=0.0) - evaluated
    time[time < 0] = np.nan
    later = (time / span)[1:][np.isfinite(time[1:])]
    usual = np.median(later) if len(later) and span[0] > spans(run.step)[0] else 0.0
    if time[:1] < _MIN_FIRST_STEP_SHARE * span[:1] * usual:
        time[0] = np.nan
    run.add("step_time", time, "host", span=span, samples=np.diff(tokens, prepend=0.0))
    return bool(np.isnan(time).any())


def _evaluations(entry: Mapping[str, Any]) -> Iterator[float]:
    """Yield the s of the evaluation that an entry is about, if it is: `eval_runtime`, `eval_NAME_runtime`."""
    for key, value in entry.items():
        time = number(value) if key.startswith("eval_") and key.endswith("_runtime") else 0.0
        if time > 0:
            yield time


def _without(run: RunBuilder, evaluations: Sequence[float], time: float, text: str) -> tuple[float, str]:
    """Return the s of a job without its evaluations, and the difference as text.

    NaN, with a finding, if they took longer than the job: a resumed process lists those of the processes
    before it, and its steps are those of all of them.
    """
    if not evaluations:
        return time, text
    seconds = math.fsum(evaluations)
    listed = f"{len(evaluations)} evaluation{'s' * (len(evaluations) > 1)} of {seconds:.6g} s"
    if seconds < time:
        return time - seconds, f"({text} - {listed})"
    message = (
        f"training took {text}, and its log lists {listed}: an earlier process did most steps, so no rate "
        "is derived from that time"
    )
    run.note(Rule.READ_CONTRADICTION, message)
    return math.nan, text


def _add_final(run: RunBuilder, final: Mapping[str, Any], planned: int, evaluations: Sequence[float]) -> None:
    """Add the totals of a job; its rates are of the planned steps, and of steps alone in older versions.

    evaluations  s of each that is part of the job
    """
    time, rate, tokens = (number(final.get(key)) for key in ("train_runtime", _RATE, "num_input_tokens_seen"))
    steps = whole(final.get("step")) or 0
    line = next(reversed(json_values.lines_of(run.log.content, f'"{_RATE}"'.encode())), 0)
    alone, text = _without(run, evaluations, time, f"{time} s")
    if steps:
        run.add_aggregate("step_time", alone / steps, f"{text} / {steps} steps", "total", steps, line)
    run.add_aggregate("run_time", time, f"{time} s", "total", steps, line)
    is_of_samples = "train_steps_per_second" in final and steps >= planned
    if run.factors["item"] == "sample" and is_of_samples:
        _add_rate(run, rate, time, alone, text, steps, line)
    if tokens > 0 and time > 0:
        text = f"{tokens:.0f} tokens / {text}"
        run.add_aggregate("token_throughput", tokens / alone, text, "total", steps, line)


def _add_rate(
    run: RunBuilder, rate: float, time: float, alone: float, text: str, steps: int, line: int
) -> None:
    """Add the printed samples/s of a job, over its time without evaluations (s, and as text)."""
    original = f"{rate:g} samples/s"
    if alone != time:
        rate, original = rate * time / alone, f"{original} x {time:g} s / {text}"
    run.add_aggregate("throughput", rate, original, "total", steps, line)


def _from_lines(log: TextLog) -> Run:
    entries = [
        (line, entry)
        for line, entry in json_values.objects(log.content, log.malformed)
        if (whole(entry.get("current_steps")) or 0) > 0 and _ELAPSED.fullmatch(str(entry.get("elapsed_time")))
    ]
    # A resumed process repeats its last steps.
    highest = np.maximum.accumulate(np.array([entry["current_steps"] for _, entry in entries], np.int64))
    is_new = np.diff(highest, prepend=0) > 0
    kept = [entries[i] for i in np.flatnonzero(is_new).tolist()]
    lines, kept_entries = [line for line, _ in kept], [entry for _, entry in kept]
    run = _start(log, [entry["current_steps"] for entry in kept_entries], lines)
    since = elapsed([entry["elapsed_time"].encode() for entry in kept_entries])
    _note_repeated(run, entries, np.flatnonzero(~is_new).tolist())
    tokens = _numbers(kept_entries, "total_tokens")
    run.factors.update({"item": "token"} if np.isfinite(tokens).any() else {})
    is_resumed = len(kept) > 1 and _add_since_begin(run, since, tokens)
    if not kept:
        return run.run()
    (line, last), steps = kept[-1], int(run.step[-1])
    if len(kept) == 1:
        text = f"{last['elapsed_time']} / {steps} steps"
        run.add_aggregate("step_time", float(since[-1]) / steps, text, "total", steps, line)
    # The tokens of a whole job over the time of its last process are not a rate.
    if not is_resumed:
        rate = number(last.get("throughput"))
        run.add_aggregate("throughput", rate, f"{rate} tokens/s", "mean", steps, line)
    return run.run()


def _note_repeated(
    run: RunBuilder, entries: Sequence[tuple[int, Mapping[str, Any]]], repeated: Sequence[int]
) -> None:
    """Report entries whose steps came before: of a resumed process, or of several that write one log."""
    if not repeated:
        return
    line, entry = entries[repeated[0]]
    before = entries[repeated[0] - 1][1]
    again = "entry repeats a step" if len(repeated) == 1 else "entries repeat steps"
    message = (
        f"{len(repeated)} {again}, the first with step {entry['current_steps']} at {entry['elapsed_time']} "
        f"after step {before['current_steps']} at {before['elapsed_time']}: a resumed process, or several "
        "that write into one log; the first of each step counts"
    )
    run.note(Rule.READ_SEVERAL_RUNS, message, run.log.files.source(run.log.files.path, line))


def _from_text(log: TextLog) -> Run:
    plan, totals = trainer_output.plan(log), trainer_output.totals(log)
    bars, planned = trainer_output.progress(log, plan, totals)
    far = list(apart(since := elapsed(bars.columns["elapsed"])))
    run = _start(log, bars.integers("done")[far], bars.line[far])
    done = int(bars.integers("done").max(initial=0))
    run.last = max(int(bars.end.max(initial=0)), totals.end if totals else 0)
    run.factors |= {"item": "sample", **plan.factors}
    run.samples_per_step = float(plan.batch) if plan.batch else None
    run.breaks = tuple(trainer_output.evaluations(log, bars))
    run.add_stamps(since[far], run.work(np.diff(run.step, prepend=0)))
    if totals:
        evaluations = trainer_output.evaluation_times(log, plan.at, totals.end)
        _add_totals(run, totals, done or planned, planned, evaluations)
        return run.run()
    if not done:
        run.note(_INCOMPLETE, "no totals: the log ends before training does")
    return shortened(run.run(), done, planned)


def _add_totals(
    run: RunBuilder, totals: trainer_output.Totals, steps: int, planned: int, evaluations: Sequence[float]
) -> None:
    """Add the totals of a job; its rates are of the planned steps, however many were done.

    evaluations  s of each that is part of the job
    """
    time, line = totals.time, totals.line
    alone, text = _without(run, evaluations, time, totals.time_text)
    if steps and totals.is_of(planned):
        run.add_aggregate("step_time", alone / steps, f"{text} / {steps} steps", "total", steps, line)
    run.add_aggregate("run_time", time, totals.time_text, "total", 0, line)
    if steps >= planned:
        _add_rate(run, totals.rate, time, alone, text, 0, line)
