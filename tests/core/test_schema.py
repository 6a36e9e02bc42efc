"""Schemas of TOML files: error messages, and the valid parts of a document with errors."""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, field

from reportgen.core.errors import RequestError
from reportgen.core.schema import (
    Condition,
    InvalidTable,
    TomlTable,
    conditions,
    convert_valid_parts,
    decode,
    parse,
    path_text,
    read_toml,
)
from reportgen.formats.published.source_toml import SourceFile
from tests.each_of import each_of, each_row


class Inner(TomlTable, kw_only=True):
    """An entry of a list of tables."""

    name: str
    size: Annotated[float, Meta(gt=0, lt=1)] = 0.5
    kind: Literal["line", "bar"] = "line"

    def __post_init__(self) -> None:
        if self.name == "bad":
            raise InvalidTable("is bad", "use another", ("name",))


class Outer(TomlTable):
    """A whole file."""

    title: str = ""
    where: dict[str, Condition] = field(default_factory=dict)
    inner: list[Inner] = field(default_factory=list)


@each_row(
    [
        ("title = 1", 'x.toml: title: expected a string, got 1; write title = "..."'),
        ("inner = 1", "x.toml: inner: expected a list, got 1; write it as [[inner]]"),
        ("where = 1", "x.toml: where: expected a table, got 1; write where = { name = value }"),
        (
            '[[inner]]\nname = "a"\nsize = "1"',
            'x.toml: inner[0].size: expected a number, got "1"; write a number without quotes',
        ),
        ("title = 2020-01-01", None),
        ("titel = 1", 'x.toml: titel: no such key; did you mean "title"?'),
        ("[[inner]]", 'x.toml: inner[0].name: missing; add name = "..."'),
        ('[[inner]]\nname = "bad"', "x.toml: inner[0].name: is bad; use another"),
        (
            '[[inner]]\nname = "a"\nsize = 1',
            "x.toml: inner[0].size: 1 is out of range; use a number above 0 and below 1",
        ),
        ('[[inner]]\nname = "a"\nsize = inf', "x.toml: inner[0].size: not a finite number"),
        (
            '[[inner]]\nname = "a"\nkind = "lin"',
            'x.toml: inner[0].kind: "lin" is not known; did you mean "line"?',
        ),
        ("where.a = []", "x.toml: where.a: an empty list; name at least one value"),
        (
            'where."b c" = [1, {}]',
            'x.toml: where."b c"[1]: expected true or false, a number or a string, got a table',
        ),
        (
            "where = { a = 1, b = {}, c = 2 }",
            "x.toml: where.b: expected true or false, a number, a string or a list, got a table",
        ),
        (
            "title = ",
            "x.toml: not valid TOML: invalid value (at end of document); correct it there; the grammar is at "
            "https://toml.io",
        ),
        ("a = " + "[" * 5000, "x.toml: not valid TOML: "),
        ("a = " + "1" * 5000, "x.toml: not valid TOML: an integer of thousands of digits"),
    ]
)
def test_an_invalid_table_gives_place_fact_and_remedy(text: str, message: str | None) -> None:
    if message is None:
        decode(text, Outer, "x.toml")
        return
    with pytest.raises(RequestError) as error:
        decode(text, Outer, "x.toml")
    assert str(error.value).startswith(message)


@each_row(
    [
        ("a." * 30_000 + "a = 1", "not valid TOML: a key of more than 100 parts (at line 1)"),
        ("x = 1\n[" + '"b" . ' * 200 + "c]", "not valid TOML: a key of more than 100 parts (at line 2)"),
        ('"a b".' * 200 + '"a"=1', "not valid TOML: a key of more than 100 parts (at line 1)"),
        (r'"\u0041".' * 200 + '"a"=1', "not valid TOML: a key of more than 100 parts (at line 1)"),
        (r'"\"" . ' * 200 + '"a"=1', "not valid TOML: a key of more than 100 parts (at line 1)"),
        ("x = {" + "'#' . " * 200 + "c = 1}", "not valid TOML: a key of more than 100 parts (at line 1)"),
        (
            'x = """\n\\""""""\n' + "a." * 200 + "c = 1",
            "not valid TOML: a key of more than 100 parts (at line 3)",
        ),
        (
            "x = '''\n\\'''''\n" + "a." * 200 + "c = 1",
            "not valid TOML: a key of more than 100 parts (at line 3)",
        ),
        ("# " + "x" * 2**22, "longer than 4 MiB"),
    ]
)
def test_a_document_that_takes_too_much_memory_is_refused_before_it_is_parsed(text: str, fact: str) -> None:
    with pytest.raises(RequestError) as error:
        decode(text, Outer, "x.toml")
    assert error.value.fact == fact


_STRINGS = [
    ('"', "'''"),
    ('"', "\\\\"),
    ("'", '"""'),
    ("'", "# "),
    ('"""', 'it\'s \n"" \\""" a'),
    ('"""', '"a""'),
    ("'''", 'say """ \\ \'\''),
    ("'''", "it's\n'a'"),
]


@each_row(_STRINGS)
def test_points_in_strings_and_comments_are_not_keys(quote: str, begin: str) -> None:
    text = f"# {'a.' * 999}\ntitle = {quote}{begin} {'a.' * 999}{quote} # {'a.' * 999}"
    assert parse(text)["title"].endswith("a." * 999)


_UNITS = ["a", "a ", "a.", "a\n", "#", '"', "'", '""" ', "''' ", '"\\', "[", ". ", " "]


@each_of(["", '"', '"""'], _UNITS)
def test_looking_for_keys_of_many_parts_takes_linear_time(before: str, unit: str) -> None:
    text = before + (unit * 500_000)[:500_000]
    begin = time.process_time()
    with suppress(ValueError):
        parse(text)
    assert time.process_time() - begin < 5  # a quadratic search takes minutes


def test_a_pipe_in_place_of_a_file_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.toml")
    with pytest.raises(RequestError, match=r"x\.toml: is not a file; replace it by a file"):
        read_toml(tmp_path / "x.toml", Outer, "x.toml")


def test_a_single_value_is_a_condition_of_one() -> None:
    assert conditions({"a": 1, "b": ["x", True]}) == {"a": (1,), "b": ("x", True)}


def test_invalid_parts_are_left_out_and_reported_by_position() -> None:
    document: dict[str, Any] = {
        "title": "t",
        "titel": "u",
        "where": {"a": 1, "b": {}},
        "inner": [{"name": "a"}, {"name": 1}, {"name": "b", "nmae": 2}, {"size": 0.1}, {"name": "c"}],
    }
    outer, faults = convert_valid_parts(document, Outer)
    assert (outer.title, outer.where, [one.name for one in outer.inner]) == ("t", {"a": 1}, ["a", "b", "c"])
    assert {fault.place for fault in faults} == {
        "titel",
        "where.b",
        "inner[1].name",
        "inner[2].nmae",
        "inner[3].name",
    }


def test_a_path_is_written_in_toml_notation() -> None:
    assert path_text(("tables", 0, "where", "my factor")) == 'tables[0].where."my factor"'


KEYS = st.sampled_from([*SourceFile.__struct_fields__, "column", "metric", "unit", "values", "x"])
VALUES = st.recursive(
    st.none().map(lambda _: "text") | st.integers(-(10**20), 10**20) | st.floats() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_any_document_gives_valid_parts_or_errors(document: dict[str, Any]) -> None:
    file, faults = convert_valid_parts(document, SourceFile)
    assert isinstance(file, SourceFile)
    assert all(fault.place and fault.fact for fault in faults)
