"""The small repository that the tests of the pipeline and of the command line build reports in."""

from pathlib import Path

from reportgen.render.page import library
from tests.builders import write_files

CSV = "framework,devices,rate\nA,1,100\nA,8,760\nB,1,90\nB,8,-\n"
SOURCE = """\
title = "Rates"
url = "https://example.org/rates"
date = "2024-02-17"
tables = ["rates.csv"]
[factors]
framework = "framework"
devices = "devices"
[constants]
item = "image"
[tokens]
missing = ["-"]
[[metrics]]
column = "rate"
metric = "throughput"
unit = "images/s"
"""
DEFINITION = """\
title = "Frameworks"
logs = ["logs/rates"]
body = "frameworks.md"

[[tables]]
id = "rates"
title = "Rates"
rows = ["devices"]
columns = ["framework"]
compare = { kind = "speedup", baseline = { devices = 1 } }

[[figures]]
id = "rates"
kind = "line"
table = "rates"
x = "devices"
ideal = true
"""
PROSE = 'A reaches {{ value("rates", row={"devices": 8}, column={"framework": "A"}, quantity="speedup") }}.\n'
README = "# X\n\n<!-- reportgen:begin frameworks/rates -->\n<!-- reportgen:end -->\n\nmore\n"


def write_repository(root: Path) -> Path:
    """Write a repository with one published campaign, one report and a README that shows its table."""
    files = {
        "logs/rates/rates.csv": CSV,
        "logs/rates/source.toml": SOURCE,
        "reports/frameworks.toml": DEFINITION,
        "reports/frameworks.md": PROSE,
        "README.md": README,
    }
    write_files(root, files)
    return root


def write_charts_library(root: Path) -> None:
    """Write the library of charts as an earlier build would: bundling it takes longer than the rest of a build."""
    path = root / "reports" / library.OUTPUT.path
    path.parent.mkdir(parents=True)
    path.write_bytes(library.vega_js())
