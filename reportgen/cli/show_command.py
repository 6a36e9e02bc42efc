"""The command show: one run with its steps and telemetry."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from reportgen.cli.options import Format, TextOrJson, print_document
from reportgen.cli.terminal import print_table, sanitize, terminal_width
from reportgen.render.text.english import count

if TYPE_CHECKING:
    from reportgen.core.model import Factors
    from reportgen.report.run_entry import FindingEntry
    from reportgen.report.run_view import Curve, RunView

_PIPED_WIDTH = 100
_MIN_CURVE, _MAX_CURVE = 20, 120


def show(
    run: Annotated[str, typer.Argument(help="A log, or PATH#2 for the second run in it.", metavar="RUN")],
    protocol: Annotated[str, typer.Option(help="warm-up + measured steps x repeats")] = "20+100x7",
    format: Format = TextOrJson.TEXT,
) -> None:
    """Print one run: factors, values, curves, findings.

    \b
    Example: reportgen show logs/a40/r1.log
             reportgen show logs/sweep.log#2 --protocol 10+50x1

    Each letter of a curve is as high as the largest value that it stands for, from the lowest to the
    highest of the curve. Below it, = marks the steps that the protocol measures.
    """
    from reportgen import api

    view = api.view_run(run, protocol=protocol)
    if format is TextOrJson.JSON:
        print_document(**view.document())
    else:
        _print_view(view)


def _print_view(view: "RunView") -> None:
    print(sanitize(f"{view.id}  {view.status}  {view.format}  {view.source}"))
    for title, facts in (("factors", view.factors), ("environment", view.environment)):
        if facts:
            _print_section(title, _facts(facts))
    if view.measurements:
        unit_of = view.unit_of
        values = [
            (
                value.metric.replace("_", " "),
                value.phase,
                _number(value.value),
                unit_of(value),
                value.evidence,
                f"invalid: {value.invalid}" if value.invalid else "",
            )
            for value in view.measurements
        ]
        _print_section("measured", values)
    for title, curves in (("steps", view.steps), ("telemetry", view.telemetry)):
        if curves:
            print(f"\n{title}")
            for line in _curve_lines(curves):
                print(sanitize(line))
    if view.findings:
        _print_section("findings", [_finding(each) for each in view.findings])


def _finding(finding: "FindingEntry") -> tuple[str, ...]:
    line = f":{finding.line}" if finding.line else ""
    return finding.severity, finding.rule, finding.message, f"{finding.path or ''}{line}"


def _print_section(title: str, rows: Sequence[tuple[str, ...]]) -> None:
    print(f"\n{title}")
    print_table([("", *row) for row in rows])


def _facts(facts: "Factors") -> list[tuple[str, ...]]:
    return [(name, str(value)) for name, value in facts.items()]


def _number(value: float | int | None) -> str:
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _curve_lines(curves: "tuple[Curve, ...]") -> Iterator[str]:
    """Yield each curve under its name and range, as wide as the terminal."""
    from reportgen.report.run_view import ruler, sparkline

    width = min(max((terminal_width() or _PIPED_WIDTH) - 4, _MIN_CURVE), _MAX_CURVE)
    before = None
    for curve in curves:
        yield f"  {curve.name}: {count(len(curve.values), 'value')}, {curve.range_text}"
        yield f"    {sparkline(curve.values, width)}"
        if curve.measured is not None and (marks := ruler(curve.measured, width)) != before:
            yield f"    {marks}"
            before = marks
