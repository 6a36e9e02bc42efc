"""The book of GPUs and models: plausible, unique, sourced; values by hand from data sheets and papers."""

from collections import Counter

import pytest

from collectors.workloads.encoders.shapes import MODELS, multiply_adds
from collectors.workloads.resnet50 import workload as resnet50
from reportgen.core.book import (
    Gpu,
    ImageModel,
    Transformer,
    find_gpu,
    find_model,
    gpu_source,
    known_gpus,
    known_models,
    model_source,
    why_no_gpu,
)
from tests.each_of import each_of, each_row

GPUS = known_gpus()
# Each is at most twice the one before it: a sparse peak beside a dense one would be four times.
WIDTHS = (("tf32", "fp16", 2.03), ("fp16", "fp8", 2.03), ("fp8", "fp4", 2.01))


@each_of(GPUS)
def test_the_facts_of_a_gpu_are_plausible(gpu: Gpu) -> None:
    limits = {
        "memory": (8, 300),
        "bandwidth": (10, 10_000),
        "interconnect": (30, 2_000),
        "power": (50, 1_500),
    }
    for name, (low, high) in limits.items():
        value = getattr(gpu, name)
        assert value is None or low <= value <= high, name
    peaks = gpu.peaks
    for narrow, wide, most in [(b, a, most) for a, b, most in WIDTHS if a in peaks and b in peaks]:
        assert 0.99 * peaks[wide] <= peaks[narrow] <= most * peaks[wide], narrow
    assert peaks.get("fp64", 0) <= peaks.get("fp32", 1e9)
    assert peaks.get("bf16", 0) <= peaks.get("fp16", 1e9)
    assert peaks.get("int8", 0) <= 4.01 * peaks.get("fp16", 1e9)
    assert gpu_source(gpu).url.startswith("https://")
    assert gpu_source(gpu).name


def test_a_name_belongs_to_one_gpu() -> None:
    names = Counter(name for gpu in GPUS for name in {gpu.name, *gpu.names})
    assert max(names.values()) == 1
    for gpu in GPUS:
        found = {find_gpu(name) and find_gpu(name).name for name in (gpu.name, *gpu.names)}  # type: ignore[union-attr]
        assert found == {gpu.name}


@each_row(
    [
        ("NVIDIA A100-SXM4-40GB", "A100 SXM4 40GB"),
        ("NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"),
        ("NVIDIA A100 - PCIe - 80 GB", "A100 PCIe 80GB"),
        ("Tesla V100-SXM2-16GB", "V100 SXM2 16GB"),
        ("V100S-PCIE-32GB", "V100S PCIe 32GB"),
        ("NVIDIA H100 80GB HBM3", "H100 SXM5 80GB"),
        ("NVIDIA H100 PCIe", "H100 PCIe 80GB"),
        ("NVIDIA H200", "H200 SXM 141GB"),  # so the driver calls the SXM alone
        ("NVIDIA H200 NVL", "H200 NVL"),
        ("NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada"),
        ("Quadro RTX 6000", "Quadro RTX 6000"),
        ("AMD Instinct MI300X", "MI300X"),
    ]
)
def test_a_gpu_is_found_by_the_name_that_a_driver_writes(text: str, name: str) -> None:
    found = find_gpu(text)
    assert found is not None
    assert found.name == name


@each_row(
    [
        ("A100", "may be A100 PCIe 40GB, A100 PCIe 80GB, A100 SXM4 40GB or A100 SXM4 80GB"),
        ("Tesla V100-SXM2", "may be V100 SXM2 16GB or V100 SXM2 32GB"),
        ("H200", "may be H200 SXM 141GB or H200 NVL"),
        ("NVIDIA GeForce RTX 3080", "has no row in the book: sold with 10 GB and with 12 GB"),
        ("Tesla V100-SXM2-32GB-LS", "has no row in the book: a V100 of lower speed"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "is not in the book"),
        ("GeForce RTX 2080 with Max-Q Design", "is not in the book"),
        ("CPU", "is not in the book"),
        ("", "is not in the book"),
    ]
)
def test_a_name_of_several_gpus_or_of_none_has_no_row_and_the_book_says_why(text: str, why: str) -> None:
    assert find_gpu(text) is None
    assert why_no_gpu(text).startswith(f'"{text}" {why}')


