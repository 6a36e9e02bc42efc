"""The sentences at the top of a report whose author wrote none: what its comparisons show.

The first is the answer of the first entry that compares: who wins, by how much, how sure that is, and where
it is otherwise. It is about the whole step where a table has it, else names the phases that it leaves out. Up
to two short ones follow: what would decide it, what else differs, the answers of further entries. None has
more than `MAX_WORDS`: of several wordings the first that fits is taken, and the table has the rest.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from typing import TypeVar

from msgspec import structs

from reportgen.compare.conditions import COMPETITORS, SIZES
from reportgen.compare.expected_speed import Expected
from reportgen.compare.pair import devices_ratio
from reportgen.compare.verdict import (
    EQUAL,
    VerdictKind,
    difference_from,
    difference_text,
    factor_text,
    time_text,
)
from reportgen.core import units
from reportgen.core.devices import shown_value
from reportgen.core.factors import factors_key, value_text
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.metrics import item_of, metric_of
from reportgen.core.model import Case
from reportgen.core.stats import geometric_mean
from reportgen.core.units import Unit
from reportgen.protocol.conditions import STATISTIC, USUAL_STATISTICS, statistic_of
from reportgen.protocol.measure_steps import LEFT_OUT_SHARE
from reportgen.report.compared_pairs import ComparedEntry, ComparedPair, compared_entries
from reportgen.tables.means import plural
from reportgen.tables.results import Table

T = TypeVar("T")

# The answer and two more: the source of the numbers and the call to read the warnings follow.
MAX_SENTENCES = 3
MAX_WORDS = 30
# A sentence names at most this many things in which the compared runs differ.
_MAX_DIFFERENCES = 3
# and ranks at most this many subjects.
_MAX_SUBJECTS = 3
# Several subjects that differ from the baseline by less need no sentence each.
_NEGLIGIBLE = 0.01

# What a benchmark sweeps: of several comparisons over a size, the largest one is the answer.
SWEPT = (*sorted(SIZES), "seq_len", "message_size", "concurrency", "request_rate")

_AS_FAST = "as fast"
# Factors whose value is a number of things, which the name calls: "4 devices".
_COUNTS = ("devices", "nodes")
_PLURAL_SUBJECT = lazy_pattern(rf"(?!1 )[0-9]+ (?:{'|'.join(_COUNTS)})\b|the cases\b")
_PLURAL_VERBS = {
    "is": "are", "is likely": "are likely", "has": "have", "reaches": "reach", "seems": "seem",
    "takes": "take",
}  # fmt: skip

# How sure several comparisons are, in the order in which a sentence counts them.
_SURENESS: Mapping[VerdictKind, str] = {
    "faster": "decided", "slower": "decided", "same": "decided",
    "likely faster": "likely", "likely slower": "likely", "undecided": "undecided",
    "no repeats": "without repeats",
}  # fmt: skip
# What comparisons are that show no clear difference.
_UNCLEAR: Mapping[VerdictKind, str] = {"undecided": "undecided", "same": "equally fast"}
_NEAR = f"within {100 * _NEGLIGIBLE:g} %"
_ONE_RUN, _PUBLISHED = "one run each", "published figures"
# What a program makes of its own repetitions; a total is of one.
_OF_REPETITIONS = ("mean", "median")


def headline_sentences(tables: Sequence[Table]) -> list[str]:
    """Return the answer of the first entry that compares, and up to two more; [] if none compares.

    The author puts the most important table first. Entries about a part of the step are left out if
    another one is about all of it.
    """
    entries = compared_entries(tables)
    whole = [entry for entry in entries if any(not pair.left_out for pair in entry.pairs)]
    quoted = _different(whole or entries)[:MAX_SENTENCES]
    if not quoted:
        return []
    (answer, pairs), *others = map(_sentence, quoted)
    alone = _alone(tables, [pair for entry in quoted for pair in entry.pairs])
    doubts = [*alone, *_doubts(quoted[0], pairs)]
    sentences = dict.fromkeys([answer, *doubts, *(statement for statement, _ in others)])
    return [f"{sentence}." for sentence in sentences][:MAX_SENTENCES]


def _different(entries: Iterable[ComparedEntry]) -> list[ComparedEntry]:
    """Return the entries without those that only repeat comparisons of the others before them."""
    different, seen = [], set[object]()
    for entry in entries:
        compared = {
            (pair.case.metric, pair.case.phase, *(factors_key(each.factors) for each in sides))
            for pair in entry.pairs
            for sides in [(pair.case, pair.baseline)]
        }
        if not compared <= seen:
            different.append(entry)
        seen |= compared
    return different


def words_of(sentence: str) -> int:
    """Return the number of words: a sign alone, as in "2 %", is none."""
    return len(re.findall(r"\S*\w\S*", sentence))


def first_that_fits(wordings: Iterable[str]) -> str:
    """Return the first wording of at most `MAX_WORDS`; if none is so short, the last one, cut."""
    last = ""
    for last in wordings:
        if words_of(last) <= MAX_WORDS:
            return last
    return f"{' '.join(last.split()[: MAX_WORDS - 1])} ..."


def _sentence(entry: ComparedEntry) -> tuple[str, list[ComparedPair]]:
    """Return the sentence about an entry, without full stop, and the pairs that it is about."""
    pairs = [pair for pair in entry.pairs if not pair.left_out] or _of_longest_part(entry.pairs)
    pairs = [pair for pair in pairs if pair.case.metric == pairs[0].case.metric]
    pairs = of_one_statistic(pairs, lambda pair: pair.case)
    expected = [pair for pair in entry.pairs if pair.comparison.excess is not None]
    if expected:
        wordings, pairs = _expectation(entry, expected)
    else:
        wordings = _single(entry, pairs[0]) if len(pairs) == 1 else _several(entry, pairs)
    return first_that_fits(wordings), pairs


def _of_longest_part(pairs: Sequence[ComparedPair]) -> list[ComparedPair]:
    """Return the pairs about the part of the step that takes most of the time of the baselines."""
    durations: dict[str, float] = {}
    for pair in pairs:
        if pair.case.unit == "s" and pair.baseline.summary:
            duration = durations.get(pair.case.phase, 0.0) + pair.baseline.summary.median
            durations[pair.case.phase] = duration
    longest = max(durations, key=durations.__getitem__, default="")
    return [pair for pair in pairs if pair.case.phase == longest] or list(pairs)


def _doubts(entry: ComparedEntry, pairs: Sequence[ComparedPair]) -> list[str]:
    """Return sentences about what makes the numbers doubtful: what is open, left-out time, conditions."""
    names = list(dict.fromkeys(each.name for pair in pairs for each in pair.comparison.differs))
    cells = "1 cell is" if entry.incomparable == 1 else f"{entry.incomparable} cells are"
    conditions = (
        f"they also differ in {_listed(names)}".replace("_", " ") if names else "",
        entry.sets_differ,
        f"{cells} not comparable with the baseline" if entry.incomparable else "",
    )
    sentences = (_open(pairs), _over_all(pairs), "; ".join(filter(None, conditions)))
    return [sentence[0].upper() + sentence[1:] for sentence in sentences if sentence]


def _alone(tables: Sequence[Table], pairs: Sequence[ComparedPair]) -> Iterator[str]:
    """Yield a sentence with the systems whose work no other did, so that nothing compares them."""
    name = next((name for name in _shown(pairs[0]) if name in COMPETITORS), "")
    free = {name}.union(*(pair.differing for pair in pairs))
    metric = pairs[0].case.metric
    cells = [cell for table in tables for line in table.cells for cell in line]
    cases = {
        id(case): case for cell in cells for case in cell.cases if case.metric == metric and case.summary
    }
    systems: dict[object, set[object]] = {}
    for case in cases.values():
        work = factors_key({key: value for key, value in case.factors.items() if key not in free})
        systems.setdefault(work, set()).add(case.factors.get(name))
    together = set[object]().union(*(each for each in systems.values() if len(each) > 1))
    compared = {case.factors.get(name) for pair in pairs for case in (pair.case, pair.baseline)}
    measured = dict.fromkeys(case.factors[name] for case in cases.values() if name in case.factors)
    alone = [shown_value(name, str(value)) for value in measured if value not in together | compared]
    if alone:
        verb, other = ("is" if len(alone) == 1 else "are"), name.replace("_", " ")
        yield f"{_listed_and(alone)} {verb} not compared: no other {other} did the same work"


def _over_all(pairs: Sequence[ComparedPair]) -> str:
    """Return how the speeds compare with the time that gaps left out, where that is much; "" elsewhere."""
    left_out = [pair for pair in pairs if pair.comparison.speed_ratio_over_all is not None]
    if not left_out:
        return ""
    what = f"Gaps that the protocol leaves out take more than {100 * LEFT_OUT_SHARE:g} % of the time"
    if len(pairs) > 1:
        return f"{what} in {len(left_out)} of {len(pairs)} comparisons"
    ratio = pairs[0].comparison.speed_ratio_over_all or _speed_ratio(pairs[0])
    return f"{what}: with them, it is {difference_text(ratio)}"


def _listed_and(names: Sequence[str]) -> str:
    more = len(names) - _MAX_DIFFERENCES
    return joined([*names[:_MAX_DIFFERENCES], f"{more} more"] if more > 0 else names)


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
    usual = [name for name in USUAL_STATISTICS if name in by_statistic]
    return by_statistic[[*usual, *by_statistic][0]] if by_statistic else []


# One pair


def _single(entry: ComparedEntry, pair: ComparedPair) -> Iterator[str]:
    for title in (_titled(entry.title, pair), entry.title):
        for evidence in (_evidence(pair), _number_of_repeats(pair)):
            verb, rest = _comparison(pair, evidence)
            yield f"{title}: {_clause(subject_of(pair.case, _shown(pair)), verb)} {rest}"


def _clause(subject: str, verb: str) -> str:
    """Return a subject with a verb in its number: "4 devices are"."""
    return f"{subject} {_PLURAL_VERBS[verb] if _PLURAL_SUBJECT.match(subject) else verb}"


def _titled(title: str, pair: ComparedPair) -> str:
    """Return the title with the place of a pair, and what of the step its number leaves out."""
    part = f"{_phase(pair)} without {joined(pair.left_out)}" if pair.left_out else ""
    words = (text for text in pair.place.split(", ") if text != "-")
    heads = ", ".join(text for text in words if not part or text != _phase(pair))
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
            words.append(
                shown_value(name, value) if isinstance(value, str) else f"{title} {value_text(value)}"
            )
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


def _comparison(pair: ComparedPair, evidence: str) -> tuple[str, str]:
    """Return the comparison of one pair, to follow its subject: a verb, and the rest."""
    baseline = subject_of(pair.baseline, _shown(pair))
    value, verdict = pair.comparison.value, pair.comparison.verdict
    if pair.comparison.kind == "efficiency":
        speedup = f"{_times(_speedup(pair))}x the speed of {baseline}"
        return "reaches", f"{speedup} ({_share_of_ideal(pair)}; {evidence})"
    if not metric_of(pair.case.metric).is_speed:
        return "has", f"{_times(value)}x the {_metric_in_words(pair)} of {baseline} ({evidence})"
    if verdict and verdict.kind in ("faster", "slower") and verdict.low is not None:
        return "is", verdict.sentence(than=baseline, beside_time=bool(_as_time(pair)))
    if verdict and verdict.kind == "same":
        return "is", f"as fast as {baseline}: {verdict.sentence()}"
    words = difference_from(_speed_ratio(pair), baseline)
    evidence = "; ".join(filter(None, (_as_time(pair), evidence)))
    if verdict and verdict.kind in ("likely faster", "likely slower"):
        return "is likely", f"{words} ({evidence}; {verdict.spread_text})"
    if verdict and verdict.kind == "undecided":
        return "seems", f"{words} ({evidence}), but {_too_few([pair]) or 'this is undecided'}"
    return "is", f"{words} ({evidence})"


def _as_time(pair: ComparedPair) -> str:
    """Return a lower speed in % as the longer time that it means, "" for all else.

    Beside times, a reader would take it for the difference of the times, which is larger.
    """
    ratio = _speed_ratio(pair)
    is_percentage = "%" in difference_text(ratio) and "%" in (time := time_text(ratio))
    return time if pair.case.unit == "s" and ratio < 1 and is_percentage else ""


def _too_few(pairs: Sequence[ComparedPair]) -> str:
    """Return that repeats without an overlap are too few to decide, "" if something else is the reason."""
    numbers = {len(case.measurements) for pair in pairs for case in (pair.case, pair.baseline)}
    for pair in pairs:
        own, base = ([m.value for m in case.measurements] for case in (pair.case, pair.baseline))
        verdict, are_apart = pair.comparison.verdict, max(own) < min(base) or max(base) < min(own)
        if not verdict or verdict.kind != "undecided" or verdict.margin or not (verdict.more and are_apart):
            return ""
    return f"{numbers.pop()} repeats each are too few to decide" if len(numbers) == 1 else ""


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
    """Return both ranges, or that there are no repeats.

    Where a protocol makes another number of the repeats, such as a score, it is that number.
    """
    if _is_single(pair):
        return _without_repeats([pair])
    if any(case.summary and case.summary.statistic != "median" for case in (pair.case, pair.baseline)):
        return _medians(pair)
    unit = _unit(pair)
    own, base = (range_of_repeats(case, unit) for case in (pair.case, pair.baseline))
    return f"{own} against {base} {unit.name}".strip()


def _medians(pair: ComparedPair) -> str:
    """Return the numbers of both, as the table shows them."""
    unit = _unit(pair)
    summaries = [case.summary for case in (pair.case, pair.baseline) if case.summary]
    return (
        f"{' against '.join(units.text(each.median / unit.factor) for each in summaries)} {unit.name}".strip()
    )


def _unit(pair: ComparedPair) -> Unit:
    """Return the unit of the numbers of both: times have the unit of the table."""
    cells = (cell for line in pair.table.cells for cell in line if cell.case is pair.case)
    shown = (cell.unit for cell in cells if cell.unit and cell.unit.base == "s")
    return next(shown, unit_of(pair.case, pair.baseline))


def _number_of_repeats(pair: ComparedPair) -> str:
    if _is_single(pair):
        return _without_repeats([pair])
    own, base = (len(case.measurements) for case in (pair.case, pair.baseline))
    return f"{own} repeats each" if own == base else f"{own} against {base} repeats"


def _is_single(pair: ComparedPair) -> bool:
    return len(pair.case.measurements) == len(pair.baseline.measurements) == 1


def _without_repeats(pairs: Iterable[ComparedPair]) -> str:
    """Return what single numbers are: the log of one run may have reduced many to each.

    A title that names the statistic says that already.
    """
    pairs = list(pairs)
    measurements = [m for pair in pairs for m in (*pair.case.measurements, *pair.baseline.measurements)]
    kinds = {_PUBLISHED if each.evidence == "published" else _ONE_RUN for each in measurements}
    reduced = {each.statistic if each.statistic in _OF_REPETITIONS else "" for each in measurements}
    title = pairs[0].table.title if pairs else ""
    if kinds == {_ONE_RUN} and len(reduced) == 1 and (statistic := reduced.pop()) and statistic not in title:
        return f"single-run {statistic}s"
    return joined(sorted(kinds, reverse=True))


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


def _several(entry: ComparedEntry, pairs: Sequence[ComparedPair]) -> Iterator[str]:
    """Yield what several comparisons show: of one subject its mean or its ends, of several their ranks."""
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
    statistics = {statistic_of(pair.case) for pair in pairs} if _has_statistics(pairs[0].table) else set()
    title = f"{title}, {statistics.pop()}" if len(statistics) == 1 else title
    if largest := _at_largest(pairs, names):
        yield from (f"{title}: {words}" for words in _of_largest(largest))
        return
    mixed = (_mixed_with_mean if entry.means else _mixed)(pairs, baseline) if is_one else []
    if mixed:
        who = subjects.pop()
        yield from (f"{title}: {_clause(who, 'is')} {words}" for words in mixed)
        return
    if pairs[0].comparison.kind == "efficiency":
        statements = _scaling(pairs, baseline)
    elif is_one or _is_plain_number(pairs[0]) or baseline == "their baselines":
        who = subjects.pop() if is_one else "the cases"
        ranges = _range(entry, pairs, baseline, is_one=is_one)
        statements = (f"{_clause(who, verb)} {rest}" for verb, rest in ranges)
    else:
        has_mean = entry.means == len(subjects)
        rankings = _ranking(pairs, names, has_mean=has_mean)
        relative = (f"relative to {baseline}, {ranking}" for ranking in rankings)
        statements = chain(_means(pairs, names, baseline) if has_mean else (), relative)
    levels = list(dict.fromkeys((_sureness(pairs, has_repeats=True), _sureness(pairs))))
    most = _on_most_devices(pairs) if pairs[0].comparison.kind == "efficiency" else []
    titles = [_titled(title, most[0]), title] if len(most) == 1 else [title]
    for statement, each, sureness in product(statements, titles, levels):
        if statement.endswith(" of ideal)") and sureness:
            yield f"{each}: {statement[:-1]}; {sureness})"
        else:
            yield f"{each}: {_with_place(statement, sureness)}"


def _sureness(pairs: Sequence[ComparedPair], *, has_repeats: bool = False) -> str:
    """Return how sure several comparisons are: "all decided", "20 likely, 22 undecided"; "" if untested.

    has_repeats  whether to say how many repeats each has, if that is one number
    """
    if all(map(_is_single, pairs)):
        return _without_repeats(pairs)
    kinds = [_SURENESS.get(pair.comparison.verdict.kind) for pair in pairs if pair.comparison.verdict]
    counts = {kind: kinds.count(kind) for kind in dict.fromkeys(_SURENESS.values()) if kind in kinds}
    if len(counts) == 1 and len(kinds) == len(pairs):
        kind = next(iter(counts))
        every = kind if kind == _SURENESS["no repeats"] else f"{'both' if len(pairs) == 2 else 'all'} {kind}"
        if few := _too_few(pairs):
            return f"{every}: {few}"
        numbers = {len(case.measurements) for pair in pairs for case in (pair.case, pair.baseline)}
        return f"{every}; {numbers.pop()} repeats each" if has_repeats and len(numbers) == 1 else every
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())


def _has_statistics(table: Table) -> bool:
    return STATISTIC in (*table.row_factors, *table.column_factors)


def _at_largest(pairs: Sequence[ComparedPair], names: Sequence[str]) -> ComparedPair | None:
    """Return the comparison of the largest of several sizes, at the largest work; None for other things.

    names  the factors in which the cases and their baselines differ
    """
    sizes = [_numbers(pair.case, names) for pair in pairs]
    known = [size for size in sizes if size]
    if len(known) < len(pairs) or len(set(known)) < 2 or _is_plain_number(pairs[0]):
        return None
    largest = max(known)
    if any(each > most for size in known for each, most in zip(size, largest, strict=True)):
        return None
    own = [pair for pair, size in zip(pairs, sizes, strict=True) if size == largest]
    work = [name for name in own[0].table.row_factors + own[0].table.column_factors if name not in names]
    varying = [name for name in work if len({repr(pair.case.factors.get(name)) for pair in own}) > 1]
    if len(own) > 1 and not (len(varying) == 1 and varying[0] in SWEPT):
        return None
    return max(own, key=lambda pair: _numbers(pair.case, varying) or ())


def _numbers(case: Case, names: Sequence[str]) -> tuple[float, ...] | None:
    """Return the values of factors, None unless all are numbers."""
    values = [case.factors.get(name) for name in names]
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    return tuple(numbers) if len(numbers) == len(values) else None


def _of_largest(pair: ComparedPair) -> Iterator[str]:
    """Yield the comparison of one pair with both numbers, with its place and without."""
    names = _shown(pair)
    baseline = subject_of(pair.baseline, names)
    words = f"{_clause(subject_of(pair.case, names), 'is')} {difference_from(_speed_ratio(pair), baseline)}"
    verdict = pair.comparison.verdict
    sureness = (
        _without_repeats([pair]) if _is_single(pair) else _SURENESS.get(verdict.kind) if verdict else ""
    )
    evidence = "; ".join(filter(None, (_medians(pair), sureness)))
    for place in (f"at {pair.place}, " if pair.place else "", ""):
        yield f"{place}{words} ({evidence})"


def _mixed(pairs: Sequence[ComparedPair], baseline: str) -> list[str]:
    """Return wordings of what clear differences of one subject are, and how many are not clear.

    [] if all are of one kind: then their ends say it.
    """
    if _is_plain_number(pairs[0]):
        return []
    clear = sorted(filter(_is_clear, pairs), key=_speed_ratio)
    unclear = [pair for pair in pairs if not _is_clear(pair)]
    if not clear or not (unclear or _speed_ratio(clear[0]) < 1 < _speed_ratio(clear[-1])):
        return []
    places = dict(zip(map(id, pairs), _places(pairs), strict=True))
    sides = [
        [pair for pair in clear if _speed_ratio(pair) > 1][::-1],
        [pair for pair in clear if _speed_ratio(pair) < 1],
    ]
    sides = sorted(filter(None, sides), key=lambda side: -abs(math.log(_speed_ratio(side[0]))))
    end = f" ({_without_repeats(clear)})" if all(map(_is_single, clear)) else ""
    kinds = dict.fromkeys(map(_unclear, unclear))
    rest = "".join(
        f"; {_others(kind, [pair for pair in unclear if _unclear(pair) == kind])}" for kind in kinds
    )
    made = []
    for has_places in (True, False):
        shown = [places[id(side[0])] if has_places else "" for side in sides]
        texts = [_side(sides[0], shown[0], baseline), *map(_side, sides[1:], shown[1:])]
        made.append(f"{joined(texts)}{rest}{end}")
    return made


def _mixed_with_mean(pairs: Sequence[ComparedPair], baseline: str) -> list[str]:
    """Return wordings of clear differences of one subject in both directions, the more frequent one first.

    [] if all point the same way: then the mean stands for them.
    """
    if _is_plain_number(pairs[0]):
        return []
    clear = [pair for pair in sorted(pairs, key=_rank) if _is_clear(pair)]
    sides = [[pair for pair in clear if is_faster == (_speed_ratio(pair) > 1)] for is_faster in (True, False)]
    if not all(sides):
        return []
    most, fewest = sorted(sides, key=len, reverse=True)
    mean = difference_text(geometric_mean([_speed_ratio(pair) for pair in pairs]))
    lead = f"{_range_from(most, baseline)} in {len(most)} of {_number_of(pairs)}"
    place = _short_place(pairs, fewest[0]) if len(fewest) == 1 else f"{len(fewest)}"
    exception = f"{_range_from(fewest)} in {place}"
    unclear = len(pairs) - len(clear)
    doubt = "one run each" if all(map(_is_single, pairs)) else f"{unclear} undecided" if unclear else ""
    made = f"{lead} but {exception}; geometric mean: {mean}"
    return [_with_place(made, doubt), made, f"{lead} but {exception}", lead]


def _range_from(pairs: Sequence[ComparedPair], baseline: str = "") -> str:
    """Return the ends of differences in one direction, sorted by ratio, and whether one is only likely."""
    verdicts = [pair.comparison.verdict for pair in pairs]
    likely = "likely " * any(verdict and verdict.kind.startswith("likely") for verdict in verdicts)
    near, far = sorted(
        (_speed_ratio(pairs[0]), _speed_ratio(pairs[-1])), key=lambda ratio: abs(math.log(ratio))
    )
    ends = difference_text(near) if len(pairs) == 1 else _both_ends(near, far)
    than = f" {'as' if ends.endswith(_AS_FAST) else 'than'} {baseline}" if baseline else ""
    return f"{likely}{ends}{than}"


def _side(pairs: Sequence[ComparedPair], place: str, baseline: str = "") -> str:
    """Return the largest of differences in one direction, with its place."""
    ratio = _speed_ratio(pairs[0])
    words = difference_from(ratio, baseline) if baseline else difference_text(ratio)
    verdict = pairs[0].comparison.verdict
    likely = "likely " if verdict and verdict.kind.startswith("likely") else ""
    up_to = "up to " if len(pairs) > 1 else ""
    return _with_place(f"{likely}{up_to}{words}", "; ".join(filter(None, (place, _as_time(pairs[0])))))


def _is_clear(pair: ComparedPair) -> bool:
    """Return whether a difference was decided or is likely, or, without repeats, is not negligible."""
    verdict = pair.comparison.verdict
    if verdict and verdict.kind not in ("no repeats", "not comparable"):
        return verdict.kind in ("faster", "slower", "likely faster", "likely slower")
    return abs(_speed_ratio(pair) - 1) >= _NEGLIGIBLE


def _unclear(pair: ComparedPair) -> str:
    verdict = pair.comparison.verdict
    return _UNCLEAR.get(verdict.kind, _NEAR) if verdict else _NEAR


def _others(kind: str, pairs: Sequence[ComparedPair]) -> str:
    """Return how many others are of a kind; of undecided ones that are near, how near."""
    number = f"{len(pairs)} other{'s' if len(pairs) > 1 else ''}"
    largest = max(max(_speed_ratio(pair), 1 / _speed_ratio(pair)) for pair in pairs) - 1
    if kind == "undecided" and largest < _NEGLIGIBLE:
        within = f"{max(math.ceil(1000 * largest), 1) / 10:g} %"
        return f"{number} {'differ' if len(pairs) > 1 else 'differs'} by at most {within} (undecided)"
    return f"{number} {'are' if len(pairs) > 1 else 'is'} {kind}"


def _scaling(pairs: Sequence[ComparedPair], baseline: str) -> Iterator[str]:
    """Yield the speed-ups on the most devices, the best and the worst of several."""
    largest = _on_most_devices(pairs)
    subject = subject_of(largest[0].case, _shown(largest[0]))
    texts = [f"{_size(pair)} the speed of {baseline} ({_share_of_ideal(pair)})" for pair in largest]
    if len(largest) == 1:
        yield f"{_clause(subject, 'reaches')} {texts[0]}"
        return
    places = _places(largest)
    rest = [
        f"{place} {_size(pair)} ({_share_of_ideal(pair)})"
        for place, pair in zip(places, largest, strict=True)
    ]
    for shown in _shortened(rest[1:]):
        yield f"on {subject}, {joined([f'{places[0]} reaches {texts[0]}', *shown])}"


def _on_most_devices(pairs: Sequence[ComparedPair]) -> list[ComparedPair]:
    """Return the comparisons on the most devices, the best first."""
    most = max(_devices_ratio(pair) for pair in pairs)
    return sorted((pair for pair in pairs if _devices_ratio(pair) == most), key=_rank, reverse=True)


def _shortened(followers: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield what follows the first of a ranking, longer wordings first: all, the last one, none."""
    if len(followers) < _MAX_SUBJECTS:
        yield followers
    if len(followers) > 1:
        more = len(followers) - 1
        yield [f"{more} more follow{'s' if more == 1 else ''}", followers[-1]]
    yield []


