"""Samples, events and errors: what every source of telemetry returns."""

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


class Xid(NamedTuple):
    """An error that the driver reports about a device (UUID) at a time (monotonic ns), by its number."""

    device: str
    when: int
    number: int


Batch = list[Union[Sample, Event, Xid]]
