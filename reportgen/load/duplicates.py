"""Find the same log twice: copied files, or step times that agree to the last bit.

Nobody measures the same ten times twice, so such a "repeat" is a copied or mislabelled log, and would make
an interval look narrower than it is. The later run gets the finding; both are kept. Runs are compared by
the traces that they leave where they are read, so that their steps need not be at hand.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from reportgen.core.model import STEP, Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.sources.logfiles import HEAD, LogFiles

# Fewer printed times may agree by chance.
_STEPS = 10
_END = 256

Print = tuple[object, ...] | None


class Trace(NamedTuple):
    """What is needed of a run to find it a second time.

    steps       digest of the step times, None for too few or all alike (a coarse clock)
    is_nothing  whether it ended without a figure: what is left, a description, may well be alike
    """

    id: str
    source: Source
    steps: bytes | None
    is_nothing: bool


def trace(run: Run) -> Trace:
    """Return the trace of a run."""
    left_nothing = run.status != "complete" and not (run.series or run.aggregates or run.telemetry)
    return Trace(run.id, run.source, _steps(run), left_nothing)


def print_of(files: LogFiles) -> Print:
    """Return what the same files read elsewhere have too: sizes, and the end of the head; None for nothing.

    It costs next to nothing, and copies are rare: only files of one print are compared by their bytes.
    """
    try:
        found = tuple(
            (size, files.head(path)[-_END:] if size <= HEAD else b"")
            for path in files
            for size in (files.size(path),)
        )
    except OSError:
        return None  # it is a finding already
    return found if any(size for size, _ in found) else None


def duplicates(
    prints: Sequence[Print], traces: Sequence[Sequence[Trace]], files: Callable[[int], LogFiles]
) -> Iterator[tuple[int, int, Finding]]:
    """Yield (number, position, `read.duplicate-run`) of each run that repeats an earlier one.

    prints, traces  of what was read at once, and of the runs in it
    files           number -> what was read
    """
    seen: dict[object, str] = {}
    digests = _digests(prints, files)
    for number, found in enumerate(traces):
        for position, run in enumerate(found):
            bytes_key = (digests[number], position) if number in digests and not run.is_nothing else None
            first = seen.get(bytes_key), seen.get(run.steps)
            message = (
                f"the same bytes as {first[0]}"
                if bytes_key and first[0]
                else f"the same step times as {first[1]}"
                if run.steps and first[1]
                else ""
            )
            seen.setdefault(bytes_key, run.id)
            seen.setdefault(run.steps, run.id)
            if message:
                yield (
                    number,
                    position,
                    Finding("warning", Rule.READ_DUPLICATE_RUN, run.id, message, run.source),
                )


def _steps(run: Run) -> bytes | None:
    vectors = [
        series.value
        for series in sorted(run.series, key=lambda series: (series.rank, series.clock))
        if series.metric == "step_time" and series.phase == STEP
    ]
    if sum(map(len, vectors)) < _STEPS:
        return None
    joined = np.concatenate(vectors) if len(vectors) > 1 else vectors[0]
    if (joined == joined[0]).all() or np.isnan(joined).all():
        return None
    return blake2b(b"|".join(vector.tobytes() for vector in vectors), digest_size=16).digest()


def _digests(prints: Sequence[Print], files: Callable[[int], LogFiles]) -> dict[int, bytes]:
    """Return the digests of what has the print of something else; nothing else is read a second time."""
    alike: dict[object, list[int]] = defaultdict(list)
    for number, found in enumerate(prints):
        if found:
            alike[found].append(number)
    return {
        number: digest
        for numbers in alike.values()
        if len(numbers) > 1
        for number in numbers
        if (digest := _digest(files(number)))
    }


def _digest(files: LogFiles) -> bytes | None:
    """Return a digest of the contents in the order of the names, which themselves do not count."""
    digest = blake2b(digest_size=16)
    try:
        for path in files:
            digest.update(files.bytes(path))
            digest.update(b"|")
    except OSError:
        return None
    return digest.digest()
