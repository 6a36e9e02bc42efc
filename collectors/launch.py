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
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

from collectors import logfolder
from collectors.environment import without_secrets
from collectors.logfolder import Case, Factor

_FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
_CANCELLING = {"SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"}


class Job(NamedTuple):
    """One case and the command that runs it once."""

    case: Case
    command: Sequence[str]


class Campaign(NamedTuple):
    """What to run: every job until `repeats` complete runs of it exist below `logs`."""

    logs: Path
    jobs: Sequence[Job]
    repeats: int = 1
    is_interleaved: bool = True  # repeat 1 of every case, then repeat 2: drift favours no case
    is_again: bool = False  # run `repeats` more, however many there are
    keeps_going: bool = False
    saves_stdout: bool = False


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


def cases_of(settings: Sequence[str]) -> List[Dict[str, Factor]]:
    """Return every combination of `name=value` settings; a name given twice has two values.

    Raises ValueError for a setting that is not name=value or a name the log has no place for.
    """
    values: Dict[str, List[Factor]] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise ValueError(f"--case {setting}: not name=value")
        values.setdefault(name, []).append(factor_value(text))
    combinations = [dict(zip(values, chosen)) for chosen in itertools.product(*values.values())]  # noqa: B905
    return [logfolder.check_case(case) for case in combinations]


def jobs_of(cases: Sequence[Case], command: Sequence[str]) -> List[Job]:
    """Return one job per case; `{factor}` in the command becomes the case's value."""
    return [Job(case, [_filled(word, case) for word in command]) for case in cases]


def _filled(word: str, case: Case) -> str:
    for name, value in case.items():
        word = word.replace("{" + name + "}", logfolder.factor_text(value))
    return word


def run_campaign(campaign: Campaign) -> int:
    """Run what is missing of a campaign; return 0, or the exit code of the first run that failed.

    A command killed by signal N gives 128 + N, as shells do. Raises OSError where the logs cannot be
    written or a command does not exist.
    """
    first_failure = 0
    queue = _queue(campaign)
    for number, job in enumerate(queue, 1):
        folder, repeat = logfolder.new_run_folder(campaign.logs, job.case)
        _say(f"[{number}/{len(queue)}] {folder}")
        ended = _run_once(job, folder, repeat, campaign.saves_stdout)
        first_failure = first_failure or ended.exit_code
        if ended.is_cancelled or (ended.exit_code and not campaign.keeps_going):
            left = len(queue) - number
            if left:
                _say(f"stopped, {left} runs left; the same command goes on from here")
            break
    return first_failure


def _queue(campaign: Campaign) -> List[Job]:
    """Return the jobs to run, one entry per run."""
    missing = []
    for job in campaign.jobs:
        runs = [logfolder.read_run(folder) for folder in logfolder.runs_of(campaign.logs, job.case)]
        complete = sum(1 for one in runs if one.get("status") == "complete")
        wanted = campaign.repeats if campaign.is_again else max(0, campaign.repeats - complete)
        missing.append([job] * wanted)
        if complete and not campaign.is_again:
            where = campaign.logs / logfolder.case_folder(job.case)
            more = f"--again adds {campaign.repeats} more"
            _say(f"{where}: {complete} complete already, {wanted} to run; {more}")
    if not campaign.is_interleaved:
        return [job for same in missing for job in same]
    rounds = itertools.zip_longest(*missing)
    return [job for one_round in rounds for job in one_round if job is not None]


class _Ended(NamedTuple):
    exit_code: int  # as a shell has it
    is_cancelled: bool  # a person or scheduler wanted the whole campaign to end


