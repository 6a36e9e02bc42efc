"""Read the lines of a LaTeX table as cells between `&`: the texts stay, without their commands."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import takewhile

from reportgen.core.lazy_pattern import lazy_pattern

_COMMENT = lazy_pattern(r"(?<!\\)%.*")
_LINE_END = lazy_pattern(r"\\\\(?:\[[^\]]*\])?.*$")
_ROW_END = lazy_pattern(r"\\\\(?:\[[^\]]*\])?")
#: The caption of a table; macros in it end it.
CAPTION = lazy_pattern(r"\\caption(?:\[[^\]]*\])?\{([^{}]*)")
_THIN_SPACE = "\u2009"
_SIGNS = {
    r"\%": "%", r"\_": "_", r"\#": "#", r"\$": "$", r"\pm": "±", r"\textpm": "±", r"\times": "x", r"\mu": "µ",
    r"\cdot": "x",
    "~": " ", r"\,": _THIN_SPACE, r"\thinspace": _THIN_SPACE, r"\;": " ", r"\:": " ", r"\ ": " ", r"\!": "",
}  # fmt: skip
_SIGN = lazy_pattern(r"\\[%_#$,;:! ]|\\(?:pm|textpm|times|cdot|mu|thinspace)(?![A-Za-z])|~")
# A spread below or above its value: 45.2_{\pm 0.5}.
_RAISED_SPREAD = lazy_pattern(r"[_^]\s*(?=±)")
# What is left of a mark above a value: 45.2^{\dagger}, 45.2^*.
_RAISED_MARK = lazy_pattern(r"\^(?:[*†‡§]{0,3}|[a-z])(?=\s*$)")
# 1.2 x 10^3
_POWER = lazy_pattern(r"(?<=[0-9]) ?x ?10 ?\^ ?([+-]?[0-9]{1,3})")
# Numbers with units, and units alone, of the package siunitx and of its second version.
_QUANTITY = lazy_pattern(r"\\(?:SI|qty)(?:\[[^\]]*\])?\{([^{}]*)\}(?:\[[^\]]*\])?\{([^{}]*)\}")
_UNIT = lazy_pattern(r"\\(?:si|unit)(?:\[[^\]]*\])?\{([^{}]*)\}")
_UNIT_PART = lazy_pattern(r"\\([A-Za-z]+)\s*|[.~]")
_UNIT_PARTS = {
    "nano": "n", "micro": "u", "milli": "m", "kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P",
    "kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti", "per": "/", "second": "s", "minute": "min",
    "hour": "h", "byte": "B", "watt": "W", "joule": "J", "hertz": "Hz", "percent": "%", "flops": "FLOP/s",
}  # fmt: skip
_FORMS = (
    "textbf|textit|texttt|textsc|textrm|textsf|text|emph|underline|mathbf|mathrm|bf|it|tt|bm|num|makecell"
)
_FORM = lazy_pattern(rf"\\(?:(?:{_FORMS})|textcolor\{{[^{{}}]*\}})\{{([^{{}}]*)\}}")
_COLOUR = lazy_pattern(r"\\(?:cell|row)?color(?:\[[^\]]*\])?\{[^{}]*\}")
# A cell that holds for several lines is marked with their number, without braces, until it is filled down.
_ROWS = lazy_pattern(r"\\multirow(?:\[[^\]]*\])?\{([0-9]{1,3})\}(?:\{[^{}]*\}|\*)\{([^{}]*)\}")
_MARK = lazy_pattern("\0([0-9]+)\0")
_SPAN = lazy_pattern(r"\\multicolumn\{([0-9]{1,2})\}\{[^{}]*\}\{([^{}]*)\}")
# A command that is not known here may be around a value, \best{12.5}, or add to one, 12.5\std{0.1}.
_OTHER = lazy_pattern(
    rf"\\(?!(?:{_FORMS}|textcolor|multirow|multicolumn|SI|qty|si|unit)[{{\[])"
    r"(?P<name>[A-Za-z]++)\*?+(?:\[[^\]]*\])?+(?P<groups>(?:\{[^{}]*\})*+)(?!\{)"
)
# Commands whose braces hold no text of the cell.
_APART = lazy_pattern(
    r"[a-z]*cite[a-z]*|(?:eq|page|auto|name|c)?ref|label|footnote[a-z]*|textsuperscript|textsubscript|tnote|thanks"
    r"|[hv]space|rule|[hv]?phantom|kern|c?(?:mid)?rule|cline|arrayrulecolor|begin|end|addlinespace|includegraphics"
)
_GROUP = lazy_pattern(r"(?<![A-Za-z*}\]])\{([^{}]*)\}")
_RULES = lazy_pattern(
    r"\s*(?:\\(?:[a-z]*rule|hline|cline|addlinespace)(?:\[[^\]]*\]|\([^()]*\)|\{[^{}]*\}|\s)*)+"
)
_BEGIN = lazy_pattern(r"\\begin\{(?:long|tabu|NiceTab|tblr|array)")
#: What ends the rows of a table.
END = r"\\end\{(?:long|tabu|NiceTab|tblr|array)"
_END = lazy_pattern(END)
# Lines between a table and the ends of what it floats in.
_MAX_AROUND = 20
_MAX_NESTING = 8
# A command of the author's own, such as one that prints a mean and its spread.
_DEFINITION = lazy_pattern(
    r"\\(?:re|provide)?newcommand\*?\{?\\([A-Za-z]{1,30})\}?\[([1-4])\]\{((?:[^{}\n]|\{[^{}\n]*\}){1,200})\}"
)
_ARGUMENT = r"\{((?:[^{}\n]|\{[^{}\n]*\}){0,80})\}"
_MAX_COMMANDS = 50
_MAX_CALLS = 2000
_MAX_ADDED = 100_000


def expanded(text: str) -> str:
    """Return a text with the commands that it defines replaced by what they print, line by line."""
    commands = _DEFINITION.findall(text)[:_MAX_COMMANDS] if "newcommand" in text else []
    most = 2 * len(text) + _MAX_ADDED
    for name, count, body in commands:
        call = re.compile(rf"\\{name}{_ARGUMENT * int(count)}")
        shown = call.sub(partial(_filled_in, body), text, count=_MAX_CALLS)
        text = shown if len(shown) <= most else text
    return text


def _filled_in(body: str, call: re.Match[str]) -> str:
    """Return what a command prints: its body with the arguments of a call."""
    arguments = ("", *call.groups())
    return re.sub(r"#([1-4])", lambda place: "".join(arguments[int(place[1]) : int(place[1]) + 1]), body)


def tables_of(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield (first, last) line of each table, with its caption."""
    begins = [at for at, line in enumerate(lines) if _BEGIN.search(line)]
    for at in begins:
        end = next((to for to in range(at, len(lines)) if _END.search(lines[to])), len(lines) - 1)
        above = takewhile(lambda to: "\\end{" not in lines[to], range(at, max(at - _MAX_AROUND, -1), -1))
        below = range(end, min(end + _MAX_AROUND, len(lines)))
        first = min(
            (to for to in above if "\\begin{table" in lines[to] or "\\caption" in lines[to]), default=at
        )
        yield first, next((to for to in below if "\\end{table" in lines[to]), end)


