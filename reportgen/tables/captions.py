"""The caption of a table: what it shows, on what evidence, relative to what.

Each sentence has a name: the Markdown page says sentences of the same name and text once for all tables.
"""

from collections.abc import Mapping, Sequence

from reportgen.compare.comparison import Comparison, contract_sentence
from reportgen.core.case_findings import is_footnote
from reportgen.core.devices import shown_value
from reportgen.core.factors import FactorKey, Presence, factor_key, is_value, value_order, value_text
from reportgen.core.model import Case, FactorValue, Measurement
from reportgen.core.rules import Rule
from reportgen.core.units import Unit
from reportgen.document.model import COMPARED_QUANTITIES, QUANTITY_TITLES, Note, Quantity
from reportgen.tables.compare import Comparer
from reportgen.tables.headings import label_of_factor, label_of_value, metric_title, sentence
from reportgen.tables.label_checks import shared_labels
from reportgen.tables.pivot import LACKING, CaseGrid, unnamed
from reportgen.tables.select import FactorsOf
from reportgen.tables.spec import METRIC, PHASE, TableSpec

# A caption lists at most this many values of one factor.
_MAX_LISTED_VALUES = 6
# and these if they are short.
_MAX_LISTED_CHARS = 60
_WHOLE_LOG = "whole log"
_ON_REQUEST: Mapping[Quantity, str] = {
    "interval": "Interval: confidence interval of the ratio; empty where the order of the runs allows none.",
    "cycles": "In cycles: the same ratio, with each time multiplied by the mean SM clock during its measured "
    "steps; empty where the logs do not have this clock or name different devices.",
    "energy": "Energy per sample: relative to that of the baseline, over the measured steps; empty where the "
    "logs do not have it.",
}


def caption(
    spec: TableSpec,
    grid: CaseGrid,
    unit: Unit | None,
    against: Comparer | None,
    factors_of: FactorsOf,
    comparisons: Sequence[Comparison],
) -> tuple[Note, ...]:
    """Return the caption of one table: constants, metric and evidence, baseline, the definition's notes.

    comparisons  of its cells
    """
    every = [case for slot in grid.slots.values() for case in slot]
    # A run that failed before it said what it ran hides what all numbers share.
    cases = [case for case in every if case.summary] or every
    single = [slot[0] for slot in grid.slots.values() if len(slot) == 1]
    others = [each for each in comparisons if each.own is not each.base]
    unequal = _unequal(spec, single, against, factors_of)
    sentences = [
        ("measure", _metric(spec, cases, unit)),
        ("sum", _totals(spec)),
        ("constants", _constants(spec, cases, every)),
        ("labels", shared_labels(spec, grid)),
        ("pick", _picks(spec)),
        ("baseline", _baseline(spec, unequal, others)),
        ("also-differ", _differences(spec, others)),
        ("expected-differs", _expected_differences(others)),
        ("contract", contract_sentence(others)),
        *((quantity, text) for quantity, text in _ON_REQUEST.items() if quantity in spec.show),
        ("unnamed", _unnamed(spec, grid)),
        *(("author", f"Note: {text}") for text in spec.notes),
    ]
    return tuple(Note(text, name=name) for name, text in sentences if text)


def _metric(spec: TableSpec, cases: Sequence[Case], unit: Unit | None) -> str:
    shown = "value" in spec.show and unit is not None and unit.name not in ("1", "count")
    where = f" in {unit.name}" if shown and unit else ""
    return f"{metric_title(spec)}{where}: {_evidence(spec, cases)}."


def _evidence(spec: TableSpec, cases: Sequence[Case]) -> str:
    """Return the evidence of the numbers; a single published figure is never called a median."""
    measured = [m for case in cases for m in case.measurements]
    if not measured:
        return "no run has a number" if cases else "nothing measured yet"
    kinds = set(map(_kind, measured))
    counts, has_fewer = _usual_repeats(cases)
    fewer = " (fewer where a note says so)" if has_fewer else ""
    repeats = "" if counts == [1] else f"{spec.protocol.reduction} of {_span(counts)} repeats{fewer}, "
    particulars = f" ({text})" if (text := spec.protocol.particulars()) else ""
    texts = {
        "steps": f"{_steps(spec, measured, 'steps')}{particulars}",
        "intervals": f"printed intervals that cover {_steps(spec, measured, 'intervals')}{particulars}",
        _WHOLE_LOG: "samples of the whole log",
        "aggregate": "aggregates from the logs",
        "published": "published figures",
    }
    first, *others = (text for kind, text in texts.items() if kind in kinds)
    where = "where a run has no steps" if "steps" in kinds else "for other runs"
    return repeats + first + (f"; {' or '.join(others)} {where}" if others else "")


