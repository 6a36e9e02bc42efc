"""Result files as evidence, and the ratios of generated documents."""

import json
from pathlib import Path

import pytest

import reportgen
from reportgen.audit import read_results
from reportgen.core.errors import RequestError
from tests.conftest import ROOT

ROWS = (("resnet50", 1, 397.64, 12.537), ("resnet50", 8, 3130.34, 13.258), ("bert", 1, 70.13, 19.318),
        ("bert", 8, 512.57, 20.754))  # fmt: skip
CSV = "model,GPUs,throughput (img/s),forward_ms\n" + "".join(
    f"{m},{n},{rate},{ms}\n" for m, n, rate, ms in ROWS
)
RECORDS = json.dumps(
    {"results": [{"model": m, "gpus": n, "img/s": r, "forward_ms": ms} for m, n, r, ms in ROWS]}
)
NESTED = json.dumps({
    model: [{"gpus": n, "img/s": r, "forward_ms": ms} for m, n, r, ms in ROWS if m == model]
    for model in ("resnet50", "bert")
})  # fmt: skip
TABLE = """\
| model | GPUs | rate (img/s) | forward (ms) |
|---|---|---|---|
| resnet50 | 1 | 397.6 | 12.54 |
| resnet50 | 8 | 3130 | 13.26 |
| bert | 1 | 70.13 | 19.32 |
| bert | 8 | 512.6 | 20.75 |

On 8 GPUs, resnet50 is 7.87 times faster than on 1 GPU.
"""


@pytest.mark.parametrize(("name", "text"), [("r.csv", CSV), ("r.json", RECORDS), ("n.json", NESTED)])
def test_a_table_is_verified_against_a_result_file(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "t.md").write_text(TABLE)
    audited = reportgen.audit_files(
        tmp_path / "t.md", results=tmp_path / name, reports=tmp_path / "reports"
    ).documents[0]
    assert {str(each.verdict) for each in audited.judgements} <= {"verified", "derived"}
    (tmp_path / "t.md").write_text(TABLE.replace("20.75", "27.05"))
    (document,) = reportgen.audit_files(
        tmp_path / "t.md", results=tmp_path / name, reports=tmp_path / "reports"
    ).documents
    assert [each.text for each in document.judgements if each.verdict == "differs"] == ["27.05"]


@pytest.mark.parametrize(
    ("name", "text", "fact"),
    [
        ("r.csv", "model,note\nresnet50,fast\n", "has no row with a result"),
        ("r.json", "[1, 2]", "has no row with a result"),
        ("r.json", "{", "is not JSON"),
        ("r.json", "[" * 100_000, "is not JSON"),
        ("r.json", '{"version": 99, "tables": [], "cases": []}', "version 99"),
    ],
)
def test_a_file_without_results_is_an_error(name: str, text: str, fact: str) -> None:
    with pytest.raises(RequestError, match=fact):
        read_results(name, text)


@pytest.mark.parametrize("is_alone", [False, True], ids=["beside logs", "report.json alone"])
def test_every_number_of_our_readme_is_verified_or_derived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_alone: bool
) -> None:
    monkeypatch.chdir(tmp_path if is_alone else ROOT)
    results = [ROOT / "reports" / "jade2" / "report.json"] if is_alone else []
    (document,) = reportgen.audit_files(ROOT / "README.md", results=results).documents
    counts = {str(verdict): count for verdict, count in document.counts.items()}
    assert counts == {"rounded": 4, "derived": 12}
