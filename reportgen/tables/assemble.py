"""Make the tables of one definition entry: select cases, pivot them, fill cells, add headings and notes.

In: a TableSpec, runs, the facts about expected speed. Out: finished `results.Table`s, one per facet. This
is the only way for a number into a report.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import takewhile

from msgspec import structs

from reportgen.compare.comparison import Comparison
from reportgen.compare.conditions import DEVICE_COUNTS
from reportgen.compare.family import correct_for_number, family_sentence
from reportgen.core.errors import RequestError
from reportgen.core.factors import value_text
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.metrics import metric_of
from reportgen.core.model import Finding, Run
from reportgen.core.rules import Rule
from reportgen.document.model import Header, Note
from reportgen.protocol import MeasuredRuns
from reportgen.tables.captions import caption
from reportgen.tables.cells import CellBuilder
from reportgen.tables.compare import Comparer, comparer
from reportgen.tables.expected import SpeedFacts
from reportgen.tables.explorer_cases import runs_of
from reportgen.tables.footnotes import PendingCell, place_notes
from reportgen.tables.headings import (
    Qualifiers,
    column_header,
    facet_text,
    label_of_factor,
    mean_header,
    metric_title,
    qualifiers,
    row_header,
    with_full_names,
)
from reportgen.tables.label_checks import check_labels
from reportgen.tables.means import mean_cells, sets_differ
from reportgen.tables.pivot import LACKING, AxisKey, CaseGrid, Key, Place, pivot_cases, unnamed
from reportgen.tables.required import missing_required
from reportgen.tables.results import Table
from reportgen.tables.select import FactorsOf, select_cases
from reportgen.tables.spec import TableSpec, definition_digest
from reportgen.tables.sweep_plan import sweep_sentence
from reportgen.tables.unit_choice import UnitChoice
from reportgen.tables.validate import look_alikes

# A level of the path that `init` could not name says only where a log is.
_PATH_LEVEL = lazy_pattern(r"(?:folder|log)[0-9]*")
_DEVICE_FACTORS = frozenset(("device", "gpu", "accelerator"))
# A finding lists at most this many values of one factor.
_MAX_LISTED = 6


def build_tables(
    spec: TableSpec, runs: Sequence[Run], speed_facts: SpeedFacts, measured: MeasuredRuns | None = None
) -> list[Table]:
    """Return the tables of one entry, facets in order.

    measured  the store of a build, so that tables share the measurements of runs
    raises    RequestError for names, values, units or baselines that do not exist
    """
    _check_direction(spec)
    measured = measured or MeasuredRuns()
    selection = select_cases(spec, runs, speed_facts.system_of, measured)
    against = comparer(spec, selection.pool, speed_facts, measured)
    spec = with_full_names(spec, selection.cases)
    grids = pivot_cases(spec, selection.cases)
    check_labels(spec, grids)
    ids = _ids(spec, [grid.facet for grid in grids])
    alike = tuple(look_alikes(map(selection.factors_of, runs)))
    unequal = sets_differ(spec, grids, selection.pool)
    tables = [
        _without_unstated(_table(spec, grid, against, id, selection.factors_of, alike, unequal))
        for grid, id in zip(grids, ids, strict=True)
    ]
    missing = tuple(missing_required(spec.id, spec.required, tables))
    return [replace(tables[0], findings=(*tables[0].findings, *missing)), *tables[1:]]


def _check_direction(spec: TableSpec) -> None:
    """Raise RequestError if the best rows of a metric without a better direction should come first."""
    for name in spec.metrics:
        if spec.best_first and metric_of(name).better is None:
            raise RequestError(
                f"{spec.place}.best_first",
                f"{name} has no better direction; best_first needs one",
                "remove best_first",
            )


def _table(
    spec: TableSpec,
    grid: CaseGrid,
    against: Comparer | None,
    id: str,
    factors_of: FactorsOf,
    alike: Sequence[Finding],
    unequal: tuple[str, str],
) -> Table:
    units = UnitChoice(spec, grid)
    builder = CellBuilder(spec, grid, units.of_cell, against)
    marks = qualifiers(spec, grid)
    lines = [_Line(row, _cells_of(builder, marks, row)) for row in grid.rows]
    if spec.best_first:
        lines = _best_first(spec, lines)
    pending, family = _corrected_verdicts([line.cells for line in lines], 1 - spec.protocol.confidence)
    rows = [
        row_header(spec, line.row, marks.rows.get(line.row, ()), units.of_row(line.row)) for line in lines
    ]
    columns = _columns(spec, grid, marks, units)
    kept = _informative(spec, columns, pending)
    columns, pending = [columns[j] for j in kept], [[line[j] for j in kept] for line in pending]
    if spec.compare and spec.compare.mean:
        pending.append(mean_cells(builder, columns, pending, rows))
        rows.append(mean_header(spec))
    noted = place_notes(builder.footnotes, pending)
    facet = tuple(zip(spec.facets, grid.facet, strict=True))
    facet_words = tuple(
        (label_of_factor(spec.labels, name).text, facet_text(spec, name, value)) for name, value in facet
    )
    facet_title = ", ".join(words for _, words in facet_words)
    titles = tuple(label_of_factor(spec.labels, name) for name in spec.rows)
    row_words = [row.words(titles) for row in rows]
    general = (Note(note.text(row_words), note.note.rule, note.note.name) for note in noted.general)
    comparisons = [each.cell.comparison for line in pending for each in line if each.cell.comparison]
    chance = Note(family, name="chance"), Note(sweep_sentence(comparisons), name="plan")
    words = caption(spec, grid, units.table, against, factors_of, comparisons)
    shown = {*spec.rows, *spec.columns, *spec.facets}
    words += (Note(unequal[0], name="sets"),)
    words += tuple(Note(f"{each.message}.", name="alike") for each in alike if each.subject in shown)
    return Table(
        id=id,
        title=f"{spec.title}: {facet_title}" if facet_title else spec.title,
        metric=" ".join(spec.metrics),
        metric_title=metric_title(spec),
        row_factors=spec.rows,
        row_titles=titles,
        column_factors=spec.columns,
        rows=tuple(structs.replace(row, notes=notes) for row, notes in zip(rows, noted.rows, strict=True)),
        columns=tuple(columns),
        cells=noted.cells,
        notes=noted.notes,
        unit_mode=units.mode,
        unit=units.table if "value" in spec.show else None,
        digits=spec.digits,
        decimals=spec.decimals,
        about=tuple(note for note in (*words, *chance, *general) if note.text),
        facet=facet,
        facet_words=facet_words,
        has_signs=_has_signs(spec),
        definition=definition_digest(spec),
        findings=(
            *builder.findings,
            *_sets_differ(spec, unequal[0]),
            *alike,
            *_unnamed_factors(spec, grid),
            *_unstated_devices(spec, grid),
        ),
        column_titles=tuple(label_of_factor(spec.labels, name) for name in spec.columns),
        sets_differ=unequal[1],
    )


def _without_unstated(table: Table) -> Table:
    """Return a table of one facet without row factors that no case of this facet has: a column of dashes."""
    stated = [
        i
        for i in range(len(table.row_factors))
        if any(row.key[i] != LACKING for row in table.rows if not row.is_mean)
    ]
    if not table.facet or not stated or len(stated) == len(table.row_factors):
        return table
    kept = {False: stated, True: range(len(stated))}  # the words of a mean are in the first column
    rows = tuple(
        structs.replace(
            row,
            key=tuple(row.key[i] for i in kept[row.is_mean]),
            labels=tuple(row.labels[i] for i in kept[row.is_mean]),
        )
        for row in table.rows
    )
    return replace(
        table,
        row_factors=tuple(table.row_factors[i] for i in stated),
        row_titles=tuple(table.row_titles[i] for i in stated),
        rows=rows,
    )


def _corrected_verdicts(
    lines: Sequence[Sequence[PendingCell]], rate: float
) -> tuple[list[list[PendingCell]], str]:
    """Return the cells with verdicts corrected for their number, and a sentence for the caption, "" for none.

    The comparisons of a table are one family.

    rate  of false discoveries among the verdicts `faster` and `slower`, for example 0.05
    """
    comparisons = {
        _pair_key(comparison): comparison
        for line in lines
        for pending in line
        if (comparison := pending.cell.comparison) and comparison.verdict
    }
    corrected = correct_for_number(comparisons, rate)
    cells = [[_with_verdict(pending, corrected) for pending in line] for line in lines]
    return cells, family_sentence(comparisons, rate)


# A case and its baseline. Several cells of a case share one verdict.
_PairKey = tuple[int, int]


def _pair_key(comparison: Comparison) -> _PairKey:
    return id(comparison.case), id(comparison.baseline)


def _with_verdict(pending: PendingCell, corrected: Mapping[_PairKey, Comparison]) -> PendingCell:
    cell = pending.cell
    comparison = corrected.get(_pair_key(cell.comparison)) if cell.comparison else None
    if cell.comparison is None or comparison is None or comparison.verdict is cell.comparison.verdict:
        return pending
    text = comparison.verdict.kind if cell.kind == "verdict" and comparison.verdict else cell.text
    return replace(pending, cell=replace(cell, text=text, comparison=comparison))


def _sets_differ(spec: TableSpec, sentence: str) -> Iterator[Finding]:
    if sentence:
        yield Finding("note", Rule.TABLE_SETS_DIFFER, spec.id, sentence.removesuffix("."))


def _has_signs(spec: TableSpec) -> bool:
    """Return whether ratios have signs: not beside their words, nor in a comparison of numbers of devices."""
    if spec.compare is None or "verdict" in spec.show:
        return False
    return not DEVICE_COUNTS.issuperset(spec.compare.baseline)


def _unnamed_factors(spec: TableSpec, grid: CaseGrid) -> Iterator[Finding]:
    """Yield one warning about the factors that matter: a log that lacks a factor may still agree in it."""
    differing = [
        f"{name} ({_listed(list(map(value_text, values)), ', ')})"
        for name, values in unnamed(spec, grid).items()
        if values.count(LACKING) < len(values) - 1 and not _PATH_LEVEL.fullmatch(name)
    ]
    if differing:
        pronoun = "it" if len(differing) == 1 else "them"
        factors = _listed(differing, "; ")
        message = f"cells differ in {factors}, which no heading shows: add {pronoun} to rows or qualify"
        yield Finding("warning", Rule.TABLE_UNNAMED_FACTOR, spec.id, message)


def _unstated_devices(spec: TableSpec, grid: CaseGrid) -> Iterator[Finding]:
    """Yield a warning for a factor of devices that a table shows and some of its cases lack."""
    for name in sorted(_DEVICE_FACTORS.intersection((*spec.rows, *spec.columns, *spec.facets))):
        lacking = [case for slot in grid.slots.values() for case in slot if name not in case.factors]
        runs = sorted({run for case in lacking for run in runs_of(case)})
        if runs:
            message = f'no log states "{name}" of {_listed(runs, ", ")}: name it in labels.toml'
            yield Finding("warning", Rule.TABLE_UNSTATED_DEVICE, spec.id, message)


def _listed(texts: Sequence[str], separator: str) -> str:
    more = f" and {len(texts) - _MAX_LISTED} more" if len(texts) > _MAX_LISTED else ""
    return f"{separator.join(texts[:_MAX_LISTED])}{more}"


def _columns(spec: TableSpec, grid: CaseGrid, marks: Qualifiers, units: UnitChoice) -> list[Header]:
    return [
        column_header(spec, key, marks.columns.get(key, ()), quantity, units.of_column(key))
        for key in grid.columns
        for quantity in spec.show
    ]


def _informative(
    spec: TableSpec, columns: Sequence[Header], lines: Sequence[Sequence[PendingCell]]
) -> list[int]:
    """Return the columns, beside values without the comparisons of a column with itself."""
    if "value" not in spec.show or not spec.columns:
        return list(range(len(columns)))
    with_itself = set()
    for j, column in enumerate(columns):
        comparisons = [each for line in lines if (each := line[j].cell.comparison)]
        are_own = bool(comparisons) and all(each.case is each.baseline for each in comparisons)
        if column.quantity in ("ratio", "speedup") and are_own:
            with_itself.add((column.key, column.split))
    return [
        j
        for j, column in enumerate(columns)
        if column.quantity in ("value", "repeats") or (column.key, column.split) not in with_itself
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """One row of cells."""

    row: AxisKey
    cells: list[PendingCell]


def _best_first(spec: TableSpec, lines: Sequence[_Line]) -> list[_Line]:
    """Return the lines with the best first.

    Rows that are compared with each other stay together: if the last row factors are those of the baseline,
    only rows that agree in the others are sorted.
    """
    baseline = spec.compare.baseline if spec.compare else {}
    compared = len(list(takewhile(baseline.__contains__, reversed(spec.rows))))
    work = len(spec.rows) - compared if compared else 0
    return sorted(lines, key=lambda line: (line.row.codes[:work], _rank(line)))


def _rank(line: _Line) -> tuple[bool, float]:
    """Return a sorting key by the case of the first cell with a number; rows without one are last."""
    for pending in line.cells:
        case = pending.cell.case
        if pending.is_number and not pending.cell.invalid and case and case.summary:
            median = case.summary.median
            return False, -median if metric_of(case.metric).better == "higher" else median
    return True, 0.0


def _cells_of(builder: CellBuilder, marks: Qualifiers, row: AxisKey) -> list[PendingCell]:
    """Return the cells of one row; a qualifier belongs to the first quantity of its cell."""
    cells: list[PendingCell] = []
    for column in builder.grid.columns:
        place = Place(row, column)
        first, *others = builder.cells(place)
        qualified = replace(first.cell, qualifiers=marks.cells.get(place, ()))
        cells += [replace(first, cell=qualified), *others]
    return cells


def _ids(spec: TableSpec, facets: Sequence[Key]) -> list[str]:
    """Return an id for each facet that can be a path; values that look alike there get a digest."""
    if not spec.facets:
        return [spec.id]
    slugs = ["-".join(re.sub(r"[^A-Za-z0-9._]+", "-", str(v)).strip("-") for v in facet) for facet in facets]
    return [
        f"{spec.id}/{slug}"
        if slugs.count(slug) == 1 and slug.strip("-.")
        else f"{spec.id}/{slug}-{_digest(facet)}"
        for slug, facet in zip(slugs, facets, strict=True)
    ]


def _digest(facet: Key) -> str:
    return sha256(repr(facet).encode("utf-8", "backslashreplace")).hexdigest()[:8]
