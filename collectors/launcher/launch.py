"""Start a command once per repeat, each in a fresh process with its own run folder.

    python -m collectors run --logs logs/x --case model=resnet50 --repeats 7 -- python train.py

The input is a list of cases, a number of repeats and a command. The output is run folders and the exit code
of the command. The child gets the path of its folder in the environment variable REPORTGEN_RUN. Its output
and signals pass through. What the child could not record about its end (killed, crashed, no recorder) is
added to `run.json` afterwards. A command without a recorder has no steps: its wall time and the environment
of the host are recorded.

No run folder is written twice. Complete repeats are counted and only the missing ones are run. An incomplete
run is left as it is, and its repeat gets the next free number.
"""

import itertools
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from pathlib import Path
from time import monotonic_ns
from types import MappingProxyType
from typing import Any, Callable, NamedTuple, Optional

from collectors.format_v1 import run_folder
from collectors.format_v1.case import Case, Factor, case_folder_name, factor_text, validate_case
from collectors.format_v1.clocks import read_clocks
from collectors.launcher import command_checks, rounds
from collectors.launcher.claims import RepeatClaim
from collectors.launcher.cool_down import CoolDown, first_temperature, pause_of
from collectors.launcher.exit_status import CommandEnd, finish_record
from collectors.launcher.forward_signals import SignalForwarder
from collectors.launcher.remaining_time import RemainingTime
from collectors.launcher.saved_output import ProcessEnd, wait_and_save_output
from collectors.machine import device_model, environment
from collectors.machine.gpu_temperature import hottest_gpu
from collectors.machine.sanitize_argv import sanitize, sanitize_text
from collectors.messages import warn
from collectors.telemetry import watch

_VARIANT = "variant"  # the factor that names one of two compared commands


class Job(NamedTuple):
    """A case and the command that runs it once.

    detected  names in the case that the launcher has detected, not been given
    """

    case: Case
    command: Sequence[str]
    detected: Sequence[str] = ()


def _never(job: Job) -> str:
    return ""


def _continue() -> str:
    return ""


class Campaign(NamedTuple):
    """Jobs to run until `repeats` complete runs of each exist below `logs`."""

    logs: Path
    jobs: Sequence[Job]
    repeats: int = 1
    order: str = "interleaved"  # one of rounds.ORDERS
    seed: int = 0  # of the order random
    is_again: bool = False  # run `repeats` more, regardless of existing runs
    keeps_going: bool = False
    saves_stdout: bool = False
    telemetry_interval: float = watch.DEFAULT_INTERVAL_SECONDS  # 0: no telemetry
    uses_dcgm: bool = False  # telemetry with DCGM's profiling counters
    node: int = 0  # of this launcher, with one launcher per node
    variables: Mapping[str, str] = {}  # environment variables of the command
    needs_steps: bool = False  # a command without a recorder has failed
    answers: Sequence[str] = ("complete",)  # statuses that count as a repeat and not as a failure
    budget: Optional[float] = None  # s; no run begins that would end after it
    cool_down: Optional[float] = None  # s; the longest pause before a run until the GPUs are cool
    skip_reason: Callable[[Job], str] = _never  # called before each run; "" to run it
    stop_reason: Callable[[], str] = _continue  # the same, for all that is left
    wrap: Callable[[Sequence[str]], Sequence[str]] = list  # a job's command -> what is started


def parse_factor(text: str) -> Factor:
    """Return the value of a factor from a command line: an integer, float or boolean, otherwise text.

    "1_000" and " 1" stay text, although Python reads them as numbers; so do "nan" and "inf".
    """
    if text in ("true", "false"):
        return text == "true"
    if not text[:1].isspace() and not text[-1:].isspace() and "_" not in text:
        for number in (int, float):
            with suppress(ValueError):
                value = number(text)
                return value if abs(value) < float("inf") else text
    return text


def parse_cases(settings: Sequence[str]) -> list[dict[str, Factor]]:
    """Return all combinations of `name=value` settings; a name that occurs twice has two values.

    Raises ValueError for a setting without `=` and for a name that the format does not allow.
    """
    values: dict[str, list[Factor]] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ValueError(f"--case {setting}: not a factor; use name=value")
        values.setdefault(name, []).append(parse_factor(text))
    combinations = [dict(zip(values, chosen)) for chosen in itertools.product(*values.values())]  # noqa: B905
    return [validate_case(case) for case in combinations]


