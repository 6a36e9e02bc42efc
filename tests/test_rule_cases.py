"""Every rule of findings has a case that fires and a similar one that does not, through the whole build."""

import gzip
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from reportgen import api
from reportgen.core.rules import Rule
from tests.builders import run_folder, write_files
from tests.conftest import ROOT

Files = Mapping[str, str | bytes]

CASE = {"build": "new"}
TABLE = 'metric = "step_time"\nrows = ["build"]\n'
LATENCY = 'metric = "latency"\nrows = ["build"]\n'


@dataclass(frozen=True)
class Repository:
    """A small repository: files below logs/, the definition's only table, and further files."""

    logs: Files
    table: str = TABLE
    more: str = ""
    files: Files = field(default_factory=dict)
    change: Callable[[Path], None] = lambda root: None

    def rules(self, root: Path) -> set[str]:
        """Return the rules of the findings of its build; `change` is applied between two builds."""
        files = {f"logs/{name}": content for name, content in self.logs.items()}
        head = f'title = "T"\nlogs = ["logs"]\nprotocol = "2+10x1"\n{self.more}\n'
        files["reports/r.toml"] = f'{head}[[tables]]\nid = "t"\ntitle = "T"\n{self.table}'
        write_files(root, files | dict(self.files))
        api.build(root / "reports")
        self.change(root)
        found = api.build(root / "reports")
        return {str(finding.rule) for finding in (*found.findings, *found.problems)}


@dataclass(frozen=True)
class RuleCase:
    """A repository in which a rule fires, and a similar one in which it does not."""

    fires: Repository
    quiet: Repository


def joined(*parts: Files) -> dict[str, str | bytes]:
    """Return the files of all parts."""
    return {name: content for part in parts for name, content in part.items()}


def one(**fields: object) -> Files:
    """Return one run of twelve steps of a second."""
    return run_folder("h/1", **{"seconds": 1.0, "case": CASE, **fields})  # type: ignore[arg-type]


def several(*seconds: float, case: Mapping[str, object] = CASE, folder: str = "h") -> Files:
    """Return the repeats 1, 2, ... of a case, each with its own time of a step."""
    return joined(
        *(run_folder(f"{folder}/{n}", time, case=case, repeat=n) for n, time in enumerate(seconds, 1))
    )


def of_builds(old: Mapping[str, object], new: Mapping[str, object]) -> Files:
    """Return one run of the build "old" and one of "new", with further arguments of each."""
    return joined(
        run_folder("h/old", **{"seconds": 2.0, "case": {"build": "old"}, **old}),  # type: ignore[arg-type]
        run_folder("h/new", **{"seconds": 1.0, "case": CASE, **new}),  # type: ignore[arg-type]
    )


def at(*seconds: int) -> Mapping[str, object]:
    """Return when a run started and ended."""
    started, ended = (1_700_000_000_000_000_000 + second * 10**9 for second in seconds)
    return {"started_realtime_ns": started, "ended_realtime_ns": ended}


def edited(files: Files, *changes: tuple[str, str]) -> Files:
    """Return the files with texts replaced; each text occurs in one of them at least."""
    result = {name: str(content) for name, content in files.items()}
    for old, new in changes:
        assert any(old in content for content in result.values()), old
        result = {name: content.replace(old, new) for name, content in result.items()}
    return result


def step_times(
    count: int, *, slow_until: int = 0, factor: float = 1.5, slow: tuple[int, ...] = ()
) -> list[float]:
    """Return noisy times around a second, the first steps and single ones longer."""
    noise = random.Random(count)
    return [
        noise.gauss(1, 0.002) * (factor if step <= slow_until else 9.0 if step in slow else 1.0)
        for step in range(1, count + 1)
    ]


# Twenty of the steps 11 to 70 take 5 % longer.
LEVELS = [time * (1.05 if 50 < step <= 70 else 1.0) for step, time in enumerate(step_times(150), 1)]


# Text logs

FRAMEWORK = 'metric = "step_time"\nrows = ["framework"]\n'


