"""Read MMCV 1's `<date>.log.json`: what the environment is, then the lines of the log beside it as JSON.

Means are taken since the line before. Lines of training by epoch count `iter` from each epoch's begin, and no
line tells how long an epoch is: it counts as long as the last iteration that is printed of any.

Format: https://github.com/open-mmlab/mmcv, v1.x, runner/hooks/logger/text.py.
"""

from typing import Any

import numpy as np

from reportgen.core.model import FloatArray, IntArray
from reportgen.formats.parsing import json_values
from reportgen.formats.parsing.run_builder import in_epochs, once
from reportgen.formats.parsing.text_log import TextLog

TRAINING = b'"mode": "train"'
KEYS = (TRAINING, b'"data_time"', b'"iter"', b'"time"')


class Lines:
    """The lines of training: `at` counts within `epoch`, which is 0 throughout where iterations go on.

    head  what was written before them: the environment and, in later versions, the configuration
    name  that of the experiment, empty where it is not written
    """

    def __init__(self, log: TextLog) -> None:
        self.head, self.name = b"", ""
        found: list[tuple[int, dict[str, Any]]] = []
        for line, entry in json_values.objects(log.content, log.malformed):
            if isinstance(entry.get("env_info"), str):
                texts = (str(entry.get(key) or "") for key in ("env_info", "config"))
                self.head = "\n".join(texts).encode("utf-8", "replace")
                self.name = str(entry.get("exp_name") or "").removesuffix(".py")
            elif _is_training(entry):
                found.append((line, entry))
        at, epoch = (
            np.array([json_values.whole(entry.get(key)) or 0 for _, entry in found], dtype=np.int64)
            for key in ("iter", "epoch")
        )
        # Iterations that go on over the epochs have no borders.
        epoch = epoch if bool((np.diff(at)[np.diff(epoch) > 0] <= 0).any()) else np.zeros_like(epoch)
        step = in_epochs(epoch, at, np.full_like(at, at.max(initial=0)))
        first = once(step)
        self.step, self.at, self.epoch = step[first], at[first], epoch[first]
        self._entries = [found[i][1] for i in first.tolist()]
        self.line: IntArray = np.array([found[i][0] for i in first.tolist()], dtype=np.int64)

    def column(self, name: str) -> FloatArray:
        """Return a column as numbers, NaN where a line has none."""
        return np.array([json_values.number(entry.get(name)) for entry in self._entries], dtype=np.float64)


def _is_training(entry: dict[str, Any]) -> bool:
    """Tell lines of training; those of validation may say so too, but have no time."""
    timed = np.isfinite(json_values.number(entry.get("time")))
    return (
        entry.get("mode") == "train"
        and bool(timed)
        and 0 < (json_values.whole(entry.get("iter")) or 0) < 10**15
    )
