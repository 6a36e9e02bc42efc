"""Find factors that only the path contains: runs of one case whose folders or files have different names.

Their logs say the same about them, so they would be pooled as repeats. The result is one path pattern for
labels.toml per depth, with a name for each level that distinguishes such runs. A level whose names say what
they are (`path_roles`) has that name, unless the logs state it. Names that differ in a counter or a date are
repeats, unless the logs say nothing about what was run. Runs that failed before they measured anything often
state less than the others: they distinguish nothing.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from reportgen.autolayout.path_roles import LevelRoles, are_repeats, level_roles
from reportgen.compare.conditions import DEVICE_NAMES
from reportgen.core.factors import factor_key, factors_key
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue, Run
from reportgen.labels.apply import with_facts
from reportgen.labels.path_pattern import MAX_PARTS, PathPattern
from reportgen.labels.path_tokens import without_settings
from reportgen.report.path_groups import without_counters

# What a sample is does not describe what was run.
ITEM = "item"

# The names of levels of the path: of folders, and of the file.
FOLDER_LEVEL, LOG_LEVEL = "folder", "log"

_RUN_NUMBER = lazy_pattern(r"#[0-9]+$")
# A name with one number, which is neither a date nor the number of a job.
_NUMBERED = lazy_pattern(r"[^0-9]*[A-Za-z][^0-9]*[0-9]{1,4}[^0-9]*")
_EXTENSION = lazy_pattern(r"(?:\.[A-Za-z]+)?\Z")
# More patterns in a labels.toml are too many to be named by a person.
_MAX_PATTERNS = 12
# Share of the cases with several logs in which folders with other names do not make a factor.
_MAX_ODD = 1 / 20
# Facts that name the device: a path need not repeat them.
DEVICE_FACTS = DEVICE_NAMES | {"device_name", "gpu_name", "hardware"}

_Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PathFactors:
    """Patterns for `[[paths]]`, and a path that the first of them matches."""

    patterns: tuple[PathPattern, ...]
    example: str

    def apply(self, runs: Iterable[Run]) -> list[Run]:
        """Return the runs with the factors in their paths; a run's own factors win."""
        return [with_facts(run, self._parts(_path(run))) for run in runs]

    def _parts(self, path: str) -> dict[str, FactorValue]:
        matches = (pattern.match(path) for pattern in self.patterns)
        return next((parts for parts in matches if parts is not None), {})

    @property
    def names(self) -> list[str]:
        """The factors that the patterns give."""
        return list(dict.fromkeys(name for pattern in self.patterns for name, _ in pattern.parts))

    @property
    def guessed(self) -> list[str]:
        """The factors with the name of a level: nothing says what they are."""
        return [name for name in self.names if name.startswith((FOLDER_LEVEL, LOG_LEVEL))]

    def of_runs(self, runs: Iterable[Run]) -> "PathFactors | None":
        """Return the patterns that match the path of one of these runs, None if none does."""
        paths = [_path(run) for run in runs]
        matching = tuple(each for each in self.patterns if any(each.match(path) for path in paths))
        return replace(self, patterns=matching) if matching else None

    @classmethod
    def joined(cls, several: Sequence["PathFactors"]) -> "PathFactors | None":
        """Return the patterns of several parts of a folder together, None if there are none."""
        patterns = dict.fromkeys(pattern for each in several for pattern in each.patterns)
        return cls(tuple(patterns), several[0].example) if several else None

    def toml(self) -> str:
        """Return the patterns as tables of a labels.toml."""
        return "\n".join(f"[[paths]]\npattern = '{pattern.text}'\n" for pattern in self.patterns)


def find_path_factors(runs: Sequence[Run], others: Collection[str] = ()) -> PathFactors | None:
    """Return patterns for the levels that distinguish runs of one case; None if there are none.

    others  ids of runs beside these, which the patterns should not match
    """
    taken = {name for run in runs for name in run.factors}
    by_depth: dict[int, list[Run]] = {}
    for run in runs:
        by_depth.setdefault(len(_levels(run)), []).append(run)
    beside = {tuple(_RUN_NUMBER.sub("", id).split("/")) for id in others}
    patterns, examples = [], []
    for depth, members in sorted(by_depth.items()):
        if depth > MAX_PARTS:
            continue
        made = _Depth(members, frozenset(path for path in beside if len(path) == depth), taken).patterns()
        if made:
            patterns += made
            examples.append("/".join(min(map(_levels, members))))
    return PathFactors(tuple(patterns), examples[0]) if patterns else None


