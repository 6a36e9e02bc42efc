"""Tables on a terminal: they fit, nothing is cut, wide letters keep columns aligned."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from reportgen.cli import terminal
from reportgen.cli.terminal_table import run_table_lines, table_lines
from reportgen.report.run_groups import RunRow, RunRows

MEASURED = "throughput 85,012 images/s (intervals)"


def runs(*ids: str, factors: tuple[str, ...] = ("a", "8")) -> RunRows:
    """Return a table of runs with the factors f0, f1, ..."""
    rows = [RunRow(id, "ssd", factors, "out of memory", "139", MEASURED, "") for id in ids]
    return RunRows({}, tuple(f"f{number}" for number in range(len(factors))), tuple(rows))


def test_a_table_that_fits_or_is_piped_is_only_aligned():
    rows = [("a", "b"), ("1", "two words")]
    assert table_lines(rows, None) == table_lines(rows, 12) == ["a  b", "1  two words"]
    for width in (None, 200):
        table = run_table_lines(runs("x/1.log", "x/2.log"), width)
        assert (table.folder, len(table.lines)) == ("", 3)
        assert table.lines[0].split() == ["run", "format", "f0", "f1", "status", "steps", "measured"]
        assert table.lines[1].startswith("x/1.log  ssd     a   8   out of memory")


def test_wide_letters_count_as_two_columns():
    rows = [("模型", "value"), ("bert", "1"), ("日本語の名前", "2")]
    columns = [cell_len(line[: line.rfind("  ") + 2]) for line in table_lines(rows, None)]
    assert columns == [14, 14, 14]


def test_a_cell_that_is_too_wide_continues_on_the_next_line_at_a_word():
    rows = [("rule", "meaning"), ("a.b", "says what is wrong")]
    assert table_lines(rows, 16) == ["rule  meaning", "a.b   says what", "      is wrong"]


def test_the_common_folder_of_runs_is_printed_once_if_the_table_is_too_wide():
    table = run_table_lines(runs("logs/a/FP16.log", "logs/a/FP32.log"), 82)
    assert table.folder == "logs/a/"
    assert [line.split()[0] for line in table.lines if not line.startswith(" ")] == [
        "run",
        "FP16.log",
        "FP32.log",
    ]
    assert run_table_lines(runs("logs/a/FP16.log"), 60).folder == ""


def test_a_run_that_needs_many_lines_of_a_table_becomes_a_block_with_its_factors():
    table = run_table_lines(runs("a/b.log", "a/c.log", factors=("value",) * 9), 40)
    assert table.lines == [
        *(
            "b.log",
            "  f0=value  f1=value  f2=value  f3=value",
            "  f4=value  f5=value  f6=value  f7=value",
            "  f8=value",
            "  ssd  out of memory  139 steps",
            "  throughput 85,012 images/s (intervals)",
        ),
        *(
            "c.log",
            "  f0=value  f1=value  f2=value  f3=value",
            "  f4=value  f5=value  f6=value  f7=value",
            "  f8=value",
            "  ssd  out of memory  139 steps",
            "  throughput 85,012 images/s (intervals)",
        ),
    ]


WORDS = st.lists(st.text("ab/1,.日", min_size=1, max_size=12), max_size=4).map(" ".join)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=4), st.integers(20, 60))
def test_no_letter_is_lost_and_no_line_is_too_long(rows: list[tuple[str, ...]], width: int):
    lines = table_lines(rows, width)
    shown = "".join("".join(lines).split())
    assert sorted(shown) == sorted("".join("".join(row) for row in rows).replace(" ", ""))
    assert all(cell_len(line) <= width for line in lines)


def test_the_width_is_that_of_the_terminal(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "terminal_width", lambda: 96)
    table = runs("logs/a/FP16.log", "logs/a/FP32.log", factors=("abcdefghi",) * 20)
    terminal.print_runs(replace(table, shared={"item": "image\x1b"}))
    out = capsys.readouterr().out
    assert out.startswith("all runs: item=image\ufffd\nall below: logs/a/\n\nFP16.log\n  f0=abcdefghi  ")
    assert max(map(cell_len, out.splitlines())) <= 96


@pytest.mark.parametrize("id", ["", "/", "a//b", "/a/b"])
def test_unusual_ids(id: str):
    assert run_table_lines(runs(id, id), 10).lines