def _usual_repeats(cases: Sequence[Case]) -> tuple[list[int], bool]:
    """Return the counts of repeats, ascending, without those in a note of their number, and if there are any.

    So the caption of single figures stays as it is when one of them is measured again. Where most numbers
    have such a note, all counts are returned.
    """
    measured = [case for case in cases if case.measurements]
    usual = [case for case in measured if not _notes_few_repeats(case)]
    usual = usual if 2 * len(usual) > len(measured) else measured
    return sorted({len(case.measurements) for case in usual}), len(usual) < len(measured)


def _notes_few_repeats(case: Case) -> bool:
    return any(
        finding.rule is Rule.PROTOCOL_FEW_REPEATS and is_footnote(finding.severity, finding.rule)
        for finding in case.findings
    )


def _kind(measurement: Measurement) -> str:
    """Return the evidence; telemetry without a window covers the whole log."""
    has_window = measurement.window is not None or measurement.evidence != "intervals"
    return measurement.evidence if has_window else _WHOLE_LOG


def _steps(spec: TableSpec, measured: Sequence[Measurement], kind: str) -> str:
    """Return the steps that all runs were measured over, else the rule that chooses them in each log."""
    windows = [m.window for m in measured if m.window and _kind(m) == kind]
    if len({(window.first, window.last) for window in windows}) != 1:
        rule = spec.protocol
        return f"the first {rule.measure} steps after a warm-up of {rule.warmup}, or as many as each log has"
    first, last, counts = windows[0].first, windows[0].last, sorted({window.steps for window in windows})
    is_part = counts[0] <= last - first
    some = f"{_span(counts)} of the " if is_part else ""
    return f"{some}steps {first} to {last} of each run"


def _span(counts: Sequence[int]) -> str:
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _constants(spec: TableSpec, cases: Sequence[Case], every: Sequence[Case]) -> str:
    """Return the factors that are the same behind all numbers and that no heading shows.

    cases  with a number; every  also those without, which may not state these factors
    """
    shown = {*spec.rows, *spec.columns, *spec.facets, *spec.ignore, METRIC, PHASE, "item"}
    names = [n for n in spec.where if n not in shown]
    names += sorted({n for case in cases for n in case.factors} - shown - set(names))
    agreed: list[tuple[str, FactorValue]] = []
    for name in names:
        values = [case.factors.get(name, LACKING) for case in cases]
        if len(set(map(factor_key, values))) == 1 and values[0] != LACKING:
            agreed.append((name, values[0]))
    lacking = [n.replace("_", " ") for n, values in spec.where.items() if values == (Presence.ABSENT,)]
    without = [f"without {' and '.join(lacking)}"] if lacking else []
    text = ", ".join([f"with {sentence(agreed)}", *without] if agreed else without)
    is_stated = all(case.factors.get(name, LACKING) == value for name, value in agreed for case in every)
    return f"{'All' if is_stated else 'All numbers'} {text}." if text else ""


def _totals(spec: TableSpec) -> str:
    """Return what the totals that the table shows are the sums of."""
    sums = [
        f"{label_of_value(spec.labels, PHASE, name).text} = {' + '.join(parts).replace('_', ' ')}"
        for name, parts in spec.totals.items()
        if name in spec.phases
    ]
    return f"{', '.join(sums)}." if sums else ""


def _picks(spec: TableSpec) -> str:
    """Return what was picked for each cell, beside the picked values."""
    picked = [f"the {which} {label_of_factor(spec.labels, name).text}" for name, which in spec.pick.items()]
    return f"Picked for each cell: {', '.join(picked)}." if picked else ""


