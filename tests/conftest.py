"""Fixtures of all tests: the corpus, a hostile environment, and the profiles of Hypothesis.

The reason of a skip begins with "corpus absent": .ci/run accepts no other.
"""

import atexit
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.repository import write_repository

ROOT = Path(__file__).parents[1]

# A shell starts background jobs with SIGINT ignored, and nohup starts jobs with SIGHUP ignored. Children inherit
# that, and signals are tested here.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Tests start some hundreds of Python processes. They share byte code, also where the environment forbids to write it,
# and write it to no checkout or fixture.
if "PYTHONPYCACHEPREFIX" not in os.environ:
    _byte_code = tempfile.mkdtemp(prefix="reportgen-byte-code-")
    atexit.register(shutil.rmtree, _byte_code, ignore_errors=True)
    os.environ["PYTHONPYCACHEPREFIX"] = _byte_code
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# No test depends on what the programs of a user, or of another test run, have remembered.
_cache = tempfile.mkdtemp(prefix="reportgen-cache-")
atexit.register(shutil.rmtree, _cache, ignore_errors=True)
os.environ["XDG_CACHE_HOME"] = _cache

# The same examples in every run: a suite that fails at random teaches people to run it again.
settings.register_profile("suite", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("long", deadline=None, max_examples=5000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of other people's logs: $REPORTGEN_CORPUS, else shared/corpus beside the checkout."""
    folder = Path(os.environ.get("REPORTGEN_CORPUS") or ROOT.parent / "shared" / "corpus")
    if not folder.is_dir():
        pytest.skip("corpus absent: set REPORTGEN_CORPUS to its folder")
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one published campaign and one report."""
    return write_repository(tmp_path / "repository")


@pytest.fixture
def hostile_environment() -> dict[str, str]:
    """Environment variables for a child process in which locale, clock and hashing are unusual."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LC_")}
    return {
        **kept,
        "LC_ALL": "tr_TR.UTF-8",
        "LANG": "tr_TR.UTF-8",
        "TZ": "Pacific/Kiritimati",
        "PYTHONHASHSEED": "4711",
        "COLUMNS": "31",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
    }