def nanogpt(count: int = 40, before: str = "", between: str = "") -> str:
    """Return the log of nanoGPT: `count` steps, a line before them and one among them."""
    noise = random.Random(count)
    lines = [f"iter {i}: loss 3.2202, time {noise.gauss(890, 3):.2f}ms, mfu 16.68%\n" for i in range(count)]
    return before + "".join(lines[:20]) + between + "".join(lines[20:])


def dllogger(tick: float, rate: float = 128.0, step: float = 0.5, count: int = 60) -> str:
    """Return the log of a ConvNet: steps of 64 samples, stamps rounded to a tick, and a printed rate."""
    lines = ["DLL 2024-01-01 10:00:00.000000 - PARAMETER arch : resnet50  batch_size : 64  world_size : 1\n"]
    for number in range(1, count + 1):
        t = number * step // tick * tick
        stamp = f"2024-01-01 10:{int(t // 60):02}:{t % 60:09.6f}"
        lines.append(
            f"DLL {stamp} - Epoch: 0 Iteration: {number}  train.loss : 7 train.total_ips : {rate} img/s\n"
        )
    lines.append(f"DLL 2024-01-01 10:10:00.000000 - () train.total_ips : {rate} img/s\n")
    return "".join(lines)


MODEL = 'metric = ["step_time", "throughput"]\nrows = ["model", "metric"]\n'

# Published figures

SOURCE = """\
title = "P"
url = "https://example.org"
date = "2024-01-01"
tables = ["p.csv"]
[factors]
build = "build"
[constants]
item = "image"
[[metrics]]
column = "rate"
metric = "throughput"
unit = "images/s"
"""
PUBLISHED = {"p/source.toml": SOURCE, "p/p.csv": "build,rate\nnew,100\n"}
RATE = 'rows = ["build"]\n'
CORRECTION = (
    '[[corrections]]\nwhere = { build = "%s" }\ncolumn = "rate"\nvalue = 10\nreason = "typo"\nsource = "s"\n'
)

ALIASES = '[aliases.build]\n"%s" = "GPU"\n"%s" = "GPU"\n'
TWO_BATCHES = joined(
    run_folder("h/1", 1.0, case={**CASE, "batch_size": 32}),
    run_folder("h/2", 1.0, case={**CASE, "batch_size": 64}),
)
WHOLE_COMMAND = {
    "h/1/run.json": json.dumps(
        {"format": "reportgen-run", "status": "complete", "case": CASE, "wall_time_ns": 10**10}
    )
}
# The best of two epochs, which took a hundredth of a second.
NCF = """\
DLL 2024-08-02 12:10:24.145372 - PARAMETER epochs : 2  batch_size : 96000000  valid_batch_size : 10  world_size : 8
DLL 2024-08-02 12:10:44.540344 - (0,) train_throughput : 1.128e+08 samples/s hr@10 : 0.7 train_epoch_time : 0.88 s
DLL 2024-08-02 12:10:44.759564 - (1,) train_throughput : 9.455e+09 samples/s hr@10 : 0.7 train_epoch_time : 0.011 s
DLL 2024-08-02 12:10:44.759961 - () best_train_throughput : 9454806646.0 samples/s mean_train_throughput : 1.0 samples/s
"""

# Comparisons

RATIO = TABLE + 'compare = { kind = "ratio", baseline = { build = "old" } }\n'
MEAN = (
    'metric = "step_time"\nrows = ["model"]\ncolumns = ["build"]\n'
    'compare = { kind = "ratio", baseline = { build = "old" }, mean = true }\n'
)


def of_models(*cases: tuple[str, str]) -> Files:
    """Return one run of each (model, build)."""
    return joined(*(run_folder(f"h/{m}-{b}", 1.0, case={"model": m, "build": b}) for m, b in cases))


BY_DEVICE = 'metric = "step_time"\nrows = ["build"]\ncolumns = ["device"]\n'
FACT = '[[fact]]\nof = "N"\nto = "O"\nspeed = %s\nsource = "s"\n'
SYSTEMS = '[systems]\nN = { build = "new" }\nO = { build = "old" }\nX = { build = "other" }\n'
EXPECTED = TABLE + 'compare = { kind = "expected", baseline = { build = "old" } }\n'


