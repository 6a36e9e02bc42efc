"""A training script may end in any way: its log is readable and has the right status, and its exit is unchanged."""

import json
import os
import re
import resource
import signal
import stat
import sys
from pathlib import Path

import pytest

from collectors.recorder.error_summary import summarize_error
from collectors.recorder.exit_hooks import status_of
from reportgen.load import load_runs
from tests.collectors.second_reader import read

pytestmark = pytest.mark.slow

TEN_STEPS = """
recorder = Recorder.start(samples_per_step=4, item="image", logs="logs")
forward = recorder.phase("forward")
for number in recorder.steps(10):
    with forward:
        pass
"""
READY = """
recorder.flush()
print("ready", flush=True)
"""


def of(script):
    """Return the run and the rules of its findings; both readers of the format must agree on them."""
    result = read(script.only_run())
    run, rules = result["run"], [finding["rule"] for finding in result["findings"]]
    (loaded,) = load_runs([script.only_run()], root=script.folder).runs
    assert loaded.status == run["status"]
    assert [finding.rule for finding in loaded.findings] == rules
    (steps,) = [series.step.tolist() for series in loaded.series if series.phase == "step"]
    assert steps == run["ranks"]["0"]["steps"]
    return run, rules


def about(script):
    return json.loads((script.only_run() / "run.json").read_text())


def wait_for_word(child):
    assert child.stdout.readline() == b"ready\n"


@pytest.mark.parametrize("round_number", range(3))
def test_sigkill_loses_no_flushed_steps(script, round_number):
    script.write(TEN_STEPS + READY + "\nfor _ in recorder.steps(10**9): pass")
    child = script.start()
    wait_for_word(child)
    child.kill()
    assert child.wait() == -signal.SIGKILL
    run, findings = of(script)
    assert run["status"] == "running"
    assert findings == ["read.incomplete-run"]
    steps = run["ranks"]["0"]["steps"]
    assert len(steps) >= 10
    assert steps == list(range(1, len(steps) + 1))


@pytest.mark.parametrize("left_out", [1, 2, 20, 60])
def test_sigkill_during_a_flush_keeps_all_complete_lines(script, left_out):
    script.write(
        TEN_STEPS
        + f"""
recorder.flush()
write = os.write
def stalled(file, lines):
    write(file, bytes(lines)[:-{left_out}])
    print("ready", flush=True)
    threading.Event().wait()
os.write = stalled
for _ in recorder.steps(5): pass
recorder.flush()
"""
    )
    child = script.start()
    wait_for_word(child)
    child.kill()
    child.wait()
    run, findings = of(script)
    assert findings == ["read.incomplete-run"]
    assert len(run["ranks"]["0"]["steps"]) >= 10
    (path,) = script.only_run().glob("steps*")
    whole = len(re.findall(rb"^[0-9].*\n", path.read_bytes(), re.MULTILINE))
    assert run["ranks"]["0"]["steps"] == list(range(1, whole + 1))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("launcher", [False, True])
def test_a_signal_cancels_the_run_and_ends_the_process(script, launcher, number):
    script.write(TEN_STEPS + READY + "\nwhile True: signal.pause()")
    child = script.start(launcher=launcher)
    wait_for_word(child)
    child.send_signal(number)
    assert child.wait(timeout=60) == (128 + number if launcher else -number)
    run, findings = of(script)
    assert (run["status"], findings) == ("cancelled", ["read.failed-run"])
    assert run["ranks"]["0"]["steps"] == list(range(1, 11))


HANGING_DEVICE = """
from types import SimpleNamespace
class Event:
    device = 0
    def __init__(self, enable_timing): pass
    def record(self, stream=None): pass
    def query(self): return False
cuda = SimpleNamespace(Event=Event, is_initialized=lambda: True)
sys.modules["torch"] = SimpleNamespace(cuda=cuda, __version__="0")
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, "cancelled"), (signal.SIGINT, "partial")])
def test_a_signal_ends_the_wait_for_a_device_that_hangs(script, number, status):
    script.write(
        HANGING_DEVICE
        + TEN_STEPS
        + """
