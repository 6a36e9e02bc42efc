"""Read what the Hugging Face Trainer leaves: trainer_state.json, printed dicts, LLaMA-Factory's log.

Each file becomes one Run. The Trainer times no step: trainer_state.json and the printed dicts end in totals
over the whole `train()` call, evaluation and compilation included, and those are aggregates. There are
intervals where entries count time from the begin of training (LLaMA-Factory's elapsed time in whole seconds;
newer versions' `train_runtime` in every entry) and where the progress bar of training is in the log.

Format: https://github.com/huggingface/transformers, trainer_callback.py and trainer_utils.py (speed_metrics);
https://github.com/hiyouga/LLaMA-Factory, train/callbacks.py.
"""

import math
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.core.model import Finding, FloatArray, Run
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing import json_values, trainer_output
from reportgen.formats.parsing.run_builder import RunBuilder, spans
from reportgen.formats.parsing.step_numbers import shortened
from reportgen.formats.parsing.text_log import NUMBER, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "hf_trainer"
_STATE = (b'"log_history"', b'"global_step"')
_LINES = (b'"current_steps"', b'"elapsed_time"')
# Python dicts; from transformers 5 on, numbers are formatted as texts.
_DICT = re.compile(
    rb"\{'(?:loss|train_runtime|eval_loss)': '?" + NUMBER + rb"'?, [^{}\n]{0,3000}?'epoch': '?" + NUMBER
)
# Seconds for each step since the begin, over those between entries, below which a process did not begin at 0.
_RESUMED = 0.75


def claims(files: LogFiles) -> Claim | None:
    """Claim a trainer_state.json, a trainer_log.jsonl or a text with the Trainer's dicts, by content."""
    return (
        json_values.claim(files, _STATE, 0.95, b"{")
        or json_values.claim(files, _LINES, 0.95, b"{")
        or claim(files, b"'epoch': ", _DICT, 0.8)
        or claim(files, trainer_output.SUMMARY, trainer_output.FINAL, 0.8)
        or claim(files, trainer_output.METRICS, trainer_output.BLOCK, 0.8)
    )


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    begins = log.content.lstrip(b" \t\r\n")[:1]
    if begins == b"{" and _STATE[0] in log.content:
        yield _from_state(log)
    elif begins == b"{" and _LINES[0] in log.content:
        yield _from_lines(log)
    else:
        yield _from_text(log)


FORMAT = Format(
    _NAME,
    "Hugging Face Trainer: trainer_state.json, console output, LLaMA-Factory's log.",
    claims,
    read,
    marks=(_STATE[0], _LINES[0], b"'epoch': ", trainer_output.SUMMARY, trainer_output.METRICS),
)


def _start(log: TextLog, step: Sequence[int], line: Sequence[int]) -> RunBuilder:
    run = RunBuilder(
        log, _NAME, np.array(step, dtype=np.int64), np.array(line, dtype=np.int64), len(log.content)
    )
    run.factors["framework"] = "transformers"
    return run


def _from_state(log: TextLog) -> Run:
    state = json_values.load(log.content)
    entries = [
        one for one in json_values.items(json_values.table(state).get("log_history")) if isinstance(one, dict)
    ]
    final = next((one for one in reversed(entries) if "train_samples_per_second" in one), None)
    timed = [
        one
        for one in entries
        if one is not final and "train_runtime" in one and (json_values.whole(one.get("step")) or 0) > 0
    ]
    steps = [int(one["step"]) for one in timed]
    # Entries are in the order of the file, so each one's line is that of its own key.
    at = [match.start() for match in re.finditer(rb'"train_runtime"', log.content)]
    run = _start(
        log, steps, log.lines(at[: len(timed)]).tolist() if len(at) >= len(timed) else [0] * len(timed)
    )
    run.factors["item"] = "sample"
    _add_runtime(run, timed)
    batch = json_values.whole(json_values.table(state).get("train_batch_size"))
    if batch:
        run.factors["micro_batch_size"] = batch
    if state is None:
        run.log.malformed.add(1, "not a JSON document")
    if final:
        _add_final(run, final, json_values.whole(json_values.table(state).get("max_steps")) or 0)
    elif not run.series:
        return _without_figures(
            run, "a state without the totals that the end of training adds: a checkpoint's"
        )
    return run.run()


def _add_runtime(run: RunBuilder, timed: Sequence[Mapping[str, Any]]) -> None:
    """Add intervals from entries whose run time and token counts are since the begin of training."""
    since = np.array([json_values.number(one["train_runtime"]) for one in timed])
    tokens = np.array([json_values.number(one.get("num_input_tokens_seen")) for one in timed])
    if len(timed) and bool((np.diff(run.step) > 0).all()):
        _add_since_begin(run, since, tokens)
        if np.isfinite(tokens).all():
            run.factors["item"] = "token"


