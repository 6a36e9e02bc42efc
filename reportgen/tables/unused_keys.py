"""Find what tables order and label although nothing in the report has it.

Unlike a wrong name in `where` or `rows` this spoils no table: order and headings are as if it were not there,
and a campaign may not have got that far yet. So it is a finding and stops nothing. Lists are copied from
table to table, and are held against all that the runs and tables of the report have.
"""

from collections.abc import Iterator, Sequence

from reportgen.core.errors import did_you_mean
from reportgen.core.factors import FactorKey, factor_key
from reportgen.core.model import FactorValue, Finding, Run, Source
from reportgen.core.rules import Rule
from reportgen.tables.headings import plain
from reportgen.tables.pivot import LACKING
from reportgen.tables.spec import METRIC, PHASE, REPEAT, SYSTEM, TableSpec
from reportgen.tables.validate import nearest, show


def unused(specs: Sequence[TableSpec], runs: Sequence[Run], systems: Sequence[str]) -> Iterator[Finding]:
    """Yield a note for each value in `order` and each key in `labels` of one report that nothing has."""
    if not any(spec.order or spec.labels for spec in specs):
        return
    present = _present(specs, runs, systems)
    labelled = {*present, *(key for name, values in present.items() for key in _keys(name, values))}
    for spec in specs:
        for name, values in spec.order.items():
            known = set(map(factor_key, present[name]))
            for value in values:
                if name != REPEAT and factor_key(value) not in known:
                    fact = f"nothing has {name} = {show(value)}; {nearest(value, present[name])}"
                    yield _unused(spec, f"order.{name}", fact)
        for key in spec.labels:
            if key not in labelled:
                yield _unused(spec, f'labels."{key}"', f"nothing is called so; {did_you_mean(key, labelled)}")


def _unused(spec: TableSpec, key: str, fact: str) -> Finding:
    path, _, entry = spec.place.partition(": ")
    return Finding("note", Rule.TABLE_UNUSED_NAME, spec.id, f"{entry}.{key}: {fact}", Source(path))


def _present(
    specs: Sequence[TableSpec], runs: Sequence[Run], systems: Sequence[str]
) -> dict[str, list[FactorValue]]:
    """Return all that may stand in rows and columns, with its values."""
    found: dict[str, dict[FactorKey, None]] = {
        METRIC: {factor_key(metric): None for spec in specs for metric in spec.metrics},
        PHASE: {factor_key(phase): None for spec in specs for phase in (*spec.phases, *spec.totals)},
        SYSTEM: {factor_key(system): None for system in systems},
        REPEAT: {},
    }
    planned = [case for spec in specs for case in spec.planned]
    for factors in (*planned, *(run.environment for run in runs), *(run.factors for run in runs)):
        for name, value in factors.items():
            found.setdefault(name, {})[factor_key(value)] = None
    return {name: [value for _, value in values] for name, values in found.items()}


def _keys(name: str, values: Sequence[FactorValue]) -> Iterator[str]:
    """Yield what `labels` may call the values of a factor: by themselves, or with the factor's name."""
    for value in (*values, LACKING):
        yield plain(value)
        yield f"{name}={plain(value)}"