from collectors.recorder import cuda_events, recorder as recorder_module
cuda_events._FIRST_MESSAGE_SECONDS = 0.1
recorder_module._MAX_CLOSE_SECONDS = 0.2
print("ready", flush=True)
recorder.close()
"""
    )
    child = script.start()
    wait_for_word(child)
    assert any(b"waiting for the device to complete 10 steps" in line for line in child.stderr)
    child.send_signal(number)
    child.communicate(timeout=60)
    assert child.returncode == -number
    run = read(script.only_run())["run"]
    assert run["status"] == status
    assert run["ranks"]["0"]["steps"] == list(range(1, 11))
    assert run["ranks"]["0"]["columns"]["step/cuda_event"] == [None] * 10


INTERRUPTED_AT_THE_END = """
from collectors.recorder.run_writer import RunWriter
end = RunWriter.end
def interrupted(*arguments):
    os.kill(os.getpid(), signal.SIGINT)
    end(*arguments)
RunWriter.end = interrupted
"""


@pytest.mark.parametrize("last_line", ["raise KeyboardInterrupt", "with recorder: raise KeyboardInterrupt"])
def test_a_second_interrupt_does_not_damage_the_log(script, last_line):
    script.write(TEN_STEPS + INTERRUPTED_AT_THE_END + last_line)
    code, _, err = script.run()
    assert (code, "sys.excepthook" in err) == (-signal.SIGINT, False)
    assert about(script)["status"] == "cancelled"


def test_an_interrupt_during_close_is_raised_after_it(script):
    script.write(TEN_STEPS + INTERRUPTED_AT_THE_END + "recorder.close()\nprint('went on')")
    code, out, _ = script.run()
    assert (code, out) == (-signal.SIGINT, "")
    assert about(script)["status"] == "complete"


def test_a_sigterm_handler_of_the_script_is_kept(script):
    handler = "signal.signal(signal.SIGTERM, lambda *_: os._exit(7))"
    script.write(handler + TEN_STEPS + READY + "\nsignal.pause()")
    child = script.start()
    wait_for_word(child)
    child.terminate()
    assert child.wait(timeout=60) == 7


@pytest.mark.parametrize(
    ("last_line", "status", "code", "error"),
    [
        ("", "complete", 0, None),
        ("recorder.close()", "complete", 0, None),
        ("raise ValueError('loss is nan')", "failed", 1, "ValueError: loss is nan"),
        ("raise MemoryError", "out_of_memory", 1, "MemoryError"),
        ("raise RuntimeError('CUDA out of memory')", "out_of_memory", 1, "RuntimeError: CUDA out of memory"),
        ("raise KeyboardInterrupt", "cancelled", -signal.SIGINT, "KeyboardInterrupt"),
        ("with recorder: sys.exit(5)", "failed", 5, "SystemExit: 5"),
        ("with recorder: sys.exit()", "complete", 0, None),
    ],
)
def test_the_status_matches_how_the_script_ended(script, last_line, status, code, error):
    script.write(TEN_STEPS + "\n" + last_line)
    assert script.run()[0] == code
    assert about(script)["status"] == status
    assert about(script).get("error") == error
    assert len(of(script)[0]["ranks"]["0"]["steps"]) == 10


def test_an_existing_exception_hook_is_still_called(script):
    script.write("sys.excepthook = lambda *_: print('mine')" + TEN_STEPS + "\nraise ValueError")
    assert script.run() == (1, "mine\n", "")


def test_a_step_that_raises_is_not_recorded(script):
    script.write(TEN_STEPS + "\nfor _ in recorder.steps(3): raise ValueError")
    script.run()
    assert len(of(script)[0]["ranks"]["0"]["steps"]) == 10


def test_a_full_disk_stops_the_recording_but_not_the_training(script):
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

    script.write(
        TEN_STEPS
        + """
recorder.flush()
for part in range(20):
    for _ in recorder.steps(50): pass
    recorder.flush()
