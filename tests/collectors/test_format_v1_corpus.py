"""The conformance corpus matches the specification: a simple reader returns `expected.json`."""

import json
from pathlib import Path

from tests.collectors.second_reader import read
from tests.each_of import each_of

CORPUS = Path(__file__).parent.parent / "logformat" / "v1"


@each_of(sorted(path.name for path in CORPUS.iterdir()))
def test_a_second_reader_agrees_with_the_corpus(case):
    expected = json.loads((CORPUS / case / "expected.json").read_text())
    expected["findings"].sort(key=lambda finding: (finding["rule"], finding["path"]))
    assert read(CORPUS / case) == expected
