"""Telemetry records the values of the driver; unsupported ones are absent."""

import argparse
import ctypes
import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from collectors import Recorder
from collectors.__main__ import main
from collectors.format_v1 import telemetry_file
from collectors.machine.distributed import RankInfo
from collectors.machine.nvml import DeviceInfo, UnavailableError, has_driver
from collectors.machine.visible_devices import visible_uuids
from collectors.telemetry import nvidia_smi, watch
from collectors.telemetry.counter_period import UpdatePeriods
from collectors.telemetry.nvml_source import NvmlSource
from collectors.telemetry.process_owners import ProcessOwners
from collectors.telemetry.sampler import TelemetryWriter, Ticks, sample_until_stopped
from collectors.telemetry.samples import Event, Sample, Xid
from tests.collectors.nvml_standin import ONE, ONE_COLUMNS, SONAME, broken_nvml, unloaded
from tests.collectors.second_reader import read
from tests.each_of import each_row

ROOT = Path(__file__).parents[2]
UUID = "GPU-11111111-aaaa"
TWO = "system count 2" + ONE + ONE.replace("\n0 ", "\n1 ").replace("1111-aaaa", "2222-bbbb")


def sample(source, slow=True):
    return source.read([slow] * len(source.devices))


def only(source, slow=True):
    (item,) = sample(source, slow)
    return item.values if isinstance(item, Sample) else item.name


def devices_of(folder):
    return read(folder)["run"]["telemetry"]


def test_a_later_test_finds_no_driver_of_the_standin(nvml_folder):
    before = has_loaded_nvml()
    with unloaded():
        ctypes.CDLL(str(nvml_folder / SONAME))
        assert has_loaded_nvml()
        assert has_driver()
    assert has_loaded_nvml() is before


def has_loaded_nvml():
    try:
        return bool(ctypes.CDLL(SONAME, os.RTLD_NOLOAD))
    except OSError:
        return False


def test_every_column_has_the_value_of_the_driver(standin):
    assert only(NvmlSource.open(ProcessOwners(1))) == ONE_COLUMNS
    of_others = {"cpu_energy_mj", "cpu_temperature_celsius"}
    of_others |= {"sm_active_ppm", "tensor_active_ppm", "memory_active_ppm"}
    assert set(ONE_COLUMNS) == set(telemetry_file.TELEMETRY_COLUMNS) - of_others


def test_slow_fields_are_read_only_on_request(standin):
    fast = only(NvmlSource.open(ProcessOwners(1)), slow=False)
    assert fast == {name: ONE_COLUMNS[name] for name in fast}
    assert {"power_mw", "clocks_event_reasons_mask", "energy_mj"} <= set(fast)
    assert not {"pcie_tx_bytes", "power_limit_default_mw"} & set(fast)


def test_each_device_has_its_own_samples(standin):
    standin.replace(TWO)
    standin.set("1 power 99000")
    power = {item.device: item.values["power_mw"] for item in sample(NvmlSource.open(ProcessOwners(1)))}
    assert power == {UUID: 412000, "GPU-11112222-bbbb": 99000}


@pytest.mark.parametrize(
    ("answers", "reason"),
    [("system init !9", "Driver Not Loaded"), ("system count 0", "the driver has no device")],
)
def test_a_missing_driver_or_device_is_reported(standin, answers, reason):
    standin.replace(answers)
    with pytest.raises(UnavailableError, match=reason):
        NvmlSource.open(ProcessOwners(1))


def test_hidden_devices_are_reported(standin):
    with pytest.raises(UnavailableError, match="CUDA_VISIBLE_DEVICES"):
        NvmlSource.open(ProcessOwners(1), {"CUDA_VISIBLE_DEVICES": ""})


