"""Ask about texts that may be results: times with colons, and cells with several numbers."""

import math
import re
from collections.abc import Iterable, Sequence

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.column_units import ColumnUnit
from reportgen.formats.tables.column_words import MEASURED_WORDS, ColumnMeaning, meaning_of, slug, words_of
from reportgen.formats.tables.derive import is_clock, plain_text, spelled
from reportgen.formats.tables.interpret.cells import is_fault
from reportgen.formats.tables.interpret.chosen import are_steps, is_after_results
from reportgen.formats.tables.interpret.draft import AROUND, Draft
from reportgen.formats.tables.interpret.questions import (
    SETTING_OR_RESULT,
    OpenQuestion,
    of_cells,
    of_unit,
    unit_in_name,
)
from reportgen.formats.tables.multiples import PREFIXES, multiple_in, multiple_of, shortened, without_multiple

# "r0=101.5;r1=99.8", "app.js (54.7)"
_NUMBER_IN_TEXT = lazy_pattern(r"(?:^|[\s=:;,(\[|])[0-9]+(?:\.[0-9]+)?(?=$|[\s;,)\]|])")
# "12/12", "858/3/3", which is not a date
_PARTS = lazy_pattern(r"[0-9]{1,9}(?:\.[0-9]+)?(?:\s*/\s*[0-9]{1,9}(?:\.[0-9]+)?)+")
_DATES = lazy_pattern(r"[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}")
# "1,204 issues", "12 findings", "-12.3 LUFS"
_COUNTED = lazy_pattern(
    r"([-+\u2212]?(?:[0-9]{1,3}(?:[,']?[0-9]{3})*|[0-9]+)) ([^\W\d_]{3,20})"
    r"|([-+\u2212]?[0-9]{1,3}(?:[,']?[0-9]{3})*\.[0-9]+) ([^\W\d_]{2,20})"
)
# "ops/ms"
_PER_PART_OF_SECOND = lazy_pattern(r"(?i)(?:/ ?|per[ _])[mnuµμ]s(?![^\W_])")
# "7.6M", "396K"
_MAGNITUDE = lazy_pattern(r"([0-9]+(?:\.[0-9]+)?) ?[kKMGT]i?")
# "8x", "x1.93"
MULTIPLE = lazy_pattern(r"[~≈]? ?[0-9]+(?:\.[0-9]+)? ?[x×]|[x×] ?[0-9]+(?:\.[0-9]+)?")
_OF_MODELS = frozenset(("model", "param", "parameters", "params", "str"))
_OF_DAY = frozenset(
    ("begin", "clock", "date", "end", "finish", "finished", "heure", "hora", "start", "time", "uhrzeit")
)


def is_packed(texts: Iterable[str]) -> bool:
    """Return whether most texts of a column have numbers beside words: "r0=101.5;r1=99.8"."""
    with_number = [bool(_NUMBER_IN_TEXT.search(text)) for text in texts]
    return 2 * sum(with_number) > len(with_number)


def question_about_counts(draft: Draft, column: str) -> OpenQuestion | None:
    """Return the question about numbers with one word after each, "1,204 issues"; None for others.

    A first column names the rows, and "3 nodes" and powers of two are chosen.
    """
    matches = [_COUNTED.fullmatch(str(cell).strip()) for cell in draft.known(column)]
    counts = [match for match in matches if match]
    words = {match[2] or match[4] for match in counts}
    plurals = {word.removesuffix("s") for word in words}
    numbers = {match[1] or match[3] for match in counts}
    if column == draft.columns[0] or len(counts) < len(matches) or len(plurals) != 1:
        return None
    if 2 * len(numbers) <= len(counts) or any(meaning_of(word).kind == "factor" for word in words):
        return None
    are_chosen = all(_is_power_of_two(float(re.sub("[,'\u2212]", "", number))) for number in numbers)
    return None if are_chosen else of_unit(max(words, key=len))


def question_about_magnitudes(draft: Draft, column: str) -> OpenQuestion | None:
    """Return the question about texts such as 7.6M and 396K, which are rather measured; None for others.

    Numbers of parameters, "1.3B", are a setting; so are levels, which recur, and rounded ones.
    """
    texts = [str(cell).strip() for cell in draft.known(column)]
    numbers = [match for text in texts if (match := _MAGNITUDE.fullmatch(text))]
    words = set(words_of(column))
    is_first = column == draft.columns[0] and not words & MEASURED_WORDS
    if is_first or len(numbers) < len(texts) or 2 * len(set(texts)) <= len(texts) or words & _OF_MODELS:
        return None
    are_chosen = are_steps([float(match[1]) for match in numbers])
    return None if are_chosen else OpenQuestion(SETTING_OR_RESULT, takes_setting=True)


