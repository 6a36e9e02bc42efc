"""The index.html of all reports: a card for each, with its dates, devices, verdicts and findings."""

from dataclasses import replace

import pytest

from reportgen.core.model import Run, Source
from reportgen.document.model import Provenance
from reportgen.render import render_index
from reportgen.render.page.report_cards import ReportCard, cards_of
from reportgen.tables.results import Report
from tests.render import example
from tests.render.test_hostile import hostile_report
from tests.render.test_page import Page


def card_of(report: Report) -> ReportCard:
    (card,) = cards_of([example.document_of(report)])
    return card


def started(*days: float, device: str = "") -> tuple[Run, ...]:
    """Return runs that started so many days after the first of January 1970."""
    factors = {"device": device} if device else {}
    return tuple(
        Run(f"r{day}", "native", Source("logs/r"), factors, started=day * 86400.0 + 3600) for day in days
    )


@pytest.mark.parametrize(
    ("runs", "published", "when"),
    [
        (started(0), (), "measured 1970-01-01"),
        (started(2, 0, 1), (), "measured 1970-01-01 to 1970-01-03"),
        ((), ("2020-10", "2020-09"), "published 2020-09 to 2020-10"),
        (started(0), ("2020-10",), "measured 1970-01-01, published 2020-10"),
        ((), ("",), ""),
        (started(0, 1e300), (), "measured 1970-01-01"),
        (started(1e300), (), ""),
    ],
)
def test_a_card_has_the_dates_of_its_evidence(
    runs: tuple[Run, ...], published: tuple[str, ...], when: str
) -> None:
    provenance = tuple(Provenance("logs/a", "published", 1, date=date) for date in published)
    assert card_of(replace(example.report(), runs=runs, provenance=provenance)).when == when


def test_a_card_names_few_devices() -> None:
    runs = tuple(run for name in "HGFEDCBA" for run in started(0, device=name))
    assert card_of(replace(example.report(), runs=runs)).devices == "A, B, C, D, E, F, 2 more"


def test_a_card_counts_findings_and_has_its_first_figure() -> None:
    card = card_of(example.report())
    assert card.findings == (("warning", "1 warning"), ("note", "5 notes"))
    assert card.picture == f"{card.name}/figures/speedup.svg"
    assert card.alt


def test_the_index_is_well_formed_and_asks_for_nothing_elsewhere() -> None:
    for reports in ([], [example.report()], [hostile_report(), example.report()]):
        text = render_index([example.document_of(report) for report in reports])["index.html"].decode()
        assert Page(text).problems == []
        for part in ("<script", "@import", 'src="http', "url(http", 'href="//'):
            assert part not in text.replace('xmlns="http', "")
    assert "No reports yet" in render_index([])["index.html"].decode()
