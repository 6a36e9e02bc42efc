"""Folders like /sys with the files that the kernel's drivers document, in the kernel's units."""


def write_files(folder, files):
    """Write files, path -> text; the kernel ends each with a line end."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")


def add_card(sysfs, number, pci, files):
    """Add class/drm/card<number>, whose `device` is a link to the PCI device."""
    device = sysfs / "devices" / "pci0000:00" / pci
    write_files(device, {name[7:]: text for name, text in files.items() if name.startswith("device/")})
    card = sysfs / "class" / "drm" / f"card{number}"
    write_files(card, {name: text for name, text in files.items() if not name.startswith("device/")})
    card.mkdir(parents=True, exist_ok=True)
    (card / "device").symlink_to(device)
    (sysfs / "class/drm" / f"card{number}-DP-1").mkdir()  # a connector is not a card


SENSORS = "device/hwmon/hwmon4"
AMD = {
    "device/vendor": "0x1002",
    "device/device": "0x74a1",
    "device/unique_id": "a1b2c3d4e5f60718",
    "device/product_name": "Instinct stand-in, 192GB",
    "device/gpu_busy_percent": 93,
    "device/mem_busy_percent": 41,
    "device/mem_info_vram_used": 8589934592,
    "device/mem_info_vram_total": 206141652992,
    "device/pp_dpm_sclk": "0: 132Mhz\n1: 1250Mhz *\n2: 2100Mhz",
    "device/pp_dpm_mclk": "0: 900Mhz *\n1: 1300Mhz",
    "device/power_dpm_force_performance_level": "auto",
    "device/current_link_width": 16,
    f"{SENSORS}/name": "amdgpu",
    f"{SENSORS}/power1_average": 412345678,
    f"{SENSORS}/power1_cap": 750000000,
    f"{SENSORS}/power1_cap_default": 750000000,
    f"{SENSORS}/temp1_input": 61500,
    f"{SENSORS}/temp3_input": 70000,
    f"{SENSORS}/freq1_input": 1247000000,
}
# uW -> mW, m degrees C -> degrees C, Hz -> MHz, all rounded down.
AMD_COLUMNS = {
    "utilization_gpu_percent": 93,
    "utilization_memory_percent": 41,
    "memory_used_bytes": 8589934592,
    "memory_total_bytes": 206141652992,
    "power_mw": 412345,
    "clock_sm_mhz": 1247,
    "temperature_celsius": 61,
    "temperature_memory_celsius": 70,
    "clock_memory_mhz": 900,
    "clock_sm_max_mhz": 2100,
    "clock_memory_max_mhz": 1300,
    "power_limit_enforced_mw": 750000,
    "power_limit_default_mw": 750000,
    "pcie_width_count": 16,
}
REASONS = "device/tile0/gt0/freq0/throttle"
XE = {
    "device/vendor": "0x8086",
    "device/device": "0x56c0",
    "device/tile0/gt0/freq0/act_freq": 2050,
    "device/tile0/gt0/freq0/rp0_freq": 2400,
    "device/tile0/physical_vram_size_bytes": 17179869184,
    f"{REASONS}/reason_pl1": 1,
    f"{REASONS}/reason_thermal": 0,
    f"{REASONS}/reason_prochot": 1,
    f"{SENSORS}/name": "xe",
    f"{SENSORS}/energy1_input": 5000000,
    f"{SENSORS}/power1_max": 120000000,
    f"{SENSORS}/temp2_input": 55999,
}
# pl1 is bit 0x4 (power cap), prochot 0x8 (hardware slowdown).
XE_COLUMNS = {
    "clock_sm_mhz": 2050,
    "clock_sm_max_mhz": 2400,
    "memory_total_bytes": 17179869184,
    "clocks_event_reasons_mask": 12,
    "power_limit_enforced_mw": 120000,
    "temperature_celsius": 55,
}
I915 = {
    "device/vendor": "0x8086",
    "device/device": "0x56c1",
    "gt/gt0/rps_act_freq_mhz": 1900,
    "gt/gt0/rps_RP0_freq_mhz": 2450,
    "gt/gt0/throttle_reason_pl1": 0,
    "gt/gt0/throttle_reason_thermal": 1,
    f"{SENSORS}/name": "i915",
    f"{SENSORS}/energy1_input": 7000000,
    f"{SENSORS}/power1_max": 0,
}
# A limit of 0 switches it off; thermal is bit 0x40.
I915_COLUMNS = {"clock_sm_mhz": 1900, "clock_sm_max_mhz": 2450, "clocks_event_reasons_mask": 64}


def add_package(sysfs, number, energy, *, wraps=262143328850, name=None):
    """Add a RAPL package with a part (dram), and the same package over MMIO."""
    for prefix in ("intel-rapl", "intel-rapl-mmio"):
        zone = {"name": name or f"package-{number}", "energy_uj": energy, "max_energy_range_uj": wraps}
        write_files(sysfs / "class/powercap" / f"{prefix}:{number}", zone)
    part = {"name": "dram", "energy_uj": 1, "max_energy_range_uj": wraps}
    write_files(sysfs / "class/powercap" / f"intel-rapl:{number}:0", part)


def set_energy(sysfs, number, energy):
    """Set the counter of a package in microjoules."""
    write_files(sysfs / f"class/powercap/intel-rapl:{number}", {"energy_uj": energy})
