"""Refuse pickled results with a reason: to open them is to run whatever code they contain.

Only pickles that name a benchmark program are claimed (torch.utils.benchmark, optimum_benchmark, timm
results); checkpoints and the like are no results, and nobody needs to be told that they were not read.
"""

from collections.abc import Iterator

from reportgen.core.model import Finding, Run
from reportgen.formats.base import Claim, Format
from reportgen.sources.logfiles import LogFiles, unreadable

_NAME = "pickled"
_STARTS = tuple(bytes([0x80, protocol]) for protocol in range(2, 6))
_NAMES = (b"torch.utils.benchmark", b"optimum_benchmark", b"torchbenchmark", b"superbench")


def claims(files: LogFiles) -> Claim | None:
    """Claim a pickle in whose first 64 KiB a benchmark program is named."""
    if files.is_folder:
        return None
    head = files.head(files.path)
    name = next((name for name in _NAMES if name in head), None) if head.startswith(_STARTS) else None
    if name is None:
        return None
    return Claim(1.0, files.source(files.path), f"a pickle that names {name.decode()}", (files.path,))


def read(files: LogFiles) -> Iterator[Run | Finding]:
    """Yield the finding that says why the file is not read."""
    reason = "pickled, and unpickling runs whatever code is in it; have the benchmark write JSON or text"
    yield unreadable(files.source(files.path), reason)


FORMAT = Format(
    _NAME,
    "Pickled benchmark results: recognised and refused, because unpickling runs code.",
    claims,
    read,
    marks=_NAMES,
)
