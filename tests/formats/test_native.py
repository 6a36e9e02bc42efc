"""Our own format: the conformance corpus, and cases that the corpus does not cover."""

import json
from pathlib import Path

import numpy as np
import pytest

from reportgen.core.metrics import METRICS
from reportgen.core.model import DeviceEvent, Finding, Run
from reportgen.formats.native import reader as native
from reportgen.formats.native.reader import DEVICE_COLUMNS
from reportgen.formats.native.run_json import RunFile
from reportgen.protocol import DEFAULT, measure_run, parse_protocol
from reportgen.sources.logfiles import LogFiles
from tests.each_of import each_of, each_row

CORPUS = Path(__file__).parents[1] / "logformat" / "v1"
FOLDERS = sorted(path.parent.name for path in CORPUS.glob("*/expected.json"))

RUN = {"format": "reportgen-run", "version": 1, "status": "complete", "case": {"model": "tiny"}, "ranks": 1}
STEPS = b"#clock,5000,9000\nstep,begin_ns,duration_ns\n1,6000,100\n2,6100,100\n"


def read(contents: dict[str, bytes]) -> list[Run | Finding]:
    return list(native.read(LogFiles.of(contents)))


def read_run(contents: dict[str, bytes]) -> Run:
    (run,) = read(contents)
    assert isinstance(run, Run)
    return run


def folder(run: dict[str, object] | None = None, steps: bytes = STEPS, **more: bytes) -> dict[str, bytes]:
    return {
        "run.json": json.dumps(RUN | (run or {})).encode(),
        "steps.rank0.csv": steps,
        **{name.replace("__", "."): content for name, content in more.items()},
    }


def test_the_conformance_corpus_is_there() -> None:
    assert len(FOLDERS) >= 20


@each_of(FOLDERS)
def test_the_conformance_corpus_is_read_as_expected(name: str) -> None:
    files, _ = LogFiles.at(CORPUS / name, CORPUS)
    expected = json.loads((CORPUS / name / "expected.json").read_text())
    claim = native.claims(files)
    assert claim is not None
    found = list(native.read(files.select(claim.files)))
    runs = [one for one in found if isinstance(one, Run)]
    assert _findings(name, found) == {(f["rule"], f["path"]): f["line"] for f in expected["findings"]}
    if expected["run"] is None:
        assert not runs
        return
    _compare(runs[0], expected["run"])


def _findings(name: str, found: list[Run | Finding]) -> dict[tuple[str, str], int | None]:
    """Return (rule, path below the folder) -> first line, None for whole files."""
    every = [f for one in found for f in (one.findings if isinstance(one, Run) else (one,))]
    lines: dict[tuple[str, str], int | None] = {}
    for finding in sorted(every, key=lambda f: f.source.line if f.source else 0):
        assert finding.source is not None
        below = finding.source.path.removeprefix(name).removeprefix("/")
        lines.setdefault((finding.rule, below), finding.source.line or None)
    return lines


def _compare(run: Run, expected: dict) -> None:
    item = {"item": expected["item"]} if expected["item"] else {}
    assert (run.status, run.factors, run.repeat) == (
        expected["status"],
        expected["factors"] | item,
        expected["repeat"],
    )
    clocks = {rank: each["clock"][1] - each["clock"][0] for rank, each in expected["ranks"].items()}
    begins = [
        begin + clocks[rank]
        for rank, each in expected["ranks"].items()
        for begin in each["begin_ns"]
        if begin is not None
    ]
    seen = set()
    for series in run.series:
        rank = expected["ranks"][str(series.rank)]
        assert (series.step.tolist(), series.span.tolist()) == (rank["steps"], rank["spans"])
        if series.metric == "step_time":
            column = f"{series.phase}/{series.clock}"
            seen.add((str(series.rank), column))
            not_entered = rank.get("not_entered", {}).get(series.phase, [])
            cells = zip(rank["steps"], rank["columns"][column], strict=True)
            times = [0 if time is None and step in not_entered else time for step, time in cells]
            np.testing.assert_array_equal(series.value, _floats(times, 1e9))
            assert series.idle_after == set(rank.get("idle_after", []))
        elif series.metric == "tokens":
            seen.add((str(series.rank), "tokens"))
            np.testing.assert_array_equal(series.value, _floats(rank["tokens"], 1))
        else:
            assert series.metric == "operations"
            assert series.value.tolist() == [expected["flops_per_step"] * span for span in rank["spans"]]
        np.testing.assert_array_equal(series.samples, _floats(rank["samples"], 1))
        zero = min(begins, default=0) - clocks[str(series.rank)]
        moved = [None if begin is None else begin - zero for begin in rank["begin_ns"]]
        if (series.phase, series.clock) != ("step", "cuda_event"):  # it begins on the device
            np.testing.assert_array_equal(series.begin, _floats(moved, 1e9))
        assert [(b.kind, b.step, b.duration) for b in series.breaks] == [
            (kind, step, (end - begin) / 1e9) for kind, step, begin, end in rank["breaks"]
        ]
    assert seen == {
        (rank, column)
        for rank, each in expected["ranks"].items()
        for column in (*each["columns"], *(["tokens"] if "tokens" in each else []))
    }
    assert run.profiler == expected.get("profiler", "")
    assert any(one.metric == "operations" for one in run.series) == ("flops_per_step" in expected)
    aggregates = [] if "wall_time_ns" not in expected else [("run_time", expected["wall_time_ns"] / 1e9)]
    peaks = [rank["memory"] for rank in expected["ranks"].values() if "memory" in rank]
    for metric, values in zip(
        ("memory_allocated", "memory_reserved"), zip(*peaks, strict=True), strict=False
    ):
        aggregates.append((metric, max(values)))
    assert sorted((figure.metric, figure.value) for figure in run.aggregates) == sorted(aggregates)
    for number, rank in expected["ranks"].items():
        names = [f"rank.{number}.{name}" for name in ("device_uuid", "device_pci")]
        assert [run.environment.get(name) for name in names] == rank.get("device", [None, None])
    _compare_telemetry(run, expected)


