"""File names from identifiers that may hold anything a log said."""

import pytest

from reportgen.document.file_names import stem, stems


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("fp32-b128", "fp32-b128"),
        ("throughput/V100 8", "throughput--V100-8"),
        ("a/../../b", "a--b"),
        ("..", "unnamed"),
        ("", "unnamed"),
        ("größe", "gr-e"),
        ("x" * 200, "x" * 120),
    ],
)
def test_an_identifier_becomes_a_plain_name(identifier: str, name: str) -> None:
    assert stem(identifier) == name


def test_identifiers_with_equal_names_get_different_files() -> None:
    names = stems(["a b", "a-b", "A-B", "other"])
    assert len({name.casefold() for name in names.values()}) == 4
    assert names["other"] == "other"
    assert names == stems(["other", "A-B", "a-b", "a b"])
