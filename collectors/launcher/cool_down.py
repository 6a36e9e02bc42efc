"""Pause before a run until the GPUs are about as cool as before the first run of the campaign.

A run that follows a long one on a hot GPU has lower clocks than the same run on a cool one. In an order that
is drawn, this favours no case, but it adds to the spread. A pause has a limit, because the first run may have
begun on a GPU that had not worked for hours. After a pause that reaches it, the
temperature at its end takes the place of that before the first run. Each run records its temperature at the
start and its pause.
"""

import time
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Optional

from collectors.messages import warn

BAND_CELSIUS = 5  # a run may begin on a GPU that is so much warmer than before the first run
_POLL_SECONDS = 1.0
TEMPERATURE, PAUSE = "start_temperature_celsius", "cool_down_ns"  # members of run.json


class CoolDown:
    """Waits before each run.

    limit      s that a pause lasts at most
    reference  temperature before the first run, in degrees C; None: that of the first call
    read       returns the temperature now, None if it is unknown
    """

    def __init__(
        self,
        limit: float,
        reference: Optional[int],
        read: Callable[[], Optional[int]],
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._limit = limit
        self._reference = reference
        self._read = read
        self._now = now
        self._sleep = sleep
        self._has_warned = False

    def wait(self) -> dict[str, int]:
        """Wait until the GPUs are cool or the limit is reached; return the members of run.json."""
        begin = self._now()
        temperature = self._read()
        if temperature is None:
            self._warn_once()
            return {}
        if self._reference is None:
            self._reference = temperature
        highest = self._reference + BAND_CELSIUS
        while temperature is not None and temperature > highest and self._now() - begin < self._limit:
            self._sleep(_POLL_SECONDS)
            temperature = self._read()
        pause = self._now() - begin
        if temperature is None:
            return {PAUSE: round(pause * 1e9)}
        if temperature > highest:
            fact = f"{temperature} degrees C after {pause:.0f} s, {self._reference} before the first run"
            warn(f"the GPU has {fact}; later runs wait for {temperature + BAND_CELSIUS}")
            self._reference = temperature
        return {TEMPERATURE: temperature, PAUSE: round(pause * 1e9)}

    def _warn_once(self) -> None:
        if not self._has_warned:
            warn("no temperature of a GPU can be read: runs begin without a pause; see doctor")
        self._has_warned = True


def first_temperature(runs: Iterable[Mapping[str, Any]]) -> Optional[int]:
    """Return the temperature before the first of these runs (`run.json`) that has one."""
    known = [
        (run["started_realtime_ns"], run[TEMPERATURE])
        for run in runs
        if isinstance(run.get(TEMPERATURE), int) and isinstance(run.get("started_realtime_ns"), int)
    ]
    return min(known)[1] if known else None


def pause_of(run: Mapping[str, Any]) -> int:
    """Return the ns that a run (`run.json`) was paused for before it began."""
    pause = run.get(PAUSE)
    return pause if isinstance(pause, int) else 0
