"""Detection, and what holds for every format: any content yields only Runs and Findings.

A new format is tested here as soon as it is in FORMATS; add a valid log of it to
`tests/formats/valid_logs.py`, so that damaged ones are tested too.
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import to_builtins

from reportgen.core.model import STEP, Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.formats.detection import detect, discover, offer
from reportgen.formats.registry import FORMATS, Registry
from reportgen.sources.logfiles import LogFiles
from tests.builders import check_valid, format_named
from tests.conftest import EXAMPLES
from tests.each_of import each_of
from tests.formats.valid_logs import SETTINGS, VALID_LOGS

NAMES = sorted(
    {name for files in VALID_LOGS.values() for name in files} | {"stdout.log", "x.csv", "a/run.json"}
)

# Recognised, but not read.
REFUSED = ("parquet", "pickled")
BINARY = (*REFUSED, "mlflow_db", "tensorboard", "wandb")


def view(contents: dict[str, bytes], name: str) -> LogFiles:
    """Return what the format is offered: the folder, or its only file."""
    files = LogFiles.of(contents, SETTINGS)
    return files.file(next(iter(files))) if len(VALID_LOGS[name]) == 1 and contents else files


@each_of(known.name for known in FORMATS)
def test_every_format_has_a_valid_log_here_and_claims_it_alone(name: str) -> None:
    assert name in VALID_LOGS, f"add a valid log of {name} to VALID_LOGS in tests/formats/valid_logs.py"
    claimed = detect(view(VALID_LOGS[name], name))
    assert claimed is not None
    assert (claimed.format.name, claimed.rivals, set(claimed.claim.files)) == (
        name,
        (),
        set(VALID_LOGS[name]),
    )
    found = list(format_named(name).read(claimed.files))
    check_valid(found)
    # Profiles are evidence of a run.
    assert [one for one in found if isinstance(one, Run)] or name in (*REFUSED, "profile")


def runs_of(contents: Mapping[str, bytes], name: str) -> list[Any]:
    """Return the runs of a log, without places."""
    claimed = detect(view(contents, name))
    assert claimed is not None
    return [
        (
            one.factors, one.environment, one.status, one.samples_per_step,
            [(series.metric, series.step.tolist(), series.line.tolist()) for series in one.series],
            [(series.metric, np.nan_to_num(series.value).tolist()) for series in one.series],
            [(aggregate.metric, aggregate.value) for aggregate in one.aggregates],
        )
        for one in format_named(claimed.format.name).read(claimed.files)
        if isinstance(one, Run)
    ]  # fmt: skip


@each_of(known.name for known in FORMATS if known.name not in BINARY)
def test_lines_may_end_with_carriage_return_and_line_feed(name: str) -> None:
    unix = {path: content.replace(b"\r\n", b"\n") for path, content in VALID_LOGS[name].items()}
    windows = {path: content.replace(b"\n", b"\r\n") for path, content in unix.items()}
    assert runs_of(windows, name) == runs_of(unix, name)


# Lines of text. Half a JSON document is invalid, and our own format marks its end.
TEXTS = [
    known.name
    for known in FORMATS
    if len(VALID_LOGS.get(known.name, ())) == 1
    and not next(iter(VALID_LOGS[known.name].values())).startswith((b"{", b"["))
    and known.name not in BINARY
]


@each_of(TEXTS)
def test_a_log_that_ends_in_nul_bytes_is_read_and_reported(name: str) -> None:
    crashed = {path: content + b"\0" * 5 for path, content in VALID_LOGS[name].items()}
    assert runs_of(crashed, name) == runs_of(VALID_LOGS[name], name)
    claimed = detect(view(crashed, name))
    assert claimed is not None
    items = list(format_named(name).read(claimed.files))
    findings = [one for one in items if isinstance(one, Finding)]
    findings += [finding for one in items if isinstance(one, Run) for finding in one.findings]
    assert "read.malformed-line" in [finding.rule for finding in findings]


# Written as a whole, or by hand: none of them prints what a program prints.
DOCUMENTS = ("native", "optimum_benchmark", "published", *BINARY)


@each_of([known.name for known in FORMATS if known.name not in DOCUMENTS], [b"\0\n", b"\n" + b"\0" * 99])
def test_a_few_nul_bytes_change_nothing(name: str, nuls: bytes) -> None:
    """A number printed as a character, or a hole in a log that was rotated while a program wrote it."""
    holed = {path: content.replace(b"\n", nuls, 1) for path, content in VALID_LOGS[name].items()}
    assert runs_of(holed, name) == runs_of(VALID_LOGS[name], name)


@each_of(TEXTS)
def test_a_log_that_begins_with_a_hole_is_read(name: str) -> None:
    """`copytruncate` leaves a hole as long as the old log if the program does not append."""
    holed = {path: b"\0" * 70_000 + content for path, content in VALID_LOGS[name].items()}
    claimed = offer(view(holed, name))
    assert claimed is not None
    assert claimed.format.name == name


def check_read(name: str, offered: LogFiles, files: LogFiles) -> None:
    """Ask a format about what it is offered, and read files with it; an error names the format."""
    try:
        format_named(name).claims(offered)
        check_valid(list(format_named(name).read(files)))
    except BaseException as error:
        error.add_note(f"format: {name}")
        raise


# One example for all formats: making it takes longer than reading it.
@settings(max_examples=3 * EXAMPLES)
@given(contents=st.dictionaries(st.sampled_from(NAMES), st.binary(max_size=300), min_size=1, max_size=4))
def test_any_bytes_yield_only_runs_and_findings(contents: dict[str, bytes]) -> None:
    folder = LogFiles.of({"source.toml": b"", "run.json": b"", **contents}, SETTINGS)
    for known in FORMATS:
        offered = view(contents, known.name)
        check_read(known.name, offered, folder if offered.is_folder else offered)


INSERTED = [
    *(b"\n", b",", b'"', b"-1", b"9" * 19, b"9" * 40, b"9" * 401, b"{", b"[[", b"step", b"NaN", b"1e999"),
    *(b"1e400", b"1.7e308", b"-1e300", b"1e-320", b"\xff\xfe", b"\0", b"null"),
    *(b"#clock,9223372036854775807,0\n", b"#break,a,1,9,8\n"),
]
# (file, place in it, removed bytes, inserted bytes); file and place are those modulo their number in a log.
Damage = tuple[int, int, int, bytes]
DAMAGES = st.tuples(
    st.integers(0, 5),
    st.integers(0, 2**16),
    st.integers(0, 20),
    st.binary(max_size=8) | st.sampled_from(INSERTED),
)


def damaged(files: Mapping[str, bytes], damages: list[Damage]) -> dict[str, bytes]:
    contents = dict(files)
    for number, place, length, new in damages:
        path = sorted(contents)[number % len(contents)]
        start = place % (len(contents[path]) + 1)
        contents[path] = contents[path][:start] + new + contents[path][start + length :]
    return contents


@settings(max_examples=2 * EXAMPLES)
@given(st.lists(DAMAGES, min_size=1, max_size=4))
def test_damaged_logs_yield_only_runs_and_findings(damages: list[Damage]) -> None:
    for name, files in VALID_LOGS.items():
        offered = view(damaged(files, damages), name)
        check_read(name, offered, offered)


@pytest.mark.parametrize(
    "content",
    [
        b"\x1f\x8b\x08\x00" + bytes(range(256)) * 8,
        "step,begin_ns\n1,2\n".encode("utf-16-le"),
        b"x" * 250_000,
        b"\0" * 1000,
        b"\n" * 100_000,
        b"," * 100_000,
    ],
)
def test_no_format_claims_binary_compressed_and_endless_lines(content: bytes) -> None:
    found = discover(LogFiles.of({"a/x.log": content}))
    assert (found.claimed, found.unclaimed, found.findings) == ([], ["a/x.log"], [])


@each_of(known.name for known in FORMATS)
def test_a_byte_order_mark_before_the_text_changes_nothing(name: str) -> None:
    def read(files: dict[str, bytes]) -> str:
        found = detect(view(files, name))
        assert found is not None
        runs = [to_builtins(each, enc_hook=repr) for each in found.format.read(found.files)]
        return repr((found.format.name, found.claim, runs))

    marked = {path: b"\xef\xbb\xbf" + content for path, content in VALID_LOGS[name].items()}
    assert read(marked) == read(VALID_LOGS[name])
    try:
        wide = {path: content.decode().encode("utf-16") for path, content in VALID_LOGS[name].items()}
    except UnicodeDecodeError:
        return  # not text, so never written as UTF-16
    assert read(wide) == read(VALID_LOGS[name])


def _format(name: str, confidence: float, *files: str) -> Format:
    def claims(view: LogFiles) -> Claim | None:
        there = tuple(path for path in files if path in view)
        return Claim(confidence, view.source(there[0], 1), "a line", there) if there else None

    return Format(name, "Nothing.", claims, lambda view: iter(()), views="both")


def test_the_surest_format_reads_and_a_tie_is_a_finding() -> None:
    files = LogFiles.of({"x.log": b""}).file("x.log")
    sure, other, unsure = (
        _format("sure", 0.9, "x.log"),
        _format("other", 0.9, "x.log"),
        _format("unsure", 0.5, "x.log"),
    )
    alone = detect(files, Registry([unsure, sure]))
    assert alone is not None
    assert (alone.format.name, alone.ambiguity()) == ("sure", None)
    tied = detect(files, Registry([unsure, sure, other]))
    assert tied is not None
    finding = tied.ambiguity()
    assert finding is not None
    assert (tied.format.name, finding.rule, finding.message) == (
        "sure",
        "read.ambiguous-format",
        "read as sure; other claimed it with the same confidence (0.9)",
    )


def test_folders_are_claimed_before_files_and_the_rest_is_offered_again() -> None:
    files = LogFiles.of({"a/run": b"", "a/deep/part": b"", "a/x.log": b"", "b/x.log": b"", "README": b""})
    formats = Registry([_format("folder", 1, "run", "deep/part"), _format("file", 0.5, "x.log")])
    found = discover(files, formats)
    assert sorted((one.files.id(), one.format.name, list(one.files)) for one in found.claimed) == [
        ("a", "file", ["x.log"]),
        ("a", "folder", ["deep/part", "run"]),
        ("b", "file", ["x.log"]),
    ]
    assert found.unclaimed == ["README"]


@each_of(FORMATS)
def test_every_format_has_a_summary_of_one_short_sentence(known: Format) -> None:
    assert re.fullmatch(r"[A-Z][^\n]{9,85}[\w)`]\.", known.summary)
    assert ". " not in known.summary


def test_positions_lead_to_the_line_of_the_value() -> None:
    (run,) = format_named("native").read(LogFiles.of(VALID_LOGS["native"]))
    assert isinstance(run, Run)
    lines = VALID_LOGS["native"]["steps.rank0.csv"].splitlines()
    for series in run.series:
        for step, line, value in zip(series.step, series.line, series.value, strict=True):
            assert lines[line - 1].startswith(b"%d," % step)
            assert series.phase != STEP or np.isfinite(value)