def _compare_telemetry(run: Run, expected: dict) -> None:
    events = expected.get("events", {})
    devices = {(node, device) for node, each in expected["telemetry"].items() for device in each}
    devices |= {(node, device) for node, each in events.items() for device, _, _ in each}
    assert [one.device for one in run.telemetry] == [device for _, device in sorted(devices)]
    for one, (node, device) in zip(run.telemetry, sorted(devices), strict=True):
        columns = expected["telemetry"][node].get(device, {})
        assert len(one.t) == len(columns.get("monotonic_ns", []))
        for name in columns.keys() & DEVICE_COLUMNS.keys():
            metric, divisor = DEVICE_COLUMNS[name]
            np.testing.assert_array_equal(one.columns[metric], _floats(columns[name], divisor))
        assert [event.name for event in one.events] == [
            name for named, _, name in events.get(node, []) if named == device
        ]
    sampled = {name for name in run.environment if name.startswith("telemetry.")}
    intervals = [each for node in expected.get("intervals", {}).values() for each in node]
    assert bool(sampled) == bool(intervals)


def _floats(values: list[int | None], divisor: float) -> np.ndarray:
    return np.array([np.nan if value is None else value / divisor for value in values], dtype=float)


def test_every_column_of_telemetry_with_a_unit_is_a_metric() -> None:
    metrics = {metric for column, (metric, _) in DEVICE_COLUMNS.items() if not column.endswith("_count")}
    missing = sorted(metrics - METRICS.keys())
    assert not missing, f"shown without a unit, because core/metrics.py does not list them: {missing}"


def test_telemetry_is_in_base_units_on_the_clock_of_the_steps() -> None:
    run = read_run(
        folder(
            telemetry__node0__csv=(
                b"#clock,5000,9000\ndevice,monotonic_ns,utilization_gpu_percent,power_mw,clock_sm_mhz,pcie_tx_kib_per_s\n"
                b"GPU-1,6050,97,412000,1755,2\nGPU-0,6150,,1,,\n"
            )
        )
    )
    first, second = run.telemetry
    assert (first.device, second.device) == ("GPU-0", "GPU-1")
    assert second.t.tolist() == [50e-9]
    assert {name: values.tolist() for name, values in second.columns.items()} == {
        "utilization": [0.97],
        "power": [412.0],
        "sm_clock": [1755e6],
        "pcie_tx": [2048.0],
    }
    assert np.isnan(first.columns["utilization"][0])


def test_a_device_may_be_called_by_a_number() -> None:
    telemetry = b"#clock,5000,9000\ndevice,monotonic_ns,power_mw\n0,6050,412000\n1,6050,1000\n"
    run = read_run(folder(telemetry__node0__csv=telemetry))
    assert [(each.device, each.columns["power"].tolist()) for each in run.telemetry] == [
        ("0", [412.0]),
        ("1", [1.0]),
    ]


