"""Put aside the rows that are not results: units below the header, totals and means of other rows."""

import re

from reportgen.formats.tables.column_units import unit_of
from reportgen.formats.tables.column_words import slug
from reportgen.formats.tables.interpret.cells import number_of
from reportgen.formats.tables.interpret.draft import METRIC_COLUMN, STATISTIC_COLUMN, Draft

_TOTALS = re.compile(
    r"(?i)[*_ ]*(?:grand )?(?:totals?|sum|average|avg\.?|mean|median|geo(?:metric)?[ -]?mean|gmean|overall"
    r"|all|summe|mittelwert|min|max|std|stdev|summary)(?: .{0,20})?[*_: ]*"
)


def take_units_row(draft: Draft) -> None:
    """Take the units of a second header row."""
    if draft.table.is_json or len(draft.records) < 2:
        return
    first = {name: str(cell).strip().strip("()[]") for name, cell in draft.records[0].cells.items()}
    unit_texts = {name: text for name, text in first.items() if text and unit_of(text)}
    others = [text for name, text in first.items() if text not in ("", "-") and name not in unit_texts]
    if (
        unit_texts
        and len(others) <= len(unit_texts)
        and not any(number_of(text) is not None for text in first.values())
    ):
        draft.units = unit_texts
        name = next(iter(unit_texts))
        draft.result.skip.append({"column": name, "equals": str(draft.records[0].cells[name]).strip()})
        draft.result.doubts.append("the second row holds units")
        draft.result.skipped_lines.add(draft.records[0].line)
        draft.records = draft.records[1:]


def take_totals(draft: Draft) -> None:
    """Skip the rows at the end whose first text says that they repeat others."""
    if draft.table.is_json or len(draft.records) < 3:
        return
    # Below numbers of repeats, too: "mean" is not a seed.
    texts = [name for at, name in enumerate(draft.columns) if not at or draft.is_text(name)]
    name = next((name for name in texts if draft.is_text(name) or _has_total(draft, name)), "")
    if not name:
        return
    at = [i for i, cell in enumerate(draft.cells[name]) if _TOTALS.fullmatch(str(cell).strip())]
    are_last = at == list(range(len(draft.records) - len(at), len(draft.records)))
    most = len(draft.records) // (2 if are_last else 3)
    if slug(name) in STATISTIC_COLUMN | METRIC_COLUMN or not at or len(at) > max(most, 1):
        return
    words = sorted({str(draft.cells[name][i]).strip() for i in at})
    draft.result.notes.append(f'rows are skipped as totals: {", ".join(words)} in column "{name}"')
    draft.result.doubts.append("some rows repeat others")
    draft.result.skip += [{"column": name, "equals": word} for word in words]
    draft.result.skipped_lines |= {draft.records[i].line for i in at}
    draft.records = [record for i, record in enumerate(draft.records) if i not in at]
    draft.collect()


def _has_total(draft: Draft, name: str) -> bool:
    return any(_TOTALS.fullmatch(str(cell).strip()) for cell in draft.cells[name])
