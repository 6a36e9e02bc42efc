"""Tables on a terminal: nothing is cut, what gives way and in which order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.cli import terminal
from reportgen.cli.terminal_table import lines, lines_of_runs

HEAD = ("run", "format", "status", "steps", "factors", "measured", "findings")


def runs(*ids: str, factors: str = "model=a devices=8", findings: str = "-") -> list[tuple[str, ...]]:
    """Return a table of runs."""
    measured = "throughput 85,012 images/s (intervals)"
    return [HEAD, *((id, "ssd", "out of memory", "139", factors, measured, findings) for id in ids)]


def test_a_table_that_fits_or_is_piped_is_unchanged():
    rows = [("a", "b"), ("1", "two words")]
    assert lines(rows, None) == lines(rows, 12) == ["a  b", "1  two words"]
    assert lines_of_runs(runs("x/1.log", "x/2.log"), None)[0] == ""
    assert lines_of_runs(runs("x/1.log", "x/2.log"), 200)[0] == ""


def test_long_cells_are_wrapped_at_words():
    rows = [("rule", "meaning"), ("a.b", "says what is wrong")]
    assert lines(rows, 16) == ["rule  meaning", "a.b   says what", "      is wrong"]
    assert lines(rows, 3) == ["rule  meaning", "a.b   says", "      what is", "      wrong"]


def test_a_wide_table_names_the_common_folder_once():
    folder, shown, is_short = lines_of_runs(runs("logs/a/FP16.log", "logs/a/FP32.log"), 102)
    assert (folder, is_short) == ("logs/a/", False)
    assert shown[1].split() == [
        "FP16.log", "ssd", "out", "of", "memory", "139", "model=a", "throughput", "85,012", "images/s", "(intervals)", "-",
    ]  # fmt: skip
    assert shown[2].split() == ["devices=8"]


def test_the_folder_of_a_single_run_is_shown():
    assert lines_of_runs(runs("logs/a/FP16.log"), 60)[0] == ""


def test_factors_that_take_many_lines_are_left_out():
    factors = " ".join(f"factor{number}=value" for number in range(9))
    _, shown, is_short = lines_of_runs(runs("a/b.log", "a/c.log", factors=factors), 96)
    assert is_short
    assert "factor" not in "".join(shown)
    assert [line.split()[0] for line in shown] == ["run", "b.log", "c.log"]


def test_long_ids_are_wrapped_between_folders():
    names = [
        f"{'results' * 4}{part}/bert_{precision}/1.txt" for part in "xy" for precision in ("FP16", "FP32")
    ]
    _, shown, _ = lines_of_runs(runs(*names), 80)
    assert sum(line.startswith("bert_FP16/") for line in shown) == 2
    assert all("85,012" in "".join(shown[at : at + 4]) for at in range(1, len(shown), 4))


WORDS = st.lists(st.text("ab/1,.", min_size=1, max_size=12), max_size=4).map(" ".join)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=4), st.integers(0, 60))
def test_wrapping_loses_no_letter(rows: list[tuple[str, ...]], room: int):
    shown = "".join("".join(lines(rows, room)).split())
    assert sorted(shown) == sorted("".join("".join(row) for row in rows).replace(" ", ""))


def test_the_terminal_width_is_used(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "room", lambda: 96)
    terminal.print_runs(runs("logs/a/FP16.log", "logs/a/FP32.log", factors=" ".join("abcdefghi") * 20))
    out, err = capsys.readouterr()
    assert out.startswith("all below: logs/a/\n\nrun ")
    assert "the factors do not fit" in err


@pytest.mark.parametrize("id", ["", "/", "a//b", "/a/b"])
def test_unusual_ids_are_printed(id: str):
    assert lines_of_runs(runs(id, id), 10)[1]