def _devices_ratio(pair: ComparedPair) -> float:
    return devices_ratio(pair.case.factors, pair.baseline.factors)


def _range(
    entry: ComparedEntry, pairs: Sequence[ComparedPair], baseline: str, *, is_one: bool
) -> Iterator[tuple[str, str]]:
    """Yield a verb, and the mean or both ends of several comparisons, with their places and without.

    is_one  whether all are about one subject; else the places name the subjects, too
    """
    ordered = sorted(pairs, key=_rank)
    low, high = ordered[0], ordered[-1]
    at_low, at_high = (
        ", ".join(filter(None, (_short_place(pairs, p), subject_of(p.case, _shown(p)) if not is_one else "")))
        for p in (low, high)
    )
    number = _number_of(pairs)
    for places_shown in ((at_low, at_high), ("", "")):
        if _is_plain_number(low):
            ends = " to ".join(map(_with_place, (_size(low), _size(high)), places_shown))
            yield "has", f"{ends} the {_metric_in_words(low)} of {baseline}"
            continue
        ends = _both_ends(_speed_ratio(low), _speed_ratio(high), places_shown)
        if _size(low) == _size(high):
            every = "both" if len(pairs) == 2 else f"all {len(pairs)}"
            which = number.replace(str(len(pairs)), every, 1)
            which = f"the {number} that both have" if entry.sets_differ else which
            yield "is", f"{difference_from(_speed_ratio(low), baseline)} in {which}"
        elif is_one and entry.means == 1:
            ratio = geometric_mean([_speed_ratio(pair) for pair in pairs])
            is_factor = _AS_FAST in ends and difference_text(ratio) != EQUAL
            mean = (
                f"{factor_text(ratio)} {_AS_FAST} as {baseline}"
                if is_factor
                else difference_from(ratio, baseline)
            )
            yield "is", f"{mean} in the geometric mean of {number}: {ends}"
        else:
            yield "is", f"{ends} {'as' if _AS_FAST in ends else 'than'} {baseline}"


