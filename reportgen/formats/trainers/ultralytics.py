"""Read `results.csv` of Ultralytics, a row for each epoch, with `args.yaml` beside it.

`time` has passed since this launch began to train, and is read after the validation of the epoch: two rows
give the time of an epoch, with loading, validation and the checkpoint before it. The first row of a launch
has the warm-up too, and gives none. A launch that resumes adds rows, and its time begins again. Older
tables have no `time` and are not claimed. No table has the number of images.

Format: https://github.com/ultralytics/ultralytics, ultralytics/engine/trainer.py (save_metrics).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Factors
from reportgen.formats.base import Claim, Results
from reportgen.formats.parsing.csv_cells import typed_records
from reportgen.formats.parsing.json_values import is_number, whole
from reportgen.formats.parsing.run_builder import ResultRun, known
from reportgen.formats.parsing.step_numbers import shortened
from reportgen.formats.parsing.text_log import TextLog, TextSign, format_of, positive
from reportgen.sources.logfiles import LogFiles

_NAME = "ultralytics"
_ARGUMENTS = "args.yaml"
_MARK = b"lr/pg0"
_HEADER = lazy_pattern(rb"\A(?:\xef\xbb\xbf)?\s{0,40}epoch,\s{0,40}time,[^\n]{1,4000}\blr/pg0")
_ARGUMENT = lazy_pattern(rb"^(\w{1,40}):[ \t]*([^\r\n#]{0,300}(?:\r?\n- [^\r\n]{0,40}){0,64})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Epoch:
    number: int
    time: float
    line: int


def _read(log: TextLog) -> Results:
    """Yield the run of a table."""
    launches = _launches(log)
    rows = [row for launch in launches for row in launch]
    run = ResultRun.of_file(_NAME, log.files, rows[0].line if rows else 0)
    arguments = _arguments(log.files.read_sibling(_ARGUMENTS) or b"")
    run.factors = {"framework": "Ultralytics", "item": "image", **_factors(arguments)}
    run.environment = {name: arguments[name] for name in ("workers",) if arguments.get(name)}
    times = [
        after.time - before.time
        for launch in launches
        for before, after in pairwise(launch)
        if after.number == before.number + 1
    ]
    if times:
        total, line = sum(times), rows[-1].line
        run.add_aggregate(
            "epoch_time", total / len(times), f"{total:.6g} s / {len(times)} epochs", "mean", len(times), line
        )
    if rows:
        total = sum(launch[-1].time for launch in launches)
        run.add_aggregate("run_time", total, f"{total:.6g} s", "total", 1, rows[-1].line)
    run.findings += log.malformed.findings()
    yield shortened(run.run(), rows[-1].number if rows else 0, _planned(arguments, rows))


def _launches(log: TextLog) -> list[list[_Epoch]]:
    """Return the epochs of each launch; the time of a launch only grows."""
    launches: list[list[_Epoch]] = []
    for line, row in typed_records(log.content, log.malformed):
        number, time = whole(row.get("epoch")), row.get("time")
        if number is None or not is_number(time) or time < 0:
            log.malformed.add(line, "a row without the number or the time of an epoch")
            continue
        if not launches or time < launches[-1][-1].time:
            launches.append([])
        launches[-1].append(_Epoch(number, float(time), line))
    return launches


def _arguments(content: bytes) -> dict[str, str]:
    """Return the arguments of the training; a list is its items with commas."""
    texts = {name.decode(): value.decode("utf-8", "replace") for name, value in _ARGUMENT.findall(content)}
    listed = {
        name: ",".join(text.replace("\r", "").split("\n- ")).strip(", ") for name, text in texts.items()
    }
    return {name: text for name, text in listed.items() if text not in ("null", "None", "")}


def _factors(arguments: Mapping[str, str]) -> Factors:
    """Return the factors among the arguments; folders in them name people and machines."""
    amp = arguments.get("amp")
    return known(
        {
            "model": _base(arguments.get("model", "")),
            "dataset": _base(arguments.get("data", "")),
            "image_size": positive(arguments.get("imgsz", "")),
            # A batch of -1 or a fraction is chosen by the program, and only its console says which.
            "global_batch_size": positive(arguments.get("batch", "")),
            "precision": {"true": "amp", "false": "fp32"}.get(amp or ""),
            "devices": _devices(arguments.get("device", "")),
        }
    )


def _base(path: str) -> str:
    return re.split(r"[/\\]", path.strip("'\""))[-1]


def _devices(text: str) -> int | None:
    """Return the number of GPUs in `0`, `0,1` or a list."""
    numbers = [each.strip(" '\"[]") for each in text.split(",")]
    return len(numbers) if all(each.isdecimal() for each in numbers) else None


def _planned(arguments: Mapping[str, str], rows: Sequence[_Epoch]) -> int:
    """Return the epochs of a whole run, 0 if it may have stopped early because it did not improve."""
    epochs, patience = (positive(arguments.get(name, "")) for name in ("epochs", "patience"))
    is_stopped = "time" in arguments or (patience and rows and rows[-1].number > patience)
    return 0 if is_stopped else epochs or 0


def _with_arguments(files: LogFiles, claim: Claim | None) -> Claim | None:
    return replace(claim, beside=(_ARGUMENTS,)) if claim else None


FORMAT = format_of(
    _NAME,
    "Results of Ultralytics' training (results.csv).",
    (TextSign((_MARK,), _HEADER, 0.95),),
    _read,
    _with_arguments,
)
