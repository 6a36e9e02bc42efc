"""Read the result logs of MLPerf training, v0.6 and later: events, the system, the scale of the score.

A log is one run of those that make a score: time to train, how it ended, and its speed from tracked rates,
printed step times or the blocks between evaluations. In a submission
(`<submitter>/results/<system>/<benchmark>`) the folders, `systems/<system>.json` and `scaling.json` name the
benchmark and the system; other logs do without.

The score belongs to a case, not to a run: a protocol with `reduce = "olympic"` and `strict = true` over
`scaled_time_to_train` computes it. Rules: https://github.com/mlcommons/training_policies.
"""

import math
from collections.abc import Mapping

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue, Run
from reportgen.core.rules import Rule
from reportgen.formats.base import Claim, Format, Results
from reportgen.formats.mlperf.events import OLD_PREFIX, PREFIX, MlperfEvent, first_event, parse
from reportgen.formats.mlperf.systems import Values, counts, is_stated, read_system, texts
from reportgen.formats.mlperf.work import add_work
from reportgen.formats.parsing.json_values import inside, is_number, load, number
from reportgen.formats.parsing.run_builder import ResultRun
from reportgen.formats.parsing.several_runs import result_places, run_borders, run_logs
from reportgen.formats.parsing.text_log import TextLog, is_binary
from reportgen.formats.parsing.timestamps import utc
from reportgen.sources.logfiles import LogFiles
from reportgen.sources.text import line_at

_NAME = "mllog"
_RESULT = lazy_pattern(r"result_(?:.*[^0-9])?([0-9]{1,9})\.txt|result_.*\.txt")
_SCALING = "scaling.json"
# It begins with a literal, which is searched for ten times as fast as a border of a word.
_RUN_START = lazy_pattern(rb"run_start(?<=\brun_start)\b")
# NVIDIA's logs begin with the output of the container, up to hundreds of kB before the first event.
_MAX_PROLOGUE_BYTES = 2**20
_ITEMS: Mapping[str, str] = {
    "bert": "sequence", "llama2_70b_lora": "sequence", "gpt3": "sequence", "rnnt": "sequence", "ssd": "image",
    "llama31_8b": "sequence", "llama31_405b": "sequence", "stable_diffusion": "image", "flux1": "image",
    "resnet": "image", "unet3d": "image", "maskrcnn": "image",
}  # fmt: skip
# Since v2.0 the reference code of SSD divides by the number of devices.
_PER_DEVICE = ("ssd",)
_ENTRY = lazy_pattern(r"'(accelerator|framework|num_nodes|num_accelerators)': '([^'\\]{1,99})'")


def claims(files: LogFiles) -> Claim | None:
    """Claim a text with an event of MLLOG; with full confidence in a submission."""
    layout = _Layout(files)
    head = files.head(files.path)
    at = first_event(head)
    if at < 0 and layout.is_result:
        head = files.head(files.path, _MAX_PROLOGUE_BYTES)
        at = first_event(head)
    if at < 0 or is_binary(head):
        return None
    source = files.source(files.path, line_at(head, at))
    reason = ":::MLLOG" if head.startswith(PREFIX, at) else ":::MLL"
    if not layout.system:
        return Claim(0.95, source, reason, (files.path,))
    return Claim(1.0, source, reason, (files.path,), (_SCALING, layout.description))


def read(files: LogFiles) -> Results:
    """Yield the runs of the file."""
    log = TextLog(files)
    for part in run_logs(log, run_borders(log, result_places(log, _RUN_START))):
        yield _ResultLog(files, part).read()


FORMAT = Format(
    _NAME,
    "Result logs of MLPerf training, v0.6 and later.",
    claims,
    read,
    marks=(PREFIX, OLD_PREFIX, b"result_"),
)


class _Layout:
    """The facts in the path of a log in a submission; "" and None outside of submissions."""

    def __init__(self, files: LogFiles) -> None:
        folders = files.source(files.path).path.split("/")
        name = folders.pop()
        result = _RESULT.fullmatch(name)
        self.is_result = result is not None
        self.repeat = int(result[1]) if result and result[1] else None
        is_submission = len(folders) >= 3 and folders[-3] == "results" and self.is_result
        self.benchmark, self.system = (folders[-1], folders[-2]) if is_submission else ("", "")
        self.submitter = folders[-4] if is_submission and len(folders) >= 4 else ""
        self.description = f"../../../systems/{self.system}.json"


