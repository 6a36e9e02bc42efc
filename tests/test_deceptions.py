"""Attempts to get a wrong or misleading number out of logs and definitions, and what a reader sees instead.

Each row is a small repository, built by the whole pipeline. `sees` are texts of the page, `never` texts that it
must not have; a definition that would mislead is an `error`. Details of each rule have tests of their own.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest

from reportgen.core.errors import RequestError
from reportgen.pipeline import Request, build
from tests.builders import run_folder, write_files

Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class Deception:
    """One attempt.

    logs    files below logs/; table  lines of the definition's only table; more  lines of the definition
    files   further files of the repository; prose  text of the report
    sees    texts of the page; never  texts that must not be there
    rules   of findings that the report has
    error   text of the RequestError, if the definition is refused
    """

    name: str
    logs: Files
    table: str
    more: str = ""
    files: Files = field(default_factory=dict)
    prose: str = ""
    sees: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    error: str = ""


def joined(*parts: Files) -> dict[str, str | bytes]:
    """Return the files of all parts."""
    return {name: content for part in parts for name, content in part.items()}


def repeats(path: str, seconds: float, count: int = 3, **fields: object) -> dict[str, str | bytes]:
    """Return repeats of one case."""
    parts = (run_folder(f"{path}/{n}", seconds, repeat=n, **fields) for n in range(1, count + 1))  # type: ignore[arg-type]
    return joined(*parts)


def published(
    rows: str, unit: str = "images/s", constants: str = 'item = "image"', metric: str = "throughput"
) -> Files:
    """Return a published table with the columns `framework`, `devices` and `rate`."""
    source = f"""\
