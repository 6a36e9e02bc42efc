"""Find the columns that are spreads of others by their names: `ours std` beside `ours mean`."""

from collections.abc import Collection

from reportgen.formats.tables.column_words import (
    ERROR_WORDS,
    meaning_of,
    with_plain_statistic,
    without_statistic,
    words_of,
)

_MIDDLES = ("mean", "median")


def is_spread(column: str, columns: Collection[str]) -> bool:
    """Return whether a name says that it is a spread, alone or of the column with the same other words."""
    if meaning_of(column).kind == "spread":
        return True
    _, has_spread, rest = without_statistic(with_plain_statistic(column))
    own = words_of(rest)
    return has_spread and any(_is_middle(name, own) for name in columns if name != column)


def is_error(column: str) -> bool:
    """Return whether a name says only that it is an error: one of a result, if its user says so."""
    words = [word for word in words_of(column) if word not in ERROR_WORDS]
    return len(words) < len(words_of(column)) and not without_statistic(" ".join(words))[1]


def _is_middle(name: str, words: list[str]) -> bool:
    """Return whether a name is a mean or a median, and has these words besides."""
    statistic, has_spread, rest = without_statistic(with_plain_statistic(name))
    return statistic in _MIDDLES and not has_spread and words_of(rest) == words
