"""Both pages have findings, expected speeds and the protocol beside their tables."""

import json
from dataclasses import replace

from reportgen.document.model import Environment
from tests.render import example
from tests.render.example import render_report


def test_an_environment_of_any_size_is_a_short_block_on_both_pages() -> None:
    rows = tuple((f"key {n:06}", "v" * 900) for n in range(5000))
    report = replace(example.report(), environments=(Environment("logs/a", 1, rows),))
    files = render_report(report)
    small = render_report(replace(report, environments=()))
    for path in ("README.md", "index.html"):
        page = files[path].decode()
        assert "4,800 more in report.json" in page
        assert ("key 000199" in page, "key 000200" in page) == (True, False)
        assert "v" * 500 + "..." in page
        assert len(page) - len(small[path]) < 300_000
    assert len(json.loads(files["report.json"])["environments"][0]["rows"]) == 5000
