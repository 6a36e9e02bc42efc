"""The launcher: fresh processes, folders that are never overwritten, exit codes and signals that pass through."""

import contextlib
import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.__main__ import main
from collectors.format_v1 import run_folder
from collectors.format_v1.case import case_folder_name
from collectors.launcher import exit_status, launch
from collectors.launcher.exit_status import CommandEnd, finish_record
from collectors.launcher.saved_output import wait_and_save_output
from tests.collectors.conftest import Script
from tests.collectors.second_reader import read
from tests.each_of import each_row

pytestmark = pytest.mark.slow

RECORDS = """
with Recorder.start(samples_per_step=2, item="image") as recorder:
    for _ in recorder.steps(3): pass
"""


def runs(script):
    return {
        path.parent.relative_to(script.logs).as_posix(): json.loads(path.read_text())
        for path in script.logs.glob("*/r*/run.json")
    }


@each_row(
    [
        ("32", 32),
        ("-1", -1),
        ("0.1", 0.1),
        ("1e-3", 0.001),
        ("true", True),
        ("false", False),
        ("True", "True"),
        ("fp16", "fp16"),
        ("", ""),
        ("a=b", "a=b"),
        ("1_000", "1_000"),
        (" 1", " 1"),
        ("nan", "nan"),
        ("inf", "inf"),
        ("1e999", "1e999"),
    ]
)
def test_factor_values_are_parsed_by_their_form(text, value):
    got = launch.parse_factor(text)
    assert (got, type(got)) == (value, type(value))


def test_repeated_factors_give_all_combinations():
    assert launch.parse_cases(["m=a", "b=1", "b=2"]) == [{"m": "a", "b": 1}, {"m": "a", "b": 2}]
    assert launch.parse_cases([]) == [{}]


@pytest.mark.parametrize("setting", ["batch", "a b=1", "=1", "1a=2", "seed=99999999999999999999"])
def test_a_setting_that_is_not_a_factor_is_an_error(setting):
    with pytest.raises(ValueError, match="case"):
        launch.parse_cases([setting])


@pytest.mark.parametrize(
    ("word", "substituted"),
    [
        ("--b={b}", "--b=32"),
        ("{amp}", "true"),
        ("{other} {} {", "{other} {} {"),
        ("{{b}}", "{b}"),
        ("--name={{b}}-{b}", "--name={b}-32"),
        ('{"a":{b},"c":{"d":{b}}}', '{"a":32,"c":{"d":32}}'),
        ("{{other}}", "{{other}}"),
        ("{s}", "{b}"),  # a value is not substituted again
        ("{bxd}{b.d}", "{bxd}7"),
    ],
)
def test_factor_names_in_braces_are_substituted_once_and_doubled_braces_are_not(word, substituted):
    (job,) = launch.make_jobs([{"b": 32, "amp": True, "s": "{b}", "b.d": 7}], ["train", word])
    assert job.command == ["train", substituted]


def test_without_factors_a_command_stays_as_it_is():
    assert launch.make_jobs([{}], ["{b}", "{{b}}"])[0].command == ["{b}", "{{b}}"]


NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,9}", fullmatch=True)
FACTORS = st.dictionaries(NAMES, st.text(), max_size=3)


@given(FACTORS, FACTORS)
def test_different_cases_have_different_and_portable_folder_names(one, other):
    names = [case_folder_name(case) for case in (one, other)]
    assert (names[0] == names[1]) == (list(one.items()) == list(other.items()))
    for name in names:
        assert re.fullmatch(r"[A-Za-z0-9_.,=+-]{1,139}", name)


def test_each_repeat_has_its_own_process_and_run_folder(script):
    script.write("print(os.getpid())" + RECORDS)
    options = ["--case", "model=x", "--case", "b=1", "--case", "b=2", "--repeats", "2"]
    code, out, err = script.run(launcher=True, options=options)
    assert code == 0
    assert len(set(out.split())) == 4
    assert list(runs(script)) != []
    for name, run in runs(script).items():
        assert (run["status"], run["exit_code"]) == ("complete", 0)
        assert name == f"model=x,b={run['case']['b']}/r{run['repeat']}"
        assert run["command"][1:] == ["-S", "train.py"]
        assert run["samples_per_step"] == 2
    order = [line.split("logs/")[1] for line in err.splitlines() if "logs/" in line]
    assert order == ["model=x,b=1/r1", "model=x,b=2/r1", "model=x,b=1/r2", "model=x,b=2/r2"]


