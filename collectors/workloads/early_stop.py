"""Stop a sweep early, once reportgen has found all differences that the sweep is to settle.

    [[compare]]
    case = 1                   # numbers of workloads, the first is 0
    baseline = 0
    metric = "throughput"      # and phase, as for `reportgen compare`; not required

A test at 5 % that is repeated after each round, and may end the sweep, finds a difference in up to a
quarter of equal cases. So a look before the last round counts only if p is at most 0.001, and the last round
is judged at 5 % as always (Haybittle 1971, Peto et al. 1976). With that, 5 % hold: `python
benchmarks/early_stop.py`. Fewer than 11 rounds cannot reach 0.001. Only a difference ends a sweep: that two
cases are the same is left to the planned number of rounds.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

from collectors.messages import warn

FEWEST_ROUNDS = 11  # 2 / 2^11 is below LEVEL
LEVEL = 0.001
_KEYS = {"case": int, "baseline": int, "metric": str, "phase": str}
_MAX_LOOK_SECONDS = 300


class Pair(NamedTuple):
    """Two workloads by their numbers, and what of them is compared."""

    case: int
    baseline: int
    options: Sequence[str] = ()  # of `reportgen compare`


def parse_pairs(content: object, workloads: int) -> list[Pair]:
    """Return the pairs of a sweep file with so many workloads; raises ValueError."""
    if not isinstance(content, list) or not all(isinstance(each, dict) for each in content):
        raise ValueError("compare: not a list of tables; write [[compare]] with case and baseline")
    return [_parse_pair(f"compare[{number}]", each, workloads) for number, each in enumerate(content)]


def _parse_pair(place: str, table: Mapping[str, Any], workloads: int) -> Pair:
    for key, value in table.items():
        if key not in _KEYS:
            raise ValueError(f"{place}: no key {key}; use {', '.join(_KEYS)}")
        if type(value) is not _KEYS[key]:
            raise ValueError(
                f"{place}: {key}: {value!r} is not {'a number' if _KEYS[key] is int else 'text'}"
            )
    for key in ("case", "baseline"):
        if not 0 <= table.get(key, -1) < workloads:
            raise ValueError(
                f"{place}: {key}: {table.get(key)!r} is not a workload; use 0 to {workloads - 1}"
            )
    options = [word for key in ("metric", "phase") if key in table for word in (f"--{key}", table[key])]
    return Pair(table["case"], table["baseline"], options)


class EarlyStop:
    """Looks at the comparisons of a sweep after each of its rounds.

    pairs    folders of the case and of the baseline, and options of `reportgen compare`
    rounds   returns how many rounds of these cases are complete
    note     writes the rounds and the p values (None: no test) of each look into the log of the sweep
    compare  returns the p value of a pair
    """

    def __init__(
        self,
        pairs: Sequence[tuple[Path, Path, Sequence[str]]],
        rounds: Callable[[], int],
        note: Callable[[int, Sequence[Optional[float]]], None],
        compare: Optional[Callable[[Path, Path, Sequence[str]], Optional[float]]] = None,
    ) -> None:
        self._pairs = pairs
        self._rounds = rounds
        self._note = note
        self._compare = compare or p_value
        self._looked_at = FEWEST_ROUNDS - 1
        self._is_possible = bool(pairs)

    def reason(self) -> str:
        """Return why the sweep may stop here, "" if it may not."""
        rounds = self._rounds() if self._is_possible else 0
        if rounds <= self._looked_at:
            return ""
        self._looked_at = rounds
        try:
            ps = [self._compare(case, baseline, options) for case, baseline, options in self._pairs]
        except ValueError as error:
            self._is_possible = False
            warn(f"all rounds are run, because reportgen cannot compare them: {error}")
            return ""
        self._note(rounds, ps)
        if any(p is None or p > LEVEL for p in ps):
            return ""
        return f"all comparisons are decided after {rounds} rounds (p <= {LEVEL})"


def p_value(case: Path, baseline: Path, options: Sequence[str]) -> Optional[float]:
    """Return the p value of `reportgen compare`, None if it made no test of rounds; raises ValueError."""
    line = [
        sys.executable,
        "-m",
        "reportgen",
        "compare",
        str(baseline),
        str(case),
        "--format",
        "json",
        *options,
    ]
    try:
        done = subprocess.run(
            line, stdin=subprocess.DEVNULL, capture_output=True, timeout=_MAX_LOOK_SECONDS, check=True
        )
        rows = json.loads(done.stdout)["diff"]["rows"]
        verdict = rows[0]["verdict"]
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode("utf-8", "replace").split("\n")
        raise ValueError(
            next((each for each in reversed(lines) if each.strip()), f"exit {error.returncode}")
        ) from None
    except (OSError, subprocess.SubprocessError, KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(str(error)) from None
    is_test = verdict.get("arrangement") == "random rounds" and verdict.get("test") == "signed rank"
    return verdict.get("p") if is_test else None
