"""Where the reader of NVIDIA's examples (`Log`, `Draft`) and that of all other trainers (`TextLog`, `RunBuilder`) disagree.

Each case is the same content read by both; the known differences are expected failures, so that a change to either side
shows.
"""

import re

import numpy as np
import pytest

from reportgen.core.model import Run
from reportgen.formats.nvidia_dle.dledraft import Draft
from reportgen.formats.nvidia_dle.dlelog import Log
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.text_log import TextLog
from reportgen.sources.logfiles import LogFiles

DIFFERENT = pytest.mark.xfail(strict=True, reason="the two readers disagree")
STEP = re.compile(rb"step [0-9]")


def view(content: bytes) -> LogFiles:
    return LogFiles.of({"a.txt": content}).file("a.txt")


def runs(content: bytes) -> tuple[Run, Run]:
    """Return the run of a log without a step, as each of the two readers ends it."""
    none = np.zeros(0, dtype=np.int64)
    return Draft(Log(view(content)), "x").run(), RunBuilder(TextLog(view(content)), "x", none, none).run()


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        pytest.param(b"step 1\nstep 2\nstep 3\n", [1, 2, 3], id="line feeds"),
        pytest.param(b"a\rb\rstep 1\na\rb\rstep 2\na\rb\rstep 3\n", [1, 2, 3], id="redraws", marks=DIFFERENT),
        pytest.param(b"step 1\r\nstep 2\r\n", [1, 2], id="Windows"),
        pytest.param(b"step 1\nstep 2\r\r\nstep 3", [1, 2, 3], id="returns doubled", marks=DIFFERENT),
        pytest.param(b"\x1b[32mstep 1\x1b[0m\n\x1b[Astep 2\n", [1, 2], id="colours"),
        pytest.param(b"step 1\nstep 2\0\0\0", [1, 2], id="unwritten blocks"),
        pytest.param(b"\n\nstep 1\n\nstep 2", [3, 5], id="no line end"),
    ],
)
def test_lines(content: bytes, lines: list[int]) -> None:
    """A line is what `sed -n Np` prints."""
    nvidia, other = Log(view(content)), TextLog(view(content))
    assert nvidia.content == other.content
    begins = [match.start() for match in STEP.finditer(other.content)]
    assert other.lines(begins).tolist() == lines
    assert nvidia.lines(begins).tolist() == lines


TRACEBACK = b'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n'


@pytest.mark.parametrize(
    ("content", "status"),
    [
        pytest.param(TRACEBACK + b"RuntimeError: shapes differ\n", "failed", id="exception"),
        pytest.param(TRACEBACK + b"torch.OutOfMemoryError: CUDA out of memory.\n", "out_of_memory", id="torch"),
        pytest.param(
            TRACEBACK + b"tensorflow.errors_impl.ResourceExhaustedError: OOM when allocating\n",
            "out_of_memory",
            id="TensorFlow",
            marks=DIFFERENT,
        ),
        pytest.param(b"RuntimeError: CUDA error: out of memory\n", "out_of_memory", id="CUDA", marks=DIFFERENT),
        pytest.param(b"slurmstepd: error: Detected 1 oom_kill event\n", "out_of_memory", id="host", marks=DIFFERENT),
        pytest.param(b"RuntimeError: CUDA error: illegal access\n", "failed", id="CUDA, other", marks=DIFFERENT),
        pytest.param(b"Segmentation fault (core dumped)\n", "failed", id="segmentation fault"),
        pytest.param(b"RuntimeError: NCCL error in: x.cpp:1\n", "failed", id="NCCL"),
        pytest.param(b"KeyboardInterrupt\n", "cancelled", id="interrupt", marks=DIFFERENT),
        pytest.param(b"*** JOB 7 CANCELLED AT 2025-01-01 DUE TO TIME LIMIT ***\n", "cancelled", id="Slurm", marks=DIFFERENT),
        pytest.param(b"slurmstepd: error: *** JOB 7 CANCELLED AT 2025-01-01 ***\n", "cancelled", id="slurmstepd"),
        pytest.param(b"slurmstepd: error: execve(): no such file\n", "failed", id="no program", marks=DIFFERENT),
        pytest.param(b"a.sh: line 3: 77 Killed     python train.py\n", "failed", id="killed", marks=DIFFERENT),
        pytest.param(b"a.sh: line 3: 77 Terminated     python train.py\n", "cancelled", id="terminated", marks=DIFFERENT),
        pytest.param(b"loading data\n", "partial", id="nothing said", marks=DIFFERENT),
    ],
)  # fmt: skip
def test_how_a_log_without_a_step_ended(content: bytes, status: str) -> None:
    assert [run.status for run in runs(content)] == [status, status]


@pytest.mark.parametrize("content", [b"loading\n\0\0", pytest.param(b"a\rb\n\0", marks=DIFFERENT)])
def test_unwritten_blocks_are_noted_at_the_last_line(content: bytes) -> None:
    nvidia, other = ([one for one in run.findings if "NUL" in one.message] for run in runs(content))
    assert nvidia == other != []
