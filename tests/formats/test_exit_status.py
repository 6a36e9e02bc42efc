"""How a log ended: the table of markers, the exception of a traceback, and the quoted line."""

from reportgen.core.model import Run
from reportgen.formats.parsing.exit_status import error, quoted
from reportgen.formats.parsing.run_builder import RunBuilder
from reportgen.formats.parsing.text_log import TextLog
from reportgen.sources.logfiles import LogFiles
from tests.each_of import each_row

TRACEBACK = b'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    raise Error()\n'
# Text at the end of a log -> status of a run without a step.
ENDINGS = {
    "exception": (TRACEBACK + b"RuntimeError: shapes differ\n", "failed"),
    "torch out of memory": (TRACEBACK + b"torch.OutOfMemoryError: CUDA out of memory.\n", "out_of_memory"),
    "TensorFlow out of memory": (TRACEBACK + b"errors_impl.ResourceExhaustedError: OOM\n", "out_of_memory"),
    "JAX out of memory": (b"XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory\n", "out_of_memory"),
    "CUDA out of memory": (b"RuntimeError: CUDA error: out of memory\n", "out_of_memory"),
    "host out of memory": (b"slurmstepd: error: Detected 1 oom_kill event\n", "out_of_memory"),
    "older Slurm": (b"slurmstepd: error: Detected 1 oom-kill event(s)\n", "out_of_memory"),
    "CUDA error": (b"RuntimeError: CUDA error: an illegal memory access\n", "failed"),
    "NCCL error": (b"torch.distributed.DistBackendError: NCCL error in: x.cpp:1\n", "failed"),
    "segmentation fault": (b"Segmentation fault (core dumped)\n", "failed"),
    "bus error": (b"Fatal Python error: Bus error\n", "failed"),
    "abort": (b"terminate called after throwing an instance of 'std::bad_alloc'\n", "failed"),
    "heap": (b"malloc(): smallbin double linked list corrupted\n", "failed"),
    "torchrun": (b"torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n", "failed"),
    "DeepSpeed": (b"[launch.py] Process 7 exits with return code = 1\n", "failed"),
    "killed": (b"a.sh: line 3:    77 Killed                  python train.py\n", "failed"),
    "killed, alone": (b"last line\nKilled\n", "failed"),
    "no program": (b"slurmstepd: error: execve(): no such file\n", "failed"),
    "terminated": (b"a.sh: line 3:    77 Terminated              python train.py\n", "cancelled"),
    "torchrun terminated": (
        b"torch.distributed.elastic.multiprocessing.api.SignalException: Process 7 got signal: 15\n",
        "cancelled",
    ),
    "terminated after a kill": (b"last line\nKilled\nTerminated\n", "cancelled"),
    "success of one process only": (
        b"Process 7 exits with return code = 0\nProcess 8 exits with return code = 1\n",
        "failed",
    ),
    "interrupt": (TRACEBACK + b"KeyboardInterrupt\n", "cancelled"),
    "time limit": (b"*** JOB 7 ON n1 CANCELLED AT 2025-01-01T00:00:00 DUE TO TIME LIMIT ***\n", "cancelled"),
    "Slurm": (b"slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2025-01-01T00:00:00 ***\n", "cancelled"),
}


def log(content: bytes) -> TextLog:
    return TextLog(LogFiles.of({"a.txt": content}).file("a.txt"))


def run(content: bytes, *, result: bool | None = None, rates: int = 0, last: int = 0) -> Run:
    """Return the run of a log with so many throughputs, but no steps."""
    builder = RunBuilder(log(content), "x", last=last, has_result=result)
    for _ in range(rates):
        builder.add_aggregate("throughput", 1.0, "1", "mean", 1, 1)
    return builder.run()


def messages(run: Run) -> list[str]:
    return [f"{finding.rule} {finding.message}" for finding in run.findings]


@each_row(ENDINGS.values())
def test_the_status_of_a_run_without_a_number_is_that_of_its_error(ending: bytes, status: str) -> None:
    assert run(b"loading\n" + ending).status == status


