"""JSON of unknown origin."""

import pytest

from reportgen.formats.parsing import json_values


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000, b"\xef\xbb\xbf", b"NaN,"])
def test_what_is_not_json_is_none(content):
    assert json_values.load(content) is None
