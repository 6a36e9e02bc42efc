"""Mark up the source of audited documents, number by number, as one page that runs nothing.

The source is shown as text, escaped, so that no markup or script of the document takes effect. Each number is
marked with its verdict; its title has what the source says, and a list above has the differences.
"""

from collections.abc import Iterator, Sequence
from html import escape

from reportgen.audit.auditor import AuditedDocument
from reportgen.audit.listing import counts_text, place_of, what_of
from reportgen.audit.verdicts import CellVerdict, Judgement
from reportgen.core.plain_text import one_line

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Audit</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root { color-scheme: light dark; --line: #8886; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; }
pre { overflow-x: auto; border: 1px solid var(--line); padding: 1rem; line-height: 1.6; }
mark { color: inherit; border-radius: 3px; padding: 0 2px; }
.verified { background: #2a93; } .rounded { background: #29a3; }
.derived { background: #29a3; }
.misplaced { background: #e922; outline: 2px solid #e92; }
.differs { background: #d226; outline: 2px solid #d22; font-weight: bold; }
.no-source { background: none; border-bottom: 1px dotted #888; }
td, th { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; }
</style></head><body>
<h1>Audit</h1>
"""
_TAIL = "</body></html>\n"


def to_html(documents: Sequence[AuditedDocument]) -> str:
    """Return the page."""
    parts = [_HEAD, f"<p>{escape(counts_text(documents))}</p>\n", _legend()]
    for document in documents:
        parts.append(f"<h2>{escape(one_line(document.document.name))}</h2>\n")
        parts.append(_differences(document))
        parts.append(f"<pre>{''.join(_marked(document))}</pre>\n")
    return "".join([*parts, _TAIL])


def _legend() -> str:
    marks = (f'<mark class="{_class(verdict)}">{verdict}</mark>' for verdict in CellVerdict)
    return f"<p>{' '.join(marks)}</p>\n"


def _class(verdict: CellVerdict) -> str:
    return "misplaced" if verdict is CellVerdict.MISPLACED else verdict.replace(" ", "-")


def _differences(document: AuditedDocument) -> str:
    rows = [
        f'<tr><td><a href="#n{number}">{escape(place_of(document, each))}</a></td><td>{_text(each.text)}</td>'
        f"<td>{_text(_said(each))}</td></tr>\n"
        for number, each in enumerate(document.judgements)
        if each.verdict in CellVerdict.wrong()
    ]
    head = "<tr><th>where</th><th>number</th><th>source</th></tr>\n"
    return f"<table>\n{head}{''.join(rows)}</table>\n" if rows else ""


def _said(judgement: Judgement) -> str:
    """Return verdict, explanation and source of a number, in one line."""
    if judgement.source is None:
        return str(judgement.verdict)
    what = f"{judgement.expected} {judgement.unit}".strip()
    because = f": {judgement.hypothesis.text}" if judgement.hypothesis else ""
    return f"{judgement.verdict}{because}; {what_of(judgement)} {what}, {judgement.source}"


def _text(text: str) -> str:
    return escape(one_line(text))


def _marked(document: AuditedDocument) -> Iterator[str]:
    """Yield the source with its numbers marked; a cell with several has the worst of their verdicts."""
    text, position = document.document.text, 0
    cells: dict[tuple[int, int], list[tuple[int, Judgement]]] = {}
    for number, each in enumerate(document.judgements):
        if 0 <= each.cell.start < each.cell.end:
            cells.setdefault((each.cell.start, each.cell.end), []).append((number, each))
    for (start, end), members in sorted(cells.items()):
        if start < position:
            continue
        number, worst = min(members, key=lambda each: _SEVERITY.index(each[1].verdict))
        yield _source(text[position:start])
        said = _text("; ".join(_said(each) for _, each in members))
        mark = f'<mark id="n{number}" class="{_class(worst.verdict)}" title="{said}">'
        yield f"{mark}{_source(text[start:end])}</mark>"
        position = end
    yield _source(text[position:])


_SEVERITY = (
    *CellVerdict.wrong(),
    CellVerdict.NO_SOURCE,
    CellVerdict.ROUNDED,
    CellVerdict.DERIVED,
    CellVerdict.VERIFIED,
)


def _source(text: str) -> str:
    return "\n".join(escape(one_line(line) if not line.isprintable() else line) for line in text.split("\n"))
