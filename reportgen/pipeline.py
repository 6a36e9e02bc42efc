"""Build all reports of a folder: definitions, logs, reports, bytes. `publish` writes them or compares.

In: the root of a repository and its reports folder. Out: every file that should be there, as bytes, so
that `check` is `build` without writing, and nothing is written before everything has been made.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from reportgen.autolayout.overview import overview
from reportgen.core.errors import RequestError
from reportgen.core.model import Finding, Source
from reportgen.core.results import Report, Watched
from reportgen.core.rules import Rule
from reportgen.core.schema import read_text
from reportgen.protocol import MeasuredRuns
from reportgen.report.assemble import assemble
from reportgen.report.definition import Definition, inside, read_definition
from reportgen.report.log_reader import Progress, Reader
from reportgen.report.settings import EXPECTED, SETTINGS, Settings, read_settings
from reportgen.tables.expected import check_systems
from reportgen.tables.spec import SYSTEM

T = TypeVar("T")

# Steps of a progress bar in a part of a build, however many things it has.
_FINE = 100


@dataclass(frozen=True, slots=True)
class Request:
    """What to build.

    root     the repository; reports  its folder of definitions
    logs     instead of every definition's own, None to use those
    out      where generated files go instead of the reports folder; required for logs outside the root
    """

    root: Path
    reports: Path
    logs: Path | None = None
    out: Path | None = None

    @property
    def target(self) -> Path:
        """The folder that generated reports go to."""
        return self.out or self.reports

    @property
    def base(self) -> Path:
        """The folder that logs and their sources are relative to."""
        if self.logs is None or _is_inside(self.logs, self.root):
            return self.root
        return self.logs.resolve().parent

    @property
    def place(self) -> str:
        """The reports folder as messages call it: relative to the root."""
        return _relative(self.reports, self.root)


@dataclass(frozen=True, slots=True)
class Build:
    """files: path below the target -> content; injected: path below the root -> new content."""

    reports: tuple[Report, ...]
    files: Mapping[str, bytes]
    injected: Mapping[str, bytes] = field(default_factory=dict)
    problems: tuple[Finding, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything found, each once, over all reports and injections."""
        found = [finding for report in self.reports for finding in report.findings]
        return tuple(dict.fromkeys([*found, *self.problems]))


def build(request: Request, progress: Progress | None = None) -> Build:
    """Make every file of every report.

    progress  called with (what, done, total)
    raises    RequestError for anything wrong in definitions, settings, prose or marked files
    """
    from reportgen.publish import read_generated
    from reportgen.render import render_index, render_report

    _check(request)
    settings = read_settings(request.reports, request.place)
    reader = Reader(request.base, progress)
    definitions = _definitions(request, settings, reader)
    campaigns = [reader.read(one.logs, f"{one.place}: logs") for one in definitions]
    concerned = [logs for one, logs in zip(definitions, campaigns, strict=True) if _asks_for_systems(one)]
    check_systems(settings.knowledge, [run for logs in concerned for run in logs.all_runs()])
    measured = MeasuredRuns()
    reports = []
    files: dict[str, bytes] = {}
    watch = _Watch(progress, len(definitions))
    for definition, logs in zip(definitions, campaigns, strict=True):
        prose = _prose(request, definition)
        report = assemble(definition, logs, settings.knowledge, prose, watch.part(definition.name), measured)
        reports.append(report)
        existing = partial(read_generated, request.target / definition.name)
        for path, content in render_report(report, existing, watch.part(definition.name)).items():
            files[f"{definition.name}/{path}"] = content
    files.update(render_index(reports))
    injected, problems = _inject(request, settings, reports) if request.out is None else ({}, ())
    return Build(tuple(reports), files, injected, problems)


class _Watch:
    """Tells how far a build is: every report has two parts, its tables and its figures."""

    def __init__(self, progress: Progress | None, reports: int) -> None:
        self._progress, self._total, self._begun = progress, 2 * reports, 0

    def part(self, name: str) -> Watched:
        """Return what passes the things of the next part on, and tells of each before it is made."""
        begun, self._begun = self._begun, self._begun + 1

        def watched(things: Sequence[T]) -> Iterator[T]:
            for done, thing in enumerate(things):
                if self._progress:
                    at = begun * _FINE + done * _FINE // len(things)
                    self._progress(name, at, self._total * _FINE)
                yield thing

        return watched


