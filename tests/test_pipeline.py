"""The whole pipeline: from the files of a small repository to the files of its reports."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen import publish
from reportgen.core import column_file, stored_files, stored_texts, stored_values
from reportgen.core.errors import RequestError
from reportgen.pipeline import Request, build
from reportgen.render.page import library
from reportgen.report import document, log_reader
from tests.repository import CSV, DEFINITION, write_charts_library


def made(root: Path, **keys: Path):
    return build(Request(root, root / "reports", **keys))


def write(root: Path) -> list[publish.Change]:
    result = made(root)
    changes = publish.apply(result.files, root / "reports", owned=publish.owned_files(root / "reports"))
    return changes + publish.apply(result.injected, root, owned=result.injected)


def test_a_report_has_its_pages_tables_and_figures_and_an_index(repository):
    assert sorted(made(repository).files) == [
        "README.md",
        "assets/page.css",
        "assets/page.js",
        "assets/vega.js",
        "frameworks/README.md",
        "frameworks/figures/rates.svg",
        "frameworks/history.js",
        "frameworks/index.html",
        "frameworks/report.json",
        "frameworks/tables/rates.csv",
        "index.html",
    ]


def test_files_that_are_not_committed_are_left_out_on_request(repository):
    committed = build(Request(repository, repository / "reports"), committed_only=True)
    assert set(made(repository).files) - set(committed.files) == {
        "assets/vega.js",
        "frameworks/history.js",
        "frameworks/tables/rates.csv",
    }


def test_the_library_is_read_from_its_package_only_if_this_version_is_not_there(repository, monkeypatch):
    write(repository)
    monkeypatch.setattr(library, "_bundle", lambda: b"from the package")
    written = repository / "reports/assets/vega.js"
    assert made(repository).files["assets/vega.js"] == written.read_bytes()
    written.write_bytes(written.read_bytes().replace(b"vl-convert-python ", b"vl-convert-python 0.", 1))
    assert made(repository).files["assets/vega.js"].endswith(b"from the package")


def test_standalone_pages_have_the_library_inside_and_go_elsewhere(repository, tmp_path):
    request = Request(repository, repository / "reports", out=tmp_path / "mail", standalone=True)
    files = build(request).files
    assert [path for path in files if path.startswith("assets/")] == ["assets/page.css"]  # of the index
    assert b"strict-dynamic" not in files["frameworks/index.html"]
    assert len(files["frameworks/index.html"]) > 800_000
    for out in (None, repository / "reports/../reports"):
        with pytest.raises(RequestError, match=r"--standalone: .* --out"):
            made(repository, out=out, standalone=True)


def test_prose_takes_its_numbers_from_the_tables(repository):
    assert "A reaches 7.6" in made(repository).files["frameworks/README.md"].decode()


def test_a_figure_follows_its_table_on_the_page(repository):
    definition = repository / "reports/frameworks.toml"
    text = definition.read_text()
    table = text[text.index("[[tables]]") : text.index("[[figures]]")]
    figure = text[text.index("[[figures]]") :]
    more = (table + figure).replace('"rates"', '"more"').replace('title = "Rates"', 'title = "More"')
    definition.write_text(text + table.replace('"rates"', '"plain"').replace('"Rates"', '"Plain"') + more)

    def order(page: str) -> list[str]:
        marks = ("## Rates", "rates.svg", "## Plain", "## More", "more.svg", "## Figures")
        return sorted((mark for mark in marks if mark in page), key=page.index)

    files = made(repository).files
    page = files["frameworks/README.md"].decode()
    assert order(page) == ["## Rates", "rates.svg", "## Plain", "## More", "more.svg"]
    html = files["frameworks/index.html"].decode()
    # The first figure is on the first screen; a link to it is in its place.
    first, link = 'id="figure-rates', 'href="#figure-rates'
    heads = (first, "<h2>Rates", link, "<h2>Plain", "<h2>More", 'id="figure-more')
    assert sorted(heads, key=html.index) == list(heads)
    (repository / "reports/frameworks.md").write_text('{{ table("rates") }}\n')
    page = made(repository).files["frameworks/README.md"].decode()
    assert order(page) == ["## Plain", "## More", "more.svg", "## Figures", "rates.svg"]


def test_marked_tables_are_injected_and_the_rest_is_left_alone(repository):
    text = made(repository).injected["README.md"].decode()
    assert text.startswith("# X\n\n<!-- reportgen:begin frameworks/rates -->\n")
    assert text.endswith("\n\nmore\n")
    assert "|" in text


def test_the_second_build_changes_nothing(repository):
    assert write(repository)
    assert write(repository) == []


def test_files_of_a_deleted_definition_are_removed_and_others_kept(repository):
    write(repository)
    (repository / "reports/frameworks/notes.txt").write_text("mine")
    (repository / "README.md").write_text("# X\n")
    for name in ("toml", "md"):
        (repository / f"reports/frameworks.{name}").rename(repository / f"reports/renamed.{name}")
    definition = repository / "reports/renamed.toml"
    definition.write_text(definition.read_text().replace("frameworks.md", "renamed.md"))
    write(repository)
    assert [p.name for p in (repository / "reports/frameworks").iterdir()] == ["notes.txt"]
    assert (repository / "reports/renamed/README.md").exists()


def test_progress_advances_with_every_table_and_figure(repository):
    told = []
    build(Request(repository, repository / "reports"), lambda what, *at: told.append((what, *at)))
    building = [at for what, *at in told if what == "frameworks"]
    assert building == [[0, 200], [100, 200]]
    definition = repository / "reports/frameworks.toml"
    (repository / "reports/more.toml").write_text(definition.read_text())
    text = definition.read_text()
    table = text[text.index("[[tables]]") : text.index("[[figures]]")]
    definition.write_text(text + table.replace('id = "rates"', 'id = "rates2"'))
    told.clear()
    build(Request(repository, repository / "reports"), lambda what, *at: told.append((what, *at)))
    assert [at for what, *at in told if what == "frameworks"] == [[0, 400], [50, 400], [100, 400]]
    assert [at for what, *at in told if what == "more"] == [[200, 400], [300, 400]]


def test_without_definitions_there_is_an_overview_of_everything(repository):
    for path in (repository / "reports").glob("*"):
        path.unlink()
    (repository / "README.md").unlink()
    result = made(repository)
    assert "760" in result.files["rates/README.md"].decode()


def test_logs_outside_the_repository_need_an_output_folder(repository, tmp_path):
    other = tmp_path / "elsewhere"
    shutil.copytree(repository / "logs/rates", other / "rates")
    with pytest.raises(RequestError, match="is outside the repository; add --out DIR"):
        made(repository, logs=other)
    result = made(repository, logs=other, out=tmp_path / "out")
    assert result.injected == {}
    assert "7.6" in result.files["frameworks/README.md"].decode()
    assert str(tmp_path) not in "".join(content.decode() for content in result.files.values())


def test_logs_inside_the_repository_are_named_as_in_definitions(repository):
    (repository / "logs/labels.toml").write_text('[constants]\ncluster = "JADE2"\n')
    write(repository)
    assert made(repository, logs=repository / "logs/rates").files == made(repository).files
    (case, *_) = made(repository, logs=repository / "logs/rates").reports[0].cases
    assert (case.factors["cluster"], case.measurements[0].files) == ("JADE2", ("logs/rates/rates.csv",))


def test_the_overview_covers_the_named_logs(repository, tmp_path):
    for path in (repository / "reports").glob("*"):
        path.unlink()
    shutil.copytree(repository / "logs/rates", tmp_path / "elsewhere/rates")
    shutil.copytree(repository / "logs/rates", repository / "logs/again")
    for logs, place in (("logs/rates", "logs/rates"), ("../elsewhere", "elsewhere/rates")):
        (report,) = made(repository, logs=repository / logs, out=tmp_path / "out").reports
        (folder,) = {entry.path for entry in report.provenance}
        assert (folder, report.runs.statuses) == (place, {"complete": 4})


def test_each_campaign_has_its_own_overview(repository):
    for path in (repository / "reports").glob("*"):
        path.unlink()
    (repository / "README.md").unlink()
    shutil.copytree(repository / "logs/rates", repository / "logs/more")
    (repository / "logs/more/rates.csv").write_text(
        (repository / "logs/more/rates.csv").read_text().replace("760", "770")
    )
    result = made(repository)
    assert [(one.name, one.runs.statuses["complete"]) for one in result.reports] == [
        ("more", 4),
        ("rates", 4),
    ]
    assert "770" in result.files["more/README.md"].decode()
    (repository / "logs/packed").mkdir()
    (repository / "logs/packed/x.log.gz").write_bytes(b"\x1f\x8b\x08")
    assert "read.packed-file" in made(repository).files["packed/README.md"].decode()
    (repository / "logs/direct.log").write_text("BenchmarkTools.Trial: 1 sample with 1 evaluation\n")
    assert [(one.name, sum(one.runs.statuses.values())) for one in made(repository).reports] == [
        ("benchmarktools", 1),
        ("published", 8),
    ]


@pytest.mark.parametrize("logs", ["logs/none", "../none"])
def test_missing_logs_are_an_error_of_the_option(repository, tmp_path, logs):
    with pytest.raises(RequestError, match=r'^--logs: no such file or folder: ".*none"; check the path$'):
        made(repository, logs=repository / logs, out=tmp_path / "out")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            "reports/frameworks.toml",
            '"devices"]',
            '"device"]',
            'reports/frameworks.toml:5: tables.rates.rows[0]: no factor "device"',
        ),
        (
            "reports/frameworks.toml",
            "logs/rates",
            "logs/rate",
            "reports/frameworks.toml: logs[0]: no such file or folder",
        ),
        (
            "reports/frameworks.toml",
            "frameworks.md",
            "framework.md",
            'reports/frameworks.toml: body: "reports/framework.md"',
        ),
        ("reports/frameworks.md", '"A"', '"C"', "reports/frameworks.md:1: "),
        ("reports/frameworks.md", '"rates"', '"rate"', "reports/frameworks.md:1: "),
        ("README.md", "begin frameworks/rates", "begin frameworks/rate", "README.md:3: "),
        ("README.md", "<!-- reportgen:end", "<!-- end", "README.md:3: "),
    ],
)
def test_any_error_stops_the_build_before_files_are_written(repository, file, old, new, message):
    write(repository)
    before = {p: p.read_bytes() for p in repository.rglob("*") if p.is_file()}
    path = repository / file
    path.write_text(path.read_text().replace(old, new))
    before[path] = path.read_bytes()
    with pytest.raises(RequestError) as error:
        write(repository)
    assert str(error.value).startswith(message)
    assert {p: p.read_bytes() for p in repository.rglob("*") if p.is_file()} == before


def test_links_out_of_the_repository_are_refused(repository, tmp_path):
    outside = tmp_path / "outside"
    shutil.copytree(repository / "logs/rates", outside)
    (repository / "logs/link").symlink_to(outside)
    definition = repository / "reports/frameworks.toml"
    definition.write_text(definition.read_text().replace("logs/rates", "logs/link"))
    with pytest.raises(RequestError, match='"logs/link" leads out of the repository through a link'):
        made(repository)


def test_prose_that_is_not_utf8_is_an_error(repository):
    (repository / "reports/frameworks.md").write_bytes(b"\xff")
    with pytest.raises(
        RequestError, match=r'body: "reports/frameworks.md": not UTF-8 text at byte 0; save it as UTF-8'
    ):
        made(repository)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('kind = "speedup", baseline = { devices = 1 }', 'kind = "expected", baseline = { framework = "A" }'),
        ('columns = ["framework"]', 'columns = ["framework", "system"]'),
    ],
)
def test_a_system_with_a_factor_that_no_run_has_is_an_error(repository, old, new):
    (repository / "reports/expected.toml").write_text('[systems]\nA = { framwork = "A" }\n')
    definition = repository / "reports/frameworks.toml"
    definition.write_text(definition.read_text().replace(old, new).partition("[[figures]]")[0])
    with pytest.raises(
        RequestError, match=r'systems."A".framwork: no run has a factor "framwork"; did you mean "framework"'
    ):
        made(repository)


def test_systems_are_not_checked_if_no_table_needs_them(repository):
    (repository / "reports/expected.toml").write_text('[systems]\nA = { cluster = "JADE2" }\n')
    assert "760" in made(repository).files["frameworks/README.md"].decode()


def test_a_configured_file_to_inject_into_must_exist(repository):
    (repository / "reports/reportgen.toml").write_text('[inject]\nfiles = ["READ.md"]\n')
    with pytest.raises(RequestError, match=r'inject.files: "READ.md": no such file'):
        made(repository)


def test_a_folder_named_readme_is_an_error(repository):
    (repository / "README.md").unlink()
    assert made(repository).injected == {}
    (repository / "README.md").mkdir()
    with pytest.raises(RequestError, match=r'inject.files: "README.md": is a directory'):
        made(repository)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# X\n\n<!-- reportgen:end -->\n", "README.md:3: reportgen:end marker without reportgen:begin; "),
        (
            "<!-- reportgen:begin frameworks/rates -->\n",
            'README.md:1: the reportgen:begin marker of "frameworks/rates" has no reportgen:end; ',
        ),
        (
            "  <!--reportgen:begin frameworks/rates-->\n",
            'README.md:1: the reportgen:begin marker of "frameworks/rates" has no reportgen:end; ',
        ),
    ],
)
def test_a_marker_without_its_partner_is_an_error(repository, text, message):
    (repository / "README.md").write_text(text)
    with pytest.raises(RequestError) as error:
        made(repository)
    assert str(error.value).startswith(message)


def test_an_invalid_list_of_generated_files_owns_nothing(repository):
    for text in ["null", "[" * 5000, '{"generated": 5}', '{"generated": null}', "\x00"]:
        (repository / "reports/frameworks").mkdir(exist_ok=True)
        (repository / "reports/frameworks/report.json").write_text(text)
        assert publish.owned_files(repository / "reports") == frozenset()


def test_generated_files_are_rebuilt_when_their_list_is_lost(repository):
    write(repository)
    before = {p: p.read_bytes() for p in (repository / "reports").rglob("*") if p.is_file()}
    for path in (repository / "reports/frameworks").rglob("*.*"):
        path.write_bytes(path.read_bytes().replace(b"760", b"761"))
    listing = repository / "reports/frameworks/report.json"
    listing.write_bytes(b"<<<<<<<" + listing.read_bytes()[9:])
    assert publish.owned_files(repository / "reports") == frozenset()
    write(repository)
    assert {p: p.read_bytes() for p in before} == before


@pytest.mark.parametrize("path", ["reports/README.md", "reports/frameworks/README.md"])
def test_a_handwritten_page_stops_the_first_build(repository, path):
    (repository / path).parent.mkdir(exist_ok=True)
    (repository / path).write_text("# Mine\n")
    before = sorted(p for p in repository.rglob("*"))
    with pytest.raises(RequestError, match=f"{path}: was not generated by reportgen"):
        write(repository)
    assert (repository / path).read_text() == "# Mine\n"
    assert sorted(p for p in repository.rglob("*")) == before


def test_unreadable_logs_do_not_stop_the_build(repository):
    (repository / "logs/rates/noise.bin").write_bytes(bytes(range(256)) * 50)
    (repository / "logs/rates/rates.csv").write_text(CSV + "C,8\nD,1,fast\n")
    result = made(repository)
    assert any(f.rule == "read.malformed-line" for f in result.findings)
    assert "760" in result.files["frameworks/README.md"].decode()


def built_elsewhere(root: Path, **surroundings: str) -> None:
    command = [sys.executable, "-m", "reportgen", "build", "reports"]
    subprocess.run(command, cwd=root, env={**os.environ, **surroundings}, check=True)


def test_the_same_inputs_give_the_same_bytes_in_any_environment(repository, tmp_path):
    moved = tmp_path / "an other place"
    shutil.copytree(repository, moved)
    write(repository)
    built_elsewhere(moved, TZ="Pacific/Kiritimati", PYTHONHASHSEED="4711", LC_ALL="C", COLUMNS="40")
    files = [p.relative_to(repository) for p in repository.rglob("*") if p.is_file()]
    assert {p: (moved / p).read_bytes() for p in files} == {p: (repository / p).read_bytes() for p in files}


def test_a_build_that_is_kept_in_files_gives_the_same_bytes(repository, monkeypatch):
    expected = dict(made(repository).files)
    monkeypatch.setattr(column_file, "_IN_MEMORY", 0)
    monkeypatch.setattr(stored_files, "_IN_MEMORY", 0)
    monkeypatch.setattr(stored_values, "_BLOCK", 1)
    monkeypatch.setattr(document, "_MOST_CASES", 0)
    monkeypatch.setattr(document, "_MOST_SHARED", 1)
    monkeypatch.setattr(log_reader, "_MOST_DIGESTS", 0)
    result = made(repository)
    assert isinstance(result.reports[0].cases, stored_values.StoredValues)
    assert isinstance(result.reports[0].sources, stored_texts.StoredTexts)
    assert dict(result.files) == expected


def test_hash_order_does_not_change_the_order_of_values(repository):
    names = ["BERT", "bert", "Bert", "v1", "v1.0", "v01", "V1", "v001"]
    lines = [f"{name},{devices},{place}" for place, name in enumerate(names, 1) for devices in (1, 8)]
    (repository / "logs/rates/rates.csv").write_text("\n".join(["framework,devices,rate", *lines, ""]))
    (repository / "reports/frameworks.md").write_text("Sorted.\n")
    table, _, _ = DEFINITION.partition("[[figures]]")  # to load matplotlib takes longer than the rest
    (repository / "reports/frameworks.toml").write_text(table)
    write_charts_library(repository)
    seen = set()
    for seed in ("1", "3", "4"):
        built_elsewhere(repository, PYTHONHASHSEED=seed)
        seen.add((repository / "reports/frameworks/tables/rates.csv").read_text())
    (table,) = seen
    order = list(dict.fromkeys(line.split(",")[1] for line in table.splitlines()[1:]))
    assert order == ["BERT", "Bert", "bert", "V1", "v001", "v01", "v1", "v1.0"]


def test_an_ordered_value_that_no_run_has_is_a_finding(repository):
    definition = repository / "reports/frameworks.toml"
    definition.write_text(DEFINITION.replace("compare =", 'order = { framework = ["B", "a"] }\ncompare ='))
    (finding,) = (f for f in made(repository).findings if f.rule == "table.unused-name")
    assert finding.message == 'tables.rates.order.framework: no run has framework = "a"; known: A, B'


CONTRADICTING = """\
[systems]
A = { framework = "A" }
B = { framework = "B" }
[[fact]]
of = "B"
to = "A"
speed = 0.9
source = "one"
[[fact]]
of = "A"
to = "B"
speed = 5
source = "other"
"""


def test_contradicting_facts_show_as_a_band_and_a_finding(repository):
    (repository / "reports/expected.toml").write_text(CONTRADICTING)
    text = DEFINITION.replace(
        '"speedup", baseline = { devices = 1 }', '"expected", baseline = { framework = "A" }'
    )
    (repository / "reports/frameworks.toml").write_text(
        text[: text.index("[[figures]]")].replace("body =", "# ")
    )
    result = made(repository)
    page = result.files["frameworks/README.md"].decode()
    # B takes 100/90 of A's time: 1.111 x sqrt(0.9 / 5), 1.111 x 0.2 and 1.111 x 0.9.
    assert "0.424 (0.200 – 0.900)" in page
    assert "0.471 (0.222 – 1.000)" in page
    assert "In parentheses after an expected speed: the lowest and highest that the facts give." in page
    assert "0.9 (B / A) or 1/5 (A / B)" in page
    assert "A runs at 5x the speed of B" in page
    (finding,) = (one for one in result.findings if one.rule == "expected.inconsistent")
    assert (finding.subject, finding.message) == ("B : A", "0.9 according to one, but 0.2 according to other")


def test_a_missing_factor_names_the_label_pattern_that_matches_no_log(repository):
    (repository / "logs/rates/labels.toml").write_text('[[paths]]\npattern = "{system}/x.log"\n')
    definition = repository / "reports/frameworks.toml"
    definition.write_text(definition.read_text().replace("rows = [", 'rows = ["system", '))
    with pytest.raises(RequestError) as error:
        made(repository)
    assert (
        error.value.remedy
        == 'first correct logs/rates/labels.toml:2: paths[0]: "{system}/x.log" matches no log'
    )


def test_tables_are_not_put_into_logs_or_hidden_files_not_even_through_a_link(repository):
    (repository / "logs/rates/README.md").write_text("# Rates\n")
    (repository / "README.md").unlink()
    (repository / "README.md").symlink_to("logs/rates/README.md")
    with pytest.raises(RequestError, match=r'inject.files: "logs/rates/README.md" is in logs/ or hidden'):
        made(repository)


def test_an_expected_table_whose_markers_are_gone_stops_the_build(repository):
    (repository / "reports/reportgen.toml").write_text(
        '[inject]\nfiles = { "README.md" = ["frameworks/rates"] }\n'
    )
    assert made(repository).injected
    (repository / "README.md").write_text("# X\n\n| 999 |\n")
    with pytest.raises(RequestError, match=r'README\.md: the markers of "frameworks/rates" are missing'):
        made(repository)
