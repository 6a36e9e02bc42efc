"""Weigh the pages: bytes, time until a page can be used, and height, of made-up campaigns and of reports/.

    python benchmarks/page_weight.py [ROUNDS]

Writes runs of 120 steps to a temporary folder (200 cases with 7 repeats; 1,440 with 7, which is 10,080 runs),
builds their report without a definition, and opens every page in Chromium from the disk. "Ready" is the time
until the script of the page has run, the median of the rounds. Needs the extra `test` and Chromium.
"""

import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
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


def weigh(browser: Browser, page: Path, rounds: int) -> str:
    """Return bytes, time until ready and height of a page."""
    ready, height = [], 0
    for _ in range(rounds):
        view = browser.new_page(viewport=WINDOW)
        view.goto(page.as_uri())
        ready.append(view.evaluate(_READY))
        height = view.evaluate("document.documentElement.scrollHeight")
        view.close()
    size = page.stat().st_size / 1e6
    return f"{size:5.2f} MB  ready in {statistics.median(ready):5.0f} ms  {height:6,} pixels tall"


def main() -> None:
    """Build, open and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for page in sorted((ROOT / "reports").glob("*/index.html")):
            print(f"{page.parent.name:22} {weigh(browser, page, rounds)}", flush=True)
        for number, (name, sizes) in enumerate(CAMPAIGNS.items()):
            folder = Path(temporary) / str(number)
            write_campaign(folder / "logs" / "campaign", *sizes)
            (folder / "reports").mkdir()
            build = [sys.executable, "-m", "reportgen", "build", "reports"]
            subprocess.run(
                build, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            for page in sorted((folder / "reports").glob("*/index.html")):
                print(f"{name:22} {weigh(browser, page, rounds)}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