def caption_of(lines: Sequence[str], at: int) -> str:
    """Return the caption of the table whose header is at a line, above or below it; "" without one."""
    above = takewhile(lambda line: "\\end{" not in line, reversed(lines[max(at - _MAX_AROUND, 0) : at]))
    end = next((to for to in range(at, len(lines)) if _END.search(lines[to])), len(lines))
    below = takewhile(lambda line: "\\begin{" not in line, lines[end : end + _MAX_AROUND])
    return next((match[1].strip() for line in (*above, *below) if (match := CAPTION.search(line))), "")


def rows_of(line: str) -> list[str]:
    """Return the rows of a line: `1 & 2 \\\\ 3 & 4 \\\\` has two."""
    rows = [part for part in _ROW_END.split(line) if "&" in part]
    are_whole = all(part.count("{") == part.count("}") for part in rows)
    return rows if len(rows) > 1 and are_whole else [line]


def is_rule(line: str) -> bool:
    """Return whether a line has rules alone, such as `\\midrule` or `\\cmidrule(lr){2-3}`."""
    return bool(_RULES.fullmatch(line))


def plain(line: str) -> str:
    """Return the cells of a line between `&`, "" for a line that has none, such as `\\midrule`."""
    return "&".join(map(_text, _cells(line)))


def plain_cell(text: str) -> str:
    """Return a text of one cell, such as the mathematics in Markdown, without its commands."""
    return plain(f"{text} &").removesuffix("&").strip()


