"""Read tables with one header and a title each, where the titles state different metrics.

"Prompt speed (tokens/s)" above one table and "Load time (s)" above another with the same names of columns:
each table is read by its own title, and the figures of each hold for the rows below its title.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from reportgen.formats.tables.find_tables import FoundTable
from reportgen.formats.tables.interpret.reading import TableReading, numbers
from reportgen.formats.tables.records import TITLE

# More tables with one header are one table with a factor.
_MAX_TITLES = 20


def by_titles(whole: TableReading, read: Callable[[FoundTable], TableReading]) -> TableReading:
    """Return what tables with titles are: `whole`, or more if each title says what its table measures.

    read  returns what one of the tables is
    """
    if TITLE not in whole.table.columns:
        return whole
    tables = dict(_parts(whole.table))
    parts = {title: read(table) for title, table in tables.items()} if 1 < len(tables) <= _MAX_TITLES else {}
    kinds = [(figure.metric, figure.phase) for part in parts.values() for figure in part.figures]
    metrics = [{figure.metric for figure in part.figures} for part in parts.values()]
    are_apart = len(set(kinds)) > 1 and sum(map(len, metrics)) == len({metric for metric, _ in kinds})
    factors = [part.factors for part in parts.values()]
    are_alike = all(metrics) and all(each == factors[0] for each in factors)
    if not (are_apart and are_alike) or _count(parts.values()) <= _count([whole]):
        return whole
    return _joined(whole.table, parts)


def _count(readings: Iterable[TableReading]) -> int:
    return sum(1 for each in readings for _ in numbers(each))


def _parts(table: FoundTable) -> Iterator[tuple[str, FoundTable]]:
    """Yield each title with its table."""
    titles = dict.fromkeys(str(record.cells.get(TITLE) or "") for record in table.records)
    columns = tuple(name for name in table.columns if name != TITLE)
    for title in titles:
        records = tuple(record for record in table.records if str(record.cells.get(TITLE) or "") == title)
        yield (
            title,
            replace(
                table,
                columns=columns,
                records=records,
                titles=(title, *table.titles),
                texts=(title, *table.texts),
            ),
        )


def _joined(table: FoundTable, parts: dict[str, TableReading]) -> TableReading:
    """Return one reading; each figure holds for the rows below its title."""
    first = next(iter(parts.values()))
    joined = replace(first, table=table, figures=[], skip=[], checks=[], open={}, notes=[], doubts=[])
    joined.left_out[TITLE] = "says which metric the rows have"
    for title, part in parts.items():
        joined.figures += [replace(each, where=(*each.where, (TITLE, title))) for each in part.figures]
        joined.skip += [each for each in part.skip if each not in joined.skip]
        joined.checks += [each for each in part.checks if each not in joined.checks]
        joined.open |= part.open
        joined.notes += [note for note in part.notes if note not in joined.notes]
        joined.skipped |= part.skipped
    joined.doubts.append("titles state different metrics")
    return joined
