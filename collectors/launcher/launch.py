"""Start a training command once per repeat, each as a fresh process with its own run folder.

    python -m collectors run --logs logs/x --case model=resnet50 --repeats 7 -- python train.py

In go cases, a number of repeats and a command; out come run folders and the command's own exit code. The
child finds its folder in the environment variable REPORTGEN_RUN. Its output and signals are its own; what it
could not say about its end (killed, crashed, never recorded) is added to `run.json` afterwards.

A run folder is never written twice: complete repeats are counted and only the missing ones are run, an
incomplete one stays as it is and its repeat gets the next free number.
"""

import itertools
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Callable, NamedTuple

from collectors.format_v1 import run_folder
from collectors.format_v1.run_folder import Case, Factor
from collectors.launcher.child_process import Forwarding, tee
from collectors.launcher.exit_status import ended
from collectors.machine.sanitize_argv import command_to_record
from collectors.telemetry import watch


class Job(NamedTuple):
    """One case and the command that runs it once."""

    case: Case
    command: Sequence[str]


def _never(job: Job) -> str:
    return ""


class Campaign(NamedTuple):
    """What to run: every job until `repeats` complete runs of it exist below `logs`."""

    logs: Path
    jobs: Sequence[Job]
    repeats: int = 1
    is_interleaved: bool = True  # repeat 1 of every case, then repeat 2: drift favours no case
    is_again: bool = False  # run `repeats` more, however many there are
    keeps_going: bool = False
    saves_stdout: bool = False
    telemetry_interval: float = watch.DEFAULT_INTERVAL  # s between samples of the devices; 0: none
    node: int = 0  # of this launcher, where each node has one
    variables: Mapping[str, str] = {}  # to be set for the command
    answers: Sequence[str] = ("complete",)  # statuses with which a run is a repeat, and no failure
    skips: Callable[[Job], str] = _never  # asked before every run: why it shall not be, "" if it shall


def factor_value(text: str) -> Factor:
    """Return the value of a factor typed on a command line: integer, float, boolean or else text.

    "1_000" and " 1" stay text, although Python would read them as numbers; so do "nan" and "inf".
    """
    if text in ("true", "false"):
        return text == "true"
    if not text[:1].isspace() and not text[-1:].isspace() and "_" not in text:
        for number in (int, float):
            with suppress(ValueError):
                value = number(text)
                return value if abs(value) < float("inf") else text
    return text


def cases_of(settings: Sequence[str]) -> list[dict[str, Factor]]:
    """Return every combination of `name=value` settings; a name given twice has two values.

    Raises ValueError for a setting that is not name=value or a name the log has no place for.
    """
    values: dict[str, list[Factor]] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ValueError(f"--case {setting}: not name=value")
        values.setdefault(name, []).append(factor_value(text))
    combinations = [dict(zip(values, chosen)) for chosen in itertools.product(*values.values())]  # noqa: B905
    return [run_folder.check_case(case) for case in combinations]


def jobs_of(cases: Sequence[Case], command: Sequence[str]) -> list[Job]:
    """Return one job per case; `{factor}` in the command becomes the case's value."""
    return [Job(case, [_filled(word, case) for word in command]) for case in cases]


def _filled(word: str, case: Case) -> str:
    for name, value in case.items():
        word = word.replace("{" + name + "}", run_folder.factor_text(value))
    return word


def run_campaign(campaign: Campaign) -> int:
    """Run what is missing of a campaign; return 0, or the exit code of the first run that failed.

    A command killed by signal N gives 128 + N, as shells do. Raises OSError where the logs cannot be
    written or a command does not exist.
    """
    first_failure = 0
    queue = _queue(campaign)
    for number, job in enumerate(queue, 1):
        reason = campaign.skips(job)
        if reason:
            _say(f"[{number}/{len(queue)}] {run_folder.case_folder(job.case)}: skipped, {reason}")
            continue
        folder, repeat = run_folder.new_run_folder(campaign.logs, job.case, campaign.node)
        _say(f"[{number}/{len(queue)}] {folder}")
        end = _run_once(job, folder, repeat, campaign)
        first_failure = first_failure or end.exit_code
        if end.is_cancelled or (end.exit_code and not campaign.keeps_going):
            left = len(queue) - number
            if left:
                _say(f"stopped, {left} runs left; the same command goes on from here")
            break
    return first_failure


def _queue(campaign: Campaign) -> list[Job]:
    """Return the jobs to run, one entry per run."""
    missing = []
    for job in campaign.jobs:
        done = repeats_of(campaign, job)
        wanted = campaign.repeats if campaign.is_again else max(0, campaign.repeats - done)
        missing.append([job] * wanted)
        if done and not campaign.is_again:
            where = campaign.logs / run_folder.case_folder(job.case)
            more = f"--again adds {campaign.repeats} more"
            _say(f"{where}: {done} complete already, {wanted} to run; {more}")
    if not campaign.is_interleaved:
        return [job for same in missing for job in same]
    rounds = itertools.zip_longest(*missing)
    return [job for one_round in rounds for job in one_round if job is not None]


def repeats_of(campaign: Campaign, job: Job) -> int:
    """Return how many runs of a job have their answer."""
    runs = [run_folder.read_run(one, campaign.node) for one in run_folder.runs_of(campaign.logs, job.case)]
    return sum(1 for one in runs if one.get("status") in campaign.answers)


class _Ended(NamedTuple):
    exit_code: int  # as a shell has it; 0 where the run has its answer
    is_cancelled: bool  # a person or scheduler wanted the whole campaign to end


def _run_once(job: Job, folder: Path, repeat: int, campaign: Campaign) -> _Ended:
    begun = {
        "status": "running",
        "case": dict(job.case),
        "repeat": repeat,
        "command": command_to_record(job.command),
        "started_realtime_ns": run_folder.clock_pair()["realtime_ns"],
    }
    run_folder.write_run(folder, begun, campaign.node)
    environ = {**os.environ, **campaign.variables, run_folder.RUN_VARIABLE: str(folder.resolve())}
    pipe = subprocess.PIPE if campaign.saves_stdout else None
    with Forwarding() as signals, ExitStack() as stack:
        if campaign.telemetry_interval and watch.has_driver():
            stack.enter_context(watch.ChildWatch(folder, campaign.node, campaign.telemetry_interval))
            environ[watch.WATCHED_VARIABLE] = watch.host_id()
        try:
            child = subprocess.Popen(job.command, env=environ, stdout=pipe, bufsize=0)
        except OSError as error:
            reason = f"{job.command[0]}: {error.strerror}"
            run_folder.write_run(folder, {**begun, "status": "failed", "error": reason}, campaign.node)
            raise
        signals.hand_to(child)
        if child.stdout is not None:
            tee(child.stdout.fileno(), run_folder.stdout_path(folder))
        code = child.wait()
    run = ended(folder, begun, code, is_cancelled=signals.is_cancelled, node=campaign.node)
    if run["status"] != "complete":
        _say(f"{folder}: {run['status']}, {run.get('error', f'exit code {code}')}")
    try:
        run_folder.write_run(folder, run, campaign.node)
    except OSError as error:  # the command's exit code counts for more than our file
        _say(f"{folder}: the end of the run could not be written: {error.strerror}")
    if run["status"] in campaign.answers:
        code = 0
    return _Ended(code if code >= 0 else 128 - code, signals.is_cancelled)


def _say(message: str) -> None:
    with suppress(OSError, ValueError):
        print(f"reportgen: {message}", file=sys.stderr, flush=True)