def facts(*speeds: float, of: str = "N") -> Files:
    """Return an expected.toml with a fact for each speed."""
    return {
        "reports/expected.toml": SYSTEMS + "".join(FACT % speed for speed in speeds).replace('"N"', f'"{of}"')
    }


# Telemetry: ten samples a second on the clock of the steps, from a second before to a second after them.


def sampled(lines: tuple[str, ...] = (), *, until: float = 14.0, **columns: object) -> Files:
    """Return a run with samples of its device; a column is one value, or one for each sample."""
    times = [10**8 * tenth for tenth in range(round(until * 10))]
    values = {
        name: value if isinstance(value, list) else [value] * len(times) for name, value in columns.items()
    }
    rows = (
        ",".join(["GPU-1", str(t), *(str(column[i]) for column in values.values())])
        for i, t in enumerate(times)
    )
    head = ",".join(["device", "monotonic_ns", *values])
    return joined(
        one(),
        {"h/1/telemetry.node0.csv": "\n".join(["#clock,1,1700000000000000000", head, *rows, *lines, ""])},
    )


BUSY = {"utilization_gpu_percent": 99}
LOCKED = ('"build": "new"', '"build": "new", "locked_clock_mhz": 1410')
SYNC = "#sync,2,3000000000,3000000001\n#sync,12,13000000000,13000000001\n"


def write_unknown(root: Path) -> None:
    (root / "reports/r/notes.txt").write_text("mine")


def write_hidden(root: Path) -> None:
    (root / "reports/r/.notes.txt").write_text("mine")


# 900 GB/s by its data sheet.
STREAM = """BabelStream
Using CUDA device Tesla V100-SXM2-16GB
Function    MBytes/sec  Min (sec)   Max         Average
Copy        %d.000  0.00124     0.00128     0.00125
"""
SHARE = 'metric = "share_of_bandwidth"\nrows = ["kernel"]\n'


def edit_table(root: Path) -> None:
    text = (root / "README.md").read_text()
    assert "| new |" in text
    (root / "README.md").write_text(text.replace("| new |", "| best |"))


INJECTED = {"README.md": "# X\n\n<!-- reportgen:begin r/t -->\n<!-- reportgen:end -->\n"}


def two_ranks(waiting: float) -> Files:
    """Return a run of two ranks: rank 0 waits 0.6 s of a step in its backward pass, rank 1 `waiting` s."""
    files = one(ranks=2, columns={"backward_host_synchronized_ns": 0.6})
    name = "h/1/steps.rank1.csv"
    return joined(files, {name: str(files[name]).replace(",600000000", f",{round(waiting * 10**9)}")})


def refuse(root: Path) -> None:
    """Make a log a link to nothing."""
    (root / "logs/h/2").mkdir()
    (root / "logs/h/2/run.log").symlink_to(root / "nowhere")


def pack(text: str) -> bytes:
    """Return a text as gzip packs it."""
    return gzip.compress(text.encode())


def quoted(text: str) -> str:
    """Return a document that quotes a log."""
    return f"# How fast it is\n\n```\n{text}```\n"


