"""Show what each tree of logs becomes without a definition: the first thing to read after a change of layouts.

    python -m tests.autolayout.show_trees [TREE ...] [--pages DIR]

Prints, for each report of a tree, its headline, the head of its first table, the kinds of its figures, and
the processor time of the build. With --pages, the trees, their logs and pages are kept below a folder.
"""

import argparse
import tempfile
import time
from pathlib import Path

from reportgen.document.model import Document
from reportgen.pipeline import Build, Request, build
from tests.autolayout.trees import TREES, Tree
from tests.builders import write_files


def main() -> None:
    """Build the trees and print what they become."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trees", nargs="*", metavar="TREE", default=[*TREES], help=", ".join(TREES))
    parser.add_argument("--pages", type=Path, help="folder to keep the pages in")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="show_trees") as place:
        for name in arguments.trees:
            root = (arguments.pages or Path(place)) / name
            began = time.process_time()
            result = build_tree(root, TREES[name](), committed_only=not arguments.pages)
            print(f"\n== {name}: {len(result.reports)} reports, {time.process_time() - began:.1f} s")
            if arguments.pages:
                write_files(root / "reports", result.files)
            for report in result.reports:
                print("\n".join(described(report, result)))


def build_tree(root: Path, tree: Tree, *, committed_only: bool = True) -> Build:
    """Return the build of a tree of logs without a definition."""
    write_files(root / "logs", tree)
    (root / "reports").mkdir(exist_ok=True)
    return build(Request(root, root / "reports"), committed_only=committed_only)


def described(report: Document, result: Build) -> list[str]:
    """Return the lines that describe a report."""
    kinds = ", ".join(figure.kind for figure in report.figures) or "none"
    return [
        f"-- {report.name}: {len(report.tables)} tables; figures: {kinds}",
        report.headline,
        *first_table(report, result)[:4],
    ]


def first_table(report: Document, result: Build) -> list[str]:
    """Return the lines of the first table in Markdown, [] if there is none."""
    lines = result.files[f"{report.name}/README.md"].decode().splitlines()
    start = next((n for n, line in enumerate(lines) if line.startswith("|")), len(lines))
    length = next((n for n, line in enumerate(lines[start:]) if not line.startswith("|")), None)
    return lines[start:][:length]


if __name__ == "__main__":
    main()
