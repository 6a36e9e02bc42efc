"""The numbers of sentences and lists."""

import pytest

from tests.audit.auditing import audit, mistakes, verdicts
from tests.audit.test_audit import RUNS, STEPS
from tests.builders import published_run

TEXT = """\
# Throughput, FP32

On 32 GPUs, OneFlow reaches 12411.97 images/s.
NGC PyTorch reaches 5,413.43 images/s on 16 GPUs and 10,021.29 images/s on 32 GPUs.

- OneFlow: 397.64 images/s on 1 GPU; 3130.34 images/s on 8 GPUs
- NGC PyTorch: 1 GPU 351.71 images/s; 8 GPUs 2790.85 images/s
"""


def test_the_numbers_of_sentences_and_lists_are_verified() -> None:
    assert set(verdicts(audit(TEXT, RUNS)).values()) == {"verified"}
    assert len(audit(TEXT, RUNS).judgements) == 7


@pytest.mark.parametrize(
    ("right", "wrong", "mistake"),
    [
        ("12411.97", "12141.97", "transposed digits"),
        ("12411.97", "1241.197", "decimal shift"),
        ("5,413.43", "6,260.29", "stale run"),
        ("351.71", "397.64", "stale run"),
        ("3130.34", "391.2925", "per device"),
    ],
)
def test_a_wrong_number_of_a_sentence_differs(right: str, wrong: str, mistake: str) -> None:
    assert mistakes(audit(TEXT.replace(right, wrong), RUNS)) == [(f"{wrong} images/s", mistake)]


def test_a_lone_number_of_another_case_is_found_elsewhere() -> None:
    (judgement,) = audit("OneFlow reaches 5413.43 images/s on 16 GPUs.\n", RUNS).judgements
    assert (judgement.verdict, judgement.expected) == ("number found, place not", "5413.43")
    assert judgement.hypothesis is not None
    assert judgement.hypothesis.text.endswith("NGC PyTorch; the place says \u201cOneFlow\u201d")


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        # Train on 8 devices: data loading 5.2553 s, forward 1.3720 s, backward 0.8037 s
        (
            "Train on 8 GPUs: the forward pass takes 1.372 s and the backward pass 803.7 ms.",
            "verified verified",
        ),
        ("Train on 8 GPUs: forward plus backward take 2.1757 s.", "verified"),
        (
            "Inference takes 1.1637 s for the forward pass on 8 GPUs but 0.1510 s on 1 GPU.",
            "verified verified",
        ),
        ("Inference takes 0.1510 s for the forward pass on 8 GPUs.", "number found, place not"),
        ("We waited 35.5 s for the first step.", "no source"),
        ("Version 1.2 of 3 May 2021 has 45 formats and 20 steps.", ""),
    ],
)
def test_the_words_around_a_number_decide_its_verdict(sentence: str, verdict: str) -> None:
    found = [str(each.verdict) for each in audit(f"{sentence}\n", STEPS).judgements]
    assert " ".join(found) == verdict


def test_an_article_before_a_device_is_not_the_first_letter_of_another() -> None:
    """The words of "a V100" are a, v and 100: the letters of A100 are among them."""
    speeds = {"V100": 116.885, "A100": 195.527, "H100": 402.118, "T4": 31.4159}
    runs = [published_run(device=device, model="m", throughput=value) for device, value in speeds.items()]
    text = (
        "An A100 trains m at 195.527 samples/s and a V100 at {} samples/s.\n"
        "An H100 trains m at 402.118 samples/s and a T4 at 31.4159 samples/s.\n"
    )
    assert set(verdicts(audit(text.format("116.885"), runs)).values()) == {"verified"}
    wrong = audit(text.format("195.527"), runs).judgements
    assert [str(each.verdict) for each in wrong] == ["verified", "differs", "verified", "verified"]
