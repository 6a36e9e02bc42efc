"""Give each definition its runs; every log is parsed once a build.

Entries of `logs` may overlap, within a definition and between definitions, and a log may be copied from one
entry into another. So all entries are announced first (`expect`) and parsed together; each definition then
gets its part, with the copies within this part marked.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from reportgen.cache.remote import address_of
from reportgen.core.errors import RequestError
from reportgen.core.model import Finding, Run
from reportgen.core.rules import Rule
from reportgen.core.stored_texts import texts_by_name
from reportgen.load import LoadResult, ParsedLogs, parse_logs
from reportgen.load.scan import holds
from reportgen.load.unread import unread_logs
from reportgen.load.unrecognised import UnrecognisedFile
from reportgen.load.worker import RUNS
from reportgen.report.definition import inside
from reportgen.sources.filesystem import relative_place, resolve_existing

Progress = Callable[[str, int, int], None]

# Digests of more files are in a file: each takes 220 bytes, with its path.
_MOST_DIGESTS = 20_000


@dataclass(frozen=True, slots=True)
class Campaigns:
    """The logs of a report: each entry with its runs, and the findings about files.

    runs    in order of the definition; a run below several entries belongs to the first of them
    sha256  of every file that was read, by its path relative to the root; in order
    """

    runs: Mapping[str, tuple[Run, ...]]
    findings: tuple[Finding, ...]
    unrecognised: tuple[UnrecognisedFile, ...] = ()
    sha256: Mapping[str, str] = field(default_factory=dict)

    def all_runs(self) -> list[Run]:
        """Return the runs of all entries."""
        return [run for runs in self.runs.values() for run in runs]

    def labelled(self, label: Callable[[Iterable[Run]], tuple[Run, ...]]) -> "Campaigns":
        """Return the same with other factors of the runs."""
        return replace(self, runs={entry: label(runs) for entry, runs in self.runs.items()})


@dataclass(slots=True)
class LogReader:
    """Reads logs below a folder `root`: first `expect` every entry, then `read` them.

    executor  parses the logs instead of a pool of processes
    """

    root: Path
    progress: Progress | None = None
    executor: Executor | None = None
    _expected: dict[str, Path] = field(default_factory=dict)
    _parsed: ParsedLogs[Run] | None = None
    _results: dict[tuple[str, ...], LoadResult[Run]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.root = self.root.resolve()

    def expect(self, log: str, place: str) -> None:
        """Announce a file or folder, relative to the root, or an address. RequestError if it does not exist.

        place  of the key that names it
        """
        if address_of(log):
            show = partial(self.progress, f"copying {log}") if self.progress else None
            self._expected[log] = resolve_existing(Path(log), show)
            return
        path = inside(self.root, log, place)
        if not path.exists():
            raise RequestError(place, f'no such file or folder: "{log}"', "name a path below the root")
        self._expected[log] = path.resolve()

    def load(self, logs: Sequence[str]) -> LoadResult[Run]:
        """Return what entries, or paths below them, contain; every combination is selected once."""
        names = tuple(logs)
        if names not in self._results:
            self._results[names] = self._parse().select([self._path(name) for name in names])
        return self._results[names]

    def read(self, logs: Sequence[str]) -> Campaigns:
        """Return the same by entry."""
        result = self.load(logs)
        places = {name: self._place(name) for name in logs}
        runs: dict[str, list[Run]] = {name: [] for name in logs}
        for run in result.runs:
            runs[next(name for name, place in places.items() if holds(place, run.source.path))].append(run)
        by_entry = {name: tuple(members) for name, members in runs.items()}
        digests = texts_by_name(self._parse().sha256_of(frozenset(result.recognised)), _MOST_DIGESTS)
        return Campaigns(by_entry, result.findings, result.unrecognised, digests)

    def campaigns(self, log: str) -> list[str]:
        """Return the folders directly in an entry that hold runs, or could not be read at all.

        The entry itself is one of them if runs are directly in it.
        """
        result, place = self.load([log]), self._place(log)
        folders = {self._campaign(run.source.path, place) for run in result.runs}
        broken = {
            self._campaign(finding.source.path, place)
            for finding in result.findings
            # A damaged file is one only beside the logs of other folders.
            if finding.source and finding.rule != Rule.READ_DAMAGED_FILE
        } - {place}
        return [
            log if folder == place else f"{log}{folder[len(place) :]}" for folder in sorted(folders | broken)
        ]

    def loaded(self) -> LoadResult[Run]:
        """Return everything that was announced, as one."""
        return self.load(tuple(self._expected))

    def unread(self, folder: str) -> list[str]:
        """Return what is in a folder, relative to the root, and was not announced."""
        # A link and what it leads to are the same logs.
        places = {place for name in self._expected for place in (name, self._place(name))}
        return list(unread_logs(self.root, folder, places))

    def _place(self, name: str) -> str:
        return relative_place(self._path(name), self.root)

    def _campaign(self, path: str, place: str) -> str:
        first, slash, _ = path.removeprefix(f"{place}/").partition("/")
        folder = f"{place}/{first}"
        return folder if holds(place, path) and (slash or (self.root / folder).is_dir()) else place

    def _path(self, name: str) -> Path:
        return self._expected.get(name) or (self.root / name).resolve()

    def _parse(self) -> ParsedLogs[Run]:
        if self._parsed is None:
            what = f"reading {', '.join(self._expected)}"

            def report(done: int, total: int) -> None:
                if self.progress:
                    self.progress(what, done, total)

            paths = list(self._expected.values())
            self._parsed = parse_logs(paths, RUNS, root=self.root, progress=report, executor=self.executor)
        return self._parsed
