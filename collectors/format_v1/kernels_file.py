"""Write `kernels.rank<R>.csv`: what a profiler saw in some steps of a rank, by the phase that launched it."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

_MAX_NAME_CHARS = 500


class PhaseSpan(NamedTuple):
    """A phase of a step; ns of the clock of the profiler."""

    phase: str
    begin: int
    end: int


class Kernel(NamedTuple):
    """A kernel or an operator: when the host launched it, and how long it took, in ns."""

    name: str
    launched: int
    duration: int


def write_kernels(
    folder: Path, rank: int, spans: Sequence[PhaseSpan], kernels: Iterable[Kernel], clock: str
) -> None:
    """Write the totals of each kernel in each phase, the longest first; raises OSError.

    spans  may be nested; a kernel belongs to the innermost one in which it was launched, by any thread
    clock  "device", or "host" for operators of the CPU
    """
    totals: dict[tuple[str, str], list[int]] = {}
    starting = sorted(spans, key=lambda span: span.begin)
    open_spans: list[PhaseSpan] = []
    next_span = 0
    for kernel in sorted(kernels, key=lambda kernel: kernel.launched):
        while next_span < len(starting) and starting[next_span].begin <= kernel.launched:
            open_spans.append(starting[next_span])
            next_span += 1
        while open_spans and open_spans[-1].end < kernel.launched:
            open_spans.pop()
        phase = open_spans[-1].phase if open_spans else ""
        total = totals.setdefault((phase, " ".join(kernel.name.split())[:_MAX_NAME_CHARS]), [0, 0])
        total[0] += 1
        total[1] += kernel.duration
    rows = sorted(totals.items(), key=lambda entry: (entry[0][0], -entry[1][1], entry[0][1]))
    lines = [f"phase,count,{clock}_ns,name"]
    lines += [f"{phase},{count},{duration},{name}" for (phase, name), (count, duration) in rows]
    text = "\n".join(lines) + "\n"
    (folder / f"kernels.rank{rank}.csv").write_bytes(text.encode("utf-8", "backslashreplace"))
