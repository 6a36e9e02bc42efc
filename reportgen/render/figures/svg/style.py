"""Finish the SVG that matplotlib writes: a style sheet names the font once and gives colours for the dark.

Text stays text, so a reader can search, select and enlarge it, and a file is a quarter of what outlines take.
It is laid out for DejaVu Sans; Verdana has the same widths, and most other fonts are narrower. A program that
ignores the style sheet draws the same on white paper. A page replaces the sheet and the colours by its own.
Each mark has a line. The points of a series share one, and so do the ticks of an axis, the names beside the
marks, and dashed lines, which move together. So a diff has few lines for a number.
"""

import re
from collections.abc import Mapping

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.render.figures import colours

_TEXT_STYLE = lazy_pattern(r'(?<=<text )([^<>]*?)style="([^"<>]*)"')
# One property of matplotlib 3.9 for what later ones write as several: "font: 700 10px 'DejaVu Sans'".
_FONT = lazy_pattern(r"(?:(?P<weight>\d+) )?(?P<size>[0-9.]+px) .*")
_ORDER = ("font-weight", "font-size", "text-anchor", "fill", "opacity")
# matplotlib numbers its groups, so one more line would rename all that follow; nothing refers to a group.
_NUMBERED_GROUP = lazy_pattern(r'<g id="[^"<>]*"')
_SHEET_END = "</style>"
_FAMILY = "text{font-family: 'DejaVu Sans', Verdana, sans-serif}"
_TAG = lazy_pattern(r"<[^<>]+>")
_LINE_BREAK = lazy_pattern(r"\s*\n\s*")
_GROUP = "g|defs|clipPath"
_BETWEEN_POINTS = lazy_pattern(r"(?<=/>)\s+(?=<use )")
# Parts of a tick, ticks of an axis, texts beside each other, dashed lines beside each other.
_WITHIN_LINE = lazy_pattern(
    r"\s+(?=(?:<g>)+<(?:use|text) )|(?<=</text></g></g>)\s+(?=<g>)"
    r'|(?<=/></g>)\s+(?=<g><path (?:[a-z-]+="[^"<>]*" )*style="[^"<>]*stroke-dasharray)'
)
_AROUND_MARK = lazy_pattern(rf"(<(?:{_GROUP})(?: [^<>]*[^<>/])?>)\s+|\s+(?=</(?:{_GROUP})>)")


def styled(svg: bytes) -> bytes:
    """Return the SVG with a style sheet of its own, groups without names, and a line for each mark."""
    text = _TEXT_STYLE.sub(lambda match: f'{match[1]}style="{_text_style(match[2])}"', svg.decode())
    text = _one_line_each(_NUMBERED_GROUP.sub("<g", text))
    return text.replace(_SHEET_END, _sheet() + _SHEET_END, 1).encode()


def _one_line_each(svg: str) -> str:
    """Return the SVG with each mark on one line, in the groups that begin before it and end after it."""
    text = _TAG.sub(lambda tag: _LINE_BREAK.sub(" ", tag.group()), svg)
    text = _AROUND_MARK.sub(lambda match: match[1] or "", text)
    return _BETWEEN_POINTS.sub(" ", _WITHIN_LINE.sub("", text))


def recoloured(svg: str, by_colour: Mapping[str, str]) -> str:
    """Return the SVG with other colours; text that looks like a colour stays."""
    colour = re.compile("|".join(map(re.escape, by_colour)))
    return _TAG.sub(lambda tag: colour.sub(lambda match: by_colour[match.group()], tag.group()), svg)


def _text_style(style: str) -> str:
    """Return the style of a text without its font, in one form for all versions of matplotlib."""
    properties = dict(each.split(": ", 1) for each in style.split("; "))
    font = _FONT.fullmatch(properties.get("font", ""))
    if font:
        properties |= {f"font-{name}": text for name, text in font.groupdict().items() if text}
    return "; ".join(f"{name}: {properties[name]}" for name in _ORDER if name in properties)


def _sheet() -> str:
    rules = [
        f'[style*="{kind}: {light}"]{{{kind}: {dark} !important}}'
        for light, dark in colours.IN_THE_DARK.items()
        for kind in ("fill", "stroke")
    ]
    return "\n".join(["", _FAMILY, "@media (prefers-color-scheme: dark) {", *rules, "}", ""])
