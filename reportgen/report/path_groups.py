"""Distinguish runs of one case by the names of their files and folders, which may say what their logs do not.

`a40.csv` and `h100.csv`, or the folders `rtx3090/` and `rtx4090/`, are not repeats of each other. Names that
differ in a counter (`r1.log` to `r7.log`), in a date or in the number of a job are.
"""

from collections.abc import Iterator, Sequence

from reportgen.core.lazy_pattern import lazy_pattern

_RUN_NUMBER = lazy_pattern(r"#[0-9]+$")
# A date or a time of several numbers, and what a hash looks like, count like one long number.
_LONG = lazy_pattern(
    r"[0-9]+(?:[-_:.T][0-9]+){2,}|(?<![0-9A-Za-z])(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,}(?![0-9A-Za-z])"
)
_NUMBER = lazy_pattern(r"[0-9]+")
# Numbers with this many digits are dates or ids of jobs.
_ID_DIGITS = 5
# Counters are dense: they may lack a third of their numbers.
_MAX_SPAN = 1.5


def path_keys(ids: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a key for each id of a run; only ids with equal keys may be repeats of each other."""
    paths = [tuple(_RUN_NUMBER.sub("", id).split("/")) for id in ids]
    keys: dict[tuple[str, ...], tuple[str, ...]] = {}
    for depth in {len(path) for path in paths}:
        same = sorted({path for path in paths if len(path) == depth})
        levels = [without_counters(names) for names in zip(*same, strict=True)]
        keys.update(zip(same, zip(*levels, strict=True), strict=True))
    return [keys[path] for path in paths]


def without_counters(names: Sequence[str]) -> list[str]:
    """Return the names of one level without the numbers that count repeats."""
    if len(set(names)) == 1:
        return list(names)
    short = [_LONG.sub("*", name) for name in names]
    alike: dict[str, set[tuple[str, ...]]] = {}
    for name in short:
        alike.setdefault(_NUMBER.sub("0", name), set()).add(tuple(_NUMBER.findall(name)))
    counting = {wording: [*map(_counts, zip(*numbers, strict=True))] for wording, numbers in alike.items()}
    return [_without(name, counting[_NUMBER.sub("0", name)]) for name in short]


def _counts(numbers: Sequence[str]) -> bool:
    """Return whether the numbers at one place of several names count repeats."""
    if all(len(number) >= _ID_DIGITS for number in numbers):
        return True
    values = {int(number[:18]) for number in numbers}
    return max(values) - min(values) <= _MAX_SPAN * len(values)


def _without(name: str, counting: Sequence[bool]) -> str:
    is_counter: Iterator[bool] = iter(counting)
    return _NUMBER.sub(lambda number: "*" if next(is_counter) else number[0], name)
