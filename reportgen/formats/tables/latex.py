"""Read the lines of a LaTeX table as cells between `&`: the texts stay, without their commands."""

import re

_COMMENT = re.compile(r"(?<!\\)%.*")
_LINE_END = re.compile(r"\\\\(?:\[[^\]]*\])?.*$")
_SPAN = re.compile(r"\\multicolumn\{([0-9]{1,2})\}\{[^{}]*\}\{([^{}]*)\}")
_ROWS = re.compile(r"\\multirow\{[^{}]*\}\{[^{}]*\}\{([^{}]*)\}")
_FORM = re.compile(
    r"\\(?:textbf|textit|texttt|textsc|textrm|text|emph|underline|mathbf|mathrm|bf|it|tt|bm)(?![a-z])"
)
_SIGNS = {r"\%": "%", r"\_": "_", r"\#": "#", r"\$": "$", r"\pm": "±", r"\times": "x", r"\mu": "µ", "~": " "}
_OTHER = re.compile(r"\\[A-Za-z]+\*?|[${}]")


def plain(line: str) -> str:
    """Return the cells of a line between `&`, "" for a line that has none, such as `\\midrule`."""
    text = _LINE_END.sub("", _COMMENT.sub("", line)).strip()
    text = _SPAN.sub(lambda match: match[2] + " &" * (int(match[1]) - 1), text)
    text = _FORM.sub("", _ROWS.sub(r"\1", text))
    if "&" not in text:
        return ""
    for sign, letter in _SIGNS.items():
        text = text.replace(sign, letter)
    return _OTHER.sub("", text)
