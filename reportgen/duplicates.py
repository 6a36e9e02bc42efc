"""Find the same log twice: copied files, or step times that agree to the last bit.

Nobody measures the same ten times twice, so such a "repeat" is a copied or mislabelled log, and would make
an interval look narrower than it is. The later run gets the finding; both are kept.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b

import numpy as np

from reportgen.logfiles import LogFiles
from reportgen.model import STEP, Finding, Run

# Fewer printed times may agree by chance.
_STEPS = 10


def mark_duplicates(files: Sequence[LogFiles], runs: Sequence[Sequence[Run]]) -> Iterator[Run]:
    """Yield all runs in order, those that repeat an earlier one with `read.duplicate-run`.

    files, runs  what was read at once, and the runs read from it
    """
    seen: dict[object, str] = {}
    digests = _digests(files)
    for number, found in enumerate(runs):
        for position, run in enumerate(found):
            bytes_key = (digests[number], position) if number in digests and not _left_nothing(run) else None
            steps_key = _steps_key(run)
            first = seen.get(bytes_key), seen.get(steps_key)
            message = (f"the same bytes as {first[0]}" if bytes_key and first[0]
                       else f"the same step times as {first[1]}" if steps_key and first[1] else "")
            seen.setdefault(bytes_key, run.id)
            seen.setdefault(steps_key, run.id)
            yield _marked(run, message) if message else run


def _left_nothing(run: Run) -> bool:
    """Whether a run ended without a figure: what is left, a header or a description, may well be alike."""
    return run.status != "complete" and not (run.series or run.aggregates or run.telemetry)


def _marked(run: Run, message: str) -> Run:
    finding = Finding("warning", "read.duplicate-run", run.id, message, run.source)
    return replace(run, findings=(*run.findings, finding))


def _steps_key(run: Run) -> bytes | None:
    """Return a digest of the step times of all ranks, None for too few or all alike (a coarse clock)."""
    vectors = [series.value for series in sorted(run.series, key=lambda series: (series.rank, series.clock))
               if series.metric == "step_time" and series.phase == STEP]
    if sum(map(len, vectors)) < _STEPS or len(np.unique(np.concatenate(vectors))) < 2:
        return None
    return blake2b(b"|".join(vector.tobytes() for vector in vectors), digest_size=16).digest()


def _digests(files: Sequence[LogFiles]) -> dict[int, bytes]:
    """Return the digest of those units for which another one has files of the same sizes.

    Only they are read a second time: copies are rare, and sizes cost next to nothing.
    """
    alike: dict[object, list[int]] = defaultdict(list)
    for number, view in enumerate(files):
        try:
            sizes = tuple(view.size(path) for path in view)
        except OSError:
            continue  # it is a finding already
        if sum(sizes):
            alike[sizes].append(number)
    return {number: digest for numbers in alike.values() if len(numbers) > 1
            for number in numbers if (digest := _digest(files[number]))}


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
