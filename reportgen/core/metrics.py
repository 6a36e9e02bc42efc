"""The metrics by name: base unit, which direction is better, and how samples over time are reduced.

A metric that is not listed here (a published column) is still accepted. It has the base unit it was
declared with and no better direction, so that no comparison can claim one. A column of telemetry has no
declared unit: without a line here, its values would be shown without their unit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower"]
Reduction = Literal["mean", "max", "difference", "bitwise_or"]


# Units of work over time: the mean of such rates is work over time, too.
RATES = ("samples/s", "FLOP/s", "B/s")


@dataclass(frozen=True, slots=True)
class Metric:
    """A measurable quantity.

    unit       base unit; better  None if neither direction is better
    reduction  how the samples of telemetry become one number; difference: the last value of a counter
               minus the first in the window, summed over the devices; bitwise_or: every bit set in a mask
    item       what a rate counts, "" if the run's factor `item` says it
    scales_with_devices  True if n devices together should reach n times the speed. A step time does not
               scale (a step may hold more work on more devices), nor does the rate of one device
    """

    name: str
    title: str
    unit: str
    better: Better | None = None
    reduction: Reduction = "mean"
    item: str = ""
    scales_with_devices: bool = False

    @property
    def is_time(self) -> bool:
        """Return True if its values are times."""
        return self.unit == "s"

    @property
    def is_speed(self) -> bool:
        """Return True if more (or less) of it means faster: only then is there a speed-up."""
        return self.better is not None and self.is_never_negative

    @property
    def is_never_negative(self) -> bool:
        """Return True if its values cannot be negative: times and rates cannot, a loss can."""
        return self.is_time or self.unit in RATES


_ALL = (
    Metric("throughput", "Throughput", "samples/s", "higher", scales_with_devices=True),
    Metric("throughput_per_device", "Throughput per device", "samples/s", "higher"),
    Metric(
        "token_throughput", "Token throughput", "samples/s", "higher", item="token", scales_with_devices=True
    ),
    Metric("output_token_throughput", "Output tokens", "samples/s", "higher", item="token"),
    Metric("input_token_throughput", "Input tokens", "samples/s", "higher", item="token"),
    Metric("total_token_throughput", "Input and output tokens", "samples/s", "higher", item="token"),
    Metric(
        "output_token_throughput_per_device", "Output tokens per device", "samples/s", "higher", item="token"
    ),
    Metric(
        "input_token_throughput_per_device", "Input tokens per device", "samples/s", "higher", item="token"
    ),
    Metric(
        "total_token_throughput_per_device",
        "Input and output tokens per device",
        "samples/s",
        "higher",
        item="token",
    ),
    # Where prefill and decoding have devices of their own: a rate of these alone.
    Metric(
        "output_token_throughput_per_decode_device",
        "Output tokens per device that decodes",
        "samples/s",
        "higher",
        item="token",
    ),
    Metric(
        "input_token_throughput_per_prefill_device",
        "Input tokens per device that prefills",
        "samples/s",
        "higher",
        item="token",
    ),
    Metric("request_throughput", "Requests", "samples/s", "higher", item="request"),
    Metric("request_throughput_per_thread", "Requests of a thread", "samples/s", "higher", item="request"),
    Metric("goodput", "Requests within their objective", "samples/s", "higher", item="request"),
    Metric("iops", "Operations of input and output", "samples/s", "higher", item="operation"),
    Metric("bus_bandwidth", "Bus bandwidth", "B/s", "higher"),
    Metric("algorithm_bandwidth", "Algorithm bandwidth", "B/s", "higher"),
    Metric("step_time", "Step time", "s", "lower"),
    Metric("latency", "Latency", "s", "lower"),
    Metric("ttft", "Time to first token", "s", "lower"),
    Metric("tpot", "Time per output token", "s", "lower"),
    Metric("itl", "Time between chunks of a stream", "s", "lower"),
    Metric("inter_token_latency", "Time between tokens, weighted by tokens", "s", "lower"),
    Metric("latency_per_token", "Latency per output token, the first included", "s", "lower"),
    Metric("e2e_latency", "Latency of a request", "s", "lower"),
    Metric("samples_per_query", "Streams that are served in time", "count", "higher"),
    Metric("input_length", "Input tokens of a request", "count"),
    Metric("output_length", "Output tokens of a request", "count"),
    Metric("time_to_train", "Time to train", "s", "lower", scales_with_devices=True),
    # Scaled to the convergence of the reference.
    Metric("scaled_time_to_train", "Scaled time to train", "s", "lower", scales_with_devices=True),
    Metric("epoch_time", "Time of an epoch", "s", "lower", scales_with_devices=True),
    Metric("run_time", "Time of the whole run", "s", "lower", scales_with_devices=True),
    Metric("utilization", "GPU utilisation", "ratio"),
    Metric("memory_utilization", "Memory utilisation", "ratio"),
    Metric("tensor_core_utilization", "Tensor-core utilisation", "ratio"),
    Metric("sm_active", "SMs active", "ratio"),
    Metric("memory_active", "Memory interface active", "ratio"),
    Metric("memory_used", "Memory used", "B", "lower", "max"),
    Metric("memory_total", "Memory", "B", None, "max"),
    Metric("memory_free", "Memory free", "B"),
    Metric("memory_allocated", "Peak memory of tensors", "B", "lower", "max"),
    Metric("memory_reserved", "Peak memory of the allocator", "B", "lower", "max"),
    Metric("power", "Power", "W", "lower"),
    Metric("power_limit", "Power limit", "W"),
    Metric("energy", "Energy", "J", "lower", "difference"),
    Metric("energy_per_sample", "Energy per sample", "J", "lower"),
    Metric("cpu_energy", "Energy of the CPU", "J", "lower", "difference"),
    Metric("cpu_temperature", "Temperature of the CPU", "degC", "lower", "max"),
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
    Metric("throttle_reasons", "Reasons of throttling", "1", reduction="bitwise_or"),
    Metric("fan_speed", "Fan speed", "ratio"),
    Metric("pcie_link_generation", "PCIe generation", "count"),
    Metric("pcie_link_width", "PCIe width", "count"),
    Metric("pcie_tx", "PCIe, sent", "B/s"),
    Metric("pcie_rx", "PCIe, received", "B/s"),
    Metric("pcie_sent", "Bytes sent over PCIe", "B", reduction="difference"),
    Metric("pcie_received", "Bytes received over PCIe", "B", reduction="difference"),
    Metric("nvlink_sent", "Bytes sent over NVLink", "B", reduction="difference"),
    Metric("nvlink_received", "Bytes received over NVLink", "B", reduction="difference"),
    Metric("throttled_by_power", "Time throttled by power", "s", reduction="difference"),
    Metric("throttled_by_temperature", "Time throttled by temperature", "s", reduction="difference"),
    Metric("throttled_by_sync_boost", "Time throttled by sync boost", "s", reduction="difference"),
    Metric("throttled_by_board_limit", "Time throttled by the board limit", "s", reduction="difference"),
    Metric("throttled_by_reliability", "Time throttled for reliability", "s", reduction="difference"),
    Metric("ecc_corrected", "Corrected memory errors", "count", reduction="max"),
    Metric("ecc_uncorrected", "Uncorrected memory errors", "count", reduction="max"),
    Metric("retired_pages", "Retired pages of memory", "count", reduction="max"),
    Metric("remapped_rows_corrected", "Rows remapped after corrected errors", "count", reduction="max"),
    Metric("remapped_rows_uncorrected", "Rows remapped after uncorrected errors", "count", reduction="max"),
    Metric("remapped_rows_pending", "Rows that wait to be remapped", "count", reduction="max"),
    Metric("remapped_rows_failed", "Rows that could not be remapped", "count", reduction="max"),
    Metric("foreign_processes", "Other processes", "count", reduction="max"),
    Metric("foreign_memory", "Memory used by other processes", "B"),
    Metric("bandwidth", "Bandwidth", "B/s", "higher"),
    Metric("flops_per_device", "Arithmetic rate per device", "FLOP/s", "higher"),
    Metric("flops", "Arithmetic rate", "FLOP/s", "higher", scales_with_devices=True),
    Metric("share_of_peak", "Share of peak arithmetic", "ratio", "higher"),
    Metric("share_of_bandwidth", "Share of memory bandwidth", "ratio", "higher"),
    Metric("action_time", "Time of one call", "s", "lower"),
    Metric("connection_time", "Time to connect", "s", "lower"),
    Metric("allocated_per_operation", "Memory allocated by one call", "B", "lower"),
    Metric("allocations_per_operation", "Allocations of one call", "count", "lower"),
    Metric("collections_per_1000_operations", "Garbage collections of a thousand calls", "count", "lower"),
    Metric("loss", "Loss", "1"),
    Metric("accuracy", "Accuracy", "ratio", "higher"),
)

METRICS = {metric.name: metric for metric in _ALL}


def metric_of(name: str, unit: str = "1") -> Metric:
    """Return the metric of that name, or one without a better direction in the base unit given."""
    return METRICS.get(name) or Metric(name, name.replace("_", " ").capitalize(), unit)


def item_of(name: str, factors: Mapping[str, object]) -> str:
    """Return what a rate counts in runs with these factors: `token`, `image`, "" if unknown."""
    return metric_of(name).item or str(factors.get("item", ""))
