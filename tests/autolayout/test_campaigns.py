"""Which folders below logs/ are one campaign, on folders made by hand."""

from dataclasses import replace
from typing import Any

import pytest

from reportgen.autolayout.campaigns import find_campaigns
from reportgen.core.model import Run, Source
from tests.builders import published_run
from tests.each_of import each_row


def run(**factors: Any) -> Run:
    return replace(published_run(throughput=1.0, **factors), format="torchvision")


def joined(folders: dict[str, list[Run]], labelled: tuple[str, ...] = ()) -> list[list[str]]:
    """Return the names of the folders of each campaign."""
    named = {f"logs/{name}": runs for name, runs in folders.items()}
    campaigns = find_campaigns(named, [f"logs/{name}" for name in labelled])
    return [[folder.removeprefix("logs/") for folder in each.folders] for each in campaigns]


def constants(folders: dict[str, list[Run]]) -> dict[str, object]:
    """Return what the names of folders give: folder -> factors."""
    named = {f"logs/{name}": runs for name, runs in folders.items()}
    given = {
        folder: dict(names) for each in find_campaigns(named) for folder, names in each.constants.items()
    }
    return {folder.removeprefix("logs/"): names for folder, names in given.items()}


X, Y = [run(model="x")], [run(model="y")]


@each_row(
    [
        # Names that say what they are, and the same model, or logs that do not say which.
        ({"A40": X, "H100": X}, [["A40", "H100"]]),
        ({"A40": [run()], "H100": [run()]}, [["A40", "H100"]]),
        ({"2026-01-05": X, "2026-01-06": X}, [["2026-01-05", "2026-01-06"]]),
        ({"node1": X, "node2": X, "other": Y}, [["node1", "node2"], ["other"]]),
        ({"A40": X, "H100": Y}, [["A40"], ["H100"]]),
        ({"1gpu": X, "2gpus": X}, [["1gpu", "2gpus"]]),
        ({"1node": [run()], "2nodes": [run()]}, [["1node", "2nodes"]]),
        ({"A40_fp16": X, "H100_fp32": X, "notes": Y}, [["A40_fp16", "H100_fp32"], ["notes"]]),
        # Folders are named after the models that their logs state.
        ({"x": X, "y": Y}, [["x", "y"]]),
        ({"x": X, "y": [run(model="y", dataset="z")]}, [["x"], ["y"]]),
        # One of the two did a part of the work of the other, with another batch size.
        ({"lab": [*X, *Y, run(model="z")], "cloud": [run(model="x", batch_size=8)]}, [["lab", "cloud"]]),
        # Other names, with the same cases on other devices.
        ({"lab": [run(model="x", device="A")], "cloud": [run(model="x", device="B")]}, [["lab", "cloud"]]),
        ({"lab": X, "cloud": X}, [["lab", "cloud"]]),
        ({"lab": X, "cloud": Y}, [["lab"], ["cloud"]]),
        # Logs that do not say what was run may be of anything.
        ({"lab": [run()], "cloud": [run()]}, [["lab"], ["cloud"]]),
        # Another program measures other things.
        ({"A40": X, "H100": [published_run(model="x", throughput=1.0)]}, [["A40"], ["H100"]]),
        ({"A40": X, "H100": []}, [["A40"], ["H100"]]),
    ]
)
def test_what_folders_have_in_common_decides(folders: dict[str, list[Run]], campaigns: list[list[str]]):
    assert joined(folders) == campaigns


@pytest.mark.parametrize(
    ("folders", "given"),
    [
        ({"A40": X, "H100": X}, {"A40": {"device": "A40"}, "H100": {"device": "H100"}}),
        ({"1gpu": X, "2gpus": X}, {"1gpu": {"devices": 1}, "2gpus": {"devices": 2}}),
        ({"x": X, "y": Y}, {"x": {}, "y": {}}),
        # The logs state it.
        (
            {"A40": [run(model="x", device="a")], "H100": [run(model="x", device="b")]},
            {"A40": {}, "H100": {}},
        ),
        # Runs of one case in folders with names of their own are not repeats of each other.
        ({"lab": X, "cloud": X}, {"lab": {"folder": "lab"}, "cloud": {"folder": "cloud"}}),
        ({"run1": X, "run2": X}, {"run1": {}, "run2": {}}),
    ],
)
def test_names_of_folders_give_what_logs_do_not_state(
    folders: dict[str, list[Run]], given: dict[str, object]
):
    assert constants(folders) == given


@pytest.mark.parametrize(
    ("name", "model", "campaigns"),
    [
        # The names of their logs say what two programs ran: by a word, or by the model that one of them states.
        ("rn50_b128_1.log", "x", [["mxnet", "torch"]]),
        ("resnet50_1.log", "resnet50", [["mxnet", "torch"]]),
        # These names say nothing.
        ("run_1.log", "resnet50", [["mxnet"], ["torch"]]),
    ],
)
def test_programs_whose_logs_have_the_same_names_are_one_campaign(
    name: str, model: str, campaigns: list[list[str]]
):
    mxnet = replace(run(), format="mxnet", source=Source(f"logs/mxnet/{name}"))
    torch = replace(run(model=model), source=Source(f"logs/torch/{name}"))
    assert joined({"mxnet": [mxnet], "torch": [torch]}) == campaigns


def test_a_folder_with_labels_gets_no_constants():
    assert joined({"A40": X, "H100": X, "V100": X}, labelled=("V100",)) == [["A40", "H100"], ["V100"]]