def _with_place(text: str, place: str) -> str:
    return f"{text} ({place})" if place else text


def _both_ends(low: float, high: float, places: tuple[str, str] = ("", "")) -> str:
    """Return two speed ratios with their places, their direction once if it is the same."""
    texts = [difference_text(ratio).replace(EQUAL, _AS_FAST) for ratio in (low, high)]
    (first, slower), (last, faster) = map(_parts, texts)
    are_factors = [bool(size) and direction == _AS_FAST for size, direction in map(_parts, texts)]
    if any(are_factors) and not all(are_factors):
        # Instead of "51 % faster to 2.24x as fast".
        (first, slower), (last, faster) = ((factor_text(ratio), _AS_FAST) for ratio in (low, high))
    if slower != faster or not first or not last:
        return " to ".join(map(_with_place, texts, places))
    if places == ("", "") and first == last:
        return f"{first} {faster}"
    return f"{_with_place(first, places[0])} to {_with_place(last, places[1])} {faster}"


def _parts(difference: str) -> tuple[str, str]:
    """Return the size and the direction of a difference: "2x" and "as fast", "5 %" and "slower"."""
    if difference.endswith(_AS_FAST):
        return difference.removesuffix(_AS_FAST).strip(), _AS_FAST
    size, _, direction = difference.rpartition(" ")
    return size, direction


