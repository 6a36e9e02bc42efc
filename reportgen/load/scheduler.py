"""Parse logs on other machines: the executor of a Dask scheduler, in place of the pool of processes.

Dask distributes batches, repeats those of workers that died, and starts workers on one machine, Slurm or
Kubernetes; nothing of this is ours. The workers need the same version of reportgen, and the logs under the
same paths, as on a shared file system.
"""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from reportgen.core.errors import RequestError

OPTION = "--scheduler"
# Of a batch whose worker died.
_RETRIES = 3
_WAIT_SECONDS = 10


@contextmanager
def executor_at(address: str) -> Iterator[Executor]:
    """Open the executor of a scheduler, such as "tcp://host:8786". Raises RequestError where that fails."""
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise RequestError(OPTION, "needs Dask", 'pip install "reportgen-bench[dask]"') from None
    try:
        client: Any = Client(address, timeout=_WAIT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        fact = f"no scheduler answers at {address}: {' '.join(str(error).split())[:200]}"
        raise RequestError(OPTION, fact, "check the address, as `dask scheduler` prints it") from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise RequestError(OPTION, f"{address} has no workers", f"start some: dask worker {address}")
        try:
            yield client.get_executor(retries=_RETRIES, pure=False)
        except KilledWorker:
            fact = f"a batch of logs was lost with {_RETRIES + 1} workers in turn"
            raise RequestError(OPTION, fact, "look at the logs and the memory of the workers") from None
