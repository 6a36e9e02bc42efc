"""BenchmarkJade's published table against its logs: one typo, and six rows with the wrong number of devices."""

import csv
from pathlib import Path

import reportgen
from tests.conftest import ROOT

TABLE = ROOT / "logs" / "jade2" / "jade2_results.csv"


def wrong(logs: Path) -> list[tuple[int, str, str]]:
    (document,) = reportgen.audit_files(TABLE, logs=logs, reports=ROOT / "no reports").documents
    return [
        (each.cell.line, each.text, each.expected)
        for each in document.judgements
        if each.verdict == "differs"
    ]


def test_the_table_of_benchmark_jade_is_audited_against_its_corrected_copy() -> None:
    assert wrong(ROOT / "logs" / "jade2") == _expected()


def test_the_table_of_benchmark_jade_is_audited_against_its_logs(corpus: Path) -> None:
    assert wrong(corpus / "jade") == _expected()


def _expected() -> list[tuple[int, str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    expected = []
    for line, row in enumerate(rows, 2):
        if row["cluster"] == "JADE2" and row["devices"] == "4":
            expected.append((line, "4", "8"))
        expected += [(line, "0.559", "0.0559")] if row["forward_s"] == "0.559" else []
    assert len(expected) == 7
    return expected
