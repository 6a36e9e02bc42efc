"""Describe the runs that a campaign would make, without making them."""

from collectors.format_v1.case import case_folder_name
from collectors.launcher.launch import Campaign, missing_runs
from collectors.launcher.remaining_time import duration_text
from collectors.machine import environment
from collectors.machine.sanitize_argv import sanitize


def describe(campaign: Campaign) -> list[str]:
    """Return lines with the commands, the runs in their order, and the environment, without secrets."""
    queue = [case_folder_name(job.case) for job, _ in missing_runs(campaign)]
    order = f"{campaign.order}, seed {campaign.seed}" if campaign.order == "random" else campaign.order
    lines = [f"{campaign.logs}: {len(queue)} runs of {len(campaign.jobs)} cases, order: {order}"]
    for job in campaign.jobs:
        case = case_folder_name(job.case)
        lines.append(f"{case}: {queue.count(case)} runs of: {' '.join(sanitize(job.command))}")
    lines += [f"{number:4}  {campaign.logs / case}" for number, case in enumerate(queue, 1)]
    known = {**environment.capture_host().get("variables", {}), **campaign.variables}
    lines.append(
        "environment: " + (" ".join(f"{name}={known[name]}" for name in sorted(known)) or "nothing set")
    )
    interval = campaign.telemetry_interval
    lines.append(f"telemetry: every {interval:g} s" if interval else "telemetry: off")
    if campaign.cool_down is not None:
        lines.append(cool_down_text(campaign.cool_down))
    return lines


def cool_down_text(limit: float) -> str:
    """Return a line about the pauses between runs, of at most so many s."""
    return f"before each run: at most {duration_text(limit)} until the GPUs are cool"
