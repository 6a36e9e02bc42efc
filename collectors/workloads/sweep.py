"""`python -m collectors sweep FILE`: run a campaign of workloads that a file describes.

    logs = "logs/h200"                   # JSON, or TOML where Python has tomllib (3.11)
    device = "cuda"
    skip_after_oom = true
    [[workloads]]
    name = ["roberta-base", "roberta-large"]
    seq_len = [128, 512]
    batch_size = [1, 8, 32, 128]

A table of `workloads` is a command line of `bench`: its keys are the options, lists give every combination.
Keys at the top hold for all tables. All cases together are one campaign of the launcher: interleaved, and
resumed where it stopped. Running out of memory answers a run as a time does, so it is not repeated for ever
and does not fail the campaign.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from collectors.format_v1 import run_folder
from collectors.launcher import launch
from collectors.workloads import bench

EXAMPLE = """python -m collectors sweep roberta.toml --dry-run
       python -m collectors sweep roberta.toml --logs logs/h200"""
ANSWERS = ("complete", "out_of_memory")
_TOP = ("logs", "repeats", "timing")  # options of `bench` that cannot differ within a campaign
_OWN = ("title", "skip_after_oom", "workloads")


class Sweep(NamedTuple):
    """A campaign, and what the launcher does not know of it."""

    campaign: launch.Campaign
    skips_after_oom: bool
    needs: Sequence[argparse.Namespace]  # the options of each table, to ask what this host lacks


def main(argv: Sequence[str]) -> int:
    """Run a sweep or print its plan; raises ValueError for a wrong file, OSError for trouble with files."""
    options = _parser().parse_args(argv)
    sweep = sweep_of(options.file, options.logs, is_again=options.again)
    if options.dry_run:
        print("\n".join(plan(sweep.campaign)))
        return 0
    for one in sweep.needs:
        trouble = bench.missing(one)
        if trouble:
            raise OSError(f"{options.file}: {' '.join(one.names)}: {trouble}")
    return run(sweep, options.file.name)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m collectors sweep",
        usage=EXAMPLE,
        description="Run a campaign of workloads that a file describes, or go on where it stopped.",
    )
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="JSON or TOML; see docs/reference/workloads.md"
    )
    parser.add_argument("--logs", type=Path, help="folder, instead of the file's")
    parser.add_argument("--again", action="store_true", help="run as many repeats more, whatever is there")
    parser.add_argument("--dry-run", action="store_true", help="print what would be run, and run nothing")
    return parser


def run(sweep: Sweep, name: str) -> int:
    """Run what is missing of a sweep; return the exit code of the first failure that is not one of memory.

    name   of the file, for the sweep's log
    """
    campaign = sweep.campaign
    campaign.logs.mkdir(parents=True, exist_ok=True)
    log = SweepLog(campaign.logs)
    log.note("begin", file=name, cases=len(campaign.jobs), repeats=campaign.repeats)

    def skipped(job: launch.Job) -> str:
        reason = too_large(campaign, job)
        if reason:
            log.note("skipped", case=dict(job.case), reason=reason)
        return reason

    code = launch.run_campaign(campaign._replace(skips=skipped) if sweep.skips_after_oom else campaign)
    log.note("end", exit_code=code)
    return code


class SweepLog:
    """`sweep.jsonl` beside the cases: a line of JSON for each begin, end and skipped run, for people."""

    def __init__(self, logs: Path) -> None:
        self._path = logs / "sweep.jsonl"

    def note(self, event: str, **facts: object) -> None:
        """Append a line; raises OSError."""
        line = {"realtime_ns": run_folder.clock_pair()["realtime_ns"], "event": event, **facts}
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def sweep_of(path: Path, logs: "Path | None" = None, *, is_again: bool = False) -> Sweep:
    """Return what a file describes; raises ValueError with the place in the file, or OSError.

    logs   instead of the file's
    """
    content = read(path)
    tables = content.get("workloads")
    if not isinstance(tables, list) or not tables or not all(isinstance(one, dict) for one in tables):
        raise ValueError(f"{path}: workloads: not a list of tables; write [[workloads]] with a name")
    skips = content.get("skip_after_oom", False)
    if not isinstance(skips, bool):
        raise ValueError(f"{path}: skip_after_oom: {skips!r} is not true or false")
    common = {key: value for key, value in content.items() if key not in _OWN}
    if logs is None and "logs" not in common:
        raise ValueError(f'{path}: no logs; write logs = "logs/<campaign>", or give --logs')
    found = []
    for number, table in enumerate(tables):
        try:
            found.append(options_of(common, table))
        except ValueError as error:
            raise ValueError(f"{path}: workloads[{number}]: {error}") from None
    first = found[0]
    campaign = launch.Campaign(
        logs=logs or first.logs,
        jobs=_jobs(path, found),
        repeats=first.repeats,
        is_again=is_again,
        keeps_going=True,
        variables=bench.variables(first),
        answers=ANSWERS,
    )
    return Sweep(campaign, skips, found)


def read(path: Path) -> dict[str, Any]:
    """Return the content of a JSON or TOML file; raises ValueError, OSError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{path}: no such file; there are some in collectors/workloads/campaigns"
        ) from None
    try:
        if path.suffix != ".toml":
            content = json.loads(text)
        else:
            try:
                import tomllib
            except ImportError:  # Python 3.10 and before
                reason = "TOML needs Python 3.11; use that, or write the same as JSON"
                raise ValueError(reason) from None
            content = tomllib.loads(text)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path}: not an object; write the keys of docs/reference/workloads.md")
    return content


