"""The numbers in a text: each with the cases behind it, and with what a reader must know beside it.

In a filled text, a number is between private-use characters: MARK, its position, MIDDLE, the number as text,
END_MARK. The outputs replace these with a link and with references to notes.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from reportgen.core.case_findings import is_footnote, remark
from reportgen.core.factors import factors_key
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.plain_text import one_line
from reportgen.core.rules import known_rule
from reportgen.document.model import Case, Note

MARK, MIDDLE, END_MARK = "\ue002", "\ue004", "\ue003"
_WITHOUT_MARKS = str.maketrans("", "", MARK + MIDDLE + END_MARK)
# The last group is a unit that an author writes at the number.
MARKED = lazy_pattern(f"{MARK}([0-9]+){MIDDLE}([^{END_MARK}]*){END_MARK}(x\\b|[%×]|)")

_FOLDED = "Details are in the evidence of each number."

# In code and in the target of a link, Markdown shows a reference to a note as it is written, or breaks.
_LITERAL = lazy_pattern(
    r"^(?:```|~~~).*?^(?:```|~~~)|(?<!\\)`[^`\n]*`|(?<!\\)\]\([^)\n]*\)", re.MULTILINE | re.DOTALL
)

# In HTML, a link cannot be in a link, nor in an attribute.
_LINK_OR_TAG_OR_NUMBER = lazy_pattern(f"(<a[ >].*?</a>|<[^>]*>)|{MARKED.pattern}", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class ProseNumber:
    """A number that a function of the text printed.

    cases  behind it, the first the one that it is about; () for a number that comes from no run
    """

    cases: tuple[Case, ...] = ()
    notes: tuple[Note, ...] = ()


def notes_on(cases: Iterable[Case]) -> Iterator[Note]:
    """Yield what a reader must know of the cases behind a number."""
    for case in cases:
        yield from (
            Note(remark(case, each), each.rule)
            for each in case.all_findings
            if is_footnote(each.severity, each.rule)
        )


@dataclass(frozen=True, slots=True)
class TextNote:
    """A note on numbers of a text, one for each rule; `on_all` if it holds for every number from a log."""

    mark: str
    text: str
    on_all: bool


def text_notes(numbers: Sequence[ProseNumber]) -> list[TextNote]:
    """Return the notes on the numbers of a text, in order of appearance."""
    by_mark: dict[str, dict[Note, None]] = {}
    for note in (note for number in numbers for note in number.notes):
        by_mark.setdefault(note.mark, {})[note] = None
    marks = [{note.mark for note in number.notes} for number in numbers if number.cases]
    return [
        TextNote(mark, _one_text(list(notes)), len(marks) > 1 and all(mark in each for each in marks))
        for mark, notes in by_mark.items()
    ]


def _one_text(notes: list[Note]) -> str:
    rule = known_rule(notes[0].rule)
    if len(notes) == 1 or rule is None:
        return "; ".join(note.text for note in notes)
    return f"{rule.summary} {_FOLDED}"


def marked(position: int, text: str) -> str:
    """Return a number between its marks; the text may contain a unit from a log."""
    return f"{MARK}{position}{MIDDLE}{one_line(text).translate(_WITHOUT_MARKS)}{END_MARK}"


def as_read(text: str) -> str:
    """Return a filled text with its numbers as they read."""
    return MARKED.sub(r"\2\3", text)


def outside_of_code(text: str, show: Callable[[re.Match[str]], str]) -> str:
    """Return Markdown with its numbers replaced; in code and in targets of links they stay as they read."""
    pieces, end = [], 0
    for literal in _LITERAL.finditer(text):
        pieces += [MARKED.sub(show, text[end : literal.start()]), as_read(literal[0])]
        end = literal.end()
    return "".join([*pieces, MARKED.sub(show, text[end:])])


def link_numbers(html: str, numbers: Sequence[ProseNumber], anchor: str) -> str:
    """Return HTML with its numbers as links.

    anchor  of the notes: note n is at `anchor`-note-n
    """
    positions = {note.mark: at for at, note in enumerate(text_notes(numbers), start=1) if not note.on_all}

    def show(match: re.Match[str]) -> str:
        if match[1]:
            return as_read(match[1])
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
