"""Put aside rows that are not results: units below the header, conditions, totals and means of other rows.

A word says that a row is a total, or arithmetic does. A word that may be a case, such as "all", needs both.
"""

import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence, Set

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.case_kinds import kind_of
from reportgen.formats.tables.column_units import ColumnUnit, is_unit_alone, unit_of
from reportgen.formats.tables.column_words import CONFIGURATION, meaning_of, slug
from reportgen.formats.tables.derive import is_missing
from reportgen.formats.tables.interpret.arithmetic import SUMMARIES, is_summary, printed
from reportgen.formats.tables.interpret.cells import number_of
from reportgen.formats.tables.interpret.draft import (
    AROUND,
    METRIC_COLUMN,
    STATISTIC_COLUMN,
    UNIT_COLUMN,
    Draft,
)
from reportgen.formats.tables.records import Record

_TOTAL = (
    r"(?i)[*_ ]*(?:grand |arithmetic |harmonic |weighted |macro )?(?:totals?|sum|average|avg\.?|mean|gmean"
    r"|geo(?:m|metric|metrisches)?[ ._-]{0,2}(?:mean|avg|average|mittel)|overall|gesamt|summe"
    r"|mittel(?:wert)?|durchschnitt|moyenne|totale|promedio|media|subtotals?|aggregated?|Σ)"
)
_TOTALS = lazy_pattern(rf"{_TOTAL}(?:[ (].{{0,20}})?[*_: ]*")
_TOTAL_ALONE = lazy_pattern(rf"{_TOTAL}[*_: ]*")
# "sum (map .price)" and "sum (axis 0)" are cases, unless their numbers sum up others;
# "mean (top)" in the last row is a mean.
_CALLED = r"(?-i:[a-z_]+) [.0-9]"
_TOTAL_BELOW = lazy_pattern(rf"{_TOTAL} ?\((?P<of>(?!{_CALLED})[^()]{{1,20}})\)[*_: ]*")
_SUMMARY_OF = {
    "min": "minimum",
    "minimum": "minimum",
    "max": "maximum",
    "maximum": "maximum",
    "median": "median",
}
_SUMMARY_OF |= {"std": "standard deviation", "stdev": "standard deviation"}
# Columns whose "mean" is what a row is, not a row about others.
_NAMING = STATISTIC_COLUMN | METRIC_COLUMN
_BRACKETED = lazy_pattern(r"\([^()]+\)|\[[^\[\]]+\]")
_RATIO = lazy_pattern(r"[0-9][0-9.,]* ?[x\u00d7]")
# Why what one record states is left out.
CONDITION = "of a record that is not a result"
_KINDS_OF_RECORDS = frozenset(("type", "kind", "event", "record", "record_type"))
_ABOUT_ALL = CONFIGURATION | {"header", "host", "info", "sysinfo", "system_info"}
_FEWEST_WITH_CONDITIONS = 3
# More rows than these are not sums of others.
_MAX_TOTALS = 50
# Longer lists of JSON are samples rather than cases with a total.
_MAX_JSON_ROWS = 200
_MAYBE_TOTALS = lazy_pattern(
    r"(?i)[*_ ]*(?:all|median|min|max|minimum|maximum|std|stdev|summary)(?: .{0,20})?[*_: ]*"
)


def is_total(name: str) -> bool:
    """Return whether a name says that numbers sum up or average others."""
    return bool(_TOTALS.fullmatch(name))


def take_units_row(draft: Draft) -> None:
    """Take the units of a second header row, or of the row of a turned table that has them."""
    if draft.table.is_json or len(draft.records) < 2:
        return
    corner = draft.columns[0] if draft.columns else ""
    named = (each for each in draft.records if slug(str(each.cells.get(corner))) in UNIT_COLUMN)
    row = next(named, draft.records[0])
    printed = {name: str(cell).strip() for name, cell in row.cells.items()}
    texts = {name: text.strip("()[]") for name, text in printed.items()}
    if row is not draft.records[0] or slug(texts.get(corner, "")) in UNIT_COLUMN:
        texts[corner] = ""
    unit_texts = {name: text for name, text in texts.items() if is_unit_alone(text)}
    # Units that are not known are in brackets like the others: (px), (M).
    plain = (name for name in texts if not _BRACKETED.fullmatch(printed[name]))
    others = [name for name in plain if texts[name] not in ("", "-") and name not in unit_texts]
    has_numbers = any(number_of(text) is not None for text in texts.values())
    if unit_texts and len(others) <= len(unit_texts) and not has_numbers:
        draft.units = unit_texts
        draft.named = {column: text for column, text in texts.items() if text and column not in unit_texts}
        name = corner if corner and str(row.cells[corner] or "").strip() else next(iter(unit_texts))
        draft.result.skip.append({"column": name, "equals": str(row.cells[name]).strip()})
        draft.result.doubts.append("the second row holds units")
        _put_aside(draft, [row])