def _places(pairs: Sequence[ComparedPair]) -> list[str]:
    """Return the places of pairs, without the words that all of them have."""
    words = [[word for word in pair.place.split(", ") if word not in ("", "-")] for pair in pairs]
    common = set.intersection(*map(set, words))
    return [", ".join(word for word in own if word not in common) for own in words]


def _short_place(pairs: Sequence[ComparedPair], named: ComparedPair) -> str:
    """Return the fewest words of a pair's place, at most two, that no other pair has; else all of them."""
    words = [text.split(", ") for text in _places(pairs)]
    own = next(words[at] for at, pair in enumerate(pairs) if pair is named)
    others = [set(each) for at, each in enumerate(words) if pairs[at] is not named]
    choices = (choice for count in (1, 2) for choice in combinations(own, count))
    names = (choice for choice in choices if not any(other.issuperset(choice) for other in others))
    return ", ".join(next(names, own))


def _number_of(pairs: Sequence[ComparedPair]) -> str:
    """Return how many comparisons there are, by a factor that distinguishes all: "3 models"."""
    table = pairs[0].table
    shown = [*(name for name, _ in table.facet), *table.row_factors, *table.column_factors]
    differing = {name for pair in pairs for name in pair.differing}
    varying = [
        name
        for name in shown
        if name not in differing and len({repr(pair.case.factors.get(name)) for pair in pairs}) > 1
    ]
    if len(pairs) == 1:
        return "1 comparison"
    values = {name: [pair.case.factors.get(name) for pair in pairs] for name in varying}
    distinct = [
        name
        for name, own in values.items()
        if len(varying) == 1 or (all(isinstance(value, str) for value in own) and len(set(own)) == len(pairs))
    ]
    return f"{len(pairs)} {plural(distinct[:1]) if distinct else 'comparisons'}"


