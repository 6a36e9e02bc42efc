"""Errors planted at random in tables of the published studies: most are found, and nothing right is accused.

`python benchmarks/audit.py` does the same with more tables.
"""

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

import reportgen
from reportgen.audit import Auditor, gather_evidence, read_document
from tests.audit.figures import Study, studies
from tests.audit.planting import Score, plant
from tests.conftest import IS_THOROUGH, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.no_cover]

TABLES = 10 if IS_THOROUGH else 6
STUDIES = studies(ROOT)


@cache
def auditor_of(logs: Path) -> Auditor:
    """Return the auditor of a folder of logs, which tests and studies share."""
    return Auditor(gather_evidence(reportgen.read(logs)))


def audit_tables(study: Study, *, errors: bool) -> tuple[Score, list[str]]:
    auditor = auditor_of(study.logs)
    score, remarks = Score(), []
    for number in range(TABLES):
        generator = random.Random(f"{study.name} {number}")
        figures = study.draw(generator)
        if len(figures) >= 6:
            count = generator.randint(1, max(1, len(figures) // 10)) if errors else 0
            planted = plant(generator, figures, errors=count)
            remarks += score.add(planted, auditor.audit(read_document(planted.name, planted.text)))
    return score, remarks


def check(sources: Sequence[Study]) -> None:
    """Check that at least 95 % of the errors are found, and that no right cell is accused."""
    planted = finds = 0
    missed = []
    for study in sources:
        score, remarks = audit_tables(study, errors=True)
        assert score.false == 0, (study.name, remarks)
        assert score.elsewhere == 0, (study.name, remarks)
        planted += sum(score.planted.values())
        finds += sum(score.found_errors.values())
        missed += [f"{study.name}: {remark}" for remark in remarks]
    assert planted >= 40
    assert finds >= 0.95 * planted, missed


def test_planted_errors_are_found_and_nothing_else() -> None:
    check(STUDIES)


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_tables_without_errors_are_verified(study: Study) -> None:
    score, remarks = audit_tables(study, errors=False)
    assert score.false == 0, remarks
    assert score.verified >= 0.9 * score.right


def test_planted_errors_in_tables_of_raw_logs_are_found(corpus: Path) -> None:
    check(studies(ROOT, corpus)[len(STUDIES) :])
