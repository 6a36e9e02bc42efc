"""Give an input to every reader, and check the result against the contract of the data model.

Each format is asked to claim the input and to read it in every role that a file can have there. The input is also
detected and read the way a build does, and its runs are measured and listed. An exception, a malformed Run or
Finding, and more time or memory than the size explains are failures.
"""

import json
import resource
import signal
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import get_args

import numpy as np

from reportgen.core.model import Clock, Finding, Run, Status
from reportgen.core.rules import Rule, Severity
from reportgen.formats.detection import detect, offer
from reportgen.formats.registry import FORMATS, Registry
from reportgen.load import load_runs
from reportgen.load.normalize import normalize_run
from reportgen.protocol import DEFAULT, Protocol
from reportgen.report.listing import RunListing
from reportgen.report.run_entry import entry_of_run
from reportgen.sources.logfiles import LogFiles
from tests.builders import check_valid, format_named
from tests.formats.valid_logs import SETTINGS, VALID_LOGS
from tests.fuzz.inputs import ANY_FORMAT, Input

ALL_ASKED = Registry(replace(known, marks=()) for known in FORMATS)
FOLDERS = tuple(name for name, files in VALID_LOGS.items() if len(files) > 1)
# Files that a reader of a folder can rely on, because its claim requires them.
NEEDED = {"source.toml": b"", "run.json": b""}
# Short, so that small inputs have runs that are measured.
SHORT = Protocol("1+2x1", warmup=1, measure=2, repeats=1)
LABELS = Path(__file__).parent / "labels.toml"

DETECTION, DISK = "detection", "disk"
TRIALS = (DETECTION, *VALID_LOGS, DISK)

# Readers of folders may name lines of the valid files in the folder of an input.
_LINES = max(content.count(b"\n") for files in VALID_LOGS.values() for content in files.values()) + 1
# In addition to the memory of the process before the first reader starts; no input here is larger than 0.5 MB.
_MEMORY = 128 * 2**20
_MESSAGE = 2000
_FINDINGS = 100
# Runs of an input that are listed from its start and its end: a line that is repeated has thousands of one kind.
_LISTED = 20


class TooSlow(BaseException):
    """Something took longer than it may; no `except Exception` on the way stops it."""


@contextmanager
def limited_memory() -> Iterator[None]:
    """Raise MemoryError in the block when it takes more than it may."""
    memory = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + _MEMORY, memory[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, memory)


@contextmanager
def limited_time(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the block when it takes more than so many s of processor time; main thread only."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlow(f"more than {seconds:g} s")

    handler = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)


def replay(one: Input, seconds: float, trials: Iterable[str] = TRIALS) -> None:
    """Put an input to these trials; each may take so many s of processor time."""
    with limited_memory():
        for name in trials:
            try:
                with limited_time(seconds):
                    _try(name, one)
            except BaseException as error:
                error.add_note(f"{one.name}: {name}")
                raise


def _try(name: str, one: Input) -> None:
    if name == DETECTION:
        _detect(one)
    elif name == DISK:
        _load(one)
    else:
        for view in parts(name, one):
            _read(name, view, one)


def _detect(one: Input) -> None:
    """Ask all formats about an input, by its marks and without, and have the surest read it."""
    folder = LogFiles.of(one.files, SETTINGS)
    for view in (folder, *(folder.file(path) for path in one.files)):
        surest = detect(view, ALL_ASKED)
        by_marks = detect(view) if view.is_folder else offer(view)
        if surest:
            assert by_marks, f"{surest.format.name} claims it, but is not asked"
            _read(by_marks.format.name, by_marks.files, one)


def _load(one: Input) -> None:
    """Load and list an input from a folder, with the settings that some formats need."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning would be printed to stderr
        for path, content in {"labels.toml": LABELS.read_bytes(), **one.files}.items():
            place = Path(folder) / "logs" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        loaded = load_runs(["logs"], root=Path(folder))
        for run in loaded.runs:
            _list(run, DEFAULT)
    _hold([*loaded.runs, *loaded.findings], one)
    assert not any(run.source.path.startswith("/") for run in loaded.runs)


def parts(name: str, one: Input) -> Iterator[LogFiles]:
    """Yield the views under which a format is to read an input: as its file, as each file of its folder."""
    if name not in ("native", "published"):
        yield from one.views
    if name in FOLDERS:
        yield LogFiles.of({**NEEDED, **one.files}, SETTINGS)
        if len(one.files) == 1 and one.format in (name, ANY_FORMAT):
            (content,) = one.files.values()
            yield from (
                LogFiles.of({**VALID_LOGS[name], path: content}, SETTINGS) for path in VALID_LOGS[name]
            )


def _read(name: str, view: LogFiles, one: Input) -> None:
    format_named(name).claims(view)
    with np.errstate(all="ignore"):  # as where the program reads
        found = list(format_named(name).read(view))
    _hold(found, one)
    measured = [
        run for run in found if isinstance(run, Run) and (run.series or run.aggregates or run.telemetry)
    ]
    for run in (*measured[:_LISTED], *measured[_LISTED:][-_LISTED:]):
        _list(normalize_run(run), SHORT)


def _list(run: Run, protocol: Protocol) -> None:
    json.loads(RunListing((entry_of_run(run, protocol),)).to_json())


def _hold(found: list[Run | Finding], one: Input) -> None:
    """Assert that every run and finding is as the model says, and no larger than its log explains."""
    check_valid(found)
    lines = _LINES + max(content.count(b"\n") + content.count(b"\r") for content in one.files.values())
    runs = [run for run in found if isinstance(run, Run)]
    told = [x for x in found if isinstance(x, Finding)] + [x for run in runs for x in run.findings]
    assert len(told) <= _FINDINGS * (1 + len(runs))
    assert len(runs) <= one.size() + 10
    for finding in told:
        assert isinstance(finding.rule, Rule)
        assert finding.severity in get_args(Severity)
        assert len(finding.message) <= _MESSAGE + one.size(), f"{len(finding.message)} characters"
        assert finding.source
        assert 0 <= finding.source.line <= lines
    for run in runs:
        _hold_run(run, lines)


def _hold_run(run: Run, lines: int) -> None:
    assert run.id
    assert run.status in get_args(Status)
    for series in run.series:
        assert series.clock in get_args(Clock)
        assert ((series.line >= 0) & (series.line <= lines)).all(), "a line that is not there"
        assert (series.span >= 1).all(), "an entry without a step"
        assert (series.step >= 1).all(), "a step below 1"
    for aggregate in run.aggregates:
        assert 0 <= aggregate.source.line <= lines
