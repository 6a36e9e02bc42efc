"""Samples and events: what every source of telemetry returns."""

from typing import NamedTuple, Union


class Sample(NamedTuple):
    """The state of a device (UUID) at a time (monotonic ns): column -> value in the unit of the column."""

    device: str
    when: int
    values: dict[str, int]


class Event(NamedTuple):
    """An event of a device (UUID) at a time (monotonic ns): `lost`, `reset` or `returned`."""

    device: str
    when: int
    name: str


Batch = list[Union[Sample, Event]]