def test_sequential_order_finishes_a_case_before_the_next(script):
    script.write(RECORDS)
    options = ["--case", "b=1", "--case", "b=2", "--repeats", "2", "--case-order", "sequential"]
    err = script.run(launcher=True, options=options)[2]
    assert [line.split("logs/")[1] for line in err.splitlines() if "logs/" in line] == [
        "b=1/r1",
        "b=1/r2",
        "b=2/r1",
        "b=2/r2",
    ]


def test_complete_repeats_are_skipped_and_again_adds_more(script):
    script.write(RECORDS)
    script.run(launcher=True, options=["--repeats", "2"])
    before = {path: path.read_bytes() for path in script.logs.rglob("*") if path.is_file()}
    code, _, err = script.run(launcher=True, options=["--repeats", "3"])
    assert code == 0
    assert "2 complete, 1 to run" in err
    assert sorted(runs(script)) == ["unnamed/r1", "unnamed/r2", "unnamed/r3"]
    script.run(launcher=True, options=["--repeats", "3", "--again"])
    assert len(runs(script)) == 6
    assert all(path.read_bytes() == content for path, content in before.items())


def test_an_incomplete_repeat_is_kept_and_gets_a_successor(script):
    script.write("sys.exit(3)")
    assert script.run(launcher=True)[0] == 3
    script.write(RECORDS)
    assert script.run(launcher=True)[0] == 0
    assert {name: run["status"] for name, run in runs(script).items()} == {
        "unnamed/r1": "failed",
        "unnamed/r2": "complete",
    }


@pytest.mark.parametrize(("options", "count"), [([], 1), (["--keep-going"], 3)])
def test_a_failure_ends_the_campaign_without_keep_going(script, options, count):
    script.write("sys.exit(4)")
    code, _, err = script.run(launcher=True, options=["--repeats", "3", *options])
    assert (code, len(runs(script))) == (4, count)
    assert ("runs left: 2" in err) == (count == 1)


@pytest.mark.parametrize(
    ("text", "code", "status", "error"),
    [
        ("os._exit(9)", 9, "failed", "exit code 9"),
        ("os.kill(os.getpid(), signal.SIGKILL)", 137, "failed", "killed by SIGKILL"),
        ("os.kill(os.getpid(), 35)", 163, "failed", "killed by signal 35"),
        ("os.abort()", 134, "failed", "killed by SIGABRT"),
        (RECORDS + "sys.exit(2)", 2, "failed", "exit code 2 after the recorder was closed"),
        ("Recorder.start()\nraise MemoryError", 1, "out_of_memory", "MemoryError"),
    ],
)
def test_the_launcher_adds_the_end_that_the_child_could_not_record(script, text, code, status, error):
    script.write(text)
    assert script.run(launcher=True)[0] == code
    (run,) = runs(script).values()
    assert (run["status"], run["error"]) == (status, error)
    assert run["exit_code"] == (code if code < 128 else 128 - code)
    assert read(script.only_run())["run"]["status"] == status


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("Recorder.start()\nos._exit(0)", "the command ended without closing its recorder"),
        # rank 0 has no recorder, but rank 1 does
        ("open(os.environ['REPORTGEN_RUN'] + '/steps.rank1.csv', 'w').write('#clock,1,2\\n')", "the command"),
    ],
)
def test_a_failed_run_is_a_failed_campaign_even_if_the_command_exits_with_0(script, text, error):
    script.write(text)
    assert script.run(launcher=True)[0] == 1
    (run,) = runs(script).values()
    assert (run["status"], run["exit_code"]) == ("failed", 0)
    assert run["error"].startswith(error)


def test_a_command_without_a_recorder_is_measured_and_its_repeats_resume(script, capfd):
    run = ["run", "--logs", str(script.logs), "--case", "x=1", "--repeats", "2"]
    assert main([*run, "--", "sh", "-c", "sleep 0.2"]) == 0
    assert re.search(r"complete in 0\.[0-9]{1,3} s without steps", capfd.readouterr().err)
    assert main([*run, "--", "sh", "-c", "sleep 0.2"]) == 0
    assert "2 complete (2 without steps), 0 to run" in capfd.readouterr().err
    assert sorted(runs(script)) == ["x=1/r1", "x=1/r2"]
    for name, record in runs(script).items():
        assert (record["status"], record["exit_code"], record["command"][0]) == ("complete", 0, "sh")
        assert 0.2e9 <= record["wall_time_ns"] < 10e9
        described = read(script.logs / name)
        assert described["findings"] == [{"rule": "read.no-steps", "path": "run.json", "line": None}]
        groups = {key.partition(".")[0] for key in described["run"]["environment"]["0"]}
        assert {"cpu", "memory", "platform"} <= groups
        assert groups.isdisjoint(
            {"python", "git", "packages", "torch"}
        )  # of the launcher, not of the command


