"""Which numbers of a table are marked as the best."""

from dataclasses import replace

import pytest

from reportgen.document.model import Header, Label
from reportgen.render.grid.best_cells import find_best
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS
from reportgen.tables.results import Table
from reportgen.tables.spec import CompareSpec
from tests.builders import published_run, table_spec
from tests.render import example
from tests.render.example import shown


def _table(
    values: list[list[float]],
    rows: tuple[str, list[object]],
    columns: tuple[str, list[object]],
    **case: object,
) -> Table:
    """Return a table of measured values, one factor in rows and one in columns."""
    cells = tuple(
        tuple(
            example.number(example.case(value, {rows[0]: r, columns[0]: c}, **case))
            for value, c in zip(line, columns[1], strict=True)
        )
        for line, r in zip(values, rows[1], strict=True)
    )
    return replace(
        example.throughput_table(),
        row_factors=(rows[0],),
        column_factors=(columns[0],),
        rows=tuple(Header((r,), (Label(str(r)),)) for r in rows[1]),
        columns=tuple(Header((c,), (Label(str(c)),)) for c in columns[1]),
        cells=cells,
    )


@pytest.mark.parametrize(
    ("rows", "columns", "best", "text"),
    [
        # of frameworks at each number of devices
        (("devices", [1, 8]), ("framework", ["A", "B"]), {(0, 1), (1, 0)}, "Bold: the best of a row."),
        (("framework", ["A", "B"]), ("devices", [1, 8]), {(1, 0), (0, 1)}, "Bold: the best of a column."),
        (("framework", ["A", "B"]), ("device", ["X", "Y"]), {(1, 0), (0, 1)}, "Bold: the best of a column."),
        # models and numbers of devices do not compete
        (("model", ["A", "B"]), ("devices", [1, 8]), set(), ""),
    ],
)
def test_what_does_the_work_competes(
    rows: tuple[str, list[object]], columns: tuple[str, list[object]], best: set[tuple[int, int]], text: str
) -> None:
    values = [[1.0, 2.0], [4.0, 3.0]] if rows[0] == "devices" else [[1.0, 4.0], [2.0, 3.0]]
    found = find_best(*shown(_table(values, rows, columns)))
    assert (found.cells, found.text) == (best, text)


def test_bold_names_the_work_that_differs_within_a_column_or_row() -> None:
    table = _table([[1.0], [2.0], [3.0], [4.0]], ("framework", ["A", "B", "A", "B"]), ("devices", [1]))
    rows = tuple(
        Header((*head.key, clip), (*head.labels, Label(str(clip))))
        for head, clip in zip(table.rows, (True, True, False, False), strict=True)
    )
    titles = (Label("framework"), Label("gradient clipping"))
    table = replace(table, row_factors=("framework", "clip"), row_titles=titles, rows=rows)
    best = find_best(*shown(table))
    assert best.cells == {(1, 0), (3, 0)}
    assert best.text == "Bold: the best of a column among rows with the same gradient clipping."

    turned = replace(
        table,
        row_factors=table.column_factors,
        row_titles=table.column_titles,
        rows=table.columns,
        column_factors=table.row_factors,
        column_titles=table.row_titles,
        columns=table.rows,
        cells=tuple(zip(*table.cells, strict=True)),
    )
    best = find_best(*shown(turned))
    assert best.cells == {(0, 1), (0, 3)}
    assert best.text == "Bold: the best of a row among columns with the same gradient clipping."


def test_a_machine_that_is_not_stated_competes_with_nothing() -> None:
    table = _table([[1.0], [2.0], [3.0]], ("hardware", ["A", "B", "not stated"]), ("pass", ["forward"]))
    assert find_best(*shown(table)).cells == {(1, 0)}


def test_less_time_is_better() -> None:
    table = _table([[1.0, 2.0]], ("devices", [1]), ("framework", ["A", "B"]), metric="step_time", unit="s")
    assert find_best(*shown(table)).cells == {(0, 0)}


def test_a_metric_without_a_better_direction_has_no_best() -> None:
    table = _table(
        [[1.0, 2.0]], ("devices", [1]), ("framework", ["A", "B"]), metric="utilization", unit="ratio"
    )
    assert find_best(*shown(table)).cells == frozenset()


def test_numbers_whose_repeats_overlap_are_equally_good() -> None:
    # The repeats of `example.case` are 0.01 % apart.
    table = _table([[1.0, 2.0, 2.0001]], ("devices", [1]), ("framework", ["A", "B", "C"]))
    assert find_best(*shown(table)).cells == {(0, 1), (0, 2)}
    single = _table([[1.0, 2.0, 2.0001]], ("devices", [1]), ("framework", ["A", "B", "C"]), repeats=1)
    assert find_best(*shown(single)).cells == {(0, 2)}


@pytest.mark.parametrize(("repeats", "best"), [(3, set()), (7, {(1, 0)})])
def test_a_best_that_is_undecided_is_not_marked(repeats: int, best: set[tuple[int, int]]) -> None:
    """The repeats do not overlap, but three of unknown order decide nothing."""
    runs = [
        published_run(throughput=rate + n / 100, device=device)
        for device, rate in (("A", 1.0), ("B", 2.0))
        for n in range(repeats)
    ]
    spec = table_spec(
        metrics=("throughput",), rows=("device",), compare=CompareSpec("speedup", {"device": "A"})
    )
    document, table = shown(build_tables(replace(spec, show=("value",)), runs, NO_FACTS)[0])
    assert find_best(document, table).cells == best


def test_equal_numbers_are_not_marked() -> None:
    assert (
        find_best(*shown(_table([[2.0, 2.0]], ("devices", [1]), ("framework", ["A", "B"])))).cells
        == frozenset()
    )


def test_a_rate_of_tokens_is_not_better_than_one_of_images() -> None:
    runs = [
        published_run(device=d, item=i, throughput=v)
        for d, i, v in [("A", "image", 9.0), ("B", "token", 5e4)]
    ]
    (table,) = build_tables(table_spec(rows=("device",), ignore=("item",)), runs, NO_FACTS)
    assert find_best(*shown(table)).cells == frozenset()
