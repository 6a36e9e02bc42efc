"""Find the units of figures whose names have none, and leave out figures that come twice, in two units."""

from collections.abc import Sequence
from dataclasses import replace

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.column_words import ColumnMeaning, meaning_of, words_of
from reportgen.formats.tables.interpret.arithmetic import scale_of, scaled
from reportgen.formats.tables.interpret.cells import number_of
from reportgen.formats.tables.interpret.draft import Columns, Draft
from reportgen.formats.tables.interpret.statements import statements, unit_for

_BINARY = lazy_pattern(r"\b[KMGT]iB\b|(?i:\b(?:ki|me|gi|te)bibytes?\b)")
#: Statistics in the order of their numbers; a mean is between the extremes.
RANKS = {
    "minimum": 0,
    "median": 50,
    "mean": 50,
    "p75": 75,
    "p90": 90,
    "p95": 95,
    "p99": 99,
    "p99.9": 99.9,
    "maximum": 100,
}
# Factors that count what a step, or a request, works on.
_COUNTED = {"batch_size", "global_batch_size"}


def with_stated_units(draft: Draft, figures: Columns, unknown: list[str]) -> Columns:
    """Take the units of figures without one from a text around the table.

    unknown  numbers whose names say nothing; loses those that are times, whose unit a text states
    """
    named = {word for name in draft.columns[1:] for word in words_of(name)}
    # The first cell of a header may state the unit of the columns beside it: "Name (time in us)".
    stated = statements((*draft.table.texts, *draft.columns[:1]))
    bare = [(column, meaning_of(column)) for column in unknown if stated]
    units_of = {
        column: unit
        for column, meaning in (*figures, *bare)
        if not meaning.unit and (unit := unit_for(column, meaning, stated, named))
    }
    for column, unit in units_of.items():
        draft.result.notes.append(f'"{column}" is in {unit}, as the text beside the table says')
        draft.result.doubts.append("the unit is stated beside the table")
        draft.result.files = draft.table.name
    is_binary = any(map(_BINARY.search, draft.table.texts))
    unknown[:] = [column for column in unknown if column not in units_of]
    return [
        (
            column,
            _in_unit(draft, column, units_of[column]) if column in units_of else _of_1024(meaning, is_binary),
        )
        for column, meaning in (*figures, *((name, each) for name, each in bare if name in units_of))
    ]


def _in_unit(draft: Draft, column: str, unit: str) -> ColumnMeaning:
    """Return the meaning of a figure with its unit; in a grid of names the lower one is its case."""
    upper, lower = draft.levels.get(column, ("", ""))
    above = meaning_of(upper, unit) if upper else None
    is_case = above and above.kind == "figure" and above.metric and not above.doubt and not above.label
    return replace(above, label=lower) if above and is_case else meaning_of(column, unit)


def _of_1024(meaning: ColumnMeaning, is_binary: bool) -> ColumnMeaning:
    """Return the meaning of a size in MB; in a text that says MiB, too, it is one of 1024."""
    is_meant = is_binary and meaning.may_be_binary
    return replace(meaning, unit=f"{meaning.unit[0].upper()}iB", may_be_binary=False) if is_meant else meaning


def with_sibling_units(draft: Draft, figures: Columns, unknown: list[str]) -> Columns:
    """Read bare statistics, such as "Min", in the unit of another bare one, such as "Avg (ms)".

    Their numbers must be in the order of the statistics in each row. unknown  loses them
    """
    stated = [(column, x) for column, x in figures if x.statistic in RANKS and x.doubt == "names no metric"]
    if len({x.unit for _, x in stated}) != 1:
        return figures
    unit = stated[0][1].unit
    bare = {x: own for x in unknown if (own := meaning_of(x, unit)).statistic in RANKS and not own.extra}
    pairs = [((column, own), other) for column, own in bare.items() for other in stated]
    if not bare or not all(_are_ordered(draft, *pair) for pair in pairs):
        return figures
    unknown[:] = [column for column in unknown if column not in bare]
    shown = ", ".join(f'"{column}"' for column in bare)
    draft.result.notes.append(f'{shown}: in {unit}, as "{stated[0][0]}" says')
    draft.result.doubts.append("a unit is stated for one statistic of several")
    return [*figures, *bare.items()]