def _run_once(job: Job, folder: Path, repeat: int, saves_stdout: bool) -> _Ended:
    begun = {
        "status": "running",
        "case": dict(job.case),
        "repeat": repeat,
        "command": without_secrets(list(job.command)),
        "started_realtime_ns": logfolder.clock_pair()["realtime_ns"],
    }
    logfolder.write_run(folder, begun)
    environ = {**os.environ, logfolder.RUN_VARIABLE: str(folder.resolve())}
    pipe = subprocess.PIPE if saves_stdout else None
    with _Forwarding() as signals:
        try:
            child = subprocess.Popen(job.command, env=environ, stdout=pipe, bufsize=0)
        except OSError as error:
            reason = f"{job.command[0]}: {error.strerror}"
            logfolder.write_run(folder, {**begun, "status": "failed", "error": reason})
            raise
        signals.hand_to(child)
        if child.stdout is not None:
            _tee(child.stdout.fileno(), logfolder.stdout_path(folder))
        code = child.wait()
    is_cancelled = bool(_CANCELLING.intersection(signals.received))
    _finish(folder, begun, code, is_cancelled)
    return _Ended(code if code >= 0 else 128 - code, is_cancelled)


def _tee(pipe: int, path: Path) -> None:
    """Copy what comes out of the pipe to our stdout and to the file, as it comes.

    A full disk or a reader of ours that has gone away is not the child's trouble: its pipe is emptied
    to the end in any case.
    """
    copies = [sys.stdout.fileno()]
    with ExitStack() as stack:
        with suppress(OSError):
            copies.append(stack.enter_context(path.open("wb")).fileno())
        while True:
            part = os.read(pipe, 65536)
            if not part:
                return
            for copy in copies:
                _write_whole(copy, part)


def _write_whole(file: int, part: bytes) -> None:
    with suppress(OSError):
        while part:
            part = part[os.write(file, part) :]


class _Forwarding:
    """Hands signals that reach this process on to its child; begins before it, so that none is lost.

    Signals that are ignored (nohup) are left alone: a handler would make them deadly for the child.
    """

    def __init__(self) -> None:
        self.received: List[str] = []
        self._child: Optional["subprocess.Popen[bytes]"] = None
        self._before: Dict[int, Any] = {}

    def __enter__(self) -> "_Forwarding":
        for number in (getattr(signal, name) for name in _FORWARDED if hasattr(signal, name)):
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._forward)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def hand_to(self, child: "subprocess.Popen[bytes]") -> None:
        self._child = child
        for name in self.received:
            child.send_signal(getattr(signal, name))

    def _forward(self, number: int, frame: Optional[FrameType]) -> None:
        self.received.append(signal.Signals(number).name)
        # Ctrl-C reaches every process of the terminal's foreground group: the child has had it already.
        is_shared = number in (signal.SIGINT, signal.SIGQUIT) and _is_foreground()
        if self._child is not None and not is_shared:
            self._child.send_signal(number)


def _is_foreground() -> bool:
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _finish(folder: Path, begun: Mapping[str, Any], code: int, is_cancelled: bool) -> None:
    """Add to `run.json` what only the parent knows: the exit code, and the end of a child that fell mute."""
    run = {**begun, **logfolder.read_run(folder), "exit_code": code}
    run.setdefault("ended_realtime_ns", logfolder.clock_pair()["realtime_ns"])
    how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    if run["status"] == "running":
        if is_cancelled or -code in (signal.SIGINT, signal.SIGTERM):
            run.update(status="cancelled", error=how)
        elif code:
            run.update(status="failed", error=how)
        elif logfolder.steps_path(folder, 0).exists():
            run.update(status="failed", error="the command ended without closing its recorder")
        else:
            run.update(status="failed", error="the command recorded no step: it never started a Recorder")
    elif run["status"] == "complete" and code:
        run.update(status="failed", error=f"{how} after the recorder was closed")
    if run["status"] != "complete":
        _say(f"{folder}: {run['status']}, {run.get('error', how)}")
    try:
        logfolder.write_run(folder, run)
    except OSError as error:  # the command's exit code counts for more than our file
        _say(f"{folder}: the end of the run could not be written: {error.strerror}")


def _say(message: str) -> None:
    with suppress(OSError, ValueError):
        print(f"reportgen: {message}", file=sys.stderr, flush=True)