class _ResultLog:
    """One log, the files beside it, and the run that they make."""

    def __init__(self, files: LogFiles, log: TextLog) -> None:
        self.log, self.layout = log, _Layout(files)
        self.run = ResultRun(_NAME, log.id, log.source)
        self.events = parse(self.log)
        self.start, self.stop = self.events.first("run_start"), self.events.last("run_stop")
        description = files.read_sibling(self.layout.description) if self.layout.system else None
        scaling = files.read_sibling(_SCALING) if self.layout.system else None
        self.system, self.facts = read_system(description) if description else ({}, {})
        if not self.system:
            self.system = _read_entry(self.events.value("submission_entry"))
        # The factor of a benchmark's score.
        factor = inside(load(scaling or b""), "scaling_factor")
        self.scaling = float(factor) if is_number(factor) and 0 < factor < 1e6 else 1.0

    def read(self) -> Run:
        """Return the run: what ran, how long and how fast, how it ended."""
        run = self.run
        run.factors, run.environment = self._factors(), self._environment()
        run.repeat = self.layout.repeat if run.id == self.log.files.id(self.log.path) else None
        batch, local = self.events.integer("global_batch_size"), self.events.integer("local_batch_size")
        run.samples_per_step = float(batch) if batch else None
        devices = run.factors.get("devices")
        if not isinstance(devices, int):
            # A device adds up the gradients of several local batches.
            each = (local or 0) * (self.events.integer("gradient_accumulation_steps") or 1)
            devices = batch // each if batch and each and batch % each == 0 else 0
        is_per_device = run.factors.get("benchmark") in _PER_DEVICE
        add_work(run, self.log, self.events, is_per_device=is_per_device, devices=devices)
        run.findings += self.log.malformed.findings()
        self._add_status()
        rates, run.aggregates = run.aggregates, []
        self._add_times()
        self._add_quality()
        run.aggregates += rates
        return run.run()

    def _factors(self) -> Values:
        values = {
            key: self.events.value(f"submission_{key}")
            for key in ("benchmark", "org", "division", "platform")
        }
        texts = {key: value for key, value in values.items() if is_stated(value)}
        benchmark = texts.get("benchmark") or self.layout.benchmark
        factors: dict[str, FactorValue | None] = {
            "benchmark": benchmark or None,
            "item": _ITEMS.get(benchmark, "sample"),
            "submitter": self.layout.submitter or texts.get("org"),
            "system": self.layout.system or texts.get("platform"),
            "division": texts.get("division"),
            "global_batch_size": self.events.integer("global_batch_size"),
            "seq_len": self.events.integer("max_sequence_length"),
        }
        return {name: value for name, value in factors.items() if value is not None} | self.system

    def _environment(self) -> Values:
        environment = dict(self.facts)
        for key, name in (("seed", "seed"), ("submission_platform", "platform")):
            value = self.events.value(key)
            if isinstance(value, int) or is_stated(value):
                environment[name] = value
        if self.scaling != 1.0:
            environment["scaling_factor"] = self.scaling
        return environment

    def _add_status(self) -> None:
        """Set the status: only a log whose run_stop reports success has trained its model."""
        status = self.stop.metadata.get("status") if self.stop else None
        if self.start and self.stop and status != "success":
            self.run.status = "failed"
            message = f'run_stop has status "{status}": the quality target was not reached'
            self.run.note(Rule.READ_FAILED_RUN, message, self.log.place(self.stop.at))
        elif not self.start or not self.stop:
            has_figures = bool(self.run.series or self.run.aggregates)
            self.run.status = "partial" if has_figures else "failed"
            rule = Rule.READ_INCOMPLETE_RUN if has_figures else Rule.READ_FAILED_RUN
            self.run.note(rule, f"the log has no {'run_stop' if self.start else 'run_start'}")

    def _add_times(self) -> None:
        self.run.set_start(utc(self.start.time_ms / 1000) if self.start else None)
        if not self.start or not self.stop or self.stop.time_ms < self.start.time_ms:
            return
        seconds = (self.stop.time_ms - self.start.time_ms) / 1000
        line, text = self.log.place(self.stop.at).line, f"{self.stop.time_ms} - {self.start.time_ms} ms"
        if self.run.status != "complete":
            self.run.add_aggregate("run_time", seconds, text, "total", 1, line)
            return
        self.run.add_aggregate("time_to_train", seconds, text, "total", 1, line)
        text = f"({text}) x {self.scaling!r}"
        self.run.add_aggregate("scaled_time_to_train", seconds * self.scaling, text, "total", 1, line)

    def _add_quality(self) -> None:
        """Add the last evaluation before run_stop: an accuracy, a loss or a perplexity."""
        events: list[MlperfEvent] = self.events.by_key.get("eval_accuracy", [])
        if self.stop:
            events = [event for event in events if event.at < self.stop.at]
        value = number(events[-1].value) if events else math.nan
        if is_number(value):
            text, line = f"{events[-1].value!r}"[:80], self.log.place(events[-1].at).line
            self.run.add_aggregate("eval_accuracy", value, text, "last", len(events), line)


def _read_entry(text: object) -> Values:
    """Return the factors in a `submission_entry` of v0.6: Python's text of a dictionary within another's."""
    entry = dict(_ENTRY.findall(text)) if isinstance(text, str) else {}
    factors = texts(entry, {"accelerator": "device", "framework": "framework"})
    return factors | counts(entry.get("num_nodes"), entry.get("num_accelerators"))