@pytest.mark.parametrize(
    ("cases", "words", "is_told"),
    [
        (["batch=1", "batch=2"], ["exit 0", "{bacth}"], True),  # a mistyped placeholder
        (["batch=1", "batch=2"], ["exit 0", "{batch}"], False),
        (["batch=1"], ["exit 0"], False),
    ],
)
def test_cases_that_run_the_same_command_are_named(tmp_path, capsys, cases, words, is_told):
    settings = [word for case in cases for word in ("--case", case)]
    assert main(["run", "--logs", str(tmp_path), *settings, "--", "sh", "-c", *words]) == 0
    said = (
        "batch=1 and batch=2 run the same command, sh -c 'exit 0' '{bacth}'; write {batch} where it takes the"
    )
    assert (said in capsys.readouterr().err) == is_told


def test_another_command_than_that_of_the_existing_repeats_is_named(tmp_path, capsys):
    campaign = ["run", "--logs", str(tmp_path), "--repeats"]
    main([*campaign, "1", "--", "sh", "-c", "exit 3"])
    main([*campaign, "1", "--", "sh", "-c", "exit 0"])
    assert "another command" not in capsys.readouterr().err  # a failed run is not a repeat
    main([*campaign, "2", "--", "sh", "-c", "exit 0"])
    assert "another command" not in capsys.readouterr().err
    main([*campaign, "3", "--", "sh", "-c", "sleep 0"])
    said = "2 of 2 existing runs ran another command, sh -c 'exit 0', and would count as repeats of sh -c 'sleep 0'"
    assert said in capsys.readouterr().err


def test_a_command_that_fails_without_a_recorder_is_a_failed_run(script):
    assert main(["run", "--logs", str(script.logs), "--", "sh", "-c", "exit 3"]) == 3
    (run,) = runs(script).values()
    assert (run["status"], run["error"]) == ("failed", "exit code 3")


def test_a_workload_without_steps_has_failed(tmp_path):
    jobs = [launch.Job({}, ["true"])]
    assert launch.run_campaign(launch.Campaign(tmp_path, jobs, needs_steps=True)) == 1
    run = run_folder.read_run(tmp_path / "unnamed" / "r1")
    assert run["error"] == "the command did not start a Recorder; no steps were recorded"


def test_the_environment_of_a_recorder_is_not_replaced_by_the_launcher(script):
    script.write(RECORDS)
    script.run(launcher=True)
    assert "python.version" in read(script.only_run())["run"]["environment"]["0"]


def test_repeats_on_another_model_of_gpu_do_not_count(tmp_path, monkeypatch):
    run = ["run", "--logs", str(tmp_path), "--case", "x={device}", "--repeats", "2", "--", "true"]
    for model in ("NVIDIA H100", "NVIDIA H200", "NVIDIA H100"):
        monkeypatch.setattr(launch.device_model, "visible_model", lambda environ, model=model: model)
        assert main(run) == 0
    cases = [json.loads(path.read_text()) for path in sorted(tmp_path.glob("*/r*/run.json"))]
    assert [case["case"]["device"] for case in cases] == ["NVIDIA H100"] * 2 + ["NVIDIA H200"] * 2
    assert all(case["detected"] == ["device"] for case in cases)


