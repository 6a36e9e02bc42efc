"""The recorder writes what happened, in the specified format."""

import json
import os
import random
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors import Recorder
from collectors.format_v1 import run_folder, steps_file
from collectors.recorder import recorder as recorder_module
from collectors.recorder.step_encoder import SAMPLES, STEP, StepEncoder
from tests.collectors.second_reader import read


def start(tmp_path, **options):
    return Recorder.start(logs=tmp_path, **options)


def rank0(recorder):
    result = read(recorder.folder)
    assert result["findings"] == []
    assert result["run"]["status"] == "complete"
    return result["run"]["ranks"]["0"]


def test_a_step_includes_the_wait_for_its_data(tmp_path, clock):
    def loader():
        for batch in "abc":
            clock.now += 7
            yield batch

    recorder = start(tmp_path, samples_per_step=4, item="letter", case={"model": "x", "lr": 0.5, "amp": True})
    forward, backward = recorder.phase("forward"), recorder.phase("backward")
    seen = []
    for batch in recorder.steps(loader()):
        seen.append(batch)
        with forward:
            clock.now += 20
        with backward:
            clock.now += 30
        clock.now += 3
    recorder.close()
    steps = rank0(recorder)
    assert seen == ["a", "b", "c"]
    assert steps["steps"] == [1, 2, 3]
    assert steps["begin_ns"] == [1000, 1060, 1120]
    assert steps["samples"] == [4, 4, 4]
    assert steps["columns"] == {
        "step/host": [60, 60, 60],
        "forward/host": [20, 20, 20],
        "backward/host": [30, 30, 30],
        "data_loading/host": [7, 7, 7],
    }
    run = read(recorder.folder)["run"]
    assert run["factors"] == {"model": "x", "lr": 0.5, "amp": True}
    assert (run["repeat"], run["item"], run["samples_per_step"]) == (1, "letter", 4)
    assert run["environment"]["0"]["python.version"]


def test_counted_steps_have_no_data_loading(tmp_path, clock):
    with start(tmp_path) as recorder:
        for number in recorder.steps(3):
            clock.now += 10 * (number + 1)
    assert rank0(recorder)["columns"] == {"step/host": [10, 20, 30]}


def test_step_ends_the_running_step(tmp_path, clock):
    with start(tmp_path) as recorder:
        clock.now += 500
        recorder.mark_break("setup")
        for duration in (10, 20):
            clock.now += duration
            recorder.step()
    steps = rank0(recorder)
    assert steps["columns"] == {"step/host": [10, 20]}
    assert steps["breaks"] == [["setup", 0, 1000, 1500]]


def test_phases_are_summed_per_step_and_absent_if_not_entered(tmp_path, clock):
    with start(tmp_path) as recorder:
        micro = recorder.phase("forward")
        for number in recorder.steps(3):
            for _ in range(number):
                with micro:
                    clock.now += 5
            clock.now += 1
    assert rank0(recorder)["columns"] == {"step/host": [1, 6, 11], "forward/host": [None, 5, 10]}


def test_a_new_phase_writes_a_new_header(tmp_path, clock):
    with start(tmp_path) as recorder:
        for _ in recorder.steps(2):
            clock.now += 1
        recorder.flush()
        for _ in recorder.steps(1):
            with recorder.phase("optimizer"):
                clock.now += 1
    assert rank0(recorder)["columns"] == {"step/host": [1, 1, 1], "optimizer/host": [None, None, 1]}
    assert steps_file.steps_path(recorder.folder, 0).read_text().count("step,samples,") == 2


def test_samples_add_up_within_a_step_only(tmp_path, clock):
    with start(tmp_path, samples_per_step=9) as recorder:
        for number in recorder.steps(3):
            if number == 1:
                recorder.samples(3)
                recorder.samples(4)
            clock.now += 1
    assert rank0(recorder)["samples"] == [9, 7, 9]


def test_time_between_loops_is_a_break(tmp_path, clock):
    with start(tmp_path) as recorder:
        for _ in range(2):
            for _ in recorder.steps(1):
                clock.now += 10
            clock.now += 100
        recorder.mark_break("evaluation")
        for _ in recorder.steps(1):
            clock.now += 10
    steps = rank0(recorder)
    assert steps["columns"] == {"step/host": [10, 10, 10]}
    assert steps["breaks"] == [["epoch", 1, 1010, 1110], ["evaluation", 2, 1120, 1220]]


