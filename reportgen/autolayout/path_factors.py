"""Find what only the path tells: runs of one case whose folders or files have different names.

Their logs say the same of them, so they would be pooled as repeats. Patterns for a labels.toml that name the
levels of the path that tell them apart come out, one for each depth. Names that differ in numbers alone count
repeats, unless the logs say nothing at all of what was run.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from reportgen.core.factors import factors_key
from reportgen.core.model import FactorValue, Run
from reportgen.labels.path_pattern import MOST_PARTS, PathPattern

# What a sample is does not say what was run.
ITEM = "item"

_NUMBER = re.compile(r"[0-9]+")
_OF_SEVERAL = re.compile(r"#[0-9]+$")
_ENDING = re.compile(r"(?:\.[A-Za-z]+)?\Z")


@dataclass(frozen=True, slots=True)
class Levels:
    """Patterns for `[[paths]]`, and of the first a path that it matches."""

    patterns: tuple[PathPattern, ...]
    example: str

    def told(self, runs: Iterable[Run]) -> list[Run]:
        """Return the runs with the factors that the patterns read from their paths."""
        return [replace(run, factors={**self._parts(place(run)), **run.factors}) for run in runs]

    def _parts(self, path: str) -> dict[str, FactorValue]:
        return next((found for one in self.patterns if (found := one.match(path)) is not None), {})

    @property
    def names(self) -> list[str]:
        """The factors that the patterns give."""
        return list(dict.fromkeys(name for pattern in self.patterns for name, _ in pattern.parts))

    def toml(self) -> str:
        """Return the tables of a labels.toml."""
        return "\n".join(f"[[paths]]\npattern = '{pattern.text}'\n" for pattern in self.patterns)


def place(run: Run) -> str:
    """Return the path of a run's log below the folder that was read."""
    return _OF_SEVERAL.sub("", run.id)


def levels(runs: Sequence[Run]) -> Levels | None:
    """Return the levels that tell runs of one case apart; None where there are none."""
    taken = {name for run in runs for name in run.factors}
    patterns, examples = [], []
    for depth, cases in sorted(_by_depth(runs).items()):
        apart = {level for case in cases for level in range(depth) if _tells(case, level)}
        if apart and depth <= MOST_PARTS:
            paths = sorted({path for case in cases for path in case.paths})
            # Folders that tell no case apart may still be what people call the systems.
            apart |= {level for level in range(depth - 1) if len(_wordings(paths, level)) > 1}
            patterns.append(_pattern(paths, apart, taken))
            examples.append("/".join(paths[0]))
    return Levels(tuple(patterns), examples[0]) if patterns else None


@dataclass(slots=True)
class _Case:
    """The paths of runs that say the same of themselves; unknown if that is nothing."""

    is_unknown: bool
    paths: set[tuple[str, ...]] = field(default_factory=set)


def _by_depth(runs: Iterable[Run]) -> dict[int, list[_Case]]:
    """Return depth -> the cases that have logs there; explicit repeats are no case together."""
    cases: dict[tuple[int, object, int | None], _Case] = {}
    for run in runs:
        path = tuple(place(run).split("/"))
        case = _Case(is_unknown=not set(run.factors) - {ITEM})
        cases.setdefault((len(path), factors_key(run.factors), run.repeat), case).paths.add(path)
    found: dict[int, list[_Case]] = {}
    for (depth, *_), case in cases.items():
        found.setdefault(depth, []).append(case)
    return found


def _tells(case: _Case, level: int) -> bool:
    if case.is_unknown:
        return len({path[level] for path in case.paths}) > 1
    return len(_wordings(case.paths, level)) > 1


def _wordings(paths: Iterable[Sequence[str]], level: int) -> set[str]:
    """Return the names of a level that differ in more than numbers, which count repeats."""
    return {_NUMBER.sub("0", path[level]) for path in paths}


def _pattern(paths: Sequence[Sequence[str]], apart: set[int], taken: set[str]) -> PathPattern:
    """Return the pattern for paths of one depth: a name for each level that tells, `{_}` for the others."""
    last = len(paths[0]) - 1
    folders = _free("folder", taken)
    parts = ["{" + next(folders) + "}" if level in apart else "{_}" for level in range(last)]
    endings = {found[0] for path in paths if (found := _ENDING.search(path[last]))}
    if last not in apart:
        parts.append("{_}")
    else:
        parts.append("{" + next(_free("log", taken)) + "}" + (endings.pop() if len(endings) == 1 else ""))
    return PathPattern.parse("/" + "/".join(parts))


def _free(word: str, taken: set[str]) -> Iterator[str]:
    """Yield names that no factor has: folder, folder2, folder3."""
    names = (word if number == 1 else f"{word}{number}" for number in count(1))
    return (name for name in names if name not in taken)
