"""Choose the cases of a table: promote what may be used like a factor, have the names checked, filter.

In: runs and a TableSpec. Out: a `Selection`, the cases of every metric and phase asked for, and the
pool of all comparable cases in which baselines are looked up.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from reportgen.core.errors import RequestError
from reportgen.core.model import Case, FactorValue, Run, identity
from reportgen.protocol import available
from reportgen.protocol import cases as protocol_cases
from reportgen.tables.spec import METRIC, PHASE, REPEAT, SYSTEM, TableSpec, Wanted
from reportgen.tables.validate import check_names, check_told

SystemOf = Callable[[Mapping[str, FactorValue]], str | None]


@dataclass(frozen=True, slots=True)
class Selection:
    """cases: those of the table; pool: all that the table's runs could be compared with."""

    cases: tuple[Case, ...]
    pool: tuple[Case, ...]


def select(spec: TableSpec, runs: Sequence[Run], system_of: SystemOf) -> Selection:
    """Return the cases that a table shows.

    Raises RequestError for names and values that nothing has (see `names`).
    """
    promoted = _promote(spec, runs, system_of)
    check_names(spec, promoted)
    kept = [run for run in promoted if matches(run.factors, spec.where)]
    if not kept:
        raise RequestError(f"{spec.place}.where", "no run has all of these together", "loosen one of them")
    check_told(spec, kept, promoted)
    chosen = _cases(spec, kept)
    # The table's own cases come last, so that a baseline that it shows is that very case.
    pool = [*_cases(spec, promoted), *chosen] if spec.compare else []
    return Selection(tuple(chosen), tuple(pool))


def matches(factors: Mapping[str, FactorValue], where: Mapping[str, Wanted]) -> bool:
    """Return whether each factor in `where` has one of the values it may have."""
    return all(
        name in factors and identity(factors[name]) in map(identity, values) for name, values in where.items()
    )


def _cases(spec: TableSpec, runs: Sequence[Run]) -> list[Case]:
    """Return the cases of every metric and phase, with these two as factors where the table uses them so.

    What no run can tell is no case: not each of several metrics has each of several phases. Where all runs
    failed, and none can tell anything, each is a case of everything.
    """
    split = REPEAT in (*spec.rows, *spec.columns, *spec.facets, *spec.where)
    pairs = list(product(spec.metrics, spec.phases))
    if len(pairs) > 1:
        told = {pair for run in runs for pair in available(run, spec.totals)}
        pairs = [pair for pair in pairs if pair in told] or pairs
    found: list[Case] = []
    for metric, phase in pairs:
        extra = {METRIC: metric, PHASE: phase}
        cases = protocol_cases(
            runs, metric, phase, spec.protocol, ignore=spec.ignore, split_repeats=split, totals=spec.totals
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
