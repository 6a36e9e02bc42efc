"""Errors planted at random in tables of the published studies: most are found, and nothing right is accused.

`python benchmarks/audit.py` does the same with more tables.
"""

import random
from pathlib import Path

import pytest

import reportgen
from reportgen.audit import Auditor, gather_evidence, read_document
from tests.audit.figures import Study, studies
from tests.audit.planting import Score, plant
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

TABLES = 10
STUDIES = studies(ROOT)


def audit_tables(study: Study, *, errors: bool) -> tuple[Score, list[str]]:
    auditor = Auditor(gather_evidence(reportgen.read(study.logs)))
    score, remarks = Score(), []
    for number in range(TABLES):
        generator = random.Random(f"{study.name} {number}")
        figures = study.draw(generator)
        if len(figures) >= 6:
            count = generator.randint(1, max(1, len(figures) // 10)) if errors else 0
            planted = plant(generator, figures, errors=count)
            remarks += score.add(planted, auditor.audit(read_document(planted.name, planted.text)))
    return score, remarks


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_planted_errors_are_found_and_nothing_else(study: Study) -> None:
    score, remarks = audit_tables(study, errors=True)
    assert score.false == 0, remarks
    assert sum(score.planted.values()) >= TABLES // 2
    assert score.share >= 0.9, remarks


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_tables_without_errors_are_verified(study: Study) -> None:
    score, remarks = audit_tables(study, errors=False)
    assert score.false == 0, remarks
    assert score.verified >= 0.9 * score.right


def test_planted_errors_in_tables_of_raw_logs_are_found(corpus: Path) -> None:
    total = Score()
    for study in studies(ROOT, corpus)[len(STUDIES) :]:
        score, remarks = audit_tables(study, errors=True)
        assert score.false == 0, (study.name, remarks)
        for kind, count in score.planted.items():
            total.planted[kind] = total.planted.get(kind, 0) + count
            total.found_errors[kind] = total.found_errors.get(kind, 0) + score.found_errors.get(kind, 0)
    assert total.share >= 0.95