def question_about_multiples(draft: Draft, column: str, meaning: ColumnMeaning) -> OpenQuestion | None:
    """Return the question about cells such as 1.2k below thousands, or about "in thousands" in a text.

    A definition has one scale, so no answer reads 1.2k below ops/ms.
    """
    is_rate = meaning.base == "samples/s"
    texts = (
        [text for cell in draft.known(column) if shortened(text := plain_text(str(cell)))] if is_rate else []
    )
    if texts and _PER_PART_OF_SECOND.search(draft.answers.get(column, column)):
        return of_cells(f'its cells are not plain numbers: "{texts[0]}"')
    if column in draft.answers or not is_rate:
        return None
    factor = ColumnUnit(meaning.unit, meaning.scale).factor
    if factor == 1:
        stated = (multiple_in(text.strip(" .:*_`"))[0] for text in draft.table.texts)
        beside = next((text for text in stated if len(text) > 1), "")
        letter = PREFIXES.get(multiple_of(beside), "")
        text = f'a text beside says "{beside}": is it in {beside} of {meaning.unit}?'
        return OpenQuestion(text, f"{letter}{meaning.unit}") if beside else None
    rest = without_multiple(factor)
    if rest == factor:
        return None
    text = next(iter(texts), "")
    known = spelled(text, meaning.unit)
    if known is None:
        return None
    asked = f'is "{text}" {known[0] * rest:,g} {meaning.unit}? its name has a multiple, too'
    return OpenQuestion(asked, unit_in_name(column))


def question_about_ratios(draft: Draft, column: str) -> OpenQuestion | None:
    """Return the question about texts such as 2x and 1.8x, which may be ratios of results; None for others.

    A first column names the rows, and whole numbers that recur, or that are before the results, are chosen.
    """
    texts = [str(cell).strip() for cell in draft.known(column) if not is_fault(cell)]
    if column == draft.columns[0] or not texts or not all(map(MULTIPLE.fullmatch, texts)):
        return None
    are_few = 2 * len(set(texts)) <= len(texts) or not is_after_results(draft, column)
    if are_few and not any("." in text for text in texts):
        return None
    return OpenQuestion(f'{SETTING_OR_RESULT} "{texts[0]}" may be a ratio', "x", takes_setting=True)


def _is_power_of_two(number: float) -> bool:
    """Return whether a number is 1, 2, 4, 8, ..."""
    return number >= 1 and math.frexp(number)[0] == 0.5


def several_numbers(cells: Sequence[object]) -> OpenQuestion:
    """Return the question about a column whose cells have several numbers."""
    text = f'several numbers in a cell, such as "{str(cells[0])[:40]}": write one column for each'
    return OpenQuestion(text, takes_unit=False, takes_setting=True)


def minutes_or_hours(text: str) -> OpenQuestion:
    """Return the question about a time with one colon."""
    return OpenQuestion(f'is "{text}" minutes and seconds (mm:ss) or hours and minutes (h:mm)?', "h:mm")


def are_parts(texts: Sequence[str]) -> bool:
    """Return whether all texts are numbers with slashes between them: "12/12"."""
    return all(_PARTS.fullmatch(text) and not _DATES.fullmatch(text) for text in texts)


def question_about(draft: Draft, column: str) -> OpenQuestion | None:
    """Return the question about texts that are times with colons, None for others and for times of a day."""
    texts = [str(cell).strip() for cell in draft.known(column)]
    is_named = not {slug(column), *slug(column).split("_")}.isdisjoint(_OF_DAY) or column.startswith(AROUND)
    if is_named or len(set(texts)) * 2 <= len(texts):
        return None
    if all(map(is_clock, texts)):
        return minutes_or_hours(texts[0])
    are_times = all(":" in text and spelled(text, "s") for text in texts)
    asked = f'{SETTING_OR_RESULT} "{texts[0]}" may be a time'
    return OpenQuestion(asked, "s", takes_setting=True) if are_times else None
