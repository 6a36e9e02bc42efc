"""Read NVIDIA DLLogger logs of any program, text (`DLL ...`) or JSON lines (`DLLL {...}`).

A file becomes one Run. Step times come from the timestamps of the records; printed rates are kept to check
them. Each program has its own name for the throughput of the job: `_RATES` lists the known ones; for other
programs the unit of a metric decides. NeMo prints the time of a step instead.

BERT, SSD, Mask R-CNN, Tacotron 2 and WaveGlow print more than DLLogger's records and have other readers.

Format: https://github.com/NVIDIA/dllogger (v1.1.0), as used by NVIDIA's DeepLearningExamples.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import IntArray
from reportgen.formats.base import Results
from reportgen.formats.nvidia_dle import dllogger_records
from reportgen.formats.nvidia_dle.dllogger_records import ParsedLog
from reportgen.formats.nvidia_dle.examples import (
    BESIDE,
    add_throughput,
    launched_ranks,
    set_batch,
    set_precision,
)
from reportgen.formats.parsing.accumulation import accumulation_steps
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.several_runs import built_runs, result_places
from reportgen.formats.parsing.step_numbers import count_on
from reportgen.formats.parsing.text_log import NUMBER, STAMP, TextLog, TextSign, format_of, positive

_NAME = "dllogger"


@dataclass(frozen=True, slots=True)
class Rate:
    """The name that a program gives to the throughput of the whole job.

    metric     in the records of steps
    final      in the record of the whole run, where it is this `statistic`
    item       "" if programs for several kinds of items share the name
    signature  text that only this program prints, `metric` if empty
    is_time    the metric is the s of a step, and the program prints no record of the whole run
    """

    metric: str
    item: str
    final: str
    statistic: str = "mean"
    is_batch_global: bool = False
    model: str = ""
    signature: str = ""
    is_time: bool = False


_RATES = (
    Rate("train.total_ips", "image", "train.total_ips"),  # PyTorch ConvNets, and MXNet
    Rate("train.ips", "image", "train.ips"),
    Rate("total_ips", "image", "train_throughput"),  # TensorFlow 1 ConvNets
    Rate("imgs_per_sec", "image", "throughput_train"),  # the same, older
    Rate("throughput_train", "", "throughput_train"),  # TensorFlow BERT, U-Net
    Rate("training_sequences_per_second", "sequence", "training_sequences_per_second"),  # PyTorch BERT
    # NCF prints no steps. It reports the best epoch because the first of its two is slow.
    Rate("train_throughput", "sample", "best_train_throughput", "best", True, "NCF", "valid_batch_size"),
    Rate("train_step_timing in s", "sequence", "", is_batch_global=True, is_time=True),  # NeMo
)
_BY_SIGNATURE = [((rate.signature or rate.metric).encode(), rate) for rate in _RATES]
_MAX_LIST_CHARS = 10000
_EPOCH = lazy_pattern(
    rb'\btrain_throughput"? ?: (' + NUMBER + rb')[^\r\n]{0,400}?\btrain_epoch_time"? ?: (' + NUMBER + rb")"
)
_ROUNDING = 0.001
_ARGUMENT = lazy_pattern(r"\b([a-z]\w{0,60})='?([\w.+-]{1,80})")
_ITEMS: Mapping[str, str] = {
    "img": "image", "images": "image", "seq": "sequence", "sequences": "sequence", "sentences": "sequence",
    "samples": "sample", "tokens": "token", "tok": "token", "items": "item", "records": "sample",
}  # fmt: skip
_CRASHED = lazy_pattern(rb"'\./main\.py', '[^']*', '--arch', '([\w-]{1,40})'[^\r\n]*'--raport-file'")
_RESULT = lazy_pattern(rb"DLLL? " + STAMP + rb" - \(\) |\"step\": (?:\[\]|\"Summary\")")
_CRASHED_BATCH = lazy_pattern(rb"'--batch-size', '([0-9]{1,9})'")


def read(log: TextLog) -> Results:
    """Yield the runs of the file."""
    rate, parsed = _parse(log)
    places = parsed.steps.places if len(parsed.steps) else result_places(log, _RESULT)
    yield from built_runs(
        log, places, lambda: _run(log, rate, parsed), lambda part: _run(part, *_parse(part))
    )


def _parse(log: TextLog) -> tuple[Rate | None, ParsedLog]:
    # rfind reports an absent name faster than find.
    rate = next((rate for name, rate in _BY_SIGNATURE if log.content.rfind(name) >= 0), None)
    metric = rate.metric if rate else ""
    parsed = dllogger_records.json_log(log, metric) or dllogger_records.text_log(log, metric)
    return rate, parsed


def _run(log: TextLog, rate: Rate | None, parsed: ParsedLog) -> RunBuilder:
    has_result = None if rate and rate.is_time else parsed.summary is not None
    run = RunBuilder(log, _NAME, has_result=has_result)
    _describe(run, parsed, rate)
    _measure(run, parsed, rate)
    return run


FORMAT = format_of(
    _NAME,
    "NVIDIA DLLogger logs of any program, text or JSON lines.",
    (
        TextSign((b"DLL ", b"DLLL "), dllogger_records.RECORD, 0.8, BESIDE),
        # A ConvNet that printed no record.
        TextSign((b"'--raport-file'",), _CRASHED, 0.7, BESIDE),
    ),
    read,
)


def _describe(run: RunBuilder, parsed: ParsedLog, rate: Rate | None) -> None:
    """Set the factors from the settings that the program printed."""
    parameters = {**_arguments(parsed.parameters), **parsed.parameters}
    by_unit = next((_item(unit) for unit in parsed.units.values() if unit.endswith("/s")), "")
    named: dict[str, object] = {
        "item": (rate and rate.item) or by_unit,
        "model": (rate and rate.model) or parameters.get("arch") or parameters.get("model_name"),
        "seq_len": positive(str(parameters.get("max_seq_length"))),
    }
    run.factors = {name: value for name, value in named.items() if isinstance(value, str | int) and value}
    set_precision(run, _half(parameters))
    accumulated = accumulation_steps(run.log.content)
    batch = _batch(parameters, accumulated)
    crashed = _CRASHED.search(run.log.content) if not parameters else None
    if crashed:
        run.factors["model"] = crashed[1].decode()
        crashed_batch = _CRASHED_BATCH.search(run.log.content, crashed.start())
        batch = int(crashed_batch[1]) if crashed_batch else None
    devices = _devices(run.log, parameters)
    # NVIDIA's MXNet prints the batch of all its GPUs.
    if rate and rate.is_time:
        run.factors["framework"] = "NeMo"
        batch = positive(str(parameters.get("cfg/global_batch_size")))
    if (rate and rate.is_batch_global) or "kv_store" in parameters:
        run.samples_per_step = set_batch(run, devices, global_batch=batch)
    else:
        run.samples_per_step = set_batch(run, devices, batch_size=batch, accumulated=accumulated)


def _arguments(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Return the arguments in a `Config : ["Namespace(...)"]`, which has been printed as one parameter."""
    text = str(parameters.get("Config", ""))[:_MAX_LIST_CHARS]
    arguments = dict(_ARGUMENT.findall(text)) if "Namespace(" in text else {}
    # Of all accumulated batches, or of one of them: versions differ.
    arguments.pop("train_batch_size", None)
    return arguments


