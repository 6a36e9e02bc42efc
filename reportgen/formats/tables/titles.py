"""Find the texts around a table that may say what it measures, and titles for tables with one header."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile, zip_longest

from reportgen.core.lazy_pattern import lazy_pattern

# "#+CAPTION: Latency", as Org has it; a mark of a heading, a comment or a list.
_MARKS = lazy_pattern(r"(?i)^[\s#%*:_+-]*(?:\+?(?:caption|name|title|tblname):)?[\s*_`]*")
# A limit, or the duration of a job: it says nothing about the cells.
_LIMIT = lazy_pattern(
    r"(?i)time[- ]?out|\blimit|dead-?line|budget|warm-?up|cut-?off|\binterval|at most|at least|stopped|"
    r"[0-9]\s*-?(?:[nuµm]?s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?)(?![^\W\d_])"
)

_HEADING = lazy_pattern(r"#{1,6} |[=]{3,}$")
# The level of a heading is the number of its marks; what is around code is none.
_LEVEL = lazy_pattern(r"(#{1,6}|\*{1,6}) +\S")
_AROUND_CODE = lazy_pattern(r"\s*(?:```|~~~|\.\. \w|#\+begin)", re.IGNORECASE)
_NO_LEVEL = 7
_SENTENCE = lazy_pattern(r"\S \S.*[a-z)][.!?][\s*_`]*$")
_MAX_TITLE = 80
# Lines above a table in which its headings are.
_MAX_ABOVE = 300
# Parts of a title; with more tables than these, only the nearest.
_MAX_PARTS = 6
_MAX_WITH_HEADINGS = 500
# "batch = 8" in a heading
_VALUE = r"[^\s,;()*|]*[^\s,;()*|:]"
_SETTING = lazy_pattern(rf"(?<![^\s#*(,])([A-Za-z][A-Za-z0-9_]*) ?= ?({_VALUE})")
# " (all of one run)" at the end of a heading
_REMARK = r"(?: \([^()=\n]*\))?[ \t\r]*$"
_ABOUT_ALL = lazy_pattern(r"(?i)\b(?:all|unless|each (?:cell|number|value))\b")


def text_of(line: str) -> str:
    """Return the text of a line without marks around it, "" if it states a duration or a limit."""
    text = plain(line)
    return "" if "|" in text or is_limit(text) else text


def is_limit(text: str) -> bool:
    """Return whether a text states a duration or a limit."""
    return bool(_LIMIT.search(text))


def plain(line: str) -> str:
    """Return the text of a line without marks around it."""
    return _MARKS.sub("", line).rstrip("*:_`,;| \t").replace("**", "").replace("`", "")


def above(lines: Sequence[str], at: int) -> str:
    """Return the text of the line above a table whose header is at a line, "" without one."""
    return text_of(next((line for line in reversed(lines[:at]) if line.strip()), ""))


def around(lines: Sequence[str], at: int) -> list[str]:
    """Return the texts above and below a table between bars."""
    end = next((number for number in range(at, len(lines)) if "|" not in lines[number]), len(lines))
    below = next(_below(lines[end:]), "")
    return [
        text for text in (above(lines, at), "" if below.lstrip().startswith("#") else text_of(below)) if text
    ]


def _below(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines with a text below a table, up to a heading; not the last ones above another table."""
    block: list[str] = []
    has_ended = False
    for line in lines:
        if "|" in line:
            return
        if _HEADING.match(line):
            break
        if line.strip() and has_ended:
            yield from block
            block = []
        block += [line] if line.strip() else []
        has_ended = not line.strip()
    yield from block


def shared_words(texts: Sequence[str]) -> tuple[str, str]:
    """Return the words with which all texts begin and end: what is between them differs."""
    words = [text.split() for text in texts]
    least = min(map(len, words), default=0)
    begin = next((at for at in range(least) if len({each[at] for each in words}) > 1), least)
    end = next((at for at in range(least - begin) if len({each[-1 - at] for each in words}) > 1), 0)
    return " ".join(words[0][:begin]), " ".join(words[0][len(words[0]) - end :])


def near(lines: Sequence[str], at: int) -> list[str]:
    """Return all texts that may state units of the table whose header is at a line, the nearest first.

    They are the lines of its section above and below it, and sentences anywhere about all numbers.
    """
    end = next((number for number in range(at, len(lines)) if "|" not in lines[number]), len(lines))
    above = [*takewhile(lambda line: "|" not in line, reversed(lines[:at]))]
    below = [*_below(lines[end:])]
    heading = next((number for number, line in enumerate(above, 1) if _HEADING.match(line)), len(above))
    everywhere = [line for line in lines if "|" not in line and _ABOUT_ALL.search(line)]
    return list(dict.fromkeys(filter(None, map(plain, (*above[:heading], *below, *everywhere)))))