def make_jobs(cases: Sequence[Case], command: Sequence[str]) -> list[Job]:
    """Return one job per case; in the command `{factor}` becomes its value, and `{{factor}}` `{factor}`."""
    return [Job(case, [_substitute(word, case) for word in command]) for case in cases]


def make_compared_jobs(cases: Sequence[Case], command: Sequence[str], other: Sequence[str]) -> list[Job]:
    """Return two jobs per case: the factor `variant` is `main` for the command, `against` for the other."""
    jobs = []
    for case in cases:
        if _VARIANT in case:
            raise ValueError(f"--case {_VARIANT}: --against sets this factor; use another name")
        jobs += make_jobs([{**case, _VARIANT: "main"}], command)
        jobs += make_jobs([{**case, _VARIANT: "against"}], other)
    return jobs


def add_device(jobs: Sequence[Job], variables: Mapping[str, str] = MappingProxyType({})) -> list[Job]:
    """Return jobs with the factor `device`: repeats on another model of GPU are another case.

    variables  environment variables of the commands
    """
    detected = device_model.add_device({}, {**os.environ, **variables})
    return [
        job._replace(case={**job.case, **detected}, detected=list(detected))
        if device_model.DEVICE not in job.case
        else job
        for job in jobs
    ]


def _substitute(word: str, case: Case) -> str:
    names = "|".join(map(re.escape, case))
    if not names:
        return word
    return re.sub(
        rf"\{{(\{{(?:{names})\}})\}}|\{{({names})\}}",
        lambda match: match[1] or factor_text(case[match[2]]),
        word,
    )


def run_campaign(campaign: Campaign) -> int:
    """Run the missing runs of a campaign; return 0, or the exit code of the first run that failed.

    A command that signal N killed gives 128 + N, as in shells. A run that failed although its command exited
    with 0 gives 1. Raises OSError if the logs cannot be written or a command does not exist.
    """
    first_failure = 0
    _check_commands(campaign)
    queue = missing_runs(campaign)
    time = _remaining_time(campaign)
    cool_down = _cool_down(campaign)
    cases = [case_folder_name(job.case) for job, _ in queue]
    for number, (job, facts) in enumerate(queue, 1):
        reason = campaign.skip_reason(job)
        if reason:
            warn(f"[{number}/{len(queue)}] {case_folder_name(job.case)}: skipped, {reason}")
            continue
        reason = campaign.stop_reason()
        if reason:
            warn(f"stopped: {reason}; runs left out: {len(queue) - number + 1}")
            break
        reason = time.over_budget(cases[number - 1])
        if reason:
            warn(f"stopped: {reason}; {_describe_rest(len(queue) - number + 1)}")
            break
        facts = {**facts, **(cool_down.wait() if cool_down else {})}
        try:
            folder, repeat = run_folder.create_run_folder(campaign.logs, job.case, campaign.node)
        except OSError as error:
            reason = f"cannot be written: {error.strerror}; use another folder for --logs"
            raise OSError(f"{campaign.logs}: {reason}") from None
        claim = _claim(folder, job, campaign)
        if claim is None:
            warn(f"[{number}/{len(queue)}] {folder.parent}: another launcher runs the rest")
            continue
        with claim:
            warn(f"[{number}/{len(queue)}{time.prefix(cases[number - 1 :])}] {folder}")
            outcome = run_once(job, folder, {"repeat": repeat, **facts}, campaign)
        if not outcome.exit_code:
            time.add(cases[number - 1], outcome.seconds + pause_of(facts) / 1e9)
        first_failure = first_failure or outcome.exit_code
        if outcome.is_cancelled or (outcome.exit_code and not campaign.keeps_going):
            left = len(queue) - number
            if left:
                warn(f"stopped; {_describe_rest(left)}")
            break
    return first_failure


def _describe_rest(runs: int) -> str:
    return f"runs left: {runs}; the same command continues here"