def test_two_commands_are_compared_in_random_rounds(tmp_path):
    run = ["run", "--logs", str(tmp_path), "--case", "b=1", "--case", "b=2", "--repeats", "2"]
    assert main([*run, "--against", "sh -c 'exit 0' old {b}", "--", "true", "{b}"]) == 0
    records = [json.loads(path.read_text()) for path in tmp_path.glob("*/r*/run.json")]
    commands = {(record["case"]["variant"], *record["command"]) for record in records}
    assert commands == {
        ("main", "true", "1"),
        ("main", "true", "2"),
        ("against", "sh", "-c", "exit 0", "old", "1"),
        ("against", "sh", "-c", "exit 0", "old", "2"),
    }
    assert sorted(record["round"] for record in records) == [1] * 4 + [2] * 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--against", "sh 'x"], "--against sh 'x: No closing quotation; quote it as in a shell"),
        (["--against", " "], "--against: no command"),
        (["--against", "x", "--case", "variant=1"], "--case variant: --against sets this factor"),
        (["--against", "x", "--node", "1"], "give all launchers the same --seed"),
    ],
)
def test_a_wrong_comparison_is_an_error(options, message, tmp_path, capsys):
    assert main(["run", "--logs", str(tmp_path / "logs"), *options, "--", "true"]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "logs").exists()


def test_a_named_device_is_not_detected(monkeypatch):
    monkeypatch.setattr(launch.device_model, "visible_model", lambda environ: "NVIDIA H100")
    (job,) = launch.add_device([launch.Job({"device": "mine"}, ["true"])])
    assert (job.case, job.detected) == ({"device": "mine"}, ())


