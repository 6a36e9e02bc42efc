"""Normalise every run: rename reserved factors, replace values that look alike or cannot be represented.

A log may name its options as it likes, so readers need not know what a table can address. A run whose log has
a factor called `phase`, a number of 400 digits or a negative time comes out changed, with a finding for each.
"""

import math
import unicodedata
from dataclasses import replace

from reportgen.core.factors import is_factor_value, parse_scalar
from reportgen.core.metrics import metric_of
from reportgen.core.model import RESERVED, STEP, Aggregate, Factors, FactorValue, Finding, Run
from reportgen.core.rules import Rule

# Factors that are counts: "8" is the number 8.
_COUNTS = frozenset(
    ("nodes", "devices", "devices_per_node", "ranks", "batch_size", "global_batch_size", "seq_len")
)


def normalize_run(run: Run) -> Run:
    """Return the run with valid factor names and values, and without impossible aggregates."""
    return _replace_impossible_aggregates(_replace_invalid_factors(_replace_look_alikes(run)))


def _replace_look_alikes(run: Run) -> Run:
    """Replace what is another value and means the same: a count as text, spaces around it, a split accent."""
    changed = {
        name: canonical
        for name, value in run.factors.items()
        if isinstance(value, str) and (canonical := _canonical(name, value)) != value
    }
    return replace(run, factors={**run.factors, **changed}) if changed else run


def _canonical(name: str, text: str) -> FactorValue:
    stripped = unicodedata.normalize("NFC", text).strip()
    is_count = name in _COUNTS and stripped.isascii() and stripped.isdigit()
    return parse_scalar(stripped) if is_count else stripped


def _replace_impossible_aggregates(run: Run) -> Run:
    """Replace aggregates that no run can have by NaN: times and rates below zero, whole steps without time.

    A phase may take no time, or less than its printed digits show; so may a step, and a rate may be 0, of a
    table that says so.
    """
    wrong = [each for each in run.aggregates if _is_impossible(each)]
    if not wrong:
        return run
    aggregates = tuple(replace(each, value=math.nan) if each in wrong else each for each in run.aggregates)
    findings = (*run.findings, *(_impossible_value(run, each) for each in wrong))
    return replace(run, aggregates=aggregates, findings=findings)


def _is_impossible(aggregate: Aggregate) -> bool:
    metric = metric_of(aggregate.metric)
    if aggregate.value < 0:
        return metric.is_never_negative
    is_zero = aggregate.value == 0 and not aggregate.is_rounded
    return is_zero and metric.is_speed and aggregate.phase == STEP


def _impossible_value(run: Run, aggregate: Aggregate) -> Finding:
    what = "negative" if aggregate.value < 0 else "zero"
    message = f'{aggregate.metric} ({aggregate.phase}) is {what}: "{aggregate.original}"; not used'
    return Finding("warning", Rule.READ_MALFORMED_LINE, run.id, message, aggregate.source)


def _replace_invalid_factors(run: Run) -> Run:
    reserved = [name for name in RESERVED if name in run.factors]
    invalid = [name for name, value in run.factors.items() if not is_factor_value(value)]
    if not reserved and not invalid and all(map(is_factor_value, run.environment.values())):
        return run
    new_names = {name: _free_name(name, run.factors) for name in reserved}
    factors = {new_names.get(name, name): value for name, value in _as_text(run.factors).items()}
    findings = [
        _finding(
            run,
            Rule.READ_LABEL_CONFLICT,
            f"{name} is reserved: this factor is called {new_names[name]} instead; rename it in labels.toml",
        )
        for name in reserved
    ]
    findings += [
        _finding(run, Rule.READ_MALFORMED_LINE, f"{name}: not a finite number of 64 bits; kept as text")
        for name in invalid
    ]
    environment = _as_text(run.environment)
    return replace(run, factors=factors, environment=environment, findings=(*run.findings, *findings))


def _free_name(name: str, factors: Factors) -> str:
    new = f"{name}_factor"
    while new in factors:
        new += "_"
    return new


def _as_text(factors: Factors) -> dict[str, FactorValue]:
    """Return the factors with text in place of values that cannot be represented."""
    return {name: value if is_factor_value(value) else str(value) for name, value in factors.items()}


def _finding(run: Run, rule: Rule, message: str) -> Finding:
    return Finding("warning", rule, run.id, message, run.source)
