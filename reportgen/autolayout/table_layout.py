"""Lay runs out as a table that nobody has laid out yet: what gets a table of its own, rows, columns.

Factors that tell cases apart are rows: what was run, on which system, with which settings. One of them goes
across the page if that puts numbers beside one another. Where there are many cases each model has its own
table: images and tokens are not to be compared, and what is the same for all runs of a model is no row.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import accumulate

from reportgen.autolayout.path_factors import ITEM
from reportgen.core.factors import AcceptedValues, FactorKey, factor_key, factors_key
from reportgen.core.model import Run
from reportgen.tables.pivot import Ranks
from reportgen.tables.spec import REPEAT

# A column factor with more values than this makes a table too wide to read.
MOST_COLUMNS = 8
# A table with more cases is cut by what was run, unless that makes more tables than anyone scrolls through.
MOST_CASES = 40
MOST_TABLES = 24
# With fewer numbers beside one another a table is easier to read as a list.
_BESIDE = 0.5
_SUBJECTS = ("model", "benchmark", "workload")
# What a reader asks of any number, in this order.
_ASKED = (
    "framework", *_SUBJECTS, "cluster", "system", "device", "gpu", "nodes", "devices",
    "precision", "batch_size", "global_batch_size", "seq_len",
)  # fmt: skip
# What grows from row to row.
SIZES = ("devices", "nodes", "batch_size", "global_batch_size", "seq_len")
# Where nothing varies, these say best what was run.
_TELLING = (*_SUBJECTS, "system", "device")


def groups(
    runs: Sequence[Run], campaign: Sequence[Run]
) -> Iterator[tuple[dict[str, AcceptedValues], list[Run]]]:
    """Yield what runs of one table have in common, as its `where`, and these runs; {} for all together.

    campaign  all runs, those among them that belong into other tables
    """
    values = _values_of(runs)
    cases = {factors_key(run.factors) for run in runs}
    for name in _SUBJECTS if len(cases) > MOST_CASES else ():
        if 1 < len(values.get(name, ())) <= MOST_TABLES and all(name in run.factors for run in runs):
            ranks = Ranks([run.factors for run in runs], {})
            for rank in range(len(values[name])):
                yield (
                    {name: (ranks.value(name, rank),)},
                    [run for run in runs if ranks.rank(name, run.factors) == rank],
                )
            return
    yield _of_these(runs, campaign), list(runs)


def _of_these(runs: Sequence[Run], campaign: Sequence[Run]) -> dict[str, AcceptedValues]:
    """Return the models of a table, {} where these are all: one that failed elsewhere is no row here."""
    values, everywhere = _values_of(runs), _values_of(campaign)
    for name in _SUBJECTS:
        if all(name in run.factors for run in runs) and len(values[name]) < len(everywhere[name]):
            ranks = Ranks([run.factors for run in runs], {})
            return {name: tuple(ranks.value(name, rank) for rank in range(len(values[name])))}
    return {}


def axes(
    runs: Sequence[Run], campaign: Sequence[Run], guessed: Collection[str] = (), *, has_columns: bool = False
) -> tuple[list[str], list[str]]:
    """Return row and column factors; no column factor where something else stands across the page already.

    campaign  all runs: where none of the factors varies, the row is one that does in other tables
    guessed   factors that stand for a level of the path; they are no columns, nor rows where they say again
              what another factor says
    """
    values = _values_of(runs)
    lacking = {name for name in values if any(name not in run.factors for run in runs)}
    varying = [name for name in values if len(values[name]) > 1 or name in lacking]
    system = _system(guessed, values) if "device" in lacking else None
    for name in guessed:
        others = [other for other in varying if other != name]
        if name in varying and name != system and any(_tells(other, name, runs) for other in others):
            varying.remove(name)
    if not varying:
        return [_title_factor(values, campaign)], []
    varying.sort(key=lambda name: (_position(name, guessed), -len(values[name]), name))
    rows = _needed(varying, runs, {*_ASKED, system})
    if has_columns:
        return rows, []
    short = [name for name in rows if 1 < len(values[name]) <= MOST_COLUMNS and name not in guessed]
    short.sort(key=lambda name: (name in SIZES, len(values[name]), name))
    beside = _beside(rows, runs) if len(rows) > 1 else {}
    across = next((name for name in short if beside.get(name, 0) >= _BESIDE), None)
    return [name for name in rows if name != across], [across] if across else []


def _system(guessed: Iterable[str], values: Mapping[str, Collection[FactorKey]]) -> str | None:
    """Return the level of the path with the most names: of logs without a device it may tell the system."""
    return max(guessed, key=lambda name: len(values.get(name, ())), default=None)


def _needed(names: Sequence[str], runs: Sequence[Run], asked: Collection[str | None]) -> list[str]:
    """Return the factors that are asked for, and of the others those that tell more cases apart."""
    found = [name for name in names if name in asked]
    told = _cells(found, runs)
    for name in names:
        if name not in found and max(finer := _finer(runs, told, name)) > max(told):
            found.append(name)
            told = finer
    return [name for name in names if name in found]


def _values_of(runs: Sequence[Run]) -> Mapping[str, Collection[FactorKey]]:
    """Return the values of each factor."""
    values: dict[str, set[FactorKey]] = {}
    for run in runs:
        for name, value in run.factors.items():
            values.setdefault(name, set()).add(factor_key(value))
    return values


def _position(name: str, guessed: Collection[str]) -> int:
    systems = _ASKED.index("precision")
    if name not in _ASKED:
        return systems if name in guessed else len(_ASKED)
    return _ASKED.index(name)


def _tells(name: str, other: str, runs: Sequence[Run]) -> bool:
    """Return whether the other factor's value follows from a factor's value."""
    return distinct([name], runs) == distinct([name, other], runs)


def _beside(names: Sequence[str], runs: Sequence[Run]) -> Mapping[str, float]:
    """Return how many cells beside the first of each row have a case if a factor goes across, as a share."""
    start = [0] * len(runs)
    before = list(accumulate(names, partial(_finer, runs), initial=start))
    behind = list(accumulate(reversed(names), partial(_finer, runs), initial=start))[::-1]
    cases = max(before[-1]) + 1
    rows = {name: len({*zip(before[i], behind[i + 1], strict=True)}) for i, name in enumerate(names)}
    return {name: (cases - rows[name]) / (rows[name] * max(distinct([name], runs) - 1, 1)) for name in names}


def distinct(names: Sequence[str], runs: Sequence[Run]) -> int:
    """Return how many combinations of values these factors have."""
    return len(set(_cells(names, runs)))


def _cells(names: Sequence[str], runs: Sequence[Run]) -> Sequence[int]:
    """Return the combination of values that each run has, numbered from 0."""
    return reduce(partial(_finer, runs), names, [0] * len(runs))


def _finer(runs: Sequence[Run], cells: Sequence[int], name: str) -> list[int]:
    """Return the cells into which a factor divides given ones."""
    values = (factor_key(run.factors[name]) if name in run.factors else None for run in runs)
    numbers: dict[tuple[int, FactorKey | None], int] = {}
    return [numbers.setdefault(one, len(numbers)) for one in zip(cells, values, strict=True)]


def _title_factor(names: Collection[str], campaign: Sequence[Run]) -> str:
    """Return the row factor where none varies: one that varies elsewhere, one that tells, else the repeat."""
    known = sorted(set(names) - {ITEM})
    if not known:
        return REPEAT
    values = _values_of(campaign)
    return min(known, key=lambda name: (-len(values[name]), name not in _TELLING, name))