@each_row(
    [
        (b"", None, 1, "complete", ""),
        (b"", True, 1, "complete", ""),
        (b"", False, 1, "partial", "read.incomplete-run no final result, the log may be cut"),
        (b"", None, 0, "partial", "read.incomplete-run no step was recorded"),
        (b"", False, 0, "partial", "read.incomplete-run no step was recorded"),
        (b"KeyError: x\nCUDA error: y", None, 0, "failed", "read.failed-run failed: CUDA error: y"),
        (
            b"CUDA error: y",
            None,
            1,
            "partial",
            "read.incomplete-run failed after the last figure: CUDA error: y",
        ),
        (
            b"CUDA error: y",
            True,
            1,
            "complete",
            "read.incomplete-run failed after the final result: CUDA error: y",
        ),
        (
            b"CUDA out of memory",
            False,
            0,
            "out_of_memory",
            "read.failed-run out of memory: CUDA out of memory",
        ),
        (
            b"CUDA out of memory",
            None,
            1,
            "out_of_memory",
            "read.failed-run out of memory after the last figure: CUDA out of memory; left out of the median",
        ),
        (
            b"CUDA out of memory",
            True,
            1,
            "complete",
            "read.incomplete-run out of memory after the final result: CUDA out of memory",
        ),
        (b"Process 7 exits with return code = 0", None, 1, "complete", ""),
        (
            b"exits with return code = 0\nexits with return code = 9",
            None,
            1,
            "partial",
            "read.incomplete-run failed after the last figure: exits with return code = 9",
        ),
    ]
)
def test_the_status_depends_on_the_error_the_result_and_the_numbers(
    content: bytes, result: bool | None, rates: int, status: str, message: str
) -> None:
    ended = run(content, result=result, rates=rates)
    assert (ended.status, messages(ended)) == (status, [message] if message else [])


def test_an_error_before_the_last_record_does_not_count() -> None:
    content = TRACEBACK + b"ValueError: caught\nstep 1\n"
    assert run(content, rates=1, last=len(content)).status == "complete"


@each_row(
    [
        (TRACEBACK + b"RuntimeError: CUDNN: no\n", b"RuntimeError: CUDNN: no"),
        (TRACEBACK + b"AssertionError\n", b"AssertionError"),
        (TRACEBACK + b"[rank7]: ValueError: x\nKeyError: y\n", b"[rank7]: ValueError: x"),
        (TRACEBACK + b"3: subprocess.CalledProcessError: y\n", b"3: subprocess.CalledProcessError: y"),
        (TRACEBACK + b"and nothing else\n", b"Traceback (most recent call last):"),
        (TRACEBACK, b"Traceback (most recent call last):"),
        (TRACEBACK + b"  File\n" * 20_000 + b"KeyError: far off\n", b"Traceback (most recent call last):"),
        (b"Segmentation fault\nKeyError: 1\n", b"Segmentation fault"),
    ]
)
def test_an_error_is_named_by_the_exception_of_its_traceback(content: bytes, text: bytes) -> None:
    _, at = error(content)
    assert content[at:].partition(b"\n")[0] == text


# DeepSpeed's launcher prints the whole command, 1,800 characters, before the exit code.
@each_row(
    [
        ("one\ntwo error\nthree", "two error"),
        ("bar\rtwo error\r\nthree", "two error"),
        ("error", "error"),
        ("one\n" + "a " * 30 + "error", "a " * 30 + "error"),
        ("a " * 30 + "error", "a " * 30 + "error"),
        (
            "['python', " + "'--pipeline', " * 40 + "'--end'] error 1",
            "... " + "'--pipeline', " * 3 + "'--end'] error 1",
        ),
        ("x" * 1000 + "error" + "y" * 1000, "... " + "x" * 60 + "error" + "y" * 155 + " ..."),
        ("error" + " word" * 40, "error" + " word" * 30 + " ..."),
        ("error" + "y" * 155 + "\nmore", "error" + "y" * 155),
    ]
)
def test_a_long_line_is_quoted_between_words(content: str, text: str) -> None:
    assert quoted(content.encode(), content.find("error")) == text
