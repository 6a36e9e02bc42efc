"""Arrange the results of a collective over message sizes: out of place and the largest size come first.

nccl-tests measures each size twice, out of place and in place. Both in one table are twice the columns, of
numbers that hardly differ, so the second has a table of its own, below. What people ask first is the
bandwidth at the largest size: how much of that of the fewest devices is left on more. The title names the
collective where the tables are about one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from reportgen.compare.conditions import DEVICE_COUNTS
from reportgen.core.factors import factor_key
from reportgen.core.model import FactorValue, Run
from reportgen.tables.headings import value_in_words
from reportgen.tables.spec import CompareSpec, TableSpec

_IN_PLACE, _SIZE = "in_place", "message_size"
COLLECTIVE = "collective"


def apart(tables: Iterable[TableSpec], runs: Sequence[Run]) -> list[TableSpec]:
    """Return tables with a column for each kind of buffer as two: those in place follow all others."""
    made, twins = [], []
    collectives = {str(run.factors.get(COLLECTIVE, "")) for run in runs}
    of = f" of {collectives.pop()}" if len(collectives) == 1 and "" not in collectives else ""
    for table in tables:
        if _IN_PLACE in table.columns:
            table = replace(table, title=f"{table.title}{of}")
            made.append(_of_buffer(table, is_in_place=False))
            twins.append(_of_buffer(table, is_in_place=True))
        else:
            made.append(table)
    return [*made, *twins]


def _of_buffer(table: TableSpec, *, is_in_place: bool) -> TableSpec:
    words = "in place" if is_in_place else "out of place"
    return replace(
        table,
        id=f"{table.id}-{words.replace(' ', '-')}",
        title=f"{table.title}, {words}",
        where={**table.where, _IN_PLACE: (is_in_place,)},
        columns=tuple(name for name in table.columns if name != _IN_PLACE),
    )


def at_largest(table: TableSpec, runs: Sequence[Run]) -> TableSpec | None:
    """Return the table of the largest size that all columns have, relative to the fewest devices.

    None for a table of other rows, and if columns differ in more than numbers of devices.
    """
    columns = (*table.columns, *table.qualify)
    if table.rows != (_SIZE,) or not columns or not DEVICE_COUNTS.issuperset(columns):
        return None
    systems: dict[object, tuple[dict[str, FactorValue], set[int]]] = {}
    for run in runs:
        size, counts = run.factors.get(_SIZE), {name: run.factors.get(name) for name in columns}
        if isinstance(size, int) and all(isinstance(count, int) for count in counts.values()):
            known = {name: count for name, count in counts.items() if count is not None}
            key = frozenset((name, factor_key(count)) for name, count in known.items())
            systems.setdefault(key, (known, set()))[1].add(size)
    common = set.intersection(*(sizes for _, sizes in systems.values())) if systems else set()
    if len(systems) < 2 or not common:
        return None
    fewest = min((counts for counts, _ in systems.values()), key=lambda each: sorted(each.values(), key=int))
    return replace(
        table,
        id=f"{table.id}-largest",
        title=f"{table.title}, at {value_in_words(_SIZE, max(common))}",
        where={**table.where, _SIZE: (max(common),)},
        rows=columns,
        columns=(),
        qualify={},
        compare=CompareSpec("speedup", fewest),
        show=("value", "speedup"),
    )
