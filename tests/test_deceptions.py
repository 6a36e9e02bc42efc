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
FACETS = 'metric = "step_time"\nrows = ["metric"]\nfacets = ["build"]\n'
ONE_ROW = 'metric = "step_time"\nrows = ["metric"]\n'
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
            run_folder("h/new", 1.0, case=NEW, columns={"step_cuda_event_ns": 0.99}),
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


def work(environment: str, **sides: object) -> dict[str, str | bytes]:
    """Return a run of each build whose environment has another value of one name."""
    runs = (
        run_folder(f"h/{build}", 1.0, case={"build": build}, environment={environment: value})
        for build, value in sides.items()
    )
    return joined(*runs)  # fmt: skip


def limited(old: Mapping[str, int], new: Mapping[str, int]) -> dict[str, str | bytes]:
    """Return a run of each build on one model of GPU with other settings."""
    sides = {"old": {"name": "H100", **old}, "new": {"name": "H100", **new}}
    runs = (
        run_folder(f"h/{build}", 1.0, case={"build": build}, environment={"gpu": {"GPU-1": facts}})
        for build, facts in sides.items()
    )
    return joined(*runs)  # fmt: skip


OTHER_WORK = [
    *(
        Deception(
            f"another {term}",
            work(name, old=old, new=new),
            rows,
            sees=(f"differs in {term} ({new}; {old} in the baseline)",),
            never=("all other factors equal",),
            rules=("table.not-comparable",),
        )
        for name, term, old, new in (
            ("dataset", "dataset", "ImageNet", "Dummy"),
            ("tokenizer_name", "tokenizer", "gpt2", "llama"),
            ("config.max_seq_length", "sequence_length", 128, 512),
            ("img_size", "image_size", 224, 160),
            ("hparams/model_revision", "model_revision", "main", "v2"),
            ("torch_dtype", "precision", "fp32", "bf16"),
        )
        for rows in (RATIO, RATE + RATIO.removeprefix(STEP_TIME).replace('"ratio"', '"speedup"'))
    ),
    Deception(
        "another power limit of one model",
        limited({"power_limit_mw": 700_000}, {"power_limit_mw": 300_000}),
        RATIO,
        sees=("also differ in power_limit (300 W; 700 W in the baseline)",),
        never=("all other factors equal",),
    ),
    Deception(
        "another highest clock of one model",
        limited({"clock_sm_max_mhz": 1980}, {"clock_sm_max_mhz": 1200}),
        RATIO,
        sees=("also differ in clock_limit (1,200 MHz; 1,980 MHz in the baseline)",),
    ),
    Deception(
        "a device is compared on a data set that no log names",
        joined(*(run_folder(f"h/{n}", 1.0, case={"device": n}) for n in ("A40", "H100"))),
        'metric = "step_time"\nrows = ["device"]\ncompare = { kind = "ratio", baseline = { device = "A40" } }\n',
        sees=("Not stated: dataset", "as far as the logs state them"),
        never=("all other factors equal",),
    ),
    Deception(
        "a label that names another device than the log",
        joined(
            *(
                run_folder(
                    f"h/{n}", 1.0, case={"device": n}, environment={"gpu": {"GPU-1": {"name": "NVIDIA H100"}}}
                )
                for n in ("A100", "L4")
            )
        ),
        'metric = "step_time"\nrows = ["device"]\n',
        sees=('device is "L4", and the log was written on "H100"', "read.label-conflict"),
    ),
    Deception(
        "a variable that only one side sets",
        joined(
            run_folder("h/old", 1.0, case=OLD, environment={"variables": {"CUDA_LAUNCH_BLOCKING": "1"}}),
            run_folder("h/new", 1.0, case=NEW, environment={"torch": {"version": "2.5"}}),
        ),
        RATIO,
        sees=("also differ in variable CUDA_LAUNCH_BLOCKING (-; 1 in the baseline)",),
    ),
    *(
        Deception(
            f"samples with other {name}",
            joined(
                run_folder("h/old", 1.0, case=OLD, **{key: 4096}),
                run_folder("h/new", 1.0, case=NEW, **{key: 1024}),
            ),
            RATIO,
            sees=(f"differs in {name}_per_sample (128; 512 in the baseline)",),
            rules=("table.not-comparable",),
        )
        for key, name in (("tokens_per_step", "tokens"), ("flops_per_step", "operations"))
    ),
    Deception(
        "a device whose steps take less time than those of its host",
        joined(
            run_folder("h/old", 1.0, case=OLD, columns={"step_cuda_event_ns": 1.0}),
            run_folder("h/new", 1.0, case=NEW, columns={"step_cuda_event_ns": 0.6}),
        ),
        RATIO,
        sees=("0.6000 ✗ invalid", "the events leave out 40% of the time"),
        rules=("clock.disagreement",),
    ),
    Deception(
        "two commands in one case",
        joined(
            run_folder("h/1", 1.0, case=NEW, command=["python", "a.py", "--fp16", "--seed", "1"]),
            run_folder("h/2", 1.0, case=NEW, repeat=2, command=["python", "b.py", "--fp32", "--seed", "2"]),
        ),
        STEP_TIME,
        sees=("environment differs between runs: command (a.py --fp16; b.py --fp32)",),
        rules=("environment.varies",),
    ),
    Deception(
        "commands with other options on both sides of a ratio",
        joined(
            run_folder(
                "h/old", 1.0, case=OLD, command=["python", "a.py", "--tf32", "0", "old", "--seed", "1"]
            ),
            run_folder(
                "h/new", 1.0, case=NEW, command=["python", "a.py", "--tf32", "1", "new", "--seed", "2"]
            ),
        ),
        RATIO,
        sees=("also differ in command (--tf32 1; --tf32 0 in the baseline)",),
    ),
    Deception(
        "an option that says the length of a sequence",
        joined(
            run_folder("h/old", 1.0, case=OLD, command=["a.py", "--seq-len=128"]),
            run_folder("h/new", 1.0, case=NEW, command=["a.py", "--seq-len=512"]),
        ),
        RATIO,
        sees=("differs in sequence_length (512; 128 in the baseline)",),
        rules=("table.not-comparable",),
    ),
]

