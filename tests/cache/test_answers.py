"""Stored answers: whole or not there, whatever happens to the files."""

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from reportgen.cache import answers as module
from reportgen.cache import cache_folder
from reportgen.cache.answers import Answer, Answers

KEY, OTHER = b"k" * 20, b"o" * 20
ANSWER = Answer(b"runs\n" * 50, b"1 run\n", 4)


@pytest.fixture
def answers(tmp_path: Path) -> Answers:
    return Answers(str(tmp_path / "cache"))


def test_an_answer_comes_back_as_it_was(answers: Answers) -> None:
    assert answers.load(KEY) is None
    for answer in (ANSWER, Answer(b"", b"", 0)):
        answers.store(KEY, answer)
        assert (answers.load(KEY), answers.load(OTHER)) == (answer, None)


def test_a_damaged_answer_is_none_wherever_it_is_damaged(answers: Answers) -> None:
    answers.store(KEY, ANSWER)
    path = Path(answers.folder, KEY.hex())
    content = path.read_bytes()
    for at in range(len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert answers.load(KEY) is None
        path.write_bytes(content[:at])
        assert answers.load(KEY) is None
    path.write_bytes(content + b"x")
    assert answers.load(KEY) is None


def test_an_answer_under_another_name_is_none(answers: Answers) -> None:
    answers.store(KEY, ANSWER)
    Path(answers.folder, KEY.hex()).rename(Path(answers.folder, OTHER.hex()))
    assert answers.load(OTHER) is None


def test_damaged_answers_and_parts_of_killed_programs_are_removed(answers: Answers) -> None:
    answers.store(KEY, ANSWER)
    answers.store(OTHER, ANSWER)
    Path(answers.folder, OTHER.hex()).write_bytes(b"scribbled")
    Path(answers.folder, f"{KEY.hex()}.77.part").write_bytes(b"half")
    assert (answers.remove_damaged(), answers.load(KEY), len(answers.sizes())) == (2, ANSWER, 1)
    assert (answers.clear(), answers.sizes()) == (1, [])


def test_the_answers_that_were_not_used_for_longest_make_room(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [bytes([number]) * 20 for number in range(4)]
    for number, key in enumerate(keys[:3]):
        answers.store(key, ANSWER)
        os.utime(Path(answers.folder, key.hex()), (number, number))
    assert answers.load(keys[0])  # used now
    monkeypatch.setattr(module, "MAX_BYTES", 3 * max(answers.sizes()))
    answers.store(keys[3], ANSWER)
    assert [answers.load(key) is not None for key in keys] == [True, False, True, True]


def test_an_answer_that_is_too_large_is_not_stored(answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ANSWER_BYTES", len(ANSWER.out))
    answers.store(KEY, ANSWER)
    assert answers.load(KEY) is None


def test_a_folder_that_cannot_be_written_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file in its place")
    answers = Answers(str(tmp_path / "cache"))
    answers.store(KEY, ANSWER)
    assert (answers.load(KEY), answers.sizes(), answers.clear()) == (None, [], 0)


def test_an_answer_of_another_user_is_not_trusted(answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    answers.store(KEY, ANSWER)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert answers.load(KEY) is None


def _store_and_load(folder: str) -> int:
    """Return how often another answer than the one that every process stores was loaded."""
    answers = Answers(folder)
    wrong = 0
    for _ in range(100):
        answers.store(KEY, ANSWER)
        wrong += answers.load(KEY) not in (None, ANSWER)
        answers.remove_damaged()
    return wrong


def test_processes_that_store_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    with ProcessPoolExecutor(3) as executor:
        assert list(executor.map(_store_and_load, [str(tmp_path)] * 3)) == [0, 0, 0]


def test_the_folder_is_below_that_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == f"{tmp_path}/reportgen"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder().startswith(f"{tmp_path}/")
