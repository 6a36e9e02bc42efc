"""Write the result of an audit: rows for a terminal, JSON, Markdown."""

from collections.abc import Iterable, Sequence

import msgspec

from reportgen.audit.auditor import AuditedDocument
from reportgen.audit.verdicts import CellVerdict, Judgement
from reportgen.render.text import escape

JSON_VERSION = 1
_MAX_MARKDOWN_ROWS = 200
# Verdicts that are counted only where there are any.
_RARE = (CellVerdict.DERIVED, CellVerdict.MISPLACED)


def place_of(document: AuditedDocument, judgement: Judgement) -> str:
    """Return file:line:column of a cell."""
    cell = judgement.cell
    if cell.start < 0:
        return f"{document.document.name}:{cell.line}"
    column = cell.start - (document.document.text.rfind("\n", 0, cell.start) + 1) + 1
    return f"{document.document.name}:{cell.line}:{column}"


def what_of(judgement: Judgement) -> str:
    """Return what a number is, in words: metric, phase, statistic, unit; for a key, that it is one."""
    if judgement.is_key:
        return "key"
    measure = judgement.measure
    if measure is None:
        return "ratio of two numbers of the table" if judgement.verdict is CellVerdict.DERIVED else "-"
    phase = "" if measure.phase == "step" else f" ({measure.phase})"
    scope = "" if measure.scope == "total" else f", {measure.scope}"
    against = f" against {measure.baseline}" if measure.baseline else ""
    return f"{measure.metric}{phase}{scope}{against}"


def rows(documents: Sequence[AuditedDocument], *, everything: bool = False) -> list[tuple[str, ...]]:
    """Return a table of the numbers that are wrong, or of all numbers, with a head."""
    table: list[tuple[str, ...]] = [("where", "number", "verdict", "source says", "source", "because")]
    for document in documents:
        shown = (each for each in document.judgements if everything or each.verdict in CellVerdict.wrong())
        table += [_row(document, each) for each in shown]
    return table


def _row(document: AuditedDocument, judgement: Judgement) -> tuple[str, ...]:
    is_derived = judgement.verdict is CellVerdict.DERIVED
    because = what_of(judgement) if is_derived else "-"
    because = judgement.hypothesis.text if judgement.hypothesis else because
    source = str(judgement.source or "-")
    return (
        place_of(document, judgement),
        judgement.text,
        judgement.verdict,
        _expected(judgement),
        source,
        because,
    )


def _expected(judgement: Judgement) -> str:
    return f"{judgement.expected} {judgement.unit}".strip() or "-"


def counts_text(documents: Sequence[AuditedDocument]) -> str:
    """Return how many numbers have each verdict."""
    total = {verdict: sum(document.counts[verdict] for document in documents) for verdict in CellVerdict}
    names = {CellVerdict.DIFFERS: "differ" if total[CellVerdict.DIFFERS] != 1 else "differs"}
    said = [
        f"{total[verdict]:,} {names.get(verdict, verdict)}"
        for verdict in CellVerdict
        if total[verdict] or verdict not in _RARE
    ]
    return f"{sum(total.values()):,} numbers: {', '.join(said)}"


def to_json(documents: Sequence[AuditedDocument]) -> str:
    """Return every number with its verdict, case and source as JSON."""
    content = {"version": JSON_VERSION, "documents": [_document(document) for document in documents]}
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode()


def _document(document: AuditedDocument) -> dict[str, object]:
    return {
        "name": document.document.name,
        "counts": {str(verdict): document.counts[verdict] for verdict in CellVerdict},
        "numbers": [_number(document, each) for each in document.judgements],
    }


def _number(document: AuditedDocument, judgement: Judgement) -> dict[str, object]:
    content: dict[str, object] = {
        "place": place_of(document, judgement),
        "line": judgement.cell.line,
        "text": judgement.text,
        "verdict": str(judgement.verdict),
    }
    if judgement.source:
        content |= {
            "expected": judgement.expected,
            "unit": judgement.unit,
            "source": str(judgement.source),
            "is": what_of(judgement),
            "case": dict(sorted(judgement.case.items())),
        }
    if judgement.hypothesis:
        content["hypothesis"] = {"name": judgement.hypothesis.name, "text": judgement.hypothesis.text}
    return content


def to_markdown(documents: Sequence[AuditedDocument]) -> str:
    """Return the counts and the numbers that differ as Markdown."""
    head, *body = rows(documents)
    lines = [f"**Audit**: {counts_text(documents)}.", ""]
    if body:
        lines += _markdown_table([head, *body[:_MAX_MARKDOWN_ROWS]])
    if len(body) > _MAX_MARKDOWN_ROWS:
        lines += ["", f"{len(body) - _MAX_MARKDOWN_ROWS} more differ."]
    return "\n".join([*lines, ""]) if body else f"{lines[0]}\n"


def _markdown_table(table: Iterable[tuple[str, ...]]) -> list[str]:
    lines = [f"| {' | '.join(escape.markdown(cell) for cell in row)} |" for row in table]
    return [lines[0], f"|{' --- |' * len(next(iter(table)))}", *lines[1:]]
