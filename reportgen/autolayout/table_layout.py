"""Choose a default layout: which tables, which row and column factors.

Factors that distinguish cases become rows: what was run, on which system, with which settings. One of them
becomes the column factor if that fills rows with comparable numbers. A campaign with many cases gets a table
per model, because images and tokens cannot be compared and a factor that is constant per model needs no row.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import accumulate

from reportgen.autolayout.path_factors import ITEM
from reportgen.compare.conditions import DEVICE_NAMES
from reportgen.core.factors import Accepted, FactorKey, Presence, factor_key, factors_key
from reportgen.core.model import Run
from reportgen.protocol.conditions import STATISTIC
from reportgen.tables.pivot import Ranks
from reportgen.tables.spec import REPEAT

# A column factor with more values than this makes a table too wide to read.
MAX_COLUMNS = 8
# A table with more cases is split by what was run, unless that makes more tables than readers scroll through.
MAX_CASES = 40
MAX_TABLES = 24
# With a smaller share of filled cells a table is easier to read as a list.
_MIN_FILL = 0.5
SUBJECTS = ("model", "benchmark", "workload")
_PROGRAM = "framework"
# Factors that readers want to know of any number, in this order.
_USUAL_FACTORS = (
    _PROGRAM, *SUBJECTS, "cluster", "submitter", "system", "device", "gpu", "nodes", "devices",
    "precision", "batch_size", "global_batch_size", "seq_len",
)  # fmt: skip
# Factors that grow from row to row.
SIZES = (
    *("devices", "nodes", "batch_size", "global_batch_size", "seq_len"),
    *("message_size", "concurrency", "request_rate"),
)
# Factors that a benchmark sweeps in small steps: each is the only row factor if the others fit into columns.
SWEEPS = ("message_size", "concurrency", "request_rate")
# The devices that send and receive: a matrix.
PAIR = ("from", "to")
# If nothing varies in a table, these describe best what was run.
_DESCRIPTIVE = (*SUBJECTS, "system", "device")
# A report of one case names so many of its usual factors: more would push the number off a narrow screen.
_MAX_DESCRIBED = 4
_OF_ONE_CASE = (*_DESCRIPTIVE, "devices", "batch_size", "global_batch_size", "seq_len", "precision")


@dataclass(frozen=True, slots=True)
class TableGroup:
    """The runs of one table and the conditions that select them; no conditions select all runs."""

    where: dict[str, Accepted]
    runs: list[Run]


@dataclass(frozen=True, slots=True)
class Axes:
    """Row, column and facet factors of a table, and factors that its headings name beside them."""

    rows: list[str]
    columns: list[str]
    facets: tuple[str, ...] = ()
    qualify: tuple[str, ...] = ()


def group_runs(runs: Sequence[Run], campaign: Sequence[Run]) -> Iterator[TableGroup]:
    """Yield the runs of each table: one table per model if there are many cases.

    campaign  all runs, including those that belong to other tables
    """
    for name in SWEEPS:
        # The average that a program prints below its sweep is at no size.
        swept = [run for run in runs if name in run.factors]
        if len(runs) / 2 < len(swept) < len(runs):
            for group in group_runs(swept, campaign):
                yield replace(group, where={**group.where, name: (Presence.PRESENT,)})
            rest = [run for run in runs if name not in run.factors]
            yield TableGroup({name: (Presence.ABSENT,)}, rest)
            return
    values = _values_of(runs)
    cases = {factors_key(run.factors) for run in runs}
    for name in SUBJECTS if len(cases) > MAX_CASES else ():
        if 1 < len(values.get(name, ())) <= MAX_TABLES and all(name in run.factors for run in runs):
            ranks = Ranks([run.factors for run in runs], {})
            for rank in range(len(values[name])):
                members = [run for run in runs if ranks.rank(name, run.factors) == rank]
                yield TableGroup({name: (ranks.value(name, rank),)}, members)
            return
    yield TableGroup(_own_subjects(runs, campaign), list(runs))


def _own_subjects(runs: Sequence[Run], campaign: Sequence[Run]) -> dict[str, Accepted]:
    """Return the models of a table, {} if these are all: a model that failed elsewhere gets no row here."""
    values, everywhere = _values_of(runs), _values_of(campaign)
    for name in SUBJECTS:
        if all(name in run.factors for run in runs) and len(values[name]) < len(everywhere[name]):
            ranks = Ranks([run.factors for run in runs], {})
            return {name: tuple(ranks.value(name, rank) for rank in range(len(values[name])))}
    return {}


def choose_axes(
    runs: Sequence[Run], campaign: Sequence[Run], guessed: Collection[str] = (), *, has_columns: bool = False
) -> Axes:
    """Return row and column factors.

    campaign     all runs: if no factor of the table varies, the row is one that varies in other tables
    guessed      factors that name a level of the path; they are never columns, and no rows if another factor
                 determines them
    has_columns  the columns are in use already, so no factor becomes one
    """
    values = _values_of(runs)
    lacking = {name for name in values if any(name not in run.factors for run in runs)}
    known = devices_of_programs(runs).keys()
    varying = [name for name in values if len(values[name]) > 1 or name in lacking - known]
    system = _system_level(guessed, values) if "device" in lacking else None
    for name in guessed:
        others = [other for other in varying if other != name]
        if name in varying and name != system and any(_determines(other, name, runs) for other in others):
            varying.remove(name)
    if not varying:
        return Axes(_described(values, campaign), [])
    # Of factors that stand for one another, a reader wants the name: pp512 rather than 512 tokens.
    numbers = {name for name in varying if all(kind == "number" for kind, _ in values[name])}
    varying.sort(key=lambda name: (position(name, guessed), -len(values[name]), name in numbers, name))
    rows = _needed(varying, runs, {*_USUAL_FACTORS, system})
    if has_columns:
        return Axes(rows, [])
    if swept := _swept(rows, runs):
        return swept
    if {*PAIR} <= set(rows):
        facets = tuple(name for name in rows if name not in PAIR)
        return Axes([PAIR[0]], [PAIR[1]], facets)
    short = [name for name in rows if 1 < len(values[name]) <= MAX_COLUMNS and name not in guessed]
    short.sort(key=lambda name: (name != STATISTIC, name in SIZES, len(values[name]), name))
    fill = _fill_ratios(rows, runs) if len(rows) > 1 else {}
    column = next((name for name in short if fill.get(name, 0) >= _MIN_FILL), None)
    return Axes([name for name in rows if name != column], [column] if column else [])


def devices_of_programs(runs: Sequence[Run]) -> dict[str, list[str]]:
    """Return each name of the device that the logs of some programs state and others do not: these programs.

    They state one value. In rows, the other programs would look as if they ran on something else.
    """
    values = _values_of(runs)
    programs = {}
    for name in sorted(DEVICE_NAMES & values.keys()):
        stating = {run.factors.get(_PROGRAM) for run in runs if name in run.factors}
        silent = {run.factors.get(_PROGRAM) for run in runs if name not in run.factors}
        is_split = silent and stating.isdisjoint(silent) and None not in stating | silent
        if is_split and len(values[name]) == 1:
            programs[name] = sorted(map(str, stating))
    return programs


def _swept(rows: Sequence[str], runs: Sequence[Run]) -> Axes | None:
    """Return the axes with a sweep as rows and all else as columns; None without a sweep, or if too wide.

    A factor that follows from the columns is beside their headings. If the table is too wide, each
    statistic gets its own.
    """
    sweep = next((name for name in SWEEPS if name in rows), None)
    if sweep is None:
        return None
    columns: list[str] = []
    qualify: list[str] = []
    for name in (name for name in rows if name != sweep):
        (qualify if columns and _determines_all(columns, name, runs) else columns).append(name)
    facets: tuple[str, ...] = ()
    if STATISTIC in columns and len(columns) > 1 and count_combinations(columns, runs) > MAX_COLUMNS:
        facets = (STATISTIC,)
        columns.remove(STATISTIC)
    is_narrow = 1 < count_combinations(columns, runs) <= MAX_COLUMNS
    return Axes([sweep], columns, facets, tuple(qualify)) if is_narrow else None


def _system_level(guessed: Iterable[str], values: Mapping[str, Collection[FactorKey]]) -> str | None:
    """Return the path level with the most names: in logs without a device it may name the system."""
    return max(guessed, key=lambda name: len(values.get(name, ())), default=None)


def _needed(names: Sequence[str], runs: Sequence[Run], usual: Collection[str | None]) -> list[str]:
    """Return the usual factors, and of the others those that distinguish more cases."""
    needed = [name for name in names if name in usual]
    cells = _cells(needed, runs)
    for name in names:
        if name not in needed and max(finer := _divide(runs, cells, name)) > max(cells):
            needed.append(name)
            cells = finer
    return [name for name in names if name in needed]


def _values_of(runs: Sequence[Run]) -> Mapping[str, Collection[FactorKey]]:
    """Return the values of each factor."""
    values: dict[str, set[FactorKey]] = {}
    for run in runs:
        for name, value in run.factors.items():
            values.setdefault(name, set()).add(factor_key(value))
    return values


def position(name: str, guessed: Collection[str] = ()) -> int:
    """Return the place of a factor in the order in which readers want to know them."""
    systems = _USUAL_FACTORS.index("precision")
    if name not in _USUAL_FACTORS:
        return systems if name in guessed else len(_USUAL_FACTORS)
    return _USUAL_FACTORS.index(name)


def _determines(name: str, other: str, runs: Sequence[Run]) -> bool:
    """Return whether the other factor's value follows from a factor's value."""
    return _determines_all([name], other, runs)


def _determines_all(names: Sequence[str], other: str, runs: Sequence[Run]) -> bool:
    """Return whether a factor's value follows from the values of several others."""
    return count_combinations(names, runs) == count_combinations([*names, other], runs)