def _remaining_time(campaign: Campaign) -> RemainingTime:
    """Return the estimate of the remaining time, with the durations of the complete runs."""
    time = RemainingTime(campaign.budget)
    for job in campaign.jobs:
        for folder in run_folder.list_run_folders(campaign.logs, job.case):
            run = run_folder.read_run(folder, campaign.node)
            wall_time = run.get("wall_time_ns")
            if run.get("status") in campaign.answers and isinstance(wall_time, int):
                time.add(case_folder_name(job.case), (wall_time + pause_of(run)) / 1e9)
    return time


def _cool_down(campaign: Campaign) -> Optional[CoolDown]:
    if campaign.cool_down is None:
        return None
    environ = {**os.environ, **campaign.variables}
    folders = [path for job in campaign.jobs for path in run_folder.list_run_folders(campaign.logs, job.case)]
    runs = (run_folder.read_run(folder, campaign.node) for folder in folders)
    return CoolDown(campaign.cool_down, first_temperature(runs), lambda: hottest_gpu(environ))


def _claim(folder: Path, job: Job, campaign: Campaign) -> Optional[AbstractContextManager[object]]:
    """Claim a run folder; return None and remove the folder if other launchers run enough of this job."""
    if any(folder.iterdir()):  # the launcher of another node has claimed it
        return nullcontext()
    claim = RepeatClaim(folder)
    folders = run_folder.list_run_folders(campaign.logs, job.case)
    if campaign.is_again or claim.is_needed(folders, campaign.repeats, campaign.answers, campaign.node):
        return claim
    claim.give_back()
    return None


def _check_commands(campaign: Campaign) -> None:
    commands = [sanitize(job.command) for job in campaign.jobs]
    for job in campaign.jobs:
        campaign.wrap(job.command)
    warnings = command_checks.equal_command_warnings([job.case for job in campaign.jobs], commands)
    for job, command in zip(campaign.jobs, commands):  # noqa: B905
        folders = run_folder.list_run_folders(campaign.logs, job.case)
        runs = [run_folder.read_run(folder, campaign.node) for folder in folders]
        answers = [run for run in runs if run.get("status") in campaign.answers]
        case = campaign.logs / case_folder_name(job.case)
        warnings += command_checks.other_command_warnings(case, answers, command)
    for warning in warnings:
        warn(warning)


def missing_runs(campaign: Campaign) -> list[tuple[Job, dict[str, int]]]:
    """Return the jobs in the order they are run, one entry per run, with the facts about its round."""
    jobs = {case_folder_name(job.case): job for job in campaign.jobs}
    missing = {}
    for case, job in jobs.items():
        complete = count_repeats(campaign, job)
        missing[case] = campaign.repeats if campaign.is_again else max(0, campaign.repeats - complete)
        if complete and not campaign.is_again:
            text = f"{complete} complete{_how_many_lack_steps(campaign, job)}, {missing[case]} to run"
            warn(f"{campaign.logs / case}: {text}; --again adds {campaign.repeats} more")
    first_round = 1 + max((_last_round(campaign, job) for job in campaign.jobs), default=0)
    turns = rounds.arrange(missing, campaign.order, first_round=first_round, seed=campaign.seed)
    return [(jobs[turn.case], _round_facts(campaign, turn.round)) for turn in turns]


def _how_many_lack_steps(campaign: Campaign, job: Job) -> str:
    """Return " (2 without steps)" if complete runs of a job have none: perhaps a recorder was forgotten."""
    folders = run_folder.list_run_folders(campaign.logs, job.case)
    complete = [
        path for path in folders if run_folder.read_run(path, campaign.node).get("status") == "complete"
    ]
    count = sum(not any(path.glob("steps.rank*.csv")) for path in complete)
    return f" ({count} without steps)" if count else ""


def _round_facts(campaign: Campaign, number: Optional[int]) -> dict[str, int]:
    return {} if number is None else {"round": number, "order_seed": campaign.seed}


def _last_round(campaign: Campaign, job: Job) -> int:
    """Return the highest number of a round that the runs of a job have recorded."""
    folders = run_folder.list_run_folders(campaign.logs, job.case)
    numbers = [run_folder.read_run(folder, campaign.node).get("round") for folder in folders]
    return max((number for number in numbers if isinstance(number, int)), default=0)


