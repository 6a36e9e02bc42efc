"""A number is verified only where no word around it contradicts its case."""

import pytest

from reportgen.audit import gather_evidence
from reportgen.audit.keys import KeyIndex
from reportgen.audit.namings import NamingIndex
from reportgen.core.model import FactorValue
from tests.audit.auditing import audit, verdicts
from tests.builders import published_run
from tests.each_of import each_row

# Two precisions, two batch sizes, two devices; no two values share digits.
RATES = {
    ("fp32", 32, "V100"): 141.7,
    ("fp32", 64, "V100"): 156.3,
    ("fp32", 32, "A100"): 298.4,
    ("fp32", 64, "A100"): 331.9,
    ("amp", 32, "V100"): 467.2,
    ("amp", 64, "V100"): 552.8,
    ("amp", 32, "A100"): 871.5,
    ("amp", 64, "A100"): 1034.6,
}
RUNS = [
    published_run(
        throughput=rate, precision=precision, batch_size=batch, device=device, model="bert_base",
        xla=precision == "amp",
    )
    for (precision, batch, device), rate in RATES.items()
]  # fmt: skip
FP32 = "| batch size | V100 | A100 |\n|---|---|---|\n| 32 | 141.7 | 298.4 |\n| 64 | 156.3 | 331.9 |\n"
AMP = "| batch size | V100 | A100 |\n|---|---|---|\n| 32 | 467.2 | 871.5 |\n| 64 | 552.8 | 1034.6 |\n"
MISPLACED = "number found, place not"


def places_of(text: str, name: str = "t.md") -> list[str]:
    """Return why each number is not in its place."""
    judgements = audit(text, RUNS, name).judgements
    return [each.hypothesis.text for each in judgements if each.hypothesis and each.verdict == MISPLACED]


@pytest.mark.parametrize(
    "place",
    [
        "# BERT-base, AMP\n\n{}",
        "## BERT-base, mixed precision\n\n{}",
        "Throughput with FP16, BERT-base:\n\n{}",
        "**Throughput, AMP**\n\n{}",
        "{}\nTable 3: Throughput of BERT-base, AMP.\n",
        "With XLA:\n\n{}",
    ],
)
def test_the_numbers_of_another_configuration_are_never_verified(place: str) -> None:
    found = verdicts(audit(place.format(FP32), RUNS))
    assert {found[text] for text in ("141.7", "298.4", "156.3", "331.9")} == {MISPLACED}


@pytest.mark.parametrize(
    "place",
    [
        "# BERT-base, FP32\n\n{}",
        "# BERT: FP32 and AMP\n\n{}",
        "Throughput in single precision (float32), no AMP:\n\n{}",
        "{}\nTable 3: Throughput of BERT-base, FP32, batch sizes 32 and 64.\n",
        "Without XLA, on a V100 and an A100:\n\n{}",
        "Batch sizes 16 to 128.\n\n{}",
    ],
)
def test_words_that_agree_change_nothing(place: str) -> None:
    assert set(verdicts(audit(place.format(FP32), RUNS)).values()) == {"verified"}


def test_the_word_and_the_value_that_disagree_are_named() -> None:
    assert places_of(f"# BERT-base, AMP\n\n{FP32}")[0] == (
        "the number is that of precision = fp32; the place says \u201cAMP\u201d"
    )


@pytest.mark.parametrize(
    ("right", "wrong"), [("467.2", "141.7"), ("467.2", "552.8"), ("871.5", "298.4"), ("552.8", "1034.6")]
)
def test_one_number_of_another_precision_batch_or_device_is_not_verified(right: str, wrong: str) -> None:
    text = f"# AMP\n\n{AMP.replace(right, wrong, 1)}"
    own = [str(each.verdict) for each in audit(text, RUNS).judgements if each.text == wrong]
    assert own[0] in ("differs", MISPLACED)


def test_a_value_that_no_case_has_contradicts_too() -> None:
    found = verdicts(audit(FP32.replace("| 64 |", "| 48 |"), RUNS))
    assert not {found["156.3"], found["331.9"]} & {"verified", "rounded"}


KINDS: list[dict[str, FactorValue]] = [
    {"framework": "NGC PyTorch", "model": "resnet50_v1.5", "benchmark": "Inference", "devices": 8},
    {"framework": "MXNet", "model": "bert_base", "benchmark": "Smooth Inference", "devices": 4},
]
SAID = [
    ("MXNet", [0]),
    ("PyTorch", [1]),
    ("ResNet-50 v1.5", [1]),
    ("ResNet50", [1]),
    ("Inference", [1]),
    ("smooth inference", [0]),
    ("8 GPUs", [1]),
    ("4x V100", [0]),
    ("up to 8 GPUs", []),
    ("1 to 8 GPUs", []),
    ("4 and 8 GPUs", []),
    ("32 GPUs", [0, 1]),
    ("PyTorch vs. MXNet", []),
    ("speed-up over MXNet", []),
    ("not a word of it", []),
]


@each_row(SAID)
def test_which_cases_contradict_a_text(text: str, contradicting: list[int]) -> None:
    evidence = gather_evidence([published_run(throughput=100.0 + n, **each) for n, each in enumerate(KINDS)])
    namings = NamingIndex(evidence, KeyIndex(evidence).levels).namings(text)
    found = {case for naming in namings for case in range(2) if naming.contradicted[case]}
    assert found == set(contradicting)
