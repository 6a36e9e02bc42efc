"""The files of whole reports, as a reader sees them."""

import re
from collections.abc import Callable, Mapping

from reportgen.render import render_index, render_report
from reportgen.render.page import library
from reportgen.render.registry import is_generated
from tests.render import example
from tests.render.test_hostile import hostile_report

Golden = Callable[[str, Mapping[str, bytes]], None]


def _without_style_and_script(page: bytes) -> bytes:
    """Return the page without style and script, which have files of their own, and without digests."""
    page = re.sub(rb"sha256-[A-Za-z0-9+/=]+", b"sha256-...", page)
    return re.sub(rb"<(script|style)>.*?</\1>", rb"<\1>...</\1>", page, flags=re.DOTALL)


def _files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files that are ours to accept: the library that draws charts is that of another project."""
    return {
        p: _without_style_and_script(c) if p == "index.html" else c
        for p, c in files.items()
        if not p.endswith((".svg", library.OUTPUT.path))
    }


def test_the_files_of_a_report_are_as_accepted(golden: Golden) -> None:
    files = render_report(example.report())
    # Figures and the page that holds them inline depend on matplotlib's version; see test_figures.
    golden(
        "report",
        {path: content for path, content in files.items() if not path.endswith((".svg", "index.html"))},
    )


def test_the_page_is_as_accepted(golden: Golden) -> None:
    prose = example.PROSE.replace('{{ figure("speedup") }}', '{{ table("phases/DARNN") }}')
    files = render_report(example.report(figures=(), prose=prose))
    golden("page", {path: _files(files)[path] for path in ("index.html", "README.md")})


def test_a_hostile_report_is_as_accepted(golden: Golden) -> None:
    files = render_report(hostile_report())
    golden("hostile", _files(files))


def test_an_empty_report_is_as_accepted(golden: Golden) -> None:
    empty = example.report(
        tables=(),
        figures=(),
        expected=(),
        environments=(),
        findings=(),
        provenance=(),
        prose="",
        headline="",
        verdict=("Nothing was found.",),
        run_counts=(),
    )
    golden("empty", _files(render_report(empty)))


def test_the_index_lists_reports_by_name(golden: Golden) -> None:
    reports = [example.report(name=name, title=title) for name, title in (("b", "B | pipes"), ("a", "A"))]
    golden("index", _files(render_index(reports)))


def test_every_generated_file_carries_the_mark_of_its_kind() -> None:
    for report in (example.report(), hostile_report()):
        files = {**render_report(report), **render_index([report])}
        assert [path for path, content in files.items() if not is_generated(path, content)] == []
        assert not any(is_generated(path, b"# Mine\n") for path in files)