def _check(request: Request) -> None:
    if not request.reports.is_dir():
        raise RequestError(request.place, "no such folder", "create it with `reportgen init`")
    if request.logs is None:
        return
    if not request.logs.exists():
        raise RequestError("--logs", f'no such file or folder: "{request.logs}"')
    if request.out is None and not _is_inside(request.logs, request.root):
        raise RequestError(
            "--logs",
            f'"{request.logs}" lies outside the repository',
            "add --out DIR: nothing of it is committed",
        )


def _definitions(request: Request, settings: Settings, reader: Reader) -> list[Definition]:
    """Return the definitions in a reports folder by name; overviews of the logs if there are none."""
    paths = sorted(path for path in request.reports.glob("*.toml") if path.name not in (SETTINGS, EXPECTED))
    definitions = [
        read_definition(path, f"{request.place}/{path.name}", path.stem, settings.protocols) for path in paths
    ]
    if not definitions:
        return _overviews(request, reader)
    logs = (_relative(request.logs, request.base),) if request.logs else ()
    return [replace(one, logs=logs) for one in definitions] if request.logs else definitions


def _overviews(request: Request, reader: Reader) -> list[Definition]:
    """Return an overview of the logs, or one of each campaign: what they measured is not to be mixed."""
    place = f"{request.place} (overview): logs"
    log = _relative(request.logs, request.base) if request.logs else "logs"
    every = reader.read((log,), place)
    runs = every.all_runs()
    campaigns = {_campaign(run.source.path, log) for run in runs}
    # One of which nothing could be read has a page that says so.
    found = {_campaign(one.source.path, log) for one in every.findings if one.source}
    campaigns |= found - {""}
    if len(campaigns) < 2 or "" in campaigns:
        return [overview(runs, request.place, log)]
    return [
        overview(reader.read((f"{log}/{name}",), place).all_runs(), request.place, f"{log}/{name}", name)
        for name in sorted(campaigns)
    ]


def _campaign(path: str, log: str) -> str:
    """Return the folder in `log` that a path lies in, "" for none."""
    first, slash, _ = path.removeprefix(f"{log}/").partition("/")
    return first if slash else ""


def _asks_for_systems(definition: Definition) -> bool:
    return any(
        SYSTEM in table.named or (table.compare and table.compare.kind == "expected")
        for table in definition.tables
    )


def _relative(path: Path, root: Path) -> str:
    """Return the path relative to the root; one outside the root by its name alone, for messages."""
    return path.resolve().relative_to(root.resolve()).as_posix() if _is_inside(path, root) else path.name


def _is_inside(path: Path, root: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _prose(request: Request, definition: Definition) -> str:
    if not definition.body:
        return ""
    place = f"{definition.place}: body"
    return read_text(inside(request.root, definition.body, place), place, what=definition.body)


def _inject(
    request: Request, settings: Settings, reports: Sequence[Report]
) -> tuple[dict[str, bytes], tuple[Finding, ...]]:
    """Return the new content of the files with marked tables, and what stands in the way."""
    from reportgen.inject import inject, is_marked
    from reportgen.render import render_table_markdown

    tables: dict[str, str] = {}
    injected: dict[str, bytes] = {}
    problems: list[Finding] = []
    for file in settings.inject:
        path = inside(request.root, file, f"{request.place}/{SETTINGS}: inject.files")
        if not path.exists() and file in Settings().inject:
            continue  # a repository need not have a README
        text = read_text(path, f"{request.place}/{SETTINGS}: inject.files", what=file)
        if not is_marked(text):
            continue
        if not tables:
            tables = {f"{r.name}/{t.id}": render_table_markdown(t) for r in reports for t in r.tables}
        result = inject(text, tables, place=file)
        problems += [
            Finding("warning", Rule.PUBLISH_EDITED, file, e.message, Source(file, e.line))
            for e in result.edited
        ]
        injected[file] = result.text.encode("utf-8")
    return injected, tuple(problems)