class _Depth:
    """The runs whose logs are at one depth: which levels of their paths distinguish them, and as what."""

    def __init__(self, runs: Sequence[Run], others: frozenset[_Path], taken: Collection[str]) -> None:
        self.runs, self.others, self.taken = runs, others, taken
        self.paths = {id(run): _levels(run) for run in runs}
        self.last = len(self.paths[id(runs[0])]) - 1
        self.extension = _common_extension(path[-1] for path in self.paths.values())
        self.roles = dict(self._find_roles())
        self.cases = self._find_cases()

    def patterns(self) -> list[PathPattern]:
        """Return the patterns, [] if no level distinguishes runs of one case or has a role."""
        levels = {level for level in range(self.last + 1) if self._distinguishes(level)}
        if not levels and not self.roles:
            return []
        # Folders that distinguish no case may still be what people call the systems.
        levels |= {level for level in range(self.last) if level not in self.roles and self._is_system(level)}
        everything = frozenset(self.paths.values())
        if self.last in levels:
            # The names of files distinguish runs in some folders only: in the others they count repeats.
            splitting = [case for case in self.cases if self._splits(case, self.last)]
            needing = frozenset(path for case in splitting for path in case.paths)
            if parts := self._apart(needing, everything - needing, levels):
                rest = self._made(everything - needing, levels - {self.last}, self.others | needing)
                return [*self._made(parts, levels, self.others | (everything - needing)), *rest]
        return self._made(everything, levels, self.others)

    def _find_roles(self) -> Iterator[tuple[int, LevelRoles]]:
        """Yield the levels whose names say what they are, if the logs do not state it."""
        stated = set.intersection(*({*run.factors} for run in self.runs)) | {ITEM}
        if all(not DEVICE_FACTS.isdisjoint({*run.factors, *run.environment}) for run in self.runs):
            stated |= DEVICE_FACTS
        for level in range(self.last, -1, -1):
            names = {self._name(path, level) for path in self.paths.values()}
            roles = level_roles(names) if len(names) > 1 else None
            if roles and "framework" in roles.factors and "framework" in stated:
                roles = roles.renamed("framework", "backend")  # below the one that the log states
            roles = roles.without(stated) if roles else None
            if roles and roles.factors:
                stated.update(roles.factors)
                yield level, roles

    def _name(self, path: _Path, level: int) -> str:
        """Return a name of a path; a file has it without the extension that all files share."""
        return path[level].removesuffix(self.extension) if level == self.last else path[level]

    def _unknown(self, path: _Path, level: int) -> str:
        """Return the part of a name that no role explains."""
        name = self._name(path, level)
        return self.roles[level].unknown[name] if level in self.roles else path[level]

    def _find_cases(self) -> list["_CasePaths"]:
        cases: dict[object, _CasePaths] = {}
        for run in [run for run in self.runs if run.series or run.aggregates] or self.runs:
            path = self.paths[id(run)]
            told = tuple(
                tuple(roles.values[self._name(path, level)].items()) for level, roles in self.roles.items()
            )
            case = _CasePaths(frozenset(run.factors), is_unknown=not {*run.factors} - {ITEM} and not told)
            cases.setdefault((factors_key(run.factors), run.repeat, told), case).paths.add(path)
        return list(cases.values())

    def _distinguishes(self, level: int) -> bool:
        """Return whether a level distinguishes runs of more than a few of the cases with several logs.

        A factor that only one odd folder needs would be in all tables. The runs of its cases are pooled, with
        a finding; not those whose logs name no device, which may be different systems.
        """
        several = [case for case in self.cases if len(case.paths) > 1]
        splitting = [case for case in several if self._splits(case, level)]
        is_unnamed = any(case.stated.isdisjoint(DEVICE_FACTS) for case in splitting)
        return is_unnamed or len(splitting) > _MAX_ODD * len(several)

    def _splits(self, case: "_CasePaths", level: int) -> bool:
        """Return whether the names of a level distinguish runs of a case."""
        # A setting that the log states has the value that the log gives, whatever a folder is called.
        names = {without_settings(self._unknown(path, level), case.stated) for path in case.paths}
        if case.is_unknown or len(names) == 1:
            return len(names) > 1
        return len(set(without_counters(sorted(names)))) > 1 or self._holds_repeats(case, level)

    def _holds_repeats(self, case: "_CasePaths", level: int) -> bool:
        """Return whether each folder of a level has repeats of its own: then its number counts no repeat."""
        names = [path[level] for path in case.paths]
        is_numbered = all(map(_NUMBERED.fullmatch, names)) and not are_repeats(names)
        return level < self.last and is_numbered and min(Counter(names).values()) > 1

    def _is_system(self, level: int) -> bool:
        """Return whether folders have different names, which do not follow from the work that logs state."""
        if len(set(without_counters(sorted({path[level] for path in self.paths.values()})))) == 1:
            return False
        work = [
            frozenset(
                (name, factor_key(value)) for name, value in run.factors.items() if name not in DEVICE_FACTS
            )
            for run in self.runs
        ]
        named = {(key, self.paths[id(run)][level]) for key, run in zip(work, self.runs, strict=True)}
        return len(named) > len(set(work)) or not any(work)

    def _apart(self, paths: frozenset[_Path], others: frozenset[_Path], levels: set[int]) -> frozenset[_Path]:
        """Return the paths if names of folders that are not factors can keep them apart from others."""
        is_counted = any(len({path[-1] for path in folder}) > 1 for folder in _by_folder(others))
        return paths if others and is_counted and self._literals(paths, others, levels) else frozenset()

    def _literals(
        self, paths: Collection[_Path], others: Collection[_Path], levels: set[int]
    ) -> tuple[int, ...]:
        """Return the fewest levels whose names no other path has; () if there are none, or too many names."""
        free = [
            level
            for level in range(self.last)
            if level not in levels
            and level not in self.roles
            and all(_is_literal(path[level]) for path in paths)
        ]
        for chosen in (*((level,) for level in free), tuple(free)):
            own = {tuple(path[level] for level in chosen) for path in paths}
            if len(own) <= _MAX_PATTERNS and own.isdisjoint(tuple(p[i] for i in chosen) for p in others):
                return chosen
        return ()

    def _made(
        self, paths: Collection[_Path], levels: set[int], others: Collection[_Path]
    ) -> list[PathPattern]:
        """Return the patterns of paths: a part for each level that matters, `{_}` for the others."""
        literals = self._literals(paths, others, levels) if others else ()
        if not levels and not self.roles:
            return []
        combinations = sorted({tuple(path[level] for level in literals) for path in paths})
        return [self._pattern(dict(zip(literals, names, strict=True)), levels) for names in combinations]

    def _pattern(self, literals: Mapping[int, str], levels: set[int]) -> PathPattern:
        folders, logs = _free_names(FOLDER_LEVEL, self.taken), _free_names(LOG_LEVEL, self.taken)
        parts = []
        for level in range(self.last + 1):
            name = next(logs if level == self.last else folders) if level in levels else ""
            if level in self.roles:
                part = self.roles[level].naming(name)
            else:
                part = f"{{{name}}}" if name else literals.get(level, "{_}")
            is_named = level == self.last and part != "{_}"
            parts.append(part + (self.extension if is_named else ""))
        return PathPattern.parse("/" + "/".join(parts))


