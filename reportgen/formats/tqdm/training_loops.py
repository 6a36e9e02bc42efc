"""Which of a log's progress bars are those of training, where their loops begin, what was done in between.

A label says what a loop does; a loop without one is training where nothing else can be meant: it is the only
length of its kind, takes its time, and the log speaks of training. Loops over epochs count no steps. What
another bar counts while training stands still (validation, a download) is work of its own.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.parsing.progress_bars import SHORTEST
from reportgen.formats.parsing.text_log import Records, floats
from reportgen.formats.parsing.timestamps import elapsed

_OTHER = re.compile(
    rb"(?<![a-z])(?:val|valid\w*|eval\w*|test\w*|sanity|predict\w*|infer\w*|generat\w*|sampl\w*|calibrat\w*"
    rb"|warm\w*|datasets?|(?:down)?load\w*|map|mapping|filter\w*|token\w*|extract\w*|(?:pre)?process\w*|comput\w*"
    rb"|encod\w*|cach\w*|scan\w*|pack\w*|truncat\w*|convert\w*|build\w*|creat\w*|collect\w*|index\w*|split"
    rb"|shards?|read\w*|writ\w*|sav\w*)(?![a-z_]| ?loss| ?acc)",
    re.IGNORECASE,
)
_TRAINING = re.compile(rb"train|epoch|iter|step|batch\b|loss", re.IGNORECASE)
_EPOCHS = re.compile(rb"epoch", re.IGNORECASE)
_EPOCH = re.compile(rb"epoch[^0-9a-z]{0,4}([0-9]{1,6})", re.IGNORECASE)
# YOLOv5 and its kin: epoch, memory, losses, and the size of the images before the colon.
_YOLO = re.compile(rb"^([0-9]{1,6})/[0-9]{1,6} +[0-9.]{1,9}[GM] ")
_SPOKEN = re.compile(rb"loss|\btrain|\bepoch", re.IGNORECASE)
# Rates are printed to the hundredth.
_ROUNDING = 0.005
# Nobody trains a step in less; bytes are counted so.
_FASTEST = 1e-3


@dataclass(frozen=True, slots=True)
class Kind:
    """What the label of a training bar says: its word, empty without label; the epoch, -1 where untold."""

    word: bytes
    epoch: int


@lru_cache(maxsize=4096)
def kind(label: bytes) -> Kind | None:
    """Return the kind of a bar of training, None for any other bar."""
    if not label:
        return Kind(b"", -1)
    if yolo := _YOLO.match(label):
        return Kind(b"yolo", int(yolo[1]))
    word, epoch = _TRAINING.search(label), _EPOCH.search(label)
    if not word or _OTHER.search(label) or (not epoch and _EPOCHS.search(label)):
        return None
    return Kind(word[0].lower(), int(epoch[1]) if epoch else -1)


def own(bars: Records, content: bytes) -> IntArray:
    """Return the positions of the bars of training, none where it cannot be told which they are."""
    kinds = [kind(label) for label in bars.columns["label"]]
    words = [one.word for one in kinds if one and one.word]
    if words:
        most = max(dict.fromkeys(words), key=words.count)
        return np.array([i for i, one in enumerate(kinds) if one and one.word == most], dtype=np.int64)
    since, done = elapsed(bars.columns["elapsed"]), bars.integers("done")
    of = bars.integers("of")
    fast = set(of[since + 1 < done * _FASTEST].tolist())
    found = np.array([i for i, one in enumerate(kinds) if one and of[i] not in fast], dtype=np.int64)
    is_told = len(found) and len(set(of[found].tolist())) == 1
    if not is_told or since[found].max() < SHORTEST or not _SPOKEN.search(content):
        return found[:0]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """The bars of training as numbers, one row a bar, in the order of their epochs.

    of      total, 0 where unknown
    rate    iterations/s, NaN where unknown; error  what its rounding may change of it, 0.1 for a tenth
    work    how often any other bar of the log had gone on before this one was drawn
    shown   what stands behind the rate
    """

    epoch: IntArray
    done: IntArray
    of: IntArray
    since: FloatArray
    rate: FloatArray
    error: FloatArray
    work: IntArray
    line: IntArray
    shown: Sequence[bytes | None]

    @classmethod
    def among(cls, bars: Records, positions: IntArray) -> "Draws":
        """Return the draws of the bars at these positions."""
        epoch = np.array([_epoch(bars.columns["label"][i]) for i in positions.tolist()], dtype=np.int64)
        order = np.argsort(epoch, kind="stable")
        at = positions[order]
        its = bars.take(at)
        printed = floats([text if text != b"?" else None for text in its.columns["rate"]])
        is_inverse = np.array([text is not None for text in its.columns["inverse"]], dtype=np.bool_)
        with np.errstate(divide="ignore"):
            rate, error = np.where(is_inverse, 1 / printed, printed), _ROUNDING / printed
        return cls(
            epoch[order],
            its.integers("done"),
            its.integers("of"),
            elapsed(its.columns["elapsed"]),
            rate,
            error,
            _work(bars, at),
            its.line,
            its.columns["shown"],
        )


def _epoch(label: bytes) -> int:
    found = kind(label)
    return found.epoch if found else -1


def _work(bars: Records, own: IntArray) -> IntArray:
    """Return how often other bars had gone on before each of the own ones."""
    went = np.zeros(len(bars), dtype=np.int64)
    last: dict[bytes, bytes] = {}
    others = np.setdiff1d(np.arange(len(bars)), own).tolist()
    for i in others:
        label, done = bars.columns["label"][i] or b"", bars.columns["done"][i] or b""
        went[i] = int(done) > 0 and last.get(label) != done
        last[label] = done
    return went.cumsum()[own]


def loops(draws: Draws) -> list[list[int]]:
    """Return the rows of each loop in which it had gone on, its first row included.

    Processes draw one loop between one another and are not told apart: what falls behind is left out.
    """
    only_closings = bool(((draws.done == draws.of) & (draws.epoch < 0)).all())
    found: list[list[int]] = []
    for i in range(len(draws.done)):
        last = found[-1][-1] if found else -1
        if not found or _begins(draws, last, i) or (only_closings and draws.line[i] > draws.line[last]):
            found.append([i])
        elif draws.done[i] > draws.done[last] and draws.since[i] >= draws.since[last]:
            found[-1].append(i)
    return [rows for n, rows in enumerate(found) if not n or not _is_echo(draws, found[n - 1][-1], rows)]


def _begins(draws: Draws, last: int, i: int) -> bool:
    """Return whether a draw is of another loop than the one before it."""
    if draws.epoch[i] != draws.epoch[last] or draws.of[i] != draws.of[last]:
        return True
    since, before = draws.since[i], draws.since[last]
    is_empty = since == 0 and not np.isfinite(draws.rate[i]) and before > 0
    is_far_back = 2 * since <= before and 2 * draws.done[i] <= draws.done[last] and before > 0
    return bool(is_empty or is_far_back)


def _is_echo(draws: Draws, before: int, rows: Sequence[int]) -> bool:
    """Return whether a loop is only the end of the one before it, drawn once more by another process."""
    first, end = rows[0], rows[-1]
    is_whole = len(rows) == 2 and draws.done[first] == 0 and draws.done[end] == draws.of[end]
    is_same = draws.epoch[end] == draws.epoch[before] and draws.done[end] == draws.done[before]
    return bool(is_whole and is_same and abs(draws.since[end] - draws.since[before]) <= 1)