def _add_since_begin(run: RunBuilder, since: FloatArray, tokens: FloatArray) -> bool:
    """Add intervals from a clock (s) that begins anew with each process; return whether one was resumed.

    A resumed one goes on counting steps and tokens: how many of its first entry's are its own is unknown.
    """
    span, time = np.diff(run.step, prepend=0), np.diff(since, prepend=0.0)
    time[time < 0] = np.nan
    later = [one for one in (time[1:] / span[1:]).tolist() if math.isfinite(one)]
    if later and span[0] > spans(run.step)[0] and time[0] < _RESUMED * span[0] * statistics.median(later):
        time[0] = np.nan
    run.add("step_time", time, "host", span=span, samples=np.diff(tokens, prepend=0.0))
    return bool(np.isnan(time).any())


def _add_final(run: RunBuilder, final: Mapping[str, Any], planned: int) -> None:
    """Add the totals of a job; its rates are of the planned steps, and of steps alone in older versions."""
    time, steps = json_values.number(final.get("train_runtime")), json_values.whole(final.get("step")) or 0
    line = json_values.line_of(run.log.content, b'"train_samples_per_second"', last=True)
    rate = json_values.number(final.get("train_samples_per_second"))
    if steps:
        run.add_aggregate("step_time", time / steps, f"{time} s / {steps} steps", "total", steps, line)
    run.add_aggregate("run_time", time, f"{time} s", "total", steps, line)
    is_of_samples = "train_steps_per_second" in final and steps >= planned
    if run.factors["item"] == "sample" and is_of_samples:
        run.add_aggregate("throughput", rate, f"{rate} samples/s", "total", steps, line)
    tokens = json_values.number(final.get("num_input_tokens_seen"))
    if tokens > 0 and time > 0:
        run.add_aggregate(
            "token_throughput", tokens / time, f"{tokens:.0f} tokens / {time} s", "total", steps, line
        )


def _from_lines(log: TextLog) -> Run:
    every = [
        (line, one)
        for line, one in json_values.objects(log.content, log.malformed)
        if (json_values.whole(one.get("current_steps")) or 0) > 0 and _elapsed(one) is not None
    ]
    step = np.array([one["current_steps"] for _, one in every], dtype=np.int64)
    # A resumed process does its last steps again.
    most = np.maximum.accumulate(step)
    kept = [every[i] for i in np.flatnonzero(np.diff(most, prepend=0) > 0).tolist()]
    run = _start(log, [one["current_steps"] for _, one in kept], [line for line, _ in kept])
    since = np.array([_elapsed(one) for _, one in kept], dtype=np.float64)
    tokens = np.array([json_values.number(one.get("total_tokens")) for _, one in kept])
    run.factors.update({"item": "token"} if np.isfinite(tokens).any() else {})
    is_resumed = len(kept) > 1 and _add_since_begin(run, since, tokens)
    if len(kept) == 1:
        steps, seconds = int(run.step[-1]), float(since[-1])
        original = f"{kept[-1][1]['elapsed_time']} / {steps} steps"
        run.add_aggregate("step_time", seconds / steps, original, "total", steps, kept[-1][0])
    # All tokens of a job over the time of its last process are no rate.
    if kept and not is_resumed:
        rate = json_values.number(kept[-1][1].get("throughput"))
        run.add_aggregate("throughput", rate, f"{rate} tokens/s", "mean", int(run.step[-1]), kept[-1][0])
    return run.run()


def _elapsed(entry: Mapping[str, Any]) -> float | None:
    """Return `0:10:07` or `1 day, 0:10:07` in s."""
    found = re.fullmatch(r"(?:(\d{1,4}) days?, )?(\d{1,4}):(\d{2}):(\d{2})", str(entry.get("elapsed_time")))
    if not found:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)


def _from_text(log: TextLog) -> Run:
    plan, totals = trainer_output.plan(log), trainer_output.totals(log)
    bar = trainer_output.progress(log, plan, totals)
    run = _start(log, bar.step.tolist(), bar.line.tolist())
    run.last = max(bar.end, totals.end if totals else 0)
    run.factors["item"] = "sample"
    run.factors.update(plan.factors)
    run.samples_per_step = float(plan.batch) if plan.batch else None
    run.breaks = bar.breaks
    run.add_stamps(bar.since, run.work(np.diff(run.step, prepend=0)))
    if totals:
        _add_totals(run, totals, bar)
        return run.run()
    if not bar.last:
        return _without_figures(run, "no totals: the log ends before training does")
    return shortened(run.run(), bar.last, bar.planned)


def _add_totals(run: RunBuilder, totals: trainer_output.Totals, bar: trainer_output.Progress) -> None:
    """Add the totals of a job; its rates are of the planned steps, however many were done."""
    steps = bar.last or bar.planned
    if steps and totals.is_of(bar.planned):
        original = f"{totals.time_text} / {steps} steps"
        run.add_aggregate("step_time", totals.time / steps, original, "total", steps, totals.line)
    run.add_aggregate("run_time", totals.time, totals.time_text, "total", 0, totals.line)
    if steps >= bar.planned:
        rate = totals.rate
        run.add_aggregate("throughput", rate, f"{rate:g} samples/s", "total", 0, totals.line)


def _without_figures(run: RunBuilder, why: str) -> Run:
    run.findings.append(Finding("warning", Rule.READ_INCOMPLETE_RUN, run.log.id, why, run.log.source))
    return run.run()
