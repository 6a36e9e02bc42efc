"""Find the columns of numbers that belong together: cases of one metric, whose names state no unit.

The answers of a user do not change which columns are cases.
"""

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from reportgen.formats.tables.case_kinds import kind_of, numbered, parts_of
from reportgen.formats.tables.column_words import ColumnMeaning, meaning_of
from reportgen.formats.tables.interpret.aside import is_total
from reportgen.formats.tables.interpret.draft import AROUND, MAX_FIGURES, NEAR, Draft
from reportgen.formats.tables.interpret.meaning import COUNTS
from reportgen.formats.tables.interpret.spreads import is_spread


def find_cases(draft: Draft) -> None:
    """Set the columns that are cases: by their names, or by the size and the form of their numbers."""
    bare = _bare(draft)
    groups = [bare, *_by_kind(bare)] if len(bare) <= MAX_FIGURES else []
    named = next((names for names in groups if len(names) > 1 and _are_cases(draft, names)), [])
    draft.cases = named or ([] if _has_figures(draft) else _alike(draft, bare[:MAX_FIGURES]))
    draft.titled = {} if _has_figures(draft) else _of_titled_clock(draft) or _of_titled_metric(draft)


def _of_titled_clock(draft: Draft) -> dict[str, ColumnMeaning]:
    """Return the meanings of columns with cells such as `12:04` below the title "Build times (mm:ss)"."""
    if not draft.titled_clock:
        return {}
    time = meaning_of("time", draft.titled_clock)
    cases = [name for name in draft.columns if meaning_of(name).kind == "other" and draft.has_clocks(name)]
    return {name: replace(time, label=name if len(cases) > 1 else "") for name in cases}


def _of_titled_metric(draft: Draft) -> dict[str, ColumnMeaning]:
    """Return the meanings of columns whose cells have units of the metric that the title names.

    "Time" above `jq 1.7` and `gojq`, with cells such as `18.4 ms`. {} for a single one.
    """
    units_of = {
        name: unit for name in draft.columns if _is_bare(draft, name) and (unit := draft.unit_of_cells(name))
    }
    for title in draft.table.titles if len(units_of) > 1 else ():
        meanings = {name: meaning_of(title, unit) for name, unit in units_of.items()}
        if all(map(_names_only_metric, meanings.values())):
            metric = next(iter(meanings.values())).metric
            return {
                name: replace(each, metric=metric, doubt="", label=name) for name, each in meanings.items()
            }
    return {}


def _names_only_metric(meaning: ColumnMeaning) -> bool:
    is_figure = meaning.kind == "figure" and bool(meaning.metric) and not meaning.is_own
    return is_figure and not meaning.extra


def are_alike(draft: Draft, name: str, other: str) -> bool:
    """Return whether two columns have numbers of one size and form."""
    return _are_alike(*((median(draft.values(each)), draft.is_whole(each)) for each in (name, other)))


def _alike(draft: Draft, names: Sequence[str]) -> list[str]:
    """Return the columns with numbers like a measured one, and the columns between them.

    [] for a single one: nothing is like it.
    """
    forms = {name: (median(draft.values(name)), draft.is_whole(name)) for name in names}
    measured = [x for x in names if not draft.is_repetitive(x) and not draft.is_constant(x)]
    at = [
        place
        for place, name in enumerate(names)
        if any(_are_alike(forms[name], forms[other]) for other in measured if other != name)
    ]
    return list(names[at[0] : at[-1] + 1]) if len(at) > 1 else []


def _are_alike(own: tuple[float, bool], other: tuple[float, bool]) -> bool:
    """Return whether numbers with this median, whole or not, are of the size and form of others."""
    is_near = own[0] * other[0] > 0 and 1 / NEAR < own[0] / other[0] < NEAR
    return is_near and own[1] == other[1]


def _bare(draft: Draft) -> list[str]:
    """Return the columns of numbers whose names and cells say neither a metric nor a setting."""
    return [name for name in draft.columns if _is_bare(draft, name) and not draft.unit_of_cells(name)]


def _is_bare(draft: Draft, name: str) -> bool:
    """Return whether a column has numbers, and its name says neither a metric nor a setting."""
    own = meaning_of(draft.plain(name), draft.units.get(name, ""))
    return (
        not name.startswith(AROUND)
        and not is_total(name)
        and bool(draft.values(name))
        and not draft.is_text(name)
        and not draft.are_truths(name)
        and (own.kind == "other" or (own.factor in COUNTS and not draft.is_whole(name)))
        and not own.statistic
        and not is_spread(name, draft.columns)
    )


def _by_kind(names: Sequence[str]) -> list[list[str]]:
    kinds: dict[str, list[str]] = {}
    for name in names:
        kinds.setdefault(kind_of([name]), []).append(name)
    return [group for kind, group in kinds.items() if kind]


def _are_cases(draft: Draft, names: Sequence[str]) -> bool:
    """Return whether names are values of factors, and not settings beside the figures of a table."""
    if not (kind_of(names) or numbered(names) or parts_of(names)):
        return False
    return not _has_figures(draft) or not all(map(draft.is_repetitive, names))


def _has_figures(draft: Draft) -> bool:
    """Return whether a column names a metric with its unit."""
    meanings = [meaning_of(draft.plain(name), draft.units.get(name, "")) for name in draft.columns]
    return any(each.kind == "figure" and each.unit for each in meanings)
