"""The conditions of a case, by its logs: work, ranks, clock, evidence, and what else changes speed."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from reportgen.compare.terms import condition_name, quantity, shown_value, term_of
from reportgen.core.command_line import arguments_of, option_name
from reportgen.core.model import STEP, Case, FactorValue, Measurement, Run, Series
from reportgen.core.stored_series import without_numbers
from reportgen.protocol.conditions import CLOCK, ITEM, WORK, conditions_of
from reportgen.protocol.work import usual_work

# A comparison is meaningless if these differ, unless its definition accepts it.
EVIDENCE = "evidence"
COMMAND = "command"
# What the samples of a step consist of, by the recorder: metric of the series -> name.
_IN_SAMPLES = {"tokens": "tokens_per_sample", "operations": "operations_per_sample"}
OF_SAMPLES = tuple(_IN_SAMPLES.values())
ESSENTIAL = (WORK, CLOCK, EVIDENCE, ITEM)

# Factors that change the work of a step or the ranks: a comparison of these is about that difference.
DEVICE_COUNTS = frozenset(("nodes", "devices", "devices_per_node", "ranks"))
SIZES = DEVICE_COUNTS | {"batch_size", "global_batch_size", "micro_batch_size"}
# Factors that name the device.
DEVICE_NAMES = frozenset(("device", "gpu", "accelerator", "cluster", "system"))

# Factors that name what does the work, as opposed to the work: their values compete.
# fmt: off
COMPETITORS = frozenset((
    "accelerator", "attention", "backend", "build_commit", "cluster", "commit", "compiler", "cpu",
    "device", "device_id", "device_name", "engine", "framework", "gpu", "gpu_name", "hardware", "host",
    "implementation", "instance", "interconnect", "kernel", "library", "loader", "machine", "node", "runtime",
    "server", "software", "submitter", "system", "system_name", "variant", "version", "xla",
))
# fmt: on

# Commands whose conditions are remembered.
_MOST_COMMANDS = 256

# Name -> value of what a case was measured with, of several repeats with all their values.
Conditions = Mapping[str, str]

_EVIDENCE_KINDS: Mapping[str, str] = {
    "steps": "measured", "intervals": "measured",
    "aggregate": "already reduced", "published": "already reduced",
}  # fmt: skip


def conditions_of_case(case: Case) -> Conditions:
    """Return the conditions, evidence and environment of a case by name; values of its repeats are joined."""
    values: dict[str, set[str]] = {}
    known = _SharedConditions()
    for measurement in case.measurements:
        for name, value in _everything(measurement, case, known).items():
            values.setdefault(name, set()).add(str(value))
    return {name: ", ".join(sorted(each)) for name, each in values.items()}


def changes(old: Conditions, new: Conditions) -> Iterator[tuple[str, str]]:
    """Yield the conditions that differ between two points in time, by name, and the change in words."""
    for name in sorted(old.keys() & new.keys()):
        if old[name] != new[name]:
            yield name, f"{name.replace('_', ' ')} {old[name]} -> {new[name]}"


class _SharedConditions:
    """The conditions of the environments of a case: most of its repeats share one."""

    def __init__(self) -> None:
        self._environments: dict[int, dict[str, FactorValue]] = {}

    def of_environment(self, run: Run) -> dict[str, FactorValue]:
        """Return the conditions that the environment of a run states."""
        if id(run.environment) not in self._environments:
            self._environments[id(run.environment)] = _of_environment(run)
        return self._environments[id(run.environment)]


def _everything(measurement: Measurement, case: Case, known: _SharedConditions) -> dict[str, FactorValue]:
    """Return the conditions of a repeat; the environment counts before the command and the telemetry."""
    run = measurement.run
    return {
        **_of_telemetry(run),
        **_of_command(run.command),
        **known.of_environment(run),
        **_of_samples(run),
        **conditions_of(measurement, case.metric),
        EVIDENCE: _EVIDENCE_KINDS[measurement.evidence],
    }


def _of_samples(run: Run) -> dict[str, FactorValue]:
    """Return how many tokens and operations a sample has, where the recorder counted them."""
    if not any(map(_is_in_samples, without_numbers(run.series))):
        return {}  # as in most logs
    counted = {each.metric: each for each in run.series if _is_in_samples(each)}
    work = usual_work(run)
    if not work:
        return {}
    medians = {name: float(np.nanmedian(each.value / each.span)) for name, each in counted.items()}
    return {
        _IN_SAMPLES[name]: f"{value / work:,.6g}" for name, value in medians.items() if np.isfinite(value)
    }


def _is_in_samples(series: Series) -> bool:
    return series.metric in _IN_SAMPLES and series.phase == STEP


def _of_environment(run: Run) -> dict[str, FactorValue]:
    return {
        condition: shown_value(condition, value, name)
        for name, value in run.environment.items()
        if (condition := condition_name(name)) and value != ""
    }


@lru_cache(maxsize=_MOST_COMMANDS)
def _of_command(command: str) -> Mapping[str, FactorValue]:
    """Return the command, and the terms that its options state; repeats and metrics share it."""
    if not command:
        return {}
    options = arguments_of(command)
    stated = {term: value for option, value in options if value and (term := term_of(option_name(option)))}
    return {**{term: shown_value(term, value) for term, value in stated.items()}, COMMAND: command}


# Columns of telemetry that are settings of a device, and base units in the unit of the term.
_SETTINGS = (("power_limit", "power_limit", 1.0), ("sm_clock_max", "clock_limit", 1e-6))


def _of_telemetry(run: Run) -> dict[str, FactorValue]:
    """Return the limits that the telemetry of a run shows; of several devices all different ones."""
    limits: dict[str, FactorValue] = {}
    for column, term, scale in _SETTINGS:
        each = [device.columns[column] for device in run.telemetry if column in device.columns]
        last = {float(known[-1]) for samples in each if len(known := samples[np.isfinite(samples)])}
        if last:
            limits[term] = " + ".join(quantity(term, value * scale) for value in sorted(last))
    return limits
