"""A waterfall leads from the time of a baseline, part by part, to the time of a case."""

import math
from pathlib import Path

import pytest

from reportgen.core.errors import RequestError
from reportgen.document.model import FigureKind
from reportgen.report.definition import read_definition
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.figures import build_figures
from reportgen.tables.results import Figure
from reportgen.tables.spec import CompareSpec, FigureSpec
from tests.builders import published_run, table_spec

RUNS = [
    published_run(gpu=gpu, model=model, values={"data_loading": loading, "forward": forward, "backward": 1.0})
    for gpu, model, loading, forward in [
        ("A", "x", 1.0, 2.0),
        ("B", "x", 5.0, 1.0),
        ("A", "y", 1.0, 1.0),
        ("B", "y", 2.0, 2.0),
    ]
]


def figure(**where: str) -> Figure:
    table = table_spec(
        metrics=("step_time",),
        phases=("all",),
        totals={"all": ("data_loading", "forward", "backward")},
        facets=("model",),
        rows=("gpu",),
        compare=CompareSpec("ratio", {"gpu": "A"}),
        show=("value", "ratio"),
    )
    conditions = {name: (value,) for name, value in where.items()}
    kind = FigureKind.WATERFALL
    spec = FigureSpec("reports/t.toml: figures[0]", "f", "Why", kind, "t", where=conditions)
    (built,) = build_figures(spec, build_tables(table, RUNS, NO_FACTS))
    return built


def test_each_bar_begins_where_the_one_before_ends() -> None:
    drawn = figure(model="x")
    assert drawn.categories == ("A", "data loading (133 %)", "forward (-33 %)", "backward (0 %)", "B")
    bars = {
        name: (low, high)
        for line in drawn.series
        for name, low, high in zip(line.x, line.low, line.high, strict=True)
    }
    assert [bars[name] for name in drawn.categories] == [
        (0.0, 4.0),
        (4.0, 8.0),
        (8.0, 7.0),
        (7.0, 7.0),
        (0.0, 7.0),
    ]


def test_parts_that_lengthen_and_shorten_the_time_are_different_series() -> None:
    drawn = figure(model="x")
    assert [(line.name, line.x) for line in drawn.series] == [
        ("whole", ("A", "B")),
        ("longer than the baseline", ("data loading (133 %)", "backward (0 %)")),
        ("shorter", ("forward (-33 %)",)),
    ]
    parts = [y for line in drawn.series[1:] for y in line.y if y is not None]
    assert math.fsum(parts) == 3.0


def test_its_texts_name_the_cell_and_the_split() -> None:
    drawn = figure(model="y", gpu="B")
    assert (drawn.id, drawn.title, drawn.y_title, drawn.table) == ("f", "Why: y, B", "time per step", "t/y")
    assert drawn.alt == (
        "waterfall plot: Why: y, B; from A to B: 2.00 s more per step: data loading 50 %, forward 50 %"
    )


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({}, "figures[0].where: fits 2 cells: t/x B; t/y B; name the factors of one cell"),
        ({"gpu": "A"}, "figures[0].where: fits no cell whose difference has parts; compare a whole step"),
        ({"modl": "x"}, 'where.modl: table "t" has no row, column or facet "modl"; did you mean "model"?'),
    ],
)
def test_where_must_fit_one_cell(where: dict[str, str], message: str) -> None:
    with pytest.raises(RequestError) as error:
        figure(**where)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('kind = "waterfall"\nx = "gpu"', 'figures[0].x: kind "waterfall" has no x; remove it'),
        ('kind = "waterfall"\nshow = "ratio"', 'figures[0].show: kind "waterfall" has no show; remove it'),
        ('kind = "bar"\nsort = true', 'figures[0].sort: kind "bar" has no sort; remove it'),
        ('kind = "dots"\nof = "steps"', 'figures[0].of: kind "dots" has no of; remove it'),
    ],
)
def test_a_key_that_a_kind_does_not_have_is_an_error(tmp_path: Path, keys: str, message: str) -> None:
    path = tmp_path / "t.toml"
    path.write_text(f'[[tables]]\nid = "t"\nrows = ["gpu"]\n[[figures]]\ntable = "t"\n{keys}\n')
    with pytest.raises(RequestError) as error:
        read_definition(path, "reports/t.toml", "t", {})
    assert str(error.value) == f"reports/t.toml:4: {message}"


def test_compare_takes_why_from_the_definition(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(
        '[[tables]]\nid = "t"\nrows = ["gpu"]\ncompare = { kind = "ratio", baseline = { gpu = "A" }, why = true }\n'
    )
    (table,) = read_definition(path, "reports/t.toml", "t", {}).tables
    assert table.compare is not None
    assert table.compare.why
