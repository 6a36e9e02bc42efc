"""One change in a log changes few lines of Markdown: measured on a small repository and on the committed reports.

A table may change the rows that show the changed run or are compared with it, and six lines besides: the
caption, and what a note needs. So a table that shows the run in one row changes by seven lines at most. More change
only where a note of a table becomes or ceases to be so common that the caption has it, and where a repeat is a column.

All committed files together change by at most 30 lines for a number and 80 for a run. docs/developers/rendering.md
has the lines.
"""

import csv
import io
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest

from reportgen.document.encode import decode
from reportgen.document.model import Document, Table
from reportgen.pipeline import Request, build
from reportgen.render import render_index, render_table_markdown
from reportgen.render.figures.svg import drawing
from reportgen.render.markdown import readme
from reportgen.render.page import page_script
from reportgen.render.registry import filter_committed
from tests.builders import write_files
from tests.conftest import IS_THOROUGH, ROOT
from tests.drawn_once import drawn_once

# Changed lines of a table besides the rows of the changed run, and of the page besides its tables: headline, trust,
# findings, counts of runs.
MORE_LINES, REST_OF_PAGE = 6, 11

Row = dict[str, str]
Change = Callable[[list[Row], int, str], None]


@dataclass(frozen=True)
class Page:
    """A report as Markdown, and its tables."""

    text: str
    document: Document

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables by id."""
        return {table.id: table for table in self.document.tables}

    def markdown(self, id: str) -> str:
        """Return a table as Markdown."""
        return render_table_markdown(self.document, self.tables[id])


def page(root: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> Page:
    """Return a report of a repository; nothing but its Markdown is rendered."""
    with monkeypatch.context() as context:
        context.setattr("reportgen.render.registry.OUTPUTS", (readme.OUTPUT,))
        context.setattr(drawing, "up_to_date", lambda figure, existing: b"")
        built = build(Request(root, root / "reports"), committed_only=True)
    (report,) = (report for report in built.reports if report.name == name)
    return Page(built.files[f"{name}/README.md"].decode(), report)


def state(root: Path, name: str) -> tuple[Page, Mapping[str, bytes]]:
    """Return a report of a repository, and all committed files."""
    with patch.object(drawing, "up_to_date", drawn_once):
        built = build(Request(root, root / "reports"), committed_only=True)
    (report,) = (report for report in built.reports if report.name == name)
    return Page(built.files[f"{name}/README.md"].decode(), report), dict(built.files)


def copy_report(name: str, root: Path) -> None:
    """Make a repository of a committed report and all logs."""
    shutil.copytree(ROOT / "logs", root / "logs")
    shutil.copytree(ROOT / "reports" / name, root / "reports" / name)
    for file in (f"{name}.toml", f"{name}.md", "expected.toml"):
        shutil.copy(ROOT / "reports" / file, root / "reports")


@cache
def state_of_commit(name: str) -> tuple[Page, Mapping[str, bytes]]:
    """Return a report and its files as committed, with the index of a repository that has no other report."""
    folder = ROOT / "reports"
    paths = [
        path.relative_to(folder).as_posix() for path in sorted((folder / name).rglob("*")) if path.is_file()
    ]
    files = {path: (folder / path).read_bytes() for path in filter_committed(paths)}
    report = decode(files[f"{name}/report.json"], name)
    index = render_index([report], committed_only=True)
    return Page(files[f"{name}/README.md"].decode(), report), files | index


def changed_lines(before: str, after: str) -> int:
    """Return how many lines are gone or new, whichever are more; blank lines and their order count too."""
    matcher = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    blocks = [block for block in matcher.get_opcodes() if block[0] != "equal"]
    return max(sum(a1 - a0 for _, a0, a1, _, _ in blocks), sum(b1 - b0 for *_, b0, b1 in blocks))


def evidence(document: Document, table: Table) -> dict[object, object]:
    """Return what is behind each row: the values of the cases that it shows or is compared with."""
    return {
        row.key: [
            [
                m.value
                for name in document.cases_of(table, cell)
                for m in document.case_by_name[name].measurements
            ]
            for cell in cells
        ]
        for row, cells in zip(table.rows, table.cells, strict=True)
    }


def check_small(before: Page, after: Page) -> int:
    """Check that few lines differ, and return the number of tables that show the change."""
    changed, allowed = 0, REST_OF_PAGE
    for id, table in after.tables.items():
        old = before.tables[id]
        lines = changed_lines(before.markdown(id), after.markdown(id))
        # A repeat that has a column of its own adds a cell to every row.
        if len(table.columns) > len(old.columns):
            allowed += lines
            continue
        was, now = evidence(before.document, old), evidence(after.document, table)
        rows = sum(was.get(key) != values for key, values in now.items())
        changed += rows > 0
        assert lines <= (rows + MORE_LINES if rows else 2), f"{id}: {lines} lines for {rows} rows"
        allowed += lines
    assert changed_lines(before.text, after.text) <= allowed
    return changed


def multiply(rows: list[Row], position: int, column: str) -> None:
    rows[position][column] = repr(float(rows[position][column]) * 1.013)


def add_repeat(rows: list[Row], position: int, column: str) -> None:
    """Add a run of the same case, with the number that follows the last one of its repeats."""
    new = dict(rows[position])
    new[column] = repr(float(new[column]) * 1.003)
    if "repeat" in new:
        new["repeat"] = str(1 + max(int(row["repeat"]) for row in rows if _case(row) == _case(new)))
    rows.append(new)


def _case(row: Row) -> list[str]:
    return [row[name] for name in ("series", "batch_size", "devices") if name in row]


def spoil(rows: list[Row], position: int, column: str) -> None:
    """Make one repeat so far from the others that its case has a finding."""
    rows[position][column] = repr(float(rows[position][column]) * 1.3)


def edit(path: Path, change: Change, position: int, column: str) -> None:
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))
    change(rows, position, column)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), "utf-8")


def committed(root: Path) -> dict[str, bytes]:
    """Return the committed files of all reports of a repository."""
    return dict(build(Request(root, root / "reports"), committed_only=True).files)


def changed_files(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, int]:
    """Return the changed lines of each file as git counts them: lines that are gone or new, whichever are more."""
    changed = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)]
    with TemporaryDirectory() as folder:
        for side, files in (("before", before), ("after", after)):
            (Path(folder) / side).mkdir()
            for number, path in enumerate(changed):
                (Path(folder) / side / f"{number:04}").write_bytes(files.get(path, b""))
        command = ["git", "diff", "--no-index", "--numstat", "-z", "before", "after"]
        listed = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    # ADDED, REMOVED, then both paths
    stats = [entry.split("\t") for entry in listed.split("\0")[::3] if entry]
    return {path: max(int(a), int(b)) for path, (a, b, _) in zip(changed, stats, strict=True)}


SOURCE = """\
title = "Rates"
tables = ["rates.csv"]
[factors]
framework = "framework"
devices = "devices"
[columns]
repeat = "repeat"
[constants]
item = "image"
[[metrics]]
column = "rate"
metric = "throughput"
unit = "images/s"
"""
DEFINITION = """\
title = "Frameworks"
logs = ["logs/rates"]