def _batch(parameters: Mapping[str, Any], accumulated: int) -> int | None:
    """Return the batch that a device computes at once."""
    names = ("batch_size", "batch_size_per_gpu", "train_batch_size", "batch size")
    name = next((name for name in names if parameters.get(name)), "")
    batch = positive(str(parameters.get(name)))
    # The batch of training has all that are accumulated in a step.
    is_split = batch and name == "train_batch_size" and batch % accumulated == 0
    return batch // accumulated if batch and is_split else batch


def _devices(log: TextLog, parameters: Mapping[str, Any]) -> int | None:
    """Return the number of GPUs: a setting, a list of them, a line of its own, or what was launched."""
    names = ("world_size", "gpu_count", "num_gpus")
    count = next((count for name in names if (count := positive(str(parameters.get(name))))), None)
    if count is None and "kv_store" in parameters:
        count = len(re.findall(r"[0-9]+", str(parameters.get("gpus", ""))[:_MAX_LIST_CHARS])) or None
    # TensorFlow 1 and Horovod; a shell that prints its commands.
    count = count or log.count(b"\nNum GPUs ", b">:Num GPUs ") or log.count(b"hvd.size() = ")
    return count or launched_ranks(log.content)


def _half(parameters: Mapping[str, Any]) -> str:
    """Return "True" or "False" if the settings say whether half precision is used, else "".

    Only ConvNets print it if they do not use it; others print `amp : False` and use it by other means.
    """
    settings = [str(parameters.get(name)).capitalize() for name in ("amp", "fp16", "dtype")]
    if "True" in settings or "Float16" in settings:
        return "True"
    return "False" if "arch" in parameters and "amp" in parameters else ""


def _item(unit: str) -> str:
    word = unit.partition("/")[0]
    return _ITEMS.get(word, word.removesuffix("s"))


def _measure(run: RunBuilder, parsed: ParsedLog, rate: Rate | None) -> None:
    steps = parsed.steps
    dllogger_records.set_start(run)
    step, run.breaks = count_on(steps.epoch, steps.iteration)
    run.step, run.line, run.last = step, steps.line, steps.last
    run.add_stamps(steps.t, run.samples_per_step)
    printed = np.isfinite(steps.rate)
    run.step, run.line, run.breaks = step[printed], steps.line[printed], ()
    span = np.full(len(run.step), _stride(step))
    if rate and rate.is_time:
        run.add("step_time", steps.rate[printed] * span, "printed", span=span, samples=run.work(span))
    else:
        run.add("throughput", steps.rate[printed], "printed", span=span)
    run.step = step
    final = parsed.summary.get(rate.final) if rate and parsed.summary else None
    if rate and final:
        text, time = f"{rate.final} : {final[0]:g}".encode(), None
        if rate.statistic == "best":
            # The epoch that has this rate says how long it took; it has fewer digits than the summary.
            epochs = [(float(each[1]), float(each[2])) for each in _EPOCH.finditer(run.log.content)]
            near = [took for value, took in epochs if abs(value / final[0] - 1) < _ROUNDING]
            time = near[-1] if near else None
        add_throughput(run, final[0], text, rate.statistic, final[1], time)


def _stride(step: IntArray) -> int:
    """Return how many steps most records cover: a rate covers all steps since the record before."""
    apart = np.diff(step)
    apart = np.sort(apart[apart > 0])
    # The median of an even count is that of the two in the middle.
    return int(apart[(len(apart) - 1) // 2] + apart[len(apart) // 2]) // 2 if len(apart) else 1