@pytest.mark.parametrize(
    ("key", "columns"),
    [
        ("utilization", ["utilization_gpu_percent", "utilization_memory_percent"]),
        ("power", ["power_mw"]),
        ("energy", ["energy_mj"]),
        ("retired_single", ["retired_pages_count"]),
        ("ecc_corrected", ["ecc_corrected_count"]),
        ("field82", ["temperature_memory_celsius"]),
        ("field138", ["nvlink_tx_bytes"]),
        ("field197", ["pcie_tx_bytes"]),
        ("violation3", ["violation_board_limit_ns"]),
        (
            "remapped_corrected",
            [f"remapped_rows_{kind}_count" for kind in ("corrected", "uncorrected", "pending", "failed")],
        ),
        ("processes", ["foreign_processes_count", "foreign_memory_bytes"]),
    ],
)
def test_an_unsupported_field_does_not_affect_others(standin, key, columns):
    standin.set(f"0 {key} !3")
    source = NvmlSource.open(ProcessOwners(1))
    expected = {name: value for name, value in ONE_COLUMNS.items() if name not in columns}
    assert only(source) == only(source) == expected


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("0 energy 18446744073709551615", "energy_mj"),
        ("0 temperature 4294967295", "temperature_celsius"),
        ("0 power !21", "power_mw"),  # no data
    ],
)
def test_an_unavailable_value_is_absent_until_it_is_available(standin, line, column):
    standin.set(line)
    source = NvmlSource.open(ProcessOwners(1))
    assert column not in only(source)
    standin.set(f"0 {line.split()[1]} 7")
    assert only(source)[column] == 7


def test_instantaneous_power_is_preferred_to_the_average(standin):
    standin.set("0 field186 555000")
    assert only(NvmlSource.open(ProcessOwners(1)))["power_mw"] == 555000


def test_a_column_that_is_missing_has_its_reason(standin):
    standin.set("0 energy !3", "0 retired_single !4", "0 power !21")
    source = NvmlSource.open(ProcessOwners(1))
    sample(source)
    assert source.missing() == {"energy_mj": "not_supported", "retired_pages_count": "no_permission"}


def test_a_column_that_one_of_the_devices_has_is_not_missing(standin):
    standin.replace(TWO)
    standin.set("0 energy !3", "0 retired_single !3", "1 energy !3")
    source = NvmlSource.open(ProcessOwners(1))
    sample(source)
    assert source.missing() == {"energy_mj": "not_supported"}


def test_no_policy_that_holds_clocks_down_is_not_read_again(standin):
    standin.set(*(f"0 violation{policy} !3" for policy in (0, 1, 2, 3, 5)))
    source = NvmlSource.open(ProcessOwners(1))
    assert not [name for name in only(source) if name.startswith("violation")]
    assert source.missing()["violation_power_ns"] == "not_supported"


def test_errors_of_the_driver_are_events_of_their_device(standin, tmp_path):
    standin.replace(TWO)
    standin.set("system xids 1:79,0:31")
    source = NvmlSource.open(ProcessOwners(1))
    errors = [item for item in sample(source) if isinstance(item, Xid)]
    assert [(item.device, item.number) for item in errors] == [("GPU-11112222-bbbb", 79), (UUID, 31)]
    assert not [item for item in sample(source) if isinstance(item, Xid)]  # each is reported once
    writer = TelemetryWriter(tmp_path, 0, 1)
    writer.add(errors)
    writer.end([], {})
    text = telemetry_file.telemetry_path(tmp_path, 0).read_text()
    assert f"#xid,{UUID},{errors[1].when},31\n" in text


#: What pynvml 11.4 and nvidia-ml-py 11.450 lack.
LATER_NAMES = {
    "nvmlMemory_v2",
    "NVML_FI_DEV_POWER_INSTANT",
    "NVML_FI_DEV_PCIE_COUNT_TX_BYTES",
    "nvmlDeviceGetCurrentClocksEventReasons",
}


def early_pynvml(monkeypatch, *lacks):
    """Replace pynvml by an early release: it lacks names and an argument, and its texts are bytes."""
    today = sys.modules["pynvml"]
    names = {name: value for name, value in vars(today).items() if name not in LATER_NAMES.union(lacks)}
    names["nvmlDeviceGetMemoryInfo"] = lambda handle: today.nvmlDeviceGetMemoryInfo(handle)
    names["nvmlDeviceGetUUID"] = lambda handle: today.nvmlDeviceGetUUID(handle).encode()
    names["nvmlDeviceGetName"] = lambda handle: today.nvmlDeviceGetName(handle).encode()
    names["nvmlDeviceGetHandleByUUID"] = lambda uuid: today.nvmlDeviceGetHandleByUUID(
        ctypes.c_char_p(uuid).value.decode()
    )
    monkeypatch.setitem(sys.modules, "pynvml", SimpleNamespace(**names))


