"""Logs parsed by the workers of a Dask cluster: the same bytes, also if a worker dies half-way."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.core.errors import RequestError
from reportgen.load.scheduler import executor_at
from reportgen.protocol import DEFAULT
from reportgen.report.listing import list_runs
from tests.builders import NVIDIA_SMI_LOG, native_files, write_files

if TYPE_CHECKING:
    from distributed import LocalCluster


@pytest.fixture(scope="module")
def cluster() -> Iterator["LocalCluster"]:
    """A scheduler and three workers on loopback."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=3, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster


@pytest.mark.slow
def test_a_killed_worker_changes_no_byte(cluster: "LocalCluster", tmp_path: Path) -> None:
    files = {f"smi/{number}.log": NVIDIA_SMI_LOG for number in range(260)}
    for number in range(60):
        files |= {
            f"native/r{number}/{name}": text
            for name, text in native_files(number, *range(100, 230 + number)).items()
        }
    write_files(tmp_path, files)
    alone = "".join(list_runs([tmp_path], DEFAULT, root=tmp_path).json_parts())
    victims = [each.pid for each in cluster.workers.values()][:1]

    def kill_one(done: int, total: int) -> None:
        if victims and done < total:
            os.kill(victims.pop(), signal.SIGKILL)

    with executor_at(cluster.scheduler_address) as executor:
        together = list_runs([tmp_path], DEFAULT, root=tmp_path, executor=executor, progress=kill_one)
    assert not victims
    assert "".join(together.json_parts()) == alone


@pytest.mark.parametrize(
    ("address", "fact"),
    [
        ("tcp://127.0.0.1:9", "no scheduler answers at tcp://127.0.0.1:9"),
        ("nonsense", "no scheduler answers"),
    ],
)
def test_a_wrong_scheduler_is_refused(monkeypatch: pytest.MonkeyPatch, address: str, fact: str) -> None:
    monkeypatch.setattr("reportgen.load.scheduler._WAIT_SECONDS", 0.3)
    with pytest.raises(RequestError, match=fact), executor_at(address):
        raise AssertionError
