"""Find the texts around a table that may say what it measures, and titles for tables with one header."""

import re
from collections.abc import Sequence
from itertools import takewhile

# "#+CAPTION: Latency", as Org has it; a mark of a heading, a comment or a list.
_MARKS = re.compile(r"(?i)^[\s#%*:_+-]*(?:\+?(?:caption|name|title|tblname):)?[\s*_`]*")
# A limit, or the duration of a job: it says nothing about the cells.
_LIMIT = re.compile(
    r"(?i)time[- ]?out|\blimit|dead-?line|budget|warm-?up|cut-?off|\binterval|at most|at least|stopped|"
    r"[0-9]\s*-?(?:[nuµm]?s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?)(?![^\W\d_])"
)

_HEADING = re.compile(r"#{1,6} |[=]{3,}$")
_ABOUT_ALL = re.compile(r"(?i)\b(?:all|unless|each (?:cell|number|value))\b")


def text_of(line: str) -> str:
    """Return the text of a line without marks around it, "" if it states a duration or a limit."""
    text = plain(line)
    return "" if "|" in text or is_limit(text) else text


def is_limit(text: str) -> bool:
    """Return whether a text states a duration or a limit."""
    return bool(_LIMIT.search(text))


def plain(line: str) -> str:
    """Return the text of a line without marks around it."""
    return _MARKS.sub("", line).rstrip("*:_`,;| \t")


def above(lines: Sequence[str], at: int) -> str:
    """Return the text of the line above a table whose header is at a line, "" without one."""
    return text_of(next((line for line in reversed(lines[:at]) if line.strip()), ""))


def around(lines: Sequence[str], at: int) -> list[str]:
    """Return the texts above and below a table between bars."""
    end = next((number for number in range(at, len(lines)) if "|" not in lines[number]), len(lines))
    below = next((line for line in lines[end:] if line.strip()), "")
    return [
        text for text in (above(lines, at), "" if below.lstrip().startswith("#") else text_of(below)) if text
    ]


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
    below = [*takewhile(lambda line: "|" not in line and not _HEADING.match(line), lines[end:])]
    heading = next((number for number, line in enumerate(above, 1) if _HEADING.match(line)), len(above))
    everywhere = [line for line in lines if "|" not in line and _ABOUT_ALL.search(line)]
    return list(dict.fromkeys(filter(None, map(plain, (*above[:heading], *below, *everywhere)))))


def distinct(titles: Sequence[str]) -> list[str]:
    """Return the titles of several tables, with their numbers where two are equal or empty."""
    return [
        title if title and titles.count(title) == 1 else f"{title or 'table'} {number}"
        for number, title in enumerate(titles, 1)
    ]