def test_an_early_pynvml_reads_every_column_that_the_driver_has(standin, monkeypatch):
    early_pynvml(monkeypatch)
    standin.set("0 throttle_reasons 4", "0 field186 555000")
    source = NvmlSource.open(ProcessOwners(1))
    assert only(source) == {**ONE_COLUMNS, "power_mw": 555000}
    assert source.missing() == {}
    standin.set("0 state !15")
    assert only(source) == "lost"
    standin.set("0 state 0")
    assert [type(item) for item in sample(source)] == [Event, Sample]


def test_what_an_early_pynvml_cannot_read_is_named(standin, tmp_path, monkeypatch, capsys):
    early_pynvml(monkeypatch, "nvmlDeviceGetRemappedRows", "nvmlEventSetCreate")
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    watch.sample(tmp_path, 0, 0.05, stop, root=1)
    text = telemetry_file.telemetry_path(tmp_path, 0).read_text()
    assert "#missing,remapped_rows_pending_count,old_pynvml\n" in text
    assert "pip install --upgrade nvidia-ml-py" in capsys.readouterr().err
    assert set(devices_of(tmp_path)["0"][UUID]["memory_used_bytes"]) == {8589934592}


def test_a_lost_device_and_its_return_are_events(standin):
    standin.replace(TWO)
    source = NvmlSource.open(ProcessOwners(1))
    standin.set("0 state !15")
    lost = sample(source)
    assert [type(item) for item in lost] == [Event, Sample]
    assert (lost[0].device, lost[0].name) == (UUID, "lost")
    assert [item.device for item in sample(source)] == ["GPU-11112222-bbbb"]
    standin.set("0 state !16")
    assert len(sample(source)) == 1
    standin.set("0 state 0")
    assert [type(item) for item in sample(source, slow=False)] == [Sample]  # looked up once a second only
    back = sample(source)
    assert back[0][::2] == (UUID, "returned")
    assert [item.device for item in back] == [UUID, UUID, "GPU-11112222-bbbb"]


def test_a_device_that_needs_a_reset_is_an_event(standin):
    source = NvmlSource.open(ProcessOwners(1))
    standin.set("0 state !16")
    assert only(source) == "reset"


def test_throttling_is_read_by_its_new_and_old_name(standin):
    source = NvmlSource.open(ProcessOwners(1))
    masks = []
    for mask in ("0", "0x48", "0x20", "1"):
        standin.set(f"0 event_reasons {mask}")
        masks.append(only(source, slow=False)["clocks_event_reasons_mask"])
    assert masks == [0, 0x48, 0x20, 1]
    standin.set("0 event_reasons !13", "0 throttle_reasons 0x80")  # a driver before 535
    assert only(source, slow=False)["clocks_event_reasons_mask"] == 0x80


def test_only_foreign_processes_are_counted(standin):
    own, child = os.getpid(), subprocess.Popen(["sleep", "60"])
    try:
        source = NvmlSource.open(ProcessOwners(own))
        counts = []
        for processes in (
            f"{own}:100",
            f"{own}:100,{child.pid}:50",
            f"{child.pid}:50,1:70",
            "1:18446744073709551615",
        ):
            standin.set(f"0 processes {processes}")
            values = only(source)
            counts.append((values["foreign_processes_count"], values.get("foreign_memory_bytes")))
        assert counts == [(0, 0), (0, 0), (1, 70), (1, None)]
        standin.set("0 processes none", "0 graphics 1:30")
        assert only(source)["foreign_processes_count"] == 1
    finally:
        child.kill()
        child.wait()


def test_process_ids_of_another_namespace_are_ignored(tmp_path):
    def process(pid, parent):
        (tmp_path / str(pid)).mkdir()
        fields = " ".join(["S", str(parent), *["0"] * 17, f"{pid}00", "0"])
        (tmp_path / str(pid) / "stat").write_text(f"{pid} (a (b) c) {fields}")

    for pid, parent in ((10, 1), (11, 10), (12, 1)):
        process(pid, parent)
    owners = ProcessOwners(10, "RUN=/x", tmp_path)
    assert owners.foreign([(99, 5), (98, 6)]) == {}
    assert owners.foreign([(11, 5), (98, 6)]) == {"foreign_processes_count": 1, "foreign_memory_bytes": 6}
    assert owners.foreign([(12, None), (10, 6)]) == {"foreign_processes_count": 1}
    process(13, 1)
    (tmp_path / "13" / "environ").write_bytes(b"A=b\0RUN=/x\0")  # a task of srun, which its daemon starts
    process(14, 1)
    (tmp_path / "14" / "environ").write_bytes(b"A=b\0RUN=/xy\0")
    assert owners.foreign([(13, 1), (14, 2)]) == {"foreign_processes_count": 1, "foreign_memory_bytes": 2}


