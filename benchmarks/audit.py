"""Plant errors in tables of published studies; print how many an audit finds, and what it accuses falsely.

    python benchmarks/audit.py [--tables 200] [--seed 1] [--corpus DIR] [--verbose]

Tables, shapes, ways to write numbers, and errors are drawn at random (tests/audit/planting.py). Half of the
tables are audited against all of logs/, the others against the logs of their own study. A quarter of them
contain no error.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import reportgen  # noqa: E402
from reportgen.audit import Auditor, gather_evidence, reader  # noqa: E402
from tests.audit.figures import Study, studies  # noqa: E402
from tests.audit.planting import Planted, Score, plant  # noqa: E402


def tables(study: Study, count: int, seed: int) -> Iterator[Planted]:
    """Yield tables with planted errors; a quarter of them has none."""
    for number in range(count):
        generator = random.Random(f"{seed} {study.name} {number}")
        figures = study.draw(generator)
        if len(figures) >= 6:
            most = max(1, len(figures) // 10)
            yield plant(generator, figures, errors=0 if number % 4 == 0 else generator.randint(1, most))


def main() -> None:
    """Parse the arguments, audit, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=40, help="per study")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    total = Score()
    everything = Auditor(gather_evidence(reportgen.read(ROOT / "logs")))
    heads = ("study", "tables", "errors", "found", "share", "right", "false", "s")
    print("{:<20} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}".format(*heads))
    for study in studies(ROOT, arguments.corpus):
        if arguments.only not in study.name:
            continue
        own = Auditor(gather_evidence(reportgen.read(study.logs)))
        score, begin, count = Score(), time.perf_counter(), 0
        for number, planted in enumerate(tables(study, arguments.tables, arguments.seed)):
            is_all = number % 2 and study.logs.is_relative_to(ROOT)
            document = reader.read_document(planted.name, planted.text)
            remarks = (everything if is_all else own).audit(document)
            lines = score.add(planted, remarks)
            total.add(planted, remarks)
            count += 1
            if arguments.verbose and lines:
                print(f"--- {study.name} {number} {planted.name}{' (all logs)' if is_all else ''}")
                print("\n".join(lines))
        _print(study.name, count, score, time.perf_counter() - begin)
    _print("all", 0, total, 0)
    print(f"values of other configurations that were called verified: {total.elsewhere}")
    for kind, planted in sorted(total.planted.items()):
        print(f"  {kind:<18} {total.found_errors.get(kind, 0):>5} of {planted}")


def _print(name: str, tables: int, score: Score, seconds: float) -> None:
    errors, finds = sum(score.planted.values()), sum(score.found_errors.values())
    shown = (
        name,
        tables,
        errors,
        finds,
        f"{100 * score.share:.1f}%",
        score.right,
        score.false,
        f"{seconds:.1f}",
    )
    print("{:<20} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}".format(*shown), flush=True)


if __name__ == "__main__":
    main()
