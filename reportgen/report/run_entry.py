"""One run as a listing shows it: what it is, what it measured, what may be wrong, without its steps.

The structs are the contract of `runs --format json` (docs/reference/cli.md): their fields are its keys, in
this order, in base units.
"""

import msgspec

from reportgen.core.case_findings import invalid_rule
from reportgen.core.model import STEP, Factors, FactorValue, Finding, Measurement, Run, Series, Window
from reportgen.core.rules import Rule, Severity
from reportgen.core.units import machine
from reportgen.protocol import MeasuredRun, Protocol, no_number_at_all, try_measure


class FindingEntry(msgspec.Struct, frozen=True):
    """A finding; `path` and `line` are null where it has no source or no line."""

    severity: Severity
    rule: Rule
    message: str
    path: str | None
    line: int | None


class StepsEntry(msgspec.Struct, frozen=True):
    """How many steps a log has: the series with the most whole steps, or with the most of any phase."""

    count: int
    first: int | None
    last: int | None


class WindowEntry(msgspec.Struct, frozen=True):
    """The steps that were measured; see `Window`."""

    first: int
    last: int
    steps: int
    time: float | int | None
    gap_time: float | int | None
    samples: float | int | None
    outside: float | int | None


class MeasurementEntry(msgspec.Struct, frozen=True):
    """One measured value of a run; `invalid` is the rule for which it means nothing, else null.

    stated_spread  what the log states beside the value; absent if it states none
    """

    metric: str
    phase: str
    value: float | int | None
    unit: str
    evidence: str
    window: WindowEntry | None
    invalid: str | None = None
    stated_spread: float | int | msgspec.UnsetType | None = msgspec.UNSET


class RunEntry(msgspec.Struct, frozen=True):
    """One run: what it is, what it measured, what may be wrong.

    part_of  number of the run in its log whose results this is a part of; absent for a whole run
    """

    id: str
    path: str
    format: str
    status: str
    repeat: int | None
    factors: dict[str, FactorValue | None]
    environment: dict[str, FactorValue | None]
    samples_per_step: float | int | None
    steps: StepsEntry
    measurements: tuple[MeasurementEntry, ...]
    findings: tuple[FindingEntry, ...]
    part_of: int | msgspec.UnsetType = msgspec.UNSET


def entry_of_run(run: Run, protocol: Protocol) -> RunEntry:
    """Return a run as it is listed, measured under a protocol."""
    measured = MeasuredRun(run)
    attempts = {pair: try_measure(measured, *pair, protocol) for pair in measured.available()}
    values = [(*pair, attempt.measurement) for pair, attempt in attempts.items() if attempt.measurement]
    findings = dict.fromkeys((*run.findings, *(() if attempts else no_number_at_all(run))))
    for attempt in attempts.values():
        findings |= dict.fromkeys(attempt.measurement.findings if attempt.measurement else ())
        findings |= dict.fromkeys(attempt.findings)
    return RunEntry(
        id=run.id,
        path=run.source.path,
        format=run.format,
        status=run.status,
        repeat=run.repeat,
        factors=_values(run.factors),
        environment=_values(run.environment),
        samples_per_step=json_number(run.samples_per_step),
        steps=_steps(run),
        measurements=tuple(_measurement(*value) for value in values),
        findings=tuple(map(finding_entry, findings)),
        part_of=run.part_of or msgspec.UNSET,
    )


def _measurement(metric: str, phase: str, result: Measurement) -> MeasurementEntry:
    value = json_number(result.value)
    window, rule = _window(result.window), invalid_rule(metric, phase, [result])
    spread = msgspec.UNSET if result.stated_spread is None else json_number(result.stated_spread)
    return MeasurementEntry(metric, phase, value, result.unit, result.evidence, window, rule or None, spread)


def _window(window: Window | None) -> WindowEntry | None:
    if window is None:
        return None
    numbers = map(json_number, (window.time, window.gap_time, window.samples, window.outside))
    return WindowEntry(window.first, window.last, window.steps, *numbers)


def _steps(run: Run) -> StepsEntry:
    whole = [series for series in run.series if series.phase == STEP] or list(run.series)
    fullest: Series | None = max(whole, key=lambda series: len(series.step), default=None)
    if fullest is None or not len(fullest.step):
        return StepsEntry(0, None, None)
    first = int((fullest.step - fullest.span).min()) + 1
    return StepsEntry(len(fullest.step), first, int(fullest.step.max()))


def _values(factors: Factors) -> dict[str, FactorValue | None]:
    return {_printable(name): _value(value) for name, value in sorted(factors.items())}


def _value(value: FactorValue) -> FactorValue | None:
    if isinstance(value, str):
        return _printable(value)
    return json_number(value) if isinstance(value, float) else value


def _printable(text: str) -> str:
    """Return a text that can be encoded as UTF-8; JSON logs may contain halves of surrogate pairs."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def json_number(value: float | None) -> float | int | None:
    """Return a number of 12 significant digits; None where JSON has no number for it."""
    if value is None or not (digits := machine(value)):
        return None
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def finding_entry(finding: Finding) -> FindingEntry:
    """Return a finding as it is listed."""
    source = finding.source
    return FindingEntry(
        finding.severity,
        finding.rule,
        _printable(finding.text),
        source.path if source else None,
        (source.line or None) if source else None,
    )
