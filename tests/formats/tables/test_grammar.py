"""Keys of the grammar of tables, each on a file of a few lines."""

from typing import Any

import pytest

from reportgen.core.errors import RequestError
from reportgen.core.model import Run
from reportgen.core.schema import convert
from reportgen.formats.parsing.text_log import TextLog
from reportgen.formats.tables import latex
from reportgen.formats.tables.definition import TableFamily
from reportgen.formats.tables.derive import spelled
from reportgen.formats.tables.reader import read
from reportgen.sources.logfiles import LogFiles
from tests.each_of import each_row

RATE = {"column": "rate", "metric": "throughput", "unit": "samples/s"}


def runs(text: str, **keys: Any) -> list[Run]:
    family = convert({"figures": [RATE], **keys}, TableFamily, "x")
    return [
        one
        for one in read("x", family, TextLog(LogFiles.of({"x": text.encode()}).file("x")))
        if isinstance(one, Run)
    ]


def values(found: list[Run]) -> list[float]:
    return [figure.value for run in found for figure in run.aggregates]


@pytest.mark.parametrize(("statistic", "expected"), [("sample", [3, 4]), ("mean", [])])
def test_a_list_has_a_number_in_each_item_if_they_are_samples(statistic: str, expected: list[float]) -> None:
    keys = {
        "rows": {"kind": "json"},
        "statistic_factor": False,
        "figures": [{**RATE, "statistic": statistic}],
    }
    assert values(runs('{"rate": [3, 4]}', **keys)) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("| a | rate |\n| - | -: |\n| x | 1 |\n| y | 2 |\n", [1, 2]),
    ("| a | rate |\n| - | -: |\n| x | 1 |\nwarning: 7 | 8\n| y | 2 |\n", [1, 2]),
    ("| a | rate |\n| - | -: |\n| x | 1 |\n\n| y | 2 |\n", [1]),
    ("a | rate\n-\n1 | 2\n", []),  # a bullet is not a rule
])  # fmt: skip
def test_an_empty_line_ends_a_table_of_markdown(text: str, expected: list[float]) -> None:
    assert values(runs(text, rows={"kind": "markdown"})) == expected


def test_all_columns_that_nothing_names_are_factors() -> None:
    keys = {"factors": {"model": "name", "{x}": "{x}"}, "without": ["note"], "rows": {"kind": "csv"}}
    (run,) = runs("name,rate,batch,note,empty\na,5,8,b,\n", **keys)
    assert run.factors == {"model": "a", "batch": 8}


@pytest.mark.parametrize(("is_text", "expected"), [(True, "1234"), (False, 1234)])
def test_a_hash_stays_a_text(is_text: bool, expected: object) -> None:
    keys = {"factors": {"hash": {"column": "v", "text": is_text}}, "rows": {"kind": "csv"}}
    (run,) = runs("v,rate\n1234,5\n", **keys)
    assert run.factors == {"hash": expected}


@pytest.mark.parametrize(("cell", "expected"), [("64", 64), ("0", None), ("inf", None), ("", None)])
def test_the_work_of_a_step_is_a_finite_number_above_zero(cell: str, expected: float | None) -> None:
    (run,) = runs(f"batch,rate\n{cell},5\n", samples="batch", rows={"kind": "csv"})
    assert run.samples_per_step == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [("run0,run1", [(0, 3), (1, 4)]), ("run1,run2", [(1, 3), (2, 4)]), ("run1,run-2", [(1, 3)])],
)
def test_repeats_in_columns_may_be_counted_from_zero(header: str, expected: list[tuple[int, float]]) -> None:
    found = runs(f"{header}\n3,4\n", rows={"kind": "csv"}, figures=[RATE | {"column": "run{repeat}"}])
    assert [(run.repeat, figure.value) for run in found for figure in run.aggregates] == expected


def facts(text: str, **keys: Any) -> list[str]:
    family = convert({"figures": [RATE], **keys}, TableFamily, "x")
    read_items = list(read("x", family, TextLog(LogFiles.of({"x": text.encode()}).file("x"))))
    return [
        finding.message for one in read_items for finding in (one.findings if isinstance(one, Run) else [one])
    ]


def test_a_number_with_a_unit_of_something_else_is_reported() -> None:
    found = facts("rate,n\n606.33 MB,1\n5,2\n", rows={"kind": "csv"})
    assert [message for message in found if "is in MB, which is not a unit of its metric" in message]


@pytest.mark.parametrize(("text", "is_reported"), [
    ("rtae,dirty\n5,1\n", True),
    ("rtae,dirty\n5,0\n5,2\n", True),
    ("rate,dirty\n,1\n5,1\n", False),
    ("rtae,dirty\n5,2\n", False),
    ("rtae,dirty\n5,3\n", False),
])  # fmt: skip
def test_a_file_whose_rows_have_no_number_is_reported(text: str, is_reported: bool) -> None:
    keys = {
        "rows": {"kind": "csv"},
        "checks": [
            {"column": "dirty", "equals": 1, "message": "changed", "severity": "note"},
            {"column": "dirty", "equals": 3, "message": "it failed", "status": "failed"},
        ],
        "skip": [{"column": "dirty", "equals": 2, "why": "a warm-up"}],
    }
    assert any("has no results" in message for message in facts(text, **keys)) == is_reported


