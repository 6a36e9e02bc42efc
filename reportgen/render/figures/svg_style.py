"""Finish the SVG that matplotlib writes: a style sheet names the font once and gives colours for the dark.

Text stays text, so a reader can search, select and enlarge it, and a file is a quarter of what outlines take.
It is laid out for DejaVu Sans; Verdana has the same widths, and most other fonts are narrower. A program that
ignores the style sheet draws the same on white paper. A page replaces the sheet and the colours by its own.
"""

import re
from collections.abc import Mapping

from reportgen.render.figures import colours

_FONT = re.compile(rb"""(<text [^<>]*?style="[^"<>]*?font-size: [0-9.]+px); font-family: [^;"<>]*""")
_SHEET_END = b"</style>"
_FAMILY = "text{font-family: 'DejaVu Sans', Verdana, sans-serif}"
_TAG = re.compile(r"<[^<>]+>")


def styled(svg: bytes) -> bytes:
    """Return the SVG with the style sheet of a file of its own."""
    return _FONT.sub(rb"\1", svg).replace(_SHEET_END, _sheet().encode() + _SHEET_END, 1)


def recoloured(svg: str, by_colour: Mapping[str, str]) -> str:
    """Return the SVG with other colours; text that looks like a colour stays."""
    colour = re.compile("|".join(map(re.escape, by_colour)))
    return _TAG.sub(lambda tag: colour.sub(lambda match: by_colour[match.group()], tag.group()), svg)


def _sheet() -> str:
    rules = [
        f'[style*="{kind}: {light}"]{{{kind}: {dark} !important}}'
        for light, dark in colours.IN_THE_DARK.items()
        for kind in ("fill", "stroke")
    ]
    return "\n".join(["", _FAMILY, "@media (prefers-color-scheme: dark) {", *rules, "}", ""])
