"""`python -m collectors sweep FILE`: run a campaign of workloads that a file describes.

    logs = "logs/h200"                   # JSON, or TOML if Python has tomllib (3.11)
    device = "cuda"
    skip_after_oom = true
    [[workloads]]
    name = ["roberta-base", "roberta-large"]
    seq_len = [128, 512]
    batch_size = [1, 8, 32, 128]

Each table of `workloads` is a command line of `bench`: its keys are the options, and lists give all
combinations. Keys at the top apply to all tables. All cases together are one campaign of the launcher, which
runs them in rounds, in an order that is drawn at random for each round, and continues where it stopped. A run
that is out of memory counts as a result: it is not repeated and does not count as a failure.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from collectors.format_v1 import run_folder
from collectors.format_v1.case import Case, case_folder_name, factor_text
from collectors.format_v1.clocks import read_clocks
from collectors.launcher import launch, rounds
from collectors.launcher.dry_run import cool_down_text
from collectors.launcher.remaining_time import parse_duration
from collectors.messages import OneLineParser, warn
from collectors.workloads import bench, settings
from collectors.workloads.early_stop import FEWEST_ROUNDS, EarlyStop, Pair, parse_pairs

EXAMPLE = """python -m collectors sweep roberta.toml --dry-run
       python -m collectors sweep roberta.toml --logs logs/h200"""
ANSWERS = ("complete", "out_of_memory")
_CAMPAIGN_OPTIONS = ("logs", "repeats", "timing")  # options of `bench` that are the same for all tables
_SWEEP_KEYS = ("title", "skip_after_oom", "seed", "cool_down", "workloads", "compare")


class Sweep(NamedTuple):
    """A campaign, and what the launcher does not need to know about it."""

    campaign: launch.Campaign
    skips_after_oom: bool
    tables: Sequence[argparse.Namespace]  # the options of each table
    pairs: Sequence[tuple[Path, Path, Sequence[str]]] = ()  # for EarlyStop


def main(argv: Sequence[str]) -> int:
    """Run a sweep or print its plan; raises ValueError for a wrong file, OSError for errors with files."""
    options = _parser().parse_args(argv)
    file = read_sweep_file(options.file)
    sweep = make_sweep(file, options.logs, is_again=options.again, seed=options.seed)
    cool_down = file.cool_down if options.cool_down is None else options.cool_down
    sweep = sweep._replace(campaign=sweep.campaign._replace(budget=options.budget, cool_down=cool_down))
    if options.dry_run:
        print("\n".join([*plan(sweep.campaign), *_describe_end(sweep)]))
        return 0
    for table in sweep.tables:
        reason = bench.missing_requirement(table)
        if reason:
            raise OSError(f"{options.file}: {' '.join(table.names)}: {reason}")
    return run(sweep, options.file.name)


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="python -m collectors sweep",
        usage=EXAMPLE,
        description="Run a campaign of workloads that a file describes, or continue where it stopped.",
    )
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="JSON or TOML; see docs/reference/workloads.md"
    )
    parser.add_argument("--logs", type=Path, help="folder, instead of the one in the file")
    parser.add_argument("--again", action="store_true", help="add repeats, regardless of existing runs")
    parser.add_argument(
        "--seed", type=settings.natural, metavar="N", help="of the order within rounds (default: drawn)"
    )
    parser.add_argument(
        "--budget",
        type=parse_duration,
        metavar="TIME",
        help="begin no run that would end after this time, such as 2h",
    )
    parser.add_argument(
        "--cool-down",
        type=parse_duration,
        metavar="TIME",
        help="longest pause before a run until the GPUs are as cool as before the first run",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the planned runs, and run nothing")
    return parser


def run(sweep: Sweep, name: str) -> int:
    """Run the missing runs of a sweep; return the exit code of the first failure other than out of memory.

    name   of the file, for the log of the sweep
    """
    campaign = sweep.campaign
    campaign.logs.mkdir(parents=True, exist_ok=True)
    log = SweepLog(campaign.logs)
    log.write(
        "begin", file=name, cases=len(campaign.jobs), repeats=campaign.repeats, order_seed=campaign.seed
    )

    def skip_reason(job: launch.Job) -> str:
        reason = out_of_memory_reason(campaign, job)
        if reason:
            log.write("skipped", case=dict(job.case), reason=reason)
        return reason

    def note_look(complete: int, ps: Sequence[float | None]) -> None:
        log.write("look", rounds=complete, p=ps)

    if sweep.skips_after_oom:
        campaign = campaign._replace(skip_reason=skip_reason)
    if sweep.pairs and not campaign.is_again:
        stop = EarlyStop(sweep.pairs, lambda: complete_rounds(sweep), note_look)
        campaign = campaign._replace(stop_reason=stop.reason)
    code = launch.run_campaign(campaign)
    if sweep.pairs and (complete := complete_rounds(sweep)) < min(FEWEST_ROUNDS, campaign.repeats):
        counts = f"complete rounds of its cases: {complete}, needed: {FEWEST_ROUNDS}"
        warn(f"no comparison was tested; {counts}")
    log.write("end", exit_code=code)
    return code


def complete_rounds(sweep: Sweep) -> int:
    """Return how many rounds of the compared cases are complete; the others may fail or be skipped."""
    campaign = sweep.campaign
    compared = {folder for *folders, _ in sweep.pairs for folder in folders}
    jobs = [job for job in campaign.jobs if campaign.logs / case_folder_name(job.case) in compared]
    return min(launch.count_repeats(campaign, job) for job in jobs)


class SweepLog:
    """`sweep.jsonl` next to the cases: one JSON line for each start, end and skipped run."""

    def __init__(self, logs: Path) -> None:
        self._path = logs / "sweep.jsonl"

    def write(self, event: str, **facts: object) -> None:
        """Append a line; raises OSError."""
        line = {"realtime_ns": read_clocks()["realtime_ns"], "event": event, **facts}
        with self._path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class SweepFile:
    """The content of a sweep file.

    seed       of the order within rounds; None: drawn
    cool_down  s; the longest pause before a run; None: no pause
    common     the options at the top, which apply to all tables
    tables     the options of each table of `workloads`
    pairs      the comparisons that end the sweep once all are decided
    """

    path: Path
    skip_after_oom: bool
    seed: int | None
    cool_down: float | None
    common: Mapping[str, Any]
    tables: Sequence[Mapping[str, Any]]
    pairs: Sequence[Pair]


def read_sweep_file(path: Path) -> SweepFile:
    """Return the content of a sweep file; raises ValueError with the place in the file, or OSError."""
    content = _read_json_or_toml(path)
    tables = content.get("workloads")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise ValueError(f"{path}: workloads: not a list of tables; write [[workloads]] with a name")
    skip_after_oom = content.get("skip_after_oom", False)
    if not isinstance(skip_after_oom, bool):
        raise ValueError(f"{path}: skip_after_oom: {skip_after_oom!r} is not a boolean; use true or false")
    seed = content.get("seed")
    if seed is not None and (type(seed) is not int or seed < 0):
        raise ValueError(f"{path}: seed: {seed!r} is not a seed; use a number of 0 or more")
    try:
        cool_down = parse_duration(str(content["cool_down"])) if "cool_down" in content else None
        pairs = parse_pairs(content.get("compare", []), len(tables))
    except argparse.ArgumentTypeError as error:
        raise ValueError(f"{path}: cool_down: {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    common = {key: value for key, value in content.items() if key not in _SWEEP_KEYS}
    return SweepFile(path, skip_after_oom, seed, cool_down, common, tables, pairs)


def _read_json_or_toml(path: Path) -> dict[str, Any]:
    """Return the content of a file; raises ValueError, OSError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        examples = "collectors/workloads/campaigns"
        raise FileNotFoundError(f"{path}: no such file; for examples see {examples}") from None
    try:
        if path.suffix != ".toml":
            content = json.loads(text)
        else:
            try:
                import tomllib
            except ImportError:  # Python 3.10 and earlier
                reason = "TOML needs Python 3.11; use Python 3.11, or write the file as JSON"
                raise ValueError(reason) from None
            content = tomllib.loads(text)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path}: not an object; for its keys see docs/reference/workloads.md")
    return content


