"""The contract of a comparison: each factor and condition of two sides is in one of four lists."""

from collections.abc import Mapping
from typing import Any

import pytest

from reportgen.compare.contract import Contract, Difference, contract_between
from reportgen.compare.side import Side, side_of
from tests.builders import SHORT, cases, run, series
from tests.each_of import each_row

# What a log of a step time should say; `software` of our own logs is left out of names.
SAID = {
    "samples_per_step": "32",
    "ranks": "1",
    "device_model": "A100",
    "clock": "device",
    "evidence": "measured",
    "dataset": "ImageNet",
    "precision": "amp",
}
VERSIONS = {"driver": "550", "cpu": "EPYC", "torch": "2.5", "cuda": "12.4", "cudnn": "9.1", "nccl": "2.21"}
SETTINGS = {
    "command": "python train.py", "optimizer": "sgd", "compile": "no", "num_workers": "8", "container": "c1",
    "git_commit": "abc", "power_limit": "400 W", "clock_limit": "1,410 MHz", "device_memory": "40 GiB",
}  # fmt: skip


def side(factors: Mapping[str, Any] | None = None, metric: str = "step_time", **conditions: str) -> Side:
    """Return a side that says everything, except what is given as ""."""
    said = {name: text for name, text in {**SAID, **VERSIONS, **SETTINGS, **conditions}.items() if text}
    return Side(metric, "step", "s", 1.0, factors=factors or {}, conditions=said)


def names(contract: Contract) -> tuple[list[str], list[str], list[str], list[str]]:
    return (
        [name for name, _ in contract.held_equal],
        [each.name for each in contract.about],
        [each.name for each in contract.differs],
        list(contract.not_stated),
    )


def test_equal_sides_hold_everything_equal_with_its_value() -> None:
    found = contract_between(side({"model": "x"}), side({"model": "x"}))
    assert names(found)[1:] == ([], [], [])
    assert dict(found.held_equal) == {"model": "x", **SAID, **VERSIONS, **SETTINGS}


def test_a_difference_has_both_values_and_says_whether_the_ratio_means_anything() -> None:
    found = contract_between(side(samples_per_step="64", driver="560"), side())
    assert found.differs == (
        Difference("samples_per_step", "64", "32", is_essential=True),
        Difference("driver", "560", "550"),
    )
    assert found.differs[1].text == "driver (560; 550 in the baseline)"
    assert found.differs[1].change_text == "driver 550 -> 560"


def test_other_work_is_not_essential_to_a_rate() -> None:
    (work,) = contract_between(
        side(metric="throughput", samples_per_step="64"), side(metric="throughput")
    ).differs
    assert not work.is_essential


@pytest.mark.parametrize(
    ("about", "condition"),
    [("devices", "ranks"), ("batch_size", "samples_per_step"), ("gpu", "device_model")],
)
def test_what_follows_from_the_compared_factor_is_what_the_comparison_is_about(
    about: str, condition: str
) -> None:
    found = contract_between(side({about: 2}, **{condition: "2"}), side({about: 1}), about=[about])
    assert names(found)[1:3] == ([about, condition], [])


def test_a_factor_that_the_comparison_is_not_about_differs_even_if_one_side_lacks_it() -> None:
    found = contract_between(side({"xla": True, "n": 1}), side({"n": "1"}))
    assert found.differs == (
        Difference("n", "1", "'1'", is_factor=True),
        Difference("xla", "True", "-", is_factor=True),
    )
    assert dict(contract_between(side({"n": 1}), side({"n": 1.0})).held_equal)["n"] == "1"


@pytest.mark.parametrize(
    ("own", "base", "expected"),
    [
        ({"driver": ""}, {}, ["driver"]),
        ({}, {"clock": ""}, ["clock"]),
        ({"nccl": ""}, {"nccl": ""}, ["nccl"]),
        ({"cuda": "", "torch.cuda": "12.4"}, {"cuda": "", "torch.cuda": "12.4"}, []),
        ({"cuda": "", "torch.cuda": "12.4"}, {}, ["cuda", "torch.cuda"]),
        ({"torch": "", "paddle": "3"}, {"torch": "", "paddle": "3"}, []),
    ],
)
def test_what_one_side_or_neither_says_is_not_stated(
    own: dict[str, str], base: dict[str, str], expected: list[str]
) -> None:
    assert list(contract_between(side(**own), side(**base)).not_stated) == expected