@pytest.mark.parametrize("is_launched", [True, False])
def test_an_argument_that_is_not_utf_8_is_recorded_escaped(script, is_launched):
    script.write(RECORDS)
    line = [sys.executable, "-S", str(script.path), os.fsdecode(b"caf\xe9")]
    launcher = [sys.executable, "-S", "-m", "collectors", "run", "--logs", str(script.logs), "--"]
    done = subprocess.run(
        [*(launcher if is_launched else []), *line],
        cwd=script.folder, env=script.environ, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    (path,) = script.logs.rglob("run.json")
    run = json.loads(path.read_text(encoding="utf-8"))
    assert (run["status"], run["command"][-1]) == ("complete", "caf\\udce9")
    assert list(script.logs.rglob("*.tmp")) == []


def test_a_killed_child_keeps_its_flushed_steps(script):
    script.write(
        "recorder = Recorder.start()\nfor _ in recorder.steps(5): pass\nrecorder.flush()\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    script.run(launcher=True)
    run = read(script.only_run())["run"]
    assert run["status"] == "failed"
    assert run["ranks"]["0"]["steps"] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("options", [[], ["--save-stdout"]])
def test_output_passes_through_unchanged(script, options):
    script.write("os.write(1, bytes(range(256)) * 999); os.write(2, b'err\\n')" + RECORDS)
    child = script.start(launcher=True, options=options)
    out, err = child.communicate(timeout=60)
    assert out == bytes(range(256)) * 999
    assert b"err\n" in err
    for path, printed in zip(run_folder.output_paths(script.only_run()), (out, b"err\n"), strict=True):
        assert path.exists() == bool(options)
        if options:
            assert path.read_bytes() == printed


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_output_is_saved_where_a_stream_of_the_launcher_is_closed(tmp_path, closed):
    launcher = [sys.executable, "-m", "collectors", "run", "--logs", str(tmp_path), "--save-stdout"]
    command = [*launcher, "--", "sh", "-c", "echo a; echo b >&2"]
    done = subprocess.run(
        ["sh", "-c", f'"$@" {closed}', "sh", *command],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    (run,) = tmp_path.glob("*/r*")
    assert json.loads((run / "run.json").read_text())["status"] == "complete"
    assert [path.read_bytes() for path in run_folder.output_paths(run)] == [b"a\n", b"b\n"]


def test_output_is_saved_where_stdout_is_a_stream_in_memory(tmp_path, monkeypatch):
    child = subprocess.Popen(
        ["sh", "-c", "echo a; exit 4"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    end = wait_and_save_output(child, tmp_path / "out.log", tmp_path / "err.log")
    assert (end.code, (tmp_path / "out.log").read_bytes()) == (4, b"a\n")


def test_a_process_in_the_background_does_not_hold_up_the_launcher(script):
    background = "\nif os.fork() == 0:\n    sys.stdin.read(); os._exit(0)"  # until the test closes it
    script.write("print('early', flush=True)" + background + RECORDS)
    child = script.start(launcher=True, options=["--save-stdout", "--repeats", "2"])
    assert child.wait(timeout=60) == 0
    out, err = os.read(child.stdout.fileno(), 1000), os.read(child.stderr.fileno(), 10000)
    assert out == b"early\n" * 2
    assert err.count(b"a process in the background is still running") == 2
    child.stdin.close()
    assert [path.read_bytes() for path in script.logs.rglob("stdout.log")] == [b"early\n"] * 2


def test_what_a_background_process_prints_soon_after_the_end_is_saved(script):
    script.write(
        "if os.fork() == 0:\n    import time; time.sleep(0.2); os.write(2, b'late\\n'); os._exit(0)" + RECORDS
    )
    script.run(launcher=True, options=["--save-stdout"])
    assert run_folder.output_paths(script.only_run())[1].read_bytes() == b"late\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_ends_the_copy_of_the_output_and_is_named(script, tmp_path):
    child = tmp_path / "copy.py"
    child.write_text(
        "import subprocess, sys\nfrom pathlib import Path\n"
        "from collectors.launcher.saved_output import wait_and_save_output\n"
        "pipe = subprocess.PIPE\n"
        "child = subprocess.Popen(['sh', '-c', 'echo a; echo b >&2; exit 4'], stdout=pipe, stderr=pipe)\n"
        "end = wait_and_save_output(child, Path('/dev/full'), Path('err.log'))\nprint(end.code)\n"
    )
    done = subprocess.run(
        [sys.executable, str(child)], cwd=tmp_path, env=script.environ, capture_output=True, check=True
    )
    assert done.stdout == b"a\n4\n"
    assert b"/dev/full: No space left on device; the rest of this output is not saved" in done.stderr
    assert (tmp_path / "err.log").read_bytes() == b"b\n"


# A signal that a terminal may have sent to all is forwarded after a second, so the launchers wait at the same time.
def start_launchers(folder, cases, text, **options):
    """Start a launcher for each case, wait until its script is ready; return cases, scripts and launchers."""
    started = []
    for number, case in enumerate(cases):
        script = Script(folder / str(number))
        script.folder.mkdir()
        script.write("signal.alarm(120)\n" + text(*case))  # it does not outlive a test that fails
        started.append((case, script, script.start(launcher=True, start_new_session=True, **options)))
    for _, _, child in started:
        assert child.stdout.readline() == b"ready\n"
    return started


@pytest.mark.parametrize("options", [[], ["--save-stdout"]])
def test_signals_are_forwarded_to_the_child(tmp_path, options):
    def text(number):
        return (
            "def on_signal(number, frame): print(number, flush=True); os._exit(21)\n"
            f"signal.signal({int(number)}, on_signal); print('ready', flush=True)\nwhile True: signal.pause()"
        )

    cases = [(signal.SIGINT,), (signal.SIGTERM,), (signal.SIGUSR1,)]
    options = ["--repeats", "2", "--keep-going", *options]
    started = start_launchers(tmp_path, cases, text, options=options)
    for (number,), _, child in started:
        child.send_signal(number)
    for (number,), script, child in started:
        assert child.stdout.readline() == b"%d\n" % number
        if number == signal.SIGUSR1:  # does not cancel: the second repeat follows
            assert child.stdout.readline() == b"ready\n"
            child.send_signal(number)
        assert child.wait(timeout=60) == 21
        assert len(runs(script)) == (2 if number == signal.SIGUSR1 else 1)


def test_a_signal_that_the_command_catches_cancels_the_run(tmp_path):
    def text(number, has_recorder, code):
        return (
            f"signal.signal({int(number)}, signal.default_int_handler)\n"
            + ("recorder = Recorder.start()\nfor _ in recorder.steps(3): pass\n" if has_recorder else "")
            + "try:\n    print('ready', flush=True)\n    signal.pause()\n"
            f"except KeyboardInterrupt:\n    sys.exit({code})\n"
        )

    cases = list(itertools.product([signal.SIGINT, signal.SIGTERM], [True, False], [0, 130]))
    started = start_launchers(tmp_path, cases, text, options=["--repeats", "2"])
    for (number, _, _), _, child in started:
        child.send_signal(number)
    for case, script, child in started:
        child.communicate(timeout=60)
        (run,) = runs(script).values()
        ended = (run["status"], run["error"], child.returncode)
        code = case[-1]
        assert ended == ("cancelled", f"exit code {code} after an interrupt", code or 1), case


def test_a_run_that_has_ended_before_the_signal_stays_complete(script):
    script.write(RECORDS + "print('ready', flush=True)\ntry: signal.pause()\nexcept KeyboardInterrupt: pass")
    child = script.start(launcher=True, start_new_session=True)
    assert child.stdout.readline() == b"ready\n"
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == 0
    assert [run["status"] for run in runs(script).values()] == ["complete"]


@pytest.mark.parametrize(
    ("recorded", "end", "status"),
    [
        # status that the recorder wrote and when; exit code and when the launcher was signalled
        (("failed", 50), (1, 100), "failed"),  # an exception before the signal
        (("failed", 150), (1, 100), "cancelled"),  # one that the signal caused
        (("cancelled", 50), (-15, 100), "cancelled"),
        (("cancelled", 50), (-15, None), "cancelled"),
        (("complete", 50), (0, 100), "complete"),
        (("complete", 150), (0, 100), "cancelled"),
        (("complete", 50), (130, 100), "cancelled"),
        (("complete", 50), (-15, None), "cancelled"),
        (("complete", 50), (-9, None), "failed"),
        (("out_of_memory", 150), (1, 100), "out_of_memory"),
        (("partial", 150), (0, 100), "partial"),
    ],
)
def test_a_signal_cancels_what_had_not_ended_before(tmp_path, recorded, end, status):
    run_folder.write_run(tmp_path, {"status": recorded[0], "ended_realtime_ns": recorded[1]})
    run = finish_record(tmp_path, {}, CommandEnd(end[0], 1, end[1]), node=0)
    assert run["status"] == status


@pytest.fixture
def full_disk(tmp_path):
    """A folder whose disk is smaller than a probe of the launcher; needs the right to mount."""
    folder = tmp_path / "full"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", str(folder)]
    if os.getuid() or not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("cannot mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_named(script, full_disk):
    script.write(
        "recorder = Recorder.start()\nfor _ in recorder.steps(9): pass\nrecorder.flush()\n"
        "with open(os.environ['REPORTGEN_RUN'] + '/fill', 'wb', 0) as file:\n"
        "    try:\n        while True: file.write(bytes(512))\n"
        "    except OSError: pass\n"
        "for _ in recorder.steps(5000): pass\nrecorder.close()"
    )
    script.logs = full_disk
    code, _, err = script.run(launcher=True)
    assert code == 1
    assert "steps could not be written: No space left on device" in err
    assert "without closing" not in err
    run = read(script.only_run())
    assert run["run"]["status"] == "partial"
    assert json.loads((script.only_run() / "run.json").read_text())["exit_code"] == 0


def test_a_full_disk_that_hides_the_end_of_the_recorder_is_named(tmp_path, monkeypatch):
    run_folder.write_run(tmp_path, {"status": "running"})
    (tmp_path / "steps.rank0.csv").write_text("#clock,1,2\n")
    monkeypatch.setattr(exit_status, "_disk_error", lambda folder: "No space left on device")
    run = finish_record(tmp_path, {}, CommandEnd(0, 1), node=0)
    assert (run["status"], run["error"].split(":")[0]) == ("partial", "No space left on device")


@pytest.mark.parametrize(("size", "is_written"), [(10, True), (5000, False)])
def test_the_end_of_a_run_is_written_over_its_start_if_the_disk_is_full(size, is_written, full_disk):
    run_folder.write_run(full_disk, {"status": "running", "error": "x" * 100})
    with contextlib.suppress(OSError), (full_disk / "fill").open("wb", 0) as file:
        while True:
            file.write(bytes(512))
    end = {"status": "partial", "error": "y" * size}
    if is_written:
        run_folder.write_run(full_disk, end)
        assert run_folder.read_run(full_disk)["error"] == "y" * size
    else:
        with pytest.raises(OSError, match="No space left on device"):
            run_folder.write_run(full_disk, end)
        assert run_folder.read_run(full_disk)["status"] == "running"
    assert [path.name for path in full_disk.glob("*.tmp")] == []


def test_an_unwritable_folder_is_named_with_a_remedy(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["run", "--logs", str(tmp_path / "file" / "x"), "--", "true"]) == 1
    assert "cannot be written: Not a directory; use another folder for --logs" in capsys.readouterr().err


def test_a_signal_to_the_whole_group_reaches_the_child_once(script):
    script.write(
        "def on_signal(number, frame): heard.append(number)\n"
        "heard = []; signal.signal(signal.SIGINT, on_signal); print('ready', flush=True)\n"
        "while not heard: threading.Event().wait(0.01)\n"
        "threading.Event().wait(0.3); print(len(heard), flush=True); os._exit(21)"
    )
    child = script.start(launcher=True, start_new_session=True)
    assert child.stdout.readline() == b"ready\n"
    os.kill(child.pid, signal.SIGINT)  # as `timeout` does: first its child, then the group
    os.killpg(child.pid, signal.SIGINT)
    assert child.stdout.readline() == b"1\n"
    assert child.wait(timeout=60) == 21


def test_interrupting_the_group_cancels_the_run(script):
    script.write(
        "recorder = Recorder.start(samples_per_step=4)\nfor _ in recorder.steps(5): pass\n"
        "print('ready', flush=True)\nwhile True: signal.pause()"
    )
    child = script.start(launcher=True, start_new_session=True)
    assert child.stdout.readline() == b"ready\n"
    os.killpg(child.pid, signal.SIGINT)
    assert b"sys.excepthook" not in child.communicate(timeout=60)[1]
    run = run_folder.read_run(script.only_run())
    assert (run["status"], run["error"]) == ("cancelled", "KeyboardInterrupt")


def test_a_command_that_a_closed_terminal_ends_is_cancelled(script):
    script.write("print('ready', os.getpid(), flush=True)\nwhile True: signal.pause()")
    child = script.start(launcher=True, start_new_session=True)
    os.kill(int(child.stdout.readline().split()[1]), signal.SIGHUP)
    child.communicate(timeout=60)
    run = run_folder.read_run(script.only_run())
    assert (run["status"], run["error"]) == ("cancelled", "killed by SIGHUP")


def test_an_ignored_signal_stays_ignored_for_the_child(script):
    script.write("print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)")
    start = "import signal, subprocess, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
    start += "run = [sys.executable, '-S', '-m', 'collectors', 'run', '--logs', 'logs', '--']; "
    start += "subprocess.run([*run, *sys.argv[1:]])"
    command = [sys.executable, "-c", start, sys.executable, "-S", str(script.path)]
    done = subprocess.run(command, cwd=script.folder, env=script.environ, capture_output=True, check=True)
    assert done.stdout == b"True\n"


def test_a_missing_command_is_an_error_and_a_failed_run(tmp_path, capsys):
    assert main(["run", "--logs", str(tmp_path), "--", "/nonexistent/command"]) == 1
    assert "/nonexistent/command" in capsys.readouterr().err
    assert run_folder.read_run(tmp_path / "unnamed" / "r1")["status"] == "failed"


@pytest.mark.parametrize(
    "line",
    [
        ["run", "--logs", "x"],
        ["run", "--logs", "x", "--"],
        ["run", "--logs", "x", "--case", "nothing", "--", "true"],
        ["run", "--logs", "x", "--repeats", "0", "--", "true"],
        ["run", "--", "true"],
        ["walk"],
        [],
    ],
)
def test_a_wrong_command_line_exits_with_2_and_writes_nothing(line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        code = main(line)
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("line", [["--help"], ["run", "--help"]])
def test_help_starts_with_an_example(line, capsys):
    with pytest.raises(SystemExit):
        main(line)
    assert capsys.readouterr().out.startswith("usage: python -m collectors run --logs logs/x --case ")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["run"], "python -m collectors run: error: the following arguments are required: --logs; see "),
        (["watch"], "python -m collectors watch: error: the following arguments are required: FOLDER; see "),
        (["sweep"], "python -m collectors sweep: error: the following arguments are required: FILE; see "),
        (["bench", "nonsense"], "python -m collectors bench: error: argument NAME: invalid choice: "),
    ],
)
def test_a_wrong_command_line_is_one_line(arguments, error, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    text = capsys.readouterr().err
    assert text.startswith(error)
    assert text.count("\n") == 1
    assert text.endswith("--help\n")


def test_ctrl_c_between_two_runs_prints_no_traceback(tmp_path, monkeypatch, capsys):
    def interrupt(campaign):
        raise KeyboardInterrupt

    monkeypatch.setattr(launch, "run_campaign", interrupt)
    assert main(["run", "--logs", str(tmp_path), "--", "true"]) == 130
    assert capsys.readouterr().err == "reportgen: interrupted\n"


def test_an_empty_command_is_an_error(tmp_path, capsys):
    assert main(["run", "--logs", str(tmp_path / "logs"), "--", ""]) == 2
    assert "run: no command; write it after --" in capsys.readouterr().err
    assert not (tmp_path / "logs").exists()
