"""Two statistics of one metric never share a case, whatever wrote the log; so none of its medians or ratios.

All valid logs and fixtures are pooled with all of their factors ignored, which no definition can do worse.
"""

from itertools import combinations

import pytest

from reportgen.compare.conditions import conditions_of_case
from reportgen.compare.contract import contract_between
from reportgen.compare.side import side_of
from reportgen.core.model import Case, Run
from reportgen.formats.detection import detect
from reportgen.protocol import DEFAULT, available_metrics
from tests.builders import cases
from tests.formats.tables.test_families import FIXTURES
from tests.formats.tables.test_families import read as read_fixture
from tests.formats.test_formats import view
from tests.formats.valid_logs import VALID_LOGS


@pytest.fixture(scope="module")
def pooled() -> list[Case]:
    """Return the cases of all metrics over all runs with a figure that a log had reduced."""
    runs = [run for _, log, expected in FIXTURES for run in read_fixture(log, expected)[1]]
    for name, contents in VALID_LOGS.items():
        claimed = detect(view(contents, name))
        assert claimed is not None
        runs += [item for item in claimed.format.read(claimed.files) if isinstance(item, Run)]
    runs = [run for run in runs if run.aggregates]
    names = sorted({name for run in runs for name in run.factors})
    quantities = sorted({pair for run in runs for pair in available_metrics(run)})
    return [
        case for metric, phase in quantities for case in cases(runs, metric, phase, DEFAULT, ignore=names)
    ]


def test_no_case_has_figures_of_two_statistics(pooled: list[Case]) -> None:
    several = [case for case in pooled if len({x.statistic for x in case.measurements} - {""}) > 1]
    assert several == []
    assert len({x.statistic for case in pooled for x in case.measurements}) > 10


def test_the_ratio_of_two_statistics_means_nothing(pooled: list[Case]) -> None:
    by_metric: dict[str, list[Case]] = {}
    for case in pooled:
        if "statistic" in conditions_of_case(case) and case.phase == "step":
            by_metric.setdefault(case.metric, []).append(case)
    checked = 0
    for group in by_metric.values():
        for own, baseline in combinations(group[:12], 2):
            sides = side_of(own), side_of(baseline)
            if len({side.conditions["statistic"] for side in sides}) == 2:
                checked += 1
                assert "statistic" in {x.name for x in contract_between(*sides).differs if x.is_essential}
                about = contract_between(*sides, about=("statistic",))
                assert "statistic" in {x.name for x in about.differs if x.is_essential}
    assert checked > 50