title = "P"
url = "https://example.org"
date = "2024-01-01"
tables = ["p.csv"]
[factors]
framework = "framework"
devices = "devices"
[constants]
{constants}
[tokens]
missing = ["-"]
[[metrics]]
column = "rate"
metric = "{metric}"
unit = "{unit}"
"""
    return {"p/source.toml": source, "p/p.csv": f"framework,devices,rate\n{rows}"}


STEP_TIME = 'metric = "step_time"\nrows = ["build"]\n'
RATIO = STEP_TIME + 'compare = { kind = "ratio", baseline = { build = "old" } }\n'
RATE = 'rows = ["build"]\n'
OLD, NEW = {"build": "old"}, {"build": "new"}
# Phases whose host waited for the device: their times have no other caveat.
FORWARD, BACKWARD = "forward_host_synchronized_ns", "backward_host_synchronized_ns"

INSIDE_A_CASE = [
    Deception(
        "three runs of one rank and four of two are not seven repeats",
        joined(
            *(run_folder(f"h/{n}", 1.0, case=NEW, repeat=n, ranks=1 if n < 4 else 2) for n in range(1, 8))
        ),
        RATE,
        sees=("| new | several", "differ in ranks (1, 2), samples_per_step (8, 16) and are not repeats"),
        never=("median of 7",),
        rules=("table.hidden-variation",),
    ),
    Deception(
        "batches of two and of three samples are not repeats",
        joined(*(run_folder(f"h/{n}", 1.0, case=NEW, repeat=n, samples=2 + n % 2) for n in range(1, 8))),
        RATE,
        sees=("| new | several", "differ in samples_per_step (3, 2)"),
        never=("median of 7",),
    ),
    Deception(
        "two models of device are not repeats",
        joined(
            run_folder("h/1", 1.0, case=NEW, environment={"gpu": {"GPU-1": {"name": "A100"}}}),
            run_folder("h/2", 1.0, case=NEW, environment={"gpu": {"GPU-2": {"name": "H100"}}}, repeat=2),
        ),
        STEP_TIME,
        sees=("| new | several", "device_model"),
    ),
    Deception(
        "times of the host and of the device are not repeats",
        joined(
            run_folder("h/1", 1.0, case=NEW),
            run_folder("h/2", 1.0, case=NEW, repeat=2, columns={"step_cuda_event_ns": 0.9}),
        ),
        STEP_TIME,
        sees=("| new | several", "differ in clock (host, device)"),
    ),
    Deception(
        "images and tokens per second have no median, even if the item is ignored",
        published("A,1,100\nB,1,900\n", constants="")
        | {
            "p/source.toml": str(published("")["p/source.toml"])
            .replace('framework = "framework"', 'item = "framework"')
            .replace('item = "image"\n', "")
        },
        'rows = ["devices"]\nignore = ["item"]\n',
        sees=("| 1 | several", "differ in item (A, B)"),
    ),
    Deception(
        "totals of other phases are not repeats",
        joined(
            run_folder("h/1", 3.0, case=NEW, columns={FORWARD: 1.0, BACKWARD: 2.0}),
            run_folder("h/2", 1.0, case=NEW, columns={FORWARD: 1.0}, repeat=2),
        ),
        STEP_TIME + 'phase = "compute"\ntotals = { compute = ["forward", "backward"] }\n',
        sees=("| new | several", "differ in parts (forward + backward, forward)"),
    ),
]

BETWEEN_CASES = [
    Deception(
        "times of other work",
        joined(run_folder("h/old", 2.0, case=OLD, samples=16), run_folder("h/new", 1.0, case=NEW)),
        RATIO,
        sees=("<sup>not-comparable</sup> | not comparable", "differs in samples_per_step (8; 16 in"),
    ),
    Deception(
        "other work may be accepted, and is named",
        joined(run_folder("h/old", 2.0, case=OLD, samples=16), run_folder("h/new", 1.0, case=NEW)),
        RATIO.replace("} }", '}, accept = ["samples_per_step"] }'),
        sees=("| new | ", "also differ in samples_per_step (8; 16 in the baseline)"),
    ),
    Deception(
        "the clock of the host against that of the device",
        joined(
            run_folder("h/old", 1.0, case=OLD),
            run_folder("h/new", 1.0, case=NEW, columns={"step_cuda_event_ns": 0.5}),
        ),
        RATIO,
        sees=("not comparable", "differs in clock (device; host in the baseline)"),
    ),
    Deception(
        "a measured case against a published figure",
        joined(
            published("old,1,10\n"),
            run_folder("h/new", 1.0, case={"framework": "new", "devices": 1, "item": "image"}),
        ),
        'rows = ["framework"]\ncompare = { kind = "speedup", baseline = { framework = "old" } }\n',
        sees=("not comparable", "differs in evidence (measured; already reduced in the baseline)"),
    ),
    Deception(
        "images against tokens, asked for by name",
        joined(
            run_folder("h/old", 1.0, case={**OLD, "item": "image"}),
            run_folder("h/new", 1.0, case={**NEW, "item": "token"}, samples=4096),
        ),
        RATE + 'compare = { kind = "speedup", baseline = { build = "old", item = "image" } }\n',
        sees=("not comparable", "differs in item (token; image in the baseline)"),
        never=("faster",),
    ),
    Deception(
        "another driver and TF32",
        joined(
            run_folder("h/old", 1.0, case=OLD, environment={"driver": "470.82"}),
            run_folder(
                "h/new", 0.5, case=NEW, environment={"driver": "550.54", "torch": {"matmul_allow_tf32": True}}
            ),
            run_folder("h/3", 0.5, case={"build": "x"}, environment={"torch": {"matmul_allow_tf32": False}}),
        ),
        RATIO,
        sees=("Cases and baselines also differ in driver (550.54; 470.82 in the baseline)",),
    ),
    Deception(
        "a phase as a speed-up of the step",
        run_folder("h/1", 3.0, case=NEW, columns={FORWARD: 1.0}),
        'metric = "step_time"\nphase = ["step", "forward"]\nrows = ["phase"]\n'
        'compare = { kind = "speedup", baseline = { phase = "step" } }\n',
        error="another phase is not a slower or faster one",
    ),
    Deception(
        "a phase has a share of the step, and no verdict",
        repeats("h", 3.0, 7, case=NEW, columns={FORWARD: 1.0}),
        'metric = "step_time"\nphase = ["step", "forward"]\nrows = ["phase"]\n'
        'compare = { kind = "ratio", baseline = { phase = "step" } }\nshow = ["ratio", "verdict"]\n',
        sees=("| forward | s | 0.333 | - |",),
        never=("faster",),
    ),
    Deception(
        "seconds over samples per second",
        run_folder("h/1", 3.0, case=NEW),
        'metric = ["step_time", "throughput"]\nrows = ["metric"]\n'
        'compare = { kind = "ratio", baseline = { metric = "step_time" } }\n',
        error="throughput and step_time have different units, and no ratio",
    ),
]

HIDDEN_FACTORS = [
    Deception(
        "batch 32 beside batch 256",
        joined(
            run_folder("h/old", 1.0, case={**OLD, "batch_size": 32}),
            run_folder("h/new", 1.0, case={**NEW, "batch_size": 256}),
        ),
        RATE,
        sees=("Cells also differ in batch size (32, 256)",),
        rules=("table.unnamed-factor",),
    ),
    Deception(
        "two batch sizes in one cell",
        joined(
            run_folder("h/1", 1.0, case={**NEW, "batch_size": 32}),
            run_folder("h/2", 1.0, case={**NEW, "batch_size": 256}),
        ),
        RATE,
        sees=("| new | several", "2 cases share this cell and differ in batch_size"),
    ),
    Deception(
        "a picked value is named in each cell",
        joined(
            run_folder("h/1", 1.0, case={**OLD, "batch_size": 32}, samples=32),
            run_folder("h/2", 1.0, case={**NEW, "batch_size": 32}, samples=32),
            run_folder("h/3", 1.0, case={**NEW, "batch_size": 256}, samples=256),
        ),
        RATE
        + 'pick = { batch_size = "best" }\ncompare = { kind = "speedup", baseline = { build = "old" } }\n',
        sees=("| new<br>batch_size=256 |", "| old<br>batch_size=32 |"),
    ),
    Deception(
        "the best of several tries",
        joined(*(run_folder(f"h/{n}", 1 + n / 10, case={**NEW, "try": n}) for n in range(1, 5))),
        STEP_TIME + 'pick = { try = "best" }\n',
        sees=("Picked for each cell: the best try.", "In no table: 3 runs"),
    ),
    Deception(
        "another precision that the definition ignores",
        joined(
            run_folder("h/old", 2.0, case={**OLD, "precision": "fp32"}),
            run_folder("h/new", 1.0, case={**NEW, "precision": "fp16"}),
        ),
        RATIO + 'ignore = ["precision"]\n',
        sees=(
            "faster than old (one run each, no repeats). They also differ in precision.",
            "all other factors equal except precision (fp16, fp32)",
        ),
    ),
    Deception(
        "an ignored factor is named with its values",
        joined(
            *(
                run_folder(f"h/{n}", 1.0, case={**NEW, "model": model})
                for n, model in enumerate(("a", "b"), 1)
            )
        ),
        STEP_TIME + 'ignore = ["model"]\n',
        sees=("Repeats differ in model (a, b)",),
    ),
    Deception(
        "a ratio in prose of cells that cannot be compared",
        joined(run_folder("h/old", 2.0, case=OLD, samples=16), run_folder("h/new", 1.0, case=NEW)),
        STEP_TIME,
        prose='{{ ratio("t", row={"build": "new"}, to_row={"build": "old"}) }}\n',
        error="samples_per_step",
    ),
]

FACTS = """\
[systems]
V = { device = "V100" }
A = { device = "A40" }
[[fact]]
of = "V"
to = "A"
speed = 0.5
source = "s"
"""
EXPECTED = (
    'metric = "step_time"\nrows = ["device", "devices"]\n'
    'compare = { kind = "expected", baseline = { device = "A40", devices = 4 } }\n'
)


def devices(*cases: tuple[str, int, float], **fields: object) -> Files:
    """Return one run of each (device, number of devices, s)."""
    return joined(
        *(
            run_folder(f"h/{name}-{count}", seconds, case={"device": name, "devices": count}, **fields)  # type: ignore[arg-type]
            for name, count, seconds in cases
        )
    )


EXPECTED_SPEEDS = [
    Deception(
        "a fact about eight devices for a baseline of four",
        devices(("V100", 8, 2.0), ("A40", 4, 1.0)),
        EXPECTED,
        files={"reports/expected.toml": FACTS + "where = { devices = 8 }\n"},
        sees=("| V100 | 8 <sup>no-path</sup> |", "no facts connect V and A at 8 and 4 devices"),
        never=("slower than expected",),
        rules=("expected.no-path",),
    ),
    Deception(
        "a fact about fp32 for a baseline in mixed precision",
        joined(
            run_folder("h/1", 2.0, case={"device": "V100", "devices": 4, "precision": "fp32"}),
            run_folder("h/2", 1.0, case={"device": "A40", "devices": 4, "precision": "amp"}),
        ),
        EXPECTED.replace("devices = 4 }", 'devices = 4, precision = "amp" }'),
        files={"reports/expected.toml": FACTS + 'where = { precision = "fp32" }\n'},
        sees=("no facts connect V and A",),
        rules=("expected.no-path",),
    ),
    Deception(
        "facts that contradict each other",
        devices(("V100", 4, 2.0), ("A40", 4, 1.0)),
        EXPECTED,
        files={
            "reports/expected.toml": FACTS
            + FACTS.split("[[fact]]")[1].join(["[[fact]]", ""]).replace("0.5", "0.9")
        },
        sees=("0.5", "0.9"),
        rules=("expected.inconsistent",),
    ),
    Deception(
        "a percentage as a speed",
        devices(("V100", 4, 2.0), ("A40", 4, 1.0)),
        EXPECTED,
        files={"reports/expected.toml": FACTS.replace("0.5", "1e300")},
        error="use a number above 0 and at most 10000",
    ),
]

BOTH = 'metric = ["throughput", "step_time"]\nrows = ["metric"]\n'


def changed(files: Files, name: str, *changes: tuple[str, str]) -> Files:
    """Return the files with text replaced in those whose path ends in a name."""
    result = dict(files)
    for path in [path for path in files if path.endswith(name)]:
        text = str(files[path])
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        result[path] = text
    return result


ONE = run_folder("h/1", 1.0, case=NEW)
CONTRADICTIONS = [
    Deception(
        "steps that begin before the step before them ends",
        run_folder("h/1", 1.0, case=NEW, begins=[0.5 * i for i in range(12)]),
        BOTH,
        sees=("begin before the step before them ends",),
        never=("8.0",),
        rules=("clock.contradiction",),
    ),
    Deception(
        "steps of more ranks than ran",
        changed(run_folder("h/1", 1.0, case=NEW, ranks=2), "run.json", ('"ranks": 2', '"ranks": 1')),
        BOTH,
        sees=("ranks is 1, but there are steps of 2 ranks",),
        rules=("read.contradiction",),
    ),
    Deception(
        "a complete run with an exit code",
        run_folder("h/1", 1.0, case=NEW, exit_code=1),
        BOTH,
        sees=("status is complete, but exit_code is 1",),
    ),
    Deception(
        "a phase longer than its step",
        run_folder("h/1", 1.0, case=NEW, columns={"step_host_synchronized_ns": 1.0, FORWARD: 1.5}),
        BOTH,
        sees=("forward takes 15 s in measured steps that take",),
    ),
    Deception(
        "steps longer than the command that made them",
        run_folder("h/1", 1.0, case=NEW, wall_time_ns=5 * 10**9),
        BOTH,
        sees=("but the command ran for 5 s",),
    ),
    Deception(
        "more samples than batch size and devices give",
        run_folder("h/1", 1.0, case={**NEW, "batch_size": 4, "devices": 1}),
        BOTH,
        sees=("a step has 8 samples by the log, 4 by its factors",),
    ),
    Deception(
        "a key twice in run.json",
        changed(ONE, "run.json", ('"ranks": 1', '"ranks": 1, "samples_per_step": 80')),
        BOTH,
        sees=("run.json contains samples_per_step twice",),
    ),
    Deception(
        "steps shorter than the start of a kernel",
        run_folder("h/1", 1e-9, case=NEW),
        BOTH,
        sees=("less than the start of a single kernel",),
        rules=("clock.implausible",),
    ),
    Deception(
        "more ranks than devices",
        run_folder("h/1", 1.0, case={**NEW, "devices": 1}, ranks=2),
        BOTH,
        sees=("the case has 1 devices, and 2 ranks ran",),
    ),
    Deception(
        "the copied file of a rank",
        joined(
            run_folder("h/1", 1.0, case=NEW, ranks=2),
            {"h/1/steps.rank1.csv": run_folder("h/1", 1.0, case=NEW)["h/1/steps.rank0.csv"]},
        ),
        BOTH,
        sees=("all step times of rank 1 are those in steps.rank0.csv, to the nanosecond",),
    ),
    Deception(
        "no samples", run_folder("h/1", 1.0, case=NEW, samples=0), BOTH,
        sees=("| Throughput |  | - <sup>no-number</sup> |",),
    ),
    Deception(
        "steps without time", run_folder("h/1", [0.0] * 12, case=NEW), BOTH,
        sees=("has no positive value in the measured window",),
    ),
    Deception(
        "more samples than a device can read bytes", run_folder("h/1", 1.0, case=NEW, samples=10**18), BOTH,
        sees=("1e+18 samples/s on each rank, more than the bytes that a device reads in a second",),
        rules=("clock.implausible",),
    ),
    Deception(
        "eight devices that are a thousand times as fast as one",
        published("A,1,100\nA,8,100000\n"),
        'rows = ["devices"]\ncompare = { kind = "efficiency", baseline = { devices = 1 } }\n',
        sees=("a scaling efficiency of 125: devices together are at most about as fast as each alone",),
        rules=("rate.implausible",),
    ),
    Deception(
        "a published rate of zero, below zero, and without end",
        published("A,1,0\nB,1,-5\nC,1,inf\nD,1,1e400\nE,1,nan\nF,1,\"1,5\"\nG,1,1.2k\n"),
        'rows = ["framework"]\n',
        sees=tuple(f"| {name} | -" for name in "ABCDEFG"),
    ),
]  # fmt: skip


def noisy(path: str, seconds: float = 1.0) -> list[float]:
    """Return thirty step times with a noise of their own."""
    noise = random.Random(path)
    return [seconds * noise.gauss(1, 0.01) for _ in range(30)]


def edited(change: Callable[[list[float], int], list[float]]) -> Files:
    """Return a run of thirty steps, and two copies of it that were changed."""
    times = noisy("original")
    return joined(
        *(run_folder(f"h/{n}", change(times, n) if n else times, case=NEW, repeat=n + 1) for n in range(3))
    )


COPIES = [
    Deception(
        name,
        edited(change),
        STEP_TIME + 'protocol = "5+20x3"\nshow = ["value", "repeats"]\n',
        sees=(" | 1 |", said),
        rules=("read.duplicate-run",),
    )
    for name, change, said in (
        ("a copy as a repeat", lambda times, n: times, "the same step times as h/0"),
        (
            "a copy with one nanosecond changed",
            lambda times, n: [*times[:7], times[7] + n * 1e-9, *times[8:]],
            "2 of 3 blocks of 10 step times are the same as in h/0",
        ),
        (
            "a copy with every time moved by a nanosecond",
            lambda times, n: [time + n * 1e-9 for time in times],
            "the measured step times are the same as in h/0, shifted or scaled",
        ),
        (
            "a copy with every time multiplied",
            lambda times, n: [time * (1 + n * 1e-3) for time in times],
            "the measured step times are the same as in h/0, shifted or scaled",
        ),
        (
            "a copy of the measured steps alone",
            lambda times, n: [*noisy(f"{n}")[:5], *times[5:25], *noisy(f"{n} after")[:5]],
            "the measured step times are the same as in h/0, shifted or scaled",
        ),
    )
]

WINDOWS = [
    Deception(
        "three steps of nine times the usual time",
        run_folder("h/1", [9.0 if i in (15, 16, 20) else t for i, t in enumerate(noisy("a"), 1)], case=NEW),
        STEP_TIME + 'protocol = "5+20x1"\n',
        sees=("15", "16", "20"),
        rules=("protocol.outliers",),
    ),
    Deception(
        "the last steps are slower",
        run_folder("h/1", [t * (1.3 if i > 18 else 1) for i, t in enumerate(noisy("a"), 1)], case=NEW),
        STEP_TIME + 'protocol = "5+20x1"\n',
        sees=("Steps 16..25 take 28.9% more time per step than the other measured steps",),
        rules=("protocol.outliers",),
    ),
    Deception(
        "numbered repeats that are missing",
        joined(*(run_folder(f"h/{n}", 1.0, case=NEW, repeat=n) for n in (1, 3, 4, 6))),
        STEP_TIME,
        sees=("2, 5",),
        rules=("protocol.missing-repeats",),
    ),
    Deception(
        "two campaigns in one median",
        joined(repeats("monday", 1.0, case=NEW), repeats("tuesday", 1.2, case=NEW)),
        STEP_TIME,
        sees=("monday", "tuesday"),
        rules=("protocol.pooled-folders",),
    ),
    Deception(
        "an alias that gives two devices one name",
        joined(
            devices(("A100-SXM4-80GB", 1, 1.0), ("A40", 1, 2.0)),
            {"labels.toml": '[aliases.device]\n"A100-SXM4-80GB" = "GPU"\nA40 = "GPU"\n'},
        ),
        'metric = "step_time"\nrows = ["device"]\n',
        sees=("A100", "A40"),
        rules=("read.alias-merges-devices",),
    ),
]

WORDS = [
    Deception(
        "a total with the name of a phase",
        run_folder("h/1", 3.0, case=NEW, columns={FORWARD: 1.0, BACKWARD: 2.0}),
        STEP_TIME + 'phase = "backward"\ntotals = { backward = ["forward", "backward"] }\n',
        error="a total cannot have the name of a phase that logs contain",
    ),
    Deception(
        "a total of the whole step and a part of it",
        run_folder("h/1", 3.0, case=NEW, columns={FORWARD: 1.0}),
        STEP_TIME + 'phase = "all"\ntotals = { all = ["step", "forward"] }\n',
        error="the whole step contains all phases",
    ),
    Deception(
        "a total with a phase twice",
        run_folder("h/1", 3.0, case=NEW, columns={FORWARD: 1.0}),
        STEP_TIME + 'phase = "all"\ntotals = { all = ["forward", "forward"] }\n',
        error='"forward" occurs twice',
    ),
    Deception(
        "a total that does not say what it is the sum of",
        run_folder("h/1", 3.0, case=NEW, columns={FORWARD: 1.0, BACKWARD: 2.0}),
        STEP_TIME + 'phase = "compute"\ntotals = { compute = ["forward", "backward"] }\n',
        sees=("compute = forward + backward",),
    ),
    Deception(
        "eight devices, as a number and as a text",
        joined(
            run_folder("h/1", 1.0, case={"devices": 8}),
            run_folder("h/2", 1.0, case={"devices": "8"}, repeat=2),
        ),
        'metric = "step_time"\nrows = ["devices"]\nshow = ["value", "repeats"]\n',
        sees=("| 8 | ", " | 2 |"),
    ),
    Deception(
        "a case that is 0.5 times slower",
        joined(run_folder("h/old", 2.0, case=OLD), run_folder("h/new", 1.0, case=NEW)),
        RATIO.replace('"ratio"', '"expected"'),
        sees=("new is 2", "faster than old"),
        never=("0.5x slower", "0.500x slower"),
    ),
    Deception(
        "the phase that differs most, for the whole step",
        joined(
            run_folder("h/old", 3.0, case=OLD, columns={FORWARD: 0.5}),
            run_folder("h/new", 3.3, case=NEW, columns={FORWARD: 1.0}),
        ),
        'metric = "step_time"\nphase = ["step", "forward"]\nrows = ["build", "phase"]\n'
        'compare = { kind = "ratio", baseline = { build = "old" } }\n',
        sees=("new is 9", "% slower than old"),
        never=("2x slower",),
    ),
    Deception(
        "a number for what is missing", ONE, STEP_TIME + 'missing = "0.5"\n', error='"0.5" contains a digit'
    ),
    Deception(
        "few decimals that make a time zero",
        run_folder("h/1", 0.4, case=NEW),
        STEP_TIME + 'unit = "s"\ndecimals = 0\n',
        sees=("| new | 0.4 |",),
    ),
    Deception(
        "one label for two values",
        joined(run_folder("h/1", 1.0, case=NEW), run_folder("h/2", 2.0, case=OLD)),
        STEP_TIME + 'labels = { old = "x", new = "x" }\n',
        error='have the same label "x"',
    ),
    Deception(
        "labels that exchange two values",
        joined(run_folder("h/1", 1.0, case=NEW), run_folder("h/2", 2.0, case=OLD)),
        STEP_TIME + 'labels = { old = "New", new = "old" }\n',
        error="which is another build",
    ),
    Deception(
        "a label that looks like another value",
        joined(run_folder("h/1", 1.0, case=NEW), run_folder("h/2", 2.0, case=OLD)),
        STEP_TIME + 'labels = { old = "ne\\u200bw" }\n',
        error="which is another build",
    ),
    Deception(
        "a phase with the label of the step",
        run_folder("h/1", 3.0, case=NEW, columns={FORWARD: 1.0}),
        'metric = "step_time"\nphase = "forward"\nrows = ["phase"]\nlabels = { forward = "step" }\n',
        error="which is another phase",
    ),
    Deception(
        "a published figure is not a median",
        published("A,1,100\n"),
        'rows = ["framework"]\n',
        sees=("Throughput in images/s: published figures.",),
        never=("median", "repeats"),
    ),
    Deception(
        "digits around a number from a table",
        ONE,
        STEP_TIME,
        prose='It takes 1{{ value("t", row={"build": "new"}) }} s.\n',
        error="a digit touches a number from a table",
    ),
    Deception(
        "digits joined to a number from a table",
        ONE,
        STEP_TIME,
        prose='It takes {{ value("t", row={"build": "new"}) ~ "0" }} s.\n',
        error="a digit touches a number from a table",
    ),
    Deception(
        "digits in another order than they are read",
        run_folder("h/1", 1.0, case={"build": "a\u202e21"}),
        STEP_TIME,
        sees=("| a\ufffd21 |",),
        never=("\u202e",),
    ),
]


def sampled(*names: str, ranks: int = 1, named: str = "", case: Mapping[str, object] = NEW) -> Files:
    """Return a run whose devices draw 500 W each, sampled ten times a second; `named` is the device of rank 0."""
    files = run_folder("h/1", 1.0, case=case, ranks=ranks)
    rows = (
        f"{name},{10**9 + tenth * 10**8},{10**6 + tenth * 50_000}"
        for tenth in range(-10, 130)
        for name in names
    )
    telemetry = ["#clock,1,1700000000000000000", "device,monotonic_ns,energy_mj", *rows, ""]
    steps = files["h/1/steps.rank0.csv"]
    return files | {
        "h/1/telemetry.node0.csv": "\n".join(telemetry),
        "h/1/steps.rank0.csv": steps.replace("\nstep,", f"\n#device,{named}\nstep,") if named else steps,
    }


ENERGY = 'metric = "energy_per_sample"\nrows = ["build"]\n'
DEVICES = [
    Deception(
        "the energy of one device of two",
        sampled("GPU-1", ranks=2),
        ENERGY,
        sees=("| new | -", "energy of the devices: 1 of 2 devices were sampled"),
    ),
    Deception(
        "the energy of a device that the run did not use",
        sampled("GPU-1", "GPU-2"),
        ENERGY,
        sees=("| new | -", "2 devices were sampled, and the log does not say which 1 of them it used"),
    ),
    Deception(
        "the energy of the device that the rank names",
        sampled("GPU-1", "GPU-2", named="GPU-1"),
        ENERGY,
        sees=("| new | 62.",),  # 500 W x 1 s / 8
    ),
    Deception(
        "the energy of all devices that one process used",
        sampled("GPU-1", "GPU-2", case={**NEW, "devices": 2}),
        ENERGY,
        sees=("| new | 12",),  # twice as much, 125 J
    ),
]


def dated(labels: str = "") -> Files:
    """Return six rounds of two cases, old and new in turn, as text logs with local dates."""
    files: dict[str, str | bytes] = {
        "labels.toml": labels + '[[paths]]\npattern = "{build}-{repeat:int}.log"\n'
    }
    for number, name in product(range(6), ("old", "new")):
        draw = random.Random(f"{name} {number}")
        t = 60.0 * (2 * number + (name == "new"))
        lines = [
            "DLL 2024-01-01 09:59:00.000000 - PARAMETER arch : resnet50  batch_size : 64  world_size : 1"
        ]
        for step in range(1, 16):
            t += draw.gauss(0.5, 0.001) * (1.0005 if name == "new" else 1)
            stamp = f"2024-01-01 10:{int(t // 60):02}:{t % 60:09.6f}"
            lines.append(
                f"DLL {stamp} - Epoch: 0 Iteration: {step}  train.loss : 7 train.total_ips : 128 img/s"
            )
        lines[0] = lines[0].replace("09:59:00", lines[1][15:23])
        lines.append("DLL 2024-01-01 10:59:00.000000 - () train.total_ips : 128 img/s")
        files[f"{name}-{number + 1}.log"] = "\n".join([*lines, ""])
    return files


def stamped(seconds: float, tick: float, count: int = 140) -> Files:
    """Return a log whose dates are cut to a tick."""
    lines = ["DLL 2024-01-01 10:00:00.000000 - PARAMETER arch : resnet50  batch_size : 64  world_size : 1"]
    for step in range(1, count):
        t = step * seconds // tick * tick
        lines.append(
            f"DLL 2024-01-01 10:{int(t // 60):02}:{t % 60:09.6f} - Epoch: 0 Iteration: {step}  train.loss : 7"
        )
    lines.append("DLL 2024-01-01 10:59:00.000000 - () train.loss : 7")
    return {"a.log": "\n".join([*lines, ""])}


BY_MODEL = 'metric = "step_time"\nrows = ["model"]\nprotocol = "20+100x1"\n'
CLOCKS = [
    Deception(
        "steps of 13 ms by a clock of whole seconds",
        stamped(0.013, 1.0),
        BY_MODEL,
        sees=("| resnet50 | -", "whole seconds"),
        rules=("clock.coarse",),
    ),
    Deception(
        "steps of half a second by a clock of whole seconds",
        stamped(0.55, 1.0),
        BY_MODEL,
        sees=("| resnet50 | 5", "whole seconds"),
        rules=("clock.coarse",),
    ),
    Deception(
        "more arithmetic than the device can do",
        run_folder("h/1", 0.01, case={**NEW, "device": "A40", "precision": "fp16"}, flops_per_step=10**15),
        BOTH,
        sees=("the peak of A40 is 149.7 TFLOP/s",),
        rules=("clock.implausible",),
    ),
]

VERDICT = RATIO + 'show = ["ratio", "verdict"]\n'
ORDER = [
    Deception("dates without a zone show no order of logs", dated(), VERDICT, sees=("| undecided |",)),
    Deception(
        "dates of a known zone show that the cases took turns",
        dated('time_zone = "+08:00"\n'),
        VERDICT,
        sees=("| same |",),
    ),
    Deception(
        "one case as a whole before the other",
        joined(
            *(
                run_folder(
                    f"h/old/{n}", 1.0, case=OLD, repeat=n, started_realtime_ns=(17 * 10**8 + n) * 10**9
                )
                for n in range(1, 8)
            ),
            *(
                run_folder(
                    f"h/new/{n}",
                    1.0005,
                    case=NEW,
                    repeat=n,
                    started_realtime_ns=(17 * 10**8 + 10 + n) * 10**9,
                )
                for n in range(1, 8)
            ),
        ),
        VERDICT,
        sees=("| undecided |",),
    ),
    Deception(
        "machines whose clocks were never set",
        joined(
            *(
                run_folder(
                    f"h/{b}/{n}",
                    1.0 + 0.0005 * (b == "new"),
                    case={"build": b},
                    repeat=n,
                    started_realtime_ns=(100 * n + 50 * (b == "new")) * 10**9,
                )
                for n in range(1, 8)
                for b in ("old", "new")
            )
        ),
        VERDICT,
        sees=("| undecided |",),
    ),
]

TABLES = [
    *INSIDE_A_CASE,
    *BETWEEN_CASES,
    *HIDDEN_FACTORS,
    *EXPECTED_SPEEDS,
    *CONTRADICTIONS,
    *COPIES,
    *WINDOWS,
    *WORDS,
    *DEVICES,
    *ORDER,
    *CLOCKS,
]


@pytest.mark.parametrize("attempt", TABLES, ids=lambda attempt: attempt.name)
def test_a_reader_is_not_deceived(attempt: Deception, tmp_path: Path) -> None:
    head = f'title = "T"\nlogs = ["logs"]\nprotocol = "2+10x1"\n{attempt.more}\n'
    body = 'body = "r.md"\n' if attempt.prose else ""
    files = {f"logs/{name}": content for name, content in attempt.logs.items()} | dict(attempt.files)
    files["reports/r.toml"] = f'{head}{body}[[tables]]\nid = "t"\ntitle = "T"\n{attempt.table}'
    if attempt.prose:
        files["reports/r.md"] = attempt.prose
    write_files(tmp_path, files)
    request = Request(tmp_path, tmp_path / "reports")
    if attempt.error:
        with pytest.raises(RequestError) as error:
            build(request)
        assert attempt.error in str(error.value)
        return
    result = build(request)
    page = result.files["r/README.md"].decode()
    # A sentence of the page begins with a capital.
    assert not [text for text in attempt.sees if text.casefold() not in page.casefold()], page
    assert not [text for text in attempt.never if text.casefold() in page.casefold()], page
    assert set(attempt.rules) <= {finding.rule for finding in result.findings}
