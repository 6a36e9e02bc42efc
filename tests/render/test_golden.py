"""The files of whole reports, as a reader sees them."""

from collections.abc import Callable, Mapping

from reportgen.render import render_index
from reportgen.render.registry import is_generated
from tests.render import example
from tests.render.example import render_report
from tests.render.test_hostile import hostile_report

Golden = Callable[[str, Mapping[str, bytes]], None]


def _files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files to accept: no figures, and not what pages load, which has sources of its own."""
    return {path: content for path, content in files.items() if not path.endswith((".svg", ".js", ".css"))}


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
    golden("index", _files(render_index([example.document_of(each) for each in reports])))


def test_every_generated_file_carries_the_mark_of_its_kind() -> None:
    for report in (example.report(), hostile_report()):
        files = {**render_report(report), **render_index([example.document_of(report)])}
        assert [path for path, content in files.items() if not is_generated(path, content)] == []
        assert not any(is_generated(path, b"# Mine\n") for path in files)
