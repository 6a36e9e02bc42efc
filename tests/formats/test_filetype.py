"""Programs and documents are not logs, whatever they quote; logs under odd names are."""

from pathlib import Path

import pytest

from reportgen import read
from reportgen.api import detect_all
from reportgen.core.errors import RequestError
from reportgen.formats.filetype import role
from reportgen.formats.registry import FORMATS
from tests.builders import write_files
from tests.each_of import each_of
from tests.formats.valid_logs import VALID_LOGS

LOG = "".join(f"iter {i}: loss 10.9, time {100 + i}.00ms, mfu 1.00%\n" for i in range(150))
DOCUMENTS = {
    "README.md": f"# Results\n\n```\n{LOG}```\n",
    "title.md": f"# Results\n\n{LOG}",
    "notes.markdown": f"See [the log](x.log).\n\n    {LOG}",
    "page.rst": f"Results\n=======\n\n::\n\n{LOG}",
    "page.html": f"<html><body><pre>\n{LOG}</pre></body></html>\n",
}
PROGRAMS = {
    "train.py": f'"""Train.\n\n{LOG}"""\n\nimport torch\n',
    "run.sh": f"#!/bin/bash\npython train.py\n# {LOG}",
    "extract.sh": f"cd results\n# {LOG}",
    "table.sbatch": f"# {LOG}grep iter *.log | awk '{{print $4}}' > out\n",
    "settings.sh": f"BATCH=32\n: '\n{LOG}'\n",
    "kernel.cu": f"/*\n{LOG}*/\n__global__ void k() {{}}\n",
    "log.ipynb": '{\n "cells": [\n  {"outputs": ["\n' + LOG + '"]}]}\n',
    "mend.patch": f"diff --git a/x b/x\n@@ -1,2 +1,2 @@\n{LOG}",
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_log_in_a_document_is_read_only_if_the_document_is_named(name: str, tmp_path: Path) -> None:
    write_files(tmp_path, {name: DOCUMENTS[name], "run.log": LOG})
    runs = read(tmp_path, root=tmp_path)
    assert [run.id for run in runs] == ["run.log"]
    assert [(each.rule, each.message) for each in runs.file_findings] == [
        ("read.excerpt", "a document that quotes a log (nanogpt); it is read only if it is named itself")
    ]
    assert [file.path for file in runs.unrecognised] == [name]
    assert [claim.format for claim in detect_all(tmp_path / name, required=True)] == ["nanogpt"]
    runs = read([tmp_path / name, tmp_path], root=tmp_path)
    assert {run.id for run in runs} == {name, "run.log"}
    warning = (
        "read.excerpt",
        f"a document, of which only what nanogpt prints is read; for its own tables: reportgen learn {name}",
    )
    assert warning in [(each.rule, each.message) for each in runs.file_findings]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_log_in_a_program_is_not_read(name: str, tmp_path: Path) -> None:
    write_files(tmp_path, {name: PROGRAMS[name]})
    runs = read(tmp_path, root=tmp_path)
    assert list(runs) == []
    assert [(each.rule, each.message) for each in runs.file_findings] == [
        ("read.excerpt", "a program that contains lines of a log (nanogpt); not read")
    ]
    assert [file.path for file in runs.unrecognised] == [name]
    with pytest.raises(RequestError, match=r"lines of a log .*; not read; save the log itself"):
        detect_all(tmp_path / name, required=True)


def test_a_program_without_lines_of_a_log_has_no_finding(tmp_path: Path) -> None:
    write_files(tmp_path, {"train.py": "import torch\n"})
    runs = read(tmp_path, root=tmp_path)
    assert (list(runs), list(runs.file_findings)) == ([], [])
    with pytest.raises(RequestError, match="is a program, not a log"):
        detect_all(tmp_path / "train.py", required=True)


TRACEBACK = """Traceback (most recent call last):
  File "train.py", line 3, in <module>
    from torch import x
  File "train.py", line 9, in f
    for step in steps:
ImportError: cannot import name 'x' from 'torch'
"""


@pytest.mark.parametrize(
    ("name", "before"),
    [("run.sh", "NCCL_DEBUG=INFO\n"), ("train.py", TRACEBACK), ("run.slurm", "  set -e\n")],
)
def test_settings_and_tracebacks_do_not_make_a_log_a_program(name: str, before: str, tmp_path: Path) -> None:
    write_files(tmp_path, {name: before + LOG})
    (run,) = read(tmp_path, root=tmp_path)
    assert (run.id, run.format) == (name, "nanogpt")


# Their logs begin with a heading, as a document that quotes them does.
QUOTED = {"hyperfine_text", "jmh_text", "wrk"}


@each_of([known.name for known in FORMATS], ["md", "rst", "py", "sh", "c", "m", "html"])
def test_a_log_under_an_odd_name_is_a_log(known: str, ending: str) -> None:
    if len(VALID_LOGS[known]) == 1:
        (content,) = VALID_LOGS[known].values()
        is_document = known in QUOTED and ending in ("md", "rst", "html")
        assert role(f"slurm.{ending}", content[: 64 * 1024]) == ("document" if is_document else None)


def test_this_repository_has_runs_in_its_logs_and_in_fixtures_only() -> None:
    root = Path(__file__).parents[2]
    folders = [
        "benchmarks",
        "collectors",
        "docs",
        "reportgen",
        "reports",
        "tests",
        "README.md",
        "CHANGELOG.md",
    ]
    paths = {run.source.path for run in read([root / name for name in folders], root=root)}
    assert paths
    fixtures = ("tests/fuzz/corpus/", "tests/logformat/", "tests/formats/tables/fixtures/")
    assert [path for path in paths if not path.startswith(fixtures)] == []
