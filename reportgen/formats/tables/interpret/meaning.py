"""Say what a column is by its name, its unit, and what its cells show."""

import re
from dataclasses import replace
from itertools import pairwise, permutations

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.case_kinds import kind_of
from reportgen.formats.tables.column_units import are_alike, unit_of_cell
from reportgen.formats.tables.column_words import (
    DIFFERENCES,
    ColumnMeaning,
    compares,
    counts_faults,
    factor_name,
    meaning_of,
    slug,
    words_of,
)
from reportgen.formats.tables.interpret.arithmetic import is_difference, is_ratio, printed
from reportgen.formats.tables.interpret.aside import is_total
from reportgen.formats.tables.interpret.chosen import are_steps
from reportgen.formats.tables.interpret.draft import AROUND, Draft
from reportgen.formats.tables.interpret.misnamed import misnamed
from reportgen.formats.tables.interpret.questions import SETTING_OR_RESULT
from reportgen.formats.tables.interpret.sizes import size_meaning
from reportgen.formats.tables.interpret.spreads import is_spread
from reportgen.formats.tables.interpret.texts import MULTIPLE
from reportgen.formats.tables.stated_units import stated_meaning

# What a column with units in its cells may be called; "run", "step" and "user" with times are times.
_MEASURED = ("figure", "other", "derived")
_TIMED = (*_MEASURED, "repeat", "series", "ignored")
# Work, or work in a second: the question about "gflops".
_WORK = lazy_pattern(r'"([kmgtp])flops?s?" has several meanings', re.IGNORECASE)
# Words of programs whose "tps" are of these units.
_OF_TPS = {
    "tokens/s": frozenset(("gpt", "inference", "llama", "llm", "prompt", "token", "tokens", "ttft")),
    "transactions/s": frozenset((
        "database", "mysql", "oltp", "pgbench", "postgres", "postgresql", "sql", "sysbench", "tpcb", "tpcc",
        "transaction", "transactions",
    )),
}  # fmt: skip
_MAX_TEXT = 300
# "1.93x", "x1.93", the ratio of two results; a whole number, as in "8x", may be a count.
_MULTIPLE = lazy_pattern(r"[0-9]+\.[0-9]+ ?[x×]|[x×] ?[0-9]+\.[0-9]+")
# Factors that only have whole numbers: "GBs" is a batch size with 512, a bandwidth with 410.5.
COUNTS = frozenset(
    (
        *(
            "batch_size",
            "global_batch_size",
            "micro_batch_size",
            "devices",
            "nodes",
            "seq_len",
            "concurrency",
        ),
        *("tensor_parallel", "pipeline_parallel"),
    )
)
# "(p=0.008 n=5+5)", which no name is above.
_REMARK = lazy_pattern(r"\([^()]*\)|~?")
# Names of kinds, which have no fractions.
_LEVELS = (["level"], ["mode"], ["type"], ["format"], ["backend"])
_TIMES_OF_DAY = ("time", "heure", "hora", "start", "start_time", "uhrzeit")
_TIME_OF_DAY = lazy_pattern(r"\s*[0-2]?[0-9]:[0-5][0-9](?::[0-5][0-9])?\s*")
_LOW = lazy_pattern(r"(?i)(?<![^\W_])p(0?[0125])(?![0-9.])")
_MIN_FRACTION = 0.1
_IN_BRACKETS_OF_SPREAD = lazy_pattern(
    r"(?i)[(\[][^()\[\]]*(?<![a-z])(?:ci|sd|std|iqr)(?![a-z])[^()\[\]]*[)\]]"
)
# "Transfer/sec" with cells such as 12.5MB
_PER_SECOND = lazy_pattern(r"(?i)(?:/ ?|[ _]per[ _])s(?:ec(?:ond)?)?$")
# "Rank" is also the number of a process.
_RANKS = ("rank", "place", "position", "platz", "rang")
_COMPRESSION = ({"compression", "rate"}, {"compression", "ratio"}, {"compression", "factor"})
# A larger number is rather a percentage.
_LARGEST_COMPRESSION = 20
# Words of shares that are measured, also if all rows have the same one.
_RESULTS = {
    *("accuracy", "acc", "completed", "completion", "correct", "error", "errors", "failed", "failure", "hit"),
    *("miss", "pass", "passed", "recall", "success", "succeeded", "util", "utilization"),
}
# Words of what a device could reach, which is the same in all rows.
_LIMITS = {"peak", "theoretical", "nominal", "limit", "spec"}