@each_row(
    [
        ("dataset", "step_time", True),
        ("dataset", "throughput", True),
        ("precision", "throughput", True),
        ("sequence_length", "throughput", True),
        ("model_revision", "throughput", True),
        ("micro_batch_size", "step_time", True),
        ("micro_batch_size", "throughput", False),
        ("power_limit", "throughput", False),
        ("optimizer", "step_time", False),
        ("git_commit", "step_time", False),
    ]
)
def test_other_work_makes_a_ratio_meaningless_and_another_setting_does_not(
    name: str, metric: str, is_essential: bool
) -> None:
    sides = [side(metric=metric, **{name: value}) for value in "ab"]
    assert contract_between(*sides).differs == (Difference(name, "a", "b", is_essential),)


@pytest.mark.parametrize(
    ("about", "name"),
    [("device", "power_limit"), ("gpu", "device_memory"), ("batch_size", "micro_batch_size")],
)  # fmt: skip
def test_a_condition_that_the_compared_factor_sets_is_what_the_comparison_is_about(
    about: str, name: str
) -> None:
    found = contract_between(side({about: 1}, **{name: "a"}), side({about: 2}, **{name: "b"}), about=[about])
    assert [each.name for each in found.about] == [about, name]


def test_commands_differ_in_what_no_factor_says() -> None:
    own = side({"model": "x", "lr": 1}, command="python a.py x --lr 1 --fp16 --workers 4")
    base = side({"model": "y", "lr": 2}, command="python b.py y --lr 2 --fp32 --workers 4")
    found = contract_between(own, base, about=["model", "lr"])
    assert found.differs == (Difference("command", "a.py --fp16", "b.py --fp32"),)
    same = contract_between(
        own, side({"model": "y", "lr": 2}, command="python a.py y --lr 2 --fp16 --workers 4"), ["model", "lr"]
    )
    assert same.differs == ()
    assert "command" in dict(same.held_equal)


def test_a_log_of_a_cpu_need_not_state_a_driver() -> None:
    unstated = dict.fromkeys(("driver", "cuda", "cudnn", "nccl", "power_limit", "device_memory"), "")
    sides = [side({"device": device}, **unstated) for device in ("CPU", "A100")]
    assert contract_between(sides[0], sides[0]).not_stated == ()
    assert contract_between(sides[1], sides[1]).not_stated == (
        "driver",
        "cuda",
        "cudnn",
        "nccl",
        "device_memory",
        "power_limit",
    )


def test_text_has_a_length_and_images_have_a_size() -> None:
    for item, expected in (
        ("token", ("sequence_length", "tokenizer")),
        ("image", ("image_size",)),
        ("row", ()),
    ):
        sides = side(metric="throughput", item=item), side(metric="throughput", item=item)
        assert contract_between(*sides).not_stated == expected


def test_a_rate_says_what_it_counts() -> None:
    images = side(metric="throughput", item="image")
    assert "item" in contract_between(images, side(metric="throughput")).not_stated
    assert "item" not in contract_between(side(), side()).not_stated


def test_each_name_is_in_one_list() -> None:
    own = side({"model": "x", "devices": 8, "ranks": 8}, ranks="8", driver="", cpu="Xeon")
    base = side({"model": "x", "devices": 1, "ranks": 1}, ranks="1", nccl="2.22")
    found = names(contract_between(own, base, about=["devices", "ranks"]))
    every = [name for names in found for name in names]
    # `ranks` is a factor and a condition of the same name: the factor stands for both.
    assert sorted(every) == sorted({"model", "devices", *SAID, *VERSIONS, *SETTINGS})


def test_ignored_factors_of_the_runs_are_among_the_differences() -> None:
    def measured(host: str) -> Side:
        runs = [run(series([1.0] * 3), factors={"model": "x", "host": host})]
        (case,) = cases(runs, "step_time", "step", SHORT, ignore=("host",))
        return side_of(case)

    sides = [measured(host) for host in "ab"]
    assert contract_between(*sides, ignored=["host"]).differs == (Difference("host", "a", "b"),)
    assert contract_between(*sides).differs == ()


def test_a_factor_stands_for_its_condition_unless_only_the_condition_differs() -> None:
    alike = [side({"seq_len": 128}, sequence_length="128") for _ in "ab"]
    assert "sequence_length" not in dict(contract_between(*alike).held_equal)
    lengths = [side({"seq_len": length}, sequence_length=str(length)) for length in (128, 512)]
    assert [each.name for each in contract_between(*lengths, about=["seq_len"]).about] == ["seq_len"]
    logged = [side({"seq_len": 128}, sequence_length=length) for length in ("128", "512")]
    assert contract_between(*logged).differs == (
        Difference("sequence_length", "128", "512", is_essential=True),
    )
