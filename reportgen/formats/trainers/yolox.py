"""Read the log of YOLOX: `epoch: 1/300, iter: 10/47, mem: 9021Mb, iter_time: 0.412s, data_time: 0.011s, ...`.

The times are means of the last `print_interval` iterations; loading is part of an iteration, evaluation and
checkpoints are not. The size of the images changes every ten iterations, so steps are not alike.

Format: https://github.com/Megvii-BaseDetection/YOLOX, yolox/core/trainer.py (after_iter).
"""

from dataclasses import replace

import numpy as np

from reportgen.formats.parsing.line_format import LineFormat, LineRun, Setting, StepLine, head
from reportgen.formats.parsing.text_log import Records

_LINE = (
    r"epoch: {epoch:int}/{epochs:int}, iter: {step:int}/{steps_per_epoch:int}, "
    r"(?:gpu )?mem: {memory_used_MiB}Mb, [^\n]{0,60}?"
    r"iter_time: {step_time_s}s, data_time: {data_loading_time_s}s,"
)


def _with_spans(records: Records) -> Records:
    """Return records with the iterations that each line covers, and the last step that a whole log prints."""
    step, epoch = records.integers("step"), records.integers("epoch")
    apart = np.diff(step)[np.diff(epoch) == 0]
    usual = int(np.bincount(np.clip(apart, 1, 10**6)).argmax()) if len(apart) else int(step[0])
    length = records.integers("steps_per_epoch")
    before = np.clip(records.integers("epochs") - epoch[0], 0, 10**6) * np.minimum(length, 10**9)
    columns = {"span": np.minimum(step, usual), "planned_steps": before + length // usual * usual}
    texts = {name: tuple(b"%d" % number for number in values.tolist()) for name, values in columns.items()}
    return replace(records, columns={**records.columns, **texts})


def _build(run: LineRun) -> None:
    run.set_start_before(run.records)
    run.set_batch(run.count("global_batch_size"))
    run.measure()


FORMAT = LineFormat(
    "yolox",
    "Training logs of YOLOX.",
    lines=(StepLine(b", iter_time: ", _LINE, clock="host", prepare=_with_spans),),
    factors={"framework": "YOLOX", "item": "image"},
    settings=(
        # The batch is that of all GPUs; devices are those of one machine.
        Setting(
            b"args: Namespace(",
            r"args: Namespace\([^\n]{0,2000}?\bbatch_size={global_batch_size:positive}[,)]",
        ),
        Setting(
            b"args: Namespace(", r"args: Namespace\([^\n]{0,2000}?\bdevices={devices_per_node:positive}[,)]"
        ),
        Setting(b"args: Namespace(", r"args: Namespace\([^\n]{0,2000}?\bnum_machines?={nodes:positive}[,)]"),
        Setting(
            b"args: Namespace(", r"args: Namespace\([^\n]{0,2000}?\bexperiment_name='(?P<model>[\w.-]{1,80})'"
        ),
        Setting(
            b"args: Namespace(",
            r"args: Namespace\([^\n]{0,2000}?\bfp16=(?P<precision>True|False)[,)]",
            {b"True": "amp", b"False": "fp32"},
        ),
    ),
    build=_build,
    heads=(head(b"yolox.core.trainer", r"\| INFO {1,8}\| yolox\.core\.trainer:[\w.:]{1,40} - args: "),),
).format()
