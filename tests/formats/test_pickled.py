"""Pickled results are refused with a reason, other pickles are not claimed."""

import pytest

from reportgen.core.model import Finding
from reportgen.formats.benchmarks import pickled
from reportgen.sources.logfiles import LogFiles
from tests.builders import read_all
from tests.formats.valid_logs import PICKLED


def test_the_finding_names_the_remedy():
    (found,) = read_all("pickled", PICKLED)
    assert isinstance(found, Finding)
    assert (found.rule, found.message) == (
        "read.unreadable-file",
        "cannot be read: it is pickled, and unpickling runs whatever code it contains; have the benchmark write JSON or text")  # fmt: skip


@pytest.mark.parametrize("content", [b"\x80\x04\x95model weights.", b"torch.utils.benchmark", b""])
def test_other_files_are_not_claimed(content):
    assert pickled.claims(LogFiles.of({"x": content}).file("x")) is None