def test_mig_instances_have_their_own_samples(standin):
    standin.set(
        "0 mig 1",
        "0 instances_max 7",
        "0 instance1 5",
        "5 uuid MIG-55",
        "5 memory_total 10",
        "5 memory_used 3",
    )
    values = {item.device: item.values for item in sample(NvmlSource.open(ProcessOwners(1)))}
    assert list(values) == [UUID, "MIG-55"]
    assert values["MIG-55"] == {"memory_used_bytes": 3, "memory_total_bytes": 10}


A, B, C = (
    DeviceInfo("GPU-aa1", "x", []),
    DeviceInfo("GPU-aa2", "x", ["MIG-1", "MIG-2"]),
    DeviceInfo("GPU-c", "y", []),
)


@each_row(
    [
        ([A, B], None, None, ["GPU-aa1", "GPU-aa2", "MIG-1", "MIG-2"]),
        ([A, B], "0", None, ["GPU-aa1"]),
        ([A, B], "1,0", None, ["GPU-aa2", "MIG-1", "MIG-2", "GPU-aa1"]),
        ([A, B], "0,7,1", None, ["GPU-aa1"]),  # devices after an invalid entry are invisible
        ([A, B], "-1", None, []),
        ([A, B], "", None, []),
        ([A, B], "GPU-aa1", None, ["GPU-aa1"]),
        ([A, B], "GPU-aa", None, []),  # not unique
        ([A, B], "MIG-2", None, ["GPU-aa2", "MIG-2"]),
        ([A, C], "1", None, ["GPU-aa1", "GPU-c"]),  # fastest first: the order is unknown
        ([A, C], "1", "PCI_BUS_ID", ["GPU-c"]),
        ([A, C], "GPU-c", None, ["GPU-c"]),
    ]
)
def test_visible_devices_follow_the_rules_of_cuda(devices, setting, order, expected):
    environ = {"CUDA_VISIBLE_DEVICES": setting, "CUDA_DEVICE_ORDER": order}
    set_variables = {name: value for name, value in environ.items() if value is not None}
    assert visible_uuids(devices, set_variables) == expected


