"""The metrics by name: base unit, which direction is better, and how samples over time are reduced.

A metric that is not listed here (a published column of its own) is still accepted: it has the base
unit it was declared with and no better direction, so that no comparison can claim one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower"]
Reduction = Literal["mean", "max", "difference", "union"]


# Units of work over time: their mean over steps is work over time, too.
RATES = ("samples/s", "FLOP/s", "B/s")


@dataclass(frozen=True, slots=True)
class Metric:
    """A measurable quantity.

    unit       base unit; better  None where neither direction is
    reduction  how the samples of telemetry become one number; difference: of a counter, the last less
               the first of the window, added up over the devices; union: of a mask, every bit that was set
    item       what a rate of it counts, "" where that is the run's factor `item`
    is_joint   whether all devices bring it about together, so that n of them should be n times as fast: a
               step may have more work on more devices, and a device of many does its own share
    """

    name: str
    title: str
    unit: str
    better: Better | None = None
    reduction: Reduction = "mean"
    item: str = ""
    is_joint: bool = False

    @property
    def is_speed(self) -> bool:
        """Return whether more (or less) of it means faster: only then is there a speed-up."""
        return self.better is not None and (self.unit == "s" or self.unit in RATES)

    @property
    def is_never_negative(self) -> bool:
        """Return whether no value of it lies below zero: a time or a rate does not, a loss may."""
        return self.unit == "s" or self.unit in RATES


_ALL = (
    Metric("throughput", "Throughput", "samples/s", "higher", is_joint=True),
    Metric("throughput_per_device", "Throughput per device", "samples/s", "higher"),
    Metric("token_throughput", "Token throughput", "samples/s", "higher", item="token", is_joint=True),
    Metric("step_time", "Step time", "s", "lower"),
    Metric("latency", "Latency", "s", "lower"),
    Metric("time_to_train", "Time to train", "s", "lower", is_joint=True),
    Metric(
        "scaled_time_to_train",
        "Time to train, scaled to the reference convergence",
        "s",
        "lower",
        is_joint=True,
    ),
    Metric("run_time", "Time of the whole run", "s", "lower", is_joint=True),
    Metric("utilization", "GPU utilisation", "ratio"),
    Metric("memory_utilization", "Memory utilisation", "ratio"),
    Metric("tensor_core_utilization", "Tensor-core utilisation", "ratio"),
    Metric("memory_used", "Memory used", "B", "lower", "max"),
    Metric("memory_total", "Memory", "B", None, "max"),
    Metric("memory_free", "Memory free", "B"),
    Metric("power", "Power", "W", "lower"),
    Metric("power_limit", "Power limit", "W"),
    Metric("energy", "Energy", "J", "lower", "difference"),
    Metric("energy_per_sample", "Energy per sample", "J", "lower"),
    Metric("power_average", "Power, mean of the driver", "W"),
    Metric("power_instant", "Power at the moment", "W"),
    Metric("power_limit_requested", "Power limit asked for", "W"),
    Metric("power_limit_default", "Power limit by default", "W"),
    Metric("temperature", "Temperature", "degC", "lower", "max"),
    Metric("temperature_memory", "Temperature of the memory", "degC", "lower", "max"),
    Metric("sm_clock", "SM clock", "Hz"),
    Metric("memory_clock", "Memory clock", "Hz"),
    Metric("sm_clock_max", "Maximum SM clock", "Hz"),
    Metric("memory_clock_max", "Maximum memory clock", "Hz"),
    Metric("graphics_clock", "Graphics clock", "Hz"),
    Metric("throttle_reasons", "Reasons of throttling", "1", reduction="union"),
    Metric("fan_speed", "Fan speed", "ratio"),
    Metric("pcie_link_generation", "PCIe generation", "count"),
    Metric("pcie_link_width", "PCIe width", "count"),
    Metric("bandwidth", "Bandwidth", "B/s", "higher"),
    Metric("flops", "Arithmetic rate", "FLOP/s", "higher", is_joint=True),
    Metric("action_time", "Time of one call", "s", "lower"),
    Metric("loss", "Loss", "1"),
    Metric("accuracy", "Accuracy", "ratio", "higher"),
)

METRICS = {metric.name: metric for metric in _ALL}


def metric(name: str, unit: str = "1") -> Metric:
    """Return the metric of that name, or one without a better direction in the base unit given."""
    return METRICS.get(name) or Metric(name, name.replace("_", " ").capitalize(), unit)


def item_of(name: str, factors: Mapping[str, object]) -> str:
    """Return what a rate of the metric counts in runs with these factors: `token`, `image`, "" if unknown."""
    return metric(name).item or str(factors.get("item", ""))
