"""Read the result logs of MLPerf training, v0.6 and later: events, the system, what the score is scaled by.

One log is one run, one of those that a score is made of: time to train, how it ended, and its speed by
tracked rates, printed step times or the blocks between evaluations. In a submission
(`<submitter>/results/<system>/<benchmark>`) the folders, `systems/<system>.json` and `scaling.json` say
what ran where; a log elsewhere is read without them.

The score itself belongs to a case and not to a run: a protocol with `reduce = "olympic"` and `strict =
true` over `scaled_time_to_train` gives it. Rules: https://github.com/mlcommons/training_policies.
"""

import math
import re
from collections.abc import Iterator, Mapping

from reportgen.core.model import Aggregate, FactorValue, Finding, Run, Status
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format
from reportgen.formats.mlperf.events import OLD_PREFIX, PREFIX, Event, first_event, parse
from reportgen.formats.mlperf.system import read_entry, read_system
from reportgen.formats.mlperf.work import work
from reportgen.formats.parsing.json_values import is_number, load, number, table
from reportgen.formats.parsing.text_log import TextLog, is_binary
from reportgen.sources.logfiles import LogFiles

_RESULT = re.compile(r"result_(?:.*[^0-9])?([0-9]{1,9})\.txt|result_.*\.txt")
_SCALING = "scaling.json"
# NVIDIA's logs begin with what the container prints: hundreds of kB before the first event are possible.
_FAR = 2**20
_ITEMS: Mapping[str, str] = {
    "bert": "sequence", "llama2_70b_lora": "sequence", "gpt3": "sequence", "rnnt": "sequence", "ssd": "image",
    "llama31_8b": "sequence", "llama31_405b": "sequence", "stable_diffusion": "image", "flux1": "image",
    "resnet": "image", "unet3d": "image", "maskrcnn": "image",
}  # fmt: skip
# From v2.0 on the reference code of SSD divides by the number of devices.
_PER_DEVICE = ("ssd",)


def claims(files: LogFiles) -> Claim | None:
    """Claim a text with an event of MLLOG; in a submission it certainly is one of its results."""
    if files.is_folder:
        return None
    layout = _Layout(files)
    head = files.head(files.path)
    at = first_event(head)
    if at < 0 and layout.is_result:
        head = files.head(files.path, _FAR)
        at = first_event(head)
    if at < 0 or is_binary(head):
        return None
    line = head.count(b"\n", 0, at) + 1
    return Claim(
        1.0 if layout.system else 0.95,
        files.source(files.path, line),
        ":::MLLOG" if head.startswith(PREFIX, at) else ":::MLL",
        (files.path,),
        (_SCALING, layout.description) if layout.system else (),
    )


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the log's run."""
    yield _Log(files).run()


FORMAT = Format(
    "mllog",
    "Result logs of MLPerf training, v0.6 and later.",
    claims,
    read,
    marks=(PREFIX, OLD_PREFIX, b"result_"),
)


class _Layout:
    """What the place of a log in a submission says; "" and None where it is not in one."""

    def __init__(self, files: LogFiles) -> None:
        folders = files.source(files.path).path.split("/")
        name = folders.pop()
        found = _RESULT.fullmatch(name)
        self.is_result = found is not None
        self.repeat = int(found[1]) if found and found[1] else None
        is_submission = len(folders) >= 3 and folders[-3] == "results" and self.is_result
        self.benchmark, self.system = (folders[-1], folders[-2]) if is_submission else ("", "")
        self.submitter = folders[-4] if is_submission and len(folders) >= 4 else ""
        self.description = f"../../../systems/{self.system}.json"


