"""Ratios in columns and sentences."""

import pytest

from tests.audit.auditing import audit, mistakes, verdicts
from tests.audit.test_audit import RATES, RUNS
from tests.each_of import each_row

SPEEDUPS = "framework,devices,throughput,speedup\n" + "".join(
    f"{framework},{devices},{rate},{rate / RATES[framework, 1]:.2f}\n"
    for (framework, devices), rate in RATES.items()
)


def test_a_column_of_speedups_is_verified():
    document = audit(SPEEDUPS, RUNS, "t.csv")
    assert {str(each.verdict) for each in document.judgements} <= {"verified", "rounded", "derived"}


def test_a_wrong_speedup_differs():
    # 12411.97 / 397.64 is 31.21; 13.21 has its digits transposed.
    assert mistakes(audit(SPEEDUPS.replace("31.21", "13.21"), RUNS, "t.csv")) == [
        ("13.21", "transposed digits")
    ]


@each_row(
    [
        # 12411.97 / 10021.29 = 1.2386, 397.64 / 351.71 = 1.1306
        ("On 32 GPUs, OneFlow is 1.239 times faster than NGC PyTorch.", "derived"),
        ("NGC PyTorch is 1.131x slower than OneFlow on 1 GPU.", "derived"),
        ("On 32 GPUs, OneFlow is 1.24 times faster than NGC PyTorch.", "derived"),
        # 12411.97 / 397.64 = 31.21
        ("OneFlow on 32 GPUs is 31.2x faster than on 1 GPU.", "derived"),
        ("OneFlow reaches a speed-up of 31.2 over 1 GPU on 32 GPUs.", "derived"),
        ("OneFlow on 1 GPU is 31.2x faster than on 32 GPUs.", "no source"),
        ("NGC PyTorch is 7.77x slower than OneFlow.", "no source"),
        ("Chainer is 1.239 times faster than Caffe.", "no source"),
        ("It is 5.5x slower.", "no source"),
    ]
)
def test_a_ratio_in_a_sentence_is_found_if_the_sentence_names_both_cases(sentence, verdict):
    document = audit(f"# Speed\n\n{sentence}\n", RUNS)
    assert list(verdicts(document).values()) == [verdict]


# 397.64 / 351.71 = 1.131, 3130.34 / 2790.85 = 1.122, 6260.29 / 5413.43 = 1.156, 12411.97 / 10021.29 = 1.239
QUOTIENTS = """\
| GPUs | OneFlow | NGC PyTorch | OneFlow / NGC PyTorch |
|---|---|---|---|
| 1 | 397.64 | 351.71 | 1.131 |
| 8 | 3130.34 | 2790.85 | 1.122 |
| 16 | 6260.29 | 5413.43 | 1.156 |
| 32 | 12411.97 | 10021.29 | 1.239 |
"""


def test_a_column_of_ratios_of_two_other_columns_is_derived() -> None:
    assert list(verdicts(audit(QUOTIENTS, RUNS)).values()).count("derived") == 4


@pytest.mark.parametrize(
    ("wrong", "mistake"), [("0.8647", "inverted ratio"), ("1.516", "transposed digits"), ("1.341", "")]
)
def test_a_wrong_ratio_of_two_columns_differs(wrong: str, mistake: str) -> None:
    assert mistakes(audit(QUOTIENTS.replace("1.156", wrong), RUNS)) == [(wrong, mistake)]


def test_a_row_of_ratios_to_another_row_is_derived() -> None:
    # 3130.34 / 397.64 = 7.872, 2790.85 / 351.71 = 7.935
    text = (
        "| | OneFlow | NGC PyTorch |\n|---|---|---|\n| 1 GPU | 397.64 | 351.71 |\n| 8 GPUs | 3130.34 | 2790.85 |\n"
        "| 8 GPUs vs. 1 GPU | 7.872 | 7.935 |\n"
    )
    assert list(verdicts(audit(text, RUNS)).values()).count("derived") == 2