def options_of(common: Mapping[str, Any], table: Mapping[str, Any]) -> argparse.Namespace:
    """Return the options of `bench` for one table; raises ValueError.

    common   keys at the top of the file, which the table overrides
    """
    parser = bench.parser_of_options()
    known = [name for name in vars(parser.parse_args(["matmul"])) if name not in ("names", "here", "again")]
    for key in (*common, *table):
        if key not in known and key != "name":
            near = difflib.get_close_matches(key, [*known, "name", *_OWN], 1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
            raise ValueError(f"no option {key}{hint}")
    misplaced = [key for key in table if key in _TOP] + [key for key in common if key == "name"]
    if misplaced:
        where = "in a table of workloads" if misplaced == ["name"] else "at the top of the file"
        raise ValueError(f"{misplaced[0]}: belongs {where}")
    if "name" not in table:
        raise ValueError("no name; name the workload or a list of workloads")
    words = _words("name", table["name"])
    for key, value in {**common, **table}.items():
        if key != "name":
            words += ["--" + key.replace("_", "-"), *_words(key, value)]
    try:
        return bench.understood(parser, words)
    except ValueError as error:  # argparse speaks of the command line
        said = re.sub(r"^argument (?:--)?([\w-]+)", lambda it: it[1].replace("-", "_"), str(error))
        raise ValueError(said) from None


def _words(key: str, value: object) -> list[str]:
    """Return a value of the file as words of a command line; ValueError for a table, a list of lists, ..."""
    words = []
    for one in value if isinstance(value, list) else [value]:
        if not isinstance(one, (str, int, float)) or one == "" or str(one).startswith("--"):
            raise ValueError(f"{key}: {one!r} is not text, a number, true or false, nor a list of them")
        words.append({True: "yes", False: "no"}[one] if isinstance(one, bool) else str(one))
    if not words:
        raise ValueError(f"{key}: an empty list; give a value, or leave the key out")
    return words


def _jobs(path: Path, found: Sequence[argparse.Namespace]) -> list[launch.Job]:
    jobs: dict[str, tuple[int, launch.Job]] = {}
    for number, options in enumerate(found):
        for job in bench.jobs(options):
            folder = run_folder.case_folder(job.case)
            if folder in jobs:
                here, there = f"{path}: workloads[{number}]", f"workloads[{jobs[folder][0]}]"
                raise ValueError(f"{here}: makes a case of {there} again: {folder}; leave one out")
            jobs[folder] = number, job
    return [job for _, job in jobs.values()]


def plan(campaign: launch.Campaign) -> list[str]:
    """Return lines that say how many runs there will be, and of what, in their order."""
    done = [launch.repeats_of(campaign, job) for job in campaign.jobs]
    again = campaign.repeats if campaign.is_again else 0
    wanted = [again or max(0, campaign.repeats - count) for count in done]
    cases = [job.case for job in campaign.jobs]
    same = [name for name in cases[0] if all(case.get(name) == cases[0][name] for case in cases)]
    lines = [
        f"{campaign.logs}: {len(cases)} cases, {campaign.repeats} repeats each: "
        f"{sum(wanted)} runs to do, {sum(done)} are there",
        "every case: " + _factors(cases[0], same),
        "runs and case, in the order of every round (one run of each case that lacks one):",
    ]
    for case, count in zip(cases, wanted):  # noqa: B905 (Python 3.9)
        lines.append(f"{count:4}  {_factors(case, [name for name in case if name not in same])}")
    return lines


def _factors(case: run_folder.Case, names: Sequence[str]) -> str:
    return " ".join(f"{name}={run_folder.factor_text(case[name])}" for name in names)


def too_large(campaign: launch.Campaign, job: launch.Job) -> str:
    """Say which batch, no larger than the job's and else the same, ran out of memory; "" if none did.

    A batch that has also been run to the end, on a better day, is not held against the larger ones.
    """
    own = job.case.get("batch_size")
    if not isinstance(own, int):
        return ""
    for other in campaign.jobs:
        size = other.case.get("batch_size")
        is_alike = {**other.case, "batch_size": own} == job.case
        if is_alike and isinstance(size, int) and size <= own:
            folders = run_folder.runs_of(campaign.logs, other.case)
            ends = {run_folder.read_run(folder).get("status") for folder in folders}
            if "out_of_memory" in ends and "complete" not in ends:
                return f"out of memory with batch_size {size}"
    return ""
