"""Parse run.json of our own log format; wrong values are left out and reported.

The struct `RunFile` is its schema; logs/FORMAT.md explains its keys.
"""

from typing import Annotated, Any, Literal, TypeGuard

from msgspec import Meta, Struct

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue, Status
from reportgen.core.schema import convert_valid_parts
from reportgen.formats.parsing.json_values import load, table

_NAME = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_.-]*")
_MAX_TEXT_CHARS = 200

Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
StepClock = Literal["host", "host_synchronized", "cuda_event"]


class Column(Struct):
    """A column of the step files."""

    clock: StepClock | None = None


class Profiler(Struct):
    """The profiler of a run that was profiled."""

    name: str


class RunFile(Struct, kw_only=True):
    """The known keys of run.json and the values that they may have; other keys are ignored."""

    version: Positive = 1
    status: Status | None = None
    case: dict[str, FactorValue] = {}
    case_in_script: dict[str, FactorValue] = {}
    repeat: Positive | None = None
    round: Positive | None = None
    order_seed: Count | None = None
    samples_per_step: Count | None = None
    tokens_per_step: Count | None = None
    flops_per_step: Count | None = None
    item: str | None = None
    ranks: Positive | None = None
    command: list[str] = []
    clocks: dict[str, Any] = {}
    started_realtime_ns: Count | None = None
    ended_realtime_ns: Count | None = None
    wall_time_ns: Count | None = None
    exit_code: Annotated[int, Meta(ge=-(2**31))] | None = None
    error: str | None = None
    columns: dict[str, StepClock | Column] = {}
    recorder: dict[str, Any] = {}
    profiler: Profiler | None = None

    @property
    def factors(self) -> dict[str, FactorValue]:
        """The factors of the case, and the item."""
        return self.case if self.item is None else {**self.case, "item": self.case.get("item", self.item)}

    @property
    def column_clocks(self) -> dict[str, StepClock]:
        """Column -> clock, which overrides the column's name."""
        clocks = {name: x.clock if isinstance(x, Column) else x for name, x in self.columns.items()}
        return {name: clock for name, clock in clocks.items() if clock}

    @property
    def cause(self) -> str:
        """ ": ..." why the run ended early, "" if unknown."""
        parts = [self.error[:_MAX_TEXT_CHARS]] if self.error else []
        code = f"exit code {self.exit_code}"
        if self.exit_code and code not in parts:
            parts.append(code)
        return ": " + ", ".join(parts) if parts else ""

    @property
    def trouble(self) -> str:
        """ ": ..." what the recorder reports as wrong with recording, "" if nothing."""
        error = self.recorder.get("error")
        return f": {error[:_MAX_TEXT_CHARS]}" if isinstance(error, str) and error else ""

    @property
    def missing(self) -> str:
        """Why CUDA events of rank 0 gave no time, "" if all did."""
        reasons = table(self.recorder.get("no_device_time"))
        counts = [f"{reason[:_MAX_TEXT_CHARS]} ({n})" for reason, n in reasons.items() if _is_integer(n)]
        return f"CUDA events without a time: {'; '.join(counts)}" if counts else ""

    @property
    def profiled_steps(self) -> int:
        """Steps that the profiler saw, 0 if unknown."""
        steps = self.recorder.get("profiled_steps")
        return steps if _is_integer(steps) and steps > 0 else 0

    def several_optimizers(self, steps: int) -> str:
        """Say that other optimizers stepped than the one whose steps were counted, "" if none did."""
        hook = table(self.recorder.get("hook"))
        others = {name: n for name, n in table(hook.get("others")).items() if _is_integer(n)}
        names = hook.get("optimizers")
        if not others or not isinstance(names, list):
            return ""
        counted = " or ".join(dict.fromkeys(str(name)[:_MAX_TEXT_CHARS] for name in names))
        stepped = " and ".join(f"{name[:_MAX_TEXT_CHARS]} stepped {n:,} times" for name, n in others.items())
        return f"a step is one step of {counted}; {stepped} in {steps:,} steps"

    @property
    def waits_for_all_devices(self) -> bool:
        """Return True if the recorder waited for all devices, and not for the current one alone."""
        return self.recorder.get("waits_for") == "all_devices"

    @property
    def cost(self) -> dict[str, int | str]:
        """The cost of recording as calibrated; names that end in `_ns` differ from run to run by nature."""
        names = {"cost_ns_per_step": "step_cost_ns", "unrecorded_step_ns": "unrecorded_step_ns"}
        cost: dict[str, int | str] = {
            name: value for key, name in names.items() if _is_integer(value := self.recorder.get(key))
        }
        interval, coverage = self.recorder.get("cost_interval_ns"), self.recorder.get("cost_coverage")
        if isinstance(interval, list) and len(interval) == 2 and all(map(_is_integer, interval)):
            chance = f" ({coverage:.1%})" if isinstance(coverage, float) else ""
            cost["step_cost_interval_ns"] = f"{interval[0]} to {interval[1]}{chance}"
        return cost

    @property
    def conflicts(self) -> list[str]:
        """Conflicts of script and launcher, and a batch size that does not fit the work of a step."""
        factors, samples = self.factors, self.samples_per_step
        conflicts = [
            f"{name}: {value} in the script, {factors.get(name, 'nothing')} in the launcher; "
            "using the launcher's"
            for name, value in self.case_in_script.items()
        ]
        batch_size = 1 if factors.get("item") == "token" else factors.get("batch_size")
        # With accumulated gradients it divides the work.
        if _is_integer(batch_size) and batch_size > 0 and samples and samples % batch_size:
            conflicts.append(
                f"batch_size: {batch_size} in the case does not divide the {samples} samples of a rank's "
                "step; the throughput uses the samples"
            )
        return conflicts


def parse_run(content: bytes) -> tuple[RunFile, list[str], list[str]]:
    """Return what is valid in run.json, what was left out and why, and keys that occur with two values."""
    twice: dict[str, None] = {}

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        known: dict[str, Any] = {}
        for key, value in pairs:
            if key in known and known[key] != value:
                twice.setdefault(key)
            known[key] = value
        return known

    document = table(load(content, unique))
    if document.get("format") != "reportgen-run":
        return RunFile(), ["not a run.json of this format"], list(twice)
    keys = {key: value for key, value in document.items() if key in RunFile.__struct_fields__}
    run, faults = convert_valid_parts(keys, RunFile)
    problems = [f"{fault.place}: {fault.fact}" for fault in faults]
    if "status" not in document:
        problems.append("status is missing")
    for key, factors in (("case", run.case), ("case_in_script", run.case_in_script)):
        for name in [name for name in factors if not _NAME.fullmatch(name)]:
            del factors[name]
            problems.append(f'{key}: "{name[:60]}" is not the name of a factor')
    return run, problems, list(twice)


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
