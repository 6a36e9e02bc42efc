"""Read the settings that scripts print before they begin: `key = value` and `key ...... value` lines."""

import re
from collections.abc import Mapping

from reportgen.core.model import FactorValue

_SETTING = re.compile(
    rb"^[ \t]*([A-Za-z_][A-Za-z0-9_]{0,60})(?: = | \.{3,80} )([^\r\n]{1,400})", re.MULTILINE
)
_COUNT = re.compile(r"[0-9]{1,15}")
_TRUE = ("True", "true", "1")


def printed_settings(content: bytes, names: Mapping[str, str]) -> dict[str, FactorValue]:
    """Return the settings in a log as factors: the last of each name, also after the records.

    names  printed name -> factor; a factor's first name that has a value counts. `model` is text,
           `precision` a switch of mixed precision; all others are whole numbers above 0
    """
    lines = _SETTING.finditer(content)
    texts = {line[1].decode("ascii"): line[2].decode("utf-8", "replace").strip() for line in lines}
    factors: dict[str, FactorValue] = {}
    for name, factor in names.items():
        text = texts.get(name, "")
        if text and factor == "precision":
            factors[factor] = "amp" if text in _TRUE or factors.get(factor) == "amp" else "fp32"
        elif text and factor == "model":
            factors.setdefault(factor, text)
        elif _COUNT.fullmatch(text) and int(text):
            factors.setdefault(factor, int(text))
    return factors
