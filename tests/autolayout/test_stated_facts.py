"""The device of logs that do not state it, from the other logs of their machine's folder."""

from dataclasses import replace
from typing import Any

from reportgen.autolayout.report_plan import plan_reports
from reportgen.autolayout.scaffold import propose_files
from reportgen.autolayout.stated_facts import stated_devices
from reportgen.core.model import Run, Source
from tests.builders import published_run
from tests.each_of import each_row


def run(path: str, **factors: Any) -> Run:
    made = published_run(throughput=1.0, model=path.rpartition("/")[2], **factors)
    return replace(made, id=path, source=Source(f"logs/{path}", 0), format="torchvision")


A = [run("a/x.txt", device="A40"), run("a/y.txt")]
B = [run("b/x.txt", device="H100"), run("b/y.txt", device="H100")]
OF_A = {"logs/a": {"device": "A40"}}
BELOW = [
    run("one/a/1/x.txt", device="A40"), run("one/a/2/y.txt"), run("one/b/1/x.txt", device="H100")
]  # fmt: skip


# Logs of another program, on many devices, and one of it in the folder of A.
OTHERS = [replace(run(f"one/others/{d}.txt", device=d), format="jade") for d in ("T4", "V100")]
OTHER_T4, OTHER_A40 = (replace(run("one/a/z.txt", device=d), format="jade") for d in ("T4", "A40"))


@each_row(
    [
        ({"logs/a": A, "logs/b": B}, OF_A),
        ({"logs/one": BELOW}, {"logs/one/a": {"device": "A40"}}),
        ({"logs/one": [*BELOW, *OTHERS]}, {"logs/one/a": {"device": "A40"}}),
        ({"logs/one": [*BELOW, *OTHERS, OTHER_A40]}, {"logs/one/a": {"device": "A40"}}),
        ({"logs/one": [*BELOW, *OTHERS, OTHER_T4]}, {}),
        # All of them state it.
        ({"logs/b": B, "logs/c": [run("c/x.txt", device="A40")]}, {}),
        # Two devices in a folder, and no level below that separates them.
        ({"logs/a": [*A, run("a/z.txt", device="T4")], "logs/b": B}, {}),
        # Only one device is stated: the other folder may be another machine, or the same.
        ({"logs/a": A, "logs/c": [run("c/y.txt")]}, {}),
        ({"logs/one": [run("one/a/x.txt", device="A40"), run("one/b/y.txt")]}, {}),
        # A name below the folder is that of another device, or the same work is in another subfolder.
        ({"logs/a": [A[0], run("a/T4/y.txt")], "logs/b": B}, {}),
        ({"logs/a": [A[0], run("a/y_T4.txt")], "logs/b": B}, {}),
        ({"logs/a": [A[0], run("a/A10/z.txt")], "logs/b": B}, {}),
        ({"logs/a": [A[0], run("a/y_A40.txt")], "logs/b": B}, OF_A),
        ({"logs/a": [run("a/new/x.txt", device="A40"), run("a/old/x.txt")], "logs/b": B}, {}),
        # A folder without a device stays without one.
        ({"logs/a": A, "logs/b": B, "logs/c": [run("c/y.txt")]}, OF_A),
        # Another fact of a silent log names another device.
        ({"logs/a": [A[0], run("a/y.txt", gpu_name="T4")], "logs/b": B}, {}),
        ({"logs/a": [A[0], replace(A[1], environment={"gpu": "T4 | T4"})], "logs/b": B}, {}),
        ({"logs/a": [A[0], replace(A[1], environment={"gpu": "A40 | T4"})], "logs/b": B}, OF_A),
        ({"logs/a": [A[0], replace(A[1], environment={"gpu": "A400"})], "logs/b": B}, {}),
    ]
)
def test_a_device_that_some_logs_state_is_that_of_the_folder(folders, expected):
    assert stated_devices(folders) == expected


def test_the_plan_and_the_labels_have_the_device():
    twin = [run("b/x.txt", device="H100"), run("b/y.txt", device="H100")]
    folders = {"logs/a": A, "logs/b": twin}
    (plan,) = plan_reports(folders)
    devices = {each.id: each.factors["device"] for each in plan.reports[0].runs}
    assert devices == {"a/x.txt": "A40", "a/y.txt": "A40", "b/x.txt": "H100", "b/y.txt": "H100"}
    labels = propose_files("reports", folders).files["logs/a/labels.toml"].decode()
    assert 'device = "A40"' in labels
    assert "Some logs of this folder state" in labels


def test_folders_with_labels_get_no_device():
    folders = {"logs/a": A, "logs/b": B}
    plans = plan_reports(folders, labelled=["logs/a"])
    runs = [each for plan in plans for report in plan.reports for each in report.runs]
    assert all("device" not in each.factors for each in runs if each.id == "a/y.txt")


def test_labels_of_the_campaign_say_nothing_of_the_folders_of_machines_below_it():
    folders = {"logs/one": BELOW}
    proposal = propose_files("reports", folders, {"logs/one/labels.toml"}.__contains__)
    assert 'device = "A40"' in proposal.files["logs/one/a/labels.toml"].decode()
    (plan,) = plan_reports(folders, labelled=["logs/one"])
    assert {each.id: each.factors.get("device") for each in plan.reports[0].runs}["one/a/2/y.txt"] == "A40"
    both = {"logs/one/labels.toml", "logs/one/a/labels.toml"}
    assert "logs/one/a/labels.toml" not in propose_files("reports", folders, both.__contains__).files
