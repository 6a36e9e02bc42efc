"""Read one log from memory the way `runs` does: detected by its content, and by one format alone."""

from reportgen.core.model import STEP, Run, Series
from reportgen.formats.base import Format
from reportgen.formats.detection import detect
from reportgen.sources.logfiles import LogFiles


def read_one(known: Format, content: bytes, name: str = "a/run.log") -> Run:
    """Return the only run of a log that the format claims alone."""
    (run,) = read_all(known, content, name)
    return run


def read_all(known: Format, content: bytes, name: str = "a/run.log") -> list[Run]:
    """Return the runs of a log that the format claims alone, and check that every series has lines of it."""
    files = LogFiles.of({name: content}).file(name)
    claimed = detect(files)
    assert claimed is not None
    assert (claimed.format.name, claimed.rivals) == (known.name, ())
    runs = [run for run in known.read(claimed.files) if isinstance(run, Run)]
    lines = content.count(b"\n") + 1
    assert all(((s.line >= 1) & (s.line <= lines)).all() for run in runs for s in run.series)
    return runs


def series(run: Run, metric: str, clock: str, phase: str = STEP, rank: int = 0) -> Series:
    """Return the series of a run that is wanted; there is only one."""
    (found,) = (
        one
        for one in run.series
        if (one.metric, one.clock, one.phase, one.rank) == (metric, clock, phase, rank)
    )
    return found


def shown(one: Series) -> list[tuple[int, int, float, int]]:
    """Return step, span, value (rounded) and line of every entry."""
    return [
        (int(step), int(span), round(float(value), 6), int(line))
        for step, span, value, line in zip(one.step, one.span, one.value, one.line, strict=True)
    ]
