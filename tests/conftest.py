"""Fixtures of all tests: the corpus, a hostile environment, and the profiles of Hypothesis.

The reason of a skip begins with "corpus absent": .ci/run accepts no other.
"""

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator
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

# Tests start some hundreds of Python processes. They share byte code, also where the environment forbids to write it.
# It is where it always is: in a folder for the tests alone, all installed packages would be compiled anew too.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Tests run on all cores already. Threads of torch that wait for a core which another test has burn time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# What tests write need not outlast a crash of the machine, and waits for the disk were a tenth of some tests.
os.fsync = lambda file: None

# To look for garbage took a tenth of the time of all tests, and more of their imports.
gc.set_threshold(100_000, 20, 20)

# No test depends on what the programs of a user, or of another test run, have remembered. The processes of a run share
# what they remember: the lists of fonts of matplotlib, and the committed reports, which are checked once.
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="reportgen-cache-")
    atexit.register(shutil.rmtree, os.environ["XDG_CACHE_HOME"], ignore_errors=True)

# The same examples in every run: a suite that fails at random teaches people to run it again. .ci/run takes more.
settings.register_profile("suite", derandomize=True, deadline=None, max_examples=20)
settings.register_profile("thorough", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("long", deadline=None, max_examples=5000)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "suite")
settings.load_profile(PROFILE)
EXAMPLES = settings().max_examples
IS_THOROUGH = PROFILE != "suite"


_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """Run the tests in one process more than there are cores: a tenth of their time they wait for other processes."""
    cores = yield
    return cores + 1


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every second process import the tests from the end: each then loads what the other has compiled."""
    report = yield
    if _WORKER[-1:] in set("13579") and isinstance(collector, pytest.Directory):
        report.result.reverse()
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give all processes the same order."""
    if _WORKER:
        items.sort(key=lambda item: item.path.parts)


def pytest_collection_finish() -> None:
    """Look for no garbage in what was imported."""
    gc.freeze()


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
