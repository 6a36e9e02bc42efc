"""Read NVIDIA DLLogger logs, text (`DLL ...`) and JSON lines (`DLLL {...}`), of any program.

A file becomes one Run. Step times come from the timestamps of the records; printed rates are kept beside
them to be checked against. Which metric is the rate of the job is a matter of the program's vocabulary,
listed in `_RATES`; a program that is not listed is read by the unit of its rates.

Format: https://github.com/NVIDIA/dllogger (v1.1.0), as used by NVIDIA's DeepLearningExamples. Programs
of which more than DLLogger's lines must be read (BERT, SSD, Mask R-CNN, Tacotron 2 and WaveGlow) have
readers of their own.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.core.model import FactorValue, Finding, IntArray, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.nvidia_dle import dllrecords
from reportgen.formats.nvidia_dle.dledraft import Draft, printed
from reportgen.formats.nvidia_dle.dlelog import Log, claim
from reportgen.formats.nvidia_dle.dllrecords import Records, Steps
from reportgen.formats.parsing.step_series import count_on, timed, where
from reportgen.sources.logfiles import LogFiles

_NAME = "dllogger"


@dataclass(frozen=True, slots=True)
class Rate:
    """What a program calls the rate of the whole job.

    metric  in the records of steps; final  in the record of the whole run, and which statistic that is
    item  "" where programs for several kinds of it share the name; sign  what only this program writes
    """

    metric: str
    item: str
    final: str
    statistic: str = "mean"
    is_batch_global: bool = False
    model: str = ""
    sign: str = ""


_RATES = (
    Rate("train.total_ips", "image", "train.total_ips"),  # PyTorch ConvNets, and MXNet
    Rate("train.ips", "image", "train.ips"),
    Rate("total_ips", "image", "train_throughput"),  # TensorFlow 1 ConvNets
    Rate("imgs_per_sec", "image", "throughput_train"),  # the same, older
    Rate("throughput_train", "", "throughput_train"),  # TensorFlow BERT, U-Net
    Rate("training_sequences_per_second", "sequence", "training_sequences_per_second"),  # PyTorch BERT
    # NCF has no steps. Its mean is over two epochs of which the first is slow, so it names the best.
    Rate("train_throughput", "sample", "best_train_throughput", "best", True, "NCF", "valid_batch_size"),
)
_BY_NAME = [((one.sign or one.metric).encode(), one) for one in _RATES]
_LIST = 10000
_ITEMS: Mapping[str, str] = {
    "img": "image", "images": "image", "seq": "sequence", "sequences": "sequence", "sentences": "sequence",
    "samples": "sample", "tokens": "token", "tok": "token", "items": "item", "records": "sample",
}  # fmt: skip
_SKIPPED = "skipped_steps"
_CRASHED = re.compile(rb"'\./main\.py', '[^']*', '--arch', '([\w-]{1,40})'[^\r\n]*'--raport-file'")
_GPUS = re.compile(rb"^Num GPUs ([0-9]{1,6})[ \t]*\r?$", re.MULTILINE)  # TensorFlow 1
_CRASHED_BATCH = re.compile(rb"'--batch-size', '([0-9]{1,9})'")


def claims(files: LogFiles) -> Claim | None:
    """Claim a file with a DLLogger record, or with the command line of a ConvNet that came to none."""
    return claim(files, 0.8, dllrecords.RECORD, b"DLL") or claim(files, 0.7, _CRASHED, b"'--raport-file'")


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the run of the file."""
    log = Log(files)
    # What is not there is found out faster from the end.
    rate = next((one for name, one in _BY_NAME if log.content.rfind(name) >= 0), None)
    objects = dllrecords.json_records(log) if log.content.rfind(b'DLLL {"timestamp"') >= 0 else []
    records = _from_json(log, objects, rate) if objects else _from_text(log, rate)
    draft = Draft(log, _NAME)
    _describe(draft, records, rate)
    draft.settle()
    _measure(draft, records, rate)
    yield draft.run()


FORMAT = Format(
    _NAME,
    "NVIDIA DLLogger logs of any program, text or JSON lines.",
    claims,
    read,
    marks=(b"DLL ", b"DLLL ", b"'--raport-file'"),
)


def _from_text(log: Log, rate: Rate | None) -> Records:
    metric = (rate.metric if rate else _rate_by_unit(log.content)).encode()
    steps = dllrecords.text_steps(log, metric)
    return dllrecords.text_records(log, steps if len(steps) else dllrecords.text_steps(log, b""))


def _rate_by_unit(content: bytes) -> str:
    return next(iter(dllrecords.units(content)), "")


def _from_json(log: Log, objects: list[tuple[dict[str, Any], int]], rate: Rate | None) -> Records:
    """Return the records of JSON lines; an unlisted program's rate is its first metric in things per s."""
    units = {
        str(one.get("metric")): str(one["metadata"].get("unit", ""))
        for one, _ in objects
        if one.get("type") == "METADATA" and isinstance(one.get("metadata"), dict)
    }
    name = rate.metric if rate else next((name for name, unit in units.items() if unit.endswith("/s")), "")
    parameters: dict[str, Any] = {}
    whole: dict[str, tuple[float, int]] = {}
    rows: list[tuple[int, int, float, float, int]] = []
    has_whole = False
    skipped = 0
    for one, position in objects:
        step, values = one.get("step"), one.get("data", {})
        if step == "PARAMETER":
            parameters = {**values, **parameters}
        elif step in ([], "Summary"):
            has_whole = True
            whole |= {key: (float(value), position) for key, value in values.items() if _is_number(value)}
        elif (number := _step_of(step)) and (name in values or not name):
            value = values.get(name)
            skipped = max(skipped, int(values[_SKIPPED])) if _is_number(values.get(_SKIPPED)) else skipped
            number = (number[0], number[1] + skipped)
            rows.append((*number, _time(one), float(value) if _is_number(value) else np.nan, position))
    return Records(_rows(log, rows), parameters, units, whole, has_whole)


