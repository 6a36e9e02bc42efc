"""Read how many batches a step accumulates, as programs, commands and configurations state it.

`Namespace(gradient_accumulation_steps=4)`, `--accumulate 4`, `num_accumulation_steps: 4`, a dump of the
configuration, or `+ gradient_accumulation_steps=4` of a shell that prints its commands.
"""

from reportgen.core.lazy_pattern import lazy_pattern

_ACCUMULATION = lazy_pattern(
    rb"(?P<option>--)?(?<![A-Za-z0-9_])(?:num[_-])?(?:[Gg]rad(?:ient)?[ _-])?"
    rb"(?:[Aa]ccum(?:ulation|ulate)?[ _-]steps?|accumulate(?:[_-]grad[_-]batches)?)"
    rb"['\"]?(?: {0,40}\.{2,80} | ?[=:] ?|(?(option) |(?!)))(?P<steps>[1-9][0-9]{0,5})(?![\w.%])"
)
# Every statement has the literal, and at most so many bytes before and after its start.
_LITERAL, _MAX_BEFORE, _MAX_AFTER = b"ccum", 20, 200


def accumulation_steps(content: bytes) -> int:
    """Return how many batches a step accumulates by what the log states last; 1 if it states nothing.

    A program prints its own settings after those of its script.
    """
    stated = 1
    first, last = content.find(_LITERAL), content.rfind(_LITERAL)
    if first < 0:
        return stated
    for match in _ACCUMULATION.finditer(content, max(first - _MAX_BEFORE, 0), last + _MAX_AFTER):
        stated = int(match["steps"])
    return stated
