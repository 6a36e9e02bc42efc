"""Which of the sampled devices a run used: a sampler may see all devices of a node, or only one node of two.

Energy adds up over the devices and power is their mean, so an idle device that no rank used, or a
device that was not sampled, makes the number wrong.
"""

from dataclasses import dataclass

import numpy as np

from reportgen.core.model import Run, Telemetry


@dataclass(frozen=True, slots=True)
class UsedDevices:
    """The devices of a run that have samples of a metric.

    unsampled  why these are not all that the run used, "" if they are
    surplus    why some of them may be others, "" if none is
    """

    devices: tuple[Telemetry, ...]
    unsampled: str = ""
    surplus: str = ""


def find_used_devices(run: Run, metric: str) -> UsedDevices:
    """Return the devices that the ranks name, else all that were sampled if their number fits the run."""
    sampled = tuple(
        device for device in run.telemetry if np.isfinite(device.columns.get(metric, np.empty(0))).any()
    )
    if all(device.is_cpu for device in sampled):  # ranks are counted in GPUs; a host has the CPUs that it has
        return UsedDevices(sampled)
    names = {run.environment.get(f"rank.{rank}.device_uuid") for rank in range(run.ranks or 0)}
    named = tuple(device for device in sampled if device.device in names)
    if named and None not in names:
        return UsedDevices(named, _unsampled(len(named), len(names)))
    devices = run.factors.get("devices", run.ranks)
    count = devices if isinstance(devices, int) and not isinstance(devices, bool) else None
    if count is None or not sampled:
        return UsedDevices(sampled)
    surplus = f"{len(sampled)} devices were sampled, and the log does not say which {count} of them it used"
    return UsedDevices(sampled, _unsampled(len(sampled), count), surplus if len(sampled) > count else "")


def _unsampled(sampled: int, used: int) -> str:
    return f"{sampled} of {used} devices were sampled" if sampled < used else ""
