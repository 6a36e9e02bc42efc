"""The notebook of the guides: every cell runs, shows inert HTML, and refuses each misspelt name."""

import ast
import json
import re
from contextlib import chdir
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pytest

import reportgen

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs/how-to/notebook.ipynb"
CELLS = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]


CODE = ["".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"]
Names = dict[str, object]


def run_cell(source: str, names: Names) -> object:
    """Run a cell as Jupyter does, and return the value of its last expression."""
    *statements, last = ast.parse(source).body
    exec(compile(ast.Module(statements, []), "<cell>", "exec"), names)
    assert isinstance(last, ast.Expr), "a cell of the guide ends with what it shows"
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


@dataclass(frozen=True)
class Notebook:
    """What each cell of code shows, and the names that it found when it began."""

    shown: list[object]
    names: list[Names]


@pytest.fixture(scope="module")
def notebook() -> Notebook:
    shown, before, names = [], [], Names()
    with chdir(ROOT):
        for source in CODE:
            before.append(dict(names))
            shown.append(run_cell(source, names))
    return Notebook(shown, before)


class Elements(HTMLParser):
    """The elements and attributes of a fragment."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {f"{name}={value}" for name, value in attrs}


def test_the_notebook_has_fifteen_cells_without_output() -> None:
    assert len(CELLS) == 15
    assert [cell for cell in CELLS if cell.get("outputs") or cell.get("execution_count")] == []


@pytest.mark.slow
def test_every_cell_shows_inert_html_and_has_a_short_repr(notebook: Notebook) -> None:
    for value in notebook.shown:
        elements = Elements(value._repr_html_())  # type: ignore[attr-defined]
        assert elements.tags & {"table", "svg"}
        if type(value).__module__.startswith("reportgen"):
            assert not elements.tags & {"script", "iframe", "object", "link", "style", "img", "base", "form"}
            assert not [name for name in elements.attributes if re.match("on|href=(?!#)|src=", name)]
            assert len(repr(value)) < 200
            assert "\n" not in repr(value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong", "nearest"),
    [
        ('read("logs/flux-cpu")', 'read("logs/flux-cpus")', 'did you mean "logs/flux-cpu"?'),
        ('"pass": "train"', '"pas": "train"', 'no run has the factor "pas"; did you mean "pass"?'),
        ('"pass": "train"', '"pass": "trian"', 'no run has pass = "trian"; did you mean "train"?'),
        ('cases("step_time")', 'cases("step_tme")', 'no run has metric "step_tme" (49 runs); did you mean "step_time"?'),
        ('rows="model"', 'rows="modle"', 'no factor "modle"; did you mean "model"?'),
        ('columns="variant"', 'columns="varaint"', 'no factor "varaint"; did you mean "variant"?'),
        ('unit="ms"', 'unit="mss"', 'no unit "mss"; did you mean "ms"?'),
        ('compare="speedup"', 'compare="sped"', '"sped" is not known; did you mean "speedup"?'),
        ('figure("bar"', 'figure("baar"', '"baar" is not known; did you mean "bar"?'),
        ('a={"variant"', 'a={"varient"', 'no run has the factor "varient"; did you mean "variant"?'),
        ('view_report("jade2")', 'view_report("jade")', 'no report "jade"; did you mean "jade2"?'),
        ('table("phases")', 'table("phasse")', 'no table "phasse"; did you mean "phases"?'),
    ],
)  # fmt: skip
def test_a_misspelt_name_in_the_notebook_is_an_error_with_the_right_one(
    right: str, wrong: str, nearest: str, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    number = next(number for number, source in enumerate(CODE) if right in source)
    with pytest.raises(reportgen.RequestError) as error:
        run_cell(CODE[number].replace(right, wrong), dict(notebook.names[number]))
    assert nearest in str(error.value)
