"""Find the device of logs that do not state it where other logs of the same machine's folder do.

Folders are those of machines if each states one device at most, and they state different ones. Then a device
that some logs of a folder state is that of its other logs: a folder has its name in the labels that `init`
proposes, where a person sees it. Folders that state no device get none, nor do folders with several. Where
all together state one, nothing shows that the others are of the same machine.
"""

from collections.abc import Iterable, Mapping, Sequence

from reportgen.autolayout.path_factors import DEVICE_FACTS
from reportgen.core.factors import factor_key
from reportgen.core.model import FactorValue, Run

_DEVICE = "device"
# Folders of machines are not deeper below a campaign.
_MAX_LEVELS = 4


def stated_devices(folders: Mapping[str, Sequence[Run]]) -> dict[str, dict[str, FactorValue]]:
    """Return the device of each folder of a machine some of whose logs do not state it: folder -> factor.

    folders  of one campaign; a single one is looked into
    """
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
                if any(map(_is_silent, machines[folder])) and not _is_contradicted(machines[folder], value)
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


def _devices(runs: Iterable[Run]) -> set[tuple[str, FactorValue]]:
    """Return the devices that runs state, of each only one spelling."""
    return {factor_key(run.factors[_DEVICE]) for run in runs if _DEVICE in run.factors}


def _is_silent(run: Run) -> bool:
    return DEVICE_FACTS.isdisjoint(run.factors)


def _is_contradicted(runs: Iterable[Run], device: FactorValue) -> bool:
    """Return whether the environment of a run without a device, or a factor like it, names another one."""
    for run in runs:
        if _DEVICE in run.factors:
            continue
        facts = {**run.environment, **run.factors}
        for name in DEVICE_FACTS & facts.keys():
            if str(device).lower() not in str(facts[name]).lower():
                return True
    return False