def test_the_update_period_is_the_median_time_between_changes():
    periods = UpdatePeriods()
    for when in range(0, 1000, 5):
        periods.add(
            "x", when, {"power_mw": when // 100, "energy_mj": when // 20, "utilization_gpu_percent": 3}
        )
    assert periods.estimate() == {"power_mw": 100, "energy_mj": 20}


def test_a_period_shorter_than_the_readings_is_not_estimated():
    periods = UpdatePeriods()
    for when in range(0, 10_000, 50):
        periods.add("x", when, {"power_mw": when // 25, "energy_mj": when // 200})
    assert periods.estimate() == {"energy_mj": 200}


def test_readings_in_bursts_do_not_lengthen_a_period():
    # 36 ms of readings, 64 ms of other work; the driver updates every 23 ms or every 300 ms
    periods = UpdatePeriods()
    for cycle in range(100):
        for when in range(cycle * 100, cycle * 100 + 36, 5):
            periods.add("x", when, {"power_mw": when // 23, "energy_mj": when // 300})
    estimate = periods.estimate()
    assert estimate["power_mw"] in (20, 25)  # readings are 5 ms apart
    assert estimate["energy_mj"] == 300


class FakeEvent:
    """A threading.Event whose `wait` advances a fake clock."""

    def __init__(self, clock, count):
        self.clock, self.left = clock, count

    def is_set(self):
        return self.left < 0

    def wait(self, seconds):
        self.clock.now += round(seconds * 1e9)
        self.left -= 1
        return self.left < 0


def test_missed_cycles_are_not_repeated(clock):
    ticks = Ticks(100, FakeEvent(clock, 5), clock)
    seen = []
    for cycle in ticks:
        seen.append((cycle, clock.now - 1000))
        clock.now += 250 if cycle == 1 else 10
    assert seen[:4] == [(0, 0), (1, 100), (4, 400), (5, 500)]
    assert list(ticks.achieved)[:3] == [100, 300, 100]


def test_the_shortest_run_has_a_sample(clock):
    stop = threading.Event()
    stop.set()
    assert list(Ticks(100, stop, clock)) == [0]


class FakeSource:
    """A source of one device whose power changes every 20 ms of a fake clock."""

    devices = ("GPU-1",)

    def __init__(self, clock):
        self.clock, self.slow = clock, []

    def read(self, slow):
        self.slow += slow
        return [Sample("GPU-1", self.clock.now, {"utilization_gpu_percent": 9, **self.power()})]

    def power(self):
        return {"power_mw": self.clock.now // 20_000_000}

    def probe(self):
        return [Sample("GPU-1", self.clock.now, self.power())]

    def missing(self):
        return {"energy_mj": "not_supported"}


def test_the_file_has_requested_and_achieved_intervals_and_update_periods(tmp_path, clock):
    source, writer = FakeSource(clock), TelemetryWriter(tmp_path, 0, 100_000_000)
    sample_until_stopped(source, writer, Ticks(100_000_000, FakeEvent(clock, 300), clock), probes=True)
    text = telemetry_file.telemetry_path(tmp_path, 0).read_text().splitlines()
    assert text[1] == "#interval,100000000"
    assert text[2] == "device,monotonic_ns,utilization_gpu_percent,power_mw"
    assert "#update,power_mw,20000000" in text
    assert "#missing,energy_mj,not_supported" in text
    assert any(line.startswith("#achieved,100000000,100000000,") for line in text)
    assert [index for index, is_slow in enumerate(source.slow) if is_slow] == list(
        range(0, len(source.slow), 10)
    )
    power = devices_of(tmp_path)["0"]["GPU-1"]["power_mw"]
    assert len(power) == len(source.slow)


class EightDevices:
    """Eight devices: each has 6 fast and 22 slow calls of the driver, of 1 ms of a fake clock each."""

    devices = tuple(f"GPU-{number}" for number in range(8))

    def __init__(self, clock):
        self.clock = clock

    def read(self, slow):
        self.clock.now += 1_000_000 * sum(6 + 22 * is_slow for is_slow in slow)
        return [Sample(uuid, self.clock.now, {"power_mw": 1}) for uuid in self.devices]

    def missing(self):
        return {}


def test_eight_devices_keep_the_interval_from_the_first_cycle(tmp_path, clock):
    writer, ticks = TelemetryWriter(tmp_path, 0, 10**8), Ticks(10**8, FakeEvent(clock, 50), clock)
    sample_until_stopped(EightDevices(clock), writer, ticks, probes=False)
    assert set(ticks.achieved[:-1]) == {10**8}


def test_watch_samples_until_its_input_ends(standin, tmp_path):
    environ = {**os.environ, "LD_LIBRARY_PATH": str(standin.folder), "PYTHONPATH": str(ROOT)}
    line = [sys.executable, "-m", "collectors", "watch", str(tmp_path / "r1"), "--interval", "0.01"]
    child = subprocess.Popen([*line, "--until-input-ends"], env=environ, stdin=subprocess.PIPE)
    path = telemetry_file.telemetry_path(tmp_path / "r1", 0)
    while not (path.exists() and path.read_text().count("GPU-") > 3):
        assert child.poll() is None
        threading.Event().wait(0.02)
    child.communicate()
    assert child.returncode == 0
    columns = devices_of(tmp_path / "r1")["0"][UUID]
    assert set(columns["power_mw"]) == {412000}
    assert columns["power_limit_default_mw"][0] == 700000
    assert "#achieved," in path.read_text()


def start_watch(standin, folder, *options, closes_input=False):
    """Start the sampler and wait for its first samples."""
    environ = {**os.environ, "LD_LIBRARY_PATH": str(standin.folder), "PYTHONPATH": str(ROOT)}
    line = [sys.executable, "-m", "collectors", "watch", str(folder), "--interval", "0.01", *options]
    line = ["sh", "-c", 'exec "$@" <&-', "sh", *line] if closes_input else line
    child = subprocess.Popen(line, env=environ, stderr=subprocess.PIPE, text=True)
    path = telemetry_file.telemetry_path(folder, 0)
    while not closes_input and not (path.exists() and path.read_text().count("GPU-") > 3):
        assert child.poll() is None
        threading.Event().wait(0.02)
    return child


def test_a_closed_terminal_ends_the_sampler_as_sigterm_does(standin, tmp_path):
    child = start_watch(standin, tmp_path)
    child.send_signal(signal.SIGHUP)
    assert (child.communicate()[1], child.returncode) == ("", 0)
    assert "#achieved," in telemetry_file.telemetry_path(tmp_path, 0).read_text()


def test_a_folder_that_is_removed_meanwhile_is_reported(standin, tmp_path):
    child = start_watch(standin, tmp_path / "r1")
    shutil.rmtree(tmp_path / "r1")
    child.terminate()
    assert "telemetry: the file was removed while it was written" in child.communicate()[1]


def test_input_that_was_never_open_has_ended(standin, tmp_path):
    child = start_watch(standin, tmp_path, "--until-input-ends", closes_input=True)
    assert (child.communicate(timeout=30)[1], child.returncode) == ("", 0)


def test_a_sampler_that_is_killed_is_reported_at_the_end_of_the_run(tmp_path, capsys):
    with watch.ChildWatch(tmp_path, 0, 0.1) as sampler:
        sampler._child.kill()
        sampler._child.wait()
    assert (
        "telemetry: the sampler was killed by signal 9; the rest of the run has none"
        in capsys.readouterr().err
    )


@pytest.fixture
def handlers_of_signals():
    """`watch` sets handlers for the rest of its process, which is the one of the tests here."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers_of_signals")
def test_a_second_sampler_of_a_folder_names_the_remedy(standin, tmp_path, capsys, monkeypatch):
    path = telemetry_file.telemetry_path(tmp_path, 0)
    path.touch()
    assert main(["watch", str(tmp_path), "--seconds", "3600"]) == 1  # the error does not wait for the hour
    assert f"watch: {path} exists; use another folder, or --node for another node" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["nan", "inf", "0", "-1", "soon"])
def test_a_sampler_runs_for_more_than_0_seconds(seconds, tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["watch", str(tmp_path), "--seconds", seconds])
    assert f"{seconds}: not a duration; use a number of seconds above 0" in capsys.readouterr().err


def test_an_error_of_the_disk_names_the_file(tmp_path, monkeypatch):
    file = telemetry_file.TelemetryFile(tmp_path, 0, 1)

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(OSError, match=r"No space left on device: '.*telemetry.node0.csv'"):
        file.write("1\n")


def test_the_launcher_samples_outside_of_the_training_process(standin, script):
    script.environ.update(LD_LIBRARY_PATH=str(standin.folder), NVML_STANDIN=os.environ["NVML_STANDIN"])
    script.write(
        """
from collectors.format_v1 import telemetry_file
path = telemetry_file.telemetry_path(__import__("pathlib").Path(os.environ["REPORTGEN_RUN"]), 0)
while not (path.exists() and path.read_text().count("GPU-") > 0): threading.Event().wait(0.02)
print("threads", threading.active_count())
with Recorder.start() as recorder:
    for _ in recorder.steps(3): pass
"""
    )
    code, out, err = script.run(launcher=True, has_site=True, options=["--telemetry-interval", "0.01"])
    assert (code, out) == (0, "threads 1\n"), err
    assert devices_of(script.only_run())["0"][UUID]["power_mw"][0] == 412000


def test_telemetry_can_be_switched_off(standin, script):
    script.environ.update(LD_LIBRARY_PATH=str(standin.folder), NVML_STANDIN=os.environ["NVML_STANDIN"])
    script.write("with Recorder.start() as recorder:\n    for _ in recorder.steps(3): pass")
    assert script.run(launcher=True, options=["--telemetry-interval", "0"])[0] == 0
    assert devices_of(script.only_run()) == {}


def test_a_thread_samples_without_a_launcher(standin, tmp_path, capsys):
    thread = watch.ThreadWatch(tmp_path, RankInfo(0, 1, 0, 3, 1), 3)
    while not telemetry_file.telemetry_path(tmp_path, 3).exists():
        threading.Event().wait(0.01)
    thread.close()
    assert devices_of(tmp_path)["3"][UUID]["power_mw"][0] == 412000
    second = watch.ThreadWatch(tmp_path, RankInfo(0, 1, 0, 3, 1), 3)
    second.close()
    assert "no telemetry: another process has written that of node 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("shown", "here", "is_kept"),
    [
        ("0", RankInfo(0, 1, 0, 0, 1), True),
        ("0,1", RankInfo(0, 2, 0, 0, 2), True),
        ("0", RankInfo(0, 2, 0, 0, 2), False),  # each rank sees its own device
        ("0", RankInfo(0, 8, 0, 0, 0), False),
        ("0,1", RankInfo(0, 8, 0, 0, 4), False),
    ],
)
def test_the_devices_of_all_ranks_of_a_node_are_visible(shown, here, is_kept):
    environ = {"CUDA_VISIBLE_DEVICES": shown, "HOME": "/"}
    assert watch.show_devices_of_all_ranks(here, environ) == (environ if is_kept else {"HOME": "/"})


def test_the_recorder_starts_a_thread_if_no_launcher_watches(standin, tmp_path, monkeypatch):
    cuda = SimpleNamespace(is_initialized=lambda: True)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, __version__="0"))
    monkeypatch.setenv(watch.WATCHED_VARIABLE, "another-host")
    recorder = Recorder.start(logs=tmp_path, timing="host")
    path = telemetry_file.telemetry_path(recorder.folder, 0)
    while not path.exists():
        threading.Event().wait(0.01)
    recorder.close()
    assert devices_of(recorder.folder)["0"][UUID]["power_mw"][0] == 412000
    monkeypatch.setenv(watch.WATCHED_VARIABLE, watch.host_id())
    watched = Recorder.start(logs=tmp_path, timing="host")
    watched.close()
    assert watch.host_id() == "" or devices_of(watched.folder) == {}


SMI = """#!/bin/sh
case "$1" in
--help-query-gpu) printf '"timestamp"\n"uuid"\n"power.draw"\n"memory.used"\n"clocks_throttle_reasons.active" or\n"clocks.sm"\n' ;;
--query-gpu=uuid,name) echo "GPU-1, Stand-in"; echo "GPU-2, Stand-in" ;;
*) echo "$@" > "$0.arguments"; now=$(date "+%Y/%m/%d %H:%M:%S")
   echo "$now.100, GPU-1, 1024, 100.25, 1500, 0x0000000000000008"
   echo "$now.200, GPU-2, 1, 2, 3, 0x0"
   echo "$now.200, GPU-1, [N/A], [Not Supported], 1400, 0x0000000000000000"
   echo "$now.300, GPU-1, [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost]"
   echo "$now.400, GPU-1, [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost]"
   echo "Xid something"
   echo "$now.500, GPU-1, 2, 3, 4, 0x1" ;;
esac
"""


@pytest.mark.parametrize("kind", ["missing", "no count", "no function", "another module"])
def test_nvidia_smi_is_used_if_pynvml_does_not_work(tmp_path, monkeypatch, kind):
    program = tmp_path / "bin" / "nvidia-smi"
    program.parent.mkdir()
    program.write_text(SMI)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    monkeypatch.setitem(sys.modules, "pynvml", broken_nvml(kind))
    (tmp_path / "run").mkdir()
    watch.sample(tmp_path / "run", 0, 0.05, threading.Event(), root=1)
    arguments = Path(f"{program}.arguments").read_text()
    assert "timestamp,uuid,memory.used,power.draw,clocks.sm,clocks_throttle_reasons.active" in arguments
    assert arguments.endswith("-lms 50\n")
    (columns,) = devices_of(tmp_path / "run")["0"].values()
    assert columns["power_mw"] == [100250, None, 3000]
    assert columns["memory_used_bytes"] == [2**30, None, 2**21]
    assert columns["clocks_event_reasons_mask"] == [8, 0, 1]
    when = columns["monotonic_ns"]
    assert [round((time - when[0]) / 1e6) for time in when] == [0, 100, 400]
    text = telemetry_file.telemetry_path(tmp_path / "run", 0).read_text()
    assert text.count(",lost\n") == text.count(",returned\n") == 1


def test_both_reasons_are_given_if_no_source_works(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with pytest.raises(UnavailableError, match="nvidia-ml-py is not installed; nvidia-smi is not installed"):
        watch.sample(tmp_path, 0, 0.1, threading.Event(), root=1)
    assert list(tmp_path.iterdir()) == []


def test_a_malformed_timestamp_means_now():
    assert nvidia_smi.monotonic_time("[N/A]") <= nvidia_smi.monotonic_time("[N/A]")


@pytest.mark.parametrize("text", ["0", "-1", "fast", "61", "0.001"])
def test_an_interval_out_of_range_is_an_error(text):
    with pytest.raises(argparse.ArgumentTypeError, match=r"use 0\.01 to 60 seconds"):
        watch.parse_interval(text)
