"""Read the logs that a definition names: all of them at once, so that nothing counts twice.

Entries of `logs` may overlap, and a log may be copied from one into another. Only who reads them
together sees that. Definitions that name the same entries share one reading.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reportgen.core.errors import RequestError
from reportgen.core.model import Finding, Run
from reportgen.load.scan import load
from reportgen.report.definition import inside

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Campaigns:
    """The logs of a report as loaded: each folder with its runs, and the findings that belong to no run.

    runs  in order of the definition; what several folders hold belongs to the first of them
    """

    runs: Mapping[str, tuple[Run, ...]]
    findings: tuple[Finding, ...]

    def all_runs(self) -> list[Run]:
        """Return the runs of all folders."""
        return [run for runs in self.runs.values() for run in runs]


class Reader:
    """Reads logs below one folder, the same ones once however many definitions name them."""

    def __init__(self, root: Path, progress: Progress | None = None) -> None:
        self._root = root.resolve()
        self._progress = progress
        self._known: dict[tuple[str, ...], Campaigns] = {}

    def read(self, logs: Sequence[str], place: str) -> Campaigns:
        """Return what lies below the logs. Raises RequestError for one that is not there.

        logs  relative to the root; place  of the list that names them
        """
        names = tuple(logs)
        if names not in self._known:
            paths = [self._path(name, f"{place}[{position}]") for position, name in enumerate(names)]
            self._known[names] = self._read(names, paths)
        return self._known[names]

    def _path(self, name: str, place: str) -> Path:
        path = inside(self._root, name, place)
        if not path.exists():
            raise RequestError(place, f'no such file or folder: "{name}"', "name a path below the root")
        return path.resolve()

    def _read(self, names: Sequence[str], paths: Sequence[Path]) -> Campaigns:
        def told(done: int, total: int) -> None:
            if self._progress:
                self._progress(f"reading {', '.join(names)}", done, total)

        loaded = load(paths, root=self._root, progress=told)
        folders = [path.relative_to(self._root).as_posix() for path in paths]
        runs: dict[str, list[Run]] = {name: [] for name in names}
        for run in loaded.runs:
            first = next(i for i, folder in enumerate(folders) if _holds(folder, run.source.path))
            runs[names[first]].append(run)
        return Campaigns({name: tuple(found) for name, found in runs.items()}, loaded.findings)


def _holds(folder: str, path: str) -> bool:
    return folder in (".", path) or path.startswith(f"{folder}/")
