"""The files of whole reports, as a reader sees them."""

from collections.abc import Callable, Mapping

from reportgen.render import render_index, render_report
from reportgen.render.outputs.registry import is_generated
from tests.render import example
from tests.render.test_hostile import hostile_report

Golden = Callable[[str, Mapping[str, bytes]], None]


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
    golden("page", {"index.html": files["index.html"], "README.md": files["README.md"]})


def test_a_hostile_report_is_as_accepted(golden: Golden) -> None:
    files = render_report(hostile_report())
    golden("hostile", {path: content for path, content in files.items() if not path.endswith(".svg")})


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
    golden("empty", render_report(empty))


def test_the_index_lists_reports_by_name(golden: Golden) -> None:
    reports = [example.report(name=name, title=title) for name, title in (("b", "B | pipes"), ("a", "A"))]
    golden("index", render_index(reports))


def test_every_generated_file_carries_the_mark_of_its_kind() -> None:
    for report in (example.report(), hostile_report()):
        files = {**render_report(report), **render_index([report])}
        assert [path for path, content in files.items() if not is_generated(path, content)] == []
        assert not any(is_generated(path, b"# Mine\n") for path in files)
