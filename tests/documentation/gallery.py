"""Build the gallery: docs/gallery.md, whose TOML blocks are one definition, and the figures in docs/gallery/.

The blocks of the page are built against invented logs that this module writes. `reportgen build` then puts the tables
between the markers of the page, as it does for any file under `inject`, and draws the figures.
"""

import hashlib
import json
import math
import random
import re
import shutil
from collections.abc import Iterator
from itertools import accumulate, product
from pathlib import Path

import reportgen

Case = dict[str, str | int]
DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "gallery.md"
FIGURES = DOCS / "gallery"
HEAD = 'title = "Gallery"\nlogs = ["logs"]\n'
BLOCK = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SETTINGS = '[inject]\nfiles = ["gallery.md"]\n'
FACTS = """\
[systems]
A100 = { device = "A100" }
H100 = { device = "H100" }

[[fact]]
of = "H100"
to = "A100"
speed = 2.2
source = "invented, as all numbers of this page"
url = "https://example.org"
read = 2026-01-01
"""
START = 1_767_225_600  # 2026-01-01, s since 1970
DAY = 86_400
STEPS = 120
SAMPLE = {"A100": 2.0e-3, "H100": 0.9e-3}  # device -> s of a sample
MEMORY = {"A100": 16, "H100": 32}  # device -> the largest batch that fits


def write(folder: Path, page: str) -> Path:
    """Write a repository whose definition is the one of the page, with the page at its top; return its reports folder."""
    for path, text in logs():
        (folder / "logs" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "logs" / path).write_text(text, "utf-8")
    reports = folder / "reports"
    reports.mkdir()
    (folder / "gallery.md").write_text(page, "utf-8")
    (reports / "gallery.toml").write_text(HEAD + "\n".join(BLOCK.findall(page)), "utf-8")
    (reports / "reportgen.toml").write_text(SETTINGS, "utf-8")
    (reports / "expected.toml").write_text(FACTS, "utf-8")
    return reports


def renew(folder: Path) -> Iterator[Path]:
    """Build the gallery in an empty folder, copy page and figures into docs/, and yield the files that changed."""
    reports = write(folder, PAGE.read_text("utf-8"))
    reportgen.build(reports)
    built = {PAGE: folder / "gallery.md"}
    built |= {FIGURES / path.name: path for path in (reports / "gallery/figures").iterdir()}
    FIGURES.mkdir(exist_ok=True)
    for path, new in built.items():
        if not path.is_file() or path.read_bytes() != new.read_bytes():
            shutil.copy(new, path)
            yield path
    for path in set(FIGURES.iterdir()) - built.keys():
        path.unlink()
        yield path


def logs() -> Iterator[tuple[str, str]]:
    """Yield the files of the logs, (path, text): a sweep of two devices in random rounds, and a run for each night."""
    cases: list[Case] = [
        {"device": device, "devices": devices, "batch_size": batch}
        for device, devices, batch in product(SAMPLE, (1, 2, 4, 8), (8, 16, 32))
    ]
    for number in range(1, 7):
        names = {"sweep/" + ",".join(f"{key}={value}" for key, value in case.items()): case for case in cases}
        drawn = sorted(names, key=lambda name: hashlib.sha256(f"7/{number}/{name}".encode()).hexdigest())
        for place, name in enumerate(drawn):
            started = START + number * 7200 + place * 200
            yield from _run(f"{name}/r{number}", names[name], number, started, round=number, order_seed=7)
    for night in range(16):
        case: Case = {"device": "H100", "devices": 1, "batch_size": 8, "suite": "nightly"}
        for repeat in (1, 2, 3):
            slower = 1.06 if night >= 9 else 1.0
            number = 3 * night + repeat
            yield from _run(
                f"nightly/r{number}", case, number, START + (night + 2) * DAY + 300 * repeat, factor=slower
            )


def _run(
    path: str, case: Case, repeat: int, started: int, *, factor: float = 1.0, **about: int
) -> Iterator[tuple[str, str]]:
    """Yield the files of one run of log format v1: phases of the device, a wait for data, a slow step every 25 steps."""
    device, devices, batch = str(case["device"]), int(case["devices"]), int(case["batch_size"])
    run = {
        "format": "reportgen-run",
        "version": 1,
        "status": "complete",
        "case": {"model": "gpt-small", "suite": "sweep", **case},
        "repeat": repeat,
        "samples_per_step": batch * devices,
        "item": "sequence",
        "ranks": 1,
        "started_realtime_ns": started * 10**9,
        **about,
    }
    fits = batch <= MEMORY[device]
    if not fits:
        run |= {"status": "out_of_memory", "error": "CUDA out of memory"}
    noise = random.Random(path)
    level = factor * noise.gauss(1, 0.004)
    rows = []
    for step in range(1, STEPS + 1 if fits else 2):
        compute = SAMPLE[device] * batch * level * noise.gauss(1, 0.01) + 2e-3
        communication = 1.2e-3 * math.log2(devices) * noise.gauss(1, 0.05)
        loading = 0.4e-3 * noise.gauss(1, 0.05) + (4e-3 if step % 25 == 0 else 0)
        forward, backward = compute / 3, 2 * compute / 3 + communication
        rows.append(
            [round(1e9 * seconds) for seconds in (loading + forward + backward, loading, forward, backward)]
        )
    begins = accumulate((row[0] for row in rows), initial=1000)
    lines = [
        f"{step},{begin},{','.join(map(str, [row[0], *row]))}"
        for step, (begin, row) in enumerate(zip(begins, rows, strict=False), 1)
    ]
    header = "step,begin_ns,duration_ns,step_cuda_event_ns,data_loading_host_ns,forward_cuda_event_ns,backward_cuda_event_ns"
    yield f"{path}/run.json", json.dumps(run)
    yield f"{path}/steps.rank0.csv", "\n".join([f"#clock,1000,{started * 10**9}", header, *lines, ""])
