"""Turn fragments into sentences, and numbers with nouns into text.

Findings are lower-case fragments without a full stop, as the command line prints them. On a page they are
sentences.
"""

from reportgen.core.lazy_pattern import lazy_pattern

# A plain word gets a capital letter; a name such as `batch_size`, `xla=true` or `bert-base` does not change.
_WORD = lazy_pattern(r"[a-z]+(?=[ ,:;.]|$)")
_SENTENCE_END = lazy_pattern(r"[.!?:…][)\"'”]?$")


def sentence(text: str) -> str:
    """Return the text with a capital letter and a full stop, unless it has them."""
    shown = text.strip()
    if _WORD.match(shown):
        shown = shown[0].upper() + shown[1:]
    return shown if not shown or _SENTENCE_END.search(shown) else f"{shown}."


def count(number: int, noun: str, plural: str = "") -> str:
    """Return `1 run`, `2 runs`, `1,325 runs`; the plural is the noun with an s unless it is given."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