LOOK_ALIKES = [
    *(
        Deception(
            f"names that look alike: {what}",
            joined(
                run_folder("h/1", 1.0, case={"build": first}), run_folder("h/2", 2.0, case={"build": second})
            ),
            RATE,
            sees=(f"build has values that look alike: {said}.",),
            rules=("table.look-alike",),
        )
        for what, first, second, said in (
            ("a Cyrillic letter", "BERT", "BER\u0422", '"BERT" (1 run), "BER(U+0422)" (1 run)'),
            ("a space without a line end", "A B", "A\u00a0B", '"A B" (1 run), "A(U+00A0)B" (1 run)'),
            ("a word joiner", "A B", "A \u2060B", '"A B" (1 run), "A (U+2060)B" (1 run)'),
            ("two spaces", "A B", "A  B", '"A (U+0020)B" (1 run), "A B" (1 run)'),
            ("capitals", "ResNet", "resnet", '"ResNet" (1 run), "resnet" (1 run)'),
            ("a number and a text", 8, "8", '8 (1 run), "8" (1 run)'),
        )
    ),
    Deception(
        "two ways to write an accent are one name",
        joined(
            run_folder("h/1", 1.0, case={"build": "caf\u00e9"}),
            run_folder("h/2", 1.0, case={"build": "cafe\u0301"}, repeat=2),
        ),
        RATE + 'show = ["value", "repeats"]\n',
        sees=("| caf\u00e9 | ", " | 2 |"),
        never=("look alike",),
    ),
    Deception(
        "a name that looks like the one that the table is about",
        joined(run_folder("h/1", 1.0, case={"build": "A"}), run_folder("h/2", 2.0, case={"build": "\u0410"})),
        STEP_TIME + 'where = { build = "A" }\n',
        sees=('build has values that look alike: "A" (1 run), "(U+0410)" (1 run)',),
    ),
]


