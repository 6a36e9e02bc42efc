"""Find the lines of a text that say what the results below them belong to: headings, commands, settings.

Each becomes the pattern of a `[[table.context]]`, whose groups are columns of the rows after it. A heading
ends what the headings of lower levels said.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile

from reportgen.core.lazy_pattern import lazy_pattern

# A heading of Markdown or Org; its level is the number of its marks.
_HEADING = lazy_pattern(r"(?P<marks>#{1,6}|\*{1,6}) +(?P<text>\S.*)")
_FENCE = lazy_pattern(r"\s*(?:```|~~~|\.\. |#\+(?i:begin|end))")
_MAX_TITLE = 200
_MAX_CHARS = 3000
_MAX_TITLES = 200


def title_patterns(lines: Sequence[str], blocks: Sequence[Sequence[int]], used: set[int]) -> list[str]:
    """Return patterns of the lines above blocks that distinguish them, [] if no lines do.

    blocks  the lines of the results of each block, in order; used  all lines of results and settings
    """
    ends = [-1, *(block[-1] for block in blocks)]
    gaps = [range(end + 1, block[0]) for end, block in zip(ends, blocks, strict=False)]
    titles = [[at for at in reversed(gap) if at not in used and _is_title(lines[at])] for gap in gaps]
    headings = [at for gap in titles for at in gap if _HEADING.match(lines[at])]
    if headings and titles[0] and any(_HEADING.match(lines[at]) for at in titles[0]):
        return _levels([len(match["marks"]) for at in headings if (match := _HEADING.match(lines[at]))])
    for place in range(min(map(len, titles), default=0)):
        texts = [lines[gap[place]].strip() for gap in titles]
        if len(set(texts)) > 1 or len(blocks) == 1:
            pattern = _pattern_of(texts, [gap[place] for gap in titles], lines)
            return [pattern] if pattern else []
    return []


def _is_title(line: str) -> bool:
    text = line.strip()
    return bool(re.search(r"[^\W_]", text)) and len(text) <= _MAX_TITLE and not _FENCE.match(line)


def _levels(marks: Sequence[int]) -> list[str]:
    """Return a pattern for each level of headings, which ends what the lower levels said."""
    levels = sorted(set(marks))
    return [
        rf"^(?:#{{{level}}}|\*{{{level}}})[ \t]+(?P<section_{at}>\S.*?)[ \t]*"
        + "".join(f"(?P<section_{lower}>)" for lower in range(at + 1, len(levels) + 1))
        + "$"
        for at, level in enumerate(levels, 1)
    ]


def _pattern_of(texts: Sequence[str], places: Sequence[int], lines: Sequence[str]) -> str:
    """Return a pattern of titles: how all begin and end, or each of them; "" if others match it, too."""
    start = _shared(texts)
    end = _shared([text[len(start) :][::-1] for text in texts])[::-1]
    marks, closing = re.match(r"\W*", start), re.search(r"[\s=\-<>\[\]#*:]*$", end)
    begin, last = marks[0] if marks else "", closing[0] if closing else ""
    words = _escaped(start[len(begin) :])
    plain = dict.fromkeys(text[len(begin) : len(text) - len(last)] for text in texts)
    single, each = (
        rf"^[ \t]*{_escaped(begin)}(?P<section>{names}){_escaped(last)}[ \t]*$"
        for names in (rf"{words}\S.*?", "|".join(map(_escaped, plain)))
    )
    wanted = set(places)
    for pattern in (single, each) if start.strip() or last.strip() else (each,):
        matching = {at for at, line in enumerate(lines) if re.match(pattern, line)}
        are_titles = matching == wanted or {lines[at].strip() for at in matching} <= set(texts)
        if are_titles and len(pattern) < _MAX_CHARS and len(places) <= _MAX_TITLES:
            return pattern
    return ""


def _shared(texts: Sequence[str]) -> str:
    """Return how all texts begin, up to the end of a word or to a mark."""
    letters = takewhile(lambda each: len(set(each)) == 1, zip(*texts, strict=False))
    return re.sub(r"[^\s=\-<>\[\]#*:]+$", "", "".join(first for first, *_ in letters))


def _escaped(text: str) -> str:
    return re.escape(text).replace("\\ ", " ")


def setting_patterns(
    settings: Mapping[int, tuple[str, str]], blocks: Sequence[Sequence[int]], taken: set[str]
) -> list[str]:
    """Return patterns of the lines `label: value` that are above each block with different values.

    settings  line -> (label, value); taken  names that other columns have
    """
    ends = [-1, *(block[-1] for block in blocks)]
    values: dict[str, list[str]] = {}
    inside = {
        label for at, (label, _) in settings.items() if any(a < at < b[-1] for b in blocks for a in b[:1])
    }
    for end, block in zip(ends, blocks, strict=False):
        for label, value in dict(settings[at] for at in range(end + 1, block[0]) if at in settings).items():
            values.setdefault(label, []).append(value)
    known = [
        label
        for label, each in values.items()
        if len(each) == len(blocks) and len(set(each)) > 1 and label not in inside
    ]
    named = {label: re.sub(r"\W+", "_", label).strip("_").lower() for label in known}
    return [
        rf"^[ \t]*{_escaped(label)}[ \t]*[:=][ \t]*(?P<{name}>\S.*?)[ \t]*$"
        for label, name in named.items()
        if re.fullmatch(r"[a-z_]\w*", name) and name.isascii() and name not in taken
    ]


def blocks_of(results: Sequence[tuple[int, str]], breaks: set[int]) -> list[list[int]]:
    """Return the lines of results, (line, label), in blocks: a label comes once in a block.

    breaks  lines that may be titles or settings: a block ends at them if a label of it comes again below
    """
    blocks: list[list[int]] = []
    seen: set[str] = set()
    pairs = [*pairwise(results), (results[-1], None)] if results else []
    for (at, label), after in pairs:
        if not blocks or label in seen:
            blocks.append([])
            seen = set()
        blocks[-1].append(at)
        seen.add(label)
        if after and any(place in breaks for place in range(at + 1, after[0])):
            blocks.append([])
            seen = set()
    return [block for block in blocks if block]