class _Log:
    """One log with what stands beside it."""

    def __init__(self, files: LogFiles) -> None:
        self.files, self.log, self.layout = files, TextLog(files), _Layout(files)
        self.events = parse(self.log)
        beside = files.read_sibling(self.layout.description) if self.layout.system else None
        self.described, self.machine = read_system(beside) if beside else ({}, {})
        if not self.described:
            self.described = read_entry(self.events.value("submission_entry"))
        self.scaling = _scaling(files.read_sibling(_SCALING) if self.layout.system else None)

    def run(self) -> Run:
        """Return the run: what ran, how long and how fast, how it ended."""
        factors = self._factors()
        devices = factors.get("devices")
        done = work(
            self.log,
            self.events,
            per_device=factors.get("benchmark") in _PER_DEVICE,
            devices=devices if isinstance(devices, int) else self._processes(),
        )
        status, findings = self._status(bool(done.series or done.aggregates))
        batch = self.events.integer("global_batch_size")
        return Run(
            id=self.log.id, format="mllog", source=self.log.source, factors=factors,
            environment=self._environment(), repeat=self.layout.repeat, status=status,
            samples_per_step=float(batch) if batch else None, series=done.series,
            aggregates=(*self._times(status), *self._quality(), *done.aggregates),
            findings=(*self.log.malformed.findings(), *findings),
        )  # fmt: skip

    def _processes(self) -> int:
        """Return the number of devices that the batch sizes tell, 0 if they do not."""
        whole, one = self.events.integer("global_batch_size"), self.events.integer("local_batch_size")
        return whole // one if whole and one and whole % one == 0 else 0

    def _factors(self) -> dict[str, FactorValue]:
        said = {
            key: self.events.value(f"submission_{key}")
            for key in ("benchmark", "org", "division", "platform")
        }
        texts = {key: value for key, value in said.items() if isinstance(value, str)}
        benchmark = texts.get("benchmark") or self.layout.benchmark
        found: dict[str, FactorValue | None] = {
            "benchmark": benchmark or None,
            "item": _ITEMS.get(benchmark, "sample"),
            "submitter": self.layout.submitter or texts.get("org"),
            "system": self.layout.system or texts.get("platform"),
            "division": texts.get("division"),
            "global_batch_size": self.events.integer("global_batch_size"),
            "seq_len": self.events.integer("max_sequence_length"),
        }
        return {name: value for name, value in found.items() if value is not None} | self.described

    def _environment(self) -> dict[str, FactorValue]:
        found = dict(self.machine)
        for key, name in (("seed", "seed"), ("submission_platform", "platform")):
            value = self.events.value(key)
            if isinstance(value, (str, int)):
                found[name] = value
        if self.scaling != 1.0:
            found["scaling_factor"] = self.scaling
        return found

    def _status(self, has_figures: bool) -> tuple[Status, tuple[Finding, ...]]:
        """Return the status: only a log whose run_stop says success has trained its model."""
        stop = self.events.last("run_stop")
        ended = stop.metadata.get("status") if stop else None
        if ended == "success" and self.events.first("run_start"):
            return "complete", ()
        if stop and self.events.first("run_start"):
            place = self.log.place(stop.at)
            message = f'run_stop says "{ended}": the quality target was not reached'
            return "failed", (Finding("warning", Rule.READ_FAILED_RUN, self.log.id, message, place),)
        missing = "run_stop" if self.events.first("run_start") else "run_start"
        message = f"the log has no {missing}"
        rule = Rule.READ_INCOMPLETE_RUN if has_figures else Rule.READ_FAILED_RUN
        finding = Finding("warning", rule, self.log.id, message, self.log.source)
        return "partial" if has_figures else "failed", (finding,)

    def _times(self, status: Status) -> Iterator[Aggregate]:
        start, stop = self.events.first("run_start"), self.events.last("run_stop")
        if not start or not stop or stop.time_ms < start.time_ms:
            return
        seconds = (stop.time_ms - start.time_ms) / 1000
        place, text = self.log.place(stop.at), f"{stop.time_ms} - {start.time_ms} ms"
        if status != "complete":
            yield Aggregate("run_time", value=seconds, original=text, statistic="total", n=1, source=place)
            return
        yield Aggregate("time_to_train", value=seconds, original=text, statistic="total", n=1, source=place)
        scaled = f"({text}) x {self.scaling!r}"
        yield Aggregate(
            "scaled_time_to_train",
            value=seconds * self.scaling,
            original=scaled,
            statistic="total",
            n=1,
            source=place,
        )

    def _quality(self) -> Iterator[Aggregate]:
        """Yield the last evaluation: an accuracy, a loss or a perplexity, as the benchmark has it."""
        found = self._until_stop(self.events.by_key.get("eval_accuracy", []))
        value = number(found[-1].value) if found else math.nan
        if is_number(value) and math.isfinite(value):
            place, text = self.log.place(found[-1].at), f"{found[-1].value!r}"[:80]
            yield Aggregate(
                "eval_accuracy", value=value, original=text, statistic="last", n=len(found), source=place
            )

    def _until_stop(self, events: list[Event]) -> list[Event]:
        """Return the events until run_stop; where evaluation runs beside training, more may follow."""
        stop = self.events.last("run_stop")
        return [one for one in events if one.at < stop.at] if stop else events


def _scaling(content: bytes | None) -> float:
    """Return the factor that a benchmark's score is multiplied by, 1 where nobody says one."""
    factor = table(load(content or b"")).get("scaling_factor")
    return float(factor) if is_number(factor) and 0 < factor < 1e6 else 1.0
