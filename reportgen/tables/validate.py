"""Check that what a table names is there: factors, values, metrics, phases, the phases of totals.

A name that nothing has is a request error with the nearest one that is known: a table that is silently
empty, or short of a phase, because of a typing mistake is worse than none.
"""

from collections.abc import Iterable, Sequence

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import factor_key
from reportgen.core.metrics import METRICS
from reportgen.core.model import Factors, FactorValue, Run
from reportgen.protocol import MeasuredRuns
from reportgen.tables.spec import METRIC, PHASE, REPEAT, TableSpec


def check_names(
    spec: TableSpec, runs: Sequence[Run], factors: Sequence[Factors], measured: MeasuredRuns
) -> None:
    """Raise RequestError for names that no run has: a factor, a value in `where`, a part of a total.

    runs     all runs of the report; factors  of each of them, in this table
    """
    _check_factors(spec, factors)
    _check_values(spec, factors)
    _check_totals(spec, runs, measured)


def _check_factors(spec: TableSpec, factors: Sequence[Factors]) -> None:
    known = {name for own in factors for name in own} | {METRIC, PHASE, REPEAT}
    lists = {"rows": spec.rows, "columns": spec.columns, "facets": spec.facets, "ignore": spec.ignore}
    for key, names in lists.items():
        for position, name in enumerate(names):
            _known(f"{spec.place}.{key}[{position}]", name, known)
    tables: dict[str, Iterable[str]] = {
        "where": spec.where,
        "order": spec.order,
        "qualify": spec.qualify,
        "pick": spec.pick,
        "compare.baseline": spec.compare.baseline if spec.compare else (),
    }
    for key, mapping in tables.items():
        for name in mapping:
            _known(f"{spec.place}.{key}.{name}", name, known)
    for position, case in enumerate(spec.planned):
        for name in case:
            _known(f"{spec.place}.planned[{position}].{name}", name, known)
    for key, several in ((METRIC, spec.metrics), (PHASE, spec.phases)):
        if len(several) > 1 and key not in (*spec.rows, *spec.columns, *spec.facets):
            raise RequestError(
                f"{spec.place}.{key}",
                f"several values, but {key} is in neither rows, columns nor facets",
                f'add "{key}" to one of them',
            )


def _known(place: str, name: str, known: set[str]) -> None:
    if name not in known:
        raise RequestError(place, f'no factor "{name}"', did_you_mean(name, known))


def _check_values(spec: TableSpec, factors: Sequence[Factors]) -> None:
    planned = {(name, factor_key(value)) for case in spec.planned for name, value in case.items()}
    for name, values in spec.where.items():
        if name == REPEAT:
            continue
        present = [own[name] for own in factors if name in own]
        known = set(map(factor_key, present))
        for value in values:
            if factor_key(value) not in known and (name, factor_key(value)) not in planned:
                raise RequestError(
                    f"{spec.place}.where.{name}",
                    f"no run has {name} = {show(value)}",
                    nearest(value, present),
                )


def show(value: FactorValue) -> str:
    """Return a factor value as TOML would write it."""
    if isinstance(value, bool):
        return str(value).lower()
    return (
        f'"{value}"' if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)
    )


def nearest(value: FactorValue, present: Iterable[FactorValue]) -> str:
    """Return the remedy for a value that none has: written as the wrong kind, or misspelt."""
    shown = {str(one): one for one in present}
    if str(value) in shown:
        return f"{show(shown[str(value)])} is meant: write it as that"
    return did_you_mean(str(value), shown)


def _check_totals(spec: TableSpec, runs: Sequence[Run], measured: MeasuredRuns) -> None:
    """Raise RequestError for a part of a total that no run has: the sum would lack it silently."""
    phases = {phase for run in runs for _, phase in measured.of(run).available()} if spec.totals else set()
    for total, names in spec.totals.items():
        for position, name in enumerate(names):
            # If all runs failed, their phases are unknown.
            if phases and name not in phases:
                place = f"{spec.place}.totals.{total}[{position}]"
                raise RequestError(place, f'no run has a phase "{name}"', did_you_mean(name, phases))


def check_available(
    spec: TableSpec, kept: Sequence[Run], runs: Sequence[Run], measured: MeasuredRuns
) -> None:
    """Raise RequestError if the table's runs have no data of what is asked, or no run has a listed metric.

    kept  the runs of the table; runs  all runs of the report

    Failed runs are in the tables of every metric, so they prove no name. If all runs failed, their metrics
    are unknown; if cases are planned, any known metric and any phase may follow.
    """
    here = _available(spec, kept, measured)
    if not here:
        return
    everywhere = _available(spec, runs, measured)
    if spec.planned:
        _check_metrics(spec, {*METRICS, *(metric for metric, _ in everywhere)}, len(runs))
    elif any((metric, phase) in here for metric in spec.metrics for phase in spec.phases):
        _check_each(spec, everywhere, len(runs))
    else:
        _check_each(spec, here, len(kept))


def _available(spec: TableSpec, runs: Sequence[Run], measured: MeasuredRuns) -> set[tuple[str, str]]:
    return {pair for run in runs for pair in measured.of(run).available(spec.totals)}


def _check_metrics(spec: TableSpec, known: set[str], count: int) -> None:
    for metric in spec.metrics:
        if metric not in known:
            fact = f'none of its {count} runs can tell "{metric}"'
            raise RequestError(f"{spec.place}.metric", fact, did_you_mean(metric, known))


def _check_each(spec: TableSpec, available: set[tuple[str, str]], count: int) -> None:
    """Raise RequestError for the first metric, else the first phase, that `count` runs cannot tell."""
    _check_metrics(spec, {metric for metric, _ in available}, count)
    phases = {phase for metric, phase in available if metric in spec.metrics}
    for phase in spec.phases:
        if phase not in phases:
            first, others = spec.metrics[0], len(spec.metrics) - 1
            metrics = f"{first} or {others} other metrics" if others > 1 else " or ".join(spec.metrics)
            fact = f'none of its {count} runs can tell {metrics} of "{phase}"'
            raise RequestError(f"{spec.place}.phase", fact, did_you_mean(phase, phases))
