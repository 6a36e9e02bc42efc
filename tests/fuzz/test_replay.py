"""Every kept input, and every kind of damage that is too large to keep, is taken by every reader.

An input that was found by tests/fuzz/run.py is a case here as soon as it lies in corpus/.
"""

import pytest

from tests.formats.test_formats import FIXTURES
from tests.fuzz.inputs import CORPUS, NOBODY, Input, endless, kept, large
from tests.fuzz.replay import DETECTION, DISK, replay

# s of processor time for one trial: what goes wrong takes minutes, what goes well milliseconds.
BOUND = 10.0
QUICK = 2.0
MOST = 20_000


@pytest.mark.parametrize("one", kept(), ids=lambda one: one.name)
def test_a_kept_input_harms_no_reader(one: Input) -> None:
    replay(one, BOUND)


@pytest.mark.parametrize("name", FIXTURES)
def test_endless_lines_archives_and_wide_characters_harm_no_reader(name: str) -> None:
    for one in large(name):
        replay(one, BOUND, [name, DETECTION, DISK] if name == "dllogger" else [name])


@pytest.mark.parametrize("name", FIXTURES)
def test_begins_of_records_that_never_become_one_take_no_time(name: str) -> None:
    for one in endless(name):
        replay(one, QUICK, [DETECTION, name])


def test_inputs_are_kept_for_every_format_and_are_small() -> None:
    inputs = kept()
    assert {one.format for one in inputs} == {*FIXTURES, NOBODY}
    assert all(len([one for one in inputs if one.format == name]) >= 3 for name in FIXTURES)
    assert [one.name for one in inputs if one.size() > MOST] == []
    assert [path.name for path in CORPUS.rglob("*") if path.name.startswith(".")] == []
