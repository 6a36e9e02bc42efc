"""Give a role to each column that is not a figure: a factor, the repeat, the start, a status, or none."""

import re
from collections.abc import Sequence
from typing import Any

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import RESERVED
from reportgen.formats.parsing.timestamps import wall_time
from reportgen.formats.tables.case_kinds import kind_of, numbered
from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import (
    ColumnMeaning,
    factor_name,
    meaning_of,
    path_of,
    slug,
    words_of,
)
from reportgen.formats.tables.derive import is_missing
from reportgen.formats.tables.interpret.cells import number_of
from reportgen.formats.tables.interpret.draft import AROUND, MAX_REPEATS, Draft
from reportgen.formats.tables.interpret.reading import columns_of
from reportgen.formats.tables.interpret.status import add_errors, add_status
from reportgen.formats.tables.records import steps_of
from reportgen.formats.tables.secret_names import may_be_secret
from reportgen.formats.tables.stated_units import named_unit
from reportgen.formats.tables.titles import shared_words

# "128 256 512" has three numbers rather than one.
_LIST = lazy_pattern(r"[0-9]{3}(?: [0-9]{3})*(?: (?!000)[0-9]{3})+|[0-9]{1,3}(?: [0-9]{3}){3,}")
_FRACTION = lazy_pattern(r"0?\.[0-9]{2,}|1\.0+")
_VERSION = {"version", "versions", "ver", "release"}
# Why a column of ratios is left out.
DERIVED = "derived from other columns"
NO_TIME = "a date without a time"
NEITHER = "neither a setting nor a result"
ROW_NUMBER = "a number of the row"
_NAMELESS = ("", "unnamed_0", "index", "column_1")
# Ids that a program makes up, and columns with an id for each request of one load.
_ID = lazy_pattern(r"(?i)[0-9a-f]{8}|^[a-z_-]*[0-9]{3,}$")
_REQUESTS = (
    "call_id",
    "message_id",
    "prompt_id",
    "query_id",
    "req_id",
    "request_id",
    "sample_id",
    "trace_id",
    "uuid",
)
# Levels of objects whose keys have no usual name.
_LEVELS = ("case", "member", "variant", "part")
# Keys of rows of any kind.
_ROWS = {"results", "runs", "values", "metrics", "measurements", "timings", "stats", "entries", "times"}
_ROWS |= {"benchmarks", "tests", "cases"}
_ERROR_COLUMN = {"error", "err", "errors", "error_message", "exception", "failure", "error_msg"}


def add_role(draft: Draft, column: str, meaning: ColumnMeaning) -> None:
    """Add a column that is not a figure."""
    if meaning.kind == "repeat":
        numbers = [number_of(cell) for cell in draft.known(column)]
        if all(number and number[0].is_integer() and not number[1] for number in numbers):
            draft.result.repeat = draft.result.repeat or column
            return
        meaning = ColumnMeaning("factor", factor=factor_name(column))
    if meaning.kind == "series":
        if draft.counts_rows(column):
            draft.result.series = column
            return
        meaning = ColumnMeaning("factor", factor=factor_name(column))
    if meaning.kind == "started" or (meaning.kind == "other" and draft.are_dates(column)):
        _date(draft, column)
    elif meaning.kind == "status":
        add_status(draft, column)
    elif slug(column) in _ERROR_COLUMN and draft.is_text(column):
        add_errors(draft, column)
    elif meaning.kind == "index" and not _names_rows(draft, column):
        draft.result.left_out[column] = ROW_NUMBER
    elif meaning.kind == "ignored":
        draft.result.left_out[column] = NEITHER
    elif meaning.kind == "spread":
        draft.result.left_out[column] = "the spread of another column"
    elif meaning.kind == "derived":
        draft.result.left_out[column] = DERIVED
    else:
        add_factor(draft, factor_of(draft, column, meaning), column)


def _names_rows(draft: Draft, column: str) -> bool:
    """Return whether a column that usually numbers rows has names of cases."""
    known = list(map(str, draft.known(column)))
    if not draft.is_text(column) or (slug(column) in _REQUESTS and len(set(known)) in (1, len(known))):
        return False
    return slug(column) in _NAMELESS or not is_made_up(known)


def is_made_up(texts: Sequence[str]) -> bool:
    """Return whether texts are ids that a program makes up: "9f31ab02", "req-00017"."""
    return any(map(_ID.search, texts))


