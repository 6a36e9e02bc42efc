"""Encode the explorer of a report as JSON for the script of index.html, one line per configuration.

The keys are in docs/developers/rendering.md. Numbers come with their texts, rounded as the tables round
them, so the script rounds nothing.
"""

from typing import Any

from reportgen.core import units
from reportgen.core.model import FactorValue
from reportgen.core.plain_text import one_line
from reportgen.document.model import (
    Configuration,
    Document,
    Explorer,
    ExplorerCell,
    ExplorerFactor,
    ExplorerMeasure,
)
from reportgen.document.texts import interval_text, number_text, ratio_text, unit_label
from reportgen.render.figures import colours
from reportgen.render.page.page_json import encoded


def explorer_json(report: Document, explorer: Explorer) -> str:
    """Return the explorer of the report as JSON."""
    head: dict[str, Any] = {
        "factors": [_factor(factor) for factor in explorer.factors],
        "compared": explorer.compared,
        "baseline": explorer.baseline,
        "others": [one_line(name.replace("_", " ")) for name in explorer.others],
        "measures": [_measure(measure) for measure in explorer.measures],
        "charts": [
            {
                "id": chart.id,
                "title": one_line(chart.title),
                "measures": chart.measures,
                "stacked": chart.is_stacked,
                "notes": [one_line(note) for note in chart.notes],
            }
            for chart in explorer.charts
        ],
        "switches": [
            {
                "id": switch.id,
                "title": one_line(switch.title),
                "note": one_line(switch.note),
                "charts": switch.charts,
                "measures": switch.measures,
                "insteadOf": switch.instead_of,
            }
            for switch in explorer.switches
        ],
    }
    head |= {"colours": colours.SERIES, "ink": colours.INK}
    lines = ",\n".join(f"{encoded(key)}:{encoded(value)}" for key, value in head.items())
    rows = ",\n".join(encoded(_row(each, explorer, report)) for each in explorer.configurations)
    return f'{{{lines},\n"configurations":[\n{rows}\n]}}\n'


def _factor(factor: ExplorerFactor) -> dict[str, Any]:
    return {
        "name": one_line(factor.name),
        "title": one_line(factor.title),
        "values": [_value(value) for value in factor.values],
        "labels": [one_line(label) for label in factor.labels],
    }


def _value(value: FactorValue) -> FactorValue:
    return one_line(value) if isinstance(value, str) else value


def _measure(measure: ExplorerMeasure) -> dict[str, Any]:
    return {
        "metric": one_line(measure.metric),
        "phase": one_line(measure.phase),
        "title": one_line(measure.title),
        "label": one_line(measure.label),
        "unit": one_line(unit_label(measure.unit)),
        "base": one_line(measure.unit.base),
        "factor": measure.unit.factor,
        "better": measure.better or "",
        "isSize": measure.is_size,
    }


def _row(configuration: Configuration, explorer: Explorer, report: Document) -> list[Any]:
    """Return a configuration: values, other factors, size of a device, then a cell per measure."""
    cells: list[Any] = [
        _cell(cell, measure, report) if cell else 0
        for cell, measure in zip(configuration.cells, explorer.measures, strict=False)
    ]
    while cells and cells[-1] == 0:
        cells.pop()
    others = [one_line(value) for value in configuration.others]
    return [[*map(_value, configuration.values)], others, configuration.device_memory, *cells]


def _cell(cell: ExplorerCell, measure: ExplorerMeasure, report: Document) -> list[Any]:
    """Return value, text, case; ratio, its text, verdict; ends of the interval, their text.

    What is missing at the end is left out.
    """
    case = report.case(cell.case)
    summary = case.summary if case else None
    if summary is None or cell.text:
        return [None, one_line(cell.text), cell.case]
    value = summary.value
    factor = measure.unit.factor
    text = number_text(value / factor, measure.digits, measure.decimals)
    ratio: list[Any] = [None, cell.reason, ""] if cell.reason else []
    if cell.ratio is not None:
        ratio = [_machine(cell.ratio), ratio_text(cell.ratio, measure.digits), cell.verdict]
    interval: list[Any] = []
    if summary.repeats > 1:
        low, high = summary.ends
        interval = [_machine(low), _machine(high), interval_text(low / factor, high / factor, text)]
        ratio = ratio or [None, "", ""]
    return [_machine(value), text, cell.case, *ratio, *interval]


def _machine(value: float) -> float | None:
    text = units.machine(value)
    return float(text) if text else None