def column_meaning(draft: Draft, column: str) -> ColumnMeaning:
    """Return the meaning of a column by its name, unless its unit or its cells show another."""
    if answer := draft.answers.get(column):
        return stated_meaning(draft.plain(draft.named_by_key(column)), answer, is_case=column in draft.cases)
    if column in draft.table.rows.fill:  # a result is not written once for several rows
        return ColumnMeaning("factor", factor=meaning_of(column).factor)
    if column in draft.titled:
        draft.result.doubts.append("the metric is stated above the columns, the units are in the cells")
        return draft.titled[column]
    name = draft.plain(draft.named_by_key(column))
    if _LOW.search(name) and _are_counted(draft, name) and not _has_other_statistics(draft):
        name = _LOW.sub(r"p \1", name)
    meaning = _in_grid(draft, column) or _by_unit(draft, column, name)
    if "±" in column and _is_spread_of_another(draft, column):
        meaning = ColumnMeaning("spread")
    if meaning.kind == "spread" and _has_values_with_spreads(draft, column):
        meaning = _by_unit(draft, column, _IN_BRACKETS_OF_SPREAD.sub(" ", column))
    return (
        misnamed(draft, column, meaning)
        or _by_numbers(draft, column, meaning)
        or _by_cells(draft, column, meaning)
        or size_meaning(draft, column, meaning)
        or meaning
    )


def _are_counted(draft: Draft, name: str) -> bool:
    """Return whether columns differ in p1 and p2 alone, as things that are counted do."""
    rest = _LOW.sub("", name)
    alike = (each for each in draft.columns if _LOW.sub("", each) == rest)
    return {"1", "2"} <= {match[1].lstrip("0") for each in alike if (match := _LOW.search(each))}


def _is_spread_of_another(draft: Draft, column: str) -> bool:
    """Return whether a column, "time ±", is called like another one but for its sign."""
    words = words_of(column.replace("±", " "))
    return any(words_of(each) == words for each in draft.columns if "±" not in each)


def _has_other_statistics(draft: Draft) -> bool:
    """Return whether a name has another statistic than a low percentile: without one, p1 and p2 are names."""
    statistics = (
        meaning_of(_LOW.sub("", name)).statistic for name in draft.columns if not name.startswith(AROUND)
    )
    return any(statistics)


def _in_grid(draft: Draft, column: str) -> ColumnMeaning | None:
    """Return the meaning of a column in a grid of names: one level is the metric, the other one its case."""
    upper, lower = draft.levels.get(column) or _below_shared(draft, column)
    above, below = meaning_of(upper), _by_unit(draft, column, lower)
    if not upper:
        return None
    if _is_stated(above) and not above.label and _is_case(below):
        return replace(above, label=lower)
    whole = _by_unit(draft, column, draft.plain(draft.named_by_key(column)))
    is_same = (whole.is_own or whole.metric in ("", below.metric)) and whole.phase == below.phase
    if _is_stated(below) and is_same and _is_case(above) and whole.kind == "figure":
        return replace(below, label=f"{upper} {below.label}".strip())
    return None


def _below_shared(draft: Draft, column: str) -> tuple[str, str]:
    """Return the metric that the upper line of a header states for several columns, and the rest."""
    words = column.split(" ") if draft.table.rows.heads > 1 else []
    for end in range(len(words) - 1, 0, -1):
        head = " ".join(words[:end])
        if _is_stated(meaning_of(head)) and sum(name.startswith(f"{head} ") for name in draft.columns) > 1:
            return head, " ".join(words[end:])
    return "", ""


def _is_stated(meaning: ColumnMeaning) -> bool:
    return meaning.kind == "figure" and bool(meaning.metric and meaning.unit) and not meaning.doubt


def _is_case(meaning: ColumnMeaning) -> bool:
    """Return whether a name may be a case of a metric: it says nothing else."""
    return meaning.kind in ("other", "factor") and not meaning.statistic


