"""Parse the run.json of our own log format: every key checked, what is wrong left out and named."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard, get_args

from reportgen.core.factors import is_factor_value
from reportgen.core.model import FactorValue, Status

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_STATUSES: Mapping[str, Status] = {status: status for status in get_args(Status)}
_CLOCKS = ("host", "host_synchronized", "cuda_event")


@dataclass(slots=True)
class RunJson:
    """What run.json says.

    clocks     column -> clock, decisive over the column's name
    problems   keys left out, and why
    conflicts  factors on which script and launcher disagreed, or that do not fit the work of a step
    cause      ": ..." how a run ended that did not end well, "" if unknown
    cost       what recording cost, as the recorder measured it: name -> ns
    trouble    ": ..." what the recorder says went wrong with recording, "" if nothing
    """

    version: int = 1
    status: Status = "partial"
    factors: dict[str, FactorValue] = field(default_factory=dict)
    repeat: int | None = None
    samples_per_step: int | None = None
    tokens_per_step: int | None = None
    flops_per_step: int | None = None
    ranks: int | None = None
    clocks: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    cost: dict[str, int | str] = field(default_factory=dict)
    cause: str = ""
    trouble: str = ""


def load_object(content: bytes) -> dict[str, Any] | None:
    """Return a JSON object, None for anything else."""
    try:
        found = json.loads(content.decode())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def parse_run(content: bytes | None) -> RunJson:
    """Return what run.json says; None (no such file) and damage give a partial run without factors."""
    run = RunJson()
    if content is None:
        return run
    found = load_object(content)
    if found is None or found.get("format") != "reportgen-run":
        run.problems.append("not a run.json of this format")
        return run
    checked = {key: value for key, value in found.items() if _is_right(run, key, value)}
    run.version = checked.get("version", 1)
    run.status = _STATUSES[checked["status"]] if "status" in checked else "partial"
    if "status" not in found:
        run.problems.append("status is missing")
    run.factors = _factors(run, "case", checked.get("case", {}))
    if "item" in checked:
        run.factors.setdefault("item", checked["item"])
    run.repeat = checked.get("repeat")
    run.samples_per_step = checked.get("samples_per_step")
    run.tokens_per_step = checked.get("tokens_per_step")
    run.flops_per_step = checked.get("flops_per_step")
    run.ranks = checked.get("ranks")
    run.clocks = _clocks(run, checked.get("columns", {}))
    run.cause = _cause(checked)
    recorder = checked.get("recorder", {})
    run.cost = _cost(recorder)
    trouble = recorder.get("error")
    run.trouble = f": {trouble[:200]}" if isinstance(trouble, str) and trouble else ""
    for name, value in _factors(run, "case_in_script", checked.get("case_in_script", {})).items():
        launcher = run.factors.get(name, "nothing")
        run.conflicts.append(f"{name}: the script says {value}, the launcher {launcher}; the launcher won")
    _compare_work(run)
    return run


def _compare_work(run: RunJson) -> None:
    """Note a batch size that the work of a step is no multiple of, as it is where gradients accumulate."""
    each, work = run.factors.get("batch_size"), run.samples_per_step
    if not _is_integer(each) or each <= 0 or not work or run.factors.get("item") == "token":
        return
    if work % each:
        run.conflicts.append(
            f"batch_size: the case says {each}, a step of one rank has {work} samples, no multiple of it; "
            "the throughput follows the samples"
        )


def _whole(least: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**63


_RIGHT: Mapping[str, Callable[[Any], bool]] = {
    "version": _whole(1),
    "status": lambda value: isinstance(value, str) and value in _STATUSES,
    "case": lambda value: isinstance(value, dict),
    "case_in_script": lambda value: isinstance(value, dict),
    "repeat": _whole(1),
    "samples_per_step": _whole(0),
    "tokens_per_step": _whole(0),
    "flops_per_step": _whole(0),
    "item": lambda value: isinstance(value, str),
    "ranks": _whole(1),
    "command": lambda value: isinstance(value, list) and all(isinstance(word, str) for word in value),
    "clocks": lambda value: isinstance(value, dict),
    "started_realtime_ns": _whole(0),
    "ended_realtime_ns": _whole(0),
    "exit_code": _whole(-(2**31)),
    "error": lambda value: isinstance(value, str),
    "columns": lambda value: isinstance(value, dict),
    "recorder": lambda value: isinstance(value, dict),
}


def _is_right(run: RunJson, key: str, value: object) -> bool:
    is_right = key not in _RIGHT or _RIGHT[key](value)
    if not is_right:
        run.problems.append(f"{key} is {_shown(value)}")
    return is_right


def _factors(run: RunJson, key: str, table: Mapping[str, object]) -> dict[str, FactorValue]:
    factors: dict[str, FactorValue] = {}
    for name, value in table.items():
        if _NAME.fullmatch(name) and is_factor_value(value):
            factors[name] = value
        else:
            run.problems.append(f"{key}.{_shown(name)} is {_shown(value)}")
    return factors


def _clocks(run: RunJson, columns: Mapping[str, object]) -> dict[str, str]:
    clocks = {}
    for name, about in columns.items():
        clock = about.get("clock") if isinstance(about, dict) else about
        if isinstance(clock, str) and clock in _CLOCKS:
            clocks[name] = clock
        elif clock is not None or not isinstance(about, dict):
            run.problems.append(f"columns.{_shown(name)} has the clock {_shown(clock)}")
    return clocks


def _cause(found: Mapping[str, Any]) -> str:
    parts = [found["error"][:200]] if found.get("error") else []
    if found.get("exit_code"):
        parts.append(f"exit code {found['exit_code']}")
    return ": " + ", ".join(parts) if parts else ""


def _cost(recorder: Mapping[str, object]) -> dict[str, int | str]:
    """Return what a calibration found; its names end in `_ns`, as what differs from run to run by nature."""
    names = {"cost_ns_per_step": "step_cost_ns", "unrecorded_step_ns": "unrecorded_step_ns"}
    cost: dict[str, int | str] = {
        said: value for key, said in names.items() if _is_integer(value := recorder.get(key))
    }
    interval, coverage = recorder.get("cost_interval_ns"), recorder.get("cost_coverage")
    if isinstance(interval, list) and len(interval) == 2 and all(map(_is_integer, interval)):
        chance = f" ({coverage:.1%})" if isinstance(coverage, float) else ""
        cost["step_cost_interval_ns"] = f"{interval[0]} to {interval[1]}{chance}"
    return cost


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def _shown(value: object) -> str:
    return json.dumps(value)[:60]
