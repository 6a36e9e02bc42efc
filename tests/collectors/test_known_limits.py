"""The known limits of a model of GPU are data with a source, and the doctor prints them."""

import re
import sys

from collectors.machine.doctor import HostReport, check_devices
from collectors.machine.known_limits import LIMITS, limits_of
from tests.collectors.sysfs_standin import AMD, add_card
from tests.each_of import each_row


@each_row(
    [
        ("NVIDIA H100 80GB HBM3", ["power"]),
        ("NVIDIA A100-SXM4-80GB", ["power"]),
        ("NVIDIA H200", []),
        ("NVIDIA A10", []),
        ("Tesla P100-PCIE-16GB", ["energy"]),
        ("Tesla V100-SXM2-16GB", []),
        ("NVIDIA GeForce GTX 1080 Ti", ["energy"]),
        ("NVIDIA GeForce GTX 1660", []),
        ("AMD Instinct MI250X", ["power"]),
        ("AMD Instinct MI300X", []),
        ("Intel(R) Arc(TM) B580 Graphics", ["temperature"]),
        ("Intel(R) Arc(TM) A750 Graphics", ["temperature of the memory", "temperature"]),
        ("Intel(R) Arc(TM) Pro B60 Graphics", ["energy", "memory errors"]),
        ("", []),
    ]
)
def test_the_limits_of_a_model(model, counters):
    assert [limit.what.partition(":")[0] for limit in limits_of(model)] == counters


def test_each_limit_names_a_public_source():
    for limit in LIMITS:
        assert re.fullmatch(r"arXiv:\d{4}\.\d{5}|[\w-]+/[\w.-]+#\d+", limit.source)


def test_the_doctor_prints_the_limits_of_the_visible_gpus(tmp_path, monkeypatch):
    monkeypatch.setattr("collectors.machine.doctor.has_driver", lambda: False)
    monkeypatch.setitem(sys.modules, "pynvml", None)  # another test may have loaded the stand-in of NVML
    add_card(tmp_path, 0, "0000:41:00.0", {**AMD, "device/product_name": "AMD Instinct MI100"})
    report = HostReport()
    check_devices(report, {}, tmp_path)
    text = "energy: the counter may not move until the host is restarted (ROCm/amdsmi#38)"
    assert f"known limit of AMD Instinct MI100: {text}" in report.text()