def _step_of(step: object) -> tuple[int, int] | None:
    """Return epoch and iteration of a JSON step, None for what is no training step."""
    numbers = [step] if isinstance(step, int) else step
    if not isinstance(numbers, list) or not 1 <= len(numbers) <= 2 or not isinstance(step, int | list):
        return None
    if not all(isinstance(one, int) and 0 <= one < 10**12 for one in numbers):
        return None
    if isinstance(step, list) and len(step) == 1:
        return None  # an epoch
    return (0, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < 1e300


def _time(one: Mapping[str, Any]) -> float:
    try:
        return float(one["timestamp"])
    except (KeyError, TypeError, ValueError):
        return np.nan


def _rows(log: Log, rows: list[tuple[int, int, float, float, int]]) -> Steps:
    epoch, iteration, t, value, position = np.array(rows, dtype=np.float64).reshape(-1, 5).T
    return Steps(
        epoch.astype(np.int64), iteration.astype(np.int64), t, value, log.lines(position.astype(np.int64))
    )


def _describe(draft: Draft, records: Records, rate: Rate | None) -> None:
    """Set the factors from the settings that the program printed."""
    parameters = records.parameters
    by_unit = next((_item(unit) for unit in records.units.values() if unit.endswith("/s")), "")
    item = rate.item or by_unit if rate else by_unit
    model = (rate.model if rate else "") or parameters.get("arch") or parameters.get("model_name")
    named: dict[str, object] = {
        "item": item,
        "model": model,
        "seq_len": _count(parameters.get("max_seq_length")),
    }
    draft.factors = {name: value for name, value in named.items() if isinstance(value, str | int) and value}
    draft.set_precision(_is_half(parameters))
    draft.devices = _devices(draft.log, parameters)
    batch = _count(
        parameters.get("batch_size") or parameters.get("train_batch_size") or parameters.get("batch size")
    )
    # NVIDIA's MXNet has the batch of all its GPUs.
    if (rate and rate.is_batch_global) or "kv_store" in parameters:
        draft.global_batch = batch
    else:
        draft.batch_size = batch
    crashed = _CRASHED.search(draft.log.content) if not parameters else None
    if crashed:
        draft.factors["model"] = crashed[1].decode()
        found = _CRASHED_BATCH.search(draft.log.content, crashed.start())
        draft.batch_size = int(found[1]) if found else None


def _devices(log: Log, parameters: Mapping[str, Any]) -> int | None:
    """Return how many GPUs the settings have: a count, a list of them, or a line of TensorFlow's."""
    names = ("world_size", "gpu_count", "num_gpus")
    count = next((count for name in names if (count := _count(parameters.get(name)))), None)
    if count is None and "kv_store" in parameters:
        count = len(re.findall(r"[0-9]+", str(parameters.get("gpus", ""))[:_LIST])) or None
    found = log.first(_GPUS, b"Num GPUs ") if count is None else None
    return _count(found[1].decode()) if found else count


def _is_half(parameters: Mapping[str, Any]) -> bool | None:
    """Return whether the settings say half precision; that they do not is known of ConvNets alone.

    Other programs have `amp : False` where they compute in half precision by other means.
    """
    said = [str(parameters.get(name)).capitalize() for name in ("amp", "fp16", "dtype")]
    if "True" in said or "Float16" in said:
        return True
    return False if "arch" in parameters and "amp" in parameters else None


def _item(unit: str) -> str:
    word = unit.partition("/")[0]
    return _ITEMS.get(word, word.removesuffix("s"))


def _count(value: FactorValue | None) -> int | None:
    text = str(value)
    return int(text) if text.isdecimal() and 0 < len(text) <= 15 and int(text) else None


def _measure(draft: Draft, records: Records, rate: Rate | None) -> None:
    steps, log = records.steps, draft.log
    step, breaks = count_on(steps.epoch, steps.iteration)
    series = timed(step, steps.t, steps.line, draft.samples_per_step, log.place, breaks)
    if series:
        draft.series.append(series)
    shown, rates, line = where(np.isfinite(steps.rate), step, steps.rate, steps.line)
    if len(shown):
        span = np.full(len(shown), _stride(step), dtype=np.int64)
        draft.series.append(printed(log, shown, span, rates, line))
    draft.has_result = records.has_whole
    final = records.whole.get(rate.final) if rate else None
    if rate and final and np.isfinite(final[0]):
        draft.aggregate(final[0], f"{rate.final} : {final[0]:g}", rate.statistic, final[1])


def _stride(step: IntArray) -> int:
    """Return how many steps a record usually stands for; a rate is that of all steps since the last."""
    apart = step[1:] - step[:-1]
    apart = np.sort(apart[apart > 0])
    # The median of an even number of them is that between two.
    return int(apart[(len(apart) - 1) // 2] + apart[len(apart) // 2]) // 2 if len(apart) else 1
