"""What all sources of telemetry have in common: samples, events, and why there are none."""

from typing import NamedTuple, Union


class Sample(NamedTuple):
    """The state of a device (UUID) at one time (monotonic ns): column -> value in the column's unit."""

    device: str
    when: int
    values: dict[str, int]


class Event(NamedTuple):
    """What befell a device (UUID) at one time (monotonic ns): `lost`, `reset` or `returned`."""

    device: str
    when: int
    name: str


Batch = list[Union[Sample, Event]]


class UnavailableError(Exception):
    """This source has no devices to offer; the text says why."""
