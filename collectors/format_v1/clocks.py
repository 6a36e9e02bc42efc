"""Read the two clocks of the format together: the monotonic one of all times, and the real time."""

import time


def read_clocks() -> dict[str, int]:
    """Return both clocks in ns, read one after the other; perf_counter is CLOCK_MONOTONIC on Linux."""
    return {"monotonic_ns": time.perf_counter_ns(), "realtime_ns": time.time_ns()}


def clock_line() -> str:
    """Return the `#clock` line for now."""
    clocks = read_clocks()
    return f"#clock,{clocks['monotonic_ns']},{clocks['realtime_ns']}\n"
