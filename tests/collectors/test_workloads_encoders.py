"""BERT and RoBERTa: sizes, operations, steps."""

from __future__ import annotations

import json

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed; pip install torch")
pytest.importorskip("transformers", reason="transformers is not installed; pip install transformers")

from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

from collectors.workloads import bench  # noqa: E402
from collectors.workloads.encoders import models, shapes, steps, synthetic_data, workload  # noqa: E402
from collectors.workloads.training.loading import EndlessSampler  # noqa: E402

pytestmark = pytest.mark.slow

TINY = ["--batch-size", "2", "--seq-len", "16", "--num-workers", "0"]
ONE = ["--here", "--steps", "2", "--threads", "1"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # google-bert/bert-base-uncased with both heads; the output layer shares the embedding's weights
        ("bert-base", 110_106_428),
        # as FacebookAI/roberta-*, with a head for two classes
        ("distilroberta-base", 82_119_938),
        ("roberta-base", 124_647_170),
        ("roberta-large", 355_361_794),
    ],
)
def test_models_have_as_many_weights_as_published(name, expected):
    with torch.device("meta"):
        model = models.build(workload.MODELS[name])
    assert sum(weight.numel() for weight in model.parameters()) == expected


@pytest.mark.parametrize("name", ["bert-tiny", "roberta-tiny"])
def test_operations_match_the_counter_of_torch(name):
    shape = workload.MODELS[name]
    dataset = synthetic_data.SyntheticTexts(shape, 40)
    # Fused attention hides its products from the counter.
    model = models.build(shape, attn_implementation="eager")
    batch = [torch.stack(column) for column in zip(dataset[0], dataset[1], dataset[2], strict=True)]
    with FlopCounterMode(display=False) as counter:
        model(*batch).backward()
    case = {"model": shape.model, "batch_size": 3, "seq_len": 40}
    assert workload.work(case).flops == counter.get_total_flops()


def test_operations_of_bert_base_match_a_calculation_by_hand():
    # Worked out by hand for 128 tokens, in multiply-adds: 12 layers of 128 x (4 x 768^2 + 2 x 768 x 3072
    # + 2 x 128 x 768) = 11,173,625,856; pooler 589,824; next sentence 1,536; 20 masked tokens x
    # (768^2 + 768 x 30,522) = 480,614,400.
    assert shapes.multiply_adds(workload.MODELS["bert-base"], 128) == 11_654_831_616


@pytest.mark.parametrize("name", ["bert-tiny", "roberta-tiny"])
@pytest.mark.parametrize("precision", ["fp32", "bf16-amp"])
def test_steps_are_recorded_with_their_phases(name, precision, tmp_path):
    argv = [name, *TINY, *ONE, "--precision", precision, "--logs", str(tmp_path)]
    assert bench.main(argv) == 0
    (path,) = tmp_path.glob("*/r1/run.json")
    run = json.loads(path.read_text())
    counts = [run[key] for key in ("status", "item", "samples_per_step", "tokens_per_step", "flops_per_step")]
    assert counts == ["complete", "sequence", 2, 32, workload.work(run["case"]).flops]
    header = (path.parent / "steps.rank0.csv").read_text().splitlines()[1]
    phases = ["forward", "backward", "optimizer", "data_loading"]
    times = [f"{phase}_host_ns" for phase in phases]
    assert header.split(",")[4:] == times + [f"{phase}_count" for phase in phases]


def test_15_percent_of_the_tokens_are_masked():
    dataset = synthetic_data.SyntheticTexts(workload.MODELS["bert-tiny"], 128)
    tokens, segments, places, masked, order = dataset[3]
    assert (len(dataset), len(places), int(order)) == (25_000, 20, 1)
    assert segments.tolist() == [0] * 64 + [1] * 64
    assert set(tokens[places].tolist()) == {4}
    assert (tokens == 4).sum() == 20
    assert masked.min() >= 5
    assert torch.equal(masked, dataset[3][3])


def test_adamw_is_fused_if_torch_supports_it(monkeypatch):
    model = torch.nn.Linear(1, 1)
    assert steps.adamw(model).defaults["fused"] is True
    real = torch.optim.AdamW

    def without(parameters, lr, fused=False):
        if fused:
            raise RuntimeError("`fused=True` requires all the params to be floating point Tensors of ...")
        return real(parameters, lr=lr)

    monkeypatch.setattr(torch.optim, "AdamW", without)
    assert steps.adamw(model).defaults["fused"] is None


def test_the_samples_of_all_ranks_are_the_whole_data_set():
    ranks = [iter(EndlessSampler(10, rank, 2)) for rank in range(2)]
    for _ in range(3):
        assert sorted(next(rank) for rank in ranks for _ in range(5)) == list(range(10))


def test_a_data_set_smaller_than_the_ranks_is_an_error():
    with pytest.raises(ValueError, match="3 samples are too few for 4 ranks"):
        EndlessSampler(3, 0, 4)