def _fill_ratios(names: Sequence[str], runs: Sequence[Run]) -> Mapping[str, float]:
    """Return, per factor, the share of filled cells (the first of each row aside) with it as the column."""
    start = [0] * len(runs)
    before = list(accumulate(names, partial(_divide, runs), initial=start))
    after = list(accumulate(reversed(names), partial(_divide, runs), initial=start))[::-1]
    cases = max(before[-1]) + 1
    rows = {name: len({*zip(before[i], after[i + 1], strict=True)}) for i, name in enumerate(names)}
    columns = {name: max(count_combinations([name], runs) - 1, 1) for name in names}
    return {name: (cases - rows[name]) / (rows[name] * columns[name]) for name in names}


def count_combinations(names: Sequence[str], runs: Sequence[Run]) -> int:
    """Return how many combinations of values these factors have."""
    return len(set(_cells(names, runs)))


def _cells(names: Sequence[str], runs: Sequence[Run]) -> Sequence[int]:
    """Return the combination of values of each run, numbered from 0."""
    return reduce(partial(_divide, runs), names, [0] * len(runs))


def _divide(runs: Sequence[Run], cells: Sequence[int], name: str) -> list[int]:
    """Return the cells into which a factor divides given ones."""
    values = (factor_key(run.factors[name]) if name in run.factors else None for run in runs)
    numbers: dict[tuple[int, FactorKey | None], int] = {}
    return [numbers.setdefault(pair, len(numbers)) for pair in zip(cells, values, strict=True)]


def _described(names: Collection[str], campaign: Sequence[Run]) -> list[str]:
    """Return the row factors if none varies.

    One that varies elsewhere; of one case the usual ones, a descriptive one, else the repeat.
    """
    known = sorted(set(names) - {ITEM})
    if not known:
        return [REPEAT]
    values = _values_of(campaign)
    title = min(known, key=lambda name: (-len(values[name]), name not in _DESCRIPTIVE, name))
    usual = [name for name in _OF_ONE_CASE if name in known] if title in _DESCRIPTIVE else []
    is_one_case = len({factors_key(run.factors) for run in campaign}) == 1
    chosen = usual[:_MAX_DESCRIBED] if is_one_case else []
    return sorted(chosen, key=position) or [title]