def count_repeats(campaign: Campaign, job: Job) -> int:
    """Return how many runs of a job have one of the statuses in `campaign.answers`."""
    folders = run_folder.list_run_folders(campaign.logs, job.case)
    statuses = [run_folder.read_run(folder, campaign.node).get("status") for folder in folders]
    return sum(status in campaign.answers for status in statuses)


class RunOutcome(NamedTuple):
    """The result of a run."""

    exit_code: int  # as in a shell; 0 if the status is one of `answers`
    seconds: float  # the wall time of the command
    is_cancelled: bool  # a user or scheduler wants to end the whole campaign


def run_once(job: Job, folder: Path, facts: Mapping[str, Any], campaign: Campaign) -> RunOutcome:
    """Run a job once; `facts` are members of `run.json`: the numbers of its repeat and of its round."""
    started: dict[str, Any] = {
        "status": "running",
        "case": dict(job.case),
        **facts,
        "command": sanitize(job.command),
        "started_realtime_ns": read_clocks()["realtime_ns"],
    }
    if job.detected:
        started["detected"] = list(job.detected)
    run_folder.write_run(folder, started, campaign.node)
    try:
        end = _run_command(job.command, folder, campaign)
    except OSError as error:
        reason = sanitize_text(f"{job.command[0]}: {error.strerror}")
        run_folder.write_run(folder, {**started, "status": "failed", "error": reason}, campaign.node)
        raise
    run = finish_record(folder, started, end, node=campaign.node, needs_steps=campaign.needs_steps)
    try:
        run_folder.write_run(folder, run, campaign.node)
        if not run_folder.environment_path(folder, campaign.node).exists():
            run_folder.write_environment(folder, campaign.node, [], environment.capture_host())
    except OSError as error:  # the exit code of the command matters more than these files
        warn(f"{folder}: the end of the run could not be written: {error.strerror}")
    _warn_of_end(folder, run)
    is_answer = run["status"] in campaign.answers
    code = end.code if end.code >= 0 else 128 - end.code
    return RunOutcome(0 if is_answer else code or 1, end.wall_time_ns / 1e9, end.cancelled_ns is not None)


def _run_command(command: Sequence[str], folder: Path, campaign: Campaign) -> CommandEnd:
    """Run a command to its end; raises OSError if it does not exist."""
    environ = {**os.environ, **campaign.variables, run_folder.RUN_VARIABLE: str(folder.resolve())}
    pipe = subprocess.PIPE if campaign.saves_stdout else None
    with SignalForwarder() as signals, ExitStack() as stack:
        if campaign.telemetry_interval and watch.has_devices():
            stack.enter_context(_watch(folder, campaign))
            environ[watch.WATCHED_VARIABLE] = watch.host_id()
        begin = monotonic_ns()
        child = subprocess.Popen(campaign.wrap(command), env=environ, stdout=pipe, stderr=pipe, bufsize=0)
        signals.attach(child)
        if campaign.saves_stdout:
            ending = wait_and_save_output(child, *run_folder.output_paths(folder))
        else:
            ending = ProcessEnd(child.wait(), monotonic_ns())
    return CommandEnd(ending.code, ending.monotonic_ns - begin, signals.cancelled_ns)


def _watch(folder: Path, campaign: Campaign) -> watch.ChildWatch:
    interval = campaign.telemetry_interval
    return watch.ChildWatch(folder, campaign.node, interval, uses_dcgm=campaign.uses_dcgm)


def _warn_of_end(folder: Path, run: Mapping[str, Any]) -> None:
    if run["status"] != "complete":
        warn(f"{folder}: {run['status']}, {run.get('error') or 'exit code ' + str(run['exit_code'])}")
    elif not any(folder.glob("steps.rank*.csv")):
        seconds = run["wall_time_ns"] / 1e9
        duration = f"{seconds:.3g}" if seconds < 100 else f"{seconds:.0f}"
        warn(f"{folder}: complete in {duration} s without steps; the command did not start a Recorder")
