"""Find what a build changes in an earlier one: numbers on its pages, and published figures.

Published figures are data of others: a file of them is never edited, a wrong figure gets a correction in
source.toml. So a figure that differs from the one behind the last build is worth a look before it counts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from reportgen.core.errors import RequestError
from reportgen.core.model import STEP
from reportgen.diff.cells import CellChange, changed_cells, heading_text, same_value
from reportgen.document.encode import decode
from reportgen.document.model import Case, Document, Measurement

_PUBLISHED = "published"


class FigureChange(msgspec.Struct, frozen=True):
    """A published figure, in base units, that is another one than in the last build."""

    report: str
    source: str
    case: str
    metric: str
    unit: str
    old: float
    new: float


@dataclass(frozen=True, slots=True)
class RebuiltReport:
    """The differences between two builds of a report.

    cells    that show another number or text; figures  published ones that changed
    """

    cells: tuple[CellChange, ...] = ()
    figures: tuple[FigureChange, ...] = ()


NOTHING_REBUILT = RebuiltReport()


def compare_builds(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> RebuiltReport:
    """Return what differs between the report.json files of two builds, by path.

    A report that is new, removed, or was built by an incompatible version is not compared.
    """
    pairs = []
    for path in sorted(old.keys() & new.keys()):
        before = _readable(old[path], path) if old[path] != new[path] else None
        if before:
            pairs.append((before, decode(new[path], path)))
    cells = tuple(change for before, after in pairs for change in changed_cells(before, after))
    figures = dict.fromkeys(change for before, after in pairs for change in changed_figures(before, after))
    return RebuiltReport(cells, tuple(figures))


def _readable(content: bytes, path: str) -> Document | None:
    try:
        return decode(content, path)
    except RequestError:
        return None


def changed_figures(old: Document, new: Document) -> Iterator[FigureChange]:
    """Yield the published figures of equal cases that changed. Repeats are paired by run."""
    before = old.case_by_name
    for case in new.cases:
        if case.name in before:
            for earlier, repeat in _pairs(before[case.name], case):
                if not same_value(earlier.value, repeat.value):
                    yield FigureChange(
                        report=new.name,
                        source=repeat.run.source,
                        case=heading_text(case.factors),
                        metric=case.metric if case.phase == STEP else f"{case.metric} ({case.phase})",
                        unit=case.unit,
                        old=earlier.value,
                        new=repeat.value,
                    )


def _pairs(old: Case, new: Case) -> Iterator[tuple[Measurement, Measurement]]:
    before, after = _published(old), _published(new)
    if len(before) == len(after) == 1:
        # The name of a run contains its line, which changes with every line above it.
        yield next(iter(before.values())), next(iter(after.values()))
        return
    yield from ((before[run], after[run]) for run in after if run in before)


def _published(case: Case) -> dict[str, Measurement]:
    return {repeat.run.id: repeat for repeat in case.measurements if repeat.run.format == _PUBLISHED}
