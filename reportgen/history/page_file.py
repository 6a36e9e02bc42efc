"""Make history.js, the file beside a page with the history of its numbers: what `reportgen history` prints.

In: what the commits made of each report.json, read once for all reports. Out: a script that assigns data,
with a line for each case. It has the cells whose number changed within the last `MAX_VERSIONS` commits.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from reportgen.core.change_points import ChangePointRule
from reportgen.core.errors import RequestError
from reportgen.core.units import machine
from reportgen.document.file_names import REPORT_JSON, stems
from reportgen.history.cells import report_histories
from reportgen.history.commits import ReportStates
from reportgen.history.document import point_rows, quantity_title, shown_values
from reportgen.history.points import CellHistory, with_all_changes
from reportgen.render.outputs import NO_HISTORY
from reportgen.render.page.page_json import encoded
from reportgen.sources.git import FileVersion, GitRepository, find_repository

# More commits of a report.json are not read: a build must stay fast.
MAX_VERSIONS = 50

_RULE = ChangePointRule()


class ReportVersions:
    """The versions of the report.json of each report in a folder, by the commits of their repository."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._repository = find_repository(folder)
        self._paths: Mapping[str, str] = {}
        self._versions: Mapping[str, Sequence[FileVersion]] = {}
        if self._repository:
            below = self._repository.path_of(folder)
            self._paths = {name: f"{below}/{name}/{REPORT_JSON}".lstrip("/") for name in names}
            self._versions = self._repository.file_versions(list(self._paths.values()))

    def of(self, name: str) -> Sequence[FileVersion]:
        """Return the last versions of a report.json, the newest first."""
        return self._versions.get(self._paths.get(name, ""), ())[:MAX_VERSIONS]

    def history_js(self, name: str, report_json: bytes) -> bytes:
        """Return the file beside the page of a report. report_json: as it is built now."""
        if self._repository is None or not self.of(name):
            return NO_HISTORY
        return _history_js(self._repository, self._paths[name], self.of(name), report_json)


def _history_js(
    repository: GitRepository, path: str, versions: Sequence[FileVersion], report_json: bytes
) -> bytes:
    try:
        histories = report_histories(ReportStates(repository, path, versions, report_json))
    except RequestError:  # a clone may lack the content of old commits
        return NO_HISTORY
    told = with_all_changes([each for each in histories if each.case and _is_told(each)], _RULE)
    if not told:
        return NO_HISTORY
    tables = stems(dict.fromkeys(history.table for history in told))
    cases: dict[str, list[object]] = {}
    values = set[str]()
    for history in told:
        # Several tables show one value, but each has ratios of its own.
        if history.quantity != "value" or history.case not in values:
            cases.setdefault(history.case, []).append(_entry(history, tables[history.table]))
        if history.quantity == "value":
            values.add(history.case)
    lines = ",\n".join(f"{encoded(name)}:{encoded(entries)}" for name, entries in cases.items())
    return NO_HISTORY.partition(b"{")[0] + f"{{\n{lines}\n}};\n".encode()


def _is_told(history: CellHistory) -> bool:
    """Return whether the number ever changed."""
    return len({point.value for point in history.points}) > 1


def _entry(history: CellHistory, table: str) -> list[object]:
    """Return what a page shows of a cell: docs/developers/rendering.md describes the parts."""
    values = [[float(machine(each)) for each in shown_values(history, point)] for point in history.points]
    changes = [
        [change.point.kind, change.point.first, change.point.last, change.text, change.cause]
        for change in history.changes
    ]
    return [
        history.quantity,
        quantity_title(history),
        table,
        values,
        point_rows(history),
        changes,
        history.note,
    ]
