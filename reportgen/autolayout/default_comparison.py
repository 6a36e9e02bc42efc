"""Choose what a table compares by default: what did the same work, else numbers of devices.

A comparison is about the factors that name what did the work (device, framework, cluster). Its baseline is
the value that most cases have in common, so that most cases get a ratio: a case is compared only with a
baseline that agrees in everything else. Of equal devices the slowest is the baseline, of commits the first.
Where systems ran with different batch sizes only, each is compared at its best one, and the table says so;
not by the time of a step, which is shortest for the smallest batch. Without such factors, a table compares
three or more numbers of devices, else precisions, else two numbers of devices.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from reportgen.autolayout.environment_factors import COMMITS
from reportgen.autolayout.path_factors import LOG_LEVEL
from reportgen.autolayout.raw_speed import slowest_first
from reportgen.autolayout.table_layout import SUBJECTS, Axes, position
from reportgen.compare.comparison import CompareKind
from reportgen.compare.conditions import COMPETITORS, DEVICE_COUNTS, DEVICE_NAMES
from reportgen.core.factors import FactorKey, factor_key, value_order
from reportgen.core.metrics import RATES, metric_of
from reportgen.core.model import FactorValue, Run
from reportgen.tables.spec import CompareSpec, Pick

# A comparison that gives fewer cases a ratio than this leaves most cells of its column empty.
_MIN_SHARE = 1 / 3
_MIN_COMPARED = 8
_ALWAYS_COMPARED = DEVICE_NAMES | {"framework"}
_BATCH_SIZES = ("batch_size", "micro_batch_size", "global_batch_size")
# Settings that are compared where nothing else did the work, and the values that others are measured by.
_SETTINGS: Mapping[str, Sequence[str]] = {
    "precision": ("fp64", "fp32", "tf32", "amp", "fp16", "bf16", "fp8", "int8"),
    "execution": ("eager", "compile"),
    # From the fewest devices on.
    "tensor_parallel": (),
    "pipeline_parallel": (),
}
# So many numbers of devices are a course.
_MIN_COUNTS = 3
# With more numbers of devices, a table for each would separate what a reader wants to see together.
_MAX_FACETS = 2
# A compared column shows two numbers.
_MAX_COMPARED_COLUMNS = 3

_Case = Mapping[str, FactorKey]
_Key = frozenset[tuple[str, FactorKey]]
# Factor -> values, the one that others are compared with first.
_Order = Mapping[str, Sequence[object]]


@dataclass(frozen=True, slots=True)
class DefaultComparison:
    """The comparison of a table: the baseline by factor, and the batch sizes to pick the best from."""

    kind: CompareKind
    baseline: Mapping[str, FactorValue]
    pick: Mapping[str, Pick] = field(default_factory=dict)

    @property
    def spec(self) -> CompareSpec:
        """Return the entry of a table."""
        return CompareSpec(self.kind, self.baseline)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A baseline, and the share of the other cases that it is a baseline of.

    of_shared  the same of the cases whose work another system did too: the others can be compared with none
    """

    baseline: Mapping[str, FactorKey]
    share: float
    of_shared: float
    compared: int

    @property
    def is_useful(self) -> bool:
        """Whether enough cells have a ratio: a third of all, or several, and most of those that can."""
        return self.share >= _MIN_SHARE or (self.compared >= _MIN_COMPARED and self.of_shared >= 1 / 2)


_NONE = _Candidate({}, 0.0, 0.0, 0)


def choose_comparison(
    metric: str, runs: Iterable[Run], guessed: Collection[str] = ()
) -> DefaultComparison | None:
    """Return the first of the `comparisons`, None if there are none."""
    return next(iter(comparisons(metric, runs, guessed)), None)


