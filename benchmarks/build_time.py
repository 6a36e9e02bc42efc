"""Time `reportgen build` and `check` on the committed reports, cold and with figures that still hold.

    python benchmarks/build_time.py [ROUNDS]

Works in a temporary copy of logs/, reports/ and the files with tables between markers. Prints the median of
the rounds in seconds, beside the start of the interpreter with pandas and matplotlib.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMPORTS = [sys.executable, "-c", "import pandas, matplotlib.figure, jinja2, markdown"]


def seconds(command: list[str], folder: Path) -> float:
    """Return the wall time of a command that must succeed."""
    begin = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def main() -> None:
    """Interleave the ways, so that drift of the machine favours none."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    times: dict[str, list[float]] = {"imports alone": [], "build, nothing there": [], "check": []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as temporary:
            copy = Path(temporary)
            shutil.copytree(ROOT / "logs", copy / "logs")
            shutil.copytree(ROOT / "reports", copy / "reports")
            shutil.copytree(ROOT / "docs", copy / "docs")
            shutil.copy(ROOT / "README.md", copy)
            for folder in (path for path in (copy / "reports").iterdir() if path.is_dir()):
                shutil.rmtree(folder)
            reportgen = [sys.executable, "-m", "reportgen"]
            times["imports alone"].append(seconds(IMPORTS, copy))
            times["build, nothing there"].append(seconds([*reportgen, "build", "reports"], copy))
            times["check"].append(seconds([*reportgen, "check", "reports"], copy))
    for name, values in times.items():
        print(f"{name:22} {statistics.median(values):6.2f} s")


if __name__ == "__main__":
    main()
