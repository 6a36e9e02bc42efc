"""Read one log of NVIDIA's examples that a test wrote, with what lies around it."""

from reportgen.core.model import STEP, Run, Series
from reportgen.formats.detection import detect
from reportgen.protocol import Protocol, measure_run
from reportgen.sources.logfiles import LogFiles

SHORT = Protocol("1+2x1", warmup=1, measure=2, repeats=1)


def read_run(content: bytes, format: str, para: bytes = b"") -> Run:
    """Return the only run of a log, after it was recognised as one of that format.

    para  a benchmark.para beside it
    """
    files = LogFiles.of({"box/task/log.txt": content, "box/task/benchmark.para": para})
    claimed = detect(files.file("box/task/log.txt"))
    assert claimed is not None
    assert (claimed.format.name, claimed.rivals) == (format, ())
    (run,) = claimed.format.read(claimed.files)
    assert isinstance(run, Run)
    return run


def series(run: Run, metric: str) -> Series:
    """Return the only series of a metric over whole steps."""
    (found,) = [one for one in run.series if (one.metric, one.phase) == (metric, STEP)]
    return found


def throughput(run: Run, protocol: Protocol = SHORT) -> float | None:
    """Return the throughput under the protocol."""
    found = measure_run(run, "throughput", STEP, protocol)
    return found.value if found else None


def rules(run: Run) -> list[str]:
    """Return the rules of the run's findings."""
    return [finding.rule for finding in run.findings]
