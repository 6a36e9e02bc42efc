"""Make the explorer of a report from the cases that its tables show.

Nothing is selected or measured anew: each number is the case of a table's cell, and each chart is a table.
So a reader of the tables, without a script, sees the same numbers.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from reportgen.core import units
from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import AcceptedValues, factor_key, plain_values, value_text
from reportgen.core.metrics import metric_of
from reportgen.core.model import STEP, FactorValue
from reportgen.core.units import Unit
from reportgen.document.model import ExplorerChart, ExplorerFactor, ExplorerMeasure, ExplorerSwitch
from reportgen.tables.compare import Compared
from reportgen.tables.device_memory import memory_of_device
from reportgen.tables.explorer_cases import Entry, MeasureKey, ShownCase, shown_cases
from reportgen.tables.explorer_factors import Roles, choose_roles
from reportgen.tables.explorer_model import Configuration, Explorer, ExplorerCell
from reportgen.tables.explorer_ratios import compare_shown
from reportgen.tables.headings import label_of_factor, label_of_value, metric_title
from reportgen.tables.pivot import LACKING, Ranks
from reportgen.tables.spec import METRIC, PHASE, ExplorerSpec, SwitchSpec, TableSpec
from reportgen.tables.unit_choice import asked_unit

_SIZES = frozenset(("memory_used", "memory_allocated", "memory_reserved"))

Measures = dict[MeasureKey, list[ShownCase]]


def build_explorer(spec: ExplorerSpec, entries: Sequence[Entry]) -> Explorer | None:
    """Return the explorer, None if the tables show no case.

    Raises RequestError for factors, values and phases that the tables do not have.
    """
    charted = [entry for entry in entries if not spec.tables or entry.spec.id in spec.tables]
    shown = shown_cases(charted)
    if not shown:
        return None
    roles = choose_roles(spec, shown)
    ranks = Ranks([each.case.factors for each in shown], _order(charted))
    factors = [_factor(name, ranks, charted, shown) for name in roles.names]
    baseline = _baseline(spec, factors[-2] if roles.compared else None)
    ratios: dict[int, Compared] = {}
    if roles.compared:
        value = factors[-2].values[baseline]
        ratios = compare_shown(entries, shown, roles.compared, value)
    by_measure: Measures = defaultdict(list)
    for each in shown:
        by_measure[each.measure].append(each)
    measures = list(by_measure)
    return Explorer(
        factors=tuple(factors),
        compared=factors[-2] if roles.compared else None,
        x=factors[-1],
        baseline=baseline,
        others=roles.others,
        measures=tuple(_measure(key, by_measure, charted) for key in measures),
        charts=tuple(_charts(charted, measures, by_measure, _chosen(spec))),
        switches=tuple(_switch(switch, i, spec, measures) for i, switch in enumerate(spec.switches)),
        configurations=tuple(_configurations(shown, roles, ranks, measures, ratios)),
        more=spec.more,
    )


def _order(entries: Iterable[Entry]) -> Mapping[str, AcceptedValues]:
    """Return the order of values by factor; the first table that gives one decides."""
    order: dict[str, tuple[FactorValue, ...]] = {}
    for entry in entries:
        named = {name: plain_values(values) for name, values in entry.spec.where.items()}
        for name, values in {**named, **entry.spec.order}.items():
            order.setdefault(name, ())
            known = set(map(factor_key, order[name]))
            if name in entry.spec.order:
                order[name] += tuple(value for value in values if factor_key(value) not in known)
    return order


def _factor(name: str, ranks: Ranks, entries: Sequence[Entry], shown: Sequence[ShownCase]) -> ExplorerFactor:
    labels = _labels(entries)
    codes = sorted({ranks.rank(name, each.case.factors) for each in shown})
    values = tuple(ranks.value(name, code) for code in codes)
    texts = [label_of_value(labels, name, value).text for value in values]
    # Tables may call two values alike, each in a table of its own. Here they are options of one list.
    distinct = (
        text if texts.count(text) == 1 else f"{text} ({value_text(value)})"
        for text, value in zip(texts, values, strict=True)
    )
    return ExplorerFactor(name, label_of_factor(labels, name).text, values, tuple(distinct))


def _labels(entries: Iterable[Entry]) -> dict[str, str]:
    """Return the labels of all tables; the first one of a name counts."""
    labels: dict[str, str] = {}
    for entry in entries:
        labels = {**entry.spec.labels, **labels}
    return labels


def _baseline(spec: ExplorerSpec, compared: ExplorerFactor | None) -> int:
    if spec.baseline is None:
        return 0
    if compared is None:
        raise RequestError(f"{spec.place}.baseline", "no factor is compared", "name one in compare")
    keys = [factor_key(value) for value in compared.values]
    if factor_key(spec.baseline) not in keys:
        fact = f"no case has {compared.name} = {value_text(spec.baseline)}"
        remedy = did_you_mean(str(spec.baseline), [str(value) for value in compared.values])
        raise RequestError(f"{spec.place}.baseline", fact, remedy)
    return keys.index(factor_key(spec.baseline))


def _measure(key: MeasureKey, by_measure: Measures, entries: Sequence[Entry]) -> ExplorerMeasure:
    cases = by_measure[key]
    spec, metric = cases[0].entry.spec, metric_of(key.metric, cases[0].case.unit)
    labels = spec.labels
    phase = label_of_value(labels, PHASE, key.phase).text
    several_metrics, several_phases = len(spec.metrics) > 1, len(spec.phases) > 1
    named = [
        *([label_of_value(labels, METRIC, key.metric).text] if several_metrics else []),
        *([phase] if several_phases else []),
    ]
    twins = [other for other in by_measure if (other.metric, other.phase) == (key.metric, key.phase)]
    apart = [text for text in (_apart(key, twins),) if text]
    details = [*([key.phase.replace("_", " ")] if key.phase != STEP else []), *apart]
    return ExplorerMeasure(
        metric=key.metric,
        phase=key.phase,
        title=f"{metric.title} ({', '.join(details)})" if details else metric.title,
        label=", ".join([" ".join(named) or metric_title(spec), *apart]),
        unit=_unit(key, cases, entries),
        digits=spec.digits,
        decimals=spec.decimals,
        better=metric.better,
        is_size=key.metric in _SIZES,
    )


def _apart(key: MeasureKey, twins: Sequence[MeasureKey]) -> str:
    """Return in what a measure differs from others of its metric and phase, "" if there are none."""
    texts = {
        "item": units.rate_unit(key.item) if key.item else "",
        "protocol": key.protocol,
        "parts": " + ".join(key.parts),
    }
    differing = [name for name in texts if len({getattr(twin, name) for twin in twins}) > 1]
    return ", ".join(texts[name] for name in differing)


def _unit(key: MeasureKey, cases: Sequence[ShownCase], entries: Sequence[Entry]) -> Unit:
    """Return the unit that a definition gives or all tables use, else the one that fits all values."""
    base = next((each.case.unit for each in cases if each.case.summary), cases[0].case.unit)
    for each in cases:
        if (unit := asked_unit(each.entry.spec)) and unit.base == base:
            return unit
    if base == "samples/s":
        return Unit(units.rate_unit(key.item), base, 1.0)
    ids = {id(each.case) for each in cases}
    used = {
        cell.unit
        for entry in entries
        for table in entry.tables
        for line in table.cells
        for cell in line
        if id(cell.case) in ids and cell.unit and cell.unit.base == base and cell.unit.base != "1"
    }
    if len(used) == 1:
        return used.pop()
    values = [each.case.summary.median for each in cases if each.case.summary and not each.text]
    return units.choose(values, base)


def _chosen(spec: ExplorerSpec) -> set[str]:
    """Return the tables that the definition names."""
    return {*spec.tables, *(id for switch in spec.switches for id in switch.tables)}


def _charts(
    entries: Sequence[Entry], measures: Sequence[MeasureKey], by_measure: Measures, chosen: Collection[str]
) -> Iterable[ExplorerChart]:
    """Yield a chart for each table, except tables that show nothing new and are not chosen."""
    beside: set[int] = set()
    for entry in entries:
        own, spec = shown_cases([entry]), entry.spec
        indices = {measures.index(each.measure) for each in own}
        if not indices or (spec.id not in chosen and indices <= beside):
            continue
        if not entry.is_stacked:
            beside |= indices
        runs = {(each.measure, each.runs) for each in own}
        is_whole = all((each.measure, each.runs) in runs for i in indices for each in by_measure[measures[i]])
        yield ExplorerChart(
            spec.id,
            spec.title if is_whole else metric_title(spec),
            tuple(sorted(indices, key=lambda i: _position(spec, measures[i]))),
            entry.is_stacked,
            spec.notes,
        )


def _position(spec: TableSpec, key: MeasureKey) -> tuple[int, int]:
    return spec.metrics.index(key.metric), spec.phases.index(key.phase)


def _switch(
    switch: SwitchSpec, position: int, spec: ExplorerSpec, measures: Sequence[MeasureKey]
) -> ExplorerSwitch:
    own = f"{spec.place}.switches[{position}]"
    phases = {key.phase for key in measures}
    for name, values in (("phases", switch.phases), ("instead_of", switch.instead_of)):
        for i, phase in enumerate(values):
            if phase not in phases:
                raise RequestError(
                    f"{own}.{name}[{i}]", f'no table shows phase "{phase}"', did_you_mean(phase, phases)
                )
    return ExplorerSwitch(
        switch.id,
        switch.title,
        switch.note,
        switch.tables,
        tuple(i for i, key in enumerate(measures) if key.phase in switch.phases),
        tuple(i for i, key in enumerate(measures) if key.phase in switch.instead_of),
    )


def _configurations(
    shown: Sequence[ShownCase],
    roles: Roles,
    ranks: Ranks,
    measures: Sequence[MeasureKey],
    ratios: Mapping[int, Compared],
) -> Iterable[Configuration]:
    """Yield the configurations in the order of their factors."""
    groups: dict[tuple[int, ...], dict[MeasureKey, list[ShownCase]]] = {}
    for each in shown:
        codes = tuple(ranks.rank(name, each.case.factors) for name in roles.names)
        groups.setdefault(codes, {}).setdefault(each.measure, []).append(each)
    positions = [
        {code: i for i, code in enumerate(sorted({codes[at] for codes in groups}))}
        for at in range(len(roles.names))
    ]
    for codes in sorted(groups):
        by_measure = groups[codes]
        members = [each for cases in by_measure.values() for each in cases]
        yield Configuration(
            tuple(position[code] for position, code in zip(positions, codes, strict=True)),
            tuple(_shared(members, name) for name in roles.others),
            _memory(members),
            {measures.index(key): _cell(cases, ratios) for key, cases in by_measure.items()},
        )


def _shared(members: Sequence[ShownCase], name: str) -> str:
    """Return the value of a factor in all cases of a configuration, several values as one text."""
    values = dict.fromkeys(
        value_text(each.case.factors[name]) for each in members if name in each.case.factors
    )
    return ", ".join(values) or str(LACKING)


def _cell(cases: Sequence[ShownCase], ratios: Mapping[int, Compared]) -> ExplorerCell:
    numbers = [each for each in cases if each.case.summary]
    if len(numbers) > 1:
        return ExplorerCell(None, "several")
    chosen = numbers[0] if numbers else cases[0]
    compared = ratios.get(id(chosen), Compared(None))
    reason = "not comparable" if compared.is_meaningless else ""
    return ExplorerCell(chosen.case, chosen.text, compared.comparison, reason)


def _memory(members: Sequence[ShownCase]) -> float | None:
    runs = (
        run for each in members for run in (*(m.run for m in each.case.measurements), *each.case.unmeasured)
    )
    return max((size for run in runs if (size := memory_of_device(run))), default=None)
