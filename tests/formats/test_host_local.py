"""Values that a launcher prints about one host or one process are not values of the job."""

from reportgen.core.model import Factors, Run
from tests.builders import read_all
from tests.each_of import each_of
from tests.formats.valid_logs import VALID_LOGS

HOST_LOCAL = [
    b"LOCAL_WORLD_SIZE=3\n",
    b"LOCAL_WORLD_SIZE: 3\n",
    b"  local_world_size .............. 3\n",
    b"local_world_size = 3\n",
    b"GROUP_WORLD_SIZE=3\n",
    b"OMPI_COMM_WORLD_LOCAL_SIZE=3\n",
    b"export SLURM_GPUS_ON_NODE=3\n",
    b"torch.cuda.device_count() = 3\n",
    b"PARAMETER local_world_size : 3\n",
    b"[config.py:1:print]   local_world_size ... 3\n",
]
# Logs of lines in one file: other texts may be between them.
LOGS = {
    name: (path, content)
    for name, files in VALID_LOGS.items()
    if len(files) == 1 and name not in ("custom", "table")  # they need settings
    for path, content in files.items()
    if content[:1] not in b"{[" and path.endswith((".log", ".txt"))
}


def factors(name: str, path: str, content: bytes) -> list[Factors]:
    return [run.factors for run in read_all(name, content, path) if isinstance(run, Run)]


@each_of(LOGS)
def test_values_of_one_host_are_not_devices(name: str) -> None:
    path, content = LOGS[name]
    expected = factors(name, path, content)
    for line in HOST_LOCAL:
        assert factors(name, path, line + content) == expected
        assert factors(name, path, content + line) == expected
