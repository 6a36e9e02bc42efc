"""The cost of the recorder, from blocks with and without recording."""

import json

import pytest

from collectors import Recorder
from collectors.recorder import phases
from collectors.recorder import recorder as recorder_module
from collectors.recorder.calibration import Block, estimate_cost, median_interval
from reportgen.load import load_runs
from tests.collectors.second_reader import read


class CostlyPhase(phases.Phase):
    """A phase that costs 7 ns of the fake clock."""

    __slots__ = ()

    def __exit__(self, *error):
        super().__exit__(*error)
        phases.perf_counter_ns.now += 7


def train(tmp_path, clock, monkeypatch, count, **options):
    monkeypatch.setattr(phases, "Phase", CostlyPhase)
    with Recorder.start(logs=tmp_path, samples_per_step=2, calibrate=True, **options) as recorder:
        forward = recorder.phase("forward")
        for _ in recorder.steps(count):
            with forward:
                clock.now += 100
    return recorder


def recorder_facts(recorder):
    return json.loads((recorder.folder / "run.json").read_text())["recorder"]


def test_the_cost_is_the_difference_between_recorded_and_unrecorded_blocks(tmp_path, clock, monkeypatch):
    recorder = train(tmp_path, clock, monkeypatch, 20 + 240)
    assert recorder_facts(recorder) == {
        "cost_ns_per_step": 7,
        "cost_pairs": 12,
        "cost_interval_ns": [7, 7],
        "cost_coverage": 0.9614,
        "unrecorded_step_ns": 100,
    }


def test_an_unrecorded_block_becomes_one_row_with_a_span(tmp_path, clock, monkeypatch):
    recorder = train(tmp_path, clock, monkeypatch, 20 + 45)
    result = read(recorder.folder)
    assert (result["findings"], result["run"]["status"]) == ([], "complete")
    rank = result["run"]["ranks"]["0"]
    assert rank["spans"] == [1] * 30 + [10, 10] + [1] * 10 + [1] * 5
    assert rank["steps"][-6:] == [60, 61, 62, 63, 64, 65]
    assert rank["columns"]["step/host"][29:33] == [107, 1000, 1000, 107]
    assert rank["columns"]["forward/host"][30] is None
    assert rank["samples"][30] == 20
    assert load_runs([recorder.folder], root=tmp_path).runs[0].status == "complete"


def test_a_loop_that_ends_in_an_unrecorded_block_loses_no_step(tmp_path, clock, monkeypatch):
    recorder = train(tmp_path, clock, monkeypatch, 20 + 10 + 4)
    rank = read(recorder.folder)["run"]["ranks"]["0"]
    assert (rank["steps"][-1], rank["spans"][-1]) == (34, 4)
    assert "cost_ns_per_step" not in about_or_empty(recorder)


def about_or_empty(recorder):
    return json.loads((recorder.folder / "run.json").read_text()).get("recorder", {})


def test_calibration_supports_loaders_and_breaks(tmp_path, clock):
    with Recorder.start(logs=tmp_path, calibrate=True) as recorder:
        for epoch in range(3):
            for number in recorder.steps(list(range(50))):
                clock.now += 10
                if epoch == 1 and number == 25:
                    recorder.mark_break("checkpoint")
    rank = read(recorder.folder)["run"]["ranks"]["0"]
    assert rank["steps"] == sorted(set(rank["steps"]))
    assert [pause[0] for pause in rank["breaks"]] == ["epoch", "checkpoint", "epoch"]
    assert recorder_facts(recorder)["cost_ns_per_step"] == 0


def test_the_launcher_variable_enables_calibration(tmp_path, monkeypatch):
    monkeypatch.setenv("REPORTGEN_CALIBRATE", "1")
    with Recorder.start(logs=tmp_path) as recorder:
        assert isinstance(recorder, recorder_module.CalibratingRecorder)
    with Recorder.start(logs=tmp_path, calibrate=False) as recorder:
        assert not isinstance(recorder, recorder_module.CalibratingRecorder)


def test_a_calibration_by_the_launcher_gets_its_own_case(script):
    script.write("with Recorder.start() as recorder:\n    for _ in recorder.steps(160): pass")
    code, _, err = script.run(launcher=True, options=["--calibrate", "--case", "model=x"])
    assert code == 0, err
    run = json.loads((script.logs / "model=x,calibrate=true" / "r1" / "run.json").read_text())
    assert run["case"] == {"model": "x", "calibrate": True}
    assert run["recorder"]["cost_pairs"] == 7
    assert run["recorder"]["cost_coverage"] > 0.95


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([], None),
        ([(True, 100)], None),
        ([(True, 100), (False, 50)], 5),
        ([(True, 100), (False, 50), (False, 50), (True, 120), (True, 90), (False, 50)], 5),
        ([(True, 100), (True, 50)], None),
    ],
)
def test_cost_uses_pairs_of_neighbouring_blocks(blocks, expected):
    assert estimate_cost([Block(*block) for block in blocks]).get("cost_ns_per_step") == expected


@pytest.mark.parametrize(
    ("count", "expected"), [(5, None), (6, (0, 5, 0.96875)), (7, (0, 6, 0.984375)), (9, (1, 7, 0.9609375))]
)
def test_median_interval_returns_its_coverage(count, expected):
    assert median_interval(list(range(count))) == expected