def take_conditions(draft: Draft) -> None:
    """Leave out what only records state that are not results: of the machine, with keys of their own."""
    if not draft.table.is_json or len(draft.records) < _FEWEST_WITH_CONDITIONS:
        return
    stating = [{name for name in draft.columns if not is_missing(x.cells.get(name))} for x in draft.records]
    counts = Counter(name for names in stating for name in names)
    usual = {name for name, count in counts.items() if 2 * count > len(stating)} - _KINDS_OF_RECORDS
    apart = [at for at, names in enumerate(stating) if usual and not names & usual]
    figures = {name for name in usual if meaning_of(name).kind == "figure"}
    about = [at for at, names in enumerate(stating) if _is_about_all(draft, at) and not names & figures]
    candidates = {*(apart if len(apart) == 1 else ()), *about}
    conditions = {at for at in candidates if not any(map(_is_of_result, stating[at] - usual))}
    results = set().union(*(names for at, names in enumerate(stating) if at not in conditions))
    own = {name for at in conditions for name in stating[at]} - results if results else set()
    for name in (name for name in draft.columns if name in own):
        draft.result.left_out[name] = CONDITION
        draft.result.doubts.append("a record has keys of its own")
    draft.columns = [name for name in draft.columns if name not in own]


def _is_of_result(column: str) -> bool:
    """Return whether a column names a figure with a unit, such as a time; a machine has sizes and clocks."""
    meaning = meaning_of(column)
    unit = units.find(meaning.unit)
    return meaning.kind == "figure" and bool(meaning.unit) and (not unit or unit.base not in ("B", "Hz"))


def _is_about_all(draft: Draft, at: int) -> bool:
    """Return whether the kind of a record says that it is about the machine, or about the file."""
    cells = draft.records[at].cells
    return any(str(cells.get(name)).lower() in _ABOUT_ALL for name in _KINDS_OF_RECORDS)


def take_unit_columns(draft: Draft) -> None:
    """Leave out the columns without a name that have one sign in each row: the unit of the column before."""
    nameless = [(at, name) for at, name in enumerate(draft.columns) if at and name == f"column {at + 1}"]
    for at, column in nameless:
        signs = {str(cell).strip() for cell in draft.known(column)}
        sign, before = (signs.pop() if len(signs) == 1 else ""), draft.columns[at - 1]
        if is_unit_alone(sign):
            meaning = meaning_of(before)
            own = draft.units.get(before) or meaning.unit or draft.unit_of_cells(before)
            is_named = meaning.unit and not draft.units.get(before)
            known = ColumnUnit(meaning.unit, meaning.scale) if is_named else unit_of(own)
            if own and _in_base(known, own) != _in_base(unit_of(sign), sign):
                draft.loose_units[before] = sign
            draft.units |= {before: sign} if draft.values(before) and not own else {}
            draft.result.left_out[column] = f'the unit of "{before}"'
        elif sign and not any(map(str.isalnum, sign)):
            draft.result.left_out[column] = "a sign"
    if nameless and draft.result.left_out:
        draft.result.doubts.append("a column has units or signs alone")
        draft.columns = [name for name in draft.columns if name not in draft.result.left_out]


def _in_base(unit: ColumnUnit | None, text: str) -> tuple[float, str]:
    """Return (factor to the base unit, base unit) of a unit, which a text states."""
    return (unit.factor, units.to_base(1.0, unit.unit)[1]) if unit and unit.unit else units.to_base(1.0, text)


def take_totals(draft: Draft) -> None:
    """Skip the rows that sum up or average others."""
    if len(draft.records) < 3 or (draft.table.is_json and len(draft.records) > _MAX_JSON_ROWS):
        return
    # Below numbers of repeats, too: "mean" is not a seed.
    own = (
        [name for name in draft.columns if not name.startswith(AROUND)]
        if draft.table.is_json
        else draft.columns
    )
    texts = [name for at, name in enumerate(own) if not at or draft.is_text(name)]
    name = next((name for name in texts if draft.is_text(name) or _has_total(draft, name)), "")
    if not name or slug(name) in _NAMING:
        return
    texts = [name for name in texts if slug(name) not in _NAMING and not _are_statistics(draft, name)]
    for name in texts:
        if at := _with_parts(draft, name, _totals(draft, name)):
            words = sorted({str(draft.cells[name][i] or "").strip() for i in at})
            draft.result.notes.append(f'rows are skipped as totals: {", ".join(words)} in column "{name}"')
            draft.result.doubts.append("some rows repeat others")
            draft.result.skip += [{"column": name, "equals": word} for word in words]
            _put_aside(draft, [draft.records[i] for i in at])
            draft.collect()
            return


def _are_statistics(draft: Draft, name: str) -> bool:
    """Return whether all texts of a column are statistics: "mean" beside "p50" is not a mean of rows."""
    meanings = [meaning_of(text) for text in dict.fromkeys(map(str, draft.known(name)))]
    known = [each for each in meanings if (each.statistic and not each.extra) or each.kind == "spread"]
    return len(known) == len(meanings) > 1


