"""What the tests of single formats share: read one file, pick a series."""

import numpy as np

from reportgen.core.model import STEP, Aggregate, Finding, Run, Series
from reportgen.formats.base import Format
from reportgen.formats.registry import FORMATS
from reportgen.sources.logfiles import LogFiles


def by_name(name: str) -> Format:
    """Return the format of that name."""
    return {known.name: known for known in FORMATS}[name]


def read_all(name: str, content: bytes) -> list[Run | Finding]:
    return list(by_name(name).read(LogFiles.of({"x.log": content}).file("x.log")))


def read_run(name: str, content: bytes) -> Run:
    (run,) = read_all(name, content)
    assert isinstance(run, Run)
    return run


def series(run: Run, metric: str, clock: str, phase: str = STEP) -> Series:
    (found,) = [one for one in run.series if (one.metric, one.clock, one.phase) == (metric, clock, phase)]
    return found


def table(found: Series) -> list[tuple[int, int, float, float]]:
    """Return (step, span, value, samples) of each entry; unknown samples are -1."""
    columns = (found.step, found.span, np.round(found.value, 9), np.nan_to_num(found.samples, nan=-1))
    return [tuple(row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def aggregate(run: Run, metric: str, phase: str = STEP, statistic: str = "mean") -> Aggregate:
    (found,) = [
        one for one in run.aggregates if (one.metric, one.phase, one.statistic) == (metric, phase, statistic)
    ]
    return found


def rules(run: Run) -> list[tuple[str, int]]:
    return [(one.rule, one.source.line if one.source else 0) for one in run.findings]
