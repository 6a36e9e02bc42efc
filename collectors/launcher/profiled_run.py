"""Run each case of a campaign once more under a profiler: `run --nsys N`, `run --torch-profiler N`.

A profiler slows the program down. So this run has a folder of its own beside the repeats (`nsys1`), and
`run.json` says that it was profiled: neither the launcher nor a reader takes it for a repeat.
"""

import itertools
import re
from pathlib import Path
from typing import NamedTuple, Optional

from collectors.format_v1 import run_folder
from collectors.format_v1.case import case_folder_name
from collectors.launcher import launch, nsys
from collectors.messages import warn

NSYS, TORCH = "nsys", "torch-profiler"


class ProfileRequest(NamedTuple):
    """A profiler, and the number of measured steps that it profiles."""

    name: str
    steps: int


def run_profiles(campaign: launch.Campaign, profile: ProfileRequest) -> int:
    """Run each case once under a profiler, if no complete profile exists; return the first exit code not 0.

    Raises OSError if the logs cannot be written or a command does not exist.
    """
    for job in campaign.jobs:
        case = campaign.logs / case_folder_name(job.case)
        folder = _new_folder(case, profile.name, is_again=campaign.is_again)
        if folder is None:
            warn(f"{case}: has a complete profile of {profile.name}; --again adds another one")
            continue
        warn(f"[profile] {folder}")
        outcome = launch.run_once(
            job, folder, {"profiler": profile._asdict()}, _profiling(campaign, profile, folder)
        )
        if outcome.exit_code:
            return outcome.exit_code
        if profile.name == NSYS:
            nsys.read_report(folder)
        if not any(folder.glob("kernels.rank*.csv")):
            warn(f"{folder}: contains no kernels")
    return 0


def _profiling(campaign: launch.Campaign, profile: ProfileRequest, folder: Path) -> launch.Campaign:
    variables = {**campaign.variables, run_folder.PROFILE_VARIABLE: f"{profile.name}:{profile.steps}"}
    changed = campaign._replace(variables=variables, needs_steps=True, telemetry_interval=0.0)
    if profile.name != NSYS:
        return changed
    return changed._replace(wrap=lambda command: nsys.profiled(campaign.wrap(command), folder.resolve()))


def _new_folder(case: Path, name: str, *, is_again: bool) -> Optional[Path]:
    """Create the next folder of a profile; return None if a complete one exists. Raises OSError."""
    folders = [path for path in case.glob(f"{name}*") if re.fullmatch(rf"{name}[0-9]+", path.name)]
    if not is_again and any(run_folder.read_run(path).get("status") == "complete" for path in folders):
        return None
    case.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        folder = case / f"{name}{number}"
        if folder not in folders:
            folder.mkdir()
            return folder
    return None