def take_ratios(draft: Draft) -> None:
    """Skip the rows of a turned table that compare others: all their numbers end with ×."""
    if not draft.table.rows.transposed:
        return
    corner = draft.columns[0]
    ratios = [record for record in draft.records if _are_ratios(record, corner)]
    if ratios and len(ratios) < len(draft.records):
        names = [str(record.cells.get(corner) or "").strip() for record in ratios]
        draft.result.notes.append(f"cases are skipped as ratios of others: {', '.join(names)}")
        draft.result.skip += [{"column": corner, "equals": name} for name in names]
        _put_aside(draft, ratios)


def _are_ratios(record: Record, corner: str) -> bool:
    texts = [str(cell).strip() for name, cell in record.cells.items() if name != corner]
    ratios = sum(1 for text in texts if _RATIO.fullmatch(text))
    return ratios > 0 and not any(number_of(text) for text in texts if not _RATIO.fullmatch(text))


def _with_parts(draft: Draft, column: str, totals: list[int]) -> list[int]:
    """Return the totals in a column whose metric other rows have, too, if the table names it in a column."""
    metric = next((name for name in draft.columns if slug(name) in METRIC_COLUMN), "")
    if not metric:
        return totals
    names = [str(cell) for cell in draft.cells[metric]]
    parts = {name for i, name in enumerate(names) if i not in totals}
    labels = draft.cells[column]
    alone = {labels[i] for i in totals if names[i] not in parts}
    return [i for i in totals if labels[i] not in alone]


def _put_aside(draft: Draft, rows: Sequence[Record]) -> None:
    draft.result.skipped |= set(map(id, rows))
    draft.records = [record for record in draft.records if id(record) not in draft.result.skipped]


def _has_total(draft: Draft, name: str) -> bool:
    return any(_TOTALS.fullmatch(str(cell).strip()) for cell in draft.cells[name])


def _totals(draft: Draft, name: str) -> list[int]:
    """Return the rows that the texts of a column, or the numbers beside them, show as totals."""
    labels = [str(cell or "").strip() for cell in draft.cells[name]]
    maybe = [i for i, label in enumerate(labels) if _MAYBE_TOTALS.fullmatch(label) or is_total(label)]
    alone = [i for i, label in enumerate(labels) if _TOTAL_ALONE.fullmatch(label)]
    named = {i: match["of"] for i, label in enumerate(labels) if (match := _TOTAL_BELOW.fullmatch(label))}
    if any(kind_of([of]) == "precision" for of in named.values()):
        alone, named = [], {}  # "sum" beside the operation "mean (float32)" is an operation
    below = list(named)
    last = max({*range(len(labels))} - {*alone, *below, *maybe}, default=-1)
    names = [label.partition("(")[0].strip("*_ ").lower() for label in labels]
    # "mean (int8)" and "mean (int16)" are cases.
    words = [*alone, *(i for i in below if i > last and names.count(names[i]) == 1)]
    trailing = [i for i in (*words, *maybe) if i > last]
    others = [i for i, label in enumerate(labels) if not re.search(r"[^\W_]", label)]
    others = others if len(others) <= max(len(labels) // 3, 1) else []
    candidates = sorted({*words, *maybe, *others})[:_MAX_TOTALS]
    sums = _sums(draft, {i: _summaries(labels[i]) for i in candidates}, set(others))
    are_few = len(words) <= max(len(labels) // 3, 1)
    is_block = len(trailing) <= max(len(labels) // 2, 1) and bool(set(trailing) & set(words))
    totals = {*(words if are_few else ()), *(trailing if is_block else ()), *sums}
    kept = {label for i, label in enumerate(labels) if i not in totals}
    return sorted(i for i in totals if labels[i] not in kept)


def _summaries(label: str) -> Container[str]:
    """Return what the numbers of a row with a label may be of the rows above."""
    words = set(re.findall("[a-z]+", label.lower()))
    named = {name for word, name in _SUMMARY_OF.items() if word in words}
    return SUMMARIES if _TOTAL_ALONE.fullmatch(label) else named or ("sum", "mean", "geometric mean")


def _sums(draft: Draft, candidates: Mapping[int, Container[str]], unnamed: Set[int]) -> set[int]:
    """Return the rows whose numbers sum up the rows above, since the last such row or from the top."""
    sums: set[int] = set()
    measured = [name for name in draft.columns if candidates and _is_measured(draft, name)]
    columns = [list(map(printed, draft.cells[name])) for name in measured]
    for i, summaries in candidates.items():
        begin = max((j + 1 for j in sums), default=0)
        for rows in dict.fromkeys(((*range(begin, i),), tuple(j for j in range(i) if j not in sums))):
            fits = [
                is_summary(total, [column[j] for j in rows], summaries)
                for column in columns
                if (total := column[i])
            ]
            is_clear = i not in unnamed or len(rows) > 2 or len(fits) > 1
            if fits and 2 * sum(fits) > len(fits) and is_clear:
                sums.add(i)
    return sums


def _is_measured(draft: Draft, name: str) -> bool:
    return not draft.is_text(name) and meaning_of(name).kind in ("figure", "other", "derived")