def test_a_pause_is_subtracted_from_step_and_phase(tmp_path, clock):
    with start(tmp_path) as recorder:
        forward = recorder.phase("forward")
        for _ in recorder.steps(1):
            with forward:
                clock.now += 10
                with recorder.pause("checkpoint"):
                    clock.now += 1000
            clock.now += 1
    steps = rank0(recorder)
    assert steps["columns"] == {"step/host": [11], "forward/host": [10]}
    assert steps["breaks"] == [["checkpoint", 1, 1010, 2010]]


def test_a_break_in_the_body_discards_the_running_step(tmp_path, clock):
    with start(tmp_path, samples_per_step=1) as recorder:
        forward = recorder.phase("forward")
        for number in recorder.steps(3):
            with forward:
                clock.now += 10
            recorder.samples(5 + number)
            clock.now += 1
            if number == 1:
                recorder.mark_break("evaluation")
                clock.now += 1  # of the discarded step
    steps = rank0(recorder)
    assert steps["columns"] == {"step/host": [11, 11], "forward/host": [10, 10]}
    assert steps["samples"] == [5, 7]
    assert steps["breaks"] == [["evaluation", 1, 1011, 1022]]


def test_break_discards_the_last_step_and_limit_does_not(tmp_path, clock):
    with start(tmp_path) as recorder:
        for number in recorder.steps(10):
            clock.now += 1
            if number == 1:
                break
        for _ in recorder.steps(iter(range(10)), limit=2):
            clock.now += 2
    assert rank0(recorder)["columns"]["step/host"] == [1, 2, 2]


def test_the_column_of_a_synchronized_phase_names_the_clock(tmp_path, clock):
    calls = []
    with start(tmp_path) as recorder:
        forward = recorder.phase("forward", synchronize=lambda: calls.append(clock.now))
        for _ in recorder.steps(1):
            with forward:
                clock.now += 4
    assert rank0(recorder)["columns"] == {"step/host": [4], "forward/host_synchronized": [4]}
    assert calls == [1000, 1004]


@pytest.mark.parametrize(
    ("name", "recorded"),
    [
        ("step", "phase_step"),
        ("Forward", "forward"),
        ("two words", "two_words"),
        ("", "phase"),
        ("1st", "phase_1st"),
    ],
)
def test_an_invalid_phase_name_is_changed_with_one_warning(tmp_path, clock, capsys, name, recorded):
    with start(tmp_path) as recorder:
        for _ in recorder.steps(2):
            with recorder.phase(name):
                clock.now += 3
    assert rank0(recorder)["columns"][f"{recorded}/host"] == [3, 3]
    assert capsys.readouterr().err.count(f"phase {name!r} is recorded as {recorded!r}") == 1


def test_an_invalid_break_name_is_changed_with_one_warning(tmp_path, clock, capsys):
    with start(tmp_path) as recorder:
        for _ in range(2):
            recorder.step()
            recorder.mark_break("Eval,1\n")
    assert [name for name, *_ in rank0(recorder)["breaks"]] == ["eval_1_", "eval_1_"]
    assert capsys.readouterr().err.count("is recorded as 'eval_1_'") == 1


@pytest.mark.parametrize("wrong", [-5, 2**70, 2.5, float("nan"), None, "x"])
@pytest.mark.parametrize("call", ["samples", "tokens"])
def test_a_wrong_count_leaves_readable_steps_of_a_partial_run(tmp_path, clock, capsys, call, wrong):
    with start(tmp_path, samples_per_step=4) as recorder:
        for number in recorder.steps(3):
            clock.now += 1
            if number:
                getattr(recorder, call)(wrong)
    result = read(recorder.folder)
    assert result["run"]["status"] == "partial"
    assert result["run"]["ranks"]["0"]["columns"]["step/host"] == [1, 1, 1]
    assert [finding["rule"] for finding in result["findings"]] == ["read.incomplete-run"]
    message = f"{call}: {wrong} is not a count; use a whole number from 0 to 9.22e+18"
    assert capsys.readouterr().err.count(message) == 1
    assert message in json.loads((recorder.folder / "run.json").read_text())["recorder"]["error"]


@pytest.mark.parametrize("name", ["samples_per_step", "tokens_per_step", "flops_per_step"])
def test_a_wrong_count_at_the_start_is_an_error_before_the_training(tmp_path, name):
    with pytest.raises(ValueError, match=f"{name}: -1 is not a count"):
        start(tmp_path, **{name: -1})
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_steps_is_not_complete(tmp_path, capsys):
    with start(tmp_path) as recorder:
        pass
    run = json.loads((recorder.folder / "run.json").read_text())
    assert (run["status"], run["error"]) == ("failed", "no step was recorded")
    assert "no step was recorded; call recorder.step() after each step" in capsys.readouterr().err


