"""Weigh the pages: bytes, time until a page can be used, and height, of made-up campaigns and of reports/.

    python benchmarks/page_weight.py [--rounds 5]
    python benchmarks/page_weight.py --cases 10000 [--tables 500]

Without numbers, writes runs of 120 steps to a temporary folder (200 cases with 7 repeats; 1,440 with 7, which
is 10,080 runs), builds their report without a definition, and weighs the pages of reports/, too. With
numbers, writes published results of so many cases, of two repeats each, and a report with so many tables.
Every page is opened in Chromium from the disk. "Ready" is the time until the script of the page has run, the
median of the rounds, with the processor time of the page's process until then: that depends less on what else
the machine does. Needs the extra `test` and Chromium.
"""

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
STEPS, REPEATS = 120, 7
CAMPAIGNS = {"200 cases x 7 x 120": (5, 8, 5), "1,440 cases x 7 x 120": (12, 15, 8)}
WINDOW = {"width": 1440, "height": 900}
_READY = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"


def write_campaign(folder: Path, frameworks: int, models: int, sizes: int) -> None:
    """Write the runs of every framework with every model and batch size."""
    noise = random.Random(1)
    for framework in range(frameworks):
        for model in range(models):
            for size in range(sizes):
                for repeat in range(1, REPEATS + 1):
                    case = {
                        "framework": f"framework {framework}",
                        "model": f"model {model}",
                        "batch_size": 2**size,
                    }
                    run = folder / f"f{framework}-m{model}-b{size}" / f"r{repeat}"
                    write_run(run, case, repeat, 1e6 * (20 + framework + 3 * model + 2**size), noise)


def write_run(
    folder: Path, case: dict[str, object], repeat: int, step_ns: float, noise: random.Random
) -> None:
    """Write one run in the project's own format."""
    folder.mkdir(parents=True)
    clock, wall = 10**12, 1_760_000_000 * 10**9
    head = {
        "format": "reportgen-run", "version": 1, "status": "complete", "case": case, "repeat": repeat,
        "started_realtime_ns": wall, "samples_per_step": case["batch_size"], "item": "sample", "ranks": 1,
        "clocks": {"rank0": {"monotonic_ns": clock, "realtime_ns": wall}}, "exit_code": 0,
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(head))
    lines, begin = [f"#clock,{clock},{wall}", "step,samples,begin_ns,duration_ns"], clock
    for step in range(1, STEPS + 1):
        duration = round(step_ns * noise.lognormvariate(0, 0.02))
        lines.append(f"{step},,{begin},{duration}")
        begin += duration
    (folder / "steps.rank0.csv").write_text("\n".join(lines) + "\n")


FRAMEWORKS, SIZES = 4, 5
SOURCE = """\
title = "Made-up results"
tables = ["results.csv"]
[factors]
group = "group"
framework = "framework"
model = "model"
batch_size = "batch_size"
[columns]
repeat = "repeat"
[constants]
item = "image"
[[metrics]]
column = "rate"
metric = "throughput"
unit = "images/s"
"""
DEFINITION = """\
title = "Frameworks"
logs = ["logs/campaign"]
[[tables]]
id = "throughput"
title = "Throughput"
rows = ["model", "batch_size"]
columns = ["framework"]
facets = ["group"]
show = ["value", "ratio"]
compare = { kind = "ratio", baseline = { framework = "framework 0" } }
"""


def write_results(root: Path, cases: int, tables: int) -> None:
    """Write a CSV file of results, and the definition of a report with a table per group of models."""
    noise = random.Random(1)
    lines = ["group,framework,model,batch_size,repeat,rate"]
    for number in range(cases):
        model, place = divmod(number, FRAMEWORKS * SIZES)
        size, framework = divmod(place, FRAMEWORKS)
        for repeat in (1, 2):
            rate = 100 * (1 + model % 17) * (1 + framework / 10) * noise.lognormvariate(0, 0.02)
            group = f"group {model % tables}"
            lines.append(f"{group},framework {framework},model {model},{2**size},{repeat},{rate:.3f}")
    folder = root / "logs" / "campaign"
    folder.mkdir(parents=True)
    (folder / "results.csv").write_text("\n".join(lines) + "\n")
    (folder / "source.toml").write_text(SOURCE)
    (root / "reports").mkdir()
    (root / "reports" / "results.toml").write_text(DEFINITION)


def weigh(browser: Browser, page: Path, rounds: int) -> str:
    """Return bytes, time until ready and height of a page."""
    ready, used, height = [], [], 0
    for _ in range(rounds):
        view = browser.new_page(viewport=WINDOW)
        tools = view.context.new_cdp_session(view)
        tools.send("Performance.enable")
        view.goto(page.as_uri(), wait_until="domcontentloaded")
        used.append(_processor_time(tools.send("Performance.getMetrics")))
        ready.append(view.evaluate(_READY))
        height = view.evaluate("document.documentElement.scrollHeight")
        view.close()
    size, times = page.stat().st_size / 1e6, f"{statistics.median(ready):5.0f} ms"
    processor = f"{1e3 * statistics.median(used):5.0f} ms of processor"
    return f"{size:5.2f} MB  ready in {times}, {processor}  {height:6,} pixels tall"


def _processor_time(metrics: dict[str, list[dict[str, float]]]) -> float:
    (seconds,) = [each["value"] for each in metrics["metrics"] if each["name"] == "ProcessTime"]
    return seconds


def build(folder: Path) -> list[Path]:
    """Build the reports of a folder and return their pages."""
    command = [sys.executable, "-m", "reportgen", "build", "reports"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return sorted((folder / "reports").glob("*/index.html"))


def main() -> None:
    """Build, open and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cases", type=int, help="weigh a report of so many cases")
    parser.add_argument("--tables", type=int, default=1, help="in so many tables")
    arguments = parser.parse_args()
    made: dict[str, Callable[[Path], None]] = {
        name: lambda folder, sizes=sizes: write_campaign(folder / "logs" / "campaign", *sizes)  # type: ignore[misc]
        for name, sizes in CAMPAIGNS.items()
    }
    if arguments.cases:
        name = f"{arguments.cases:,} cases, {arguments.tables:,} tables"
        made = {name: lambda folder: write_results(folder, arguments.cases, arguments.tables)}
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        own = [] if arguments.cases else sorted((ROOT / "reports").glob("*/index.html"))
        for page in own:
            print(f"{page.parent.name:26} {weigh(browser, page, arguments.rounds)}", flush=True)
        for number, (name, write) in enumerate(made.items()):
            folder = Path(temporary) / str(number)
            write(folder)
            (folder / "reports").mkdir(exist_ok=True)
            for page in build(folder):
                print(f"{name:26} {weigh(browser, page, arguments.rounds)}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
