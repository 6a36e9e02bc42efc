"""Tables on a terminal: they fit, nothing is cut, wide letters keep columns aligned."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from reportgen.cli import terminal
from reportgen.cli.terminal_table import run_table_lines, table_lines

HEAD = ("run", "format", "status", "steps", "factors", "measured", "findings")


def runs(*ids: str, factors: str = "model=a devices=8", findings: str = "-") -> list[tuple[str, ...]]:
    """Return a table of runs."""
    measured = "throughput 85,012 images/s (intervals)"
    return [HEAD, *((id, "ssd", "out of memory", "139", factors, measured, findings) for id in ids)]


def test_a_table_that_fits_or_is_piped_is_only_aligned():
    rows = [("a", "b"), ("1", "two words")]
    assert table_lines(rows, None) == table_lines(rows, 12) == ["a  b", "1  two words"]
    for width in (None, 200):
        table = run_table_lines(runs("x/1.log", "x/2.log"), width)
        assert (table.folder, table.has_factors, len(table.lines)) == ("", True, 3)
        assert table.lines[1].startswith("x/1.log  ssd  ")


def test_wide_letters_count_as_two_columns():
    rows = [("模型", "value"), ("bert", "1"), ("日本語の名前", "2")]
    columns = [cell_len(line[: line.rfind("  ") + 2]) for line in table_lines(rows, None)]
    assert columns == [14, 14, 14]


def test_a_cell_that_is_too_wide_continues_on_the_next_line_at_a_word():
    rows = [("rule", "meaning"), ("a.b", "says what is wrong")]
    assert table_lines(rows, 16) == ["rule  meaning", "a.b   says what", "      is wrong"]


def test_the_common_folder_of_runs_is_printed_once_if_the_table_is_too_wide():
    table = run_table_lines(runs("logs/a/FP16.log", "logs/a/FP32.log"), 102)
    assert (table.folder, table.has_factors) == ("logs/a/", True)
    assert [line.split()[0] for line in table.lines if not line.startswith(" ")] == [
        "run",
        "FP16.log",
        "FP32.log",
    ]
    assert run_table_lines(runs("logs/a/FP16.log"), 60).folder == ""


def test_factors_are_left_out_if_each_run_needs_many_lines():
    factors = " ".join(f"factor{number}=value" for number in range(19))
    table = run_table_lines(runs("a/b.log", "a/c.log", factors=factors), 96)
    assert not table.has_factors
    assert "factor" not in "".join(table.lines)
    assert [line.split()[0] for line in table.lines] == ["run", "b.log", "c.log"]


WORDS = st.lists(st.text("ab/1,.日", min_size=1, max_size=12), max_size=4).map(" ".join)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=4), st.integers(20, 60))
def test_no_letter_is_lost_and_no_line_is_too_long(rows: list[tuple[str, ...]], width: int):
    lines = table_lines(rows, width)
    shown = "".join("".join(lines).split())
    assert sorted(shown) == sorted("".join("".join(row) for row in rows).replace(" ", ""))
    assert all(cell_len(line) <= width for line in lines)


def test_the_width_is_that_of_the_terminal(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "terminal_width", lambda: 96)
    terminal.print_runs(runs("logs/a/FP16.log", "logs/a/FP32.log", factors=" ".join("abcdefghi") * 20))
    out, err = capsys.readouterr()
    assert out.startswith("all below: logs/a/\n\nrun ")
    assert "the factors do not fit" in err


@pytest.mark.parametrize("id", ["", "/", "a//b", "/a/b"])
def test_unusual_ids(id: str):
    assert run_table_lines(runs(id, id), 10).lines
