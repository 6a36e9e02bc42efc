"""The sentences at the top of a report whose author wrote none: what its comparisons show.

For each entry that compares one sentence with the answer: who wins, by how much, and where it is otherwise.
It is about the whole step where a table has it, else names the phases that it leaves out. Up to three
sentences about its doubts follow: verdicts, what else differs, cases that one side lacks, warnings.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from reportgen.compare.expected_speed import Expected
from reportgen.compare.pair import devices_ratio
from reportgen.compare.verdict import EQUAL, VerdictKind, difference_text
from reportgen.core import units
from reportgen.core.devices import shown_value
from reportgen.core.metrics import item_of, metric_of
from reportgen.core.model import Case
from reportgen.core.stats import geometric_mean
from reportgen.core.units import Unit
from reportgen.protocol.conditions import STATISTIC
from reportgen.protocol.measure_steps import LEFT_OUT_SHARE
from reportgen.report.compared_pairs import ComparedEntry, ComparedPair, compared_entries
from reportgen.tables.headings import plain
from reportgen.tables.means import plural
from reportgen.tables.results import Table

T = TypeVar("T")

MAX_SENTENCES = 3
# The statistics that a sentence prefers.
_USUAL_STATISTICS = ("median", "mean", "total")
# A sentence names at most this many things in which the compared runs differ.
_MAX_DIFFERENCES = 3
# and ranks at most this many subjects.
_MAX_SUBJECTS = 3
# After a sentence.
_MAX_CAVEATS = 3
# Several subjects that differ from the baseline by less need no sentence each.
_NEGLIGIBLE = 0.01

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


def _sentence(entry: ComparedEntry) -> tuple[str, str]:
    """Return the sentence about an entry, without full stop, and the sentences about its doubts."""
    pairs = [pair for pair in entry.pairs if not pair.left_out] or _of_longest_part(entry.pairs)
    pairs = [pair for pair in pairs if pair.case.metric == pairs[0].case.metric]
    pairs = of_one_statistic(pairs, lambda pair: pair.case)
    expected = [pair for pair in entry.pairs if pair.comparison.excess is not None]
    if expected:
        statement, pairs = _expectation(entry, expected)
    elif len(pairs) == 1:
        statement = _single(entry, pairs[0])
    else:
        statement = _several(entry, pairs)
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
    """Return up to three sentences about what makes the numbers doubtful, each after a space."""
    rules = sorted({f"`{finding.rule}`" for pair in pairs for finding in pair.warnings})
    names = list(dict.fromkeys(each.name for pair in pairs for each in pair.comparison.differs))
    cells = "1 cell is" if entry.incomparable == 1 else f"{entry.incomparable} cells are"
    sentences = (
        _verdicts(pairs),
        _over_all(pairs),
        f"They also differ in {_listed(names)}." if names else "",
        entry.sets_differ,
        f"{cells} not comparable with the baseline." if entry.incomparable else "",
        f"These runs have warnings: {', '.join(rules)}." if rules else "",
    )
    return "".join(f" {sentence}" for sentence in list(filter(None, sentences))[:_MAX_CAVEATS])


def _over_all(pairs: Sequence[ComparedPair]) -> str:
    """Return how the speeds compare with the time that gaps left out, where that is much; "" elsewhere."""
    left_out = [pair for pair in pairs if pair.comparison.speed_ratio_over_all is not None]
    if not left_out:
        return ""
    what = f"Gaps that the protocol leaves out take more than {100 * LEFT_OUT_SHARE:g} % of the time"
    if len(pairs) > 1:
        return f"{what} in {len(left_out)} of {len(pairs)} comparisons."
    ratio = pairs[0].comparison.speed_ratio_over_all or _speed_ratio(pairs[0])
    return f"{what}: with them, it is {difference_text(ratio)}."


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_DIFFERENCES} more" if len(names) > _MAX_DIFFERENCES else ""
    return f"{', '.join(names[:_MAX_DIFFERENCES])}{more}"


def of_one_statistic(items: Iterable[T], case_of: Callable[[T], Case]) -> list[T]:
    """Return the items of one statistic, if that is a factor: of several the median or mean, else the first.

    A log may state a mean where others have steps: these are the same quantity.
    """
    by_statistic: dict[str, list[T]] = {}
    for item in items:
        by_statistic.setdefault(str(case_of(item).factors.get(STATISTIC, "")), []).append(item)
    usual = [name for name in _USUAL_STATISTICS if name in by_statistic]
    return by_statistic[[*usual, *by_statistic][0]] if by_statistic else []


# One pair


def _single(entry: ComparedEntry, pair: ComparedPair) -> str:
    verb, rest = _comparison(pair)
    return f"{_titled(entry.title, pair)}: {_clause(subject_of(pair.case, _shown(pair)), verb)} {rest}"


def _clause(subject: str, verb: str) -> str:
    """Return a subject with a verb in its number: "4 devices are"."""
    return f"{subject} {_PLURAL_VERBS[verb] if _PLURAL_SUBJECT.match(subject) else verb}"


def _titled(title: str, pair: ComparedPair) -> str:
    """Return the title with the place of a pair, and what of the step its number leaves out."""
    part = f"{_phase(pair)} without {joined(pair.left_out)}" if pair.left_out else ""
    heads = ", ".join(text for text in pair.place.split(", ") if not part or text != _phase(pair))
    place = "; ".join(text for text in (heads, part) if text)
    return f"{title} ({place})" if place else title


def _phase(pair: ComparedPair) -> str:
    return pair.case.phase.replace("_", " ")


def subject_of(case: Case, names: Iterable[str]) -> str:
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
    baseline = subject_of(pair.baseline, _shown(pair))
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
        return "seems", f"{words} ({_evidence(pair)}), but this is undecided"
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
    unit = unit_of(pair.case, pair.baseline)
    own, base = (range_of_repeats(case, unit) for case in (pair.case, pair.baseline))
    return f"{own} against {base} {unit.name}".strip()


def _is_single(pair: ComparedPair) -> bool:
    return len(pair.case.measurements) == len(pair.baseline.measurements) == 1


def _without_repeats(pairs: Iterable[ComparedPair]) -> str:
    measurements = [m for pair in pairs for m in (*pair.case.measurements, *pair.baseline.measurements)]
    kinds = {_KINDS_OF_EVIDENCE.get(measurement.evidence, "one run each") for measurement in measurements}
    return f"{joined(sorted(kinds))}, no repeats"


def unit_of(*cases: Case) -> Unit:
    """Return the unit in which people read the numbers of cases of one metric."""
    item = item_of(cases[0].metric, cases[0].factors)
    if cases[0].unit == "samples/s" and item:
        return Unit(units.rate_unit(item), "samples/s", 1.0)
    unit = units.choose([m.value for case in cases for m in case.measurements], cases[0].unit)
    return Unit("", unit.base, unit.factor) if unit.name in ("1", "count", "ratio") else unit


def range_of_repeats(case: Case, unit: Unit) -> str:
    """Return the lowest and the highest repeat, once if they look equal."""
    values = [measurement.value / unit.factor for measurement in case.measurements]
    ends = dict.fromkeys(units.text(end) for end in (min(values), max(values)))
    return " to ".join(ends)


# Several pairs


def _several(entry: ComparedEntry, pairs: Sequence[ComparedPair]) -> str:
    """Return what several comparisons show: of one subject its mean or its ends, of several their ranks."""
    left_out = tuple(dict.fromkeys(name for pair in pairs for name in pair.left_out))
    phases = {_phase(pair) for pair in pairs}
    part = f"{phases.pop()} without" if len(phases) == 1 else "without"
    title = f"{entry.title} ({part} {joined(left_out)})" if left_out else entry.title
    names = list(dict.fromkeys(name for pair in pairs for name in _shown(pair)))
    subjects, baselines = (
        {subject_of(case, names) for case in cases}
        for cases in ([pair.case for pair in pairs], [pair.baseline for pair in pairs])
    )
    is_one = len(subjects) == 1
    baseline = baselines.pop() if len(baselines) == 1 else "its baselines" if is_one else "their baselines"
    if pairs[0].comparison.kind == "efficiency":
        statement = _scaling(pairs, baseline)
    elif is_one or _is_plain_number(pairs[0]) or baseline == "their baselines":
        who = subjects.pop() if is_one else "the cases"
        verb, rest = _range(entry, pairs, baseline, is_one=is_one)
        statement = f"{_clause(who, verb)} {rest}"
    else:
        statement = f"relative to {baseline}, {_ranking(pairs, names, has_mean=entry.means == len(subjects))}"
    if all(map(_is_single, pairs)):
        opened = f"{statement[:-1]}; " if statement.endswith(" of ideal)") else f"{statement} ("
        statement = f"{opened}{_without_repeats(pairs)})"
    return f"{title}: {statement}"


def _scaling(pairs: Sequence[ComparedPair], baseline: str) -> str:
    """Return the speed-ups on the most devices, the best and the worst of several."""
    most = max(_devices_ratio(pair) for pair in pairs)
    largest = sorted((pair for pair in pairs if _devices_ratio(pair) == most), key=_rank, reverse=True)
    subject = subject_of(largest[0].case, _shown(largest[0]))
    texts = [f"{_size(pair)} the speed of {baseline} ({_share_of_ideal(pair)})" for pair in largest]
    if len(largest) == 1:
        return f"{_clause(subject, 'reaches')} {texts[0]}"
    places = _places(largest)
    rest = [
        f"{place} {_size(pair)} ({_share_of_ideal(pair)})"
        for place, pair in zip(places, largest, strict=True)
    ]
    last = rest[1:] if len(rest) <= _MAX_SUBJECTS else [f"{len(rest) - 2} more follow", rest[-1]]
    return f"on {subject}, {joined([f'{places[0]} reaches {texts[0]}', *last])}"


def _devices_ratio(pair: ComparedPair) -> float:
    return devices_ratio(pair.case.factors, pair.baseline.factors)


def _range(
    entry: ComparedEntry, pairs: Sequence[ComparedPair], baseline: str, *, is_one: bool
) -> tuple[str, str]:
    """Return a verb, and the mean or both ends of several comparisons with their places.

    is_one  whether all are about one subject; else the places name the subjects, too
    """
    ordered = sorted(pairs, key=_rank)
    low, high = ordered[0], ordered[-1]
    places = dict(zip(map(id, pairs), _places(pairs), strict=True))
    at_low, at_high = (
        ", ".join(filter(None, (places[id(p)], subject_of(p.case, _shown(p)) if not is_one else "")))
        for p in (low, high)
    )
    number = _number_of(pairs)
    if _is_plain_number(low):
        span = f"{_size(low)} ({at_low}) to {_size(high)} ({at_high})"
        return "has", f"{span} the {_metric_in_words(low)} of {baseline}"
    sizes = _size(low), _size(high)
    if sizes[0] == sizes[1]:
        same = f"as fast as {baseline}" if sizes[0] == EQUAL else f"{sizes[0]} than {baseline}"
        every = "both" if len(pairs) == 2 else f"all {len(pairs)}"
        which = (
            f"the {number} that both have" if entry.sets_differ else number.replace(str(len(pairs)), every, 1)
        )
        return "is", f"{same} in {which}"
    if is_one and entry.means == 1:
        mean = difference_text(geometric_mean([_speed_ratio(pair) for pair in pairs]))
        of_mean = f"as fast as {baseline}" if mean == EQUAL else f"{mean} than {baseline}"
        ends = _both_ends(sizes, (at_low, at_high))
        return "is", f"{of_mean} in the geometric mean of {number}: {ends}"
    if sizes[0] == EQUAL:
        return "is", f"as fast as {baseline} ({at_low}) to {sizes[1]} ({at_high})"
    if sizes[1] == EQUAL:
        return "is", f"{sizes[0]} than {baseline} ({at_low}) to as fast ({at_high})"
    return "is", f"{_both_ends(sizes, (at_low, at_high))} than {baseline}"


def _both_ends(sizes: tuple[str, str], places: tuple[str, str]) -> str:
    """Return two differences with their places, their direction once if it is the same."""
    (low, slower), (high, faster) = (size.rpartition(" ")[::2] for size in sizes)
    if slower == faster:
        return f"{low} ({places[0]}) to {high} ({places[1]}) {faster}"
    ends = [f"{size.replace(EQUAL, 'as fast')} ({at})" for size, at in zip(sizes, places, strict=True)]
    return " to ".join(ends)


def _places(pairs: Sequence[ComparedPair]) -> list[str]:
    """Return the places of pairs, without the words that all of them have."""
    words = [[word for word in pair.place.split(", ") if word not in ("", "-")] for pair in pairs]
    common = set.intersection(*map(set, words))
    return [", ".join(word for word in own if word not in common) for own in words]


def _number_of(pairs: Sequence[ComparedPair]) -> str:
    """Return how many comparisons there are, by the only factor in which they differ: "3 models"."""
    table = pairs[0].table
    shown = [*(name for name, _ in table.facet), *table.row_factors, *table.column_factors]
    differing = {name for pair in pairs for name in pair.differing}
    varying = [
        name
        for name in shown
        if name not in differing and len({repr(pair.case.factors.get(name)) for pair in pairs}) > 1
    ]
    return f"{len(pairs)} {plural(varying) if len(varying) == 1 else 'comparisons'}"


def _ranking(pairs: Sequence[ComparedPair], names: Sequence[str], *, has_mean: bool) -> str:
    """Return how several subjects compare with one baseline: the fastest and the slowest by their mean.

    has_mean  whether a table shows the geometric mean of each subject
    """
    by_subject: dict[str, list[ComparedPair]] = {}
    for pair in pairs:
        by_subject.setdefault(subject_of(pair.case, names), []).append(pair)
    ratios = {name: [_speed_ratio(pair) for pair in own] for name, own in by_subject.items()}
    alike = [name for name in ratios if all(abs(ratio - 1) < _NEGLIGIBLE for ratio in ratios[name])]
    left_out = alike if len(alike) > 1 else []
    ranked = sorted(set(ratios) - set(left_out), key=lambda name: (-geometric_mean(ratios[name]), name))
    counts = {len(own) for own in by_subject.values()}
    is_mean = has_mean and counts != {1}
    counts_once = len(counts) == 1 and counts != {1}
    number = {name: _number_of(by_subject[name]) for name in by_subject} if is_mean else {}
    texts = []
    for name in ranked:
        size = _span_of_ratios(ratios[name])
        size += f" ({len(ratios[name])} cells)" if len(ratios[name]) > 1 and not counts_once else ""
        if is_mean:
            size = difference_text(geometric_mean(ratios[name])).replace(EQUAL, "as fast")
            size += f" ({number[name]})" if len(counts) > 1 else ""
        texts.append(f"{_clause(name, 'is')} {size}")
    rest = len(texts) - _MAX_SUBJECTS
    if rest > 0:
        texts = [texts[0], f"{rest + 1} more follow", texts[-1]]
    if left_out:
        who = joined(left_out) if len(left_out) == 2 else f"{len(left_out)} others"
        texts.append(f"{who} are within {100 * _NEGLIGIBLE:g} %")
    mean = f" in the geometric mean of {number[ranked[0]]}" if is_mean and ranked and len(counts) == 1 else ""
    mean = mean or (" in the geometric mean" if is_mean else "")
    each = f" ({_number_of(by_subject[ranked[0]])} each)" if ranked and not is_mean and counts_once else ""
    return f"{joined(texts)}{mean}{each}"


def _span_of_ratios(ratios: Sequence[float]) -> str:
    """Return the lowest and the highest ratio in words."""
    low, high = min(ratios), max(ratios)
    ends = list(dict.fromkeys(difference_text(ratio).replace(EQUAL, "as fast") for ratio in (low, high)))
    if len(ends) == 2 and ends[0].rpartition(" ")[2] == ends[1].rpartition(" ")[2]:
        ends[0] = ends[0].rpartition(" ")[0]
        if ends[0].endswith("%") and "%" not in ends[1]:
            same = _times(low) == _times(high)
            ends = [f"{_times(low)}x as fast"] if same else [f"{_times(low)}x", f"{_times(high)}x as fast"]
    return " to ".join(ends)


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


def _verdicts(pairs: Sequence[ComparedPair]) -> str:
    """Return how several comparisons were decided, or why a single one is not, as a sentence."""
    first = pairs[0].comparison.verdict
    if len(pairs) == 1 and first and first.kind == "undecided":
        reason = first.sentence().removeprefix("undecided: ")
        return f"{reason[0].upper()}{reason[1:]}."
    if any(pair.comparison.excess is not None for pair in pairs):
        return ""
    kinds = [pair.comparison.verdict.kind for pair in pairs if pair.comparison.verdict]
    counts = [f"{kinds.count(kind)} {kind}" for kind in _COUNTED_VERDICTS if kind in kinds]
    return f"Verdicts: {', '.join(counts)}." if counts and len(pairs) > 1 else ""


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
        name = f"without {joined(part.left_out)} it" if part.case.parts else f"{_phase(part)} alone"
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


def joined(names: Sequence[str]) -> str:
    """Return names as a list in words."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