def corner_names(corner: str) -> tuple[str, str] | None:
    """Return what the first cell of a header says of the rows and of the columns; None if it does not."""
    parts = re.split(r"\s*(?:\\+|\|)\s*|\s+/\s+|(?<=[a-z])/(?=[a-z])", corner.rpartition(": ")[2])
    return (parts[0], parts[1]) if len(parts) == 2 and all(parts) else None


def factor_of(draft: Draft, column: str, meaning: ColumnMeaning) -> str:
    """Return the name of the factor that a column is."""
    if draft.table.is_json and _is_of_part(draft, column):
        return slug(column.lstrip("./"))
    last = meaning.factor or path_of(column)[0] or column
    if column == draft.columns[0] and (corner := corner_names(column)):
        last = corner[0]
    if not draft.table.is_json:
        last = re.sub(r"[(\[][^()\[\]]*[)\]]", "", last) or last
    own = factor_name(draft.named.get(column, last) if slug(last) in _NAMELESS else last)
    own = meaning.factor if last == meaning.factor else own
    if own in ("gpu", "gpus") and draft.is_text(column):
        return "device"
    is_corner = column == draft.columns[0] and bool(meaning_of(column).unit)  # "latency (ms)" of the others
    is_corner = is_corner and draft.is_text(column)
    if own in (*_NAMELESS, "name", "case") or is_corner:
        return kind_of(map(str, draft.known(column))) or "case"
    unit = "" if draft.table.is_json or draft.is_text(column) else _unit_in_name(column)
    return f"{own}_{unit}" if unit and not own.endswith(f"_{unit}") else own


def _is_of_part(draft: Draft, column: str) -> bool:
    """Return whether a setting holds for the figures of one object of a row, or others do that are called so.

    `cpu.device` is that of `cpu.mean_ms`, and neither that of `gpu.mean_ms` nor that of the row.
    """
    own = column.rpartition(".")[2].lstrip("./")
    alike = (name for name in draft.columns if name.rpartition(".")[2] == own and not name.startswith(AROUND))
    return any(name in draft.parts for name in (alike if column.startswith(AROUND) else (column,)))


def _unit_in_name(column: str) -> str:
    """Return the unit in brackets in a name, as a word: mb for "Size [MB]"; "" for bytes and shares."""
    inside = named_unit(column)
    unit = unit_of(inside)
    return slug(inside) if unit and unit.unit and unit.unit not in ("%", "B") else ""


def add_member_names(draft: Draft, column: str) -> None:
    """Name the factor that the keys of an object of rows are: `bs_8` is a batch size, `A100` a device."""
    texts = [str(cell) for cell in draft.known(column)]
    if meaning_of(column).kind == "factor":
        add_factor(draft, factor_name(column), column)
    elif counted := numbered(texts):
        add_factor(draft, counted[0], column, pattern="([0-9]+)")
    else:
        names = (kind_of(texts), _level_name(draft.table.rows.path, column), *_LEVELS)
        free = (name for name in names if name and name not in draft.result.factors)
        name = next(free, slug(column))
        add_factor(draft, name, column)
        if name in _LEVELS:
            draft.note_nameless(name, texts)


def add_titles(draft: Draft, column: str) -> None:
    """Name the factor that titles of groups, or of tables with one header, are: by the words that differ."""
    texts = list(dict.fromkeys(str(cell) for cell in draft.known(column)))
    begin, end = shared_words(texts)
    pattern = rf"^{re.escape(begin)}\W*(.+?)\W*{re.escape(end)}$"
    values = [match[1] for text in texts if (match := re.search(pattern, text))]
    counted = numbered([f"{begin} {value}".strip() for value in values]) or numbered(values)
    kind = counted[0] if counted else kind_of(values)
    if not kind or len(values) < len(texts) or kind in draft.result.factors:
        add_factor(draft, factor_of(draft, column, ColumnMeaning("other")), column)
    else:
        number = rf"^{re.escape(begin)}[^0-9]*([0-9]+)"
        add_factor(draft, kind, column, pattern=number if counted else pattern)