def make_sweep(
    file: SweepFile, logs: Path | None = None, *, is_again: bool = False, seed: int | None = None
) -> Sweep:
    """Return the sweep that a file describes; raises ValueError with the place in the file.

    logs, seed   instead of those in the file
    """
    seed = file.seed if seed is None else seed
    if logs is None and "logs" not in file.common:
        raise ValueError(f'{file.path}: no logs; write logs = "logs/<campaign>", or use --logs')
    tables = []
    for number, table in enumerate(file.tables):
        try:
            tables.append(table_options(file.common, table))
        except ValueError as error:
            raise ValueError(f"{file.path}: workloads[{number}]: {error}") from None
    first = tables[0]  # the options of the campaign are the same in all tables
    campaign = launch.Campaign(
        logs=logs or first.logs,
        jobs=launch.add_device(_make_jobs(file.path, tables)),
        repeats=first.repeats,
        order="random",
        seed=rounds.draw_seed() if seed is None else seed,
        is_again=is_again,
        keeps_going=True,
        needs_steps=True,
        variables=bench.child_variables(first),
        answers=ANSWERS,
    )
    return Sweep(campaign, file.skip_after_oom, tables, _folders_of_pairs(file, campaign, tables))


def _folders_of_pairs(
    file: SweepFile, campaign: launch.Campaign, tables: Sequence[argparse.Namespace]
) -> list[tuple[Path, Path, Sequence[str]]]:
    """Return the folders of the pairs; raises ValueError if a table of a pair has several cases."""
    if not file.pairs:
        return []
    counts = [len(bench.make_jobs(options)) for options in tables]
    for number, pair in enumerate(file.pairs):
        for workload in (pair.case, pair.baseline):
            if counts[workload] > 1:
                reason = f"workloads[{workload}] has {counts[workload]} cases; write a table for each"
                raise ValueError(f"{file.path}: compare[{number}]: {reason}")
    starts = [sum(counts[:number]) for number in range(len(counts))]
    folders = [campaign.logs / case_folder_name(campaign.jobs[start].case) for start in starts]
    return [(folders[pair.case], folders[pair.baseline], pair.options) for pair in file.pairs]