def _means(pairs: Sequence[ComparedPair], names: Sequence[str], baseline: str) -> Iterator[str]:
    """Yield the geometric means of a few subjects, each with both ends, the fastest first."""
    by_subject = _by_subject(pairs, names)
    if len(by_subject) > _MAX_SUBJECTS or all(len(own) == 1 for own in by_subject.values()):
        return
    ratios = {name: sorted(map(_speed_ratio, own)) for name, own in by_subject.items()}
    ranked = sorted(ratios, key=lambda name: (-geometric_mean(ratios[name]), name))
    texts = [
        f"{name} {_times(geometric_mean(own))}x ({_times(own[0])}x to {_times(own[-1])}x)"
        for name in ranked
        for own in [ratios[name]]
    ]
    texts[0] = texts[0].replace(ranked[0], _clause(ranked[0], "is"), 1)
    counts = dict.fromkeys(str(len(ratios[name])) for name in ranked)
    means = f"{joined(texts)} {_AS_FAST} as {baseline}, geometric means of {joined([*counts])}"
    yield from (f"{means} comparisons", means)


def _by_subject(pairs: Sequence[ComparedPair], names: Sequence[str]) -> dict[str, list[ComparedPair]]:
    by_subject: dict[str, list[ComparedPair]] = {}
    for pair in pairs:
        by_subject.setdefault(subject_of(pair.case, names), []).append(pair)
    return by_subject