def _by_unit(draft: Draft, column: str, name: str) -> ColumnMeaning:
    """Return the meaning of a column with its unit: of its name, a row of units, its cells, or beside it."""
    unit = draft.units.get(column, "")
    from_cells = "" if unit else draft.unit_of_cells(column)
    if from_cells and (rate := _PER_SECOND.search(name)) and units.find(f"{from_cells}/s"):
        name, from_cells = name[: rate.start()], f"{from_cells}/s"
    meaning = meaning_of(name, unit)
    is_its = bool(from_cells and meaning.unit and unit_of_cell(from_cells, meaning.unit))
    is_own = meaning.is_own and not units.find(meaning.unit)
    is_stated = any(number and not number[1] for number in draft.numbers(column)) if from_cells else True
    is_other = not is_its and (is_own or (not is_stated and _is_other(meaning, from_cells)))
    is_size = meaning.factor == "size" and bool(from_cells) and units.to_base(1.0, from_cells)[1] == "B"
    is_size = is_size and not are_steps(draft.values(column))
    is_bare = not meaning.unit or is_other
    is_time = bool(from_cells) and units.to_base(1.0, from_cells)[1] == "s"
    is_measured = meaning.kind in (_TIMED if is_time else _MEASURED)
    if from_cells and is_bare and (is_measured or is_size):
        meaning = meaning_of(name, from_cells)
        draft.result.doubts.append(f'the unit of "{column}" is in its cells')
    if not meaning.unit and (row := draft.row_units.get(column)):
        draft.result.doubts.append("the unit is in a column")
        meaning = meaning_of(name.removesuffix(".value"), row.unit)
    return meaning


def _is_other(meaning: ColumnMeaning, unit: str) -> bool:
    """Return whether the unit of cells is of another quantity than the name: "First byte" with 1.9 ms.

    A name may complete it: "Rate (MB/s)" with 12.5 MB.
    """
    known = [each for each in (unit, f"{unit}/s") if units.find(each)]
    return bool(known and meaning.base) and not any(are_alike(each, meaning.unit) for each in known)


def _by_numbers(draft: Draft, column: str, meaning: ColumnMeaning) -> ColumnMeaning | None:
    """Return the meaning of numbers that are computed from others or that state a limit; None for others."""
    is_limit = bool(_LIMITS & set(words_of(column))) and draft.is_constant(column)
    if is_limit and meaning.kind == "figure" and meaning.base in ("B/s", "FLOP/s"):
        return ColumnMeaning("factor", factor=slug(column))
    if meaning.kind == "derived" and _is_only_called_so(draft, column):
        return ColumnMeaning("other", extra=tuple(words_of(column)))
    if meaning.kind == "other" and (is_spread(column, draft.columns) or _are_spreads(draft, column)):
        return ColumnMeaning("spread")
    is_bare = meaning.kind == "other" or (meaning.kind == "figure" and not meaning.unit)
    if is_bare and all(_MULTIPLE.fullmatch(str(x).strip()) for x in draft.known(column)):
        return ColumnMeaning("derived")
    if is_bare and _are_ratios(draft, column):
        return ColumnMeaning("derived")
    if meaning.metric in ("accuracy", "mfu") and not meaning.unit and (unit := _unit_of_share(draft, column)):
        read = "percentages" if unit == "%" else "fractions"
        draft.result.notes.append(f'"{column}" has no unit: its numbers are read as {read}')
        draft.result.doubts.append(f'"{column}" has no unit')
        return replace(meaning, unit=unit, doubt="")
    if meaning.kind == "other" and draft.cases and is_total(column):
        return ColumnMeaning("derived")
    if slug(column) in _RANKS and _is_rank(draft, column):
        return ColumnMeaning("derived")
    if meaning.is_own and compares(column) and _is_computed(draft, column):
        return ColumnMeaning("derived")
    is_compression = set(words_of(column)) in _COMPRESSION and not draft.is_text(column)
    is_share = (meaning.is_own and meaning.base == "ratio") or is_compression
    if (is_share or meaning.kind == "other") and not meaning.statistic and _is_derived(draft, column):
        return ColumnMeaning("derived")
    if is_compression and all(0 < value < _LARGEST_COMPRESSION for value in draft.values(column)):
        draft.result.doubts.append(f'"{column}" has no unit')
        return ColumnMeaning("figure", "compression_ratio", "1", is_own=True)
    return None


