"""Verdicts on the numbers of small tables, against runs whose values are known."""

from dataclasses import replace

import pytest

from reportgen.audit import read_document
from reportgen.core.model import Source
from tests.audit.auditing import accused, audit, mistakes, verdicts
from tests.builders import published_run

# 2 frameworks x 4 numbers of devices; no two values share digits.
RATES = {
    ("OneFlow", 1): 397.64,
    ("OneFlow", 8): 3130.34,
    ("OneFlow", 16): 6260.29,
    ("OneFlow", 32): 12411.97,
    ("NGC PyTorch", 1): 351.71,
    ("NGC PyTorch", 8): 2790.85,
    ("NGC PyTorch", 16): 5413.43,
    ("NGC PyTorch", 32): 10021.29,
}
RUNS = [
    published_run(throughput=rate, framework=framework, devices=devices, precision="fp32", item="image")
    for (framework, devices), rate in RATES.items()
]
PHASES = {
    ("Train", 1): (0.6594, 0.1774, 0.3166),
    ("Train", 8): (5.2553, 1.3720, 0.8037),
    ("Inference", 1): (1.0153, 0.1510, 0.4321),
    ("Inference", 8): (5.8355, 1.1637, 0.2718),
}
STEPS = [
    published_run(
        values=dict(zip(("data_loading", "forward", "backward"), values, strict=True)),
        benchmark=benchmark,
        devices=devices,
        device="V100",
    )
    for (benchmark, devices), values in PHASES.items()
]

WIDE = """\
| GPUs | OneFlow | NGC PyTorch |
|---|---|---|
| 1 | 397.64 | 351.71 |
| 8 | 3130.34 | 2790.85 |
| 16 | 6260.29 | 5413.43 |
| 32 | 12411.97 | 10021.29 |
"""
LONG = "framework,devices,throughput\n" + "".join(
    f"{framework},{devices},{rate}\n" for (framework, devices), rate in RATES.items()
)


@pytest.mark.parametrize(("text", "name"), [(WIDE, "t.md"), (LONG, "t.csv")])
def test_a_right_table_is_verified(text, name):
    document = audit(text, RUNS, name)
    assert {str(each.verdict) for each in document.judgements} == {"verified"}


def test_rounded_numbers_with_separators_units_and_marks_are_not_accused():
    text = (
        WIDE.replace("12411.97", "**12.4k**").replace("3130.34", "3,130 img/s").replace("351.71", "352[^1]")
    )
    found = verdicts(audit(text, RUNS))
    assert (found["12.4k"], found["3,130 img/s"], found["352"]) == ("rounded", "verified", "rounded")
    assert "differs" not in found.values()


@pytest.mark.parametrize(
    ("right", "wrong", "mistake"),
    [
        ("3130.34", "313.034", "decimal shift"),
        ("3130.34", "31303.4", "decimal shift"),
        ("3130.34", "3.13034", "unit"),
        ("3130.34", "391.29", "per device"),
        ("3130.34", "3103.34", "transposed digits"),
        ("3130.34", "6260.29", "wrong row"),
        ("3130.34", "2901.55", ""),
    ],
)
@pytest.mark.parametrize(("table", "name"), [(WIDE, "t.md"), (LONG, "t.csv")])
def test_a_wrong_number_differs_with_the_mistake_that_explains_it(table, name, right, wrong, mistake):
    document = audit(table.replace(right, wrong), RUNS, name)
    assert mistakes(document) == [(wrong, mistake)]
    (judgement,) = accused(document)
    assert judgement.expected == "3130.34"
    assert str(judgement.source) == str(RUNS[1].source)


def test_two_swapped_cells_both_differ():
    text = WIDE.replace("2790.85", "?").replace("5413.43", "2790.85").replace("?", "5413.43")
    assert mistakes(audit(text, RUNS)) == [("5413.43", "swapped cells"), ("2790.85", "swapped cells")]


def test_columns_may_be_phases_in_another_unit():
    text = (
        "| Benchmark | # GPUs | Data Loading (ms) | Forward (ms) | Backward (ms) |\n|---|---|---|---|---|\n"
        "| Train | 1 | 659.4 | 177.4 | 316.6 |\n| Train | 8 | 5255.3 | 1372 | 803.7 |\n"
        "| Inference | 1 | 1015.3 | 151 | 432.1 |\n| Inference | 8 | 5835.5 | 1163.7 | 2718 |\n"
    )
    assert mistakes(audit(text, STEPS)) == [("2718", "decimal shift")]


