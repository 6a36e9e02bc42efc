"""Encode the explorer of a report as JSON for the script of index.html, one line per configuration.

The keys are in docs/explanation/rendering.md. Numbers come with their texts, rounded as the tables round
them, so the script rounds nothing.
"""

from collections.abc import Callable
from typing import Any

from reportgen.core import units
from reportgen.core.model import Case, FactorValue
from reportgen.core.plain_text import one_line
from reportgen.render.figures import colours
from reportgen.render.grid.grid import interval_text, number_text, ratio_text, unit_label
from reportgen.render.page.page_json import encoded
from reportgen.tables.explorer_model import (
    Configuration,
    Explorer,
    ExplorerCell,
    ExplorerFactor,
    ExplorerMeasure,
)

NameOf = Callable[[Case | None], str | None]


def explorer_json(explorer: Explorer, name_of: NameOf) -> str:
    """Return the document.

    name_of  returns the name of a case of the report
    """
    head: dict[str, Any] = {
        "factors": [_factor(factor) for factor in explorer.factors],
        "compared": explorer.factors.index(explorer.compared) if explorer.compared else -1,
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
    rows = ",\n".join(encoded(_row(each, explorer, name_of)) for each in explorer.configurations)
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


def _row(configuration: Configuration, explorer: Explorer, name_of: NameOf) -> list[Any]:
    """Return a configuration: values, other factors, size of a device, then a cell per measure."""
    cells: list[Any] = [
        _cell(configuration.cells[i], measure, name_of) if i in configuration.cells else 0
        for i, measure in enumerate(explorer.measures)
    ]
    while cells and cells[-1] == 0:
        cells.pop()
    others = [one_line(value) for value in configuration.others]
    return [configuration.values, others, configuration.device_memory, *cells]


def _cell(cell: ExplorerCell, measure: ExplorerMeasure, name_of: NameOf) -> list[Any]:
    """Return value, text, case; ratio, its text, verdict; ends of the interval, their text.

    What is missing at the end is left out.
    """
    value = cell.value
    if value is None:
        return [None, one_line(cell.text), name_of(cell.case)]
    factor = measure.unit.factor
    text = number_text(value / factor, measure.digits, measure.decimals)
    ratio: list[Any] = [None, cell.reason, ""] if cell.reason else []
    if compared := cell.comparison:
        verdict = compared.verdict.kind if compared.verdict else ""
        ratio = [_machine(compared.value), ratio_text(compared.value, measure.digits), verdict]
    summary = cell.case.summary if cell.case else None
    interval: list[Any] = []
    if summary and summary.n > 1:
        ends = interval_text(summary.low / factor, summary.high / factor, text)
        interval = [_machine(summary.low), _machine(summary.high), ends]
        ratio = ratio or [None, "", ""]
    return [_machine(value), text, name_of(cell.case), *ratio, *interval]


def _machine(value: float) -> float | None:
    text = units.machine(value)
    return float(text) if text else None
