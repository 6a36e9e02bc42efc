"""The conditions of a run besides its factors.

Factors are the experimenter's choices. A log says more: how much work a step was, how many ranks ran, on
which device, by which clock. Runs that differ in one of these are not repeats of each other, whatever their
factors say.
"""

from collections.abc import Iterable, Mapping, Sequence

from reportgen.core.metrics import item_of
from reportgen.core.model import Case, FactorValue, Measurement, Run
from reportgen.protocol.device_names import names_of_devices
from reportgen.protocol.work import usual_work

# Repeats must agree in these.
WORK, RANKS, DEVICE, CLOCK = "samples_per_step", "ranks", "device_model", "clock"
# What a rate counts, the phases of a total, and the statistic of a figure of the log. Numbers that differ in
# one of these are other quantities, so no definition can ignore it.
ITEM, PARTS, STATISTIC = "item", "parts", "statistic"
QUANTITIES = (ITEM, PARTS, STATISTIC)
# The statistics that readers want first, in this order.
USUAL_STATISTICS = ("median", "mean", "total")
OF_REPEATS = (WORK, RANKS, DEVICE, CLOCK, *QUANTITIES)

# The unit of rates that count items, such as images or tokens.
_RATE = "samples/s"

# What a clock measures. Printed rates and timestamps are of the host; only events are the device's own.
_CLOCK_KINDS: Mapping[str, str] = {"cuda_event": "device", "host": "host", "host_synchronized": "host"}


def conditions_of_run(run: Run) -> dict[str, FactorValue]:
    """Return what a run says about its work, ranks and device model; nothing for what it does not say."""
    work, device = usual_work(run), device_model(run)
    conditions: dict[str, FactorValue] = {}
    if work is not None:
        conditions[WORK] = int(work) if work % 1 == 0 else work
    if run.ranks is not None:
        conditions[RANKS] = run.ranks
    if device:
        conditions[DEVICE] = device
    return conditions


def device_model(run: Run) -> str:
    """Return the models of the run's devices, "" if the log names none."""
    # Newer drivers put the maker before the name.
    return " + ".join(sorted({name.removeprefix("NVIDIA ").strip() for name in names_of_devices(run)}))


def conditions_of(
    measurement: Measurement, metric: str, of_run: Mapping[str, FactorValue] | None = None
) -> dict[str, FactorValue]:
    """Return the conditions of the run, the clock of the measurement, and what its value is about.

    of_run  what `conditions_of_run` returned for the run, if it was asked before
    """
    conditions = dict(conditions_of_run(measurement.run) if of_run is None else of_run)
    if clock := _CLOCK_KINDS.get(measurement.clock):
        conditions[CLOCK] = clock
    if measurement.unit == _RATE and (item := item_of(metric, measurement.run.factors)):
        conditions[ITEM] = item
    if measurement.statistic:
        conditions[STATISTIC] = measurement.statistic
    if measurement.parts:
        conditions[PARTS] = " + ".join(measurement.parts)
    return conditions


def statistic_of(case: Case) -> str:
    """Return the statistic of the figures of a case, which are of one; "" if it is unknown or from steps."""
    return next((each.statistic for each in case.measurements if each.statistic), "")


def differing(conditions: Sequence[Mapping[str, FactorValue]], names: Iterable[str]) -> list[str]:
    """Return the names for which two of the conditions say different things."""
    return [name for name in names if len({each[name] for each in conditions if name in each}) > 1]
