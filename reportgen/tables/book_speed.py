"""The speed that one system should have relative to another by the data sheets of their devices.

It is the last resort where no fact connects the two. Work that is bound by arithmetic follows the ratio of
the peaks, work that is bound by memory the ratio of the bandwidths: the two are the ends of a band.
"""

from reportgen.compare.expected_speed import Expected, SpeedEdge
from reportgen.core.book import Gpu, gpu_source
from reportgen.core.model import Case
from reportgen.protocol.share_of_peak import Peak, gpu_of_run, peak_of_run
from reportgen.tables.expected import expected_along


def book_speed(target: str, reference: str, case: Case, baseline: Case) -> Expected | None:
    """Return the expected speed of two systems by the book; None unless it has both ratios."""
    own, base = _facts_of(case), _facts_of(baseline)
    if own is None or base is None:
        return None
    (gpu, peak, bandwidth), (other, other_peak, other_bandwidth) = own, base
    if gpu.name == other.name:
        return None
    sources = f"{gpu_source(gpu).name}; {gpu_source(other).name}"
    ratios = {
        "peak arithmetic": peak.value / other_peak.value,
        "memory bandwidth": bandwidth / other_bandwidth,
    }
    edges = [
        SpeedEdge(
            target, reference, ratio, f"{what} of {gpu.name} and {other.name}: {sources}", origin="book"
        )
        for what, ratio in ratios.items()
    ]
    return expected_along(target, reference, [(edge,) for edge in edges])


def _facts_of(case: Case) -> tuple[Gpu, Peak, float] | None:
    """Return the GPU of all repeats with its peak and its bandwidth, None if one is not known."""
    runs = [measurement.run for measurement in case.measurements]
    gpus = {gpu.name: gpu for run in runs if (gpu := gpu_of_run(run))}
    peaks = [peak_of_run(run) for run in runs]
    if len(gpus) != 1 or len(set(peaks)) != 1 or peaks[0] is None:
        return None
    (gpu,) = gpus.values()
    return (gpu, peaks[0], gpu.bandwidth) if gpu.bandwidth else None
