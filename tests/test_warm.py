"""The warm `reportgen` and the warm Python run what a fresh process runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from reportgen import load
from tests import warm

pytestmark = pytest.mark.slow

SCRIPT = """\
import atexit, json, os, sys
atexit.register(print, "at exit")
print(json.dumps([sys.argv[1:], sys.path[0], __name__, os.environ["MINE"], os.getcwd(), sys.stdin.read()]))
sys.excepthook = lambda kind, error, trace: print(kind.__name__)
if sys.argv[1] == "raises":
    raise ValueError
sys.exit(int(sys.argv[1]))
"""


def test_a_command_may_start_processes_of_its_own(tmp_path: Path) -> None:
    for number in range(load._POOL_FILES + 1):
        (tmp_path / f"{number}.log").write_text("nothing to read\n")
    line = f"{warm.program()} runs --no-cache ."
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert f"{load._POOL_FILES + 1} files skipped" in done.stderr + done.stdout


def test_a_script_sees_and_prints_what_it_does_in_a_fresh_python(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "script.py").write_text(SCRIPT)
    commands = [["a/script.py", "3"], ["-u", "a/script.py", "raises"], ["-m", "a.script", "0", "-u"]]

    def results(python: str) -> list[tuple[int, str, str]]:
        ends = [
            subprocess.run(
                [python, *command],
                cwd=tmp_path,
                env={"MINE": "x"},
                input="in",
                capture_output=True,
                text=True,
            )
            for command in commands
        ]
        return [(end.returncode, end.stdout, end.stderr) for end in ends]

    with warm.python() as python:
        assert results(python) == results(sys.executable)


def test_a_script_starts_warm_ones_and_all_end_with_the_context(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import subprocess, sys, time\n"
        "if sys.argv[1:]:\n    print('pytest' in sys.modules, flush=True)\n    time.sleep(600)\n"
        "subprocess.run([sys.executable, __file__, 'again'])\n"
    )
    with warm.python() as python:
        child = subprocess.Popen([python, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "True\n"
    assert child.communicate(timeout=60)[0] == ""  # ends when the last process that has the pipe does
    assert child.returncode != 0
