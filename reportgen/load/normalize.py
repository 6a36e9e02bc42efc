"""What every run must hold, whoever read it: factors under names of their own, values that can be kept.

A run goes in and comes out, mended where its log has a factor called `phase`, a number of 400 digits or
a time below zero, and with a finding for each. Readers need not know of it: a log may call its options as
it likes.
"""

import math
from dataclasses import replace

from reportgen.core.metrics import metric
from reportgen.core.model import RESERVED, Aggregate, Factors, FactorValue, Finding, Run, is_value
from reportgen.core.rules import Rule


def wellformed(run: Run) -> Run:
    """Return the run with factors that a table can address and every program can hold, no figure amiss."""
    return _with_possible_figures(_with_possible_factors(run))


def _with_possible_figures(run: Run) -> Run:
    """Return the run with NaN for the figures that lie below zero where none of the metric can."""
    wrong = [one for one in run.aggregates if one.value < 0 and metric(one.metric).is_never_negative]
    if not wrong:
        return run
    figures = tuple(replace(one, value=math.nan) if one in wrong else one for one in run.aggregates)
    return replace(run, aggregates=figures, findings=(*run.findings, *(_negative(run, one) for one in wrong)))


def _negative(run: Run, one: Aggregate) -> Finding:
    message = f'"{one.original}" is no {one.metric} ({one.phase}): it is negative'
    return Finding("warning", Rule.READ_MALFORMED_LINE, run.id, message, one.source)


def _with_possible_factors(run: Run) -> Run:
    reserved = [name for name in RESERVED if name in run.factors]
    unheld = [name for name, value in run.factors.items() if not is_value(value)]
    if not reserved and not unheld and all(map(is_value, run.environment.values())):
        return run
    new = {name: _free(name, run.factors) for name in reserved}
    factors = {new.get(name, name): value for name, value in _held(run.factors).items()}
    findings = [
        _finding(
            run,
            Rule.READ_LABEL_CONFLICT,
            f"{name} is reserved: the factor of the log is called {new[name]} here; rename it in labels.toml",
        )
        for name in reserved
    ]
    findings += [
        _finding(run, Rule.READ_MALFORMED_LINE, f"{name}: not a finite number of 64 bits, kept as text")
        for name in unheld
    ]
    return replace(
        run, factors=factors, environment=_held(run.environment), findings=(*run.findings, *findings)
    )


def _free(name: str, factors: Factors) -> str:
    new = f"{name}_factor"
    while new in factors:
        new += "_"
    return new


def _held(factors: Factors) -> dict[str, FactorValue]:
    return {name: value if is_value(value) else str(value) for name, value in factors.items()}


def _finding(run: Run, rule: Rule, message: str) -> Finding:
    return Finding("warning", rule, run.id, message, run.source)