def _are_ratios(draft: Draft, column: str) -> bool:
    """Return whether cells such as "2x" and "1.8x" are ratios of numbers of other columns."""
    texts = [str(cell or "").strip() for cell in draft.cells[column]]
    if not all(map(MULTIPLE.fullmatch, map(str.strip, map(str, draft.known(column))))):
        return False
    own = [printed(text.strip("x× ")) for text in texts[: len(draft.printed(column))]]
    return is_ratio(own, [draft.printed(name) for name in draft.compared if name != column])


def _has_values_with_spreads(draft: Draft, column: str) -> bool:
    """Return whether the cells of a column are values with their spreads: "12.3 [11.9, 12.8]"."""
    known = [str(cell).strip() for cell in draft.known(column)]
    return all("[" in text or "±" in text[1:] for text in known) and any(draft.values(column))


def _are_spreads(draft: Draft, column: str) -> bool:
    """Return whether all cells are spreads alone, such as `±1.2%`."""
    known = [str(cell).strip() for cell in draft.known(column)]
    return bool(known) and all(text.startswith(("±", "+/-")) for text in known)


def _is_rank(draft: Draft, column: str) -> bool:
    """Return whether whole numbers from 1 are in the order, or the reverse order, of another column."""
    ranks = draft.values(column)
    if not draft.is_whole(column) or len(ranks) < len(draft.records) or min(ranks) != 1:
        return False
    columns = [draft.values(name) for name in draft.compared if name != column]
    pairs = [sorted(zip(ranks, other, strict=True)) for other in columns if len(other) == len(ranks)]
    return any(
        all(a[1] <= b[1] for a, b in pairwise(rows)) or all(a[1] >= b[1] for a, b in pairwise(rows))
        for rows in pairs
    )


def _unit_of_share(draft: Draft, column: str) -> str:
    """Return the unit of numbers that are all up to 1, or up to 100; "" where it is not clear."""
    values = draft.values(column)
    if not values or min(values) < 0 or not _MIN_FRACTION < max(values) <= 100:
        return ""
    return "ratio" if max(values) <= 1 else "%"


def _by_cells(draft: Draft, column: str, meaning: ColumnMeaning) -> ColumnMeaning | None:
    """Return the meaning of a column whose cells are not of what its name says; None for others."""
    known = [str(cell).strip() for cell in draft.known(column)]
    if meaning.kind == "series" and slug(column) == "elapsed" and not draft.counts_rows(column):
        return meaning_of("elapsed time", draft.unit_of_cells(column))
    if slug(column) in ("column_1", "index", "unnamed_0") and draft.is_counted(column):
        return ColumnMeaning("index")
    if slug(column) in _TIMES_OF_DAY and _is_time_of_day(draft, column):
        return ColumnMeaning("ignored")
    if column == f"column {draft.table.columns.index(column) + 1}" and all(map(_REMARK.fullmatch, known)):
        return ColumnMeaning("ignored")
    if meaning.kind == "other" and draft.is_clock(column):
        return ColumnMeaning("series")
    if slug(column) == "map" and any(meaning_of(other).factor == "model" for other in draft.columns):
        return ColumnMeaning("figure", "map", doubt="has no unit")
    is_named_kind = words_of(column)[-1:] in _LEVELS and any(value % 1 for value in draft.values(column))
    is_counted = meaning.factor in COUNTS or (meaning.kind == "factor" and is_named_kind)
    if is_counted and not draft.is_text(column) and not draft.is_whole(column):
        return meaning_of("bandwidth", "GB/s") if slug(column) == "gbs" else ColumnMeaning("other")
    if meaning.kind == "other" and counts_faults(column) and draft.is_whole(column):
        draft.result.doubts.append(f'"{column}" has no unit')
        draft.result.notes.append(f'"{column}" is read as a count of what went wrong')
        return ColumnMeaning("figure", slug(column), "1", is_own=True)
    if meaning.doubt.lower().startswith(('"tps"', '"t/s"')) and (unit := _unit_of_tps(draft)):
        draft.result.notes.append(f'"{column}" is in {unit}: so the words of the table say')
        draft.result.doubts.append(f'"{column}" has several meanings')
        return meaning_of("throughput", unit)
    if (work := _WORK.match(meaning.doubt)) and _differs_in_each_case(draft, column):
        return meaning_of("flops", f"{work[1]}FLOP/s")
    is_named = bool(meaning.label) and not kind_of([meaning.label])
    is_unclear = meaning.is_own or (is_named and meaning.doubt == "names no metric")
    is_unclear = is_unclear and not draft.table.rows.transposed  # its rows are figures
    is_same = draft.is_constant(column) and not _RESULTS & set(words_of(column))
    return _of_constant(draft, column, meaning) if is_unclear and is_same else None


