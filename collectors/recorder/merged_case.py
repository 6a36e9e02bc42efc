"""Merge the factors of a run: those that the launcher and the script chose, and those that are detected."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from collectors.format_v1.case import Case, Factor
from collectors.machine.device_model import DEVICE, own_model, torch_model


class MergedCase(NamedTuple):
    """The factors of a run."""

    factors: dict[str, Factor]
    detected: list[str]  # names of the factors that were not chosen
    differing: dict[str, Factor]  # the script's values where the launcher chose another


def merge_cases(of_script: Case, run: Mapping[str, Any]) -> MergedCase:
    """Return the factors of a run whose script declares `of_script`.

    run  what the launcher wrote, {} without one. The factors that it chose take precedence over the script's;
         what it detected does not, because this process knows its device better
    """
    detected = run.get("detected", [])
    chosen = {name: value for name, value in run.get("case", {}).items() if name not in detected}
    differing = {name: value for name, value in of_script.items() if name in chosen and chosen[name] != value}
    factors = {**of_script, **chosen}
    model = "" if DEVICE in factors else own_model(str(run.get("case", {}).get(DEVICE, "")))
    if model:
        return MergedCase({**factors, DEVICE: model}, [DEVICE], differing)
    return MergedCase(factors, [], differing)


def add_late_device(run: dict[str, Any]) -> None:
    """Add the factor `device` to `run.json` if torch began to use the device after the start of the run."""
    model = torch_model()
    if model and DEVICE not in run["case"]:
        run["case"] = {**run["case"], DEVICE: model}
        run["detected"] = [DEVICE]
