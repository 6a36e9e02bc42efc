"""Ratios in columns and sentences."""

import pytest

from tests.audit.auditing import audit, mistakes, verdicts
from tests.audit.test_audit import RATES, RUNS

SPEEDUPS = "framework,devices,throughput,speedup\n" + "".join(
    f"{framework},{devices},{rate},{rate / RATES[framework, 1]:.2f}\n"
    for (framework, devices), rate in RATES.items()
)


def test_a_column_of_speedups_is_verified():
    document = audit(SPEEDUPS, RUNS, "t.csv")
    assert {str(each.verdict) for each in document.judgements} <= {"verified", "rounded"}


def test_a_wrong_speedup_differs():
    # 12411.97 / 397.64 is 31.21; 13.21 has its digits transposed.
    assert mistakes(audit(SPEEDUPS.replace("31.21", "13.21"), RUNS, "t.csv")) == [
        ("13.21", "transposed digits")
    ]


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        # 12411.97 / 10021.29 = 1.2386, 397.64 / 351.71 = 1.1306
        ("On 32 GPUs, OneFlow is 1.239 times faster than NGC PyTorch.", "verified"),
        ("NGC PyTorch is 1.131x slower than OneFlow.", "verified"),
        ("On 32 GPUs, OneFlow is 1.24 times faster than NGC PyTorch.", "rounded"),
        ("NGC PyTorch is 7.77x slower than OneFlow.", "no source"),
        ("Chainer is 1.239 times faster than Caffe.", "no source"),
        ("It is 5.5x slower.", "no source"),
    ],
)
def test_a_ratio_in_a_sentence_is_found_if_the_sentence_names_both_cases(sentence, verdict):
    document = audit(f"# Speed\n\n{sentence}\n", RUNS)
    assert list(verdicts(document).values()) == [verdict]
