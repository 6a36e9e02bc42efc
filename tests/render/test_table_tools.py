"""The tools of a table, driven in a browser: sort, filter, columns, differences, bars, copy."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from msgspec import structs
from playwright.sync_api import Locator, Page, expect

from reportgen.document.model import Header, Label
from reportgen.tables.results import Cell
from tests.render import example
from tests.render.conftest import accessibility
from tests.render.example import render_report

OpenPage = Callable[..., Page]

FRAMEWORKS = ("OneFlow", "NGC <b>", "MXNet")
VALUES = ((1_200.5, 300.0), (90.25, 310.0), (None, 305.0))


def _files() -> dict[str, bytes]:
    """Return a report with one table: frameworks in rows, 1 and 8 devices below a shared head in columns."""
    table = example.throughput_table()
    cells = tuple(
        tuple(
            example.number(example.case(value, {"framework": name, "devices": devices}))
            if value
            else Cell("status", text="out of memory")
            for value, devices in zip(line, (8, 1), strict=True)
        )
        for name, line in zip(FRAMEWORKS, VALUES, strict=True)
    )
    table = replace(
        table,
        id="t",
        title="Throughput",
        row_factors=("framework", "precision"),
        row_titles=(Label("Framework"), Label("Precision")),
        column_factors=("model", "devices"),
        rows=tuple(Header((name, "fp32"), (Label(name), Label("fp32"))) for name in FRAMEWORKS),
        columns=tuple(Header(("r", d), (Label("ResNet"), Label(f"{d} GPUs"))) for d in (8, 1)),
        cells=cells,
        notes={},
    )
    return render_report(example.report(tables=(table,), figures=(), prose=""))


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return _files()


@pytest.fixture
def table(open_page: OpenPage, files: dict[str, bytes]) -> Locator:
    section = open_page(files).locator("#table-t")
    section.locator(".tools > summary").click()
    return section


def _column(table: Locator, number: int) -> list[str]:
    return table.locator(f"tbody tr:visible > :nth-child({number})").all_inner_texts()


def test_a_press_on_a_head_sorts_and_a_third_one_restores_the_order(table: Locator) -> None:
    head = table.get_by_role("columnheader", name="8 GPUs")
    for order, texts in (
        ("ascending", ["90.25", "1,201", "out of memory"]),  # by number, not by text; a failure is last
        ("descending", ["1,201", "90.25", "out of memory"]),
        (None, ["1,201", "90.25", "out of memory"]),
    ):
        head.click()
        assert head.get_attribute("aria-sort") == order
        assert [text.split(" (")[0].strip() for text in _column(table, 3)] == texts


def test_the_keyboard_sorts_with_the_list(table: Locator) -> None:
    table.get_by_label("Sort by").select_option("Framework ↑")
    assert _column(table, 1) == ["MXNet", "NGC <b>", "OneFlow"]


def test_units_that_differ_sort_by_what_they_mean(open_page: OpenPage) -> None:
    table = example.phase_table()
    cells = (table.cells[0][1], table.cells[0][0])
    heads = tuple(Header((name,), (Label(name),)) for name in ("slow", "fast"))
    table = replace(
        table, columns=table.columns[:1], rows=tuple(reversed(heads)), cells=tuple((cell,) for cell in cells)
    )
    page = open_page(render_report(example.report(tables=(table,), figures=(), prose="")))
    page.get_by_role("columnheader", name="CPU").click()
    texts = page.locator("section.table td").all_inner_texts()
    assert [text.split()[1] for text in texts] == ["µs", "ms"]  # 456 µs before 12.3 ms


def test_a_filter_leaves_the_rows_with_all_words(table: Locator) -> None:
    table.get_by_label("Filter rows").fill("ngc FP32")
    assert _column(table, 1) == ["NGC <b>"]


def test_columns_are_chosen_and_heads_follow(table: Locator) -> None:
    table.locator(".columns summary").click()
    table.get_by_label("ResNet 8 GPUs").uncheck()
    expect(table.get_by_role("columnheader", name="8 GPUs")).to_be_hidden()
    assert table.get_by_role("columnheader", name="ResNet").get_attribute("colspan") == "1"
    table.get_by_label("ResNet 1 GPUs").uncheck()
    expect(table.get_by_role("columnheader", name="ResNet")).to_be_hidden()


def test_only_differences_hides_what_all_rows_share(table: Locator) -> None:
    table.get_by_label("Only differences").check()
    expect(table.get_by_role("columnheader", name="Precision")).to_be_hidden()
    expect(table.get_by_role("columnheader", name="Framework")).to_be_visible()
    table.get_by_label("Only differences").uncheck()
    expect(table.get_by_role("columnheader", name="Precision")).to_be_visible()


def test_bars_have_the_length_of_the_number(table: Locator) -> None:
    table.get_by_label("Bars").check()
    shares = table.locator("tbody td:nth-child(3)").evaluate_all(
        "cells => cells.map(cell => cell.style.getPropertyValue('--share'))"
    )
    assert [round(float(share), 3) for share in shares] == [1.0, 0.075, 0.0]


COPIES = {
    "Markdown": [
        "| Framework | Precision | ResNet 8 GPUs | ResNet 1 GPUs |",
        "| --- | --- | ---: | ---: |",
        "| NGC \\<b\\> | fp32 | 90.25 (90.24 – 90.26) | 310.0 (310.0 – 310.0) |",
    ],
    "CSV": ["Framework,Precision,ResNet 8 GPUs,ResNet 1 GPUs", "NGC <b>,fp32,90.25,310.0"],
    "LaTeX": ["\\toprule", "NGC <b> & fp32 & 90.25 (90.24 -- 90.26) & 310.0 (310.0 -- 310.0) \\\\"],
}


def _copied(table: Locator, name: str) -> list[str]:
    """Return the lines of a copy of a table."""
    table.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    table.get_by_role("button", name=f"Copy as {name}").click()
    expect(table.get_by_role("status")).to_have_text(f"Copied as {name}")
    text: str = table.page.evaluate("navigator.clipboard.readText()")
    return text.splitlines()


def test_a_table_is_copied_as_it_is_shown(table: Locator) -> None:
    table.get_by_label("Filter rows").fill("ngc")
    for name, lines in COPIES.items():
        copied = _copied(table, name)
        assert [line for line in copied if line in lines] == lines
        assert not any("OneFlow" in line for line in copied), name


def test_a_copy_keeps_entities_and_absent_cells(open_page: OpenPage) -> None:
    table = example.throughput_table()
    table = replace(
        table,
        row_factors=("framework",),
        row_titles=(Label("Framework"),),
        rows=tuple(Header((n,), (Label("a &lt; b & c"),)) for n in range(3)),
        columns=table.columns[:1],
        cells=((Cell("absent", text="-"),),) * 3,
        notes={},
    )
    page = open_page(render_report(example.report(tables=(table,), figures=(), prose="")))
    page.locator(".tools > summary").click()
    shown = page.locator("section.table")
    assert _copied(shown, "Markdown")[-1] == "| a \\&lt; b & c | - |"
    assert _copied(shown, "CSV")[-1] == "a &lt; b & c,-"


def test_kinds_of_cells_differ_by_a_sign(table: Locator) -> None:
    failed = table.get_by_role("cell", name="out of memory")
    assert failed.evaluate("cell => getComputedStyle(cell, '::before').content").startswith('"✕')


def test_open_tools_have_no_violation_and_fit(open_page: OpenPage, files: dict[str, bytes]) -> None:
    page = open_page(files)
    page.locator(".tools > summary").click()
    page.locator(".columns summary").click()
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert [found["id"] for found in accessibility(page, contrast=width == 1440)["violations"]] == [], (
            width
        )
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_first_column_leaves_room_for_numbers_on_a_phone(open_page: OpenPage) -> None:
    table = example.throughput_table()
    long = "Core i7-6700HQ + GTX 960M in a machine with a name of many words"
    rows = tuple(structs.replace(row, labels=(Label(long), *row.labels[1:])) for row in table.rows)
    files = render_report(example.report(tables=(replace(table, rows=rows),), figures=(), prose=""))
    page = open_page(files)
    page.set_viewport_size({"width": 390, "height": 800})
    head = page.locator("tbody th").first
    assert head.evaluate("each => getComputedStyle(each).position") == "sticky"
    assert head.evaluate("each => each.offsetWidth") <= 0.45 * 390
    assert "inset" in head.evaluate("each => getComputedStyle(each).boxShadow")
