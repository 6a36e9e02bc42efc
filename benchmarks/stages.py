"""Print what each stage of reading costs, in us of processor time a file, beside an earlier commit.

    python benchmarks/stages.py FOLDER [--against 33d5eab] [--bytes 100000000] [--rounds 3]

`reportgen runs --format json` reads the folder, copied as `read_corpus.py` copies it, with an empty cache. A
timer stops every process after each few ms of processor time, and the process divides its time by these
stops. A stop counts for the innermost function that STAGES names, so the stages add up to the whole. A stage
that a commit does not have costs it nothing.
"""

import argparse
import json
import multiprocessing.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import FrameType

from read_corpus import ROOT, checked_out, fill

# Functions by stage, of the working tree and of commits down to 33d5eab, whose names differ.
STAGES = {
    "start of the program": "importlib._bootstrap._find_and_load typer.main.__call__",
    "list files, make keys and batches": "load.scan.scan_paths load._batches cli.remembered._inputs"
    " load.survey",
    "recognise formats": "load.worker._recognise reading._recognised",
    "parse records": "load.worker._read_runs reading._runs",
    "where runs begin": "formats.parsing.several_runs.run_borders formats.parsing.several_runs.result_places",
    "warnings and NaN in the log": "formats.parsing.log_warnings.find_warnings"
    " formats.parsing.log_warnings.find_nans",
    "status": "formats.parsing.exit_status.ending formats.fragments.dledraft._status",
    "facts from paths and files beside": "labels.path_tokens.add_path_settings load.normalize.normalize_run"
    " formats.nvidia_dle.examples.set_batch formats.nvidia_dle.dllogger_records.set_start"
    " formats.fragments.dledraft.settle",
    "telemetry and evidence beside": "load.evidence.join load.evidence.group_jobs",
    "find copies": "load.duplicates.fingerprint_run load.duplicates.fingerprint_files"
    " load.duplicates.find_duplicates duplicates.print_of duplicates.trace duplicates.duplicates",
    "measure": "report.run_entry.entry_of_run report.listing.row",
    "which metrics a run has": "protocol.measured_run.available protocol.available.available",
    "contradictions": "protocol.contradictions.find_contradictions protocol.printed_rate.find_contradiction",
    "checks of a window": "protocol.run_checks.check_run protocol.checks.of_run",
    "JSON": "report.listing.json_parts report.listing._json report.jsontext.to_json report.listing.json_of",
    "send results between processes": "multiprocessing.queues.put multiprocessing.connection.recv",
    "cache of batches": "load.stored_batches.__init__ load.stored_batches.add load.stored_batches.store",
    "put together and sort": "load.select load._together load._share report.listing._share",
}
_STAGE_OF = {name: stage for stage, names in STAGES.items() for name in names.split()}
_REST = "rest"
_INTERVAL = 0.004  # s; Linux stops no process more often


def main() -> None:
    """Copy the logs, read them with each tree, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="logs to read")
    parser.add_argument("--against", metavar="COMMIT", default="33d5eab")
    parser.add_argument("--bytes", type=int, default=10**8, help="size to copy the folder up to")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stages") as name:
        place = Path(name)
        size, count = fill(place / "logs", arguments.folder, arguments.bytes)
        trees = {"now": ROOT, arguments.against: checked_out(arguments.against, place / "before")}
        times: dict[str, Counter[str]] = {name: Counter() for name in trees}
        for turn in range(arguments.rounds + 1):
            for name, tree in trees.items():
                of_turn = read_and_time(tree, place)
                times[name] += of_turn if turn else Counter()  # the first turn fills the caches of the system
    print(f"{count} files, {size / 1e6:.0f} MB, {arguments.rounds} rounds\n")
    print(f"| us a file | {' | '.join(trees)} |\n|---|{'---|' * len(trees)}")
    for stage in (*STAGES, _REST):
        costs = (f"{each[stage] / count / arguments.rounds / 1000:.0f}" for each in times.values())
        print(f"| {stage} | {' | '.join(costs)} |")
    sums = (f"{each.total() / count / arguments.rounds / 1000:.0f}" for each in times.values())
    print(f"| **together** | {' | '.join(sums)} |")


def read_and_time(tree: Path, place: Path) -> "Counter[str]":
    """Return the processor time in ns by stage of one reading by the program in a tree."""
    installed = [path for path in sys.path if path.endswith("-packages")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tree), *installed])}
    environment |= {"XDG_CACHE_HOME": tempfile.mkdtemp(dir=place), "STAGES": tempfile.mkdtemp(dir=place)}
    environment["PYTHONPYCACHEPREFIX"] = str(place / "bytecode")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    program = f"import sys; sys.path.append({str(ROOT / 'benchmarks')!r}); import stages; stages.sample()"
    command = [sys.executable, "-S", "-P", "-c", program]
    subprocess.run(
        command, cwd=place, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    times: Counter[str] = Counter()
    for file in Path(environment["STAGES"]).iterdir():
        spent, stops = json.loads(file.read_text())
        for stage, number in stops.items():
            times[stage] += spent * number // sum(stops.values())
    return times


def sample() -> None:
    """Read the logs in this process and its workers, and write the time and the stops of each to a file."""
    stops: Counter[str] = Counter()

    def stop(_: int, frame: FrameType | None) -> None:
        stops[_stage(frame)] += 1

    def start(_: object = None) -> None:
        stops.clear()
        signal.setitimer(signal.ITIMER_PROF, _INTERVAL, _INTERVAL)
        multiprocessing.util.Finalize(None, write, exitpriority=100)

    def write() -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        Path(os.environ["STAGES"], f"{os.getpid()}.json").write_text(
            json.dumps([time.process_time_ns(), stops])
        )

    signal.signal(signal.SIGPROF, stop)
    multiprocessing.util.register_after_fork(stops, start)
    start()
    sys.argv = ["reportgen", "runs", "--format", "json", "logs"]
    from reportgen.cli import main as run

    try:
        run()
    except SystemExit as end:
        if end.code:
            raise
    write()


def _stage(frame: FrameType | None) -> str:
    """Return the stage of the innermost frame that has one."""
    while frame:
        module = str(frame.f_globals.get("__name__", "")).removeprefix("reportgen.")
        if stage := _STAGE_OF.get(f"{module}.{frame.f_code.co_name}"):
            return stage
        frame = frame.f_back
    return _REST


if __name__ == "__main__":
    main()
