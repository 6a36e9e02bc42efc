"""Find factors that only the path contains: runs of one case whose folders or files have different names.

Their logs say the same about them, so they would be pooled as repeats. The result is one path pattern for
labels.toml per depth, with a name for each level that distinguishes such runs. Names that differ in a counter
or a date are repeats, unless the logs say nothing about what was run.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from reportgen.core.factors import factors_key
from reportgen.core.model import FactorValue, Run
from reportgen.labels.path_pattern import MAX_PARTS, PathPattern
from reportgen.report.path_groups import without_counters

# What a sample is does not describe what was run.
ITEM = "item"

# The names of levels of the path: of folders, and of the file.
FOLDER_LEVEL, LOG_LEVEL = "folder", "log"

_RUN_NUMBER = re.compile(r"#[0-9]+$")
_EXTENSION = re.compile(r"(?:\.[A-Za-z]+)?\Z")


@dataclass(frozen=True, slots=True)
class PathFactors:
    """Patterns for `[[paths]]`, and a path that the first of them matches."""

    patterns: tuple[PathPattern, ...]
    example: str

    def apply(self, runs: Iterable[Run]) -> list[Run]:
        """Return the runs with the factors in their paths; a run's own factors win."""
        return [replace(run, factors={**self._parts(_path(run)), **run.factors}) for run in runs]

    def _parts(self, path: str) -> dict[str, FactorValue]:
        matches = (pattern.match(path) for pattern in self.patterns)
        return next((parts for parts in matches if parts is not None), {})

    @property
    def names(self) -> list[str]:
        """The factors that the patterns give."""
        return list(dict.fromkeys(name for pattern in self.patterns for name, _ in pattern.parts))

    @classmethod
    def joined(cls, several: Sequence["PathFactors"]) -> "PathFactors | None":
        """Return the patterns of several parts of a folder together, None if there are none."""
        patterns = dict.fromkeys(pattern for each in several for pattern in each.patterns)
        return cls(tuple(patterns), several[0].example) if several else None

    def toml(self) -> str:
        """Return the patterns as tables of a labels.toml."""
        return "\n".join(f"[[paths]]\npattern = '{pattern.text}'\n" for pattern in self.patterns)


def find_path_factors(runs: Sequence[Run], *, is_part: bool = False) -> PathFactors | None:
    """Return patterns for the levels that distinguish runs of one case; None if there are none.

    is_part  other runs are beside these: the patterns contain the names of the folders that these share
    """
    taken = {name for run in runs for name in run.factors}
    patterns, examples = [], []
    for depth, cases in sorted(_by_depth(runs).items()):
        levels = {level for case in cases for level in range(depth) if _distinguishes(case, level)}
        if levels and depth <= MAX_PARTS:
            paths = sorted({path for case in cases for path in case.paths})
            # Folders that distinguish no case may still be what people call the systems.
            levels |= {level for level in range(depth - 1) if len(_wordings(paths, level)) > 1}
            patterns.append(_pattern(paths, levels, taken, is_part=is_part))
            examples.append("/".join(paths[0]))
    return PathFactors(tuple(patterns), examples[0]) if patterns else None


@dataclass(slots=True)
class _CasePaths:
    """The paths of runs with equal factors; `is_unknown` if they have no factors."""

    is_unknown: bool
    paths: set[tuple[str, ...]] = field(default_factory=set)


def _path(run: Run) -> str:
    """Return the path of a run's log below the folder that was read."""
    return _RUN_NUMBER.sub("", run.id)


def _by_depth(runs: Iterable[Run]) -> dict[int, list[_CasePaths]]:
    """Return depth -> cases with logs at this depth; numbered repeats are separate cases."""
    cases: dict[tuple[int, object, int | None], _CasePaths] = {}
    for run in runs:
        path = tuple(_path(run).split("/"))
        case = _CasePaths(is_unknown=not set(run.factors) - {ITEM})
        cases.setdefault((len(path), factors_key(run.factors), run.repeat), case).paths.add(path)
    by_depth: dict[int, list[_CasePaths]] = {}
    for (depth, *_), case in cases.items():
        by_depth.setdefault(depth, []).append(case)
    return by_depth


def _distinguishes(case: _CasePaths, level: int) -> bool:
    if case.is_unknown:
        return len({path[level] for path in case.paths}) > 1
    return len(_wordings(case.paths, level)) > 1


def _wordings(paths: Iterable[Sequence[str]], level: int) -> set[str]:
    """Return the names of a level without the numbers that count repeats."""
    return set(without_counters([path[level] for path in paths]))


def _pattern(
    paths: Sequence[Sequence[str]], levels: set[int], taken: set[str], *, is_part: bool
) -> PathPattern:
    """Return the pattern for paths of one depth: a name for each of the levels, `{_}` for the others."""
    last = len(paths[0]) - 1
    folders = _free_names(FOLDER_LEVEL, taken)

    def other(level: int) -> str:
        names = {path[level] for path in paths}
        return names.pop() if is_part and len(names) == 1 and _is_literal(min(names)) else "{_}"

    parts = ["{" + next(folders) + "}" if level in levels else other(level) for level in range(last)]
    extensions = {match[0] for path in paths if (match := _EXTENSION.search(path[last]))}
    if last not in levels:
        parts.append("{_}")
    else:
        extension = extensions.pop() if len(extensions) == 1 else ""
        parts.append("{" + next(_free_names(LOG_LEVEL, taken)) + "}" + extension)
    return PathPattern.parse("/" + "/".join(parts))


def _is_literal(name: str) -> bool:
    """Return whether a name can be in a pattern as it is: without braces, quotes and control characters."""
    return name.isprintable() and not set(name) & set("{}'")


def _free_names(word: str, taken: set[str]) -> Iterator[str]:
    """Yield names that no factor has: folder, folder2, folder3."""
    names = (word if number == 1 else f"{word}{number}" for number in count(1))
    return (name for name in names if name not in taken)
