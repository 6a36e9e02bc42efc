"""Leave out the time for which a benchmark measured, if the rate of this time is beside it.

Its name says so (`window_s`), or it is one round time in all rows (`duration_s`: 30.02, 30.01, 30.05).
"""

from reportgen.core import units
from reportgen.formats.tables.column_units import RATES
from reportgen.formats.tables.column_words import factor_name, words_of
from reportgen.formats.tables.interpret.draft import Columns, Draft
from reportgen.formats.tables.interpret.roles import add_factor
from reportgen.formats.tables.own_units import is_own_rate

_WINDOWS = frozenset(("measurement", "measuring", "observation", "window"))
_DURATIONS = frozenset(("duration", "elapsed", "runtime", "wall", "walltime"))
_ROUND = (
    1,
    2,
    3,
    5,
    10,
    15,
    20,
    30,
    45,
    60,
    90,
    100,
    120,
    180,
    240,
    300,
    600,
    900,
    1200,
    1800,
    3600,
)  # seconds
_NEAR = 0.02


def without_windows(draft: Draft, figures: Columns) -> Columns:
    """Return the figures without the times for which others were measured."""
    has_rates = any(meaning.base in RATES or is_own_rate(meaning.unit) for _, meaning in figures)
    windows = {
        column
        for column, meaning in figures
        if has_rates and meaning.base == "s" and column not in draft.answers and not meaning.statistic
        if _is_window(draft, column, meaning.unit)
    }
    for column in sorted(windows, key=draft.columns.index):
        if draft.is_constant(column):
            add_factor(draft, factor_name(column), column)
        else:
            draft.result.left_out[column] = "how long was measured"
            draft.result.doubts.append(f'"{column}" may be a result')
            draft.result.notes.append(
                f'"{column}" is how long was measured; if it is a result, state its unit'
            )
    return [(column, meaning) for column, meaning in figures if column not in windows]


def _is_window(draft: Draft, column: str, unit: str) -> bool:
    words = set(words_of(column))
    if words & _WINDOWS:
        return True
    times = [units.to_base(value, unit)[0] for value in draft.values(column)]
    is_fixed = len(times) > 1 and any(all(abs(x / time - 1) < _NEAR for x in times) for time in _ROUND)
    return bool(words & _DURATIONS) and is_fixed
