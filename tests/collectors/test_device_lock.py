"""Clocks and power limits are locked for a campaign and restored at every end; a kill can be repaired."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from collectors.__main__ import main
from collectors.launcher.device_lock import DeviceLock, LockError, LockRequest, unlock
from collectors.launcher.lock_files import LockRecord, create_record, read_records, replace_record
from tests.collectors.nvml_standin import ONE

UUID = "GPU-11111111-aaaa"
OTHER = "GPU-11112222-bbbb"
SETTABLE = """0 settable 1
0 limit_min 200000
0 limit_max 700000
0 memory_clocks 2619,1593
0 clocks2619 1980,1965,1410,1395
"""
TWO = (
    "system count 2\n"
    + SETTABLE
    + "1 settable 1"
    + ONE
    + ONE.replace("\n0 ", "\n1 ").replace("1111-aaaa", "2222-bbbb")
)
DEAD = {"process": 2**22 + 1, "namespace": "of a former boot"}


@pytest.fixture
def calls(standin, tmp_path, monkeypatch):
    """Return a function that lists the settings that the driver was asked to change."""
    path = tmp_path / "calls.txt"
    monkeypatch.setenv("NVML_STANDIN_CALLS", str(path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    standin.set(*SETTABLE.splitlines())
    return lambda: path.read_text().splitlines() if path.exists() else []


# TDP is the limit 0xffffff01 of nvml.h: the base clock.
@pytest.mark.parametrize(
    ("request_", "changed", "restored"),
    [
        (LockRequest(1410), ["0 lock 1410 1410"], ["0 reset 0 0"]),
        (LockRequest("base"), ["0 lock 4294967041 4294967041"], ["0 reset 0 0"]),
        (LockRequest(None, 300), ["0 power 300000 0"], ["0 power 700000 0"]),
        (
            LockRequest(1395, 200),
            ["0 lock 1395 1395", "0 power 200000 0"],
            ["0 reset 0 0", "0 power 700000 0"],
        ),
    ],
)
def test_settings_are_changed_and_restored(calls, request_, changed, restored):
    with DeviceLock(request_, {}):
        assert calls() == changed
        assert [record.uuid for record in read_records()] == [UUID]
    assert calls() == changed + restored
    assert read_records() == []


@pytest.mark.parametrize(
    ("answers", "request_", "message", "changed"),
    [
        (
            ["0 settable !4"],
            LockRequest(1410),
            f"{UUID}: --lock-clocks: this user may not change it; run the launcher as root",
            [],
        ),
        (["0 settable !3"], LockRequest(1410), "this GPU does not support it; leave out --lock-clocks", []),
        ([], LockRequest(1400), "--lock-clocks 1400: the GPU does not have this clock; use 1395 or 1410", []),
        (
            [],
            LockRequest(None, 100),
            "--power-limit 100: outside of the limits of the GPU; use 200 to 700 W",
            [],
        ),
        (["0 limit_min !3"], LockRequest(None, 300), "no power limit .NOT_SUPPORTED.; leave it out", []),
        (
            ["0 settable_power !4"],
            LockRequest(1410, 300),
            "--power-limit: this user may not change it",
            ["0 lock 1410 1410", "0 reset 0 0"],
        ),
        (
            ["system init !9"],
            LockRequest(1410),
            "NVML does not start: Driver Not Loaded; load the NVIDIA",
            [],
        ),
        (["system count 0"], LockRequest(1410), "no visible GPU; see nvidia-smi -L", []),
    ],
)
def test_a_refusal_has_place_fact_and_remedy_and_leaves_nothing(
    standin, calls, answers, request_, message, changed
):
    standin.set(*answers)
    with pytest.raises(LockError, match=message), DeviceLock(request_, {}):
        pytest.fail("the campaign ran")
    assert (calls(), read_records()) == (changed, [])


def test_a_refusal_of_the_second_gpu_restores_the_first(standin, calls):
    standin.replace(TWO)
    standin.set("1 settable !4")
    with pytest.raises(LockError, match=OTHER), DeviceLock(LockRequest(1410), {}):
        pytest.fail("the campaign ran")
    assert (calls(), read_records()) == (["0 lock 1410 1410", "0 reset 0 0"], [])


def test_only_visible_gpus_are_locked(standin, calls):
    standin.replace(TWO)
    with DeviceLock(LockRequest(1410), {"CUDA_VISIBLE_DEVICES": "1"}):
        assert calls() == ["1 lock 1410 1410"]


def test_an_exception_restores(calls):
    with pytest.raises(KeyError), DeviceLock(LockRequest(1410), {}):
        raise KeyError
    assert calls()[-1] == "0 reset 0 0"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_between_runs_restores(calls, number):
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as ended, DeviceLock(LockRequest(1410), {}):
        os.kill(os.getpid(), number)
    assert ended.value.code == 128 + number
    assert calls() == ["0 lock 1410 1410", "0 reset 0 0"]
    assert signal.getsignal(number) == before


def test_a_gpu_is_locked_by_one_campaign(calls):
    with (
        DeviceLock(LockRequest(1410), {}),
        pytest.raises(LockError, match=f"{UUID}: process {os.getpid()} has locked it; wait"),
        DeviceLock(LockRequest(1395), {}),
    ):
        pytest.fail("two campaigns ran")
    assert calls() == ["0 lock 1410 1410", "0 reset 0 0"]


def test_what_cannot_be_restored_stays_on_record(standin, calls, capsys):
    with DeviceLock(LockRequest(1410), {}):
        standin.set("0 settable !15")
    assert f"{UUID}: the SM clock at 1410 MHz was not restored (GPU_IS_LOST)" in capsys.readouterr().err
    assert [record.clock for record in read_records()] == [1410]


def test_a_record_of_a_killed_launcher_refuses_until_it_is_unlocked(calls, capsys):
    create_record(LockRecord(UUID, 1410, 300000, 600000, **DEAD))
    with (
        pytest.raises(LockError, match="first run: python -m collectors unlock"),
        DeviceLock(LockRequest(1395), {}),
    ):
        pytest.fail("the campaign ran")
    assert main(["unlock"]) == 0
    assert calls() == ["0 reset 0 0", "0 power 600000 0"]
    assert capsys.readouterr().out == f"{UUID}: unlocked\n"
    assert read_records() == []


def test_without_a_record_there_is_nothing_to_unlock(calls, capsys):
    assert unlock() == 0
    assert capsys.readouterr().out.startswith("no GPU is locked by a campaign")
    assert calls() == []


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (LockRecord(UUID, 1410), "locked by process {process}, which is running; end it first"),
        (LockRecord("GPU-elsewhere", 1410, **DEAD), "GPU-elsewhere: not a GPU of this host, or lost"),
    ],
)
def test_unlock_names_the_gpu_that_it_cannot_unlock(calls, capsys, record, message):
    create_record(record)
    assert unlock() == 1
    assert message.format(process=os.getpid()) in capsys.readouterr().err
    assert calls() == []


def test_an_unfinished_record_is_removed(calls, tmp_path):
    create_record(LockRecord(UUID))
    next(tmp_path.glob("state/reportgen/locked/*")).write_text("")  # killed while it was created
    assert unlock() == 0
    assert (calls(), read_records()) == ([], [])


def test_a_record_can_be_replaced(calls):
    create_record(LockRecord(UUID))
    with pytest.raises(FileExistsError):
        create_record(LockRecord(UUID))
    replace_record(LockRecord(UUID, "base"))
    assert [record.text for record in read_records()] == ["SM clock at base"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lock-clocks", "fast"], "fast: not a clock; use MHz, or base"),
        (["--power-limit", "0"], "0: not a power limit; use W"),
    ],
)
def test_a_wrong_option_is_refused(options, message, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["run", "--logs", "x", *options, "--", "true"])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_factor_that_an_option_sets_is_refused_in_a_case(capsys):
    options = ["--lock-clocks", "1410", "--case", "locked_clock_mhz=1395"]
    assert main(["run", "--logs", "x", *options, "--", "true"]) == 2
    assert "--case locked_clock_mhz: another option sets this factor" in capsys.readouterr().err


@pytest.fixture
def locked(standin, calls, script):
    names = ("NVML_STANDIN", "NVML_STANDIN_CALLS", "XDG_STATE_HOME")
    script.environ.update({name: os.environ[name] for name in names}, LD_LIBRARY_PATH=str(standin.folder))
    script.environ.pop("CUDA_VISIBLE_DEVICES", None)
    return script


OPTIONS = ["--lock-clocks", "1410", "--power-limit", "300", "--telemetry-interval", "0"]
CHANGES = ["0 lock 1410 1410", "0 power 300000 0"]
RESTORES = ["0 reset 0 0", "0 power 700000 0"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("", "complete"),
        ("sys.exit(3)", "failed"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "failed"),
        ("os.kill(os.getppid(), signal.SIGTERM); threading.Event().wait(30)", "cancelled"),
        ("os.kill(os.getppid(), signal.SIGINT); threading.Event().wait(30)", "cancelled"),
    ],
)
def test_the_launcher_restores_at_every_end(locked, calls, end, status):
    locked.write(f"with Recorder.start() as recorder:\n    for _ in recorder.steps(3): pass\n{end}")
    err = locked.run(launcher=True, has_site=True, options=OPTIONS)[2]
    run = json.loads((locked.only_run() / "run.json").read_text())
    factors = {name: run["case"][name] for name in ("locked_clock_mhz", "power_limit_w")}
    assert (run["status"], factors) == (status, {"locked_clock_mhz": 1410, "power_limit_w": 300}), err
    assert calls() == CHANGES + RESTORES
    assert read_records() == []


@pytest.mark.slow
def test_a_lock_whose_block_was_not_left_is_restored_when_the_process_ends(locked, calls):
    text = """
from collectors.launcher.device_lock import DeviceLock, LockRequest
lock = DeviceLock(LockRequest(1410), {})
lock.__enter__()
raise SystemExit(143)
"""
    ended = subprocess.run([sys.executable, "-c", text], env=locked.environ, check=False)
    assert ended.returncode == 143
    assert calls() == ["0 lock 1410 1410", "0 reset 0 0"]


@pytest.mark.slow
def test_a_killed_launcher_is_repaired_by_unlock(locked, calls, capsys):
    locked.write("os.kill(os.getppid(), signal.SIGKILL)")
    locked.run(launcher=True, has_site=True, options=OPTIONS)
    assert calls() == CHANGES
    assert (
        main(["run", "--logs", str(locked.logs), "--telemetry-interval", "0", "--", sys.executable, "-c", ""])
        == 0
    )
    told = f"{UUID}: an earlier campaign left its SM clock at 1410 MHz and power limit at 300 W"
    assert told in capsys.readouterr().err
    assert main(["unlock"]) == 0
    assert calls() == CHANGES + RESTORES
    assert not any(Path(os.environ["XDG_STATE_HOME"]).rglob("*.json"))