def table_options(common: Mapping[str, Any], table: Mapping[str, Any]) -> argparse.Namespace:
    """Return the options of `bench` for a table; raises ValueError.

    common   keys at the top of the file; those of the table take precedence
    """
    parser = bench.make_parser()
    _validate_keys(parser, common, table)
    words = _words("name", table["name"])
    for key, value in {**common, **table}.items():
        if key != "name":
            words += ["--" + key.replace("_", "-"), *_words(key, value)]
    try:
        return bench.parse_options(parser, words)
    except ValueError as error:  # argparse names the options of the command line
        message = re.sub(r"^argument (?:--)?([\w-]+)", lambda match: match[1].replace("-", "_"), str(error))
        raise ValueError(message) from None


def _validate_keys(
    parser: argparse.ArgumentParser, common: Mapping[str, Any], table: Mapping[str, Any]
) -> None:
    """Raise ValueError for an unknown, misplaced or missing key."""
    options = vars(parser.parse_args(["matmul"]))
    allowed = [name for name in options if name not in ("names", "here", "again")]
    for key in (*common, *table):
        if key not in allowed and key != "name":
            matches = difflib.get_close_matches(key, [*allowed, "name", *_SWEEP_KEYS], 1)
            remedy = f"did you mean {matches[0]}?" if matches else f"use {', '.join(allowed)}"
            raise ValueError(f"no option {key}; {remedy}")
    for key in table:
        if key in _CAMPAIGN_OPTIONS:
            raise ValueError(f"{key}: applies to all tables; move it to the top of the file")
    if "name" in common:
        raise ValueError("name: belongs to a table; move it into a table of workloads")
    if "name" not in table:
        raise ValueError("no name; add the name of a workload or a list of names")


