"""Choose the cases of a table: check the names, promote what may be used like a factor, filter.

In: runs and a TableSpec. Out: a `Selection`, the cases of every metric and phase asked for, and the
pool of all comparable cases in which baselines are looked up. Names and values that nothing has are
request errors: a table that is silently empty because of a typing mistake is worse than none.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.errors import RequestError, did_you_mean
from reportgen.model import Case, FactorValue, Run, identity
from reportgen.protocol import available
from reportgen.protocol import cases as protocol_cases
from reportgen.tables.spec import METRIC, PHASE, REPEAT, SYSTEM, TableSpec, Wanted

SystemOf = Callable[[Mapping[str, FactorValue]], str | None]


@dataclass(frozen=True, slots=True)
class Selection:
    """cases: those of the table; pool: all that the table's runs could be compared with."""

    cases: tuple[Case, ...]
    pool: tuple[Case, ...]


def select(spec: TableSpec, runs: Sequence[Run], system_of: SystemOf) -> Selection:
    """Return the cases that a table shows.

    Raises RequestError for a factor that no run has and for a value in `where` that none has.
    """
    promoted = _promote(spec, runs, system_of)
    _check_names(spec, promoted)
    _check_values(spec, promoted)
    kept = [run for run in promoted if matches(run.factors, spec.where)]
    if not kept:
        raise RequestError(f"{spec.place}.where", "no run has all of these together", "loosen one of them")
    chosen = _cases(spec, kept)
    if not chosen and not spec.planned:
        raise _nothing(spec, kept)
    # The table's own cases come last, so that a baseline that it shows is that very case.
    pool = [*_cases(spec, promoted), *chosen] if spec.compare else []
    return Selection(tuple(chosen), tuple(pool))


def matches(factors: Mapping[str, FactorValue], where: Mapping[str, Wanted]) -> bool:
    """Return whether each factor in `where` has one of the values it may have."""
    return all(
        name in factors and identity(factors[name]) in map(identity, values) for name, values in where.items()
    )


def _cases(spec: TableSpec, runs: Sequence[Run]) -> list[Case]:
    """Return the cases of every metric and phase, with these two as factors where the table uses them so."""
    split = REPEAT in (*spec.rows, *spec.columns, *spec.facets, *spec.where)
    found: list[Case] = []
    for metric in spec.metrics:
        for phase in spec.phases:
            extra = {METRIC: metric, PHASE: phase}
            cases = protocol_cases(
                runs,
                metric,
                phase,
                spec.protocol,
                ignore=spec.ignore,
                split_repeats=split,
                totals=spec.totals,
            )
            found += [replace(case, factors={**case.factors, **extra}) for case in cases]
    return found


def _promote(spec: TableSpec, runs: Sequence[Run], system_of: SystemOf) -> list[Run]:
    """Let environment keys and the system be used like factors where the table names them."""
    factors = {name for run in runs for name in run.factors}
    environment = {name for run in runs for name in run.environment}
    wanted = set(spec.named) | set(spec.qualify) | set(spec.compare.baseline if spec.compare else ())
    lifted = (wanted - factors) & environment
    with_system = SYSTEM in wanted and SYSTEM not in factors
    if not lifted and not with_system:
        return list(runs)
    return [_lift(run, lifted, system_of if with_system else None) for run in runs]


def _lift(run: Run, names: Iterable[str], system_of: SystemOf | None) -> Run:
    more = {name: run.environment[name] for name in names if name in run.environment}
    system = system_of(run.factors) if system_of else None
    if system is not None:
        more[SYSTEM] = system
    return replace(run, factors={**run.factors, **more}) if more else run


def _check_names(spec: TableSpec, runs: Sequence[Run]) -> None:
    known = {name for run in runs for name in run.factors} | {METRIC, PHASE, REPEAT}
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


def _check_values(spec: TableSpec, runs: Sequence[Run]) -> None:
    planned = {(name, identity(value)) for case in spec.planned for name, value in case.items()}
    for name, values in spec.where.items():
        if name == REPEAT:
            continue
        present = [run.factors[name] for run in runs if name in run.factors]
        known = set(map(identity, present))
        for value in values:
            if identity(value) not in known and (name, identity(value)) not in planned:
                raise RequestError(
                    f"{spec.place}.where.{name}",
                    f"no run has {name} = {show(value)}",
                    _nearest(value, present),
                )


def show(value: FactorValue) -> str:
    """Return a factor value as TOML would write it."""
    if isinstance(value, bool):
        return str(value).lower()
    return (
        f'"{value}"' if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)
    )


def _nearest(value: FactorValue, present: Iterable[FactorValue]) -> str:
    """Return the remedy for a value that none has: written as the wrong kind, or misspelt."""
    shown = {str(one): one for one in present}
    if str(value) in shown:
        return f"{show(shown[str(value)])} is meant: write it as that"
    return did_you_mean(str(value), shown)


def _nothing(spec: TableSpec, runs: Sequence[Run]) -> RequestError:
    """Return the error for a table that none of its runs has a figure for."""
    told = {(metric, phase) for run in runs for metric, phase in available(run, spec.totals)}
    metrics, phases = {metric for metric, _ in told}, {phase for _, phase in told}
    for metric in spec.metrics:
        if metric not in metrics:
            fact = f'none of its {len(runs)} runs can tell "{metric}"'
            return RequestError(f"{spec.place}.metric", fact, did_you_mean(metric, metrics))
    phase = spec.phases[0]
    fact = f'none of its {len(runs)} runs can tell {spec.metrics[0]} of "{phase}"'
    return RequestError(f"{spec.place}.phase", fact, did_you_mean(phase, phases))
