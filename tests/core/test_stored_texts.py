"""Many texts by name are in a file: they read like the dict that they stand for."""

import pytest

from reportgen.core import stored_values
from reportgen.core.stored_texts import StoredTexts, texts_by_name

TEXTS = {name: f"text of {name}" for name in ("b", "a/10", "a/9", "", "\u00e9", "c")}
IN_ORDER = sorted(TEXTS.items())


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> StoredTexts:
    """The texts in blocks of two; one block is decoded at a time."""
    monkeypatch.setattr(stored_values, "_BLOCK", 2)
    monkeypatch.setattr(stored_values, "_DECODED", 1)
    return StoredTexts(TEXTS)


def test_texts_are_found_by_their_names(stored: StoredTexts) -> None:
    assert {name: stored[name] for name in TEXTS} == TEXTS
    assert [stored.get(name) for name in ("A", "a/1", "zz")] == [None] * 3
    assert ("a/9" in stored, "a/8" in stored) == (True, False)


def test_texts_are_in_order_of_their_names(stored: StoredTexts) -> None:
    assert (len(stored), list(stored), list(stored.items())) == (6, [name for name, _ in IN_ORDER], IN_ORDER)
    assert (stored == TEXTS, stored == {**TEXTS, "c": ""}) == (True, False)
    assert {name for name, _ in stored.items() ^ {**TEXTS, "c": ""}.items()} == {"c"}


@pytest.mark.parametrize(("most", "kind"), [(6, dict), (5, StoredTexts)])
def test_few_texts_are_a_dict(most: int, kind: type) -> None:
    made = texts_by_name(TEXTS, most)
    assert (type(made), list(made.items())) == (kind, IN_ORDER)