def comparisons(metric: str, runs: Iterable[Run], guessed: Collection[str] = ()) -> list[DefaultComparison]:
    """Return what a table of these runs, which have values of the metric, may compare: the usual one first.

    guessed  factors that name a level of the path. Folders name systems or variants, if the logs say what was
             run: else they may name that. Names of files may count repeats
    """
    if not metric_of(metric).is_speed:
        return []
    in_order = sorted(runs, key=lambda run: run.minute)
    cases = _distinct([{name: factor_key(v) for name, v in run.factors.items()} for run in in_order])
    levels = guessed if all(not case.keys().isdisjoint(SUBJECTS) for case in cases) else ()
    systems = [name for name in levels if not name.startswith(LOG_LEVEL)]
    competitors = [*sorted(COMPETITORS, key=lambda name: (position(name), name)), *systems]
    names = [name for name in competitors if _varies(name, cases) and _is_usual(name, cases)]
    # Another level of the path may follow from that of the systems, such as the year of the measurement, and
    # what the logs of one system alone state, such as its device, from the system.
    others = [name for name in competitors if name not in names and _varies(name, cases)]
    followers = [*names, *others, *(levels if systems else ())]
    sets = [_with_followers(name, followers, cases) for name in names]
    is_rate = metric_of(metric).unit in RATES
    sizes = [name for name in _BATCH_SIZES if is_rate and _varies(name, cases)]
    order = _usual_first(metric, in_order)
    chosen = [_by_competitors([*sets, names], cases, order, sizes)]
    if len(sets) > 1:
        chosen += [_by_competitors([each, each], cases, order, sizes) for each in sets]
    scaling = _scaling(cases) if metric_of(metric).scales_with_devices else _NONE
    efficiency = [DefaultComparison("efficiency", _values(scaling))] if scaling.share >= _MIN_SHARE else []
    has_systems, is_course = any(chosen), len({case.get("devices") for case in cases}) >= _MIN_COUNTS
    if not has_systems:
        # Who ran more and more devices asks how it scales; the precisions come beside.
        chosen += efficiency if is_course else []
        settings = [name for name in _SETTINGS if _varies(name, cases) and _is_usual(name, cases)]
        chosen += [_by_competitors([[name], [name]], cases, order, ()) for name in settings]
    chosen += efficiency
    made = [each for each in chosen if each]
    return [each for n, each in enumerate(made) if each not in made[:n]]


def _by_competitors(
    sets: Sequence[Sequence[str]], cases: Sequence[_Case], order: _Order, sizes: Collection[str]
) -> DefaultComparison | None:
    """Return the comparison by one of the sets of factors, None if it leaves most cells empty."""
    best = _best_candidate(sets, cases, order)
    free = _best_candidate(sets, cases, order, sizes) if sizes and best.share < 1 / 2 else _NONE
    if free.compared > 2 * best.compared and free.is_useful:
        return DefaultComparison("speedup", _values(free), dict.fromkeys(sizes, "best"))
    return DefaultComparison("speedup", _values(best)) if best.is_useful else None


def _best_candidate(
    sets: Sequence[Sequence[str]], cases: Sequence[_Case], order: _Order, free: Collection[str] = ()
) -> _Candidate:
    """Return the best baseline by the factors of one set; by the last one only if it compares twice as many.

    sets  the last one has the factors of all others, whose values compete
    free  factors in which a case and its baseline may differ
    """
    *some, every = (_best_baseline(names, cases, order, free) for names in sets)
    best = max(some, key=lambda each: each.compared, default=_NONE)
    return best if 2 * best.compared >= every.compared else every


def _scaling(cases: Sequence[_Case]) -> _Candidate:
    """Return the fewest devices as a baseline, with the sizes that follow from their number."""
    if not _varies("devices", cases):
        return _NONE
    sizes = [*sorted(DEVICE_COUNTS - {"devices"}), "global_batch_size"]
    stating = {name: [case for case in cases if name in case] for name in sizes if _varies(name, cases)}
    names = ["devices", *(name for name, having in stating.items() if _follows(name, "devices", having))]
    # Not every program states the nodes, or the devices of each.
    stated = {tuple(name for name in names if name in case) for case in cases if "devices" in case}
    baselines = [each for own in sorted(stated) for each in _baselines(own, cases, {}, ()) if each.compared]
    return min(baselines, key=_fewest_devices, default=_NONE)


def _fewest_devices(candidate: _Candidate) -> tuple[object, int]:
    return value_order(candidate.baseline["devices"]), -candidate.compared


def _best_baseline(
    names: Sequence[str], cases: Sequence[_Case], order: _Order, free: Collection[str]
) -> _Candidate:
    """Return the values of the factors that most cases can be compared with, the first of equals."""
    if not names:
        return _NONE
    return max(_baselines(names, cases, order, free), key=lambda each: each.compared, default=_NONE)


def _baselines(
    names: Sequence[str], cases: Sequence[_Case], order: _Order, free: Collection[str]
) -> list[_Candidate]:
    """Return each combination of values that a case has of all these factors, in their order.

    A case without a value of the first factor is compared with nothing.
    """
    groups: dict[_Key, set[tuple[FactorKey | None, ...]]] = {}
    for case in cases:
        if names[0] not in case:
            continue  # nothing says that this case ran on another system
        work = frozenset(item for item in case.items() if item[0] not in (*names, *free))
        groups.setdefault(work, set()).add(tuple(case.get(name) for name in names))
    known = {combination for group in groups.values() for combination in group if None not in combination}
    candidates = []
    for combination in sorted(known, key=partial(_place, names, order)):
        compared = sum(len(group) - 1 for group in groups.values() if combination in group)
        others = sum(len(group - {combination}) for group in groups.values())
        shared = sum(len(group - {combination}) for group in groups.values() if len(group) > 1)
        baseline = {name: key for name, key in zip(names, combination, strict=True) if key}
        share, of_shared = (compared / each if each else 0.0 for each in (others, shared))
        candidates.append(_Candidate(baseline, share, of_shared, compared))
    return candidates


