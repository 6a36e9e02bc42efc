"""A repository whose commits hold report.json files of one table, written without a build."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from reportgen.diff.snapshot import (
    StoredCase,
    StoredCell,
    StoredComparison,
    StoredFinding,
    StoredRepeat,
    StoredReport,
    StoredSummary,
    StoredTable,
)
from tests.git_repository import ScratchRepository


@dataclass
class Measured:
    """A case: the values of its runs in s, and what they were measured with. Runs are named by folder."""

    name: str
    values: Sequence[float]
    folder: str = "r"
    driver: str = "550"
    protocol: str = "20+100x7"
    rules: Sequence[str] = ()
    compared_with: str = ""
    has_start: bool = True
    files: list[str] = field(default_factory=list)

    @property
    def median(self) -> float:
        return sorted(self.values)[len(self.values) // 2]

    def stored(self, day: int) -> StoredCase:
        """Return the case as report.json has it; its runs started on that day."""
        findings = tuple(StoredFinding("warning", rule, message="m") for rule in self.rules)
        self.files = [f"logs/{self.name}/{self.folder}{n}.csv" for n in range(1, len(self.values) + 1)]
        repeats = tuple(
            StoredRepeat(
                f"{self.name}/{self.folder}{n}",
                value=value,
                started=86400.0 * day if self.has_start else None,
                source=f"{file}:1",
                findings=findings,
            )
            for n, (value, file) in enumerate(zip(self.values, self.files, strict=True), 1)
        )
        return StoredCase(
            self.name,
            {"model": self.name},
            "step_time",
            "step",
            "s",
            self.protocol,
            {"driver": self.driver},
            StoredSummary(self.median, len(repeats)),
            repeats,
        )


def report_json(*cases: Measured, digest: str) -> bytes:
    """Return a report.json with a row per case, and a ratio where a case is compared with another.

    digest  part of that of each file. It begins with the day of the runs: other than in the last commit, the runs
            were measured anew; if only the rest is, as in "1 edited", their logs were edited
    """
    stored = {case.name: case.stored(int(digest.partition(" ")[0])) for case in cases}
    by_name = {case.name: case for case in cases}
    cells = []
    for case in cases:
        row: dict[str, str | int | float | bool] = {"model": case.name}
        cells.append(StoredCell(row, {}, "value", "number", case.median, "s", case=case.name))
        if case.compared_with:
            ratio = case.median / by_name[case.compared_with].median
            comparison = StoredComparison("ratio", case.compared_with, ratio)
            cells.append(
                StoredCell(row, {}, "ratio", "number", ratio, "ratio", case=case.name, comparison=comparison)
            )
    sources = {file: f"{digest} {case.name} {n}" for case in cases for n, file in enumerate(case.files, 1)}
    table = StoredTable("times", "Times", cells=tuple(cells))
    report = StoredReport(2, "study", tables=(table,), cases=tuple(stored.values()), sources=sources)
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"


def spread(value: float, generator: random.Random, noise: float, repeats: int = 7) -> list[float]:
    """Return repeats around a value, with a noise of this share that all repeats of a day have in common."""
    common = value * (1 + generator.gauss(0, noise))
    return [round(common * (1 + 0.001 * (n - repeats // 2)), 9) for n in range(repeats)]


class StoredStudy:
    """A repository with reports/study/report.json."""

    def __init__(self, root: Path) -> None:
        self.git = ScratchRepository(root)
        self.root = root

    def commit(self, *cases: Measured, digest: str, message: str = "change") -> str:
        """Commit a report.json and return the first letters of the hash."""
        content = report_json(*cases, digest=digest)
        return self.git.commit({"reports/study/report.json": content}, message)[:8]
