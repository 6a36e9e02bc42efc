"""A number typed into a headline has nothing behind it; a number that names a case has."""

from dataclasses import replace

import pytest

from reportgen.core.rules import Rule
from reportgen.report.definition import ReportDefinition
from reportgen.report.headline_numbers import unbacked_numbers
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Table
from tests.builders import published_run, table_spec

VALUE = '{{ value("t", row={"devices": 8},\n column={"model": "a 7"}) }}'


def tables() -> list[Table]:
    runs = [published_run(throughput=1.0, devices=8, gpu="GTX 1080", framework="2.4.1")]
    return build_tables(table_spec(rows=("devices", "gpu")), runs, NO_FACTS)


def typed(headline: str, title: str = "Report") -> list[str]:
    """Return the findings about a headline."""
    definition = ReportDefinition("reports/r.toml", "r", title, ("logs",), "", (), ())
    findings = list(unbacked_numbers(replace(definition, headline=headline), tables()))
    assert all(
        (finding.rule, finding.severity) == (Rule.PROSE_UNBACKED_NUMBER, "warning") for finding in findings
    )
    return [finding.message for finding in findings]


@pytest.mark.parametrize(
    "headline",
    [
        "",
        f"On 8 GPUs, ResNet-50 v1.5 reaches {VALUE}x on the V100-16GB and the GTX 960M.",
        "A GTX 1080 with 2.4.1 needs {{ ratio('t') }} of it, {{expected('A', 'B')}}.",
        "FP32 is slower.",
    ],
)
def test_calls_and_names_of_cases_are_backed(headline: str) -> None:
    assert typed(headline) == []


@pytest.mark.parametrize(
    ("headline", "numbers"),
    [
        ("JADE2 is 9.38 times slower.", "9.38"),
        (f"It is 8x faster ({VALUE}), 1.5 % or 2%.", "8x, 1.5 %, 2%"),
        ("It needs 12ms, and 1,234.5 images/s.", "12ms, 1,234.5"),
        ('It is {{ "9.38" }} times slower.', "9.38"),
        ("Twice 3, 3 and 64.", "3, 64"),
    ],
)
def test_typed_numbers_are_named_once(headline: str, numbers: str) -> None:
    assert typed(headline) == [f"the headline contains {numbers}, which no value() or ratio() prints"]


def test_the_title_names_the_numbers_of_its_subject() -> None:
    assert typed("Llama 3 is fast.") == ["the headline contains 3, which no value() or ratio() prints"]
    assert typed("Llama 3 is fast.", title="Llama 3") == []
