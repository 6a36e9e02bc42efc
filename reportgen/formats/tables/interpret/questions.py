"""Questions that a table leaves open about its columns, each with an example of an answer.

Answers are units, or SETTING. An example is shown and never read, so it may be likely and need not be sure.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.column_units import MULTIPLE_OR_CASE, RATE_OR_TIME, TWO_MULTIPLES, unit_of
from reportgen.formats.tables.column_words import (
    MEASURED_WORDS,
    RATED,
    TIME_WORDS,
    ColumnMeaning,
    meaning_of,
    words_of,
)
from reportgen.formats.tables.likely_units import in_full, likely_unit
from reportgen.formats.tables.multiples import PREFIXES, is_number, multiple_in, multiple_of
from reportgen.formats.tables.stated_units import SETTING, named_unit

SETTING_OR_RESULT = "a setting or a result?"
NOT_STATED = "its unit is not stated"
_REMEDY = "write the numbers alone"
_CAPITAL = lazy_pattern("[A-Z]")
# "tokens/s T"
_RATE = lazy_pattern(r"[A-Za-z]{2,}/s(?:ec)?(?![A-Za-z])")
_PREFIX = lazy_pattern(r"[(\[]([kKMGT])[)\]]")
# Multiples of counts, by their letters.
_COUNTS = {"B": "billions", "T": "trillions"}


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that a table leaves open about a column.

    text    as people read it
    unit    an answer that the question itself suggests, "" if the name of the column does
    name    what the numbers are, where a key or a cell says it and not the column
    takes_unit     whether a unit is an answer: none is where cells must be written anew
    takes_setting  whether SETTING is an answer
    is_rather_setting  whether SETTING is the likely answer
    is_shared      whether one answer holds for all columns with this question
    is_of_cases    whether the columns are rather cases of one metric
    is_of_unit     whether only the unit of a metric is open
    remedy         what its user does where no answer helps
    """

    text: str
    unit: str = ""
    name: str = ""
    takes_unit: bool = True
    takes_setting: bool = False
    is_rather_setting: bool = False
    is_shared: bool = False
    is_of_cases: bool = False
    is_of_unit: bool = False
    remedy: str = _REMEDY

    def __str__(self) -> str:
        return self.text

    def examples(self, column: str) -> tuple[str, ...]:
        """Return examples of answers, the likely one first; none if no answer is short."""
        own = (self.unit or self.likely(column)) if self.takes_unit else ""
        is_asked = self.takes_setting or (self.takes_unit and may_be_load(column))
        setting = [SETTING] if is_asked and (own or not self.takes_unit) else []
        units_of = [own] if own else []
        return (*setting, *units_of) if self.is_rather_setting else (*units_of, *setting)

    def likely(self, column: str) -> str:
        """Return the unit that a name states in a way with several meanings, or that it likely has."""
        stated = named_unit(column)
        if _CAPITAL.fullmatch(stated) and MEASURED_WORDS.isdisjoint(words_of(column)):
            plain = column.replace(f"({stated})", "")
            if self.text.startswith('"') and likely_unit(plain) == "1":
                return _COUNTS.get(stated, "1")  # "tokens (B)"
            column, stated = plain, ""  # a mark: mAP50(B)
        known = unit_of(stated)
        if (known and known.doubt) or self.text.startswith('"'):
            stated = in_full(stated or self.text.split('"')[1])
            is_work = (
                not known and stated.endswith("FLOP/s") and meaning_of(column).extra
            )  # "estimated_gflops"
            stated = "" if is_work else stated
        elif not known and not in_full(stated):
            stated = meaning_of(column).unit
        prefix = _PREFIX.search(column)
        if prefix and likely_unit(column) == "MB":
            return f"{prefix[1].replace('K', 'k')}B"
        rate = _RATE.search(column)
        stated = stated or (rate[0] if rate and unit_of(rate[0]) else "")
        return stated or ("ms" if self.is_of_cases else likely_unit(self.name or column))


def may_be_load(column: str) -> bool:
    """Return whether a name has the word "rate", and not of what is a share of others: "hit rate"."""
    words = set(words_of(column))
    return "rate" in words and not words & RATED


def of_unit(unit: str) -> OpenQuestion:
    """Return the question about numbers with a unit, which may be chosen or measured."""
    return OpenQuestion(f'{SETTING_OR_RESULT} its numbers are of "{unit}"', unit, takes_setting=True)


def of_cells(text: str, remedy: str = _REMEDY) -> OpenQuestion:
    """Return the question about cells that no answer explains: they must be written anew."""
    return OpenQuestion(text, takes_unit=False, remedy=remedy)


def of_doubt(column: str, meaning: ColumnMeaning, columns: Collection[str] = ()) -> OpenQuestion:
    """Return the question about a column whose name leaves its metric or its unit open.

    columns  all of the table: a number in the names of several is rather a case than a multiple
    """
    doubt = meaning.doubt or NOT_STATED
    takes_setting = doubt.startswith(SETTING_OR_RESULT)
    if doubt.endswith(MULTIPLE_OR_CASE) and meaning_of(column).statistic:
        return OpenQuestion(doubt, "ms")  # p99 (1000 req/s)
    if doubt.endswith((TWO_MULTIPLES, MULTIPLE_OR_CASE)):
        return OpenQuestion(doubt, _multiplied(column, columns))
    if doubt.endswith(RATE_OR_TIME):
        item = doubt.split()[0].strip('"')
        return OpenQuestion(doubt, f"{item}/s" if TIME_WORDS.isdisjoint(words_of(column)) else "s")
    is_of_unit = doubt == "has no unit"
    return OpenQuestion(doubt, meaning.likely, takes_setting=takes_setting, is_of_unit=is_of_unit)


def _multiplied(column: str, columns: Collection[str]) -> str:
    """Return the unit in a name, times the power in it unless other columns have another one: krps."""
    multiple, plain = multiple_in(column)
    unit = unit_in_name(column)
    is_multiple = not is_number(multiple) and not any(
        multiple_in(x)[1] == plain for x in {*columns} - {column}
    )
    whole = f"{PREFIXES.get(multiple_of(multiple) if is_multiple else 1.0, '')}{unit}"
    known = unit_of(whole)
    return whole if known and known.factor == multiple_of(multiple) else unit


def unit_in_name(column: str) -> str:
    """Return the unit in a name with a multiple, as the name has it: ktok/s, and rows/s of `rows/s (k)`."""
    _, plain = multiple_in(column)
    starts = (match.start() for match in re.finditer(r"(?<![^\W_])[^\W_]", plain))
    texts = (named_unit(plain), *(plain[at:].strip(" ()") for at in starts))
    return next((text for text in texts if (unit := unit_of(text)) and unit.unit and not unit.doubt), "")
