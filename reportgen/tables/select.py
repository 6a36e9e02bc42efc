"""Choose the cases of a table: promote the environment that is used like a factor, check names, filter.

In: runs and a TableSpec. Out: a `Selection`, the cases of every metric and phase asked for, and the
pool of all comparable cases in which baselines are looked up.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from reportgen.core.errors import RequestError
from reportgen.core.factors import factor_key, matches, nearest, plain_values, toml_text
from reportgen.core.model import STEP, Case, Factors, Finding, Run
from reportgen.core.rules import Rule
from reportgen.protocol import CaseRequest, MeasuredRun, MeasuredRuns, build_cases, try_measure
from reportgen.protocol.available import ENERGY_PER_SAMPLE
from reportgen.tables.spec import METRIC, PHASE, REPEAT, STATUS, SYSTEM, TableSpec
from reportgen.tables.validate import check_available, check_names

SystemOf = Callable[[Factors], str | None]
FactorsOf = Callable[[Run], Factors]


@dataclass(frozen=True, slots=True)
class Selection:
    """The cases of a table.

    pool        all cases that these could be compared with
    factors_of  the factors of a run in this table
    """

    cases: tuple[Case, ...]
    pool: tuple[Case, ...]
    factors_of: FactorsOf


def select_cases(
    spec: TableSpec, runs: Sequence[Run], system_of: SystemOf, measured: MeasuredRuns
) -> Selection:
    """Return the cases that a table shows.

    Raises RequestError for names and values that nothing has (see `validate`).
    """
    factors_of = _promote(spec, runs, system_of)
    check_names(spec, runs, [factors_of(run) for run in runs], measured)
    # A run does not have the factor repeat, but a case that is split by repeats does.
    where = {name: values for name, values in spec.where.items() if name != REPEAT}
    kept = [run for run in runs if matches(factors_of(run), where)]
    if not kept:
        raise RequestError(
            f"{spec.place}.where", "no run matches all of these conditions", "relax one of them"
        )
    check_available(spec, kept, runs, measured)
    own = _cases(spec, kept, factors_of, measured)
    chosen = _with_repeats(spec, own)
    if not spec.compare:
        return Selection(tuple(chosen), (), factors_of)
    every = own if len(kept) == len(runs) else _cases(spec, runs, factors_of, measured)
    # The table's own cases come last, so that a baseline that it shows is that very case.
    return Selection(tuple(chosen), (*every, *chosen), factors_of)


def _with_repeats(spec: TableSpec, cases: list[Case]) -> list[Case]:
    """Return the cases of the repeats that the table wants, with a finding that others are left out.

    Raises RequestError for a repeat that no case has.
    """
    wanted = plain_values(spec.where.get(REPEAT, ()))
    present = list(dict.fromkeys(case.factors[REPEAT] for case in cases if REPEAT in case.factors))
    for value in wanted:
        if factor_key(value) not in set(map(factor_key, present)):
            fact = f"no run has repeat = {toml_text(value)}"
            raise RequestError(f"{spec.place}.where.repeat", fact, nearest(value, present))
    ways = []
    if wanted:
        cases = [case for case in cases if matches(case.factors, {REPEAT: wanted})]
    if wanted and len(distinct := dict.fromkeys(wanted)) < len(present):
        shown = ", ".join(map(toml_text, distinct))
        ways = [f"the definition chooses {len(distinct)} of {len(present)} repeats: {shown}"]
    if REPEAT in spec.pick and len(present) > 1:
        ways.append(f"the definition picks the {spec.pick[REPEAT]} of several repeats")
    chosen = tuple(Finding("warning", Rule.PROTOCOL_FEW_REPEATS, spec.id, way) for way in ways)
    return [replace(case, findings=(*case.findings, *chosen)) for case in cases] if chosen else cases


def _cases(spec: TableSpec, runs: Sequence[Run], factors_of: FactorsOf, measured: MeasuredRuns) -> list[Case]:
    """Return the cases of every metric and phase, with these two as factors.

    A pair of metric and phase without data in any run is skipped: not each metric has each phase. If all
    runs failed and no pair has data, each run is a case of every pair.
    """
    split = REPEAT in (*spec.rows, *spec.columns, *spec.facets, *spec.where)
    pairs = list(product(spec.metrics, spec.phases))
    if len(pairs) > 1:
        available = {pair for run in runs for pair in measured.of(run).available(spec.totals)}
        pairs = [pair for pair in pairs if pair in available] or pairs
    cases: list[Case] = []
    for metric, phase in pairs:
        request = CaseRequest(metric, phase, spec.protocol, spec.ignore, split, spec.totals)
        cases += [
            replace(case, factors={**case.factors, METRIC: metric, PHASE: phase})
            for case in build_cases(runs, request, measured, factors_of)
        ]
    return cases


def _promote(spec: TableSpec, runs: Sequence[Run], system_of: SystemOf) -> FactorsOf:
    """Return the factors of each run, with environment, status and system where the table uses them."""
    factors = {name for run in runs for name in run.factors}
    environment = {name for run in runs for name in run.environment}
    wanted = set(spec.named) | set(spec.qualify) | set(spec.compare.baseline if spec.compare else ())
    promoted = (wanted - factors) & environment
    with_status = STATUS in wanted and STATUS not in factors
    with_system = SYSTEM in wanted and SYSTEM not in factors
    by_run: dict[int, Factors] = {}
    for run in runs:
        more = {name: run.environment[name] for name in promoted if name in run.environment}
        more |= {STATUS: run.status} if with_status else {}
        system = system_of(run.factors) if with_system else None
        if system is not None:
            more[SYSTEM] = system
        by_run[id(run)] = {**run.factors, **more} if more else run.factors
    return lambda run: by_run[id(run)]


def measure_for(specs: Iterable[TableSpec], run: MeasuredRun) -> None:
    """Measure a run for all that tables ask for; a comparison also asks for phases and the energy."""
    for spec in specs:
        available = run.available(spec.totals)
        for metric, phase in product(spec.metrics, spec.phases):
            if (metric, phase) in available:
                try_measure(run, metric, phase, spec.protocol, spec.totals)
        if spec.compare:
            times = [pair for pair in run.available() if pair[0] == "step_time"]
            for metric, phase in (*times, (ENERGY_PER_SAMPLE, STEP)):
                try_measure(run, metric, phase, spec.protocol)
