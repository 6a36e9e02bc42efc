"""A share of memory bandwidth from a log to the page: value, formula, and the error where there is none."""

import json
from pathlib import Path

import pytest

from reportgen.core.errors import RequestError
from reportgen.pipeline import Request, build
from tests.builders import write_files

# 900 GB/s by the data sheet: 720 are 80 %.
LOG = """BabelStream
Using CUDA device %s
Function    MBytes/sec  Min (sec)   Max         Average
Copy        720000.000  0.00124     0.00128     0.00125
"""
DEFINITION = """title = "T"
logs = ["logs/s"]
[[tables]]
id = "t"
title = "T"
metric = "share_of_bandwidth"
rows = ["kernel"]
"""


def built(root: Path, device: str) -> dict[str, str]:
    write_files(root, {"logs/s/a.txt": LOG % device, "reports/r.toml": DEFINITION})
    files = build(Request(root, root / "reports")).files
    texts = (".md", ".html", ".json")
    return {str(path): content.decode() for path, content in files.items() if str(path).endswith(texts)}


def test_the_page_shows_the_share_and_its_formula(tmp_path: Path) -> None:
    files = built(tmp_path, "Tesla V100-SXM2-16GB")
    formula = "bandwidth / 900.0 GB/s of V100 SXM2 16GB (NVIDIA V100 Tensor Core GPU, data sheet)"
    text = {path.rpartition("/")[2]: content for path, content in files.items() if "/r/" in f"/{path}"}
    assert "| Copy | 80.00 |" in " ".join(text["README.md"].split())
    (case,) = json.loads(text["report.json"])["cases"]
    assert case["formula"] == formula
    assert case["summary"]["value"] == pytest.approx(0.8)
    assert f"; {formula}" in text["index.html"]


def test_a_table_of_shares_that_no_run_has_says_why(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as raised:
        built(tmp_path, "A100")
    assert str(raised.value) == (
        'reports/r.toml:3: tables.t.metric: no run has metric "share_of_bandwidth" (4 runs); a.txt#1: "A100" may be'
        " A100 PCIe 40GB, A100 PCIe 80GB, A100 SXM4 40GB or A100 SXM4 80GB"
    )
