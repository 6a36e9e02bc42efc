"""Find the same log twice: copied files, or step times with at least half of them equal to the last bit.

Equal step times in another order are a copy, too. Real repeats never agree to the last bit, so such a
"repeat" is a copied or mislabelled log, and would make an interval look narrower than it is. The later run
gets the finding; both are kept. Runs are compared by fingerprints taken where they are read, so that their
steps need not be in this process.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from reportgen.core.model import STEP, Finding, FloatArray, Run, Source
from reportgen.core.rules import Rule
from reportgen.load.same_time import Stay, stay_of
from reportgen.sources.logfiles import HEAD, LogFiles

# Fewer printed times may agree by chance.
_MIN_STEPS = 10
# A copy with some changed digits still has most of its blocks of step times in common with the original.
_BLOCK_STEPS = 10
_MAX_BLOCKS = 24
_MIN_BLOCKS = 2
_DIGEST_BYTES = 8
# Blocks with fewer different values may agree by chance, where times are printed with few digits.
_MIN_DIFFERENT = 8
# In any order, more must differ: how often each of a few values occurs may agree by chance.
_MIN_UNORDERED, _MAX_COUNTED = 20, 10_000
# Odd numbers with about as many ones as zeros: products with them differ in all bits.
_MIXERS, _SHIFT = (np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0xC2B2_AE3D_27D4_EB4F)), np.uint64(29)
_MIN_SHARED = 0.5
_END_BYTES = 256


class RunFingerprint(NamedTuple):
    """The traits by which a run is recognised that occurs twice.

    steps      digest of the step times; None if there are too few or all are equal (a coarse clock)
    unordered  digest of the step times without their order; None if too few of them differ
    blocks     digests of blocks of step times with their positions, joined
    is_empty   True for a failed run without data: equal bytes are then no sign of a copy
    stay       when it was where, to find others at the same time
    """

    id: str
    source: Source
    steps: bytes | None
    unordered: bytes | None
    blocks: bytes
    is_empty: bool
    stay: Stay | None


def fingerprint_run(run: Run) -> RunFingerprint:
    """Return the fingerprint of a run."""
    is_empty = run.status != "complete" and not (run.series or run.aggregates or run.telemetry)
    vectors = _step_times(run)
    digests = _digest_steps(vectors), _digest_unordered(vectors), _digest_blocks(vectors)
    return RunFingerprint(run.id, run.source, *digests, is_empty, stay_of(run))


def fingerprint_files(files: LogFiles) -> bytes | None:
    """Return what files share with their copies; None if they are empty or cannot be read.

    A digest of the size and the last bytes of each is cheap to take. Only files with equal fingerprints are
    compared by their bytes.
    """
    digest, total = blake2b(digest_size=16), 0
    try:
        for path in files:
            size = files.size(path)
            end = files.head(path)[-_END_BYTES:] if size <= HEAD else files.end(path, _END_BYTES)
            digest.update(b"%d %d|%b" % (size, len(end), end))
            total += size
    except OSError:
        return None  # reported when the files were read
    return digest.digest() if total else None


def digest_files(files: LogFiles) -> bytes | None:
    """Return a digest of the contents in the order of the names; the names themselves do not count."""
    digest = blake2b(digest_size=16)
    try:
        for path in files:
            digest.update(files.bytes(path))
            digest.update(b"|")
    except OSError:
        return None
    return digest.digest()


def find_duplicates(
    prints: Sequence[bytes | None],
    runs: Sequence[Sequence[RunFingerprint]],
    digest: Callable[[int], bytes | None],
) -> Iterator[tuple[int, int, Finding]]:
    """Yield (number, position, `read.duplicate-run`) of each run that repeats an earlier one.

    prints  fingerprints of what was parsed at once; runs  fingerprints of the runs in each
    digest  number -> digest of the contents; called only where fingerprints are equal
    """
    first_ids: dict[object, str] = {}
    first_blocks: dict[bytes, str] = {}
    repeated = _repeated_blocks(run.blocks for fingerprints in runs for run in fingerprints)
    digests = _digest_equals(prints, digest)
    for number, fingerprints in enumerate(runs):
        for position, run in enumerate(fingerprints):
            content = (digests[number], position) if number in digests and not run.is_empty else None
            keys = (content, run.steps, run.unordered)
            same_content, same_steps, same_unordered = map(first_ids.get, keys)
            message = ""
            if content and same_content:
                message = f"the same bytes as {same_content}"
            elif run.steps and same_steps:
                message = f"the same step times as {same_steps}"
            elif run.unordered and same_unordered:
                message = f"the same step times as {same_unordered}, in another order"
            elif shared := _shared_blocks(run, first_blocks):
                message = shared
            for block in repeated.intersection(_blocks_of(run)) if repeated else ():
                first_blocks.setdefault(block, run.id)
            for key in keys:
                first_ids.setdefault(key, run.id)
            if message:
                finding = Finding("warning", Rule.READ_DUPLICATE_RUN, run.id, message, run.source)
                yield number, position, finding


def _blocks_of(run: RunFingerprint) -> list[bytes]:
    return [run.blocks[at : at + _DIGEST_BYTES] for at in range(0, len(run.blocks), _DIGEST_BYTES)]


def _repeated_blocks(blocks: Iterable[bytes]) -> set[bytes]:
    """Return the digests that occur several times: of many runs, hardly one."""
    digests, counts = np.unique(np.frombuffer(b"".join(blocks), f"V{_DIGEST_BYTES}"), return_counts=True)
    return set(digests[counts > 1].tolist())


def _shared_blocks(run: RunFingerprint, first_blocks: Mapping[bytes, str]) -> str:
    """Return what a run has in common with an earlier one, "" if that is less than half of its blocks."""
    if not first_blocks:
        return ""
    blocks = _blocks_of(run)
    owners = Counter(first_blocks[block] for block in blocks if block in first_blocks)
    if len(blocks) < _MIN_BLOCKS or not owners:
        return ""
    other, count = owners.most_common(1)[0]
    if count < _MIN_SHARED * len(blocks):
        return ""
    return f"{count} of {len(blocks)} blocks of {_BLOCK_STEPS} step times are the same as in {other}"


def _step_times(run: Run) -> list[FloatArray]:
    return [
        series.value
        for series in sorted(run.series, key=lambda series: (series.rank, series.clock))
        if series.metric == "step_time" and series.phase == STEP
    ]


def _digest_blocks(vectors: Sequence[FloatArray]) -> bytes:
    """Return digests of the first blocks whose step times differ enough to identify a log."""
    digests: list[bytes] = []
    for number, vector in enumerate(vectors):
        blocks = vector[: len(vector) // _BLOCK_STEPS * _BLOCK_STEPS].reshape(-1, _BLOCK_STEPS)
        ordered = np.sort(blocks, axis=1)
        different = 1 + np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)
        usable = (different >= _MIN_DIFFERENT) & np.isfinite(blocks).all(axis=1)
        for at in np.flatnonzero(usable)[: _MAX_BLOCKS - len(digests)].tolist():
            place = b"%d %d|" % (number, at * _BLOCK_STEPS)
            digests.append(blake2b(place + blocks[at].tobytes(), digest_size=_DIGEST_BYTES).digest())
    return b"".join(digests)


def _digest_steps(vectors: Sequence[FloatArray]) -> bytes | None:
    if sum(map(len, vectors)) < _MIN_STEPS:
        return None
    joined = np.concatenate(vectors) if len(vectors) > 1 else vectors[0]
    if (joined == joined[0]).all() or np.isnan(joined).all():
        return None
    return blake2b(b"|".join(vector.tobytes() for vector in vectors), digest_size=16).digest()


def _digest_unordered(vectors: Sequence[FloatArray]) -> bytes | None:
    if sum(map(len, vectors)) < _MIN_UNORDERED:
        return None
    times = np.concatenate(vectors)
    if len(np.unique(times[:_MAX_COUNTED])) < _MIN_UNORDERED:
        return None
    # Mixed bits of each time, added up: sorting a million steps would take ten times as long.
    bits = times.view(np.uint64) * _MIXERS[0]
    bits ^= bits >> _SHIFT
    return b"unordered|%d|%d" % (len(times), int((bits * _MIXERS[1]).sum()))


def _digest_equals(prints: Sequence[bytes | None], digest: Callable[[int], bytes | None]) -> dict[int, bytes]:
    """Return the digests of what shares its fingerprint; nothing else is read a second time."""
    groups: dict[bytes, list[int]] = defaultdict(list)
    for number, fingerprint in enumerate(prints):
        if fingerprint:
            groups[fingerprint].append(number)
    return {
        number: content
        for numbers in groups.values()
        if len(numbers) > 1
        for number in numbers
        if (content := digest(number))
    }
