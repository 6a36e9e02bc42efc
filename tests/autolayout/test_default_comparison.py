"""The rules by which a table without a definition compares, on tables made by hand."""

from typing import Any

import pytest

from reportgen.autolayout.default_comparison import DefaultComparison, arrange, choose_comparison
from reportgen.autolayout.overview import define_overview
from reportgen.autolayout.raw_speed import slowest_first
from reportgen.autolayout.table_layout import choose_axes
from reportgen.core.model import STEP, Run
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from tests.builders import published_run, series
from tests.builders import run as timed_run


def run(**factors: Any) -> Run:
    return published_run(throughput=1.0, **factors)


def compared(*runs: Run, guessed: tuple[str, ...] = ()) -> tuple[str, dict[str, Any], list[str]] | None:
    """Return kind, baseline and picked factors."""
    chosen = choose_comparison("throughput", runs, guessed)
    return (chosen.kind, dict(chosen.baseline), list(chosen.pick)) if chosen else None


def laid_out(*runs: Run) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return rows, columns and facets."""
    chosen = choose_comparison("throughput", runs)
    assert chosen is not None
    axes = arrange(choose_axes(runs, runs), chosen, runs)
    return axes.rows, axes.columns, axes.facets


def test_the_baseline_is_the_system_that_most_cases_have_in_common():
    # B ran all three models, A and C one each; A is the first by name.
    runs = [run(device="B", model=model) for model in "xyz"]
    runs += [run(device="A", model="x"), run(device="C", model="y"), run(device="C", model="z")]
    assert compared(*runs) == ("speedup", {"device": "B"}, [])


def test_of_equal_baselines_the_first_by_name_counts():
    assert compared(run(device="A100"), run(device="A40")) == ("speedup", {"device": "A40"}, [])
    assert compared(run(device="A100"), run(device="V100")) == ("speedup", {"device": "A100"}, [])


def test_repeats_are_one_case():
    runs = [run(framework="B", model=model) for model in "xy"] + [run(framework="A", model="x")] * 9
    assert compared(*runs) == ("speedup", {"framework": "A"}, [])


def test_precisions_are_compared_where_nothing_else_did_the_work():
    runs = [run(model=m, precision=p) for m in "xy" for p in ("bf16", "fp16", "fp32")]
    assert compared(*runs) == ("speedup", {"precision": "fp32"}, [])
    devices = [run(device=d, precision=p) for d in "AB" for p in ("fp16", "fp32")]
    assert compared(*devices) == ("speedup", {"device": "A"}, [])


def test_a_program_that_states_no_devices_of_a_node_does_not_move_the_baseline_of_another():
    each = [(1, 1, 1), (8, 1, 8), (32, 4, 8)]
    runs = [run(model="x", devices=n, nodes=m, devices_per_node=k) for n, m, k in each]
    runs += [run(model="y", devices=32, nodes=4, global_batch_size=512), run(global_batch_size=65536)]
    fewest = {"devices": 1, "devices_per_node": 1, "nodes": 1}
    assert compared(*runs) == ("efficiency", fewest, [])


@pytest.mark.parametrize("name", ["model", "batch_size", "dataset", "seq_len"])
def test_other_work_is_not_compared(name):
    assert compared(run(**{name: 1}), run(**{name: 2})) is None


def test_a_log_that_does_not_state_its_device_ran_on_no_other_device():
    runs = [run(device="A", model=model) for model in "xyz"]
    assert compared(*runs, run(model="x")) is None
    assert compared(*runs, run(model="x"), run(device="B", model="y")) == ("speedup", {"device": "A"}, [])


def test_a_factor_that_few_cases_have_is_not_a_baseline():
    # A log of JADE states a variant in a few of its runs only.
    runs = [run(model=m, devices=d) for m in "xyzuvw" for d in (1, 8)]
    few = [run(model="x", devices=d, variant=v) for d in (1, 8) for v in ("big", "small")]
    assert compared(*runs, *few) == ("efficiency", {"devices": 1}, [])
    assert compared(*few) == ("speedup", {"variant": "big"}, [])


def test_numbers_of_devices_are_not_mixed():
    assert compared(run(device="A", devices=1), run(device="B", devices=8)) is None


def test_a_factor_that_follows_from_the_system_is_a_part_of_the_baseline():
    runs = [run(cluster=c, device=d, model=m) for c, d in (("JADE2", "V100"), ("TN", "A40")) for m in "xy"]
    assert compared(*runs) == ("speedup", {"cluster": "JADE2", "device": "V100"}, [])


def test_of_equal_devices_the_slowest_is_the_baseline():
    speeds = {"A6000": 9.0, "RTX3090": 8.0, "RTX4090": 14.0}
    runs = [published_run(throughput=speed, device=device) for device, speed in speeds.items()]
    assert compared(*runs) == ("speedup", {"device": "RTX3090"}, [])
    timed = [
        timed_run(series([1 / speed] * 5), factors={"device": device}) for device, speed in speeds.items()
    ]
    assert slowest_first("step_time", "device", timed) == ["RTX3090", "A6000", "RTX4090"]
    # What only one of them ran says nothing of their speed.
    alone = published_run(throughput=1.0, device="T4", model="its own")
    assert slowest_first("throughput", "device", [*runs, alone]) == []


@pytest.mark.parametrize(("factor", "metric", "count"), [("gpu", "step_time", 0), ("device", "step_time", 1),
                                                         ("device", "throughput", 1)])  # fmt: skip
def test_only_the_speeds_that_are_compared_are_computed(monkeypatch, factor, metric, count):
    medians = []
    monkeypatch.setattr(
        "reportgen.autolayout.raw_speed.np.median", lambda value: medians.append(value) or 1.0
    )
    other = series([1.0] * 3, metric="loss")
    slowest_first(
        metric, factor, [timed_run(series([1.0] * 5), other, samples_per_step=8.0, factors={"device": "A40"})]
    )
    assert len(medians) == count


@pytest.mark.parametrize(
    ("devices", "expected"),
    [((1, 8, 16), ("efficiency", {"devices": 1}, [])), ((1, 8), ("speedup", {"precision": "fp32"}, []))],
)
def test_a_course_of_devices_is_compared_before_precisions(devices: tuple[int, ...], expected: object):
    runs = [run(devices=count, precision=each) for count in devices for each in ("fp16", "fp32")]
    assert compared(*runs) == expected


def test_two_systems_that_differ_in_everything_are_compared_as_a_whole():
    runs = [run(cluster=c, device=d) for c, d in ("AX", "BY", "CY", "CZ")]
    # By cluster alone or device alone, one has a baseline; by both, three have.
    assert compared(*runs) == ("speedup", {"cluster": "A", "device": "X"}, [])


def test_systems_with_other_batch_sizes_are_compared_at_their_best():
    runs = [run(device="A", batch_size=b) for b in (8, 16)] + [
        run(device="B", batch_size=b) for b in (32, 64)
    ]
    assert compared(*runs) == ("speedup", {"device": "A"}, ["batch_size"])
    # With a common one they are compared at that, which is fairer.
    assert compared(*runs, run(device="B", batch_size=8), run(device="B", batch_size=16)) == (
        "speedup",
        {"device": "A"},
        [],
    )


def test_step_times_of_other_batch_sizes_are_not_compared():
    # B does twice as much per second with a step that takes twice as long and has four times the samples.
    runs = [
        published_run(device=d, batch_size=b, values={STEP: t})
        for d, b, t in [("A", 8, 0.1), ("A", 16, 0.2), ("B", 32, 0.2), ("B", 64, 0.4)]
    ]
    assert choose_comparison("step_time", runs) is None


def test_without_competitors_numbers_of_devices_are_compared():
    runs = [run(devices=n, nodes=n // 8 or 1, global_batch_size=n * 4) for n in (1, 8, 32)]
    assert compared(*runs) == ("efficiency", {"devices": 1, "global_batch_size": 4, "nodes": 1}, [])
    assert laid_out(*runs)[0] == ("devices", "nodes", "global_batch_size")


def test_step_times_have_no_scaling_efficiency_and_memory_no_speed():
    runs = [run(devices=n) for n in (1, 8)]
    assert choose_comparison("step_time", runs) is None
    assert choose_comparison("memory_used", [run(device=d) for d in "AB"]) is None


def test_few_ratios_are_not_a_comparison():
    runs = [run(device="A", model="x"), run(device="B", model="x")]
    runs += [run(device=d, model=m) for d, m in ("Cy", "Dz", "Ez", "Fu", "Gu", "Hv", "Iv")]
    assert compared(*runs[:2]) is not None
    assert compared(*runs) is None


def test_folders_from_whose_name_the_device_follows_are_systems():
    systems = (("lab-1", "A"), ("lab-2", "A"), ("cloud", "B"))
    runs = [run(folder=f, device=d, model=m) for f, d in systems for m in "xy"]
    assert compared(*runs, guessed=("folder",)) == ("speedup", {"folder": "cloud", "device": "B"}, [])
    files = [run(log=f, device=d, model=m) for f, d in systems for m in "xy"]
    assert compared(*files, guessed=("log",)) is None


def test_folders_that_may_name_the_work_are_not_systems():
    # No log says what was run: the folders may.
    runs = [run(folder=f, device=d) for f, d in (("bert", "A"), ("gpt", "A"), ("resnet", "B"))]
    assert compared(*runs, guessed=("folder",)) is None
    two = [run(folder=f, folder2=w, device=d) for f, w, d in (("x", "bert", "A"), ("y", "resnet", "B"))]
    assert compared(*two, guessed=("folder", "folder2")) is None


def test_rows_that_compete_are_next_to_each_other():
    runs = [run(device=d, model=m, batch_size=b) for d in "AB" for m in "xy" for b in (1, 2, 3, 4)]
    rows, columns, facets = laid_out(*runs)
    assert (rows, columns, facets) == (("model", "batch_size", "device"), (), ())


def test_one_and_eight_devices_have_tables_of_their_own():
    runs = [run(device=d, devices=n, nodes=1 if n < 9 else 2) for d in "AB" for n in (1, 8)]
    assert laid_out(*runs) == (("device",), (), ("devices",))
    many = [run(device=d, devices=n, nodes=n // 8 or 1) for d in "AB" for n in (1, 8, 16)]
    assert laid_out(*many) == (("nodes", "devices", "device"), (), ())


def test_the_best_row_of_each_work_is_the_first():
    speeds = {("A", "x"): 1.0, ("B", "x"): 3.0, ("C", "x"): 2.0, ("A", "y"): 8.0, ("B", "y"): 9.0}
    speeds |= {("A", "z"): 1.0, ("A", "u"): 1.0}
    runs = [published_run(device=d, model=m, devices=4, throughput=v) for (d, m), v in speeds.items()]
    (spec,) = define_overview(runs, "reports").tables
    assert (spec.rows, spec.columns, spec.best_first) == (("model", "device"), (), True)
    (table,) = build_tables(spec, runs, NO_FACTS)
    assert [row.key for row in table.rows] == [
        ("u", "A"),
        ("x", "B"),
        ("x", "C"),
        ("x", "A"),
        ("y", "B"),
        ("y", "A"),
        ("z", "A"),
    ]
    ratios = [line[1].value for line in table.cells]
    assert ratios == [1.0, 3.0, 2.0, 1.0, 9 / 8, 1.0, 1.0]


def test_a_table_that_picks_is_followed_by_one_of_all_cases():
    runs = [run(device=d, batch_size=b) for d, b in (("A", 8), ("A", 16), ("B", 32), ("B", 64))]
    best, every = define_overview(runs, "reports").tables
    assert (best.title, best.pick) == ("Throughput, best batch size", {"batch_size": "best"})
    assert (every.title, every.compare) == ("Throughput", None)
    assert {"device", "batch_size"} == {*every.rows, *every.columns}


def test_a_comparison_has_the_entry_of_a_definition():
    spec = DefaultComparison("speedup", {"device": "A"}).spec
    assert (spec.kind, spec.baseline) == ("speedup", {"device": "A"})


def test_a_device_that_the_logs_of_one_program_alone_state_is_in_a_note():
    one, other = run(framework="A"), run(framework="B", device="Tesla V100-SXM2-16GB")

    def told(*runs: Run) -> tuple[set[str], tuple[str, ...]]:
        table = define_overview(runs, "reports").tables[0]
        return {*table.rows, *table.columns}, table.notes

    note = "Only the logs of B state the device: V100-SXM2-16GB."
    assert told(one, other) == ({"framework"}, (note,))
    # With two devices, or where one program has logs with and without it, it stays a row.
    assert told(one, other, run(framework="B", device="A40")) == ({"framework", "device"}, ())
    assert told(one, other, run(framework="B")) == ({"framework", "device"}, ())
    assert told(other, run(framework="A", device="A40"))[1] == ()


def test_the_number_of_a_device_is_a_part_of_its_name():
    runs = [run(device=d, device_id=n, size=s) for n, d in enumerate("BA") for s in (64, 256)]
    assert compared(*runs) == ("speedup", {"device": "A", "device_id": 1}, [])
    assert define_overview(runs, "reports").title == "Throughput on A and B"