def _baseline(spec: TableSpec, unequal: str, comparisons: Sequence[Comparison]) -> str:
    """Return what the cells are compared with, and which ignored factors differ behind one number."""
    if spec.compare is None:
        return f"Repeats differ in {unequal}." if unequal else ""
    against = ", ".join(
        f"{label_of_factor(spec.labels, name).text}={shown_value(name, value_text(value))}"
        if is_value(value)
        else f"no {label_of_factor(spec.labels, name).text}"
        for name, value in spec.compare.baseline.items()
    )
    title = QUANTITY_TITLES[COMPARED_QUANTITIES[spec.compare.kind][0]]
    is_complete = bool(comparisons) and not any(each.differs or each.not_stated for each in comparisons)
    equal = "all other factors equal" if is_complete else "other factors equal as far as the logs state them"
    exceptions = f" except {unequal}" if unequal else ""
    return f"{title.capitalize()} relative to {against}; {equal}{exceptions}."


def _differences(spec: TableSpec, comparisons: Sequence[Comparison]) -> str:
    """Return in what else than factors cases and baselines differ; with few values, these too."""
    texts: dict[str, dict[str, None]] = {}
    for each in (each for comparison in comparisons for each in comparison.differs):
        if each.name in spec.ignore:
            continue
        texts.setdefault(each.name, {}).setdefault(each.text)
    shown = [next(iter(each)) if len(each) == 1 else name for name, each in texts.items()]
    if not shown:
        return ""
    more = f" and {len(shown) - _MAX_LISTED_VALUES} more" if len(shown) > _MAX_LISTED_VALUES else ""
    return f"Cases and baselines also differ in {', '.join(shown[:_MAX_LISTED_VALUES])}{more}."


def _expected_differences(comparisons: Sequence[Comparison]) -> str:
    """Return in what else the cases differ that expected speeds were computed from."""
    expected = (comparison.expected for comparison in comparisons if comparison.expected)
    texts = list(dict.fromkeys(text for each in expected for text in each.differs))
    more = f" and {len(texts) - _MAX_LISTED_VALUES} more" if len(texts) > _MAX_LISTED_VALUES else ""
    shown = ", ".join(texts[:_MAX_LISTED_VALUES])
    return f"The cases behind the expected speed also differ in {shown}{more}." if texts else ""


def _unnamed(spec: TableSpec, grid: CaseGrid) -> str:
    """Return the factors in which cells differ although no heading shows them; long values are counted."""
    shown, unstated = [], []
    for name, values in unnamed(spec, grid).items():
        if values.count(LACKING) == len(values) - 1:
            unstated.append(label_of_factor(spec.labels, name).text)
            continue
        text = _listed(spec, name, set(map(factor_key, values)))
        is_long = len(text) > _MAX_LISTED_CHARS
        shown.append(f"{label_of_factor(spec.labels, name).text} ({len(values)} values)" if is_long else text)
    more = ", ..." if len(unstated) > _MAX_LISTED_VALUES else ""
    sentences = [
        f"Cells also differ in {', '.join(shown)}." if shown else "",
        f"Not every log states {', '.join(unstated[:_MAX_LISTED_VALUES])}{more}." if unstated else "",
    ]
    return " ".join(text for text in sentences if text)


def _unequal(spec: TableSpec, cases: Sequence[Case], against: Comparer | None, factors_of: FactorsOf) -> str:
    """Return the ignored factors in which repeats, or a case and its baseline, differ, with their values."""
    values: dict[str, set[FactorKey]] = {}
    for case in cases:
        baseline = against.baseline_of(case) if against and case.summary else None
        runs = [m.run for each in (case, baseline) if each for m in each.measurements]
        for name in spec.ignore:
            here = {factor_key(factors_of(run).get(name, LACKING)) for run in runs}
            if len(here) > 1:
                values.setdefault(name, set()).update(here)
    return ", ".join(_listed(spec, name, values[name]) for name in spec.ignore if name in values)


def _listed(spec: TableSpec, name: str, values: set[FactorKey]) -> str:
    shown = [label_of_value(spec.labels, name, value).text for _, value in sorted(values, key=value_order)]
    more = ", ..." if len(shown) > _MAX_LISTED_VALUES else ""
    return f"{label_of_factor(spec.labels, name).text} ({', '.join(shown[:_MAX_LISTED_VALUES])}{more})"
