"""Find facts of logs that do not state them, where other logs do: the device, and the work.

A device is that of the same machine's folder. Folders are those of machines if each states one device at
most, and they state different ones. Then a device that some logs of a folder state is that of its other logs:
a folder has its name in the labels that `init` proposes, where a person sees it. Folders that state no device
get none, nor do folders with several, nor those where a name below the folder or another fact of a silent log
contradicts it, or where a silent log did the work of a log in another subfolder: these may be different
machines. Where all together state one, nothing shows that the others are of the same machine. Each kind of
benchmark is looked at alone: beside the folders of machines may be one with logs of many. All logs of a
folder must agree.

The work is that of another program's logs with the same names, which say what was run: `rn50_b128_1.log` of
MXNet states nothing, the one of TensorFlow devices and data. Others get only what all logs agree on.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from reportgen.autolayout.benchmark_kinds import split_kinds
from reportgen.autolayout.path_factors import DEVICE_FACTS, ITEM
from reportgen.autolayout.path_roles import devices_of, kind_of
from reportgen.autolayout.table_layout import SUBJECTS
from reportgen.compare.conditions import SIZES
from reportgen.core.factors import FactorKey, factor_key
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import FactorValue, Run

_DEVICE = "device"
# Folders of machines are not deeper below a campaign.
_MAX_LEVELS = 4
_EXTENSION = lazy_pattern(r"\.[A-Za-z]+\Z")
# Facts of the work, which the name of a log may say, and more that follow from it.
_NAMED_WORK = SIZES | {"precision", "seq_len", *SUBJECTS}
_WORK = _NAMED_WORK | {"dataset", ITEM}
# Folders have the same logs if this share of the names of the smaller one is in the other.
_MIN_COMMON = 1 / 2
# A shorter name of a model is in many words.
_MIN_LETTERS = 3


def stated_devices(folders: Mapping[str, Sequence[Run]]) -> dict[str, dict[str, FactorValue]]:
    """Return the device of each folder of a machine some of whose logs do not state it: folder -> factor.

    folders  of one campaign; a single one is looked into
    """
    every = [run for own in folders.values() for run in own]
    devices: dict[str, dict[str, FactorValue]] = {}
    for kind in split_kinds(every, min(folders)) if every else ():
        own = {id(run) for run in kind.runs}
        parts = {folder: [run for run in runs if id(run) in own] for folder, runs in folders.items()}
        devices |= _of_one_kind({folder: runs for folder, runs in parts.items() if runs})
    return {folder: facts for folder, facts in devices.items() if _are_agreed(folder, facts, every)}


def log_names(folder: str, runs: Iterable[Run]) -> dict[str, bool]:
    """Return the paths of logs below a folder, without extensions, and whether they say what was run.

    They do with a word for it, or with the model that the log states.
    """
    names: dict[str, bool] = {}
    for run in runs:
        name = _EXTENSION.sub("", run.source.path.removeprefix(f"{folder}/"))
        models = [letters_of(str(run.factors[each])) for each in SUBJECTS if each in run.factors]
        has_word = any(not _NAMED_WORK.isdisjoint(kind_of(part)) for part in name.split("/"))
        names[name] = has_word or any(
            len(each) >= _MIN_LETTERS and each in letters_of(name) for each in models
        )
    return names


def letters_of(text: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(filter(str.isalnum, text.lower()))


def are_named_alike(logs: Mapping[str, bool], others: Mapping[str, bool]) -> bool:
    """Return whether two folders have the same logs, by their `log_names`: names that say what was run."""
    common = sum(logs[name] or others[name] for name in logs.keys() & others.keys())
    return common > 0 and common >= _MIN_COMMON * min(len(logs), len(others))


def stated_work(folders: Mapping[str, Sequence[Run]]) -> dict[str, dict[str, FactorValue]]:
    """Return the work of logs that do not state it, where logs of another program do, by folder.

    folders  of one campaign
    """
    values = {name: _values(name, [run for runs in folders.values() for run in runs]) for name in _WORK}
    agreed = {name: value.pop()[1] for name, value in sorted(values.items()) if len(value) == 1}
    logs = {folder: log_names(folder, runs) for folder, runs in folders.items()}
    work = {}
    for folder, runs in folders.items():
        others = [
            other
            for path, own in folders.items()
            if are_named_alike(logs[folder], logs[path]) and _formats(own).isdisjoint(_formats(runs))
            for other in own
        ]
        work[folder] = {
            name: value for name, value in agreed.items() if not _values(name, runs) and _values(name, others)
        }
    return {folder: facts for folder, facts in work.items() if facts}


def _formats(runs: Iterable[Run]) -> set[str]:
    return {run.format for run in runs}


def _values(name: str, runs: Iterable[Run]) -> set[FactorKey]:
    return {factor_key(run.factors[name]) for run in runs if name in run.factors}


def _are_agreed(folder: str, facts: Mapping[str, FactorValue], runs: Iterable[Run]) -> bool:
    """Return whether no run in a folder, of any kind, contradicts its device."""
    below = [run for run in runs if run.source.path.startswith(f"{folder}/")]
    device = facts[_DEVICE]
    is_only = _devices(below) <= {factor_key(device)}
    return is_only and not _is_contradicted(below, device, folder.count("/") + 1)


def _of_one_kind(folders: Mapping[str, Sequence[Run]]) -> dict[str, dict[str, FactorValue]]:
    runs = [run for own in folders.values() for run in own]
    level = min(folder.count("/") + 1 for folder in folders)
    for depth in range(level + (len(folders) == 1), level + _MAX_LEVELS):
        machines = _by_folder(runs, depth)
        devices = {folder: _devices(own) for folder, own in machines.items()}
        if all(len(own) <= 1 for own in devices.values()):
            if len(set().union(*devices.values())) < 2:
                return {}
            known = {folder: value for folder, own in devices.items() for _, value in own}
            return {
                folder: {_DEVICE: value}
                for folder, value in known.items()
                if any(map(_is_silent, machines[folder]))
                and not _is_contradicted(machines[folder], value, depth)
                and not _is_repeated_elsewhere(machines[folder])
            }
    return {}


def _by_folder(runs: Iterable[Run], depth: int) -> dict[str, list[Run]]:
    """Return the runs below each folder of a depth, counted in names of a path."""
    folders: dict[str, list[Run]] = {}
    for run in runs:
        *parts, _ = run.source.path.split("/")
        if len(parts) >= depth:
            folders.setdefault("/".join(parts[:depth]), []).append(run)
    return folders


def _devices(runs: Iterable[Run]) -> set[FactorKey]:
    """Return the devices that runs state, of each only one spelling."""
    return _values(_DEVICE, runs)


def _is_silent(run: Run) -> bool:
    return DEVICE_FACTS.isdisjoint(run.factors)


def _is_repeated_elsewhere(runs: Sequence[Run]) -> bool:
    """Return whether a silent log did the work of one with a device, which is in another folder."""
    known = {(*_work(run), _folder(run)) for run in runs if _DEVICE in run.factors}
    works = {_work(run) for run in runs if _DEVICE in run.factors}
    silent = [run for run in runs if _is_silent(run)]
    return any(_work(run) in works and (*_work(run), _folder(run)) not in known for run in silent)


def _work(run: Run) -> tuple[str, str]:
    return run.format, str(run.factors.get("model", ""))


def _folder(run: Run) -> str:
    return run.source.path.rpartition("/")[0]


def _is_contradicted(runs: Iterable[Run], device: FactorValue, depth: int) -> bool:
    """Return whether a run without a device names another: in its environment, a like factor or its path.

    depth  of the folder, in names of a path: those below it count
    """
    for run in runs:
        if _DEVICE in run.factors:
            continue
        below = _EXTENSION.sub("", run.source.path).split("/")[depth:]
        if not all(_is_named(word, device) for name in below for word in devices_of(name)):
            return True
        facts = {**run.environment, **run.factors}
        for name in DEVICE_FACTS & facts.keys():
            if not _is_named(str(device), facts[name]):
                return True
    return False


def _is_named(word: str, text: FactorValue) -> bool:
    """Return whether a text has the name of a device, written with or without spaces: A10 is not A100."""
    name, plain = (re.sub(r"[ _-]", "", str(each).lower()) for each in (word, text))
    return bool(re.search(re.escape(name) + "(?![0-9])", plain))