def of_tables(lines: Sequence[str], starts: Sequence[int]) -> list[str]:
    """Return distinct titles of the tables whose headers are at lines.

    A title is the text above the table, or its heading; with the headings around it where two are equal. If a
    sentence is above one of them, headings that distinguish all tables are their titles.
    """
    most = _MAX_PARTS if len(starts) <= _MAX_WITH_HEADINGS else 1
    paths: list[list[str]] = []
    for has_text in (False, True) if any(_has_sentence(lines, start) for start in starts) else (True,):
        paths = [_headings_above(lines, start, most, has_text=has_text) for start in starts]
        for depth in range(1, max(map(len, paths), default=0) + 1):
            titles = [": ".join(reversed(path[:depth])) for path in paths]
            if all(titles) and len(set(titles)) == len(titles):
                return titles
    return distinct([path[0] if path else "" for path in paths])


def settings_of(lines: Sequence[str], starts: Sequence[int]) -> dict[str, str]:
    """Return name -> pattern of headings `NAME = VALUE` that distinguish tables, whose headers are at lines.

    The nearest heading of each table states it, they differ in values and a last remark in parentheses
    alone, and no other line is like them.
    """
    bounds = pairwise((0, *sorted(starts)))
    nearest = [_nearest_heading(lines, begin, end) for begin, end in bounds]
    stated = [{match[1]: match[2] for match in _SETTING.finditer(heading)} for heading in nearest]
    texts = [re.sub(_REMARK, "", heading) for heading in nearest]
    if len({_SETTING.sub("=", text) for text in texts}) != 1:
        return {}
    patterns: dict[str, str] = {}
    for name in stated[0]:
        parts = [re.sub(r"\\([ #])", r"\1", re.escape(part)) for part in _SETTING.split(texts[0])]
        names = parts[1::3]
        if len({each.get(name) for each in stated}) == 1 or names.count(name) > 1:
            continue
        values = (f"{each} ?= ?" + (f"(?P<{each}>{_VALUE})" if each == name else _VALUE) for each in names)
        pattern = "^" + "".join(map("".join, zip_longest(parts[::3], values, fillvalue=""))) + _REMARK
        if [line.rstrip() for line in lines if re.search(pattern, line)] == nearest:
            patterns[name] = pattern
    return patterns


def _nearest_heading(lines: Sequence[str], begin: int, end: int) -> str:
    """Return the last heading of lines that no code block has, "" without one or if it is a long one."""
    texts: list[str] = []
    is_code = False
    for line in lines[begin:end]:
        is_fence = line.lstrip().startswith(("```", "~~~"))
        is_text = not (is_code or is_fence or "|" in line or line.startswith(("    ", "\t")))
        texts.append(line.rstrip() if is_text and re.search(r"\w", line) else "")
        is_code ^= is_fence
    around = zip(["", *texts], texts, [*texts[1:], ""], strict=False)
    headings = [text for before, text, after in around if text and (text[0] in "#*" or not (before or after))]
    return headings[-1] if headings and len(headings[-1]) <= _MAX_TITLE else ""


def _has_sentence(lines: Sequence[str], at: int) -> bool:
    """Return whether the text above a table is a sentence."""
    above = next((line for line in reversed(lines[:at]) if line.strip()), "")
    return not _LEVEL.match(above) and bool(_SENTENCE.search(above))


def _headings_above(lines: Sequence[str], at: int, most: int, *, has_text: bool) -> list[str]:
    """Return the text above a table and the headings around it, the nearest first.

    has_text  whether the text counts, too
    """
    above = lines[max(at - _MAX_ABOVE, 0) : at][::-1]
    is_text = (bool(re.search(r"\w", line)) and not _AROUND_CODE.match(line) for line in above)
    nearest = next((number for number, is_it in enumerate(is_text) if is_it), 0)
    texts: list[str] = []
    deepest = _NO_LEVEL
    for number, line in enumerate(above[nearest:]):
        heading = _LEVEL.match(line) if line[:1] in ("#", "*") else None
        level = len(heading[1]) if heading else _NO_LEVEL
        is_beside = has_text and not number and "|" not in line and len(line) <= _MAX_TITLE
        if is_beside or level < deepest:
            texts += filter(None, [plain(line)])
            deepest = level
        if len(texts) == most or deepest == 1:
            break
    return texts


def distinct(titles: Sequence[str]) -> list[str]:
    """Return the titles of several tables, with their numbers where two are equal or empty."""
    counts = Counter(titles)
    return [
        title if title and counts[title] == 1 else f"{title or 'table'} {number}"
        for number, title in enumerate(titles, 1)
    ]