def of_models(*builds_and_models: str) -> dict[str, str | bytes]:
    """Return one run of each build and model, "new m1"."""
    pairs = (text.split() for text in builds_and_models)
    return joined(
        *(
            run_folder(f"h/{build}-{model}", 1.0, case={"build": build, "model": model})
            for build, model in pairs
        )
    )


BASELINE = RATIO.removeprefix(STEP_TIME)
TWO_OF_FOUR = of_models("old m1", "old m2", "old m3", "old m4", "new m1", "new m2")
SETS = [
    *(
        Deception(
            f"models that one side lacks: {what}",
            TWO_OF_FOUR,
            f'metric = "step_time"\n{rows}{BASELINE}',
            sees=("(one run each).", "Not every side has every case: new has 2 of 4 models (not m3, m4)."),
            rules=("table.sets-differ",),
        )
        for what, rows in (
            ("in facets", 'facets = ["model"]\nrows = ["build"]\n'),
            ("in rows", 'rows = ["model", "build"]\n'),
            ("in columns", 'rows = ["build"]\ncolumns = ["model"]\n'),
            ("whose baseline is not shown", 'rows = ["model"]\nwhere = { build = "new" }\n'),
        )
    ),
    Deception(
        "a mean of two rows of four",
        TWO_OF_FOUR,
        'metric = "step_time"\nrows = ["model"]\ncolumns = ["build"]\n'
        + BASELINE.replace("} }", "}, mean = true }"),
        sees=("Geometric mean of the 2 of 4 rows that have both values.",),
    ),
    Deception(
        "a mean of one row",
        of_models("old m1", "old m2", "new m1"),
        'metric = "step_time"\nrows = ["model"]\ncolumns = ["build"]\n'
        + BASELINE.replace("} }", "}, mean = true }"),
        sees=(
            "| geometric mean | - | - <sup>mean</sup> |",
            "1 of 2 rows has both values, and a geometric mean needs two.",
        ),
        never=("in the geometric mean (",),
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
            "as fast as old (one run each).",
            "They also differ in precision.",
            "as far as the logs state them except precision (fp16, fp32)",
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
        sees=(
            "| V100 | 8 <sup>no-path, rate.contradiction</sup> |",
            "no facts connect V and A at 8 and 4 devices",
        ),
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
    Deception(
        "a fact computed over other batches, libraries and hosts",
        devices(("V100", 4, 2.0), ("A40", 4, 1.0)),
        EXPECTED,
        files={
            "reports/expected.toml": FACTS.replace(
                "speed = 0.5", 'computed = { logs = "facts", over = { model = "a" } }'
            ),
            "facts/source.toml": """\
title = "F"
tables = ["f.csv"]
factors = { device = "device", model = "model", batch_size = "batch" }
environment = { cpu = "cpu", torch = "torch" }
metrics = [{ column = "rate", metric = "throughput", unit = "images/s" }]
""",
            "facts/f.csv": "device,model,batch,cpu,torch,rate\nV100,a,296,Xeon,1.4,50\nA40,a,496,EPYC,1.9,100\n",
        },
        sees=(
            "The cases behind the expected speed also differ in batch_size (V: 296, A: 496), cpu (V: Xeon, A: EPYC), "
            "torch (V: 1.4, A: 1.9).",
            "V runs at 0.5x the speed of A, computed from logs; the cases also differ in batch_size (V: 296, A: 496)",
        ),
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
        "sequences that are counted as tokens",
        run_folder("h/1", 1.0, case={**NEW, "item": "token", "batch_size": 8, "sequence_length": 512}),
        BOTH,
        sees=("✗ invalid", "a step has 8 tokens by the log, but 8 sequences of 512 are 4,096"),
        rules=("rate.contradiction",),
    ),
    Deception(
        "tokens that are counted as sequences",
        run_folder(
            "h/1", 1.0, case={**NEW, "item": "sequence", "batch_size": 8, "seq_len": 512, "devices": 1}, samples=4096
        ),
        BOTH,
        sees=("✗ invalid", "these are its 8 x 512 tokens"),
    ),
    Deception(
        "a micro-batch that is larger than the step",
        run_folder("h/1", 1.0, case={**NEW, "micro_batch_size": 64}),
        BOTH,
        sees=("✗ invalid", "a step has 8 samples by the log, fewer than the micro-batch of 64"),
    ),
    Deception(
        "a global batch of another size than the step",
        run_folder("h/1", 1.0, case={**NEW, "global_batch_size": 256}),
        BOTH,
        sees=("a step has 8 samples by the log, and the global batch is 256",),
        rules=("rate.contradiction",),
    ),
    Deception(
        "eight devices beside two ranks",
        run_folder("h/1", 1.0, case={**NEW, "devices": 8}, ranks=2),
        BOTH,
        sees=("the factor says 8 devices, and 2 ranks ran",),
        rules=("rate.contradiction",),
    ),
    Deception(
        "two nodes with four devices each are not four devices",
        run_folder("h/1", 1.0, case={**NEW, "nodes": 2, "devices_per_node": 4, "devices": 4}, ranks=4),
        BOTH,
        sees=("2 nodes with 4 devices each are 8, and the factor says 4 devices",),
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
        (
            "a copy in another order",
            lambda times, n: random.Random(n).sample(times, len(times)),
            "the same step times as h/0, in another order",
        ),
        (
            "the measured steps of a copy in another order, every time multiplied",
            lambda times, n: [
                *noisy(f"{n}")[:5],
                *(time * (1 + n * 1e-3) for time in random.Random(n).sample(times[5:25], 20)),
                *noisy(f"{n} after")[:5],
            ],
            "the measured step times are the same as in h/0, in another order",
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
        sees=("new is 2", "as fast as old"),
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
    *(
        Deception(
            f"one label for two values: {what}",
            joined(run_folder("h/1", 1.0, case=NEW), run_folder("h/2", 2.0, case=OLD)),
            f"{rows}labels = {{ {labels} }}\n",
            error="have the same label",
        )
        for what, rows, labels in (
            ("with the name of the factor", RATIO, '"build=old" = "x", "build=new" = "x"'),
            ("as facets", FACETS, 'old = "x", new = "x"'),
            ("with a space more", RATIO, 'old = "x", new = "x "'),
            ("in small letters", RATIO, 'old = "x", new = "X"'),
            ("with a Cyrillic letter", RATIO, 'old = "x", new = "\\u0445"'),
            ("as qualifiers", ONE_ROW + 'qualify = ["build"]\n', '"build=old" = "x", "build=new" = "x"'),
        )
    ),
    Deception(
        "one label for two values, in rows that another factor distinguishes",
        joined(
            run_folder("h/1", 1.0, case={**NEW, "model": "a"}),
            run_folder("h/2", 2.0, case={**OLD, "model": "b"}),
        ),
        'metric = "step_time"\nrows = ["model", "build"]\nlabels = { new = "x", old = "x" }\n',
        sees=('"x" means build new and old.',),
    ),
    Deception(
        "one label for two factors",
        run_folder("h/1", 1.0, case={**NEW, "batch_size": 8}),
        'metric = "step_time"\nrows = ["build", "batch_size"]\nlabels = { build = "x", batch_size = "x" }\n',
        error="build and batch_size have the same label",
    ),
    Deception(
        "a factor with the label of another",
        run_folder("h/1", 1.0, case={"devices": 1, "batch_size": 8}),
        'metric = "step_time"\nrows = ["devices", "batch_size"]\nlabels = { batch_size = "devices", devices = "n" }\n',
        error='batch_size has the label "devices", which is another factor',
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
        "every second step takes no time",
        run_folder("h/1", [0.0, 0.05] * 6, case=NEW),
        RATE,
        sees=("| new | -", "6 of 12 steps take 0 s by their clock"),
        never=("320",),
        rules=("clock.coarse",),
    ),
    Deception(
        "steps of 7 ms that are rounded up to 10 ms",
        run_folder("h/1", [0.01] * 12, case=NEW),
        RATE,
        sees=("all 12 steps take exactly 0.01 s",),
        rules=("clock.coarse",),
    ),
    Deception(
        "a clock that began in 1970",
        run_folder("h/1", 1.0, case=NEW, started_realtime_ns=10**9),
        RATE,
        sees=("the run began 1 s after 1970 by its clock, which was not set",),
        rules=("clock.contradiction",),
    ),
    Deception(
        "stalls that are long enough to be left out",
        joined(
            run_folder("h/1", [1.0] * 12, case=OLD),
            run_folder("h/2", [1.0] * 6 + [12.0] + [1.0] * 5, case=NEW),
        ),
        RATE + 'compare = { kind = "speedup", baseline = { build = "old" } }\nshow = ["value", "speedup"]\n',
        # 80 samples in 9 + 12 s, against 8 samples/s.
        sees=("3.810 over all", "0.476 over all", "with them, it is 0.476x as fast"),
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

JUDGED = """\
rows = ["build"]
compare = { kind = "ratio", baseline = { build = "old" } }
REQUIRED
[[acceptance]]
id = "a"
all = [{ table = "t", against = "baseline", min_ratio = 0.95ACCEPT }]
"""


def judged(accept: str = "", required: str = "") -> str:
    """Return a table with a rule of acceptance against the old build."""
    accepted = f", accept = [{accept}]" if accept else ""
    return JUDGED.replace("ACCEPT", accepted).replace("REQUIRED", required)


def builds(old: Mapping[str, object] = {}, new: Mapping[str, object] = {}) -> Files:
    """Return three repeats of the old build and of the new one."""
    fields = {"case": OLD} | dict(old), {"case": NEW} | dict(new)
    return joined(repeats("old", 1.0, **fields[0]), repeats("new", 0.99, **fields[1]))


STALLED = [1.0] * 6 + [20.0] + [1.0] * 5
ON_GPU = {"case": NEW | {"device": "H100"}}
LOST = dict(run_folder("new/2", 1.0, case=NEW, repeat=2, status="failed"))
NOT_EVALUATED = ("Acceptance was not evaluated",)
ACCEPTED = ("Acceptance passes.",)

ACCEPTANCE = [
    Deception("three repeats of each are judged", builds(), judged(), sees=ACCEPTED),
    Deception(
        "the speed of two ranks is not accepted against one",
        builds(new={"ranks": 2}),
        judged(),
        sees=(*NOT_EVALUATED, "ranks: 2; 1 in the baseline"),
    ),
    Deception(
        "other work per step is not accepted",
        builds(new={"samples": 16}),
        judged('"ranks"'),
        sees=(*NOT_EVALUATED, "samples_per_step: 16; 8 in the baseline"),
    ),
    Deception(
        "another device is not accepted",
        builds(
            old={"environment": {"gpu": {"GPU-1": {"name": "A100"}}}},
            new={"environment": {"gpu": {"GPU-2": {"name": "H100"}}}},
        ),
        judged(),
        sees=(*NOT_EVALUATED, "device_model: H100; A100 in the baseline"),
    ),
    Deception(
        "what differs can be accepted by name, and the rule says so",
        builds(new={"ranks": 2}),
        judged('"ranks", "samples_per_step"'),
        sees=(*ACCEPTED, "ratio at least 0.95; accepted: ranks, samples_per_step"),
    ),
    Deception(
        "one repeat is not accepted against three",
        joined(repeats("old", 1.0, case=OLD), repeats("new", 1.0, 1, case=NEW)),
        judged(),
        sees=(*NOT_EVALUATED, "protocol.few-repeats: 1; 3 in the baseline"),
    ),
    Deception(
        "fewer repeats than the protocol asks for are not accepted",
        builds(),
        judged(required='protocol = "2+10x7"'),
        sees=(*NOT_EVALUATED, "protocol.few-repeats: 3 of 7 repeats"),
    ),
    Deception(
        "the repeats that did not fail are not accepted alone",
        {**builds(), **LOST},
        judged('"protocol.few-repeats"'),
        sees=(*NOT_EVALUATED, "read.failed-run: 1 of 3 runs: failed"),
    ),
    Deception(
        "a speed without two thirds of the time is not accepted",
        joined(repeats("old", 1.0, case=OLD), repeats("new", STALLED, case=NEW)),  # type: ignore[arg-type]
        judged(),
        sees=(*NOT_EVALUATED, "protocol.gap: 69% of the window's time is left out"),
    ),
    Deception(
        "steps that the host timed without waiting for the GPU are not accepted",
        joined(repeats("old", 1.0, case=OLD | {"device": "H100"}), repeats("new", 1.0, **ON_GPU)),
        judged(),
        sees=(
            *NOT_EVALUATED,
            "clock.unsynchronised: steps are timed on the host",
            "in the baseline, steps are",
        ),
    ),
    Deception(
        "tokens/s are not a reference for images/s",
        builds({"case": OLD | {"item": "image"}}, {"case": NEW | {"item": "image"}}),
        judged().replace('"baseline"', '1, unit = "ktokens/s"'),
        error="acceptance[0].all[0].unit: the rule counts tokens/s, but build=new counts images/s; name the",
    ),
    Deception(
        "thousands of images/s are a reference for images/s",
        builds({"case": OLD | {"item": "image"}}, {"case": NEW | {"item": "image"}}),
        judged().replace('"baseline"', '0.001, unit = "kimages/s"'),
        sees=(*ACCEPTED, "Reference", "1.00"),
    ),
    Deception(
        "a rule about a phase names the phase",
        joined(
            repeats("old", 1.0, case=OLD, columns={FORWARD: 0.2}),
            repeats("new", 2.0, case=NEW, columns={FORWARD: 0.2}),
        ),
        'metric = "step_time"\nphase = "forward"\n' + judged(),
        sees=(*ACCEPTED, "| Forward time of t against baseline: ratio at least 0.95 |"),
        never=("Step time of t",),
    ),
    Deception(
        "a rule that is about the good case only says how many cases it judges",
        joined(builds(), repeats("slow", 2.0, case={"build": "slow"})),
        judged().replace("min_ratio", 'where = { build = "new" }, min_ratio'),
        sees=("Acceptance passes (a: 1 of 2 cases judged).", "a: pass (1 of 2 cases judged)"),
    ),
    Deception(
        "three of four nodes are not all nodes",
        builds(),
        judged(required="required = { counts = { build = 4 } }"),
        sees=(
            *NOT_EVALUATED,
            "table.missing-required: 2 of 4 required values of build have a number: new, old",
        ),
        rules=("table.missing-required",),
    ),
    Deception(
        "as many nodes as required are all nodes",
        builds(),
        judged(required="required = { counts = { build = 2 } }"),
        sees=ACCEPTED,
    ),
]

GROUPS = [
    Deception(
        "old and new repeats of one case are two groups, not one median",
        joined(repeats("old", 1.0, 5, case=NEW), repeats("new", 1.087, 5, case=NEW)),
        STEP_TIME,
        sees=("Two groups of repeats, 8.", "% apart: step_time of 5 around 1.", "s and 5 around 1.0"),
        rules=("protocol.two-groups",),
    ),
    Deception(
        "three old and three new repeats with 0.3 % of spread and 4 % between them are two groups",
        joined(repeats("old", 1.0, case=NEW), repeats("new", 1.04, case=NEW)),
        STEP_TIME,
        sees=("Two groups of repeats, 4.", "% apart: step_time of 3 around", "s and 3 around"),
        rules=("protocol.two-groups",),
    ),
    Deception(
        "the median of two groups is not accepted",
        joined(repeats("old", 1.0, case=OLD), repeats("new", 1.0, case=NEW), repeats("x", 1.04, case=NEW)),
        judged(),
        sees=(*NOT_EVALUATED, "protocol.two-groups: two groups of repeats"),
    ),
]


def at_once(seconds: float, count: int = 3, **fields: object) -> Files:
    """Return repeats of both builds that start in pairs, a nanosecond after each other."""
    starts = [1_700_000_000 * 10**9 + 10**11 * number for number in range(count)]
    return joined(
        *(
            run_folder(
                f"h/{build}-{number}",
                time,
                case={"build": build},
                repeat=number + 1,
                started_realtime_ns=start + later,
                ended_realtime_ns=start + round(seconds * 10**9),
                **fields,  # type: ignore[arg-type]
            )
            for number, start in enumerate(starts)
            for later, (build, time) in enumerate((("old", 1.0), ("new", 0.9)))
        )
    )


COMPANY = [
    Deception(
        "runs at the same time on one machine",
        at_once(15),
        RATIO,
        sees=(
            "`protocol.same-time`: 6 warnings",
            "- same-time: Two runs competed for a device or a machine.",
            "Read the warnings before using these numbers.",
        ),
        rules=("protocol.same-time",),
    ),
    Deception(
        "a run beside another is not accepted",
        at_once(15),
        judged(),
        sees=(*NOT_EVALUATED, "protocol.same-time: ran on one machine together with"),
    ),
]

CHOSEN = [
    *(
        Deception(
            f"a chosen repeat: {what}",
            joined(repeats("old", 1.0, 7, case=OLD), repeats("new", 1.0, 7, case=NEW)),
            RATIO + chosen,
            sees=(f"few-repeats: The definition {said}.", "`protocol.few-repeats`"),
            rules=("protocol.few-repeats",),
        )
        for what, chosen, said in (
            ("by its number", "where = { repeat = 7 }\n", "chooses 1 of 7 repeats: 7"),
            (
                "the best of all",
                'where = { repeat = [1, 2, 3, 4, 5, 6, 7] }\npick = { repeat = "best" }\n',
                "picks the best of several repeats",
            ),
        )
    ),
    Deception(
        "a chosen repeat is not accepted",
        joined(repeats("old", 1.0, 7, case=OLD), repeats("new", 1.0, 7, case=NEW)),
        judged().replace("compare", "where = { repeat = 7 }\ncompare", 1),
        sees=(*NOT_EVALUATED, "protocol.few-repeats: the definition chooses 1 of 7 repeats"),
    ),
    Deception(
        "all repeats, each in a row of its own",
        repeats("new", 1.0, 7, case=NEW),
        'metric = "step_time"\nrows = ["repeat"]\n',
        never=("the definition chooses",),
    ),
]

TABLES = [
    *INSIDE_A_CASE,
    *BETWEEN_CASES,
    *OTHER_WORK,
    *LOOK_ALIKES,
    *SETS,
    *HIDDEN_FACTORS,
    *EXPECTED_SPEEDS,
    *CONTRADICTIONS,
    *COPIES,
    *COMPANY,
    *CHOSEN,
    *WINDOWS,
    *WORDS,
    *DEVICES,
    *ORDER,
    *CLOCKS,
    *ACCEPTANCE,
    *GROUPS,
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
