"""Find numbers in an author's headline that no function printed: nothing backs them."""

import re
from collections.abc import Iterator, Sequence

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import Finding, Source
from reportgen.core.rules import Rule
from reportgen.report.definition import ReportDefinition
from reportgen.tables.results import Table

_CALL = lazy_pattern(r"\{\{\s*(?:value|ratio|expected)\(.*?\)\s*\}\}", re.DOTALL)
# A number with the unit that follows it. With a letter or a hyphen before it, or other letters after it, it
# is a part of a name: V100, ResNet-50, 960M.
_NUMBER = lazy_pattern(
    r"(?<![\w.,-])(?P<number>[0-9]+(?:[.,][0-9]+)*)(?P<unit>\s?[%×]|x\b|k\b|[mµu]?s\b)?(?![\w]|[.,-]\w)"
)


def unbacked_numbers(definition: ReportDefinition, tables: Sequence[Table]) -> Iterator[Finding]:
    """Yield a warning for the numbers in the author's headline that are neither calls nor names of a case."""
    names = _names([definition.title, *_headings(tables)])
    text = _CALL.sub(" ", definition.headline)
    typed = [match[0] for match in _NUMBER.finditer(text) if match["unit"] or match["number"] not in names]
    if typed:
        message = (
            f"the headline contains {', '.join(dict.fromkeys(typed))}, which no value() or ratio() prints"
        )
        source = Source(definition.place)
        yield Finding("warning", Rule.PROSE_UNBACKED_NUMBER, definition.name, message, source)


def _headings(tables: Sequence[Table]) -> Iterator[object]:
    """Yield the texts and values that name cases."""
    for table in tables:
        yield table.title
        for head in (*table.rows, *table.columns):
            yield from (label.text for label in head.labels)
        for case in (case for line in table.cells for cell in line for case in cell.cases):
            yield from case.factors.values()


def _names(texts: Sequence[object]) -> set[str]:
    """Return the numbers in texts and values, as they are written."""
    numbers = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
    return {number for text in dict.fromkeys(map(str, texts)) for number in numbers.findall(text)}