CASES: dict[Rule, RuleCase] = {
    Rule.CLOCK_COARSE: RuleCase(
        Repository({"a.log": dllogger(1.0)}, MODEL), Repository({"a.log": dllogger(0.001)}, MODEL)
    ),
    Rule.CLOCK_CONTRADICTION: RuleCase(
        Repository(one(begins=[0.5 * i for i in range(12)])),
        Repository(one(begins=[1.001 * i for i in range(12)])),
    ),
    Rule.CLOCK_DISAGREEMENT: RuleCase(
        Repository(one(columns={"step_cuda_event_ns": 0.8})),
        Repository(one(columns={"step_cuda_event_ns": 0.99})),
    ),
    Rule.CLOCK_IMPLAUSIBLE: RuleCase(Repository(one(seconds=1e-9)), Repository(one(seconds=1e-3))),
    Rule.CLOCK_NO_DEVICE_TIME: RuleCase(
        Repository(one(recorder={"no_device_time": {"graph": 3}})),
        Repository(one(recorder={"no_device_time": {}})),
    ),
    Rule.CLOCK_UNSYNCHRONISED: RuleCase(
        Repository(one(case={**CASE, "device": "H200"})), Repository(one(case={**CASE, "device": "CPU"}))
    ),
    Rule.ENVIRONMENT_VARIES: RuleCase(
        Repository(
            joined(
                run_folder("h/1", 1.0, case=CASE, environment={"driver": "470"}),
                run_folder("h/2", 1.0, case=CASE, repeat=2, environment={"driver": "550"}),
            )
        ),
        Repository(
            joined(
                run_folder("h/1", 1.0, case=CASE, environment={"driver": "470", "uptime": 1}),
                run_folder("h/2", 1.0, case=CASE, repeat=2, environment={"driver": "470", "uptime": 2}),
            )
        ),
    ),
    Rule.EXPECTED_INCONSISTENT: RuleCase(
        Repository(of_builds({}, {}), EXPECTED, files=facts(0.5, 0.9)),
        Repository(of_builds({}, {}), EXPECTED, files=facts(0.5, 0.5)),
    ),
    Rule.EXPECTED_NO_PATH: RuleCase(
        Repository(of_builds({}, {}), EXPECTED, files=facts(0.5, of="X")),
        Repository(of_builds({}, {}), EXPECTED, files=facts(0.5)),
    ),
    Rule.LOG_COMMUNICATION: RuleCase(
        Repository({"a.log": nanogpt(before="n1:5:5 [0] NCCL INFO NET/IB : No device found.\n")}, FRAMEWORK),
        Repository({"a.log": nanogpt(before="n1:5:5 [0] NCCL INFO NET/IB : Using [0]mlx5_0\n")}, FRAMEWORK),
    ),
    Rule.LOG_COMPUTE: RuleCase(
        Repository(
            {"a.log": nanogpt(before="x.py:1: UserWarning: 1Torch was not compiled with flash attention.\n")},
            FRAMEWORK,
        ),
        Repository({"a.log": nanogpt(before="x.py:1: using flash attention.\n")}, FRAMEWORK),
    ),
    Rule.LOG_DATA_LOADING: RuleCase(
        Repository(
            {
                "a.log": nanogpt(
                    before="x.py:1: UserWarning: This DataLoader will create 32 worker processes in total. "
                    "Our suggested max number of worker in current system is 16\n"
                )
            },
            FRAMEWORK,
        ),
        Repository({"a.log": nanogpt(before="DataLoader with 16 worker processes\n")}, FRAMEWORK),
    ),
    Rule.LOG_MEMORY: RuleCase(
        Repository(
            {
                "a.log": nanogpt(
                    between="3 pytorch allocator cache flushes since last step. this happens when\n"
                )
            },
            FRAMEWORK,
        ),
        Repository({"a.log": nanogpt(between="0 allocator retries\n")}, FRAMEWORK),
    ),
    Rule.PROSE_UNBACKED_NUMBER: RuleCase(
        Repository(one(), more='headline = "9000 times faster"'),
        Repository(one(), more='headline = "Faster on an H200"'),
    ),
    Rule.PROTOCOL_AGGREGATE_ONLY: RuleCase(
        Repository(
            {
                "a.json": json.dumps(
                    [
                        {
                            "avg_ts": 5120.5,
                            "n_prompt": 512,
                            "n_gen": 0,
                            "build_commit": "x",
                            "stddev_ts": 1,
                            "avg_ns": 1,
                            "samples_ns": [1],
                            "samples_ts": [5120.5],
                        }
                    ]
                )
            },
            'rows = ["framework"]\n',
        ),
        Repository(PUBLISHED, RATE),
    ),
    Rule.PROTOCOL_COARSE_INTERVAL: RuleCase(
        Repository(
            joined(one(), {"gpu/gpu.csv": "index, power.draw [W]\n0, 100.0 W\n0, 110.0 W\n"}),
            'metric = "power"\nrows = ["metric"]\n',
        ),
        Repository(sampled(power_mw=100_000, **BUSY), 'metric = "power"\nrows = ["build"]\n'),
    ),
    Rule.PROTOCOL_DRIFT_ACROSS_REPEATS: RuleCase(
        Repository(several(1.0, 1.02, 1.04, 1.06, 1.08, 1.1)),
        Repository(several(1.0, 1.1, 1.02, 1.08, 1.04, 1.06)),
    ),
    Rule.PROTOCOL_FEW_REPEATS: RuleCase(
        Repository(several(1.0, 1.0), TABLE + 'protocol = "2+10x7"\n'),
        Repository(several(*[1.0] * 7), TABLE + 'protocol = "2+10x7"\n'),
    ),
    Rule.PROTOCOL_GAP: RuleCase(
        Repository(one(seconds=[1.0, 1.01, 1.0, 1.02, 1.0, 30.0, 1.01, 1.0, 1.03, 1.0, 1.0, 1.0])),
        Repository(one(seconds=[1.0, 1.01, 1.0, 1.02, 1.0, 1.05, 1.01, 1.0, 1.03, 1.0, 1.0, 1.0])),
    ),
    Rule.PROTOCOL_MISSING_REPEATS: RuleCase(
        Repository(joined(*(run_folder(f"h/{n}", 1.0, case=CASE, repeat=n) for n in (1, 3, 4)))),
        Repository(several(1.0, 1.0, 1.0)),
    ),
    Rule.PROTOCOL_MIXED: RuleCase(
        Repository(
            joined(run_folder("h/1", 1.0, case=CASE), run_folder("h/2", step_times(9), case=CASE, repeat=2))
        ),
        Repository(several(1.0, 1.0)),
    ),
    Rule.PROTOCOL_NO_NUMBER: RuleCase(Repository(one(samples=0), RATE), Repository(one(samples=8), RATE)),
    Rule.PROTOCOL_NOT_STEADY: RuleCase(
        Repository(one(seconds=step_times(80, slow_until=20)), TABLE + 'protocol = "2+10x1"\n'),
        Repository(one(seconds=step_times(80)), TABLE + 'protocol = "2+10x1"\n'),
    ),
    Rule.PROTOCOL_LEVEL_SHIFT: RuleCase(
        Repository(one(seconds=LEVELS), TABLE + 'protocol = "10+60x1"\n'),
        Repository(one(seconds=step_times(150)), TABLE + 'protocol = "10+60x1"\n'),
    ),
    Rule.PROTOCOL_OUTLIERS: RuleCase(
        Repository(one(seconds=step_times(60, slow=(30, 31, 40))), TABLE + 'protocol = "10+50x1"\n'),
        Repository(one(seconds=step_times(60)), TABLE + 'protocol = "10+50x1"\n'),
    ),
    Rule.PROTOCOL_POOLED_FOLDERS: RuleCase(
        Repository(joined(several(1.0, 1.0, folder="monday"), several(1.2, 1.2, folder="tuesday"))),
        Repository(several(1.0, 1.0, folder="monday")),
    ),
    Rule.PROTOCOL_SAME_TIME: RuleCase(
        Repository(of_builds(at(0, 30), at(20, 40))), Repository(of_builds(at(0, 30), at(30, 50)))
    ),
    Rule.PROTOCOL_SHORT_WINDOW: RuleCase(
        Repository(one(), TABLE + 'protocol = "2+100x1"\n'),
        Repository(one(), TABLE + 'protocol = "2+10x1"\n'),
    ),
    Rule.PROTOCOL_SPREAD: RuleCase(Repository(several(1.0, 1.2)), Repository(several(1.0, 1.02))),
    Rule.PROTOCOL_TWO_GROUPS: RuleCase(
        Repository(several(1.0, 1.001, 1.002, 1.04, 1.041, 1.042)),
        Repository(several(1.0, 1.01, 1.02, 1.03, 1.04, 1.05)),
    ),
    Rule.PUBLISH_EDITED: RuleCase(
        Repository(one(), files=INJECTED, change=edit_table), Repository(one(), files=INJECTED)
    ),
    Rule.PUBLISH_UNKNOWN_FILE: RuleCase(
        Repository(one(), change=write_unknown), Repository(one(), change=write_hidden)
    ),
    Rule.RANK_STRAGGLER: RuleCase(Repository(two_ranks(0.1)), Repository(two_ranks(0.58))),
    Rule.RATE_DISAGREEMENT: RuleCase(
        Repository({"a.log": dllogger(0.001, rate=200.0)}, MODEL),
        Repository({"a.log": dllogger(0.001)}, MODEL),
    ),
    Rule.RATE_ABOVE_PEAK: RuleCase(
        Repository({"a.log": STREAM % 960_000}, SHARE), Repository({"a.log": STREAM % 850_000}, SHARE)
    ),
    Rule.RATE_IMPLAUSIBLE: RuleCase(
        Repository({"a.log": NCF}, 'rows = ["model"]\n'),
        Repository({"a.log": dllogger(0.001)}, 'rows = ["model"]\n'),
    ),
    Rule.READ_ALIAS_MERGES_DEVICES: RuleCase(
        Repository(joined(one(case={"build": "A100"}), {"labels.toml": ALIASES % ("A100", "V100")})),
        Repository(
            joined(one(case={"build": "A100"}), {"labels.toml": ALIASES % ("A100", "A100-SXM4-80GB")})
        ),
    ),
    Rule.RATE_CONTRADICTION: RuleCase(
        Repository(one(case={"build": "new", "micro_batch_size": 64}, samples=32)),
        Repository(one(case={"build": "new", "micro_batch_size": 32}, samples=32)),
    ),
    Rule.READ_CONTRADICTION: RuleCase(Repository(one(exit_code=1)), Repository(one(exit_code=0))),
    Rule.READ_CORRECTED_FIGURE: RuleCase(
        Repository(joined(PUBLISHED, {"p/source.toml": SOURCE + CORRECTION % "new"}), RATE),
        Repository(PUBLISHED, RATE),
    ),
    Rule.READ_DAMAGED_FILE: RuleCase(
        Repository({"1.log": nanogpt(), "2.log": ""}, FRAMEWORK),
        Repository({"1.log": nanogpt(), "notes.txt": ""}, FRAMEWORK),
    ),
    Rule.READ_DUPLICATE_RUN: RuleCase(
        Repository({"1.log": nanogpt(40), "2.log": nanogpt(40)}, FRAMEWORK),
        Repository({"1.log": nanogpt(40), "2.log": nanogpt(41)}, FRAMEWORK),
    ),
    Rule.READ_EXCERPT: RuleCase(
        Repository({"1.log": nanogpt(), "notes.md": quoted(nanogpt(41))}, FRAMEWORK),
        Repository({"1.log": nanogpt(), "notes.md": "# How fast it is\n"}, FRAMEWORK),
    ),
    Rule.READ_FAILED_RUN: RuleCase(Repository(one(status="failed")), Repository(one())),
    Rule.READ_INCOMPLETE_RUN: RuleCase(Repository(one(status="running")), Repository(one())),
    Rule.READ_LABEL_CONFLICT: RuleCase(
        Repository(joined(one(), {"labels.toml": '[constants]\nbuild = "old"\n'})),
        Repository(joined(one(), {"labels.toml": '[constants]\nbuild = "new"\n'})),
    ),
    Rule.READ_MALFORMED_LINE: RuleCase(
        Repository(edited(one(), ("\n5,", "\nfive,"))), Repository(edited(one(), ("\n5,", "\n#remark,x\n5,")))
    ),
    Rule.READ_MALFORMED_SOURCE: RuleCase(
        Repository(joined(PUBLISHED, {"p/source.toml": SOURCE + 'colour = "red"\n'}), RATE),
        Repository(PUBLISHED, RATE),
    ),
    Rule.READ_NEWER_VERSION: RuleCase(
        Repository(joined(several(1.0), run_folder("h/2", 1.0, case=CASE, version=2))),
        Repository(joined(several(1.0), run_folder("h/2", 1.0, case=CASE, repeat=2, version=1))),
    ),
    Rule.READ_NO_STEPS: RuleCase(
        Repository(WHOLE_COMMAND, 'metric = "run_time"\nrows = ["build"]\n'),
        Repository(one(wall_time_ns=13 * 10**9)),
    ),
    Rule.READ_OWN_TABLE: RuleCase(
        Repository({"r.csv": "build,latency_ms\nold,5.5\nnew,4.5\n"}, LATENCY),
        Repository(
            {
                "r.csv": "build,latency\nold,5.5\nnew,4.5\n",
                "labels.toml": "[table]\nname = 'r'\nrows = { kind = 'csv' }\nfactors = { build = 'build' }\n"
                "figures = [{ column = 'latency', metric = 'latency', unit = 'ms' }]\n",
            },
            LATENCY,
        ),
    ),
    Rule.READ_PACKED_FILE: RuleCase(
        Repository({"1.log": nanogpt(), "2.log.gz": pack(nanogpt(41))[:-9]}, FRAMEWORK),
        Repository({"1.log": nanogpt(), "2.log": nanogpt(41)}, FRAMEWORK),
    ),
    Rule.READ_REPEAT_COLLISION: RuleCase(
        Repository(joined(run_folder("h/1", 1.0, case=CASE), run_folder("h/2", 1.0, case=CASE))),
        Repository(several(1.0, 1.0)),
    ),
    Rule.READ_SEVERAL_OPTIMIZERS: RuleCase(
        Repository(one(recorder={"hook": {"optimizers": ["SGD"], "others": {"Adam": 120}}})),
        Repository(one(recorder={"hook": {"optimizers": ["SGD"], "others": {}}})),
    ),
    Rule.READ_SEVERAL_RUNS: RuleCase(
        Repository({"1.log": nanogpt(40) + nanogpt(41)}, FRAMEWORK),
        Repository({"1.log": nanogpt(80)}, FRAMEWORK),
    ),
    Rule.READ_UNREADABLE_FILE: RuleCase(Repository(one(), change=refuse), Repository(one())),
    Rule.READ_UNUSED_LABEL: RuleCase(
        Repository(joined(one(), {"labels.toml": '[rename]\nbuidl = "branch"\n'})),
        Repository(
            joined(one(), {"labels.toml": '[rename]\ncommit = "build"\n'})
            | {"h/1/run.json": str(one()["h/1/run.json"]).replace('"build"', '"commit"')}
        ),
    ),
    Rule.TABLE_HIDDEN_VARIATION: RuleCase(
        Repository(TWO_BATCHES), Repository(TWO_BATCHES, TABLE + 'columns = ["batch_size"]\n')
    ),
    Rule.TABLE_MISSING_BASELINE: RuleCase(
        Repository(of_models(("a", "old"), ("a", "new"), ("b", "new")), MEAN),
        Repository(of_models(("a", "old"), ("a", "new"), ("b", "old"), ("b", "new")), MEAN),
    ),
    Rule.TABLE_MISSING_REQUIRED: RuleCase(
        Repository(one(), TABLE + "required = { repeats = 2 }\n"),
        Repository(one(), TABLE + "required = { repeats = 1 }\n"),
    ),
    Rule.TABLE_NOT_COMPARABLE: RuleCase(
        Repository(of_builds({"samples": 16}, {"samples": 8}), RATIO),
        Repository(of_builds({"samples": 8}, {"samples": 8}), RATIO),
    ),
    Rule.TABLE_SETS_DIFFER: RuleCase(
        Repository(of_models(("a", "old"), ("a", "new"), ("b", "new")), MEAN),
        Repository(of_models(("a", "old"), ("a", "new"), ("b", "old"), ("b", "new")), MEAN),
    ),
    Rule.TABLE_LOOK_ALIKE: RuleCase(
        Repository(joined(one(case={"build": "a\u00a0b"}), several(1.0, case={"build": "a b"}, folder="i"))),
        Repository(joined(one(case={"build": "a-b"}), several(1.0, case={"build": "a b"}, folder="i"))),
    ),
    Rule.TABLE_UNNAMED_FACTOR: RuleCase(
        Repository(of_models(("a", "old"), ("b", "new"))),
        Repository(of_models(("a", "old"), ("b", "new")), TABLE + 'qualify = ["model"]\n'),
    ),
    Rule.TABLE_UNSTATED_DEVICE: RuleCase(
        Repository(of_builds({"case": {"build": "old", "device": "A"}}, {}), BY_DEVICE),
        Repository(
            of_builds({"case": {"build": "old", "device": "A"}}, {"case": {"build": "new", "device": "B"}}),
            BY_DEVICE,
        ),
    ),
    Rule.TABLE_UNUSED_NAME: RuleCase(
        Repository(one(), TABLE + 'labels = { newest = "x" }\n'),
        Repository(one(), TABLE + 'labels = { new = "x" }\n'),
    ),
    Rule.TELEMETRY_CLOCK_LOCK: RuleCase(
        Repository(edited(sampled(clock_sm_mhz=1394, **BUSY), LOCKED)),
        Repository(edited(sampled(clock_sm_mhz=1395, **BUSY), LOCKED)),
    ),
    Rule.TELEMETRY_COVERAGE: RuleCase(Repository(sampled(until=4.0, **BUSY)), Repository(sampled(**BUSY))),
    Rule.TELEMETRY_DEVICE_LOST: RuleCase(
        Repository(sampled(("#event,GPU-1,5000000000,lost",), **BUSY)),
        Repository(sampled(("#event,GPU-1,13900000000,lost",), **BUSY)),
    ),
    Rule.TELEMETRY_HOST_BOUND: RuleCase(
        Repository(sampled(utilization_gpu_percent=60)), Repository(sampled(utilization_gpu_percent=95))
    ),
    Rule.TELEMETRY_OTHER_PROCESS: RuleCase(
        Repository(sampled(foreign_processes_count=1, **BUSY)),
        Repository(sampled(foreign_processes_count=0, **BUSY)),
    ),
    Rule.TELEMETRY_POWER_CAPPED: RuleCase(
        Repository(sampled(power_limit_enforced_mw=500_000, power_limit_default_mw=700_000, **BUSY)),
        Repository(sampled(power_limit_enforced_mw=699_000, power_limit_default_mw=700_000, **BUSY)),
    ),
    Rule.TELEMETRY_THROTTLED: RuleCase(
        Repository(sampled(clocks_event_reasons_mask=0x40, **BUSY)),
        Repository(sampled(clocks_event_reasons_mask=0, **BUSY)),
    ),
    Rule.TELEMETRY_XID: RuleCase(
        Repository(sampled(("#xid,GPU-1,5000000000,79",), **BUSY)),
        Repository(sampled(("#xid,GPU-1,13900000000,79",), **BUSY)),
    ),
}

