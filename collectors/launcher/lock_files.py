"""Keep a file for each GPU whose settings a launcher has changed, so that they can be restored after a kill.

The files are in `reportgen/locked` below $XDG_STATE_HOME (default: ~/.local/state), named by the UUID of the
GPU. A file is written before the setting is changed and removed after it is restored. So a launcher that dies
in between leaves a file that restores too much, never too little.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Optional, Union

from collectors.launcher.claims import is_living, process_namespace


@dataclass(frozen=True)
class LockRecord:
    """The settings of a GPU that a launcher has changed.

    clock            MHz, or "base"; None: not locked
    power_limit      mW; None: not changed
    previous_limit   mW, the power limit to restore
    process          id of the launcher, in `namespace`
    """

    uuid: str
    clock: Union[int, str, None] = None
    power_limit: Optional[int] = None
    previous_limit: Optional[int] = None
    process: int = field(default_factory=os.getpid)
    namespace: str = field(default_factory=process_namespace)

    @property
    def is_held(self) -> bool:
        """Whether the launcher may still run."""
        return self.namespace == process_namespace() and is_living(self.process)

    @property
    def text(self) -> str:
        """The settings in words."""
        clock = f"SM clock at {self.clock}{'' if self.clock == 'base' else ' MHz'}"
        power = f"power limit at {(self.power_limit or 0) / 1000:g} W"
        return " and ".join([clock] * (self.clock is not None) + [power] * (self.power_limit is not None))


def read_records() -> list[LockRecord]:
    """Return the records of all GPUs; an unreadable one was being created, and no setting was changed yet."""
    return [_read(path) for path in sorted(_folder().glob("*.json"))]


def _read(path: Path) -> LockRecord:
    try:
        return LockRecord(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return LockRecord(path.stem, process=0, namespace="unknown")


def create_record(record: LockRecord) -> None:
    """Create the record of a GPU; raises OSError, FileExistsError if there is one."""
    path = _path(record.uuid)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8") as file:
        file.write(json.dumps(asdict(record)) + "\n")


def replace_record(record: LockRecord) -> None:
    """Replace the record of a GPU, on the disk when this returns; raises OSError."""
    path = _path(record.uuid)
    temporary = path.with_suffix(".tmp")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(json.dumps(asdict(record)) + "\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def remove_record(uuid: str) -> None:
    """Remove the record of a GPU, if there is one; raises OSError."""
    with suppress(FileNotFoundError):
        _path(uuid).unlink()


def _path(uuid: str) -> Path:
    return _folder() / f"{uuid}.json"


def _folder() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path("~/.local/state").expanduser()
    return Path(state, "reportgen", "locked")