def test_a_counter_of_pcie_that_never_exceeds_32_bits_is_ignored() -> None:
    run = read_run(
        folder(
            telemetry__node0__csv=(
                b"#clock,5000,9000\ndevice,monotonic_ns,pcie_tx_bytes,pcie_rx_bytes\n"
                b"GPU-0,6050,4294333300,4294333300\nGPU-0,6150,21985320,4294967296\n"
            )
        )
    )
    (device,) = run.telemetry
    assert {name: values.tolist() for name, values in device.columns.items()} == {
        "pcie_received": [4294333300, 4294967296]
    }


def test_the_models_of_the_gpus_are_one_fact_of_the_environment() -> None:
    gpus = {
        "GPU-1": {"name": "NVIDIA H200"},
        "GPU-2": {"name": "NVIDIA H100"},
        "GPU-3": {"name": "NVIDIA H200"},
    }
    content = {"format": "reportgen-environment", "ranks": [0], "environment": {"gpu": gpus}}
    run = read_run(folder(environment__node0__json=json.dumps(content).encode()))
    assert run.environment["gpu.models"] == "NVIDIA H100 + NVIDIA H200"


def test_events_use_the_clock_of_steps_and_intervals_are_environment() -> None:
    run = read_run(
        folder(
            telemetry__node0__csv=(
                b"#clock,5000,9000\n#interval,100\ndevice,monotonic_ns,power_mw\nGPU-0,6050,1000\n"
                b"#event,GPU-0,6100,lost\n#event,GPU-1,5900,reset\n#update,power_mw,25\n#achieved,101,250,7\n"
            )
        )
    )
    first, second = run.telemetry
    assert (first.t.tolist(), second.t.tolist()) == ([50e-9], [])
    assert (first.events, second.events) == (
        (DeviceEvent(100e-9, "lost", 5),),
        (DeviceEvent(-100e-9, "reset", 6),),
    )
    assert run.environment == {
        "telemetry.interval_requested_ns": 100,
        "telemetry.interval_achieved_ns": 101,
        "telemetry.interval_longest_ns": 250,
        "telemetry.update.power_mw_ns": 25,
    }


def test_the_cost_of_recording_is_environment() -> None:
    recorder = {
        "cost_ns_per_step": 812,
        "cost_interval_ns": [-30, 1600],
        "cost_coverage": 0.9544,
        "cost_pairs": 8,
        "unrecorded_step_ns": 5_000_000,
    }
    assert read_run(folder({"recorder": recorder})).environment == {
        "recorder.step_cost_ns": 812,
        "recorder.step_cost_interval_ns": "-30 to 1600 (95.4%)",
        "recorder.unrecorded_step_ns": 5_000_000,
    }
    assert not read_run(
        folder({"recorder": {"cost_ns_per_step": "much", "cost_interval_ns": [1]}})
    ).environment


# Two steps of 100 ns with 4096 tokens and 10^12 operations each.
def test_tokens_and_operations_become_rates() -> None:
    run = read_run(folder({"tokens_per_step": 4096, "flops_per_step": 10**12}))
    rates = {
        name: measure_run(run, name, "step", parse_protocol("0+2")) for name in ("token_throughput", "flops")
    }
    assert {name: found and found.value for name, found in rates.items()} == {
        "token_throughput": pytest.approx(4096 / 100e-9),
        "flops": pytest.approx(10**12 / 100e-9),
    }


def test_facts_that_all_nodes_share_are_listed_once() -> None:
    one, two = (
        {"format": "reportgen-environment", "environment": {"cpu": {"cores": cores, "model": "x"}}}
        for cores in (8, 4)
    )
    run = read_run(
        folder(
            environment__node0__json=json.dumps(one).encode(),
            environment__node1__json=json.dumps(two).encode(),
        )
    )
    assert run.environment == {"cpu.cores": "8 | 4", "cpu.model": "x"}


def test_ranks_of_one_node_use_the_clock_of_the_node() -> None:
    # The second rank read its pair when the two clocks had drifted 500 ns apart.
    environment = {"format": "reportgen-environment", "node": 0, "ranks": [0, 1]}
    run = read_run(
        folder(
            {"ranks": 2, "samples_per_step": 4},
            environment__node0__json=json.dumps(environment).encode(),
            steps__rank1__csv=STEPS.replace(b"9000", b"9500"),
        )
    )
    assert [series.begin.tolist() for series in run.series] == [[0.0, 100e-9], [0.0, 100e-9]]
    assert run.samples_per_step == 8


def test_a_damaged_line_costs_only_itself() -> None:
    rows = [b"%d,%d,100" % (step, 6000 + 100 * step) for step in range(1, 2001)]
    rows[999] = b"1000,\xff\xfe,100"
    run = read_run(folder(steps=b"#clock,5000,9000\nstep,begin_ns,duration_ns\n" + b"\n".join(rows) + b"\n"))
    (series,) = run.series
    assert len(series.step) == 1999
    assert (series.line[998], series.line[999]) == (1001, 1003)
    finding, constant = run.findings
    assert (finding.rule, finding.source.line) == ("read.malformed-line", 1002)
    assert constant.rule == "clock.coarse"


