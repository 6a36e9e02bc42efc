"""All text formats read lines, damage and endings in the same way.

Each test changes the fixture of a format and compares its runs with those of the unchanged fixture.
"""

from collections.abc import Sequence

from reportgen.core.model import Run
from reportgen.core.rules import Rule
from reportgen.formats.registry import FORMATS
from reportgen.formats.tables import families
from reportgen.sources.logfiles import LogFiles
from tests.builders import format_named
from tests.each_of import each_of, each_row
from tests.formats.test_exit_status import ENDINGS
from tests.formats.valid_logs import SETTINGS, VALID_LOGS

# Files of other kinds: tables, JSON, and formats that have another word for how a benchmark ended. Families of
# tables have no steps; tests/formats/tables has their endings.
OTHERS = (
    *(known.name for known in families.formats()),
    *("table", "own_table", "detectron2", "ultralytics"),
    "benchmarktools",
    "hf_trainer",
    "nvbench",
    "dcgmi",
    "nvsmi",
    *("mlflow_db", "parquet", "pickled", "profile", "tensorboard", "wandb", "wandb_csv", "wandb_history"),
    "superbench",
)
TEXT_FORMATS = [
    format.name
    for format in FORMATS
    if len(VALID_LOGS.get(format.name, ())) == 1 and format.name not in OTHERS
]
# MLPerf logs an event with the status; JADE's scripts print the means of a run as the last thing they do.
WITH_OWN_STATUS = ("loadgen", "mllog", "jade")


def content(name: str) -> bytes:
    (text,) = VALID_LOGS[name].values()
    return text


def runs(name: str, text: bytes) -> list[Run]:
    (path,) = VALID_LOGS[name]
    read = format_named(name).read(LogFiles.of({path: text}, SETTINGS).file(path))
    return [run for run in read if isinstance(run, Run)]


def numbers(runs: Sequence[Run]) -> list[object]:
    """Return all numbers of the runs."""
    of_series = [
        (series.metric, series.step.tolist(), str(series.value)) for run in runs for series in run.series
    ]
    return [
        *of_series,
        *((number.metric, number.value, number.original) for run in runs for number in run.aggregates),
    ]


def lines(runs: Sequence[Run]) -> list[int]:
    """Return the line of every number of the runs."""
    of_series = [line for run in runs for series in run.series for line in series.line.tolist()]
    return [*of_series, *(number.source.line for run in runs for number in run.aggregates)]


@each_of(TEXT_FORMATS)
def test_a_line_ends_with_a_line_feed(name: str) -> None:
    """A line is what `sed -n Np` prints: redrawn progress bars do not count."""
    plain, redrawn = runs(name, content(name)), runs(name, b" 1%\r 2%\r 3%\n\r\n4%\n" + content(name))
    assert numbers(redrawn) == numbers(plain) != []
    assert lines(redrawn) == [line + 3 for line in lines(plain)]


@each_of(TEXT_FORMATS)
def test_line_ends_of_windows_change_nothing(name: str) -> None:
    plain, changed = runs(name, content(name)), runs(name, content(name).replace(b"\n", b"\r\n"))
    assert (numbers(changed), lines(changed)) == (numbers(plain), lines(plain))


@each_of(TEXT_FORMATS)
def test_colours_change_nothing(name: str) -> None:
    text = content(name).replace(b"\n", b"\x1b[0m\n\x1b[1;32m")
    plain, changed = runs(name, content(name)), runs(name, text)
    assert (numbers(changed), lines(changed)) == (numbers(plain), lines(plain))


@each_of(TEXT_FORMATS)
def test_nul_bytes_at_the_end_are_reported(name: str) -> None:
    plain, changed = runs(name, content(name)), runs(name, content(name) + b"loading\0\0\0")
    assert (numbers(changed), lines(changed)) == (numbers(plain), lines(plain))
    damage = [finding for run in changed for finding in run.findings if "NUL" in finding.message]
    assert {finding.rule for finding in damage} == {Rule.READ_MALFORMED_LINE}
    assert {finding.source and finding.source.line for finding in damage} == {content(name).count(b"\n") + 1}


@each_row(ENDINGS.values())
def test_every_format_reports_an_error_after_the_last_record(ending: bytes, status: str) -> None:
    names = [name for name in TEXT_FORMATS if name not in WITH_OWN_STATUS]
    reported = {name: statuses(runs(name, content(name) + ending)) for name in names}
    assert reported == {name: [status.replace("_", " ")] for name in names}


def statuses(runs: Sequence[Run]) -> list[str]:
    """Return the statuses that the findings about the end of the runs name."""
    rules = (Rule.READ_INCOMPLETE_RUN, Rule.READ_FAILED_RUN)
    findings = [finding for run in runs for finding in run.findings if finding.rule in rules]
    return [finding.message.partition(" after ")[0] for finding in findings]
