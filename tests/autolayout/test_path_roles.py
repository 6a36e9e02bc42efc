"""The roles of names in paths: what a person would say that they are."""

import pytest

from reportgen.autolayout.path_roles import are_repeats, kind_of, level_roles
from tests.each_of import each_of, each_row


@each_row(
    [
        ("A40 H100", "{device}", ["device"]),
        ("H100-SXM5-80GB A100_PCIe", "{device}", ["device"]),
        ("3090 A6000", "{device}", ["device"]),
        ("8xA100 8xH100", "{_}x{device}", ["device"]),
        ("job_A40 job_H100", "{_}_{device}", ["device"]),
        ("pytorch jax", "{framework}", ["framework"]),
        ("2026-01-05 2026-01-06", "{date:date}", ["date"]),
        ("node01 node02", "{node}", ["node"]),
        ("bs8 bs16", "bs{batch_size:int}", ["batch_size"]),
        ("batch_8 batch_16", "{_}_{batch_size:int}", ["batch_size"]),
        ("4gpus 8gpus", "{devices:int}gpus", ["devices"]),
        ("1gpu 2gpus 16gpus", "{devices:int}{_}", ["devices"]),
        ("1node 2nodes", "{nodes:int}{_}", ["nodes"]),
        ("gpu-a07 gpu-b01", "{node}", ["node"]),
        ("gpu01 gpu02", "{node}", ["node"]),
        ("dgx-1 dgx-2", "{node}", ["node"]),
        ("bench-20260306 bench-20260307", "{_}-{date:date}", ["date"]),
        ("bench-2026-03-06 bench-2026-03-07", "{_}-{date:date}", ["date"]),
        ("a_2026-03-06_101500 a_2026-03-07_220000", "{_}_{date:date}_{_}", ["date"]),
        ("a_20260306T101500 a_20260307T220000", "{_}_{date:date}T{_}", ["date"]),
        ("fp16 bf16", "{precision}", ["precision"]),
        ("A40_fp16 H100_fp32", "{device}_{precision}", ["device", "precision"]),
        ("resnet-101 bert-base-uncased", "{model}", ["model"]),
        ("tp1 tp4", "tp{tensor_parallel:int}", ["tensor_parallel"]),
        ("a_bs8_run1 b_bs16_run2", "{?}_bs{batch_size:int}_{_}", ["batch_size"]),
        ("resnet50_bs8 vit_b_16_bs16", "{?}_bs{batch_size:int}", ["batch_size"]),
        # The name of a GPU is not a batch.
        ("b200_fp16 b200_fp32", "{_}_{precision}", ["precision"]),
        ("vllm_v5 vllm_v6", "{_}_{version}", ["version"]),
        ("bench-1.9.0 bench-1.10.0", "{_}-{version}", ["version"]),
        ("A40_bs8 H100_bs16", "{device}_bs{batch_size:int}", ["device", "batch_size"]),
    ]
)
def test_names_of_a_level_have_a_role(names: str, pattern: str, factors: list[str]):
    roles = level_roles(names.split())
    assert roles is not None
    assert (roles.pattern, roles.factors) == (pattern, factors)


@each_of(
    [
        "red green",
        "run1 run2",
        "run_1 run_2",
        "1 2",
        # Devices of one machine, and runs of one day.
        "gpu0 gpu1",
        "a_2026-03-06_101500 a_2026-03-06_220000",
        # Numbers alone may be sizes of images, and ViT-B/16 is a model.
        "3080 3090",
        "vit_b_16 vit_b_32",
        "vit_b16 vit_b32",
        "t5 t7",
        # Not all names are devices, and the words between marks differ.
        "A40 fast",
        "a_8 a-16",
        "2026-13-05 2026-13-06",
        "bs8_bs8 bs16_bs16",
        # Models, jobs and hosts are neither versions nor commits.
        "mobilenet_v2_run1 mobilenet_v3_run1",
        "yolo_v5 yolo_v8",
        "a1b2c3d4 9f8e7d6c",
        "10.0.0.1 10.0.0.2",
    ]
)
def test_other_names_have_none(names: str):
    assert level_roles(names.split()) is None


def test_values_belong_to_names():
    roles = level_roles(["a_bs8", "b_bs16"])
    assert roles is not None
    assert roles.values == {"a_bs8": {"batch_size": "8"}, "b_bs16": {"batch_size": "16"}}
    assert roles.unknown == {"a_bs8": "a", "b_bs16": "b"}
    assert (roles.naming("log"), roles.naming("")) == ("{log}_bs{batch_size:int}", "{_}_bs{batch_size:int}")
    assert roles.without({"batch_size"}).pattern == "{?}_bs{_}"


@each_row(
    [
        ("A40", ("device",)),
        ("2gpus", ("devices",)),
        ("resnet50_bs8", ("resnet50", "batch_size")),
        ("A40_fp16", ("device", "precision")),
        ("v2", ("version",)),
        ("1.10.0", ("version",)),
        ("v1.4.0-rc1", ("version",)),
        ("0001_v2", ("0001", "version")),
        ("V100", ("device",)),
        (f"{0x1A2B3C4D5E6F:040x}", ("commit",)),
        ("e5f6071", ()),
        ("2n8g", ("nodes", "devices_per_node")),
        ("r50_b128_fp16", ("r50", "batch_size", "precision")),
        ("vit_b16", ()),
        ("efficientnet_b7", ()),
        ("0.5", ()),
        ("2024061", ()),
        ("feedface", ()),
        ("lab", ()),
        ("3090", ()),
    ]
)
def test_names_that_give_the_same_factors_are_of_one_kind(name: str, kind: tuple[str, ...]):
    assert kind_of(name) == kind


def test_a_size_that_all_names_share_is_a_factor_and_other_words_are_none():
    roles = level_roles(["r50_fast_b128_fp16_1", "r50_fast_b128_fp32_1"])
    assert roles is not None
    assert roles.told("r50_fast_b128_fp32_1") == {"batch_size": 128, "precision": "fp32"}
    assert roles.pattern == "{_}_{_}_b{batch_size:int}_{precision}_{_}"
    assert level_roles(["r50_fast_run1", "r50_fast_run2"]) is None


def test_a_factor_of_a_name_has_the_type_of_its_part():
    names = ["vit-2gpus-2026-03-06", "a-16gpus-20260307"]
    roles = level_roles(names)
    assert roles is not None
    assert [roles.told(name) for name in names] == [
        {"devices": 2, "date": "2026-03-06"},
        {"devices": 16, "date": "2026-03-07"},
    ]
    assert roles.pattern == "{?}-{devices:int}gpus-{date:date}"


@pytest.mark.parametrize(
    ("names", "expected"),
    [("run1 run2", True), ("rep_1 rep_2", True), ("a40 a100", False), ("run1 x", False)],
)
def test_names_that_count_repeats(names: str, expected: bool):
    assert are_repeats(names.split()) is expected
