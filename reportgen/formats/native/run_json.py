"""Parse the JSON files of our own log format; wrong values are left out and reported.

The struct `RunFile` is the schema of run.json; logs/FORMAT.md explains its keys.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeGuard

from msgspec import Meta, Struct

from reportgen.core.model import FactorValue, Status
from reportgen.core.schema import convert_valid_parts
from reportgen.formats.parsing.json_values import items, load, table

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_MAX_TEXT_CHARS = 200

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
StepClock = Literal["host", "host_synchronized", "cuda_event"]


class Column(Struct):
    """A column of the step files."""

    clock: StepClock | None = None


class RunFile(Struct, kw_only=True):
    """The known keys of run.json and the values that they may have; other keys are ignored."""

    version: Positive = 1
    status: Status | None = None
    case: dict[str, FactorValue] = {}
    case_in_script: dict[str, FactorValue] = {}
    repeat: Positive | None = None
    samples_per_step: Count | None = None
    tokens_per_step: Count | None = None
    flops_per_step: Count | None = None
    item: str | None = None
    ranks: Positive | None = None
    command: list[str] = []
    clocks: dict[str, Any] = {}
    started_realtime_ns: Count | None = None
    ended_realtime_ns: Count | None = None
    exit_code: Annotated[int, Meta(ge=-(2**31))] | None = None
    error: str | None = None
    columns: dict[str, StepClock | Column] = {}
    recorder: dict[str, Any] = {}


@dataclass(slots=True)
class RunJson:
    """The content of run.json.

    problems   what was left out, and why
    conflicts  factors on which script and launcher disagree, or that do not fit the work of a step
    """

    file: RunFile = field(default_factory=RunFile)
    problems: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)

    @property
    def status(self) -> Status:
        """How the run ended."""
        return self.file.status or "partial"

    @property
    def factors(self) -> dict[str, FactorValue]:
        """The factors of the case, and the item."""
        if self.file.item is None or "item" in self.file.case:
            return self.file.case
        return {**self.file.case, "item": self.file.item}

    @property
    def clocks(self) -> dict[str, StepClock]:
        """Column -> clock, which overrides the column's name."""
        columns = self.file.columns.items()
        clocks = ((name, x.clock if isinstance(x, Column) else x) for name, x in columns)
        return {name: clock for name, clock in clocks if clock}

    @property
    def cause(self) -> str:
        """ ": ..." why the run ended early, "" if unknown."""
        parts = [self.file.error[:_MAX_TEXT_CHARS]] if self.file.error else []
        parts += [f"exit code {self.file.exit_code}"] if self.file.exit_code else []
        return ": " + ", ".join(parts) if parts else ""

    @property
    def trouble(self) -> str:
        """ ": ..." what the recorder reports as wrong with recording, "" if nothing."""
        error = self.file.recorder.get("error")
        return f": {error[:_MAX_TEXT_CHARS]}" if isinstance(error, str) and error else ""

    @property
    def cost(self) -> dict[str, int | str]:
        """The cost of recording as calibrated; names that end in `_ns` differ from run to run by nature."""
        recorder = self.file.recorder
        names = {"cost_ns_per_step": "step_cost_ns", "unrecorded_step_ns": "unrecorded_step_ns"}
        cost: dict[str, int | str] = {
            name: value for key, name in names.items() if _is_integer(value := recorder.get(key))
        }
        interval, coverage = recorder.get("cost_interval_ns"), recorder.get("cost_coverage")
        if isinstance(interval, list) and len(interval) == 2 and all(map(_is_integer, interval)):
            chance = f" ({coverage:.1%})" if isinstance(coverage, float) else ""
            cost["step_cost_interval_ns"] = f"{interval[0]} to {interval[1]}{chance}"
        return cost


@dataclass(frozen=True, slots=True)
class NodeJson:
    """The content of an environment file: the ranks on the node, and facts in nested groups."""

    version: object = 1
    ranks: frozenset[float] = frozenset()
    facts: Mapping[str, Any] = field(default_factory=dict)


def parse_node(content: bytes) -> NodeJson | None:
    """Return the content of an environment file, None if it is not one."""
    document = load(content)
    if table(document).get("format") != "reportgen-environment":
        return None
    ranks = frozenset(rank for rank in items(document.get("ranks")) if isinstance(rank, (int, float)))
    return NodeJson(document.get("version", 1), ranks, table(document.get("environment")))


def parse_run(content: bytes | None) -> RunJson:
    """Return the content of run.json; None (no such file) and damage give a partial run without factors."""
    run = RunJson()
    if content is None:
        return run
    document = load(content)
    if table(document).get("format") != "reportgen-run":
        run.problems.append("not a run.json of this format")
        return run
    known = {key: value for key, value in document.items() if key in RunFile.__struct_fields__}
    run.file, faults = convert_valid_parts(known, RunFile)
    run.problems = [f"{fault.place}: {fault.fact}" for fault in faults]
    if "status" not in document:
        run.problems.append("status is missing")
    for key, factors in (("case", run.file.case), ("case_in_script", run.file.case_in_script)):
        for name in [name for name in factors if not _NAME.fullmatch(name)]:
            del factors[name]
            run.problems.append(f'{key}: "{name[:60]}" is not the name of a factor')
    for name, value in run.file.case_in_script.items():
        launcher = run.factors.get(name, "nothing")
        run.conflicts.append(
            f"{name}: {value} in the script, {launcher} in the launcher; using the launcher's"
        )
    _compare_work(run)
    return run


def _compare_work(run: RunJson) -> None:
    """Report a batch size that does not divide the work of a step (with accumulated gradients it does)."""
    batch_size, samples = run.factors.get("batch_size"), run.file.samples_per_step
    if not _is_integer(batch_size) or batch_size <= 0 or not samples or run.factors.get("item") == "token":
        return
    if samples % batch_size:
        run.conflicts.append(
            f"batch_size: {batch_size} in the case does not divide the {samples} samples of a rank's step; "
            "the throughput uses the samples"
        )


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