def test_counted_steps_have_a_limit_too(tmp_path):
    with start(tmp_path) as recorder:
        assert list(recorder.steps(np.int64(10), limit=3)) == [0, 1, 2]
    assert rank0(recorder)["steps"] == [1, 2, 3]


@pytest.mark.parametrize(
    "case", [{"a b": 1}, {"a": [1]}, {"a": None}, {"a": float("nan")}, {"": 1}, {"a": 2**63}]
)
def test_an_invalid_case_is_an_error(tmp_path, case):
    with pytest.raises(ValueError, match="case:"):
        start(tmp_path, case=case)
    assert list(tmp_path.iterdir()) == []


def test_a_run_never_overwrites_another(tmp_path):
    folders = []
    for _ in range(3):
        with start(tmp_path, case={"model": "x"}) as recorder:
            folders.append(recorder.folder.relative_to(tmp_path).as_posix())
    assert folders == ["model=x/r1", "model=x/r2", "model=x/r3"]


def test_a_second_recorder_in_a_run_warns_and_records_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(run_folder.RUN_VARIABLE, str(tmp_path / "run"))
    with Recorder.start() as first, Recorder.start() as second:
        for _ in first.steps(2):
            pass
        for _ in second.steps(5):
            pass
    assert second.folder is None
    (message,) = [line for line in capsys.readouterr().err.splitlines() if "nothing is recorded" in line]
    assert "rank 0 already has a recorder; use one Recorder for all loops of a run" in message
    assert read(first.folder)["run"]["ranks"]["0"]["steps"] == [1, 2]


def test_each_rank_writes_its_steps_and_rank_0_writes_run_json(tmp_path, monkeypatch, clock):
    monkeypatch.setenv(run_folder.RUN_VARIABLE, str(tmp_path))
    recorders = []
    for rank in ("1", "0"):  # the other order would not show who writes run.json
        monkeypatch.setenv("RANK", rank)
        monkeypatch.setenv("LOCAL_RANK", rank)
        monkeypatch.setenv("WORLD_SIZE", "2")
        recorders.append(Recorder.start(samples_per_step=2))
        assert (tmp_path / "run.json").exists() == (rank == "0")
    for recorder in recorders:
        for _ in recorder.steps(1):
            clock.now += 1
        recorder.close()
    result = read(tmp_path)
    assert sorted(result["run"]["ranks"]) == ["0", "1"]
    assert result["findings"] == []
    assert json.loads((tmp_path / "run.json").read_text())["ranks"] == 2