def _words(key: str, value: object) -> list[str]:
    """Return a value of the file as words of a command line; raises ValueError for a nested value."""
    words = []
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, (str, int, float)) or item == "" or str(item).startswith("--"):
            raise ValueError(f"{key}: {item!r} is not allowed; use text, numbers, booleans or a list of them")
        words.append({True: "yes", False: "no"}[item] if isinstance(item, bool) else str(item))
    if not words:
        raise ValueError(f"{key}: empty list; give a value, or remove the key")
    return words


def _make_jobs(path: Path, tables: Sequence[argparse.Namespace]) -> list[launch.Job]:
    """Return the jobs of all tables; raises ValueError if two tables have a case in common."""
    jobs: list[launch.Job] = []
    table_of: dict[str, int] = {}
    for number, options in enumerate(tables):
        for job in bench.make_jobs(options):
            folder = case_folder_name(job.case)
            if folder in table_of:
                both = f"workloads[{number}] and workloads[{table_of[folder]}]"
                raise ValueError(f"{path}: {both} have the same case {folder}; remove it from one of them")
            table_of[folder] = number
            jobs.append(job)
    return jobs


def plan(campaign: launch.Campaign) -> list[str]:
    """Return lines that list the planned runs in their order."""
    complete = [launch.count_repeats(campaign, job) for job in campaign.jobs]
    again = campaign.repeats if campaign.is_again else 0
    missing = [again or max(0, campaign.repeats - count) for count in complete]
    cases = [job.case for job in campaign.jobs]
    common = [name for name in cases[0] if all(case.get(name) == cases[0][name] for case in cases)]
    lines = [
        f"{campaign.logs}: {len(cases)} cases, {campaign.repeats} repeats each: "
        f"{sum(missing)} runs to do, {sum(complete)} complete",
        "every case: " + _factors_text(cases[0], common),
        "runs and case (a round has one run of each incomplete case, in an order that is drawn):",
    ]
    for case, count in zip(cases, missing):  # noqa: B905 - Python 3.9 has no strict
        lines.append(f"{count:4}  {_factors_text(case, [name for name in case if name not in common])}")
    return lines


def _describe_end(sweep: Sweep) -> list[str]:
    """Return lines about the pauses and the early end of a sweep."""
    limit, pairs = sweep.campaign.cool_down, len(sweep.pairs)
    lines = [] if limit is None else [cool_down_text(limit)]
    if pairs and sweep.campaign.repeats > FEWEST_ROUNDS and not sweep.campaign.is_again:
        pairs_text = "the comparison is" if pairs == 1 else f"all {pairs} comparisons are"
        lines.append(f"ends early once {pairs_text} decided, from round {FEWEST_ROUNDS} on")
    return lines


def _factors_text(case: Case, names: Sequence[str]) -> str:
    return " ".join(f"{name}={factor_text(case[name])}" for name in names)


def out_of_memory_reason(campaign: launch.Campaign, job: launch.Job) -> str:
    """Return which batch size up to the job's, all else equal, ran out of memory; "" if none did.

    A batch size that has also completed in another run does not count.
    """
    batch_size = job.case.get("batch_size")
    if not isinstance(batch_size, int):
        return ""
    for other in campaign.jobs:
        size = other.case.get("batch_size")
        differs_in_size_only = {**other.case, "batch_size": batch_size} == job.case
        if differs_in_size_only and isinstance(size, int) and size <= batch_size:
            folders = run_folder.list_run_folders(campaign.logs, other.case)
            statuses = {run_folder.read_run(folder).get("status") for folder in folders}
            if "out_of_memory" in statuses and "complete" not in statuses:
                return f"out of memory with batch_size {size}"
    return ""