def _ranking(pairs: Sequence[ComparedPair], names: Sequence[str], *, has_mean: bool) -> Iterator[str]:
    """Yield how several subjects compare with one baseline: the fastest and the slowest by their mean.

    has_mean  whether a table shows the geometric mean of each subject
    """
    by_subject = _by_subject(pairs, names)
    ratios = {name: [_speed_ratio(pair) for pair in own] for name, own in by_subject.items()}
    alike = [name for name in ratios if all(abs(ratio - 1) < _NEGLIGIBLE for ratio in ratios[name])]
    left_out = alike if len(alike) > 1 else []
    ranked = sorted(set(ratios) - set(left_out), key=lambda name: (-geometric_mean(ratios[name]), name))
    counts = {len(own) for own in by_subject.values()}
    is_mean = has_mean and counts != {1}
    number = {name: _number_of(by_subject[name]) for name in by_subject}
    texts = []
    for name in ranked:
        ends = (geometric_mean(ratios[name]),) * 2 if is_mean else (min(ratios[name]), max(ratios[name]))
        of_several = f" ({number[name]})" if len(counts) > 1 else ""
        texts.append(f"{_clause(name, 'is')} {_both_ends(*ends)}{of_several}")
    who = joined(left_out) if len(left_out) == 2 else f"{len(left_out)} others"
    near = [f"{who} are {_NEAR}"] if left_out else []
    mean = " in the geometric mean" if is_mean and ranked else ""
    if ranked and len(counts) == 1 and counts != {1}:
        mean = f"{mean} of {number[ranked[0]]}" if mean else f" ({number[ranked[0]]} each)"
    for shown in _shortened(texts[1:]):
        yield f"{joined([*texts[:1], *shown, *near])}{mean}"


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