# No two formats of the registry claim one file with equal confidence, and none claims a file and reads nothing
# from it. A large file takes time to write.
ELSEWHERE = {
    Rule.READ_AMBIGUOUS_FORMAT: "tests/formats/test_formats.py",
    Rule.READ_LARGE_FILE: "tests/load/test_truncated.py",
    Rule.READ_NO_RUN: "tests/load/test_unrecognised.py",
    Rule.READ_PROFILE: "tests/load/test_evidence.py",
    Rule.READ_STATED_PROBLEM: "tests/formats/tables/test_serving.py",
    Rule.READ_UNASSIGNED_EVIDENCE: "tests/load/test_evidence.py",
}


def test_every_rule_has_a_case() -> None:
    assert not set(Rule) - {*CASES, *ELSEWHERE}
    for rule, path in ELSEWHERE.items():
        text = (ROOT / path).read_text("utf-8")
        assert f'"{rule}"' in text or f"Rule.{rule.name}" in text


@pytest.mark.parametrize("rule", CASES, ids=str)
def test_a_rule_fires(rule: Rule, tmp_path: Path) -> None:
    assert rule in CASES[rule].fires.rules(tmp_path)


@pytest.mark.parametrize("rule", CASES, ids=str)
def test_a_rule_does_not_fire_in_a_similar_case(rule: Rule, tmp_path: Path) -> None:
    assert rule not in CASES[rule].quiet.rules(tmp_path)
