"""A folder of mixed logs becomes a report for each kind of benchmark."""

from dataclasses import replace
from typing import Any

import pytest

from reportgen.autolayout.benchmark_kinds import covering_paths, split_kinds
from reportgen.autolayout.report_plan import plan_reports
from reportgen.core.model import Run, Source
from tests.builders import published_run, telemetry


def of(format: str, path: str, **factors: Any) -> Run:
    """Return a run of a format that was read from logs/mine/<path>."""
    run = published_run(throughput=1.0, **factors)
    return replace(run, id=path, format=format, source=Source(f"logs/mine/{path}", 1))


def kinds(*runs: Run) -> dict[str, tuple[str, ...]]:
    """Return the name of each kind with its logs."""
    return {kind.name: kind.logs for kind in split_kinds(runs, "logs/mine")}


def test_formats_are_kinds_named_after_their_folders():
    assert kinds(of("jade", "tn/a.out"), of("jade", "tn/b.out"), of("megatron", "lm/x.log")) == {
        "tn": ("logs/mine/tn",),
        "lm": ("logs/mine/lm",),
    }


def test_runs_of_one_format_are_one_kind_with_the_folder_itself():
    assert kinds(of("jade", "a.out", model="a"), of("jade", "b.out", model="b")) == {"mine": ("logs/mine",)}


def test_formats_of_one_suite_are_one_kind():
    assert kinds(of("gnmt", "gnmt/a"), of("ssd", "ssd/a")) == {"mine": ("logs/mine",)}


def test_formats_that_ran_the_same_model_are_one_kind():
    same = (of("timm", "a", model="resnet50"), of("torchvision", "b", model="resnet50"))
    assert list(kinds(*same)) == ["mine"]
    assert kinds(*same, of("jade", "c", model="bert"))["bert"] == ("logs/mine/c",)


def test_what_only_watched_the_devices_belongs_to_the_benchmark_beside_it():
    watched = replace(of("nvsmi", "gpu.txt"), series=(), aggregates=(), telemetry=(telemetry(power=[1.0]),))
    failed = replace(of("timm", "t.log"), series=(), aggregates=())
    assert sorted(kinds(failed, of("jade", "tn/a.out"))) == ["timm", "tn"]
    assert list(kinds(watched, of("jade", "tn/a.out"))) == ["mine"]
    assert list(kinds(watched)) == ["mine"]
    assert sorted(kinds(watched, of("jade", "tn/a.out"), of("megatron", "lm/x.log"))) == ["lm", "nvsmi", "tn"]


def test_a_kind_of_many_formats_is_named_after_the_first():
    same = [of(name, f"{name}.log", model="resnet50", size=i) for i, name in enumerate(("mmengine", "timm"))]
    other = [of(name, f"{name}2.log", model="bert") for name in ("mmengine", "timm", "torchvision", "nemo")]
    alone = of("jade", "a.out", model="x")
    assert "mmengine and 3 more" in kinds(*same, *other, alone)
    assert "mmengine and timm" in kinds(*same, replace(other[0], id="c"), alone)


def test_kinds_in_one_folder_list_their_files():
    found = kinds(of("jade", "a.out"), of("jade", "deep/b.out"), of("megatron", "c.log"))
    assert found == {"jade": ("logs/mine/a.out", "logs/mine/deep"), "megatron": ("logs/mine/c.log",)}


@pytest.mark.parametrize(
    ("paths", "others", "expected"),
    [
        ({"l/a/1", "l/a/2"}, set(), ["l"]),
        ({"l/a/1", "l/a/2"}, {"l/b/1"}, ["l/a"]),
        ({"l/a/1", "l/a/2"}, {"l/a/3"}, ["l/a/1", "l/a/2"]),
        ({"l/a/1", "l/ab/2"}, {"l/a/3"}, ["l/a/1", "l/ab"]),
        ({"l"}, set(), ["l"]),
    ],
)
def test_paths_are_covered_by_the_fewest_folders(paths, others, expected):
    assert covering_paths(paths, others, "l") == expected


def test_a_plan_names_each_report_once_and_gives_it_its_part_of_the_logs():
    mixed = [of("jade", "tn/a.out"), of("megatron", "lm/x.log")]
    plans = plan_reports(
        {"logs/mine": mixed, "logs/mine-tn": [of("jade", "z")], "logs/expected": [of("jade", "y")]},
        other_paths=("logs/mine/broken.gz", "logs/mine/tn/broken.gz"),
    )
    reports = [(report.name, report.logs) for plan in plans for report in plan.reports]
    assert reports == [
        ("mine-lm", ("logs/mine/lm", "logs/mine/broken.gz")),
        ("mine-tn", ("logs/mine/tn",)),
        ("mine-tn-2", ("logs/mine-tn",)),
        ("expected-campaign", ("logs/expected",)),
    ]


def test_runs_that_only_their_path_distinguishes_are_not_repeats():
    runs = [of("jade", "fast/1.out", model="a"), of("jade", "slow/1.out", model="a")]
    (plan,) = plan_reports({"logs/mine": runs})
    assert [run.factors for run in plan.reports[0].runs] == [
        {"model": "a", "folder": "fast"},
        {"model": "a", "folder": "slow"},
    ]
    # A labels.toml says that the folders do not matter.
    (plan,) = plan_reports({"logs/mine": runs}, labelled=["logs/mine"])
    assert [run.factors for run in plan.reports[0].runs] == [{"model": "a"}] * 2


def test_a_part_of_a_folder_has_patterns_for_its_own_paths():
    runs = [of("jade", f"jade/{name}/1.out", model="a") for name in ("fast", "slow")]
    other = of("megatron", "lm/x/1.log")
    (plan,) = plan_reports({"logs/mine": [*runs, other]})
    assert plan.factors is not None
    assert [pattern.text for pattern in plan.factors.patterns] == ["/jade/{folder}/{_}"]
    assert [run.factors.get("folder") for report in plan.reports for run in report.runs] == [
        "fast",
        "slow",
        None,
    ]


def test_a_title_names_neither_the_only_campaign_nor_a_list_of_formats():
    alone = of("hf_trainer", "b/x.log")
    alike = [of(format, f"a{n}/x.log", model="m") for n, format in enumerate(("jade", "megatron"))]
    (plan,) = plan_reports({"logs/mine": [alone, *alike]})
    assert [(report.name, report.title) for report in plan.reports] == [("mine-b", "b"), ("mine-m", "m")]
    more = [of("timm", "c/x.log", model="n"), of("jade", "a2/x.log", model="n")]
    (plan,) = plan_reports({"logs/mine": [alone, *alike, *more]})
    assert [(report.name, report.title) for report in plan.reports] == [
        ("mine-b", "b"),
        ("mine-jade-and-megatron-and-timm", ""),
    ]
