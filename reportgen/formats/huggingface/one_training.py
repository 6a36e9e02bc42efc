"""Recognise the files of one training of the Hugging Face Trainer, and merge what each says of it.

`trainer_state.json`, LLaMA-Factory's `trainer_log.jsonl` and the console output in one folder are one run, if
they agree: the log ends at the step of the state, the console prints its run time. The state has the totals,
the log or the console the steps, and the console the batch and the devices.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from msgspec import structs

from reportgen.core.model import Run, Series
from reportgen.formats.base import Claim
from reportgen.formats.parsing import json_values, trainer_output
from reportgen.formats.parsing.json_values import number, tables, whole
from reportgen.formats.parsing.text_log import JsonSign, TextLog
from reportgen.sources.logfiles import LogFiles

STATE, LINES = "trainer_state.json", "trainer_log.jsonl"
_CONSOLE = (".log", ".txt", ".out")
_MAX_CONSOLES = 32
# The state has four digits of the run time, a printed table two.
_MAX_TIME_ERROR = 0.01


def claim_training(files: LogFiles, state: JsonSign) -> Claim | None:
    """Claim the files of one training in a folder; None if only its state is there."""
    if STATE not in files.children()[0]:
        return None
    claim = state.claim(files.file(STATE))
    others = tuple(_others(files)) if claim else ()
    return replace(claim, files=(STATE, *others)) if claim and others else None


def _others(files: LogFiles) -> Iterator[str]:
    """Yield the other files of the training that the state describes, of consoles the first."""
    document = json_values.table(json_values.load(files.bytes(STATE)))
    totals = [entry for entry in tables(document.get("log_history")) if "train_runtime" in entry]
    if not totals or "train_samples_per_second" not in totals[-1]:
        return
    names = files.children()[0]
    if LINES in names and _last_step(TextLog(files.file(LINES))) == whole(document.get("global_step")):
        yield LINES
    time = number(totals[-1]["train_runtime"])
    for name in [name for name in names if name.endswith(_CONSOLE)][:_MAX_CONSOLES]:
        log = TextLog(files.file(name))
        printed = trainer_output.totals(log) if b"train_runtime" in log.content else None
        if printed and abs(printed.time - time) <= _MAX_TIME_ERROR:
            yield name
            return


def _last_step(log: TextLog) -> int | None:
    last = None
    for _, entry in json_values.objects(log.content, log.malformed):
        last = whole(entry.get("current_steps")) or last
    return last


def merge_training(runs: Mapping[str, Run]) -> Run:
    """Return the run of the state with what the runs of the other files add to it."""
    state, lines = runs[STATE], runs.get(LINES)
    console = next((run for name, run in runs.items() if name not in (STATE, LINES)), None)
    series = state.series or (_counted(lines) if lines else ()) or (console.series if console else ())
    factors = {**(lines.factors if lines else {}), **(console.factors if console else {}), **state.factors}
    findings = [finding for run in runs.values() for finding in run.findings]
    return replace(
        state,
        factors=factors,
        series=series,
        status=console.status if console else state.status,
        samples_per_step=console.samples_per_step if console else None,
        findings=tuple(replace(finding, subject=state.id) for finding in findings),
    )


def _counted(run: Run) -> tuple[Series, ...]:
    """Return step times whose work, tokens, is a series of its own: the state counts samples."""
    series: list[Series] = []
    for each in run.series:
        series.append(structs.replace(each, samples=np.full(len(each.step), np.nan)))
        if np.isfinite(each.samples).any():
            series.append(
                structs.replace(each, metric="tokens", value=each.samples, samples=series[-1].samples)
            )
    return tuple(series)