def _level_name(path: str, column: str) -> str:
    """Return what the key before the members of an object names, "" for nothing: `devices` for `gpus{*}`.

    column  `*` for the last members of a path, `../*` for those before
    """
    steps = [step for step in steps_of(path) if step != "[*]"]
    at = len(steps) - column.count("../") - 2
    key = slug(steps[at]) if at >= 0 and steps[at] != "{*}" else ""
    name = re.sub(r"^(?:by|per|results?_by|results?_per)_", "", key)
    is_plural = meaning_of(key).kind != "figure" and name.endswith("s") and not name.endswith("ss")
    known = [each for each in (name, name[:-1]) if meaning_of(each).kind == "factor"]
    return factor_name(known[0]) if known else name[:-1] if is_plural and name not in _ROWS else ""


def _join(draft: Draft, name: str, column: str) -> bool:
    """Add a column to the factor with its name, if some rows of JSON have it elsewhere; False for others.

    Some rows have it themselves, and others in the object around them.
    """
    known = columns_of(draft.result.factors[name])
    are_apart = all(
        sum(not is_missing(draft.cells[each][at]) for each in (*known, column)) < 2
        for at in range(len(draft.records))
    )
    if not draft.table.is_json or not are_apart or len({path_of(each)[0] for each in (*known, column)}) > 1:
        return False
    draft.result.factors[name] = {"column": known[0], "columns": [*known[1:], column]}
    return True


def _share_name(draft: Draft, name: str, column: str) -> None:
    """Give a name that two columns may have to the one that is called so: `batch_size` before `batch`."""
    known = draft.result.factors[name]
    other = columns_of(known)[0]
    draft.result.doubts.append(f'"{other}" and "{column}" may both be {name}')
    own = next((x for x in (slug(other), *_LEVELS) if x and x not in draft.result.factors), "")
    if slug(column) == name != slug(other) and own:
        del draft.result.factors[name]
        draft.result.factors[own] = known


def add_factor(draft: Draft, name: str, column: str, pattern: str = "") -> None:
    """Add a factor, unless another column has its name or it may be a secret."""
    name = f"{name}_factor" if name in (*RESERVED, "statistic", "item") else name
    if name in draft.result.factors:
        if _join(draft, name, column):
            return
        _share_name(draft, name, column)
        name = slug(column)
    if name in draft.result.factors or not name:
        draft.result.left_out[column] = "another column has its name"
        return
    if may_be_secret(name) and not all(map(number_of, draft.known(column))):
        draft.result.left_out[column] = "may be a secret"
        return
    options: dict[str, Any] = {"pattern": pattern} if pattern else {}
    options |= {"text": True} if not pattern and _are_versions(draft, column) else {}
    are_numbers = _are_grouped(draft, column) or _are_levels(draft, column)
    options |= {"grouped": True} if not options and are_numbers else {}
    draft.result.factors[name] = {"column": column, **options} if options else column


def _are_versions(draft: Draft, column: str) -> bool:
    """Return whether a column has versions of software that may look like numbers: 3.9, 3.10."""
    is_version = not _VERSION.isdisjoint(words_of(column))
    return is_version and any(re.fullmatch(r"[0-9]+\.[0-9]+", str(cell)) for cell in draft.known(column))


def _are_grouped(draft: Draft, column: str) -> bool:
    """Return whether a column has whole numbers, some of them with marks between thousands."""
    texts = [cell.strip() for cell in draft.known(column) if isinstance(cell, str)]
    are_marked = any(not text.lstrip("+-").isdigit() for text in texts)
    return draft.is_whole(column) and are_marked and not any(map(_LIST.fullmatch, texts))


def _are_levels(draft: Draft, column: str) -> bool:
    """Return whether a column has numbers up to 1 with as many decimals each: 0.10, 0.25."""
    texts = [str(cell).strip() for cell in draft.known(column)]
    are_fractions = all(map(_FRACTION.fullmatch, texts)) and len(set(map(len, texts))) == 1
    return are_fractions and any(text.endswith("0") for text in texts)


def _date(draft: Draft, column: str) -> None:
    known = draft.known(column)
    if all(wall_time(str(cell).encode()) for cell in known):
        draft.result.started = draft.result.started or column
    elif slug(column) in ("date", "when", "created") or draft.are_dates(column):
        draft.result.left_out[column] = NO_TIME
    else:
        draft.result.left_out[column] = "a time in an unknown form"
    if len(draft.records) > MAX_REPEATS:
        draft.result.doubts.append("a row for each moment")
