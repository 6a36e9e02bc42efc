"""Convert the timestamps of log lines in bulk: whole dates, and times without date or year as seconds.

The texts are of one kind and in the order of the log; the result is seconds on one growing clock. If the date
is missing, a time of day that goes back by more than half a day marks a midnight; if the year is missing, the
new year is found in the same way. Time zones are unknown: a change to summer time is a jump of an hour.

`WallTime` is when a run began. Only times in UTC, or with a time zone, can be compared between logs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FloatArray, IntArray

DAY = 86400.0
# Lines of several processes may be slightly out of order. A jump forward of nearly a day after a midnight is
# a late line from before it.
_NEARLY_A_DAY = DAY - 3600.0
_DAYS_BEFORE_MONTH = np.array([0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334])
# In a file without line ends, bytes further away do not belong to the record.
_MAX_PREFIX_BYTES = 2000
# Above 500 items NumPy 2 releases the GIL, and crashes when it then converts a text that is not a date.
_MAX_BATCH = 500


# A machine whose clock was never set begins in 1970. No benchmark of a GPU is older than this (2000-01-01).
_EARLIEST, _LATEST = 946_684_800.0, 4_102_444_800.0
_WALL_TIME = lazy_pattern(
    rb"([0-9]{4})[-/]([0-9]{2})[-/]([0-9]{2})[ T]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:[.,]([0-9]{1,6}))?[0-9]{0,3}"
    rb" ?(Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?(?![0-9:])"
)


@dataclass(frozen=True, slots=True)
class WallTime:
    """A time of day and date: s since 1970, by UTC or by the clock of a machine in an unknown time zone."""

    seconds: float
    is_utc: bool


def utc(seconds: float) -> WallTime | None:
    """Return a time in s since 1970, None if it is none that a clock can show."""
    return WallTime(seconds, is_utc=True) if _EARLIEST <= seconds < _LATEST else None


def wall_time(text: bytes) -> WallTime | None:
    """Return the last date with a time in a text, None without one."""
    matches = list(_WALL_TIME.finditer(text))
    if not matches:
        return None
    year, month, day, clock, fraction, zone = matches[-1].groups()
    iso = b"%s-%s-%sT%s.%s" % (year, month, day, clock, (fraction or b"0").ljust(6, b"0"))
    offset = b"+00:00" if zone in (None, b"Z", b"UTC", b"GMT") else zone
    try:
        moment = datetime.fromisoformat((iso + (offset or b"")).decode("ascii"))
    except ValueError:
        return None
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
    return WallTime(seconds, is_utc=zone is not None) if utc(seconds) else None


def moments(texts: Sequence[bytes]) -> NDArray[np.datetime64]:
    """Return ISO dates with a time, at least one and all of one length, in us; NaT for other texts."""
    batches = [_moments(texts[start : start + _MAX_BATCH]) for start in range(0, len(texts), _MAX_BATCH)]
    return np.concatenate(batches) if len(batches) > 1 else batches[0]


def _moments(texts: Sequence[bytes]) -> NDArray[np.datetime64]:
    try:
        return np.array(texts).astype("M8[us]")
    except ValueError:
        return np.array([_moment(text) for text in texts])


def _moment(text: bytes) -> np.datetime64:
    try:
        return np.datetime64(text.decode("ascii", "replace"), "us")
    except ValueError:
        return np.datetime64("NaT", "us")


def of_day(texts: Sequence[bytes]) -> FloatArray:
    """Return seconds since the first midnight of times of day: `HH:MM:SS`, a fraction after `.` or `,`."""
    seconds = _seconds_of_day(texts)
    change = np.diff(seconds, prepend=seconds[:1])
    days = np.cumsum(change < -DAY / 2)
    late = (change > _NEARLY_A_DAY) & (days > 0)
    if late.any():
        days = np.maximum(days - np.cumsum(late), 0)
    result: FloatArray = seconds + days * DAY
    return result


def of_month_and_day(texts: Sequence[bytes]) -> FloatArray:
    """Return seconds since the first midnight of glog's `MMDD HH:MM:SS.ffffff`, which has no year.

    A 29th of February makes it a leap year; from December to January a year passes.
    """
    month, day = (_integers(texts, at) for at in (0, 2))
    number = _DAYS_BEFORE_MONTH[np.clip(month, 0, 12)] + day
    has_leap_day = bool(((month == 2) & (day == 29)).any())
    number += (has_leap_day & (month > 2)).astype(np.int64)
    years = np.cumsum(np.diff(number, prepend=number[:1]) < -365 // 2)
    number += years * (365 + has_leap_day)
    return (number - number[:1]) * DAY + _seconds_of_day([text[5:] for text in texts])


def elapsed(texts: Sequence[bytes | None]) -> FloatArray:
    """Return durations in s: `8:07`, `1:08:07`, `2 days, 1:08:07.5`; 0 for None."""
    return np.array([_duration(text or b"0") for text in texts], dtype=np.float64)


def _duration(text: bytes) -> float:
    days, _, clock = text.rpartition(b", ")
    parts = [float(part or 0) for part in clock.split(b":")]
    whole = int(days.partition(b" ")[0] or 0)
    return whole * DAY + sum(part * 60.0**i for i, part in enumerate(reversed(parts)))


def before(content: bytes, begins: IntArray, pattern: re.Pattern[bytes]) -> list[bytes] | None:
    """Return what group 1 of a pattern matches in each line before the record in it.

    returns  one text per record, None unless every record has one
    """
    texts = []
    for begin in begins.tolist():
        start = max(begin - _MAX_PREFIX_BYTES, 0)
        line = max(content.rfind(b"\n", start, begin), content.rfind(b"\r", start, begin), start - 1) + 1
        match = pattern.search(content, line, begin)
        if not match:
            return None
        texts.append(match[1])
    return texts


def _seconds_of_day(texts: Sequence[bytes]) -> FloatArray:
    hours, minutes = (_integers(texts, at) for at in (0, 3))
    seconds = np.array([text[6:].replace(b",", b".") or b"nan" for text in texts], dtype=bytes)
    result: FloatArray = hours * 3600.0 + minutes * 60.0 + seconds.astype(np.float64)
    return result


def _integers(texts: Sequence[bytes], at: int) -> IntArray:
    return np.array([text[at : at + 2] for text in texts], dtype=bytes).astype(np.int64)