def _of_constant(draft: Draft, column: str, meaning: ColumnMeaning) -> ColumnMeaning:
    """Return the meaning of a quantity that is the same in all rows: whole and before results, a factor.

    So is a whole time, because no two measured times are equal. Others, and units per item, may be measured:
    they are asked about.
    """
    before = map(meaning_of, draft.columns[: draft.columns.index(column)])
    is_after = meaning.base != "s" and any(each.kind == "figure" for each in before)
    is_per_item = "/" in meaning.unit and not meaning.unit.endswith("/s")
    if is_after or is_per_item or any(value % 1 for value in draft.values(column)):
        return replace(meaning, doubt=SETTING_OR_RESULT)
    draft.result.doubts.append(f'"{column}" may be a setting or a result')
    draft.result.notes.append(f'"{column}" is read as a factor; if it is a result, state its unit')
    return ColumnMeaning("factor", factor=factor_name(column))


def _unit_of_tps(draft: Draft) -> str:
    """Return what is counted in a table with "tps": tokens, transactions, or "" where no word says it."""
    cells = (str(cell) for name in draft.columns if draft.is_text(name) for cell in draft.known(name))
    texts = (draft.table.name, *draft.table.texts, *draft.columns, *cells)
    words = {word for text in texts for word in words_of(text[:_MAX_TEXT].replace("_", " "))}
    units_of = [unit for unit, names in _OF_TPS.items() if words & names]
    return units_of[0] if len(units_of) == 1 else ""


def _differs_in_each_case(draft: Draft, column: str) -> bool:
    """Return whether numbers differ for one model, for one kernel, and so on: then they are not its work."""
    cases = [name for name in draft.columns if draft.is_text(name) and not name.startswith(AROUND)]
    for case in cases:
        pairs = set(zip(map(str, draft.cells[case]), map(str, draft.cells[column]), strict=True))
        if len({name for name, _ in pairs}) == len(pairs):
            return False
    return bool(cases)


def _is_time_of_day(draft: Draft, column: str) -> bool:
    """Return whether a column has the times of the dates in another."""
    are_times = all(map(_TIME_OF_DAY.fullmatch, map(str, draft.known(column))))
    return are_times and any(map(draft.are_dates, draft.columns))


def _is_computed(draft: Draft, column: str) -> bool:
    """Return whether the numbers of a column are ratios, or differences, of numbers of other columns."""
    others = [draft.printed(name) for name in draft.compared if name != column]
    own = draft.printed(column)
    to_first = ([a, [a[0]] * len(a)] for a in others if a)
    pairs = (*permutations(others, 2), *to_first)
    return _is_derived(draft, column) or any(is_difference(own, a, b) for a, b in pairs)


def _is_only_called_so(draft: Draft, column: str) -> bool:
    """Return whether only a word says that plain numbers are differences, and no columns of the table."""
    are_plain = not draft.is_text(column) and not any(
        number and number[1] for number in draft.numbers(column)
    )
    # As names these words prove nothing: "DeltaBlue".
    return are_plain and bool(DIFFERENCES & set(words_of(column))) and not _is_computed(draft, column)


def _is_derived(draft: Draft, column: str) -> bool:
    """Return whether the numbers of a column are ratios of numbers of two others, or of one other."""
    is_chosen = draft.is_repetitive(column) or draft.is_constant(column)
    if draft.is_text(column) or is_chosen or not draft.compared or column in draft.cases:
        return False
    others = [draft.printed(name) for name in draft.compared if name != column]
    return is_ratio(draft.printed(column), others)
