"""Read the step lines of llm.c: `step    2/18865 | loss 9.6 (+nanz)| norm 5.1 (+nanz)| ... | 3024.65 ms |`.

The printed rate is that of the step in the first two lines and a running mean after them. It is used only for
the tokens of a step, where the head of the log is missing.

Format: https://github.com/karpathy/llm.c, train_gpt2.cu.
"""

from reportgen.formats.parsing.line_format import LineFormat, LineRun, Setting, StepLine, head
from reportgen.formats.parsing.line_patterns import regex
from reportgen.formats.parsing.run_builder import common_work

_MEAN = regex("total average iteration time: {ms} ms")
# Times are printed with two digits, and rates without any.
_TIME_ERROR, _RATE_ERROR = 0.5e-5, 0.5
# Steps whose printed rates are their own.
_EXACT_RATES = 2


def _build(run: LineRun) -> None:
    if "precision" in run.factors:
        run.factors["precision"] = str(run.factors["precision"]).lower()
    exact = run.step <= _EXACT_RATES
    if run.samples_per_step is None and exact.any():
        rate, time = run.records.floats("rate")[exact], run.records.floats("step_time_ms")[exact] / 1e3
        run.samples_per_step = common_work(rate, time, _TIME_ERROR, _RATE_ERROR)
    run.measure()
    mean = run.log.records(_MEAN, b"total average iteration time: ")
    if len(mean) and len(run.step):
        value, n = float(mean.floats("ms")[-1]) / 1e3, max(int(run.step[-1]) - 1, 0)
        run.add_aggregate("step_time", value, f"{mean.text('ms', -1)} ms", "mean", n, int(mean.line[-1]))


FORMAT = LineFormat(
    "llmc",
    "Training logs of llm.c.",
    lines=(
        StepLine(
            b" tok/s",
            r"step {1,6}{step:int}/{:int} \| (?:train )?loss [^|\n]{1,40}\| ?norm [^|\n]{1,40}"
            r"\| ?lr [^|\n]{1,20}\| {step_time_ms} ms \|(?: [^|\n]{1,40} \|)? {1,4}"
            r"(?P<rate>[0-9]{1,12}) tok/s\b",
            is_single=True,
            clock="cuda_event",
        ),
    ),
    factors={"framework": "llm.c", "item": "token"},
    settings=(
        Setting(b"| device", r"^\| device {1,30}\| (?P<device>[^|\n]{1,80}?) {1,80}\|"),
        Setting(b"| precision", r"^\| precision {1,30}\| (?P<precision>[^|\n]{1,80}?) {1,80}\|"),
        Setting(b"| weight init", r"^\| weight init method {1,30}\| (?P<model>[^|\n]{1,80}?) {1,80}\|"),
        Setting(
            b"batch_size B=",
            r"batch_size B={micro_batch_size:positive} \* seq_len T={seq_len:positive} "
            r"\* num_processes={devices:positive} and total_batch_size={samples_per_step:int}\b",
        ),
    ),
    build=_build,
    heads=(
        head(b"batch_size B=", r"^batch_size B={:int} \* seq_len T={:int} \* num_processes={:int} and "),
        head(b"| weight init method", r"^\| weight init method {1,30}\| [^|\n]{1,80}\|"),
    ),
).format()
