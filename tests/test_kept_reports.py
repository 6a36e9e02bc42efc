"""Reports of the last build are used again: the same files, and never when something changed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reportgen import pipeline
from reportgen.cache import cache_folder
from reportgen.cache.rows import Rows, all_rows
from reportgen.document.model import Figure
from reportgen.pipeline import Build, Request
from reportgen.publish import apply
from reportgen.render.figures.svg import drawing
from tests.builders import write_files
from tests.formats.valid_logs import NANOGPT

DEFINITION = """\
title = "{name}"
logs = ["logs/{name}"]
body = "{name}.md"
[[tables]]
id = "rate"
title = "Rate"
rows = ["model"]
metric = "throughput"
"""
SOURCE = """\
tables = ["rates.csv"]
[factors]
model = "model"
[constants]
item = "image"
[[metrics]]
column = "rate"
metric = "throughput"
unit = "images/s"
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of two reports, and an empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    files: dict[str, str | bytes] = {"logs/c/run.log": NANOGPT}
    for name, rate in (("a", 10), ("b", 20)):
        files |= {
            f"logs/{name}/rates.csv": f"model,rate\nbert,{rate}\ngpt,{rate + 1}\n",
            f"logs/{name}/source.toml": f'title = "{name}"\n{SOURCE}',
            f"reports/{name}.toml": DEFINITION.format(name=name),
            f"reports/{name}.md": "A text.\n\n{{ table('rate') }}\n",
        }
    write_files(tmp_path / "repository", files)
    return tmp_path / "repository"


Made = Callable[..., list[str]]


@pytest.fixture
def made(root: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Build and write with the cache, and return the names of the reports that were made, not taken."""
    names: list[str] = []
    make_report = pipeline.make_report

    def counted(definition, *rest):  # type: ignore[no-untyped-def]
        names.append(definition.name)
        return make_report(definition, *rest)

    monkeypatch.setattr(pipeline, "make_report", counted)

    def made(committed_only: bool = False) -> list[str]:
        names.clear()
        built = _build(root, cache=True, committed_only=committed_only)
        here = list(names)
        assert _contents(built) == _contents(_build(root, committed_only=committed_only))
        if not committed_only:
            apply(built.files, root / "reports", owned=())
        return here

    return made


def _build(root: Path, *, cache: bool = False, committed_only: bool = False) -> Build:
    return pipeline.build(Request(root, root / "reports"), cache=cache, committed_only=committed_only)


def _contents(built: Build) -> object:
    return built.reports, built.findings, dict(built.files), built.logs


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_an_unchanged_report_is_not_made_again(made: Made) -> None:
    assert made() == ["a", "b"]
    assert made() == []
    assert made(committed_only=True) == []


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("logs/a/rates.csv", "bert,10", "bert,12"),
        ("logs/a/rates.csv", "bert,10", "bert,10\nvit,7"),
        ("logs/a/source.toml", "images/s", "tokens/s"),
        ("reports/a.toml", "Rate", "Throughput"),
        ("reports/a.md", "A text.", "Another text."),
        ("reports/a/README.md", "A text.", "Edited by hand."),
        ("reports/a/index.html", "A text.", "Edited by hand."),
        ("reports/a/report.json", '"bert"', '"bird"'),
    ],
)
def test_a_report_is_made_again_if_anything_of_it_changed(
    root: Path, made: Made, path: str, old: str, new: str
) -> None:
    made()
    _edit(root / path, old, new)
    assert made() == ["a"]
    assert made() == []


def test_labels_count_for_the_reports_below_them(root: Path, made: Made) -> None:
    made()
    (root / "logs/b/labels.toml").write_text('[constants]\ndevice = "A100"\n')
    assert made() == ["b"]


def test_facts_and_settings_count_for_every_report(root: Path, made: Made) -> None:
    made()
    (root / "reports/expected.toml").write_text('[systems]\nbig = { model = "gpt" }\n')
    assert made() == ["a", "b"]
    (root / "reports/reportgen.toml").write_text('source_url = "https://example.org/{path}#L{line}"\n')
    assert made() == ["a", "b"]


def test_the_order_of_systems_counts(root: Path, made: Made) -> None:
    _edit(root / "reports/a.toml", 'rows = ["model"]', 'rows = ["system", "model"]')
    systems = ['all = { model = ["bert", "gpt"] }', 'big = { model = "gpt" }']
    (root / "reports/expected.toml").write_text("\n".join(["[systems]", *systems]))
    made()
    (root / "reports/expected.toml").write_text("\n".join(["[systems]", *reversed(systems)]))
    assert made() == ["a", "b"]


def test_a_removed_file_is_made_again(root: Path, made: Made) -> None:
    made()
    (root / "reports/b/tables/rate.csv").unlink()
    assert made() == ["b"]


def test_what_check_made_is_not_enough_for_build(made: Made) -> None:
    made()
    for rows in all_rows(cache_folder()):
        rows.clear()
    assert made(committed_only=True) == ["a", "b"]
    assert made(committed_only=True) == []
    assert made() == ["a", "b"]


def test_another_program_makes_every_report(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    made()
    monkeypatch.setattr("reportgen.kept_reports.add_program", lambda inputs: inputs.add("another version"))
    assert made() == ["a", "b"]


def test_a_damaged_row_is_not_used(made: Made) -> None:
    made()
    (rows,) = all_rows(cache_folder())
    content = Path(rows.path).read_bytes()
    assert b"README.md" in content
    Path(rows.path).write_bytes(content.replace(b"README.md", b"README.mt"))
    assert made() == ["a", "b"]


def test_a_row_that_says_nothing_is_not_used(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    made()
    monkeypatch.setattr(Rows, "load", lambda self, keys: dict.fromkeys(keys, b"\x93"))
    assert made() == ["a", "b"]


FIGURE = """
[[figures]]
id = "rates"
title = "Rates"
kind = "bar"
table = "rate"
"""


def test_a_figure_is_drawn_again_only_if_it_or_its_file_changed(
    root: Path, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    up_to_date = drawing.up_to_date

    def counted(figure: Figure, old: bytes | None) -> bytes:
        shown.append(figure.id)
        return up_to_date(figure, old)

    monkeypatch.setattr(drawing, "up_to_date", counted)
    with (root / "reports/a.toml").open("a") as definition:
        definition.write(FIGURE)
    drawn = []
    for path, old, new in [
        ("reports/a.md", "A text.", "Another text."),
        ("reports/a.md", "Another", "A third"),
        ("logs/a/rates.csv", "bert,10", "bert,12"),
        ("reports/a/figures/rates.svg", "</svg>", "<!-- edited --></svg>"),
    ]:
        _edit(root / path, old, new)
        assert "a" in made()
        drawn.append(len(shown) - 1)  # the build without a cache draws it, too
        shown.clear()
    assert drawn == [1, 0, 1, 1]
