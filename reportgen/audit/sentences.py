"""Read the numbers that sentences claim, with the words around each.

"The forward pass takes 33 ms on the V100 but 25 ms on the A100" claims two numbers. A sentence is cut into
parts with one number each. The parts before it may have named what a part does not ("the forward pass"), and
then the headings above. A number without a unit is a claim only where a heading has the unit.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reportgen.audit.documents import Sentence, TextCell
from reportgen.audit.hints import AGAINST
from reportgen.audit.namings import Naming, NamingIndex
from reportgen.audit.numbers import NUMBER, Number, find_unit, parse_number, unit_of_heading
from reportgen.core.lazy_pattern import lazy_pattern

MAX_SENTENCES = 2000
_MAX_CLAIMS = 24
# Markup inside a line, which is blanked so that places stay the same.
_MARKUP = lazy_pattern(r"[*`]|\[\^[^\[\]]{1,40}\]|\]\([^()\s]{0,300}\)|[\[\]]|<[^<>]{1,80}>|\\")
_UNIT = lazy_pattern(
    r"\s*(?P<unit>%|[x×](?![\w×])|[A-Za-zµμ]+(?:\s?/\s?[A-Za-z]+|\s(?:per|a)\s[A-Za-z]+)?)(?![A-Za-z0-9])"
)
# "33 ms per step" is a time.
_PER_STEP = lazy_pattern(
    r"\s*(?P<unit>[A-Za-zµμ]+)(?=\s?(?:/|per|a)\s?(?:step|iter|batch|call|pass|epoch))", re.I
)
_TIMES = ("times", "x", "×", "percent")
_STRONG = lazy_pattern(r"[;|]|\b(?:but|while|whereas|versus)\b|—")
_WEAK = lazy_pattern(r",|\band\b")
# Where nothing else parts two numbers: "33 ms: the A100 takes 25 ms", "33 ms as on one GPU (25 ms".
_FAINT = lazy_pattern(r":|\((?=[^(]*$)")
_PARENTHESES = lazy_pattern(r"\([^()]*\)")
_RATIO_BEFORE = lazy_pattern(
    r"(?:speed-?\s?up|slow-?down|ratio|factor)(?:\s+(?:of|is|=|:))?\s*$", re.IGNORECASE
)
# The words before a ratio without a sign, as in a list: "forward vs. A40 0.89".
_RATIO_LABEL = lazy_pattern(
    r"\bvs\b|versus|speed-?\s?up|slow-?down|relative to|\bratio\b|(?:^|[,;:]) *[x×] ", re.I
)
_RATIO_WORDS = lazy_pattern(
    r"slow|fast|quick|speed-?\s?up|\btimes\b|\bratio\b|efficien|scal|\bvs\b|versus|\bover\b|\bthan\b|relative|against"
    r"|[A-Za-z0-9)] ?[/:] ?[A-Z]", re.IGNORECASE
)  # fmt: skip
# "twice as long on the GPU as on the CPU"
_AS_MUCH = lazy_pattern(r"\bas (?:long|fast|slow|quick|much|many|high|large)\b", re.I)
_AS = lazy_pattern(r"\bas (?=(?:on|with|for|in|of|at|that|the)\b)", re.I)
_ITS = lazy_pattern(
    r"\b(?:its|the|that)\s+(?:\w+\s+)?(?:throughput|speed|rate|time)\s+(?:on|of|with|for)\b", re.I
)


@dataclass(frozen=True, slots=True)
class SentenceClaim:
    """A number of a sentence.

    namings   what is named about its case; baseline  about the case that a ratio is relative to, None
              without a ratio
    texts     that may say what is measured, the nearest first
    own       what the part of the number itself names; sentence  that it is in
    """

    cell: TextCell
    number: Number
    unit: str
    namings: tuple[Naming, ...]
    baseline: tuple[Naming, ...] | None
    texts: tuple[str, ...]
    own: tuple[Naming, ...]
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    number: Number
    unit: str
    is_ratio: bool


def claims_of(sentence: Sentence, index: NamingIndex, *, comma: bool = False) -> Iterator[SentenceClaim]:
    """Yield the numbers that a sentence claims; `comma` is the decimal mark of its document."""
    text = _MARKUP.sub(lambda match: " " * len(match[0]), sentence.text)
    numbers = list(_numbers(text, sentence, index, comma))[:_MAX_CLAIMS]
    parts = list(_parts(text, numbers))
    context = index.nearest(reversed(sentence.context))
    before: list[Naming] = []
    texts: list[str] = []
    for each, (first, last) in zip(numbers, parts, strict=True):
        part = f"{text[first : each.start]} , {text[each.end : last]}"
        subject, base = _sides(part) if each.is_ratio else (part, None)
        named = index.namings(subject)
        own = _merged(named, before)
        claimed = _merged(own, context)
        baseline = None if base is None else _merged(index.namings(base), claimed)
        texts = [part, *texts]
        start = sentence.start + each.start if sentence.start >= 0 else -1
        end = sentence.start + each.end if sentence.start >= 0 else -1
        cell = TextCell(text[each.start : each.end].strip(), sentence.line, start, end)
        said = (*texts, *reversed(sentence.context))
        yield SentenceClaim(cell, each.number, each.unit, claimed, baseline, said, named, sentence)
        # "2.1x as fast as on one GPU (397 images/s)": the number in parentheses is the one of the baseline.
        before = list(baseline if baseline and text[last : last + 1] == "(" else own)


def _merged(own: Sequence[Naming], other: Sequence[Naming]) -> tuple[Naming, ...]:
    """Return namings, and those others that are about further factors."""
    merged = list(own)
    for naming in other:
        known = {factor for each in merged for factor in each.factors}
        if not known & set(naming.factors):
            merged.append(naming)
    return tuple(merged)


def _numbers(text: str, sentence: Sentence, index: NamingIndex, comma: bool) -> Iterator[_Found]:
    names = index.spans(text)
    heading = next((unit for each in reversed(sentence.context) if (unit := unit_of_heading(each))), "")
    position = 0
    while match := NUMBER.search(text, position):
        start, end = match.span()
        inside = [last for first, last in names if first < end and start < last]
        position = max(inside, default=end)
        if inside or (start and (text[start - 1].isalnum() or text[start - 1] in "_.,-/#=")):
            continue
        unit, stop = "", end
        if after := _PER_STEP.match(text, end) or _UNIT.match(text, end):
            written = after["unit"]
            if written in _TIMES or written == "%" or find_unit(written):
                unit, stop = written, after.end()
        elif end < len(text) and (text[end].isalnum() or text[end] in "_"):
            continue
        is_times = unit in _TIMES or unit == "%"
        before = re.split(r"[;|—]", text[:start])[-1]
        is_ratio = bool(_RATIO_BEFORE.search(before) or (not unit and _RATIO_LABEL.search(before)))
        is_ratio |= bool(is_times and _RATIO_WORDS.search(text))
        if is_times and not is_ratio and unit != "%":
            continue
        is_plain = not unit and not is_ratio
        if is_plain and not (heading and len(match["digits"]) > 2):
            continue
        shown = "%" if unit in ("%", "percent") else "x" if is_ratio else unit or heading
        written = match[0] if is_ratio or not unit else text[start:stop]
        if number := parse_number(written.strip(), comma=comma):
            yield _Found(start, stop, number, shown if is_ratio or is_plain else number.unit, is_ratio)


def _parts(text: str, numbers: Sequence[_Found]) -> Iterator[tuple[int, int]]:
    """Yield the part of a sentence that each number is in."""
    covered = _PARENTHESES.sub(lambda match: "(" * len(match[0]), text)
    first = 0
    for own, following in zip(numbers, (*numbers[1:], None), strict=False):
        end = _STRONG.search(covered, own.end)
        last = end.start() if end else len(text)
        if following:
            between = covered[own.end : following.start]
            is_strong = bool(_STRONG.search(between))
            by_strength = (list(each.finditer(between)) for each in (_STRONG, _WEAK, _FAINT))
            marks = next(filter(None, by_strength), [])
            last = own.end + (marks[0 if is_strong else -1].start() if marks else 0)
        yield first, last
        first = last


def _sides(part: str) -> tuple[str, str]:
    """Return what a part says about the case of a ratio, and about its baseline."""
    mark = _ITS.search(part) or (_AS.search(part) if _AS_MUCH.search(part) else AGAINST.search(part))
    if mark:
        return part[: mark.start()], part[mark.end() :]
    sides = re.split(r"\s[x×]\s(?=[A-Z0-9])", part, maxsplit=1)
    sides = sides if len(sides) == 2 else re.split(r"\s[/:]\s", part, maxsplit=1)
    return (sides[0], sides[1]) if len(sides) == 2 else (part, "")
