"""Decide which folders directly below logs/ are systems of one campaign, and which are campaigns themselves.

What they have in common decides. Folders whose names are devices, frameworks, dates, nodes, or numbers of
devices belong together if the same program ran the same models in them; folders named after the models that
their logs state, if the cases are otherwise the same. Folders of any other name do if most of the work of the
smaller one was also done in the other: then a reader wants to compare them. Different programs state
different things: their folders belong together if their logs have the same names, which say what was run.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reportgen.autolayout.path_factors import DEVICE_FACTS, FOLDER_LEVEL, ITEM
from reportgen.autolayout.path_roles import LevelRoles, are_repeats, kind_of, level_roles
from reportgen.autolayout.stated_facts import (
    are_named_alike,
    letters_of,
    log_names,
    stated_devices,
    stated_work,
)
from reportgen.autolayout.table_layout import SUBJECTS
from reportgen.compare.conditions import COMPETITORS, SIZES
from reportgen.core.factors import FactorKey, factor_key
from reportgen.core.model import FactorValue, Run
from reportgen.formats.registry import suite_of
from reportgen.labels.apply import with_facts

# Unnamed folders belong together if this share of the work of the smaller one is in the other.
_MIN_COMMON = 1 / 2
# What differs from system to system in one campaign, and from model to model.
_OF_A_SYSTEM = COMPETITORS | SIZES
_OF_A_MODEL = _OF_A_SYSTEM | {*SUBJECTS}
# In a title.
_MAX_NAMED = 3

_Values = frozenset[tuple[str, FactorKey]]


@dataclass(frozen=True, slots=True)
class FolderGroup:
    """Folders whose runs are in one report.

    constants  the factors that their names give, by folder
    stated     what some logs of a folder, or of one below, state and its other logs do not, by folder
    work       what the logs of a folder do not state, and those of the same names in others do, by folder
    """

    folders: tuple[str, ...]
    constants: Mapping[str, Mapping[str, FactorValue]] = field(default_factory=dict)
    stated: Mapping[str, Mapping[str, FactorValue]] = field(default_factory=dict)
    work: Mapping[str, Mapping[str, FactorValue]] = field(default_factory=dict)

    @property
    def guessed(self) -> tuple[str, ...]:
        """The factors of the constants that a person should give a better name."""
        names = {name for constants in self.constants.values() for name in constants}
        return tuple(sorted(names & {FOLDER_LEVEL}))

    def told(self, folder: str, runs: Iterable[Run]) -> list[Run]:
        """Return the runs of a folder with the factors in its name, and what other logs state of them.

        A run's own factors win.
        """
        constants = {**self.work.get(folder, {}), **self.constants.get(folder, {})}
        return [with_facts(run, {**constants, **self._stated_of(run)}) for run in runs]

    def _stated_of(self, run: Run) -> Mapping[str, FactorValue]:
        path = run.source.path
        return next((facts for folder, facts in self.stated.items() if path.startswith(f"{folder}/")), {})

    @property
    def note(self) -> str:
        """The work that logs do not state, as a sentence; "" if all state theirs."""
        names = sorted({name for facts in self.work.values() for name in facts} - {ITEM})
        stated = ", ".join(name.replace("_", " ") for name in names)
        where = "those of the same names in other folders do"
        return f"Where logs do not state {stated}, {where}." if names else ""

    def title(self, root: str) -> str:
        """Return the names of the folders, "" for the folder of all logs."""
        names = [folder.rpartition("/")[2] for folder in self.folders if folder != root]
        others = len(names) - 1
        return " and ".join(names if others < _MAX_NAMED else [names[0], f"{others} more"])

    def name(self, root: str, *, is_all: bool) -> str:
        """Return what the report is called: all folders together have no name, so that more may come."""
        return "" if is_all and len(self.folders) > 1 else self.title(root)


def find_campaigns(folders: Mapping[str, Sequence[Run]], labelled: Collection[str] = ()) -> list[FolderGroup]:
    """Return the campaigns in the order of their first folders.

    labelled  folders with a labels.toml, to which no constant can be added
    """
    systems = [_Members(path, runs) for path, runs in folders.items() if runs]
    known = {folder.path: folder for folder in systems}
    campaigns = []
    for roles, group in _groups(systems):
        constants = _constants([known[path] for path in group], roles)
        kept = [path for path in group if not (constants.get(path) and path in labelled)]
        if len(kept) > 1:
            campaigns.append(FolderGroup(tuple(kept), {path: constants.get(path, {}) for path in kept}))
    joined = {path for campaign in campaigns for path in campaign.folders}
    campaigns += [FolderGroup((path,)) for path in folders if path not in joined]
    order = list(folders)
    return [
        _with_stated(campaign, folders, labelled)
        for campaign in sorted(campaigns, key=lambda campaign: order.index(campaign.folders[0]))
    ]


def _with_stated(
    campaign: FolderGroup, folders: Mapping[str, Sequence[Run]], labelled: Collection[str]
) -> FolderGroup:
    """Return a campaign with what some logs of folders without labels state, and others do not.

    Labels of the campaign say nothing of a folder of a machine below it.
    """
    own = {folder: folders[folder] for folder in campaign.folders}
    stated = {folder: facts for folder, facts in stated_devices(own).items() if folder not in labelled}
    if not own.keys().isdisjoint(labelled):
        below = {folder: facts for folder, facts in stated.items() if folder not in own}
        return replace(campaign, stated=below)
    return replace(campaign, stated=stated, work=stated_work(own))


class _Members:
    """A folder with the programs, models and cases of its runs."""

    def __init__(self, path: str, runs: Sequence[Run]) -> None:
        self.path, self.name, self.runs = path, path.rpartition("/")[2], runs
        self.programs = {suite_of(run.format) for run in runs}
        self.subjects = {(suite_of(run.format), *_subject(run)) for run in runs}
        self.works = {(suite_of(run.format), _values(run, _OF_A_SYSTEM)) for run in runs}
        self.settings = {(suite_of(run.format), _values(run, _OF_A_MODEL)) for run in runs}
        self.cases = {_values(run, ()) for run in runs}
        self.models = {_subject(run) for run in runs}
        self.logs = log_names(path, runs)
        self.is_stated = any(name in run.factors for run in runs for name in SUBJECTS)

    def states(self, factor: str) -> bool:
        """Return whether all runs have the factor, a device by any of its names."""
        names = DEVICE_FACTS if factor == "device" else {factor}
        return all(not names.isdisjoint({*run.factors, *run.environment}) for run in self.runs)

    def ran_what(self, other: "_Members") -> bool:
        """Return whether both ran one program, and a model of their own if the logs say which."""
        if self.programs.isdisjoint(other.programs):
            return self.has_same_names(other)
        return not (self.is_stated and other.is_stated) or not self.subjects.isdisjoint(other.subjects)

    def has_same_names(self, other: "_Members") -> bool:
        """Return whether both have logs of the same names, which say the work, and state no other models."""
        is_contradicted = self.is_stated and other.is_stated and self.models.isdisjoint(other.models)
        return are_named_alike(self.logs, other.logs) and not is_contradicted

    def agrees(self, other: "_Members") -> bool:
        """Return whether most of the work of the smaller folder was also done in the other."""
        common = len(self.works & other.works)
        return self.is_stated and common >= _MIN_COMMON * min(len(self.works), len(other.works))

    def is_sibling(self, other: "_Members") -> bool:
        """Return whether both folders are named after the only model in them, and ran it in the same way."""
        common = len(self.settings & other.settings)
        is_alike = common >= _MIN_COMMON * max(len(self.settings), len(other.settings))
        return is_alike and self._is_named_after_model() and other._is_named_after_model()

    def _is_named_after_model(self) -> bool:
        models = {str(run.factors.get(name, "")) for run in self.runs for name in SUBJECTS} - {""}
        return len(models) == 1 and letters_of(models.pop()) in letters_of(self.name)


def _subject(run: Run) -> tuple[FactorKey | None, ...]:
    return tuple(factor_key(run.factors[name]) if name in run.factors else None for name in SUBJECTS)


def _values(run: Run, without: Collection[str]) -> _Values:
    return frozenset(
        (name, factor_key(value))
        for name, value in run.factors.items()
        if name not in without and name != ITEM
    )


def _groups(folders: Sequence[_Members]) -> Iterator[tuple[LevelRoles | None, list[str]]]:
    """Yield what the names of folders are, None if nothing says that, and these folders; several each."""
    left = list(folders)
    for roles in _named({folder.name for folder in folders}):
        members = [folder for folder in left if folder.name in roles.values]
        for group in _connected(members, _Members.ran_what):
            yield roles, [folder.path for folder in group]
            left = [folder for folder in left if folder not in group]
    for is_pair in (_Members.agrees, _Members.has_same_names, _Members.is_sibling):
        for group in _connected(left, is_pair):
            yield None, [folder.path for folder in group]
            left = [folder for folder in left if folder not in group]


def _named(names: Collection[str]) -> Iterator[LevelRoles]:
    """Yield the roles of the names that say the same: at least two each."""
    alike: dict[tuple[str, ...], set[str]] = {}
    for name in names:
        if kind := kind_of(name):
            alike.setdefault(kind, set()).add(name)
    for _, own in sorted(alike.items()):
        # The names of the others may mean a device beside these: 3090 beside A6000.
        own |= {name for name in names if not kind_of(name) and _roles([*own, name])}
        if len(own) > 1 and (roles := _roles(own)):
            yield roles


def _roles(names: Collection[str]) -> LevelRoles | None:
    """Return what names are, None if that leaves words without a role."""
    roles = level_roles(names)
    return roles if roles and not any(roles.unknown.values()) else None


def _connected(
    folders: Sequence[_Members], is_pair: Callable[[_Members, _Members], bool]
) -> Iterator[list[_Members]]:
    """Yield the groups of folders that pairs connect, of at least two each."""
    left = list(folders)
    while left:
        group = [left.pop(0)]
        for member in group:
            more = [other for other in left if is_pair(member, other)]
            group += more
            left = [other for other in left if other not in more]
        if len(group) > 1:
            yield [folder for folder in folders if folder in group]


def _constants(folders: Sequence[_Members], roles: LevelRoles | None) -> dict[str, dict[str, FactorValue]]:
    """Return what the names of folders say that their logs do not state: folder -> factors."""
    if roles:
        return {
            each.path: {
                factor: value for factor, value in roles.told(each.name).items() if not each.states(factor)
            }
            for each in folders
        }
    different = set[_Values]().union(*(each.cases for each in folders))
    is_mixed = len(different) < sum(len(each.cases) for each in folders)
    if not is_mixed or are_repeats([each.name for each in folders]):
        return {}
    return {each.path: {FOLDER_LEVEL: each.name} for each in folders}