def _are_ordered(draft: Draft, column: tuple[str, ColumnMeaning], other: tuple[str, ColumnMeaning]) -> bool:
    """Return whether the numbers of two statistics are in their order in each row."""
    first, second = sorted((column, other), key=lambda pair: RANKS[pair[1].statistic])
    pairs = [
        (low[0], high[0])
        for a, b in zip(draft.cells[first[0]], draft.cells[second[0]], strict=True)
        if (low := number_of(a)) and (high := number_of(b))
    ]
    return bool(pairs) and all(low <= high for low, high in pairs)


def with_computed_units(draft: Draft, figures: Columns) -> Columns:
    """Take the units of figures without one from arithmetic: a batch divided by its time is a rate."""
    counts = [name for name in draft.columns if meaning_of(name).factor in _COUNTED and draft.is_whole(name)]
    stated = [(name, meaning) for name, meaning in figures if meaning.base in ("s", "samples/s")]
    known: Columns = []
    for column, meaning in figures:
        unit = "" if meaning.unit else _computed_unit(draft, column, meaning, counts, stated)
        if unit:
            draft.result.notes.append(f'"{column}" is in {unit}: so its numbers fit the other columns')
            draft.result.doubts.append(f'the unit of "{column}" is computed')
        known.append((column, meaning_of(column, unit) if unit else meaning))
    return known


def _computed_unit(
    draft: Draft, column: str, meaning: ColumnMeaning, counts: Sequence[str], stated: Columns
) -> str:
    """Return the unit of a rate or a time that is a count divided by the numbers of another column."""
    base = "samples/s" if "throughput" in meaning.metric else "s" if _unitless_time(meaning) else ""
    for count in counts:
        for name, other in stated:
            if not base or other.base == base:
                continue
            numbers = [scaled(cell, other.unit) for cell in draft.cells[name]]
            scale = scale_of(draft.cells[column], draft.cells[count], numbers)
            if scale == scale:
                return {1.0: base, 1e3: "ms", 1e6: "us"}[scale] if base == "s" or scale == 1 else ""
    return ""


def _unitless_time(meaning: ColumnMeaning) -> bool:
    return meaning.metric in ("latency", "run_time", "step_time", "ttft", "tpot", "itl", "e2e_latency")


def without_doubles(draft: Draft, figures: Columns) -> Columns:
    """Leave out figures that another column has in another unit: `time_us` beside `time_ms`."""
    kept: Columns = []
    for column, meaning in figures:
        twin = next((name for name, other in kept if _are_same(draft, (column, meaning), (name, other))), "")
        if twin:
            draft.result.left_out[column] = f'the numbers of "{twin}" in another unit'
        else:
            kept.append((column, meaning))
    return kept


def _called(meaning: ColumnMeaning) -> tuple[object, ...]:
    """Return what a name says but for the unit: a time alone is a latency in ms and one of a run in s."""
    metric = "" if meaning.metric in ("latency", "run_time") else meaning.metric
    return metric, meaning.base, meaning.item, meaning.statistic, meaning.phase, meaning.extra


def _are_same(draft: Draft, first: tuple[str, ColumnMeaning], second: tuple[str, ColumnMeaning]) -> bool:
    a, b = first[1], second[1]
    if a.unit == b.unit or _called(a) != _called(b):
        return False
    same = 0
    for cell, other in zip(draft.cells[first[0]], draft.cells[second[0]], strict=True):
        x, y = scaled(cell, a.unit), scaled(other, b.unit)
        if x and y and abs(x.value - y.value) > x.half + y.half:
            return False
        same += bool(x and y)
    return same > 1