[[tables]]
id = "rates"
title = "Rates"
rows = ["framework", "devices"]
show = ["value", "speedup", "repeats"]
interval = true
compare = { kind = "speedup", baseline = { devices = 1 } }

[[tables]]
id = "matrix"
title = "Matrix"
rows = ["devices"]
columns = ["framework"]
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A repository with two frameworks on 1 to 16 devices, of five repeats each."""
    lines = ["framework,devices,repeat,rate"]
    for framework, rate in (("A", 100.0), ("B", 99.0)):
        for devices in (1, 2, 4, 8, 16):
            lines += [f"{framework},{devices},{i},{devices * (rate + i / 10)}" for i in range(1, 6)]
    files = {"logs/rates/rates.csv": "\n".join(lines) + "\n", "logs/rates/source.toml": SOURCE}
    write_files(tmp_path, files | {"reports/frameworks.toml": DEFINITION})
    return tmp_path


@pytest.mark.parametrize("change", [multiply, add_repeat, spoil])
def test_one_change_in_a_small_repository_changes_few_lines(
    small: Path, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = page(small, "frameworks", monkeypatch)
    edit(small / "logs/rates/rates.csv", change, 47, "rate")
    after = page(small, "frameworks", monkeypatch)
    assert check_small(before, after) == 2
    if change is not multiply:
        assert set(after.document.notes) > set(before.document.notes)


def test_a_wider_number_changes_its_line_only(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = page(small, "frameworks", monkeypatch)
    for position in range(45, 50):
        edit(small / "logs/rates/rates.csv", multiply_by_1000, position, "rate")
    after = page(small, "frameworks", monkeypatch)
    for id in after.tables:
        assert changed_lines(before.markdown(id), after.markdown(id)) == 1


def multiply_by_1000(rows: list[Row], position: int, column: str) -> None:
    rows[position][column] = repr(float(rows[position][column]) * 1000)


# (report, log, column, row); a thorough run changes each log.
CHANGED = (
    ("jade2", "jade2/jade2_results.csv", "forward_s", 12),
    ("transformers", "transformers/results/transformers_results.csv", "backward", 30),
    ("flux", "flux-published/flux_architectures.csv", "value", 10),
    ("dlperf-v1", "dlperf-repeats/dlperf_repeats.csv", "throughput", 700),
    ("dlperf-v1", "dlperf-v1/dlperf_v1_report.csv", "value", 60),
)


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize(("name", "log", "column", "position"), CHANGED if IS_THOROUGH else CHANGED[:3])
def test_one_change_in_each_log_of_a_committed_report_changes_few_lines(
    name: str, log: str, column: str, position: int, tmp_path: Path
) -> None:
    copy_report(name, tmp_path)
    before, files = state_of_commit(name)

    def lines_changed_by(change: Change) -> dict[str, int]:
        shutil.copy(ROOT / "logs" / log, tmp_path / "logs" / log)
        edit(tmp_path / "logs" / log, change, position, column)
        after, changed = state(tmp_path, name)
        assert check_small(before, after) > 0
        return changed_files(files, changed)

    for change, limit in ((multiply, 30), (add_repeat, 80)):
        lines = lines_changed_by(change)
        assert 0 < sum(lines.values()) <= limit, (change.__name__, lines)


@pytest.mark.slow
@pytest.mark.no_cover
def test_a_repeat_far_from_the_others_changes_few_lines_of_each_table(tmp_path: Path) -> None:
    copy_report("dlperf-v1", tmp_path)
    before, _ = state_of_commit("dlperf-v1")
    edit(tmp_path / "logs/dlperf-repeats/dlperf_repeats.csv", spoil, 700, "throughput")
    after, _ = state(tmp_path, "dlperf-v1")
    assert check_small(before, after) > 0


@pytest.mark.slow
def test_a_new_batch_size_changes_few_lines_of_a_report_with_an_explorer(tmp_path: Path) -> None:
    """It is a row of seven tables and a configuration; the others stay as they are."""

    def add(rows: list[Row], position: int, column: str) -> None:
        rows.append(rows[position] | {column: "48"})

    copy_report("transformers", tmp_path)
    _, files = state_of_commit("transformers")
    edit(tmp_path / "logs/transformers/results/transformers_results.csv", add, 30, "batch_size")
    _, changed = state(tmp_path, "transformers")
    lines = changed_files(files, changed)
    assert lines["transformers/index.html"] <= 34
    assert lines["transformers/report.json"] <= 45


def test_a_change_of_the_script_changes_one_committed_file(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = committed(small)
    changed = page_script.page_script() + "// changed\n"
    monkeypatch.setattr(page_script, "page_script", lambda: changed)
    assert changed_files(before, committed(small)) == {"assets/page.js": 1}


def test_no_file_that_each_clone_builds_is_tracked() -> None:
    tracked = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "reports"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "reports/assets/page.js" in tracked
    assert sorted(set(tracked) - set(filter_committed(tracked))) == []
