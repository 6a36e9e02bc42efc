"""The warm `reportgen` runs what a fresh process runs."""

import subprocess
from pathlib import Path

import pytest

from reportgen import load
from tests import warm


@pytest.mark.slow
def test_a_command_may_start_processes_of_its_own(tmp_path: Path) -> None:
    for number in range(load._POOL_FILES + 1):
        (tmp_path / f"{number}.log").write_text("nothing to read\n")
    line = f"{warm.program()} runs --no-cache ."
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert f"{load._POOL_FILES + 1} files skipped" in done.stderr + done.stdout