def filled(text: str, heads: int) -> Iterator[str]:
    """Yield the lines as `plain`; a `\\multirow` holds for its lines, not in the `heads` of a header."""
    above: dict[int, tuple[str, int]] = {}
    for line in text.split("\n"):
        cells = _cells(line)
        if cells and heads > 0:
            heads -= 1
        else:
            cells = [_filled_cell(above, column, cell) for column, cell in enumerate(cells)]
        yield "&".join(map(_text, cells))


def _filled_cell(above: dict[int, tuple[str, int]], column: int, cell: str) -> str:
    """Return a cell, or the one above it that holds for it too; `above` is text and lines left by column."""
    text, left = above.pop(column, ("", 0))
    if mark := _MARK.search(cell):
        text, left = cell, int(mark[1])
    elif cell.strip():
        return cell
    if left > 1:
        above[column] = text, left - 1
    return text if left else cell


def _cells(line: str) -> list[str]:
    if "&" not in line and "\\multicolumn" not in line:
        return []
    text = _LINE_END.sub("", _COMMENT.sub("", line)).strip()
    text = _SIGN.sub(lambda match: _SIGNS[match[0]], text)
    for _ in range(_MAX_NESTING):
        before, text = text, _without_inner(text)
        if text == before:
            break
    return text.split("&") if "&" in text else []


def _without_inner(text: str) -> str:
    """Return a text without the innermost commands and braces."""
    text = _ROWS.sub("\0\\1\0\\2", _FORM.sub(r"\1", _COLOUR.sub("", text)))
    text = _SPAN.sub(lambda match: match[2] + " &" * (int(match[1]) - 1), text)
    text = _QUANTITY.sub(lambda match: f"{match[1]} {_unit(match[2])}", text)
    text = _UNIT.sub(lambda match: _unit(match[1]), text)
    return _GROUP.sub(r"\1", _OTHER.sub(_of_unknown, text))


def _unit(text: str) -> str:
    """Return a unit of siunitx as people write it: GB/s for `\\giga\\byte\\per\\second`, `\\GB\\per\\s`."""
    return _UNIT_PART.sub(lambda part: _UNIT_PARTS.get(part[1], part[1]) if part[1] else "", text)


def _of_unknown(command: re.Match[str]) -> str:
    """Return what an unknown command leaves: what it is around, "" if it adds to a text before it.

    The texts in several braces stay side by side, so that they are not taken for one number.
    """
    before = command.string[: command.start()].rpartition("&")[2]
    if _APART.fullmatch(command["name"]) or re.search(r"[^\W_]", before):
        return ""
    return " ".join(command["groups"].removeprefix("{").removesuffix("}").split("}{"))


def _text(cell: str) -> str:
    text = re.sub(r"[${}]", "", _MARK.sub("", cell))
    return _POWER.sub(r"e\1", _RAISED_MARK.sub("", _RAISED_SPREAD.sub("", text)))
