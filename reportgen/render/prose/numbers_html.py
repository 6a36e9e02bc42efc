"""The numbers of a text as HTML: each a link to its evidence, with references to its notes."""

import re
from collections.abc import Sequence
from html import escape

from reportgen.core.factors import factors_key
from reportgen.render.prose.numbers import MARKED, ProseNumber, plain, text_notes

# A link cannot be in a link, nor in an attribute.
_LINK_OR_TAG_OR_NUMBER = re.compile(f"(<a[ >].*?</a>|<[^>]*>)|{MARKED.pattern}", re.DOTALL)


def link_numbers(html: str, numbers: Sequence[ProseNumber], anchor: str) -> str:
    """Return HTML with its numbers as links.

    anchor  of the notes: note n is at `anchor`-note-n
    """
    positions = {note.mark: at for at, note in enumerate(text_notes(numbers), start=1) if not note.on_all}

    def show(match: re.Match[str]) -> str:
        if match[1]:
            return plain(match[1])
        number = numbers[int(match[2])]
        name = number.cases[0].name if number.cases else None
        text = f'<a href="#case-{name}"{_title(number)}>{match[3]}</a>' if name else match[3]
        notes = sorted({positions[note.mark] for note in number.notes if note.mark in positions})
        links = ",".join(f'<a href="#{anchor}-note-{note}">{note}</a>' for note in notes)
        return f"{text}{match[4]}<sup>[{links}]</sup>" if links else f"{text}{match[4]}"

    return _LINK_OR_TAG_OR_NUMBER.sub(show, html)


def _title(number: ProseNumber) -> str:
    """Return the attribute that names the sides of a ratio by the factors in which they differ."""
    if len(number.cases) < 2:
        return ""
    pairs = [factors_key(case.factors) for case in number.cases[:2]]
    sides = [
        sorted(f"{name}={value}" for name, (_, value) in pair - other) for pair, other in (pairs, pairs[::-1])
    ]
    text = " over ".join(", ".join(side) for side in sides if side)
    return f' title="{escape(text)}"' if text else ""
