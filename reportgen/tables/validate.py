"""Check the names in a table's definition: factors, values, metrics, phases, the phases of totals.

A name that no run has is a RequestError with the closest known name: a table that is silently empty, or
lacks a phase, because of a typing mistake is worse than no table. Unused values in `order` and unused
`labels` are findings: they spoil no table, and a campaign may not have got that far yet.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reportgen.core.errors import RequestError, check_known, did_you_mean
from reportgen.core.factors import (
    FactorKey,
    check_absence,
    factor_key,
    nearest,
    plain_values,
    toml_text,
    value_order,
    value_text,
)
from reportgen.core.metrics import METRICS
from reportgen.core.model import STEP, Factors, FactorValue, Finding, Run, Source
from reportgen.core.plain_text import as_seen, spelled
from reportgen.core.rules import Rule
from reportgen.protocol import MeasuredRuns, check_metrics, check_quantities
from reportgen.protocol.share_of_peak import SHARES, why_no_share
from reportgen.tables.pivot import LACKING
from reportgen.tables.spec import METRIC, PHASE, REPEAT, STATUS, SYSTEM, TableSpec


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
            check_known(f"{spec.place}.{key}[{position}]", "factor", name, known)
    tables: dict[str, Iterable[str]] = {
        "where": spec.where,
        "order": spec.order,
        "qualify": spec.qualify,
        "pick": spec.pick,
        "compare.baseline": spec.compare.baseline if spec.compare else (),
    }
    for key, mapping in tables.items():
        for name in mapping:
            check_known(f"{spec.place}.{key}.{name}", "factor", name, known)
    for position, case in enumerate(spec.planned):
        for name in case:
            check_known(f"{spec.place}.planned[{position}].{name}", "factor", name, known)
    for key, several in ((METRIC, spec.metrics), (PHASE, spec.phases)):
        if len(several) > 1 and key not in (*spec.rows, *spec.columns, *spec.facets):
            raise RequestError(
                f"{spec.place}.{key}",
                f"several values, but {key} is in neither rows, columns nor facets",
                f'add "{key}" to one of them',
            )


def _check_values(spec: TableSpec, factors: Sequence[Factors]) -> None:
    planned = {(name, factor_key(value)) for case in spec.planned for name, value in case.items()}
    for name, values in spec.where.items():
        if name in (METRIC, PHASE, REPEAT) and len(plain_values(values)) < len(values):
            place = f"{spec.place}.where.{name}"
            raise RequestError(place, f"every case has {name}", "leave the condition out")
        if name == REPEAT:
            continue
        check_absence(name, values, factors, f"{spec.place}.where.{name}", "run")
        present = [own[name] for own in factors if name in own]
        known = set(map(factor_key, present))
        for value in plain_values(values):
            if factor_key(value) not in known and (name, factor_key(value)) not in planned:
                raise RequestError(
                    f"{spec.place}.where.{name}",
                    f"no run has {name} = {toml_text(value)}",
                    nearest(value, present),
                )


def _check_totals(spec: TableSpec, runs: Sequence[Run], measured: MeasuredRuns) -> None:
    """Raise RequestError for a total that hides a phase, and for a part that no run has: a sum without it."""
    phases = {phase for run in runs for _, phase in measured.of(run).available()} if spec.totals else set()
    for total, names in spec.totals.items():
        if total in phases:
            fact = f'a total cannot have the name of a phase that logs contain: "{total}"'
            raise RequestError(f"{spec.place}.totals.{total}", fact, "give it another name")
        for position, name in enumerate(names):
            if (name == STEP and len(names) > 1) or name in names[:position]:
                place = f"{spec.place}.totals.{total}[{position}]"
                fact = "the whole step contains all phases" if name == STEP else f'"{name}" occurs twice'
                raise RequestError(place, fact, "name each phase once")
            # If all runs failed, their phases are unknown.
            if phases and name not in phases:
                place = f"{spec.place}.totals.{total}[{position}]"
                raise RequestError(place, f'no run has a phase "{name}"', did_you_mean(name, phases))


def check_available(
    spec: TableSpec, kept: Sequence[Run], runs: Sequence[Run], measured: MeasuredRuns
) -> None:
    """Raise RequestError for a metric or phase of the table that no run has data of.

    kept  the runs of the table; runs  all runs of the report

    Failed runs are in the tables of every metric, so they prove no name. If all runs failed, their metrics
    are unknown; if cases are planned, any known metric and any phase may follow.
    """
    here = _available(spec, kept, measured)
    if not here:
        return
    everywhere = _available(spec, runs, measured)
    for share in SHARES:
        if share in spec.metrics and share not in {metric for metric, _ in here}:
            fact = f'no run has metric "{share}" ({len(kept)} runs)'
            raise RequestError(f"{spec.place}.metric", fact, f"{kept[0].id}: {why_no_share(kept[0], share)}")
    if spec.planned:
        known = {*METRICS, *(metric for metric, _ in everywhere)}
        check_metrics(spec.place, spec.metrics, known, len(runs))
    elif any((metric, phase) in here for metric in spec.metrics for phase in spec.phases):
        check_quantities(spec.place, spec.metrics, spec.phases, everywhere, len(runs))
    else:
        check_quantities(spec.place, spec.metrics, spec.phases, here, len(kept))


def _available(spec: TableSpec, runs: Sequence[Run], measured: MeasuredRuns) -> set[tuple[str, str]]:
    return {pair for run in runs for pair in measured.of(run).available(spec.totals)}


def look_alikes(factors: Iterable[Factors]) -> Iterator[Finding]:
    """Yield a warning for the values of a factor that look the same; the subject is the factor.

    factors  of all runs of the report: those that a table leaves out may look like those that it shows
    """
    counts: Counter[tuple[str, FactorKey]] = Counter()
    for own in factors:
        counts.update((name, factor_key(value)) for name, value in own.items())
    alike: dict[tuple[str, str], list[FactorKey]] = {}
    for name, key in sorted(counts, key=lambda each: (each[0], value_order(each[1]))):
        alike.setdefault((name, as_seen(value_text(key[1]))), []).append(key)
    for (name, _), keys in alike.items():
        if len(keys) > 1:
            runs = [f"{spelled(toml_text(key[1]))} ({_runs(counts[name, key])})" for key in keys]
            message = f"{name} has values that look alike: {', '.join(runs)}"
            yield Finding("warning", Rule.TABLE_LOOK_ALIKE, name, message)


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


class _UnusedName(NamedTuple):
    """A name in a table that nothing has: its key, and why."""

    spec: TableSpec
    key: str
    fact: str
    remedy: str


def unused_keys(specs: Sequence[TableSpec], runs: Sequence[Run], systems: Sequence[str]) -> Iterator[Finding]:
    """Yield a note for each value in `order` and each key in `labels` of one report that nothing has.

    Lists are copied from table to table, so they are compared with all runs and tables of the report.
    """
    for spec, key, fact, remedy in _unused_names(specs, runs, systems):
        file, _, entry = spec.place.partition(": ")
        path, _, line = file.partition(":")
        message = f"{entry}.{key}: {fact}; {remedy}"
        yield Finding("note", Rule.TABLE_UNUSED_NAME, spec.id, message, Source(path, int(line or 0)))


def check_used(spec: TableSpec, runs: Sequence[Run], systems: Sequence[str]) -> None:
    """Raise RequestError for a value in `order` or a key in `labels` that nothing has, in a single table."""
    for _, key, fact, remedy in _unused_names([spec], runs, systems):
        raise RequestError(f"{spec.place}.{key}", fact, remedy)


def _unused_names(
    specs: Sequence[TableSpec], runs: Sequence[Run], systems: Sequence[str]
) -> Iterator[_UnusedName]:
    if not any(spec.order or spec.labels for spec in specs):
        return
    present = _present(specs, runs, systems)
    labelled = {*present, *(key for name, values in present.items() for key in _keys(name, values))}
    for spec in specs:
        for name, values in spec.order.items():
            known = set(map(factor_key, present[name]))
            for value in values:
                if name != REPEAT and factor_key(value) not in known:
                    fact = f"no run has {name} = {toml_text(value)}"
                    yield _UnusedName(spec, f"order.{name}", fact, nearest(value, present[name]))
        for key in spec.labels:
            if key not in labelled:
                fact = "no factor or value has this name"
                yield _UnusedName(spec, f'labels."{key}"', fact, did_you_mean(key, labelled))


def _present(
    specs: Sequence[TableSpec], runs: Sequence[Run], systems: Sequence[str]
) -> dict[str, list[FactorValue]]:
    """Return everything that rows and columns can show, with its values."""
    values_of: dict[str, dict[FactorKey, None]] = {
        METRIC: {factor_key(metric): None for spec in specs for metric in spec.metrics},
        PHASE: {factor_key(phase): None for spec in specs for phase in (*spec.phases, *spec.totals)},
        STATUS: {factor_key(run.status): None for run in runs},
        SYSTEM: {factor_key(system): None for system in systems},
        REPEAT: {},
    }
    planned = [case for spec in specs for case in spec.planned]
    for factors in (*planned, *(run.environment for run in runs), *(run.factors for run in runs)):
        for name, value in factors.items():
            values_of.setdefault(name, {})[factor_key(value)] = None
    return {name: [value for _, value in values] for name, values in values_of.items()}


def _keys(name: str, values: Sequence[FactorValue]) -> Iterator[str]:
    """Yield the keys that `labels` may use for the values of a factor: alone, or with the factor's name."""
    for value in (*values, LACKING):
        yield value_text(value)
        yield f"{name}={value_text(value)}"
