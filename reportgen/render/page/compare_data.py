"""Encode what the script of a page needs to compare any two of its cases, as `reportgen compare` does.

All pairs of a report are too many for a page, so the script compares the two that a reader asks for
(`comparisons.js`). It computes from the same values and constants: `compare_words` are those of
`reportgen.compare`, and the fields of a case are what `document.sides` makes a side of.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from reportgen.compare import conditions, contract, terms
from reportgen.compare.verdict import TURNS
from reportgen.compare.verdicts import arrangement, decision
from reportgen.core.command_line import arguments_of
from reportgen.core.factors import FactorKey, factor_key
from reportgen.core.metrics import RATES, metric_of
from reportgen.core.model import RESERVED
from reportgen.core.plain_text import one_line
from reportgen.core.stats import median
from reportgen.document.model import Case, Document
from reportgen.protocol.conditions import CLOCK, DEVICE, ITEM, PARTS, QUANTITIES, RANKS, STATISTIC, WORK

Json = dict[str, Any]


def compare_words() -> Json:
    """Return the vocabulary of contracts and the constants of verdicts, for the script of all pages."""
    rule = decision.DecisionRule()
    return {
        "command": conditions.COMMAND,
        "item": ITEM,
        "parts": PARTS,
        "unexplained": QUANTITIES,
        "variable": terms.VARIABLE,
        "essential": conditions.ESSENTIAL,
        "alwaysEssential": [
            *(CLOCK, conditions.EVIDENCE, STATISTIC, ITEM, *conditions.OF_SAMPLES),
            *sorted(terms.WORK_TERMS - terms.SIZE_TERMS),
        ],
        "ofTime": [WORK, *sorted(terms.SIZE_TERMS)],
        "work": sorted(terms.WORK_TERMS),
        "sizes": sorted(conditions.SIZES),
        "ofSize": [WORK, RANKS, *sorted(terms.SIZE_TERMS)],
        "deviceNames": sorted(conditions.DEVICE_NAMES),
        "ofDevice": [DEVICE, *sorted(terms.DEVICE_TERMS)],
        "deviceTerms": sorted(terms.DEVICE_TERMS),
        "expected": contract.EXPECTED,
        "ofItems": contract.OF_ITEMS,
        "versions": terms.VERSIONS,
        "gpuVersions": sorted(terms.GPU_VERSIONS),
        "settings": terms.SETTINGS,
        "rule": {
            "confidence": rule.confidence,
            "margin": rule.margin,
            "separation": decision.SEPARATION,
            "separationOfFewer": decision.SEPARATION_OF_FEWER,
            "fewestSeparated": decision.FEWEST_SEPARATED,
            "fewestShared": arrangement.FEWEST_SHARED,
            "alternatingLevel": arrangement.ALTERNATING_LEVEL,
            "maxLogRatio": decision.MAX_LOG_RATIO,
            "turns": TURNS,
        },
    }


def quantity(case: Case) -> tuple[str, str, str, bool, bool, str]:
    """Return metric, phase, better direction, whether it is a speed, and a rate, and the protocol."""
    metric = metric_of(case.metric, case.unit)
    is_rate = metric.unit in RATES
    return case.metric, case.phase, metric.better or "", metric.is_speed, is_rate, one_line(case.protocol)


def names_of_terms(report: Document) -> dict[str, tuple[str, str]]:
    """Return the term and the version that names of factors and conditions stand for, if any."""
    names = {name for case in report.cases for name in (*case.factors, *case.conditions)}
    known = {one_line(name): (terms.term_of(name), terms.version_of(name)) for name in sorted(names)}
    return {name: meaning for name, meaning in known.items() if any(meaning)}


def values_of(case: Case) -> tuple[tuple[str, Any], ...]:
    """Return the conditions by name; a command as its arguments, because only these differ in meaning."""
    return tuple(
        (one_line(name), arguments_of(value) if name == conditions.COMMAND else one_line(value))
        for name, value in case.conditions.items()
    )


def fields_of_runs(case: Case) -> Json:
    """Return what a comparison needs of the runs of a case besides its evidence; often nothing."""
    runs = [each.run for each in case.measurements]
    return {
        "starts": _if_any([run.started for run in runs], lambda start: start is not None),
        "clocks": _if_any([one_line(run.started_clock) for run in runs], bool),
        "rounds": _if_any([run.round for run in runs], bool),
    }


def fields_of_case(case: Case, shown: Sequence[float]) -> Json:
    """Return what a comparison needs of a case besides its evidence and its runs; often nothing.

    shown  the values of its repeats in the base unit, as the evidence has them: rounded
    """
    values = [each.value for each in case.measurements]
    summary = case.summary
    return {
        "exact": values if values != list(shown) else None,
        "number": summary.value if summary and (not values or summary.value != median(values)) else None,
        "overAll": summary.over_all if summary else None,
        "invalid": case.invalid or None,
    }


def _if_any(values: list[Any], is_said: Callable[[Any], bool]) -> list[Any] | None:
    return values if any(map(is_said, values)) else None


def ambiguous_names(cases: Iterable[Case]) -> frozenset[str]:
    """Return the factors with values that have one text or one meaning, not both: 1 and "1", 1 and 1.0."""
    keys: Mapping[tuple[str, str], set[FactorKey]] = defaultdict(set)
    texts: Mapping[tuple[str, FactorKey], set[str]] = defaultdict(set)
    for case in cases:
        for name, value in case.factors.items():
            keys[name, str(value)].add(factor_key(value))
            texts[name, factor_key(value)].add(str(value))
    several = (name for both in (keys, texts) for (name, _), values in both.items() if len(values) > 1)
    return frozenset(several) - set(RESERVED)


def factor_keys(case: Case, names: Iterable[str]) -> dict[str, str]:
    """Return texts that are equal where the values of these factors are."""
    return {one_line(name): _key(factor_key(case.factors[name])) for name in names if name in case.factors}


def _key(key: FactorKey) -> str:
    kind, value = key
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    return repr(value) if kind == "text" else str(number)
