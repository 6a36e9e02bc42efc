"""Refuse a metric or phase that no run has: an empty result because of a misspelling is worse than none."""

from collections.abc import Collection, Sequence

from reportgen.core.errors import RequestError, did_you_mean


def check_metrics(place: str, metrics: Sequence[str], known: Collection[str], count: int) -> None:
    """Raise RequestError for the first metric that is not known.

    place  of the request, such as `cases()`; count  the number of runs that were looked at
    """
    for metric in metrics:
        if metric not in known:
            fact = f'no run has metric "{metric}" ({count} runs)'
            raise RequestError(f"{place}.metric", fact, did_you_mean(metric, known))


def check_quantities(
    place: str,
    metrics: Sequence[str],
    phases: Sequence[str],
    available: Collection[tuple[str, str]],
    count: int,
) -> None:
    """Raise RequestError for the first metric, else the first phase, that no run has.

    available  the pairs of metric and phase that the runs have
    """
    check_metrics(place, metrics, {metric for metric, _ in available}, count)
    known = {phase for metric, phase in available if metric in metrics}
    for phase in phases:
        if phase not in known:
            first, others = metrics[0], len(metrics) - 1
            named = f"{first} or {others} other metrics" if others > 1 else " or ".join(metrics)
            fact = f'no run has {named} of phase "{phase}" ({count} runs)'
            raise RequestError(f"{place}.phase", fact, did_you_mean(phase, known))
