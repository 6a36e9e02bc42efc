"""Refuse pickled results and say why: opening them runs whatever code they contain.

Only pickles that name a benchmark program are claimed (torch.utils.benchmark, optimum_benchmark, TorchBench,
SuperBench); checkpoints and the like are not results and need no finding.
"""

from reportgen.formats.base import Claim, Format, Results
from reportgen.sources.logfiles import LogFiles, unreadable

_STARTS = tuple(bytes([0x80, protocol]) for protocol in range(2, 6))
_PROGRAMS = (b"torch.utils.benchmark", b"optimum_benchmark", b"torchbenchmark", b"superbench")


def claims(files: LogFiles) -> Claim | None:
    """Claim a pickle that names a benchmark program in its first 64 KiB."""
    head = files.head(files.path)
    name = next((name for name in _PROGRAMS if name in head), None) if head.startswith(_STARTS) else None
    return None if name is None else Claim.of_file(files, 1.0, f"a pickle that names {name.decode()}")


def read(files: LogFiles) -> Results:
    """Yield the finding that says why the file is not read."""
    reason = (
        "it is pickled, and unpickling runs whatever code it contains; have the benchmark write JSON or text"
    )
    yield unreadable(files.source(files.path), reason)


FORMAT = Format(
    "pickled",
    "Pickled benchmark results: recognised and refused, because unpickling runs code.",
    claims,
    read,
    marks=_PROGRAMS,
)