def test_rows_may_be_phases():
    text = (
        "| | Train, 1 GPU | Train, 8 GPUs | Inference, 1 GPU | Inference, 8 GPUs |\n|---|---|---|---|---|\n"
        "| data loading | 0.6594 | 5.2553 | 1.0153 | 5.8355 |\n| forward | 0.1774 | 1.3720 | 0.1510 | 1.1637 |\n"
        "| backward | 0.3166 | 0.8073 | 0.4321 | 0.2718 |\n"
    )
    assert mistakes(audit(text, STEPS)) == [("0.8073", "transposed digits")]


def test_a_wrong_key_is_accused_and_not_the_numbers_of_its_row():
    text = (
        "| Benchmark | Devices | Data Loading | Forward | Backward |\n|---|---|---|---|---|\n"
        "| Train | 1 | 0.6594 | 0.1774 | 0.3166 |\n| Train | 4 | 5.2553 | 1.3720 | 0.8037 |\n"
        "| Inference | 1 | 1.0153 | 0.1510 | 0.4321 |\n| Inference | 8 | 5.8355 | 1.1637 | 0.2718 |\n"
    )
    document = audit(text, STEPS)
    assert mistakes(document) == [("4", "wrong key")]
    assert accused(document)[0].expected == "8"


def test_rows_of_systems_without_logs_have_no_source():
    text = WIDE.replace("NGC PyTorch", "Chainer")
    document = audit(LONG.replace("NGC PyTorch", "Chainer"), RUNS, "t.csv")
    assert [str(each.verdict) for each in document.judgements if not each.is_key] == ["verified"] * 4 + [
        "no source"
    ] * 4
    assert not accused(audit(text, RUNS))


def test_a_table_of_another_project_has_no_source():
    text = (
        "| GPUs | OneFlow | NGC PyTorch |\n|---|---|---|\n| 1 | 412.07 | 366.93 |\n| 8 | 3301.6 | 2850.4 |\n"
        "| 16 | 6544.8 | 5601.2 |\n"
    )
    assert set(verdicts(audit(text, RUNS)).values()) == {"no source"}
    assert set(
        verdicts(audit("| dish | price |\n|---|---|\n| soup | 3.50 |\n| tea | 2.20 |\n", RUNS)).values()
    ) == {"no source"}


def test_nothing_is_accused_without_logs():
    assert {str(each.verdict) for each in audit(WIDE, []).judgements} == {"no source"}


def test_a_document_without_tables_claims_nothing():
    assert read_document("t.md", "# A\n\nNo table.\n").tables == ()


def test_numbers_that_agree_by_chance_among_many_candidates_prove_nothing():
    runs = [
        published_run(throughput=float(rate), system_name=f"machine {rate}", devices=8, framework="Y")
        for rate in range(100, 1000, 3)
    ]
    text = "| GPUs | repeat 1 | repeat 2 | repeat 3 |\n|---|---|---|---|\n" + "| 8 | 412 | 635 | 811 |\n" * 6
    assert set(verdicts(audit(text, runs)).values()) == {"no source"}


def test_a_median_of_different_cases_verifies_no_number():
    systems, rates = {"alpha": 1, "beta": 2, "gamma": 3}, {8: 1010.5, 16: 1501.25, 32: 1805.0, 64: 1901.5}
    runs = [
        replace(
            published_run(throughput=rate * speed, batch_size=batch), source=Source(f"{name}/{batch}.csv")
        )
        for name, speed in systems.items()
        for batch, rate in rates.items()
    ]

    def judged(rate):
        rows = "".join(f"| {name} | {rate * speed:.3f} |\n" for name, speed in systems.items())
        judgements = audit("| system | samples/s |\n|---|---|\n" + rows, runs).judgements
        return {(str(each.verdict), each.hypothesis and each.hypothesis.text) for each in judgements}

    assert judged((1501.25 + 1805.0) / 2) == {("derived", "the median of 4 runs that differ in batch_size")}
    assert judged(1901.5) == {("verified", None)}