def test_several_ranks_without_a_launcher_get_a_warning_with_the_remedy(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with start(tmp_path) as recorder:
        for _ in recorder.steps(1):
            pass
    assert "python -m collectors run" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_invalid_logs_path_does_not_stop_the_training(tmp_path, monkeypatch, capsys):
    with start(tmp_path / "a\0b") as recorder:
        for _ in recorder.steps(1):
            pass
    assert "nothing is recorded: embedded null" in capsys.readouterr().err


def test_differing_factors_of_script_and_launcher_are_both_recorded(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(run_folder.RUN_VARIABLE, str(tmp_path))
    run_folder.write_run(tmp_path, {"status": "running", "case": {"batch_size": 64}, "repeat": 3})
    with Recorder.start(case={"batch_size": 32, "model": "x"}) as recorder:
        recorder.step()
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["case"] == {"batch_size": 64, "model": "x"}
    assert run["case_in_script"] == {"batch_size": 32}
    assert "batch_size" in capsys.readouterr().err


def test_a_process_that_outlives_its_command_is_partial(tmp_path, monkeypatch, capsys):
    """Such as `sh -c "python train.py &"`: the launcher has ended the run, and has started the next one."""
    monkeypatch.setenv(run_folder.RUN_VARIABLE, str(tmp_path))
    run_folder.write_run(tmp_path, {"status": "running", "case": {}, "repeat": 1})
    with Recorder.start() as recorder:
        recorder.step()
        ended = {**run_folder.read_run(tmp_path), "status": "failed", "exit_code": 0, "wall_time_ns": 5}
        run_folder.write_run(tmp_path, ended)
    run = run_folder.read_run(tmp_path)
    assert (run["status"], run["exit_code"], run["wall_time_ns"]) == ("partial", 0, 5)
    assert "the command ended before this process, which ran beside the next runs" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_does_not_write_or_close(tmp_path, clock):
    recorder = start(tmp_path)
    for _ in recorder.steps(2):
        clock.now += 1
    pid = os.fork()
    if pid == 0:
        recorder.step()
        recorder.flush()
        recorder.close("failed", "from the child")
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    recorder.close()
    assert rank0(recorder)["steps"] == [1, 2]


def test_counts_may_be_numpy_integers(tmp_path):
    with start(tmp_path, samples_per_step=np.int64(4)) as recorder:
        for _ in recorder.steps(1):
            recorder.samples(np.int64(3))
    assert rank0(recorder)["samples"] == [3]


def test_a_second_close_keeps_the_first_status(tmp_path):
    recorder = start(tmp_path)
    recorder.close("out_of_memory", "reason")
    recorder.close()
    run = json.loads((recorder.folder / "run.json").read_text())
    assert (run["status"], run["error"]) == ("out_of_memory", "reason")


@given(st.lists(st.integers(0, 9), max_size=60), st.randoms(use_true_random=False))
def test_lines_do_not_depend_on_the_size_of_flushes(durations, chance: random.Random):
    events, now = [], 0
    for number, duration in enumerate(durations):
        events += [number % 3, now, now + duration, SAMPLES, number, now, STEP, now, now + 10]
        now += 10
    columns = ["a_host_ns", "b_host_ns", "c_host_ns"]
    whole = StepEncoder(columns, []).encode(events)
    rows, parts, at = StepEncoder(columns, []), [], 0
    while at < len(events):
        size = 3 * chance.randint(1, 20)
        parts.append(rows.encode(events[at : at + size]))
        at += size
    assert "".join(parts) == whole
    assert whole.count("\n") == len(durations) + bool(durations)


def test_a_flush_sleeps_between_its_slices(tmp_path, monkeypatch):
    sleeps = []
    with start(tmp_path) as recorder:
        recorder.flush()
        monkeypatch.setattr(recorder_module, "time", SimpleNamespace(sleep=sleeps.append))
        monkeypatch.setattr(recorder_module, "_SLICE_INTEGERS", 3 * 10)
        for _ in range(95):
            recorder.step()
        recorder.flush()
        assert 1 <= len(sleeps) <= 9  # the other thread may have written some of the steps
    assert rank0(recorder)["steps"] == list(range(1, 96))


def test_steps_after_the_end_of_the_recorder_give_one_message(tmp_path, capsys):
    with start(tmp_path) as recorder:
        recorder.step()
    for _ in recorder.steps(3):
        pass
    recorder.step()
    assert rank0(recorder)["steps"] == [1]
    assert capsys.readouterr().err.count("steps after the recorder was closed are not recorded") == 1


def facts(recorder):
    return json.loads((recorder.folder / "run.json").read_text())


@pytest.fixture
def small_backlog(monkeypatch):
    """Let only 30 steps wait for the writing thread, which waits for a second write 50 ms at most."""
    monkeypatch.setattr(recorder_module, "_FLUSH_INTEGERS", 3 * 10)
    monkeypatch.setattr(recorder_module, "_MAX_INTEGERS", 3 * 30)
    monkeypatch.setattr(recorder_module, "_MAX_WRITE_SECONDS", 0.05)


@pytest.mark.parametrize("loop", ["count", "load", "call"])
def test_a_training_that_is_too_fast_waits_and_the_wait_is_a_break(tmp_path, clock, small_backlog, loop):
    recorder = start(tmp_path)
    flush = recorder.flush

    def slow_flush(*seconds):
        if threading.current_thread() is threading.main_thread():
            clock.now += 1_000_000
            return flush(*seconds)
        return True  # the thread has no time

    recorder.flush = slow_flush
    if loop == "call":
        for _ in range(1000):
            clock.now += 5
            recorder.step()
    else:
        for _ in recorder.steps(1000 if loop == "count" else [0] * 1000):
            clock.now += 5
    assert len(recorder._events) <= 6 * 31
    recorder.flush = flush
    recorder.close()
    steps = rank0(recorder)
    assert len(steps["steps"]) == 1000
    assert set(steps["columns"]["step/host"]) == {5}
    assert {name for name, _, _, _ in steps["breaks"]} == {"recorder"}
    assert "error" not in facts(recorder).get("recorder", {})


def test_a_write_that_hangs_ends_the_recording_with_the_count_and_the_reason(tmp_path, small_backlog, capsys):
    recorder = start(tmp_path)
    for _ in recorder.steps(20):
        pass
    assert recorder.flush()
    with recorder._writing:  # the thread hangs in a write
        begin = time.monotonic()
        for _ in recorder.steps(500):
            pass
        assert time.monotonic() - begin < 10  # a wait for each write would take 25 s
        assert len(recorder._events) <= 3 * 32
    for _ in recorder.steps(7):
        pass
    recorder.close()
    run = facts(recorder)
    assert run["status"] == "partial"
    assert run["recorder"]["error"] == "a write took more than 0.05 s; later steps are not recorded"
    assert run["recorder"]["dropped_steps"] == 507
    result = read(recorder.folder)["run"]["ranks"]["0"]
    assert result["steps"] == list(range(1, 21))
    assert capsys.readouterr().err.count("later steps are not recorded") == 1


def test_a_thread_that_is_slow_but_writes_drops_nothing(tmp_path, small_backlog):
    recorder = start(tmp_path)
    flush, ended_in_time = recorder.flush, []

    def slow_flush(*seconds):
        if threading.current_thread() is not threading.main_thread():
            return True  # the thread has no time of its own
        flush()  # it writes while the training waits, and needs each second time longer than that
        ended_in_time.append(len(ended_in_time) % 2 == 1)
        return ended_in_time[-1]

    recorder.flush = slow_flush
    for _ in recorder.steps(2000):
        pass
    recorder.flush = flush
    recorder.close()
    assert len(rank0(recorder)["steps"]) == 2000
    assert ended_in_time.count(False) > 10
    assert "error" not in facts(recorder).get("recorder", {})


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_a_million_steps_need_little_memory_and_a_short_close(script):
    script.write("""import re, time
recorder = Recorder.start()
for _ in recorder.steps(1_000_000):
    pass
begin = time.process_time()
recorder.close()
seconds = time.process_time() - begin
print(seconds, re.search(r"VmHWM:\\s*([0-9]+)", open("/proc/self/status").read())[1])""")
    code, out, err = script.run()
    assert code == 0, err
    seconds, kibibytes = map(float, out.split())
    assert seconds < 0.8  # 0.13 s; 1.2 s if no step had been written before
    assert kibibytes < 100_000  # ru_maxrss would contain the memory of the process that started this one


@pytest.mark.parametrize("calls", [2, 3])
def test_a_phase_nested_in_itself_is_refused_with_a_message(tmp_path, clock, capsys, calls):
    recorder = start(tmp_path)
    forward, other = recorder.phase("forward"), recorder.phase("other")

    def call(depth):
        with forward:
            clock.now += 10
            if depth:
                call(depth - 1)

    for number in recorder.steps(6):
        call(calls - 1 if number in (2, 3) else 0)
        with other:
            clock.now += 1
    recorder.close()
    columns = rank0(recorder)["columns"]
    assert columns["forward/host"] == [10, 10, None, None, 10, 10]
    assert columns["other/host"] == [1] * 6
    assert facts(recorder)["recorder"]["nested_phases"] == ["forward"]
    assert capsys.readouterr().err.count("phase forward was entered inside itself") == 1


def test_a_phase_that_is_entered_again_is_not_nested(tmp_path, clock):
    recorder = start(tmp_path)
    forward = recorder.phase("forward")
    for _ in recorder.steps(2):
        for _ in range(3):
            with forward:
                clock.now += 10
        with forward:
            pass
        with forward:  # in the same tick of a coarse clock
            pass
    recorder.close()
    assert rank0(recorder)["columns"]["forward/host"] == [30, 30]
    assert "recorder" not in facts(recorder)


KINDS = st.permutations([0, 1, 2])
STEPS = st.lists(
    st.tuples(
        KINDS, st.integers(0, 3), st.lists(st.integers(0, 9), min_size=6, max_size=6), st.sampled_from("sbco")
    ),
    max_size=30,
)


def lines_of(columns, events, size):
    encoder = StepEncoder(list(columns), ["b"])
    texts = [encoder.encode(events[start : start + 3 * size]) for start in range(0, len(events), 3 * size)]
    return "".join(texts) + encoder.remaining_lines()


@given(STEPS)
def test_usual_steps_are_encoded_as_all_others(steps):
    """Compare with slices of one event, in which no step is whole."""
    events, now = [], 10
    for order, count, waits, kind in steps:
        begin = now
        for column in order[:count]:
            now += waits[column]
            events += [column, now - (20 if kind == "o" else 0), now + waits[column + 3]]
            now += waits[column + 3]
        if kind == "b":
            events += [-10, begin, begin + waits[0]]
        if kind == "c":
            events += [SAMPLES, waits[1], now]
        events += [STEP, begin, now]
    columns = ["a_host_ns", "c_host_ns", "c_cuda_event_ns"]
    assert lines_of(columns, events, 1) == lines_of(columns, events, 10**6) == lines_of(columns, events, 5)
