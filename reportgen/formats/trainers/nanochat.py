"""Read the log lines of nanochat: `step 00010/21400 (0.05%) | ... | dt: 996.81ms | tok/sec: 525,967 | ...`.

A file becomes one Run of single steps, synchronised on both sides, with the printed rate beside the times.
Steps count from 0 in the log and from 1 here. Tokens per step are printed once at the start, and follow
from time and rate of all lines together where that line is missing. Its forebear build-nanogpt prints no
percentage; its steps that begin with an evaluation contain it in their times, which are left out.

Format: https://github.com/karpathy/nanochat, scripts/base_train.py and chat_sft.py (no total, newer fields);
https://github.com/karpathy/build-nanogpt, train_gpt2.py.
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.core.model import Finding, FloatArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.parsing.run_builder import RunBuilder, common_work, once
from reportgen.formats.parsing.text_log import COUNT, NUMBER, Records, TextLog, claim
from reportgen.sources.logfiles import LogFiles

_NAME = "nanochat"
_FIELDS = rb" (?:\| [^|\n]{1,50}){0,8}?"
_STEP = re.compile(
    rb"step {0,6}(?P<step>"
    + COUNT
    + rb")(?:/"
    + COUNT
    + rb")?(?P<share> \([^)\n]{1,10}\))? \| loss: {1,4}(?P<loss>"
    + NUMBER
    + rb"|-?nan|-?inf)"
    + _FIELDS
    + rb"\| dt: (?P<ms>"
    + NUMBER
    + rb")ms \| tok/sec: {1,4}(?P<rate>[0-9]{1,3}"
    rb"(?:,?[0-9]{3}){0,6}(?P<fraction>\.[0-9]{1,6})?)(?= \|| {0,3}\n)"
)
_ANCHOR = b" | tok/sec: "
_BATCH = re.compile(
    rb"Total batch size (?P<tokens>[0-9][0-9,]{0,20}) => gradient accumulation steps"
    rb"|total desired batch size: (?P<desired>" + COUNT + rb")"
)
# What build-nanogpt prints before the line of a step whose time contains it.
_EVALUATION = re.compile(
    rb"^(?:validation loss: |HellaSwag accuracy: |rank [0-9]{1,4} sample )", re.MULTILINE
)
_RANKS = re.compile(rb"Tokens / micro-batch / rank: (?P<rows>" + COUNT + rb") x (?P<length>" + COUNT + rb")")
_WORLD = re.compile(
    rb"Distributed world size: (?P<world>" + COUNT + rb")|ddp_world_size[=: ]{1,3}(?P<ddp>" + COUNT + rb")"
)


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a line of a step."""
    return claim(files, _ANCHOR, _STEP, 0.95)


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = TextLog(files)
    every = log.records(_STEP, _ANCHOR, "not a whole step line of nanochat")
    found = every.take(once(every.integers("step")))
    run = RunBuilder(
        log, _NAME, found.integers("step") + 1, found.line, int(every.end[-1]) if len(every) else 0
    )
    is_forebear = None in found.columns["share"]
    run.factors.update(framework="build-nanogpt" if is_forebear else "nanochat", item="token")
    time, rate = found.floats("ms") / 1e3, found.floats("rate")
    if batch := log.search(_BATCH, b"otal "):
        run.samples_per_step = float((batch["tokens"] or batch["desired"]).replace(b",", b""))
    elif len(found):
        run.samples_per_step = _work(found, rate, time)
    if rows := log.search(_RANKS, b"Tokens / micro-batch / rank: "):
        run.factors["micro_batch_size"], run.factors["seq_len"] = int(rows["rows"]), int(rows["length"])
    if world := log.search(_WORLD, b"world"):
        run.factors["devices"] = int(world["world"] or world["ddp"])
    if is_forebear:
        evaluated = [one.start() for one in _EVALUATION.finditer(log.content)]
        behind = np.unique(np.searchsorted(found.begin, evaluated))
        time[behind[behind < len(found)]] = np.nan
    samples = np.full(len(found), np.nan if run.samples_per_step is None else run.samples_per_step)
    run.add("step_time", time, "host_synchronized", samples=samples)
    run.add("throughput", np.where(np.isfinite(time), rate, np.nan), "printed", samples=samples)
    yield run.run()


FORMAT = Format(_NAME, "Training logs of nanochat and build-nanogpt.", claims, read, marks=(_ANCHOR,))


def _work(found: Records, rate: FloatArray, time: FloatArray) -> float | None:
    """Return the tokens per step; rates are cut to whole numbers, or rounded to the digits they have."""
    digits = min(len(text or b".") - 1 for text in found.columns["fraction"])
    if digits:
        return common_work(rate, time, _rounding(found) / 1e3, 0.5 * 10.0**-digits)
    # The true rate lies half a token per second higher, give or take half.
    return common_work(rate + 0.5, time, _rounding(found) / 1e3, 0.5)


def _rounding(found: Records) -> float:
    """Return half of the last digit of the printed ms; relatives of nanochat print whole ones."""
    digits = min(len((text or b"").partition(b".")[2]) for text in found.columns["ms"])
    return 0.5 * 10.0**-digits
