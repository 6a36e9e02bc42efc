"""A document from a file renders to the committed page: everything that is shown is in report.json."""

from pathlib import Path

import pytest

from reportgen.document.encode import decode
from reportgen.render import render_document
from tests.conftest import ROOT

REPORTS = sorted((ROOT / "reports").glob("*/report.json"))


@pytest.mark.slow
@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.parent.name)
def test_a_document_from_a_file_renders_to_what_is_committed(path: Path) -> None:
    folder = path.parent
    document = decode(path.read_bytes(), str(path))
    side_files = {
        name: (folder / name).read_bytes() for name in document.side_files if (folder / name).exists()
    }

    def existing(name: str) -> bytes | None:
        return (folder / name).read_bytes() if (folder / name).exists() else None

    files = render_document(document, side_files, existing, committed_only=True)
    assert {"index.html", "README.md", "report.json"} <= files.keys()
    assert [name for name, content in files.items() if existing(name) != content] == []
