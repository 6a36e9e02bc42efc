"""Write evidence about training runs into `logs/`, in the format of `logs/FORMAT.md`.

    from collectors import Recorder

Copy this folder to a host and use it there: it needs Python 3.9 and the standard library. torch and NVML are
imported only where they are measured. The package does not depend on `reportgen`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collectors.recorder.recorder import Recorder

__all__ = ["Recorder"]


def __getattr__(name: str) -> Any:
    """Import `Recorder` on first use, so that the commands do not load it."""
    if name != "Recorder":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from collectors.recorder.recorder import Recorder

    globals()[name] = Recorder
    return Recorder
