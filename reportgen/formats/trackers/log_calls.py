"""Collect the points of metrics from calls of W&B's `log()`: objects with `_step`, `_timestamp` and values.

The step is that of a metric `global_step` if there is one. W&B's own `_step` counts calls of `log()`: then
the times between points are not those of steps.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reportgen.core.model import Source
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.json_values import number
from reportgen.formats.trackers.logged_metrics import MetricPoints, is_needed

_STEPS = ("train/global_step", "trainer/global_step", "global_step")
_MAX_NAMES = 10_000


@dataclass(slots=True)
class LogCalls:
    """The points of the metrics that say something about speed, and the time of the first call."""

    rows: dict[str, list[tuple[int, float, float, int]]] = field(default_factory=dict)
    begin: float = math.nan
    _needed: dict[str, bool] = field(default_factory=dict)

    def add(self, items: Mapping[str, Any], line: int = 0) -> None:
        """Add the points of one call."""
        stamp = number(items.get("_timestamp"))
        self.begin = min(self.begin, stamp, key=lambda time: time if math.isfinite(time) else math.inf)
        own = next(
            (step for name in _STEPS if (step := json_values.whole(items.get(name))) is not None), None
        )
        step = json_values.whole(items.get("_step")) if own is None else own
        if step is None:
            return
        for name, value in items.items():
            if name not in self._needed and len(self._needed) < _MAX_NAMES:
                self._needed[name] = is_needed(name)
            if self._needed.get(name) and json_values.is_number(value):
                time = stamp if own is not None else math.nan
                self.rows.setdefault(name, []).append((step, time, float(value), line))

    def metrics(self, source: Source) -> dict[str, MetricPoints]:
        """Return the points of each metric."""
        return {name: MetricPoints.of(points, source) for name, points in self.rows.items()}