def test_a_file_read_in_chunks_is_the_same_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = (
        STEPS + b"#break,epoch,2,6200,6300\nstep,begin_ns,duration_ns,forward_host_ns\n"
        b"3,6300,100,50\nx\n4,6400,99,\n"
    )
    whole = read_run(folder(steps=steps))
    monkeypatch.setattr("reportgen.formats.native.integer_csv._CHUNK_BYTES", 7)
    pieces = read_run(folder(steps=steps))
    assert whole.findings == pieces.findings
    for one, other in zip(whole.series, pieces.series, strict=True):
        for name in ("step", "begin", "value", "line"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize(
    "rows",
    [
        b"1,,100,5\n2,,200,\n",
        b"1,,,\n2,,,\n",
        b"1,8,007,5\n",
        b"1,999999999999999999,0,1\n",
        b"1,9999999999999999999,0,1\n2,8,100,5\n",
        b"1,8,100,5\r\n2,8,100,5\n",
        b"1,8,100,5\n\n2,8,100,5\n",
        b"1,8,100,5\n#sync,1,5,6\n2,8,100,5\n",
        b"1,8,100\n2,8,100,5,6\n",
        b"1,8,1:0,5\n2,8,1/0,5\n3,8,-1,5\n",
    ],
)
def test_rows_read_at_once_are_those_read_cell_by_cell(monkeypatch: pytest.MonkeyPatch, rows: bytes) -> None:
    steps = b"#clock,5000,9000\nstep,samples,duration_ns,begin_ns\n" + rows
    at_once = read_run(folder(steps=steps))
    monkeypatch.setattr("reportgen.formats.native.integer_csv._plain_numbers", lambda *_: None)
    by_cell = read_run(folder(steps=steps))
    assert at_once.findings == by_cell.findings
    for one, other in zip(at_once.series, by_cell.series, strict=True):
        for name in ("step", "begin", "value", "samples", "line"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@each_row(
    [
        (b"9223372036854775807", 9223372036854775807 / 1e9),
        (b"9223372036854775808", None),
        (b"99999999999999999999999", None),
        (b"000000000000000000000000000042", 42 / 1e9),
        (b"+1", None),
        (b" 1", None),
        (b"1.0", None),
        (b"1e3", None),
        (b"/", None),
        (b":", None),
    ]
)
def test_cells_are_whole_numbers_below_two_to_the_63(cell: bytes, expected: float | None) -> None:
    run = read_run(folder(steps=STEPS.replace(b"2,6100,100", b"2,6100," + cell)))
    assert run.series[0].value[1:].tolist() == ([] if expected is None else [expected])


@each_of(range(0, len(STEPS), 5))
def test_a_run_killed_at_any_byte_keeps_every_flushed_step(cut: int) -> None:
    run = read_run(folder({"status": "running"}, steps=STEPS[:cut]))
    assert run.status == "running"
    assert [finding.rule for finding in run.findings] == ["read.incomplete-run"]
    assert sum(len(series.step) for series in run.series) == max(0, STEPS[:cut].count(b"\n") - 2)


@each_row(
    [
        (
            {"status": "partial", "recorder": {"error": "disk full"}},
            "read.incomplete-run",
            "not everything was recorded: disk full",
        ),
        (
            {"status": "failed", "error": "ValueError: x", "exit_code": 1},
            "read.failed-run",
            "failed: ValueError: x, exit code 1",
        ),
        ({"status": "out_of_memory"}, "read.failed-run", "out of memory"),
        ({"status": "running"}, "read.incomplete-run", "interrupted while recording"),
        ({"ranks": 3}, "read.incomplete-run", "not everything was recorded, steps of 1 of 3 ranks"),
        ({"repeat": 0}, "read.malformed-line", "repeat: 0 is out of range"),
        (
            {"case": {"x": [1]}},
            "read.malformed-line",
            "case.x: expected true or false, a number or a string, got a list",
        ),
        (
            {"columns": {"duration_ns": {"clock": "sundial"}}},
            "read.malformed-line",
            'columns.duration_ns.clock: "sundial" is not known',
        ),
    ]
)
def test_findings_name_how_a_run_ended(run: dict[str, object], rule: str, message: str) -> None:
    found = {one.rule: one.message for one in read_run(folder(run)).findings}
    assert found[rule] == message


def test_script_and_launcher_that_disagree_are_reported() -> None:
    run = read_run(folder({"case_in_script": {"batch_size": 8}, "case": {"batch_size": 4}}))
    assert [finding.rule for finding in run.findings] == ["read.label-conflict"]
    assert run.factors == {"batch_size": 4}


@each_row(
    [
        ({"case": {"batch_size": 64}, "samples_per_step": 32}, True),
        ({"case": {"batch_size": 48}, "samples_per_step": 64, "ranks": 1}, True),
        ({"case": {"batch_size": 32}, "samples_per_step": 32}, False),
        ({"case": {"batch_size": 8}, "samples_per_step": 32}, False),
        ({"case": {"batch_size": 64}, "samples_per_step": 33, "item": "token"}, False),
        ({"case": {"batch_size": 64}, "samples_per_step": 0}, False),
        ({"case": {"batch_size": 0}, "samples_per_step": 32}, False),
        ({"case": {"batch_size": "64"}, "samples_per_step": 32}, False),
        ({"case": {"batch_size": True}, "samples_per_step": 32}, False),
        ({"case": {"batch_size": 64}}, False),
    ]
)
def test_a_batch_size_that_does_not_fit_the_work_of_a_step_is_reported(
    about: dict[str, object], is_conflict: bool
) -> None:
    messages = [one.message for one in read_run(folder(about)).findings if one.rule == "read.label-conflict"]
    assert bool(messages) == is_conflict
    if about["case"] == {"batch_size": 64} and is_conflict:
        assert messages == [
            "batch_size: 64 in the case does not divide the 32 samples of a rank's step; "
            "the throughput uses the samples"
        ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("run.json", b'{"format": "something else"}'),
        ("steps.rank0.csv", b"step,begin_ns,duration_ns\n"),
        ("notes.txt", b'"format": "reportgen-run"'),
    ],
)
def test_other_folders_are_not_claimed(name: str, content: bytes) -> None:
    assert native.claims(LogFiles.of({name: content})) is None


def test_a_run_with_missing_ranks_has_a_step_time_but_no_throughput() -> None:
    rows = "".join(f"{step},{step * 10**9},{10**9}\n" for step in range(1, 130)).encode()
    steps = b"#clock,1,2\nstep,begin_ns,duration_ns\n" + rows
    for ranks, throughput in ((2, 8.0), (4, None)):
        contents = folder({"ranks": ranks, "samples_per_step": 4}, steps) | {"steps.rank1.csv": steps}
        run = read_run(contents)
        assert run.status == ("complete" if throughput else "partial")
        time, rate = (measure_run(run, metric, "step", DEFAULT) for metric in ("step_time", "throughput"))
        assert time is not None
        assert (time.value, rate.value if rate else None) == (1.0, throughput)


def test_numbers_out_of_range_are_left_out_of_the_factors() -> None:
    run = read_run(
        {
            **folder(),
            "run.json": b'{"format": "reportgen-run", "status": "complete", "case": {"a": 1'
            + b"0" * 400
            + b', "b": NaN, "c": 3}}',
        }
    )
    assert run.factors == {"c": 3}
    assert [finding.rule for finding in run.findings] == ["read.malformed-line", "read.incomplete-run"]


def test_numbers_out_of_range_are_text_in_the_environment() -> None:
    environment = b'{"format": "reportgen-environment", "environment": {"x": NaN, "y": 1' + b"0" * 30 + b"}}"
    assert read_run(folder() | {"environment.node0.json": environment}).environment == {
        "x": "nan",
        "y": "1" + "0" * 30,
    }


def test_the_start_and_the_round_of_a_run_are_kept() -> None:
    run = read_run(
        folder({**RUN, "started_realtime_ns": 1_750_000_000_500_000_000, "round": 3, "order_seed": 11})
    )
    assert (run.started, run.round) == (1_750_000_000.5, (11, 3))
    assert (read_run(folder(RUN)).started, read_run(folder(RUN)).round) == (None, None)


def test_an_exit_code_is_named_once() -> None:
    assert RunFile(error="exit code 2", exit_code=2).cause == ": exit code 2"
    assert RunFile(error="CUDA error", exit_code=2).cause == ": CUDA error, exit code 2"


def test_the_clock_of_a_run_is_compared_with_the_time_between_two_waits() -> None:
    files, _ = LogFiles.at(CORPUS / "clock-closes", CORPUS)
    (run,) = native.read(files)
    assert isinstance(run, Run)
    # 19.9 ms by events of 20 ms; 2 ms of 22 ms.
    text = "closed to 0.5 % (steps 1..2), open by 90.9 % (steps 3..4)"
    assert run.environment["recorder.clock_closure"] == text