@each_row(
    [
        # Sheets that print sparse peaks only: TF32 989, FP16 1979, FP8 3958 TFLOP/s; L4: FP16 242, FP8 485.
        ("H200 SXM 141GB", "tf32", 989 / 2),
        ("H200 SXM 141GB", "fp16", 1979 / 2),
        ("H200 SXM 141GB", "fp8", 3958 / 2),
        ("L4", "fp16", 242 / 2),
        ("L4", "fp8", 485 / 2),
        # HGX B200: FP16 36 PFLOP/s sparse of 8 GPUs. GB200: FP16 10 PFLOP/s sparse of 2 GPUs.
        ("B200 HGX", "fp16", 36_000 / 8 / 2),
        ("GB200", "fp16", 10_000 / 2 / 2),
        ("A100 SXM4 80GB", "fp16", 312),
        ("V100 SXM2 16GB", "fp16", 125),
        ("RTX 4090", "fp16", 165.2),  # 330.3 only where sums are in FP16
        ("MI300X", "fp8", 2614.9),
    ]
)
def test_peaks_are_dense(name: str, dtype: str, peak: float) -> None:
    gpu = find_gpu(name)
    assert gpu is not None
    assert gpu.peaks[dtype] == pytest.approx(peak)


def test_models_have_names_of_their_own_and_a_source() -> None:
    names = [name.lower() for model in known_models() for name in {model.name.lower(), *model.names}]
    assert len(names) == len(set(names))
    assert all(model_source(model).url.startswith("https://") for model in known_models())
    assert all(find_model(name) is model for model in known_models() for name in (model.name, *model.names))
    assert find_model("meta-llama/Llama-2-7b-hf") is find_model("Llama 2 7B")
    assert find_model("bert") is None


@pytest.mark.parametrize(
    ("workload", "length"), [(w, n) for w in ("bert-base", "roberta-large") for n in (128, 512)]
)
def test_transformers_count_as_the_workloads_of_the_collectors_do(workload: str, length: int) -> None:
    """These count the heads, too, which are on some tokens only: up to 8 % of bert-base."""
    shape = MODELS[workload]
    model = find_model(shape.model)
    assert isinstance(model, Transformer)
    layers = shape.layers * (4 * shape.hidden**2 + 2 * shape.hidden * shape.inner + 2 * length * shape.hidden)
    assert model.forward(length) == 2 * layers
    assert 1 < 2 * multiply_adds(shape, length) / (length * model.forward(length)) < 1.1


def test_resnet_50_counts_as_the_workload_of_the_collectors_does() -> None:
    model = find_model("resnet50_v1.5")
    assert isinstance(model, ImageModel)
    forward, _ = resnet50.multiply_adds(224)
    assert model.forward() == pytest.approx(2 * forward, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "length", "forward"),
    [
        # 12 x (4 x 768^2 + 2 x 768 x 3072 + 2 x 1024 x 768) + 768 x 50257 = 142,406,400 multiply-adds
        ("gpt2", 1024, 2 * 142_406_400),
        # 32 x (4 x 4096^2 + 3 x 4096 x 11008) + 4096 x 32000 = 6,607,077,376 weights; 2 x 32 x 4096 x 4096
        ("Llama-2-7b", 4096, 2 * (6_607_077_376 + 1_073_741_824)),
        # 32 x (2 x 4096^2 + 2 x 4096 x 1024 + 3 x 4096 x 14336) + 4096 x 128256 = 7,504,658,432 weights
        ("Llama-3-8B", 8192, 2 * (7_504_658_432 + 2_147_483_648)),
    ],
)
def test_the_operations_of_a_token_by_hand(name: str, length: int, forward: int) -> None:
    model = find_model(name)
    assert isinstance(model, Transformer)
    assert model.forward(length) == forward
