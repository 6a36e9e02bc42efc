"""Evidence beside a run belongs to it: by stem, folder, device and time; in doubt it stays on its own.

The log has a step a second from 10:00:00 on, local time. The first line has no step time, so steps 21 to 120 are
between 10:00:19 and 10:01:59. Power is 300 W there and 100 W outside.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from reportgen.core.model import STEP, Measurement, Run
from reportgen.load import LoadResult, load_runs, parse_logs
from reportgen.load.evidence import stem_of
from reportgen.load.worker import RUNS
from reportgen.protocol.definition import Protocol
from tests import builders
from tests.builders import messages, native_files, rules, write_files
from tests.each_of import each_row

START = datetime(2024, 2, 17, 10)
STEPS = 150
PROTOCOL = Protocol("20+100x1", warmup=20, measure=100, repeats=1)


def log(start: datetime = START, seed: int = 0, steps: int = STEPS) -> str:
    stamps = (start + timedelta(seconds=n + (seed * n % 7) / 1000) for n in range(steps))
    return "".join(
        f"DLL {stamp:%Y-%m-%d %H:%M:%S.%f} - Epoch: 0 Iteration: {n}  train.total_ips : 28.74 img/s\n"
        for n, stamp in enumerate(stamps, 1)
    )


def smi(start: datetime = START, seconds: int = STEPS, device: str = "0", name: str = "NVIDIA A40") -> str:
    rows = ["timestamp, index, name, power.draw [W], clocks.current.sm [MHz], clocks_event_reasons.active"]
    for n in range(-10, seconds + 10):
        stamp, is_inside = start + timedelta(seconds=n, milliseconds=500), 19 <= n < 119
        power, mask = (300, 0x20 * (n % 2)) if is_inside else (100, 1)
        rows.append(
            f"{stamp:%Y/%m/%d %H:%M:%S.}{stamp.microsecond // 1000:03}, {device}, {name}, "
            f"{power}.00 W, 1400 MHz, 0x{mask:016X}"
        )
    return "\n".join(rows) + "\n"


def load(root: Path, files: Mapping[str, str]) -> LoadResult[Run]:
    write_files(root / "logs", files)
    return load_runs(["logs"], root=root)


def formats(found: LoadResult[Run]) -> list[tuple[str, str]]:
    return [(run.id, run.format) for run in found.runs]


def doubts(found: LoadResult[Run]) -> list[str]:
    findings = [finding for run in found.runs for finding in run.findings]
    return messages((*findings, *found.findings), "read.unassigned-evidence")


def measured(run: Run, metric: str) -> Measurement:
    measurement, _ = builders.attempt(run, metric, STEP, PROTOCOL)
    assert measurement is not None
    return measurement


def value(run: Run, metric: str) -> tuple[float, str]:
    measurement = measured(run, metric)
    return measurement.value, measurement.evidence


def test_telemetry_beside_a_log_of_the_same_stem_is_part_of_its_run(tmp_path: Path) -> None:
    files = {"a.log": log(), "a_gpu.csv": smi(), "b.log": log(seed=3), "b-smi.csv": smi()}
    found = load(tmp_path, files)
    assert formats(found) == [("a.log", "dllogger"), ("b.log", "dllogger")]
    run = found.runs[0]
    assert value(run, "power") == (300.0, "steps")
    assert run.factors["device"] == "NVIDIA A40"
    (device,) = run.telemetry
    assert (device.source.path, device.t[0]) == ("logs/a_gpu.csv", -9.5)
    assert messages(measured(run, "step_time").findings, "telemetry.throttled") == [
        "clock throttling: sw_thermal in 50.0% of samples"
    ]


def test_the_digest_of_joined_telemetry_is_among_those_of_the_run(tmp_path: Path) -> None:
    write_files(tmp_path / "logs", {"a.log": log(), "a_gpu.csv": smi()})
    parsed = parse_logs(["logs"], RUNS, root=tmp_path)
    digests = parsed.sha256_of(frozenset(parsed.select(["logs"]).recognised))
    assert sorted(digests) == ["logs/a.log", "logs/a_gpu.csv"]


def test_each_file_of_a_run_has_its_own_digest_as_it_is_on_disk(tmp_path: Path) -> None:
    """A folder of several files, telemetry joined to a log, a text that is decoded, and a file read in parts."""
    write_files(tmp_path / "logs", {"a.log": log(), "a_gpu.csv": smi()})
    write_files(tmp_path / "logs/r1", native_files(1, *[100] * 30))
    (tmp_path / "logs/b.log").write_bytes(b"\xef\xbb\xbf" + log(seed=3).encode())
    (tmp_path / "logs/c.log").write_bytes(log(seed=5).encode() + b"#" * 70_000)
    parsed = parse_logs(["logs"], RUNS, root=tmp_path)
    digests = parsed.sha256_of(frozenset(parsed.select(["logs"]).recognised))
    files = [path for path in (tmp_path / "logs").rglob("*") if path.is_file()]
    assert digests == {
        path.relative_to(tmp_path).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files
    }


def test_a_file_that_is_selected_alone_is_as_if_it_was_loaded_alone(tmp_path: Path) -> None:
    write_files(tmp_path / "logs", {"a.log": log(), "a_gpu.csv": smi()})
    parsed = parse_logs(["logs"], RUNS, root=tmp_path)
    for path, places in {
        "logs": [("a.log", 1)],
        "logs/a.log": [("a.log", 0)],
        "logs/a_gpu.csv": [("a_gpu.csv", 1)],
    }.items():
        assert [(run.id, len(run.telemetry)) for run in parsed.select([path]).runs] == places
        assert [(run.id, len(run.telemetry)) for run in load_runs([path], root=tmp_path).runs] == places


def test_telemetry_of_any_name_belongs_to_the_only_log_of_its_folder(tmp_path: Path) -> None:
    found = load(
        tmp_path, {"x/train.log": log(), "x/power.csv": smi(), "x/notes.md": "# x\n", "power.csv": smi()}
    )
    assert formats(found) == [("power.csv", "nvsmi"), ("x/train.log", "dllogger")]
    assert (doubts(found), value(found.runs[1], "power")) == ([], (300.0, "steps"))


def test_a_log_with_two_candidates_is_not_joined_and_a_note_says_so(tmp_path: Path) -> None:
    found = load(tmp_path, {"a.log": log(), "b.log": log(seed=3), "gpu.csv": smi()})
    assert formats(found) == [("a.log", "dllogger"), ("b.log", "dllogger"), ("gpu.csv", "nvsmi")]
    assert doubts(found) == ["belongs to no run: it may belong to several runs: a.log, b.log"]
    assert [run.telemetry for run in found.runs[:2]] == [(), ()]


def test_two_logs_of_one_stem_are_in_doubt(tmp_path: Path) -> None:
    found = load(tmp_path, {"a.log": log(), "a.txt": log(seed=3), "a_gpu.csv": smi()})
    assert doubts(found) == ["belongs to no run: it may belong to several runs: a.log, a.txt"]


def test_times_in_utc_decide_between_runs_of_one_folder(tmp_path: Path) -> None:
    later = START + timedelta(hours=3)
    files = {"a.log": log(), "b.log": log(later, 3), "gpu.csv": smi(later), "gpu_cold.csv": smi(device="1")}
    found = load(tmp_path, {**files, "labels.toml": 'time_zone = "+00:00"\n'})
    assert formats(found) == [("a.log", "dllogger"), ("b.log", "dllogger")]
    assert [[device.device for device in run.telemetry] for run in found.runs] == [["1"], ["0"]]
    assert (
        doubts(load(tmp_path / "local", files))
        == ["belongs to no run: it may belong to several runs: a.log, b.log"] * 2
    )


@pytest.mark.parametrize(("telemetry", "reason"), [
    (smi(START + timedelta(hours=5)), "its samples are of another time than the steps (A40.log)"),
    (smi(name="NVIDIA H100 80GB HBM3"), "it is of another device (A40.log)"),
])  # fmt: skip
def test_telemetry_of_another_time_or_device_is_not_joined(
    tmp_path: Path, telemetry: str, reason: str
) -> None:
    device = '[[paths]]\npattern = "{device}.log"\n'
    found = load(tmp_path, {"A40.log": log(), "A40_gpu.csv": telemetry, "labels.toml": device})
    assert formats(found) == [("A40.log", "dllogger"), ("A40_gpu.csv", "nvsmi")]
    assert doubts(found) == [f"belongs to no run: {reason}"]


def test_a_second_file_of_the_same_device_is_not_joined(tmp_path: Path) -> None:
    found = load(tmp_path, {"a.log": log(), "a_gpu.csv": smi(), "a_smi.csv": smi(seconds=140)})
    assert formats(found) == [("a.log", "dllogger"), ("a_smi.csv", "nvsmi")]
    assert doubts(found) == ["belongs to no run: the run has other telemetry of the same devices (a.log)"]


def test_telemetry_of_the_same_stem_comes_before_that_of_another(tmp_path: Path) -> None:
    found = load(tmp_path, {"a.log": log(), "1.csv": smi(), "a_smi.csv": smi(seconds=140)})
    assert formats(found) == [("1.csv", "nvsmi"), ("a.log", "dllogger")]
    assert found.runs[1].telemetry[0].source.path == "logs/a_smi.csv"


WITHOUT_TIME = "\n".join(["temperature.gpu, power.draw [W]", *(["70, 100.00 W", "80, 300.00 W"] * 20)]) + "\n"


@pytest.mark.parametrize(("telemetry", "mean"), [
    (WITHOUT_TIME, 200.0),
    # Local times that do not cover the steps, or leave room for another time zone: 100 samples of 300 W.
    (smi(START + timedelta(minutes=2)), 100 + 200 * 100 / 170),
    (smi(seconds=3800), 100 + 200 * 100 / 3820),
])  # fmt: skip
def test_samples_without_a_place_among_the_steps_count_all_and_say_so(
    tmp_path: Path, telemetry: str, mean: float
) -> None:
    (run,) = load(tmp_path, {"a.log": log(), "a_gpu.csv": telemetry}).runs
    assert not np.isfinite(run.telemetry[0].t).any()
    assert value(run, "power") == (pytest.approx(mean), "intervals")
    (said,) = messages(measured(run, "power").findings, "protocol.coarse-interval")
    assert said.endswith("samples of the log; samples and steps have no common clock")


def test_beside_a_log_without_times_the_whole_file_counts(tmp_path: Path) -> None:
    printed = "".join(f"iter {n}: loss 3.2202, time 893.76ms, mfu 16.68%\n" for n in range(STEPS))
    (run,) = load(tmp_path, {"a.log": printed, "a_gpu.csv": smi()}).runs
    assert value(run, "power")[1] == "intervals"


@pytest.mark.parametrize("telemetry", [
    "timestamp, power.draw [W]\n",
    "timestamp, index, power.draw [W]\n2024/02/17 10:00:00.000, 0, 100.00 W\n",
    "timestamp, power.draw [W]\nnonsense,,,\n" + "x" * 200_000 + "\n",
])  # fmt: skip
def test_a_snapshot_or_a_file_without_samples_stays_on_its_own(tmp_path: Path, telemetry: str) -> None:
    found = load(tmp_path, {"a.log": log(), "a_gpu.csv": telemetry})
    assert formats(found) == [("a.log", "dllogger"), ("a_gpu.csv", "nvsmi")]
    assert (found.runs[0].telemetry, doubts(found)) == ((), [])


def test_damaged_rows_of_joined_telemetry_are_findings_of_the_run(tmp_path: Path) -> None:
    hostile = smi() + "2024/02/17 10:02:31.500, 0, NVIDIA A40, lots, 1400 MHz, 0x0\n" + '"' + "9" * 400 + "\n"
    (run,) = load(tmp_path, {"a.log": log(), "a_gpu.csv": hostile}).runs
    found = [each for each in run.findings if each.source and each.source.path == "logs/a_gpu.csv"]
    assert {each.subject for each in found} == {"a.log"}
    assert set(rules(found)) == {"read.malformed-line"}
    assert value(run, "power") == (300.0, "steps")


def test_telemetry_without_a_log_beside_it_is_a_run_as_before(tmp_path: Path) -> None:
    found = load(tmp_path, {"gpu.csv": smi(), "deep/a.log": log()})
    assert formats(found) == [("deep/a.log", "dllogger"), ("gpu.csv", "nvsmi")]
    assert doubts(found) == []


def test_in_a_large_folder_stems_still_decide(tmp_path: Path) -> None:
    files = {f"r{n}.log": log(START + timedelta(hours=n), n, 30) for n in range(40)}
    files |= {f"r{n}_gpu.csv": smi(START + timedelta(hours=n), 30) for n in range(40)}
    found = load(tmp_path, files)
    assert {run.format for run in found.runs} == {"dllogger"}
    assert [len(run.telemetry) for run in found.runs] == [1] * 40


@each_row(
    [
        ("a.log", "a"),
        ("a_monitor.csv", "a"),
        ("a-gpu.csv", "a"),
        ("a.log.smi.csv", "a"),
        ("gpu_a.csv", "a"),
        ("nvidia-smi-a.txt", "a"),
        ("a_dcgm.txt", "a"),
        ("a_gpu_metrics.csv", "a"),
        ("gpu.csv", "gpu"),
        ("v1.5_b8.log", "v1.5_b8"),
        ("v1.5_b8_power.csv", "v1.5_b8"),
        ("a_cuda_gpu_kern_sum.csv", "a"),
        ("monitored.csv", "monitored"),
        ("a8gpu.log", "a8gpu"),
        ("", ""),
    ]
)
def test_stems_are_without_the_words_for_evidence(name: str, stem: str) -> None:
    assert stem_of(name) == stem


KERNELS = "Time (%),Total Time (ns),Instances,Avg (ns),Name\n66.0,660,3,220.0,gemm\n34.0,340,1,340.0,copy\n"
PROFILE = "kernel profile: kernels.csv, 2 kernels, longest: gemm 66 %"


def test_a_profile_beside_a_log_is_evidence_of_its_run(tmp_path: Path) -> None:
    found = load(tmp_path, {"a.log": log(), "kernels.csv": KERNELS, "a_gpu.csv": smi()})
    (run,) = found.runs
    (finding,) = [each for each in run.findings if each.rule == "read.profile"]
    assert (finding.text, finding.subject, finding.severity) == (PROFILE, "a.log", "note")
    assert str(finding.source) == "logs/kernels.csv"
    assert (found.findings, found.unrecognised, len(run.telemetry)) == ((), (), 1)
    assert value(run, "power") == (300.0, "steps")


@pytest.mark.parametrize(("logs", "rules_of_files"), [
    ({}, ["read.profile"]),
    ({"a.log": log(), "b.log": log(seed=3)}, ["read.profile", "read.unassigned-evidence"]),
])  # fmt: skip
def test_a_profile_without_a_certain_run_is_a_finding(
    tmp_path: Path, logs: dict[str, str], rules_of_files: list[str]
) -> None:
    found = load(tmp_path, {"kernels.csv": KERNELS, **logs})
    assert [run.format for run in found.runs] == ["dllogger"] * len(logs)
    assert rules(found.findings) == rules_of_files
    assert found.findings[0].text == f"{PROFILE}: a profile is evidence of a run, not a benchmark result"