def test_a_second_json_document_is_reported() -> None:
    found = facts('{"rate": 3}\n{"rate": 4}\n', rows={"kind": "json"})
    assert [message for message in found if "only the first is read" in message]


@pytest.mark.parametrize("after", ["", "[2024-01-01 INFO] done\n", "[0] done\n", "{'loss': 1}\n"])
def test_lines_of_a_log_may_follow_a_json_document(after: str) -> None:
    assert not facts('{"rate": 3}\n' + after, rows={"kind": "json"})


def test_a_truncated_second_json_document_is_reported() -> None:
    assert facts('{"rate": 3}\n{"rate": 4', rows={"kind": "json"})


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("2:06", "h", None),
        ("2:06", "ms", None),
        ("2:06", "s", (126, "s")),
        ("2:06.5", "ms", (126.5, "s")),
        ("2:06:50", "h", (7610, "s")),
    ],
)
def test_a_time_with_one_colon_is_read_in_a_column_of_seconds(
    text: str, unit: str, expected: tuple[float, str] | None
) -> None:
    assert spelled(text, unit) == expected


@each_row(
    [
        (
            r"A & 412.5\textsuperscript{1} & 612\footnote{see \textbf{2}} & 85\std{1} \\",
            "A & 412.5 & 612 & 85",
        ),
        (r"\cellcolor{gray!20}{\bf 12} & \textcolor{red}{\textbf{13}} & \num{14}", "12 & 13 & 14"),
        (r"GPU & \multicolumn{2}{c}{\textbf{A100}} & H100 \\", "GPU & A100 & & H100"),
        (r"\textbf{\multirow{2}{*}{A100}} & 5 $\mu$s & $1 {\scriptstyle\pm 0.1}$", "A100 & 5 µs & 1 ± 0.1"),
        (r"\ours{} & \best{12.5} & \best{\textbf{13.5}}\std{0.1} & \cite{x}14 \\", " & 12.5 & 13.5 & 14"),
        (r"A & \res{12.5}{0.1} & \phantom{0}5.5 & $\mathbf{7}^{\dagger}$ \\", "A & 12.5 0.1 & 5.5 & 7"),
        (r"A & 412\textsuperscript{1", r"A & 412\textsuperscript1"),
        (r"\cmidrule(lr){2-3}", ""),
    ]
)
def test_a_line_of_latex_has_the_texts_of_its_cells(line: str, expected: str) -> None:
    assert [cell.strip() for cell in latex.plain(line).split("&")] == [x.strip() for x in expected.split("&")]


def test_a_cell_of_several_rows_of_latex_holds_for_each() -> None:
    text = "GPU & n & rate \\\\\n" + "".join(
        f"{gpu} & {n} & {rate} \\\\\n"
        for gpu, n, rate in (
            (r"\multirow{2}{*}{A}", 1, 3),
            ("", 2, 4),
            (r"\multirow{2}*{B}", 1, 5),
            ("", 2, 6),
            ("", 3, 7),
        )
    )
    keys = {"rows": {"kind": "csv", "separator": "&"}, "factors": {"device": "GPU", "n": "n"}}
    found = runs(text, **keys)
    assert [run.factors.get("device") for run in found] == ["A", "A", "B", "B", None]


@pytest.mark.parametrize(("figure", "message"), [
    ({"metric": "bandwith"}, 'x: figures[0].metric: unknown metric "bandwith"; did you mean "bandwidth"?'),
    ({"unit": "samples/fortnight"}, 'x: figures[0].unit: unknown unit "samples/fortnight"'),
    (
        {"metric": "accuracy", "unit": "%", "zero": "rounded"},
        'x: figures[0].zero: "rounded" is for times and rates, and accuracy is none; write "absent"',
    ),
    ({"unit": "ms"}, 'x: figures[0].unit: "ms" does not fit throughput (base unit: samples/s)'),
])  # fmt: skip
def test_a_figure_of_a_wrong_metric_unit_or_zero_is_refused(figure: dict[str, str], message: str) -> None:
    with pytest.raises(RequestError) as error:
        convert({"rows": {"kind": "csv"}, "figures": [{**RATE, **figure}]}, TableFamily, "x.toml")
    assert message.removeprefix("x: ") in str(error.value)


