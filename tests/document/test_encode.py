"""A document is written and read without loss, whatever numbers and texts it holds."""

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.errors import RequestError
from reportgen.core.units import Unit
from reportgen.document import encode as encoding
from reportgen.document.encode import MARK, StoredDocument, canonical, decode, encode
from reportgen.document.model import (
    VERSION,
    Case,
    Cell,
    Comparison,
    Document,
    Header,
    Measurement,
    Run,
    Summary,
    Table,
)
from tests.conftest import ROOT
from tests.each_of import each_row

REPORTS = sorted((ROOT / "reports").glob("*/report.json"))
# Every value that a log, a label or a name can have.
TEXTS = st.text(st.characters(), max_size=8)
# A factor that is NaN or infinite is a text in a document.
FINITE = st.floats(allow_nan=False, allow_infinity=False)
FACTORS = st.dictionaries(TEXTS, st.one_of(TEXTS, st.booleans(), st.integers(), FINITE), max_size=3)
NUMBERS = st.one_of(st.none(), st.floats())


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Return a document of one table with one row, and the case behind its cells."""
    value = draw(FINITE)
    run = Run(draw(TEXTS), factors=draw(FACTORS), started=draw(NUMBERS), source=draw(TEXTS))
    case = Case(
        "case",
        draw(FACTORS),
        summary=Summary(value, 3, draw(NUMBERS), draw(NUMBERS)),
        measurements=(Measurement(run, value, "steps"),),
    )
    cells = tuple(
        Cell("number", draw(NUMBERS), Unit("ms", "s", 1e-3), low=draw(NUMBERS), text=draw(TEXTS), case="case")
        for _ in range(draw(st.integers(0, 3)))
    )
    table = Table(
        "t", draw(TEXTS), rows=(Header((draw(TEXTS),)),), columns=(Header(),) * len(cells), cells=(cells,)
    )
    return Document(version=VERSION, name=draw(TEXTS), tables=(table,), cases=(case,))


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.parent.name)
def test_a_committed_document_is_written_as_it_was_read(path: Path) -> None:
    document = decode(path.read_bytes(), str(path))
    assert encode(document) == path.read_bytes()
    assert canonical(document) == document


def test_names_of_comparisons_are_any_texts() -> None:
    comparisons = {'a"\\\n': Comparison("speedup", "c"), "\u00e9": Comparison("ratio", "c")}
    document = Document(version=VERSION, name="", cases=(Case("c"), Case("d")), comparisons=comparisons)
    assert decode(encode(document), "report.json") == document


def test_reports_are_committed() -> None:
    assert len(REPORTS) == 7


def test_the_shortest_document_has_the_mark_of_a_generated_file() -> None:
    assert MARK.search(encode(Document(version=VERSION, name="a", generated=("a/report.json",))))


@pytest.mark.parametrize("count", [999, 1000, 1001, 1002])
def test_many_sources_are_written_as_few_are(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = {
        f'logs/\N{GREEK SMALL LETTER ALPHA}<{number}>".log': f"{number:064}" for number in range(count)
    }
    document = Document(version=VERSION, name="many", sources=sources)
    written = encode(document)
    monkeypatch.setattr(encoding, "_MANY_SOURCES", 2000)
    assert written == encode(document)
    assert decode(written, "report.json") == document


@given(documents())
def test_a_document_survives_its_file(document: Document) -> None:
    once = canonical(document)
    content = encode(once)
    read = decode(content, "report.json")
    assert read == once
    assert encode(read) == content
    assert canonical(once) == once


@each_row(
    [
        (math.nan, None),
        (math.inf, None),
        (-math.inf, None),
        (2**70, "1180591620717411303424"),
        (-(2**70), "-1180591620717411303424"),
        (2**63 - 1, 2**63 - 1),
        (1 / 3, 0.333333333333),
        ("a\ud800b", "a?b"),
        (True, True),
    ]
)
def test_a_value_that_json_has_no_form_for_becomes_one_that_it_has(value: Any, kept: Any) -> None:
    case = Case("c", {"x": value}) if not isinstance(value, float) else Case("c")
    cell = Cell(value=value if isinstance(value, float) else None)
    table = Table("t", rows=(Header(),), columns=(Header(),), cells=((cell,),))
    document = canonical(Document(version=VERSION, name="d", tables=(table,), cases=(case,)))
    found = (
        document.tables[0].cells[0][0].value if isinstance(value, float) else document.cases[0].factors["x"]
    )
    assert (found, type(found)) == (kept, type(kept))
    assert decode(encode(document), "report.json") == document


@pytest.mark.parametrize("content", [b"{}", b'{"version": true, "name": "x"}', b'{"version": "3"}', b"null"])
def test_a_file_without_a_version_is_refused(content: bytes) -> None:
    with pytest.raises(RequestError, match=r'report\.json: is not a report\.json: no "version"'):
        decode(content, "report.json")


def test_a_field_of_a_wrong_type_is_named() -> None:
    content = msgspec.json.encode({"version": VERSION, "name": "x", "tables": [{"id": 3}]})
    with pytest.raises(RequestError, match=r"\$\.tables\[0\]\.id"):
        decode(content, "report.json")


def test_a_stored_document_is_the_same_document() -> None:
    document = decode((ROOT / "reports/jade2/report.json").read_bytes(), "report.json")
    again = StoredDocument(document).decoded()
    assert again == document
    assert again.cases is document.cases
    assert again.tables[0] is not document.tables[0]