def _open(pairs: Sequence[ComparedPair]) -> str:
    """Return why comparisons are undecided and what would settle them; "" if reasons differ."""
    verdicts = [pair.comparison.verdict for pair in pairs]
    undecided = [verdict for verdict in verdicts if verdict and verdict.kind == "undecided"]
    if len(undecided) > 1:
        # Each has a cost of its own.
        undecided = [structs.replace(verdict, seconds=None) for verdict in undecided]
    texts = {verdict.sentence() for verdict in undecided}
    return texts.pop().removeprefix("undecided: ") if len(texts) == 1 else ""


# Expected speed


def _expectation(
    entry: ComparedEntry, pairs: Sequence[ComparedPair]
) -> tuple[Iterator[str], list[ComparedPair]]:
    """Return wordings of what takes longest, with what is expected of it, and the pairs that it is about.

    Of the phases of one step, the longest has the say: the others explain less of it.
    """
    longest: dict[object, ComparedPair] = {}
    for pair in sorted(pairs, key=_duration, reverse=True):
        longest.setdefault(_runs(pair), pair)
    wholes = {_runs(pair): pair for pair in entry.pairs if not pair.left_out}
    part = max(longest.values(), key=lambda pair: (wholes.get(_runs(pair)) or pair).comparison.value)
    whole = wholes.get(_runs(part), part)
    return _expectations(entry, whole, part), [whole, part]