def _usual_first(metric: str, runs: Sequence[Run]) -> _Order:
    """Return the values of factors in an order: settings as is usual, commits as measured, devices by speed.

    runs  in the order in which they were measured
    """
    commits = {
        name: list(dict.fromkeys(run.factors[name] for run in runs if name in run.factors))
        for name in COMMITS
    }
    devices = {name: slowest_first(metric, name, runs) for name in DEVICE_NAMES}
    precisions = {str(run.factors["precision"]) for run in runs if "precision" in run.factors}
    others = sorted(precisions - {*_SETTINGS["precision"]}, key=_bits, reverse=True)
    return {**_SETTINGS, "precision": [*_SETTINGS["precision"], *others], **commits, **devices}


def _bits(precision: str) -> tuple[int, str]:
    """Return a sorting key by the bits that a name has: 8 of Q8_0."""
    number = re.search("[0-9]{1,3}", precision)
    return (int(number[0]) if number else 0, precision)


def _place(names: Sequence[str], order: _Order, keys: Iterable[FactorKey | None]) -> list[object]:
    """Return the place of a combination of values: by their order if they have one, else by value."""
    places: list[object] = []
    for name, key in zip(names, keys, strict=True):
        usual = [str(value).lower() for value in order.get(name, ())]
        word = str(key[1]).lower() if key else ""
        places.append((usual.index(word) if word in usual else len(usual), value_order(key) if key else ()))
    return places


def _with_followers(name: str, names: Iterable[str], cases: Sequence[_Case]) -> list[str]:
    """Return a factor, and the others whose values follow from its value."""
    others = dict.fromkeys(other for other in names if other != name)
    followers = [other for other in others if _follows(other, name, cases)]
    return [name, *followers]


def _follows(name: str, other: str, cases: Sequence[_Case]) -> bool:
    pairs = {(case.get(other), case.get(name)) for case in cases}
    return len(pairs) == len({value for value, _ in pairs})


def _varies(name: str, cases: Sequence[_Case]) -> bool:
    return len({case.get(name) for case in cases}) > 1


def _is_usual(name: str, cases: Sequence[_Case]) -> bool:
    """Return whether most cases have a factor; devices and frameworks are compared wherever there are two."""
    having = [case for case in cases if name in case]
    if name in _ALWAYS_COMPARED and _varies(name, having):
        return True
    return len(having) >= len(cases) / 2


def _distinct(cases: Iterable[_Case]) -> list[_Case]:
    return list({frozenset(case.items()): case for case in cases}.values())


def _values(candidate: _Candidate) -> dict[str, FactorValue]:
    return {name: value for name, (_, value) in candidate.baseline.items()}


@dataclass(frozen=True, slots=True)
class ComparedAxes:
    """Row, column and facet factors of a table that compares."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    facets: tuple[str, ...] = ()


def arrange(axes: Axes, comparison: DefaultComparison, runs: Sequence[Run]) -> ComparedAxes:
    """Return axes on which what is compared is next to each other, and numbers of devices are apart.

    The rows of one work follow each other, one for each of what did it. Each number of devices has its own
    table, or, if there are many, its own group of rows.
    """
    shown = [name for name in (*axes.rows, *axes.columns) if name not in comparison.pick]
    main, *followers = comparison.baseline
    compared = [main, *(name for name in followers if name in shown)]
    work = [name for name in shown if name not in comparison.baseline]
    counts = {factor_key(run.factors["devices"]) for run in runs if "devices" in run.factors}
    facets = ("devices",) if "devices" in work and len(counts) <= _MAX_FACETS else ()
    if facets:
        cases = [{name: factor_key(v) for name, v in run.factors.items()} for run in runs]
        # In one facet these have one value, which its caption says.
        work = [name for name in work if name not in _with_followers("devices", work, cases)]
    values = {name: {run.factors.get(name) for run in runs} for name in work}
    columns = [name for name in axes.columns if 1 < len(values.get(name, ())) <= _MAX_COMPARED_COLUMNS]
    sizes = [name for name in ("nodes", "devices") if name in work]
    others = [name for name in work if name not in (*sizes, *columns)]
    return ComparedAxes((*sizes, *others, *compared), tuple(columns), facets)