@pytest.mark.parametrize(
    ("text", "statistic"), [("med", "median"), ("p(90)", "p90"), ("p(99.9)", "p99.9"), ("p95", "p95")]
)
def test_statistics_have_one_name(text: str, statistic: str) -> None:
    (run,) = runs(f"lat_{text}\n5\n", rows={"kind": "csv"}, figures=[
        {"column": "lat_{statistic}", "metric": "latency", "unit": "ms"}
    ])  # fmt: skip
    assert [each.statistic for each in run.aggregates] == [statistic]


@pytest.mark.parametrize(
    ("cell", "value", "spread"),
    [
        ("12.3 ± 0.4", 0.0123, 0.0004),
        ("12.3 ms ± 400 us", 0.0123, 0.0004),
        ("1.25 s +/- 20 ms", 1.25, 0.02),
        ("12.3 ± 3 %", 0.0123, 0.000369),
        ("1.23µs ± 2%", 1.23e-6, 2.46e-8),
        ("12.3", 0.0123, None),
        ("12.3 (0.4)", 0.0123, None),
    ],
)
def test_a_cell_may_state_a_spread_beside_its_value(cell: str, value: float, spread: float | None) -> None:
    (run,) = runs(f"t\n{cell}\n", rows={"kind": "csv"}, figures=[
        {"column": "t", "metric": "latency", "unit": "ms"}
    ])  # fmt: skip
    (figure,) = run.aggregates
    assert figure.value == pytest.approx(value)
    assert figure.spread == (None if spread is None else pytest.approx(spread))


def test_commands_of_latex_that_call_each_other_stay_small() -> None:
    lines = [
        rf"\newcommand{{\a{chr(97 + n)}}}[1]{{\a{chr(98 + n)}{{#1}}\a{chr(98 + n)}{{#1}}#2}}"
        for n in range(25)
    ]
    text = "\n".join([*lines, r"x & \aa{1} \\"])
    assert len(latex.expanded(text)) < 200_000
    assert latex.expanded(text).count("\n") == text.count("\n")


OPTIONAL = {"pattern": r"batch (?P<batch>[0-9]+)(?: tp (?P<tp>[0-9]+))?"}
RUN = {"pattern": "run", "resets": True}


@pytest.mark.parametrize(
    ("context", "text", "factors"),
    [
        ([OPTIONAL], "batch 8 tp 2\nrate 5\nbatch 16\nrate 7\n", [(8, 2), (16, None)]),
        ([OPTIONAL], "batch 8 tp 2\nrate 5\nbatch 16\nbatch 4 tp 1\nrate 7\n", [(8, 2), (4, 1)]),
        (
            [{"pattern": r"batch=(?P<batch>\d+)|tp=(?P<tp>\d+)"}],
            "batch=1\ntp=2\nrate 5\nbatch=3\ntp=2\nrate 9\nbatch=4\nrate 9\n",
            [(1, 2), (3, 2), (4, 2)],
        ),
        (
            [{"pattern": r"batch=(?P<batch>\d+)|tp=(?P<tp>\d+)"}],
            "batch=1 tp=2 rate 5\nbatch=3 tp=2 rate 9\n",
            [(1, 2), (3, 2)],
        ),
        (
            [RUN, OPTIONAL | {"lasts": True}],
            "batch 8 tp 2\nrun\nrate 5\nbatch 16\nrate 6\nrun\nrate 7\n",
            [(8, 2), (16, None), (16, None)],
        ),
        (
            [RUN, {"pattern": r"batch=(?P<batch>\d+)|tp=(?P<tp>\d+)", "lasts": True}],
            "batch=1\ntp=2\nrun\nrate 5\nbatch=3\nrun\nrate 7\n",
            [(1, 2), (3, 2)],
        ),
        (
            [{"pattern": "^" + OPTIONAL["pattern"]}, {"pattern": r"^tuned batch (?P<batch>[0-9]+)"}],
            "batch 8 tp 2\ntuned batch 12\nrate 5\nbatch 16\nrate 7\n",
            [(12, 2), (16, None)],
        ),
        (
            [
                RUN,
                *(
                    {"pattern": f"^{x}", "lasts": True}
                    for x in (OPTIONAL["pattern"], r"tuned batch (?P<batch>\d+)")
                ),
            ],
            "batch 8 tp 2\ntuned batch 12\nrun\nrate 5\nbatch 16\nrate 7\n",
            [(12, 2), (16, None)],
        ),
        ([RUN, OPTIONAL | {"after": True}], "run\nrate 5\nbatch 8 tp 2\nbatch 16\n", [(16, None)]),
    ],
)
def test_a_line_that_states_a_fact_again_takes_back_what_the_line_before_it_stated(
    context: list[dict[str, object]], text: str, factors: list[tuple[int, int | None]]
) -> None:
    found = runs(
        text,
        rows={"kind": "pattern", "pattern": r"rate (?P<rate>[0-9.]+)"},
        context=context,
        factors={"batch_size": "batch", "tensor_parallel": "tp"},
    )
    assert [(run.factors["batch_size"], run.factors.get("tensor_parallel")) for run in found] == factors