print("trained")
"""
    )
    code, out, err = script.run(preexec_fn=small_files)
    assert (code, out) == (0, "trained\n")
    assert err.count("reportgen:") == 1
    assert "the training continues without recording" in err
    run, findings = of(script)
    assert (run["status"], findings) == ("partial", ["read.incomplete-run"])
    steps = run["ranks"]["0"]["steps"]
    assert steps == list(range(1, len(steps) + 1))
    assert len(steps) >= 60
    assert "File too large" in about(script)["recorder"]["error"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_disk_that_is_full_from_the_start_gives_one_warning(script):
    script.write("os.O_EXCL = 0\nsteps_file.steps_path = lambda *_: '/dev/full'" + TEN_STEPS)
    code, _, err = script.run()
    assert code == 0
    assert err.count("reportgen: nothing is recorded") == 1


def test_a_read_only_folder_gives_one_warning_and_training_continues(script):
    script.logs.mkdir()
    script.logs.chmod(stat.S_IREAD | stat.S_IEXEC)
    if os.access(script.logs, os.W_OK):  # root may write everywhere: a file in the way does the same
        script.logs.chmod(0o700)
        script.logs.rmdir()
        script.logs.write_text("in the way")
    code, out, err = script.write(TEN_STEPS + "\nprint('trained')").run()
    assert (code, out) == (0, "trained\n")
    assert err.count("reportgen: nothing is recorded") == 1


class OutOfMemoryError(RuntimeError):
    """Has the name of torch's."""


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OutOfMemoryError("x"), ("out_of_memory", "OutOfMemoryError: x")),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), ("out_of_memory", None)),
        (ValueError("first\nlast"), ("failed", "ValueError: first ... last")),
        (ValueError("x" * 9999), ("failed", "ValueError: " + "x" * 488)),
        (SystemExit(0), ("complete", "")),
    ],
)
def test_an_exception_has_a_status_and_a_short_text(error, expected):
    status, text = status_of(error)
    assert status == expected[0]
    if expected[1] is not None:
        assert text.removeprefix(f"{__name__}.") == expected[1]


def test_a_run_works_with_python_3_9(script, python39):
    script.write(TEN_STEPS)
    assert script.run(python=python39 or sys.executable)[::2] == (0, "")
    assert of(script)[0]["status"] == "complete"


DSA = "CUDA kernel errors might be asynchronously reported.\nCompile with `TORCH_USE_CUDA_DSA` to enable assertions.\n"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("loss is nan"), "ValueError: loss is nan"),
        (ValueError(), "ValueError"),
        (KeyError("a\nb"), r"KeyError: 'a\nb'"),
        (
            RuntimeError(f"CUDA error: device-side assert triggered\n{DSA}"),
            "RuntimeError: CUDA error: device-side assert triggered ... "
            "Compile with `TORCH_USE_CUDA_DSA` to enable assertions.",
        ),
        (
            RuntimeError("Error(s) in loading state_dict for Net:\n\tsize mismatch for bias: (3) and (4)."),
            "RuntimeError: Error(s) in loading state_dict for Net: ... size mismatch for bias: (3) and (4).",
        ),
        (
            RuntimeError(
                "NCCL error in: x.cpp\nException raised from f at x.cpp:1 (most recent call first):\n"
                "frame #0: c10::Error + 0x1\nframe #1: clone + 0x2\n"
            ),
            "RuntimeError: NCCL error in: x.cpp",
        ),
        (SyntaxError("invalid syntax", ("train.py", 3, 1, "x y")), "SyntaxError: invalid syntax"),
        (AssertionError("\nfirst\n\nlast\n"), "AssertionError: ... last"),
    ],
)
def test_the_type_and_the_first_and_last_line_of_an_error_are_kept(error, text):
    assert summarize_error(error) == text


def test_a_long_error_keeps_the_start_of_both_lines():
    text = summarize_error(ValueError("a" * 1000 + "\n" + "b" * 1000))
    assert len(text) == 500
    assert text.startswith("ValueError: aaa")
    assert text.endswith(" ... " + "b" * 200)