def _by_folder(paths: Iterable[_Path]) -> Iterable[list[_Path]]:
    folders: dict[_Path, list[_Path]] = {}
    for path in paths:
        folders.setdefault(path[:-1], []).append(path)
    return folders.values()


def _common_extension(names: Iterable[str]) -> str:
    """Return the extension that all names of files have, "" if there is none."""
    extensions = {match[0] for name in names if (match := _EXTENSION.search(name))}
    return extensions.pop() if len(extensions) == 1 else ""


@dataclass(slots=True)
class _CasePaths:
    """The paths of runs with equal factors, whose names are `stated`; `is_unknown` if they have none."""

    stated: frozenset[str]
    is_unknown: bool
    paths: set[tuple[str, ...]] = field(default_factory=set)


def _path(run: Run) -> str:
    """Return the path of a run's log below the folder that was read."""
    return _RUN_NUMBER.sub("", run.id)


def _levels(run: Run) -> _Path:
    return tuple(_path(run).split("/"))


def _is_literal(name: str) -> bool:
    """Return whether a name can be in a pattern as it is: without braces, quotes and control characters."""
    return name.isprintable() and not set(name) & set("{}'")


def _free_names(word: str, taken: Collection[str]) -> Iterator[str]:
    """Yield names that no factor has: folder, folder2, folder3."""
    names = (word if number == 1 else f"{word}{number}" for number in count(1))
    return (name for name in names if name not in taken)
