"""A repository whose commits hold report.json files of one table, written without a build."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reportgen.core.units import Unit
from reportgen.document.encode import encode
from reportgen.document.model import (
    VERSION,
    Case,
    Cell,
    Comparison,
    Document,
    Finding,
    Header,
    Measurement,
    Run,
    Summary,
    Table,
)
from tests.git_repository import ScratchRepository

SECONDS = Unit("s", "s", 1.0)
RATIO = Unit("ratio", "ratio", 1.0)


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

    def stored(self, day: int) -> Case:
        """Return the case as report.json has it; its runs started on that day."""
        findings = tuple(Finding("warning", rule, message="m") for rule in self.rules)
        self.files = [f"logs/{self.name}/{self.folder}{n}.csv" for n in range(1, len(self.values) + 1)]
        repeats = tuple(
            Measurement(
                Run(
                    f"{self.name}/{self.folder}{n}",
                    started=86400.0 * day if self.has_start else None,
                    source=f"{file}:1",
                ),
                value,
                "steps",
                findings=findings,
            )
            for n, (value, file) in enumerate(zip(self.values, self.files, strict=True), 1)
        )
        return Case(
            self.name,
            {"model": self.name},
            "step_time",
            "step",
            "s",
            self.protocol,
            conditions={"driver": self.driver},
            summary=Summary(self.median, len(repeats)),
            measurements=repeats,
        )


def report_json(*cases: Measured, digest: str) -> bytes:
    """Return a report.json with a row per case, and a ratio where a case is compared with another.

    digest  part of that of each file. It begins with the day of the runs: other than in the last commit, the runs
            were measured anew; if only the rest is, as in "1 edited", their logs were edited
    """
    stored = {case.name: case.stored(int(digest.partition(" ")[0])) for case in cases}
    by_name = {case.name: case for case in cases}
    columns = (
        (Header(), Header(quantity="ratio")) if any(case.compared_with for case in cases) else (Header(),)
    )
    table = Table(
        "times",
        "Times",
        row_factors=("model",),
        rows=tuple(Header((case.name,)) for case in cases),
        columns=columns,
        cells=tuple((_value(case), _ratio(case, by_name))[: len(columns)] for case in cases),
        comparisons={case.name: case.name for case in cases if case.compared_with},
    )
    comparisons = {
        case.name: Comparison("ratio", case.compared_with, _quotient(case, by_name))
        for case in cases
        if case.compared_with
    }
    sources = {file: f"{digest} {case.name} {n}" for case in cases for n, file in enumerate(case.files, 1)}
    return encode(
        Document(
            version=VERSION,
            name="study",
            tables=(table,),
            cases=tuple(stored.values()),
            comparisons=comparisons,
            sources=sources,
        )
    )


def _value(case: Measured) -> Cell:
    return Cell("number", case.median, SECONDS, case=case.name)


def _ratio(case: Measured, by_name: Mapping[str, Measured]) -> Cell:
    if not case.compared_with:
        return Cell("absent")
    return Cell("number", _quotient(case, by_name), RATIO, case=case.name)


def _quotient(case: Measured, by_name: Mapping[str, Measured]) -> float:
    return case.median / by_name[case.compared_with].median


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