def _expectations(entry: ComparedEntry, whole: ComparedPair, part: ComparedPair) -> Iterator[str]:
    expected = part.comparison.expected
    assert expected is not None
    single = f" ({_without_repeats([whole, part])})" if _is_single(part) else ""
    for title in (_titled(entry.title, whole), entry.title):
        statement = f"{title}: {expected.target} takes {_slowdown(whole)} as {expected.reference}"
        if whole is not part:
            name = f"without {joined(part.left_out)} it" if part.case.parts else f"{_phase(part)} alone"
            statement += f"; {name} takes {_slowdown(part)}"
        hardware, excess = _reason(part, expected)
        yield f"{statement}; {hardware}, so it takes {excess}{single}"
        yield f"{statement}, {excess}{single}"


def _duration(pair: ComparedPair) -> float:
    """Return a sorting key that puts longer cases last."""
    summary = pair.case.summary
    assert summary is not None
    return summary.median if metric_of(pair.case.metric).better == "lower" else -summary.median


def _runs(pair: ComparedPair) -> tuple[tuple[str, ...], ...]:
    """Return the runs behind a pair."""
    return tuple(tuple(m.run.id for m in case.measurements) for case in (pair.case, pair.baseline))


def _slowdown(pair: ComparedPair) -> str:
    """Return the observed ratio of times, with its interval or both ranges if there are repeats."""
    verdict, value = pair.comparison.verdict, pair.comparison.value
    ratio = f"{_times(value)}x as long"
    if _is_single(pair):
        return ratio
    if verdict and verdict.low is not None and verdict.high is not None:
        evidence = f"{_times(1 / verdict.high)}x to {_times(1 / verdict.low)}x"
    else:
        evidence = _evidence(pair)
    is_open = verdict and verdict.kind in ("undecided", "likely faster", "likely slower")
    return f"{ratio} ({evidence}{f', {verdict.kind}' if verdict and is_open else ''})"


def _reason(pair: ComparedPair, expected: Expected) -> tuple[str, str]:
    """Return how much of the ratio of times the hardware explains, and the rest."""
    excess = pair.comparison.excess
    assert excess is not None
    rest = _band(pair.comparison.low, excess, pair.comparison.high, expected.is_band)
    hardware = _band(1 / expected.high, 1 / expected.speed, 1 / expected.low, expected.is_band)
    explains = pair.comparison.value >= 1 > expected.speed
    why = f"hardware explains {hardware}" if explains else f"{hardware} is expected"
    return why, f"{rest} as long as expected"


def _times(value: float) -> str:
    return units.text(value, digits=3)


def _band(low: float | None, value: float, high: float | None, is_band: bool) -> str:
    if not is_band or low is None or high is None:
        return f"{_times(value)}x"
    return f"{_times(low)}x to {_times(high)}x"


def joined(names: Sequence[str]) -> str:
    """Return names as a list in words."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
