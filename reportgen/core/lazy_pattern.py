"""Regular expressions that are compiled by their first use: `lazy_pattern`.

The program has over 700, most of them for one log format each. To compile all of them takes longer than to
read a hundred logs, and every process that reads would pay for it.
"""

import re
from typing import Any, AnyStr, Generic, cast


def lazy_pattern(pattern: AnyStr, flags: int | re.RegexFlag = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` returns, compiled when its first attribute besides `pattern` is asked for.

    For patterns of a module, which `tests/core/test_lazy_pattern.py` compiles: a wrong one raises re.error at
    its first use only. The functions of `re` take no such pattern.
    """
    return cast(re.Pattern[AnyStr], _LazyPattern(pattern, flags))


class _LazyPattern(Generic[AnyStr]):
    """Takes over each attribute of the compiled pattern that is asked for, so that it is asked for once."""

    def __init__(self, pattern: AnyStr, flags: int | re.RegexFlag) -> None:
        self.pattern: AnyStr = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value

    def __repr__(self) -> str:
        return f"lazy_pattern({self.pattern!r})"
