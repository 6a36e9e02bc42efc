"""The sentences at the top of a report whose author wrote none: what its comparisons show.

One sentence for each entry that compares, about the whole step where a table has it, else with the phases
that it leaves out. Each carries its interval, or why there is none, and the warnings about its runs.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from reportgen.compare.expected_speed import Expected
from reportgen.compare.pair import devices_ratio
from reportgen.compare.verdict import EQUAL, VerdictKind, difference_text, interval_text
from reportgen.core import units
from reportgen.core.devices import shown_value
from reportgen.core.metrics import item_of, metric_of
from reportgen.core.model import STEP, Case
from reportgen.core.stats import geometric_mean
from reportgen.core.units import Unit
from reportgen.protocol.conditions import STATISTIC, statistic_of
from reportgen.protocol.measure_steps import LEFT_OUT_SHARE
from reportgen.report.compared_pairs import ComparedEntry, ComparedPair, compared_entries
from reportgen.tables.headings import plain
from reportgen.tables.results import Table
from reportgen.tables.spec import PHASE

T = TypeVar("T")

MAX_SENTENCES = 3
# The statistics that a sentence prefers.
_USUAL_STATISTICS = ("median", "mean", "total")
# A sentence names at most this many things in which the compared runs differ.
_MAX_DIFFERENCES = 3
# and ranks at most this many subjects.
_MAX_SUBJECTS = 4

# Factors whose value is a number of things, which the name calls: "4 devices".
_COUNTS = ("devices", "nodes")
_PLURAL_SUBJECT = re.compile(rf"(?!1 )[0-9]+ (?:{'|'.join(_COUNTS)})\b|the cases\b")
_PLURAL_VERBS = {"is": "are", "is likely": "are likely", "has": "have", "reaches": "reach", "seems": "seem"}

_COUNTED_VERDICTS: tuple[VerdictKind, ...] = (
    "faster", "slower", "same", "likely faster", "likely slower", "undecided",
)  # fmt: skip
_KINDS_OF_EVIDENCE = {"published": "published figures", "aggregate": "aggregates from the logs"}


def headline_sentences(tables: Sequence[Table]) -> list[str]:
    """Return a sentence for each of the first entries that compare, [] if none does.

    The author puts the most important table first. Entries about a part of the step are left out if
    another one is about all of it.
    """
    entries = compared_entries(tables)
    whole = [entry for entry in entries if any(not pair.left_out for pair in entry.pairs)]
    sentences: list[str] = []
    known: set[str] = set()
    for entry in (whole or entries)[:MAX_SENTENCES]:
        statement, caveats = _sentence(entry)
        sentences.append(f"{statement}.{' The same caveats apply.' if caveats in known else caveats}")
        known |= {caveats} - {""}
    return sentences


def value_sentences(tables: Sequence[Table]) -> list[str]:
    """Return a sentence with the numbers of the first table that has any, for a report that compares nothing.

    Different work is neither faster nor slower: the lowest and the highest number are named with what they
    belong to.
    """
    for table in tables:
        by_phase: dict[tuple[str, str], list[_Value]] = {}
        for value in _values(table):
            by_phase.setdefault((value.case.metric, value.case.phase), []).append(value)
        if by_phase:
            # The whole step, else the part that takes the longest.
            longest = max(by_phase, key=lambda key: (key[1] == STEP, sum(v.median for v in by_phase[key])))
            values = _of_one_statistic(by_phase[longest], lambda value: value.case)
            items = {item_of(value.case.metric, value.case.factors) for value in values}
            text = _value_range(values) if len(items) == 1 else _units_of(values)
            return [f"{_value_title(table, values[0].case)}: {text}."]
    is_invalid = any(cell.invalid for table in tables for line in table.cells for cell in line)
    what = "a valid number" if is_invalid else "a number"
    return [f"No table has {what}; the findings say why."] if tables else []


@dataclass(frozen=True, slots=True, eq=False)
class _Value:
    """A measured number of a table, with the heads of its row and column in words."""

    place: str
    case: Case
    median: float


def _values(table: Table) -> list[_Value]:
    values = []
    for row, line in zip(table.rows, table.cells, strict=True):
        for column, cell in zip(table.columns, line, strict=True):
            is_value = cell.kind == "number" and column.quantity == "value" and not cell.invalid
            if is_value and cell.case and cell.case.summary:
                heads = zip(table.column_factors, column.labels, strict=False)
                words = [row.words(table.row_titles), *(label.text for name, label in heads if name != PHASE)]
                known = ("", "-", statistic_of(cell.case))
                place = ", ".join(word for word in ", ".join(words).split(", ") if word not in known)
                values.append(_Value(place, cell.case, cell.case.summary.median))
    return values


def _value_title(table: Table, case: Case) -> str:
    title = table.title if case.phase == STEP else f"{table.title} ({case.phase.replace('_', ' ')})"
    is_named = STATISTIC in (*table.row_factors, *table.column_factors)
    return f"{title}, {statistic_of(case)}" if is_named and statistic_of(case) else title


def _of_one_statistic(items: Iterable[T], case_of: Callable[[T], Case]) -> list[T]:
    """Return the items of one statistic: of several the median or mean, else the first one."""
    by_statistic: dict[str, list[T]] = {}
    for item in items:
        by_statistic.setdefault(statistic_of(case_of(item)), []).append(item)
    usual = [name for name in _USUAL_STATISTICS if name in by_statistic]
    return by_statistic[[*usual, *by_statistic][0]] if by_statistic else []


def _units_of(values: Sequence[_Value]) -> str:
    names = sorted({_unit(value.case).name for value in values})
    return f"{len(values):,} numbers ({', '.join(names)}) measure different work and are not compared"


def _value_range(values: Sequence[_Value]) -> str:
    """Return the only number with its repeats, or the lowest and the highest of several."""
    low, high = (end(values, key=lambda value: value.median) for end in (min, max))
    unit = _unit(*(value.case for value in values))
    texts = [f"{units.text(value.median / unit.factor)} {unit.name}".rstrip() for value in (low, high)]
    texts = [f"{text}{_with_gaps(value, unit)}" for text, value in zip(texts, (low, high), strict=True)]
    if len(values) > 1 and texts[0] == texts[1]:
        return f"{len(values):,} numbers agree to the digits shown: {texts[0]}"
    if len(values) > 1:
        low_end, high_end = (
            f"{text} ({value.place})" if value.place else text
            for text, value in zip(texts, (low, high), strict=True)
        )
        return f"{len(values):,} numbers range from {low_end} to {high_end}"
    repeats = len(low.case.measurements)
    only = f"the only number is {texts[0]}{f' ({low.place})' if low.place else ''}"
    if repeats == 1:
        return f"{only}; it comes from one run, so nothing says how much it varies"
    return f"{only}; its {repeats} repeats are {_range_of_repeats(low.case, unit)}"


def _with_gaps(value: _Value, unit: Unit) -> str:
    """Return the number with the time that gaps left out, where that is much; "" elsewhere."""
    over_all = value.case.summary.over_all if value.case.summary else None
    return "" if over_all is None else f" while stepping, {units.text(over_all / unit.factor)} with its gaps"


def _sentence(entry: ComparedEntry) -> tuple[str, str]:
    """Return the sentence about an entry, without full stop, and the sentences about its doubts."""
    pairs = [pair for pair in entry.pairs if not pair.left_out] or _of_longest_part(entry.pairs)
    pairs = [pair for pair in pairs if pair.case.metric == pairs[0].case.metric]
    pairs = _of_one_statistic(pairs, lambda pair: pair.case)
    expected = [pair for pair in entry.pairs if pair.comparison.excess is not None]
    if expected:
        statement, pairs = _expectation(entry, expected)
    elif len(pairs) == 1:
        statement = _single(entry, pairs[0])
    else:
        statement = _range(entry, pairs)
    return statement, _caveats(entry, pairs)


def _of_longest_part(pairs: Sequence[ComparedPair]) -> list[ComparedPair]:
    """Return the pairs about the part of the step that takes most of the time of the baselines."""
    durations: dict[str, float] = {}
    for pair in pairs:
        if pair.case.unit == "s" and pair.baseline.summary:
            duration = durations.get(pair.case.phase, 0.0) + pair.baseline.summary.median
            durations[pair.case.phase] = duration
    longest = max(durations, key=durations.__getitem__, default="")
    return [pair for pair in pairs if pair.case.phase == longest] or list(pairs)


def _caveats(entry: ComparedEntry, pairs: Sequence[ComparedPair]) -> str:
    """Return the sentences about what makes the numbers doubtful, each after a space; "" if nothing does."""
    rules = sorted({f"`{finding.rule}`" for pair in pairs for finding in pair.warnings})
    warnings = f" These runs have warnings: {', '.join(rules)}." if rules else ""
    names = list(dict.fromkeys(each.name for pair in pairs for each in pair.comparison.differs))
    differing = f" They also differ in {_listed(names)}." if names else ""
    cells = "1 cell is" if entry.incomparable == 1 else f"{entry.incomparable} cells are"
    incomparable = f" {cells} not comparable with the baseline." if entry.incomparable else ""
    unequal = f" {entry.sets_differ}" if entry.sets_differ else ""
    return f"{_over_all(pairs)}{differing}{warnings}{unequal}{incomparable}"


def _over_all(pairs: Sequence[ComparedPair]) -> str:
    """Return how the speeds compare with the time that gaps left out, where that is much; "" elsewhere."""
    left_out = [pair for pair in pairs if pair.comparison.speed_ratio_over_all is not None]
    if not left_out:
        return ""
    ratios = [pair.comparison.speed_ratio_over_all or _speed_ratio(pair) for pair in pairs]
    is_or_are = "it is" if len(pairs) == 1 else "they are"
    many = "" if len(pairs) == 1 else f" in {len(left_out)} of {len(pairs)} comparisons"
    what = f"Gaps that the protocol leaves out take more than {100 * LEFT_OUT_SHARE:g} % of the time{many}"
    return f" {what}: with them, {is_or_are} {_span_of_ratios(ratios).partition(' (')[0]}."


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_DIFFERENCES} more" if len(names) > _MAX_DIFFERENCES else ""
    return f"{', '.join(names[:_MAX_DIFFERENCES])}{more}"


# One pair


def _single(entry: ComparedEntry, pair: ComparedPair) -> str:
    verb, rest = _comparison(pair)
    return f"{_titled(entry.title, pair)}: {_clause(_subject(pair.case, _shown(pair)), verb)} {rest}"


def _clause(subject: str, verb: str) -> str:
    """Return a subject with a verb in its number: "4 devices are"."""
    return f"{subject} {_PLURAL_VERBS[verb] if _PLURAL_SUBJECT.match(subject) else verb}"


def _titled(title: str, pair: ComparedPair) -> str:
    """Return the title with the place of a pair, and what of the step its number leaves out."""
    part = f"{_phase(pair)} without {_joined(pair.left_out)}" if pair.left_out else ""
    heads = ", ".join(text for text in pair.place.split(", ") if not part or text != _phase(pair))
    place = "; ".join(text for text in (heads, part) if text)
    return f"{title} ({place})" if place else title


def _phase(pair: ComparedPair) -> str:
    return pair.case.phase.replace("_", " ")


def _subject(case: Case, names: Iterable[str]) -> str:
    """Return a case by the factors in which it differs from the other.

    A text that its log does not state is left out if others name the case.
    """
    words = []
    names = list(names)
    has_name = any(isinstance(case.factors.get(name), str) for name in names)
    for name in names:
        value = case.factors.get(name)
        title = name.replace("_", " ")
        if isinstance(value, bool):
            words.append(f"with {title}" if value else f"without {title}")
        elif name in _COUNTS and isinstance(value, int):
            words.append(f"{value} {title.removesuffix('s') if value == 1 else title}")
        elif value is not None:
            words.append(shown_value(name, value) if isinstance(value, str) else f"{title} {plain(value)}")
        elif not has_name:
            words.append(f"without {title}")
    if has_name and len(words) > 1:
        return f"{words[0]} ({', '.join(words[1:])})"
    return ", ".join(words) or "the case"


def _shown(pair: ComparedPair) -> Sequence[str]:
    """Return the factors in which a pair differs, without those that follow from one that has a heading."""
    table = pair.table
    shown = [name for name in (*table.row_factors, *table.column_factors) if name in pair.differing]
    return shown or pair.differing


def _comparison(pair: ComparedPair) -> tuple[str, str]:
    """Return the comparison of one pair, to follow its subject: a verb, and the rest."""
    baseline = _subject(pair.baseline, _shown(pair))
    value, verdict = pair.comparison.value, pair.comparison.verdict
    if pair.comparison.kind == "efficiency":
        speedup = f"{_times(_speedup(pair))}x the speed of {baseline}"
        return "reaches", f"{speedup} ({_share_of_ideal(pair)}; {_evidence(pair)})"
    if not metric_of(pair.case.metric).is_speed:
        return "has", f"{_times(value)}x the {_metric_in_words(pair)} of {baseline} ({_evidence(pair)})"
    if verdict and verdict.kind in ("faster", "slower") and verdict.low is not None:
        difference, _, interval = verdict.sentence().partition(" (")
        return "is", f"{difference} than {baseline} ({interval}"
    if verdict and verdict.kind == "same":
        return "is", f"as fast as {baseline}: {verdict.sentence()}"
    size = difference_text(_speed_ratio(pair))
    words = f"as fast as {baseline}" if size == EQUAL else f"{size} than {baseline}"
    if verdict and verdict.kind in ("likely faster", "likely slower"):
        return "is likely", f"{words} ({_evidence(pair)}; {verdict.spread_text})"
    if verdict and verdict.kind == "undecided":
        return "seems", f"{words} ({_evidence(pair)}), but this is {verdict.sentence()}"
    return "is", f"{words} ({_evidence(pair)})"


def _speedup(pair: ComparedPair) -> float:
    """Return the speed-up behind a scaling efficiency."""
    return pair.comparison.value * devices_ratio(pair.case.factors, pair.baseline.factors)


def _share_of_ideal(pair: ComparedPair) -> str:
    """Return a scaling efficiency in words: n times the devices reach n times the speed at best."""
    percent = 100 * pair.comparison.value
    return f"{units.text(percent, decimals=0 if percent >= 9.95 else 1)} % of ideal"


def _metric_in_words(pair: ComparedPair) -> str:
    title = metric_of(pair.case.metric).title
    return title[0].lower() + title[1:]


def _speed_ratio(pair: ComparedPair) -> float:
    """Return how many times faster the case is than its baseline."""
    ratio = pair.comparison.speed_ratio
    assert ratio is not None
    return ratio


def _evidence(pair: ComparedPair) -> str:
    """Return both ranges, or that there are no repeats."""
    if _is_single(pair):
        return _without_repeats([pair])
    unit = _unit(pair.case, pair.baseline)
    own, base = (_range_of_repeats(case, unit) for case in (pair.case, pair.baseline))
    return f"{own} against {base} {unit.name}".strip()


def _is_single(pair: ComparedPair) -> bool:
    return len(pair.case.measurements) == len(pair.baseline.measurements) == 1


def _without_repeats(pairs: Iterable[ComparedPair]) -> str:
    measurements = [m for pair in pairs for m in (*pair.case.measurements, *pair.baseline.measurements)]
    kinds = {_KINDS_OF_EVIDENCE.get(measurement.evidence, "one run each") for measurement in measurements}
    return f"{_joined(sorted(kinds))}, no repeats"


def _unit(*cases: Case) -> Unit:
    item = item_of(cases[0].metric, cases[0].factors)
    if cases[0].unit == "samples/s" and item:
        return Unit(units.rate_unit(item), "samples/s", 1.0)
    unit = units.choose([m.value for case in cases for m in case.measurements], cases[0].unit)
    return Unit("", unit.base, unit.factor) if unit.name in ("1", "count", "ratio") else unit


def _range_of_repeats(case: Case, unit: Unit) -> str:
    values = [measurement.value / unit.factor for measurement in case.measurements]
    ends = dict.fromkeys(units.text(end) for end in (min(values), max(values)))
    return " to ".join(ends)


# Several pairs


def _range(entry: ComparedEntry, pairs: Sequence[ComparedPair]) -> str:
    """Return the lowest and the highest of several comparisons, each with its place."""
    ordered = sorted(pairs, key=_rank)
    left_out = tuple(dict.fromkeys(name for pair in pairs for name in pair.left_out))
    phases = {_phase(pair) for pair in pairs}
    part = f"{phases.pop()} without" if len(phases) == 1 else "without"
    title = f"{entry.title} ({part} {_joined(left_out)})" if left_out else entry.title
    names = list(dict.fromkeys(name for pair in pairs for name in _shown(pair)))
    subjects, baselines = (
        {_subject(case, names) for case in cases}
        for cases in ([pair.case for pair in pairs], [pair.baseline for pair in pairs])
    )
    if len(subjects) > 1 and len(baselines) == 1 and not _is_plain_number(pairs[0]):
        return f"{title}: relative to {baselines.pop()}, {_ranking(pairs, names)}{_verdicts(pairs)}"
    is_one = len(subjects) == 1
    ends = [
        (pair, _details(pair, "" if is_one else _subject(pair.case, _shown(pair))))
        for pair in (ordered[0], ordered[-1])
    ]
    baseline = baselines.pop() if len(baselines) == 1 else "its baselines" if is_one else "their baselines"
    verb, rest = _span(ends, baseline)
    mean = _mean(pairs) if entry.has_mean else ""
    return (
        f"{title}: {_clause(subjects.pop() if is_one else 'the cases', verb)} {rest}{mean}{_verdicts(pairs)}"
    )


def _span(ends: Sequence[tuple[ComparedPair, str]], baseline: str) -> tuple[str, str]:
    """Return a verb, and the lowest and the highest of several comparisons with their details."""
    (low, at_low), (high, at_high) = ends
    if low.comparison.kind == "efficiency":
        texts = [f"{_size(pair)} ({_share_of_ideal(pair)}; {details})" for pair, details in ends]
        return "reaches", f"{' to '.join(texts)} the speed of {baseline}"
    if _is_plain_number(low):
        span = f"{_size(low)} ({at_low}) to {_size(high)} ({at_high})"
        return "has", f"{span} the {_metric_in_words(low)} of {baseline}"
    sizes = _size(low), _size(high)
    if sizes == (EQUAL, EQUAL):
        return "is", f"as fast as {baseline} ({at_low}; {at_high})"
    if sizes[0] == EQUAL:
        return "is", f"as fast as {baseline} ({at_low}) to {sizes[1]} ({at_high})"
    if sizes[1] == EQUAL:
        return "is", f"{sizes[0]} than {baseline} ({at_low}) to as fast ({at_high})"
    (least, first), (most, second) = (size.rsplit(" ", 1) for size in sizes)
    if first == second:
        return "is", f"{least} ({at_low}) to {most} ({at_high}) {second} than {baseline}"
    return "is", f"{sizes[0]} ({at_low}) to {sizes[1]} ({at_high}) than {baseline}"


def _ranking(pairs: Sequence[ComparedPair], names: Sequence[str]) -> str:
    """Return how several subjects compare with one baseline: the fastest and the slowest by their mean."""
    by_subject: dict[str, list[float]] = {}
    for pair in pairs:
        by_subject.setdefault(_subject(pair.case, names), []).append(_speed_ratio(pair))
    ranked = sorted(by_subject.items(), key=lambda each: -geometric_mean(each[1]))
    texts = [f"{_clause(subject, 'is')} {_span_of_ratios(ratios)}" for subject, ratios in ranked]
    rest = len(texts) - _MAX_SUBJECTS
    if rest > 0:
        texts = [*texts[: _MAX_SUBJECTS - 1], f"{rest} more follow", texts[-1]]
    return _joined(texts)


def _span_of_ratios(ratios: Sequence[float]) -> str:
    """Return the lowest and the highest ratio in words, with how many there are."""
    low, high = min(ratios), max(ratios)
    ends = list(dict.fromkeys(difference_text(ratio) for ratio in (low, high)))
    if len(ends) == 2 and ends[0].rpartition(" ")[2] == ends[1].rpartition(" ")[2]:
        ends[0] = ends[0].rpartition(" ")[0]
        if ends[0].endswith("%") and "%" not in ends[1]:
            same = _times(low) == _times(high)
            ends = [f"{_times(low)}x as fast"] if same else [f"{_times(low)}x", f"{_times(high)}x as fast"]
    return " to ".join(ends) + (f" ({len(ratios)} cells)" if len(ratios) > 1 else "")


def _mean(pairs: Sequence[ComparedPair]) -> str:
    """Return the geometric mean of the pairs of a sentence; the table may average others, too."""
    mean = geometric_mean([pair.comparison.value for pair in pairs])
    of_mean = replace(pairs[0], comparison=replace(pairs[0].comparison, value=mean))
    size = _share_of_ideal(of_mean) if of_mean.comparison.kind == "efficiency" else _size(of_mean)
    return f", {size} in the geometric mean"


def _rank(pair: ComparedPair) -> float:
    return pair.comparison.value if _is_plain_number(pair) else _speed_ratio(pair)


def _is_plain_number(pair: ComparedPair) -> bool:
    """Return whether a comparison is a number without a direction."""
    return pair.comparison.kind == "efficiency" or not metric_of(pair.case.metric).is_speed


def _size(pair: ComparedPair) -> str:
    """Return a comparison in as few words as possible: "2x faster", "1.20x"."""
    if pair.comparison.kind == "efficiency":
        return f"{_times(_speedup(pair))}x"
    if not metric_of(pair.case.metric).is_speed:
        return f"{_times(pair.comparison.value)}x"
    return difference_text(_speed_ratio(pair))


def _details(pair: ComparedPair, subject: str) -> str:
    """Return the place of one of several pairs, with its interval or its ranges."""
    verdict = pair.comparison.verdict
    place = ", ".join(text for text in (pair.place, subject) if text)
    if verdict and verdict.low is not None and verdict.high is not None:
        return f"{place}: {interval_text(verdict.ratio, verdict.low, verdict.high)}"
    if _is_single(pair):
        return place
    return f"{place}: {_evidence(pair)}"


def _verdicts(pairs: Sequence[ComparedPair]) -> str:
    """Return how the comparisons were decided; for figures without repeats, what they are."""
    kinds = [pair.comparison.verdict.kind for pair in pairs if pair.comparison.verdict]
    counts = [f"{kinds.count(kind)} {kind}" for kind in _COUNTED_VERDICTS if kind in kinds]
    if all(map(_is_single, pairs)):
        return f" ({_without_repeats(pairs)})"
    return f". Verdicts: {', '.join(counts)}" if counts else ""


# Expected speed


def _expectation(entry: ComparedEntry, pairs: Sequence[ComparedPair]) -> tuple[str, list[ComparedPair]]:
    """Return what is slowest as a sentence, with what is expected of it, and the pairs that it is about.

    Of the phases of one step, the longest has the say: the others explain less of it.
    """
    longest: dict[object, ComparedPair] = {}
    for pair in sorted(pairs, key=_duration, reverse=True):
        longest.setdefault(_runs(pair), pair)
    wholes = {_runs(pair): pair for pair in entry.pairs if not pair.left_out}
    part = max(longest.values(), key=lambda pair: (wholes.get(_runs(pair)) or pair).comparison.value)
    whole, expected = wholes.get(_runs(part), part), part.comparison.expected
    assert expected is not None
    statement = f"{expected.target} is {_slowdown(whole)} than {expected.reference}"
    if whole is not part:
        name = f"without {_joined(part.left_out)} it" if part.case.parts else f"{_phase(part)} alone"
        statement += f"; {name} is {_slowdown(part)}"
    single = f" ({_without_repeats([whole, part])})" if _is_single(part) else ""
    return f"{_titled(entry.title, whole)}: {statement}{_reason(part, expected)}{single}", [whole, part]


def _duration(pair: ComparedPair) -> float:
    """Return a sorting key that puts longer cases last."""
    summary = pair.case.summary
    assert summary is not None
    return summary.median if metric_of(pair.case.metric).better == "lower" else -summary.median


def _runs(pair: ComparedPair) -> tuple[tuple[str, ...], ...]:
    """Return the runs behind a pair."""
    return tuple(tuple(m.run.id for m in case.measurements) for case in (pair.case, pair.baseline))


def _slowdown(pair: ComparedPair) -> str:
    """Return the observed ratio, with its interval or both ranges if there are repeats."""
    verdict, value = pair.comparison.verdict, pair.comparison.value
    if _is_single(pair):
        return _ratio(value)
    if verdict and verdict.low is not None and verdict.high is not None:
        ends = sorted((1 / verdict.low, 1 / verdict.high) if value >= 1 else (verdict.low, verdict.high))
        evidence = f"{_times(ends[0])}x to {_times(ends[1])}x"
    else:
        evidence = _evidence(pair)
    is_open = verdict and verdict.kind in ("undecided", "likely faster", "likely slower")
    return f"{_ratio(value)} ({evidence}{f', {verdict.kind}' if verdict and is_open else ''})"


def _reason(pair: ComparedPair, expected: Expected) -> str:
    """Return how much of the ratio the hardware explains, and the rest."""
    excess, value = pair.comparison.excess, pair.comparison.value
    assert excess is not None
    if excess >= 1:
        rest = f"{_band(pair.comparison.low, excess, pair.comparison.high, expected.is_band)} slower"
    else:
        low, high = pair.comparison.low, pair.comparison.high
        inverse = (1 / high if high else None, 1 / excess, 1 / low if low else None)
        rest = f"{_band(*inverse, expected.is_band)} faster"
    if value >= 1 > expected.speed:
        share = _band(1 / expected.high, 1 / expected.speed, 1 / expected.low, expected.is_band)
        return f"; hardware explains {share}, so it is {rest} than expected"
    return f", where {_ratio(1 / expected.speed)} is expected, so it is {rest} than expected"


def _ratio(slower: float) -> str:
    return f"{_times(slower)}x slower" if slower >= 1 else f"{_times(1 / slower)}x faster"


def _times(value: float) -> str:
    return units.text(value, digits=3)


def _band(low: float | None, value: float, high: float | None, is_band: bool) -> str:
    if not is_band or low is None or high is None:
        return f"{_times(value)}x"
    return f"{_times(low)}x to {_times(high)}x"


def _joined(names: Sequence[str]) -> str:
    """Return names as a list in words."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
