"""Accusations beside plain wrong numbers: digits that are cut off, statistics, ratios of a sentence."""

import pytest

from reportgen.audit.numbers import find_unit, is_missing, unit_of_heading
from tests.audit.auditing import audit, mistakes, verdicts
from tests.builders import published_run

RATES = {
    ("OneFlow", 1): 397.64,
    ("OneFlow", 8): 3130.38,
    ("OneFlow", 32): 12411.97,
    ("MXNet", 1): 392.28,
    ("MXNet", 8): 3006.96,
    ("MXNet", 32): 11331.93,
    ("PyTorch", 1): 348.62,
    ("PyTorch", 8): 2632.93,
    ("PyTorch", 32): 10021.29,
}
RUNS = [
    published_run(
        throughput=rate, framework=framework, devices=devices, nodes=max(1, devices // 8), item="image"
    )
    for (framework, devices), rate in RATES.items()
]
TABLE = """\
| framework | 1 GPU | 8 GPUs | 32 GPUs |
|---|---|---|---|
| OneFlow | {} | {} | {} |
| MXNet | {} | {} | {} |
"""


def test_a_digit_that_is_cut_off_differs_where_the_others_are_rounded() -> None:
    text = TABLE.format("397.6", "3130.3", "12412.0", "392.3", "3007.0", "11331.9")
    assert mistakes(audit(text, RUNS)) == [("3130.3", "cut off")]


def test_a_table_in_which_all_digits_are_cut_off_is_accepted() -> None:
    text = TABLE.format("397.6", "3130.3", "12411.9", "392.2", "3006.9", "11331.9")
    assert mistakes(audit(text, RUNS)) == []


def test_a_last_digit_that_is_one_too_low_is_not_cut_off() -> None:
    text = TABLE.format("397.63", "3130.38", "12411.97", "392.28", "3006.96", "11331.93")
    assert [text for text, _ in mistakes(audit(text, RUNS))] == ["397.63"]


@pytest.mark.parametrize(("ratio", "found"), [("31.21", []), ("31.22", ["31.22"]), ("28.99", ["28.99"])])
def test_a_ratio_of_complete_numbers_has_all_its_digits(ratio: str, found: list[str]) -> None:
    text = (
        "| framework | 1 GPU | 8 GPUs | 32 GPUs | 32 GPUs / 1 GPU |\n|---|---|---|---|---|\n"
        f"| OneFlow | 397.64 | 3130.38 | 12411.97 | {ratio} |\n"
        "| MXNet | 392.28 | 3006.96 | 11331.93 | 28.89 |\n"
        "| PyTorch | 348.62 | 2632.93 | 10021.29 | 28.75 |\n"
    )
    assert [text for text, _ in mistakes(audit(text, RUNS))] == found


# The median of three repeats is 100.3 and their mean is 104.1.
REPEATS = [
    published_run(throughput=rate * size, devices=devices, repeat=number)
    for devices, size in ((1, 1.0), (2, 1.93), (4, 3.71), (8, 7.63), (16, 14.87))
    for number, rate in enumerate((98.7, 100.3, 113.3), 1)
]


@pytest.mark.parametrize("context", ["# Median of 3 repeats\n\n{}", "Median of three runs.\n\n{}"])
def test_the_mean_is_not_the_median_that_a_caption_names(context: str) -> None:
    table = "| GPUs | images/s |\n|---|---|\n| 1 | 104.1 |\n| 2 | 193.6 |\n| 4 | 372.1 |\n"
    table += "| 8 | 765.3 |\n| 16 | 1491 |\n"
    found = verdicts(audit(context.format(table), REPEATS))
    assert found["104.1"] in ("differs", "number found, place not")
    assert found["372.1"] == "verified"


def test_the_paragraph_above_a_table_of_html_says_what_it_is_about() -> None:
    runs = [
        published_run(throughput=rate, precision=precision, devices=devices)
        for precision, devices, rate in (
            ("fp32", 1, 141.7), ("fp32", 8, 1098.4), ("fp32", 32, 4231.9),
            ("amp", 1, 467.2), ("amp", 8, 3471.5), ("amp", 32, 12834.6),
        )
    ]  # fmt: skip
    rows = "".join(
        f"<tr><td>{devices}</td><td>{rate}</td></tr>"
        for devices, rate in ((1, 141.7), (8, 1098.4), (32, 4231.9))
    )
    text = f"<p>Mixed precision.</p><table><tr><th>GPUs</th><th>images/s</th></tr>{rows}</table>"
    found = verdicts(audit(text, runs, "t.html"))
    assert {found["141.7"], found["1098.4"], found["4231.9"]} == {"number found, place not"}


@pytest.mark.parametrize(
    ("heading", "unit", "base", "factor"),
    [
        ("images_per_s", "images/s", "samples/s", 1.0),
        ("latency_s", "s", "s", 1.0),
        ("throughput (images/min)", "images/min", "samples/s", 1 / 60),
        ("time (ms/step)", "ms", "s", 1e-3),
    ],
)
def test_units_of_headings(heading: str, unit: str, base: str, factor: float) -> None:
    known = find_unit(unit_of_heading(heading))
    assert (unit_of_heading(heading), known and known.base, known and known.factor) == (unit, base, factor)


def test_the_words_for_a_run_that_failed_are_missing_values() -> None:
    assert all(map(is_missing, ("OOM", "failed", "out of memory", "not run", "CUDA OOM", "n.a.", "-")))
    assert not any(map(is_missing, ("V100", "12", "failed runs: 3")))


SENTENCES = """\
# Training throughput

OneFlow reaches 397.64 images/s on 1 GPU and 12411.97 images/s on 32 GPUs, a speed-up of {}x.

On 32 GPUs MXNet trains at 11331.93 images/s, {}x as fast as on 1 GPU (392.28 images/s).
"""


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [("31.2", "28.9", []), ("31.4", "28.9", ["31.4x"]), ("31.2", "27.9", ["27.9x"])],
)
def test_a_ratio_of_two_numbers_of_its_sentence(first: str, second: str, found: list[str]) -> None:
    document = audit(SENTENCES.format(first, second), RUNS)
    assert [text for text, _ in mistakes(document)] == found
    assert {str(each.verdict) for each in document.judgements} <= {"verified", "derived", "differs"}


def test_words_behind_a_colon_belong_to_the_next_number() -> None:
    text = (
        "OneFlow reaches 397.64 images/s on 1 GPU and 12411.97 images/s on 32 GPUs: it is 31.2x as fast.\n\n"
        "MXNet reaches 392.28 images/s on 1 GPU and 11331.93 images/s on 32 GPUs: it is 28.9x as fast.\n"
    )
    assert set(verdicts(audit(text, RUNS)).values()) == {"verified", "derived"}


def test_counts_in_the_names_of_columns() -> None:
    text = "| framework | node_num | gpu_num_per_node | images/s |\n|---|---|---|---|\n" + "".join(
        f"| {framework} | {max(1, devices // 8)} | {min(devices, 8)} | {rate} |\n"
        for (framework, devices), rate in RATES.items()
    )
    assert set(verdicts(audit(text, RUNS)).values()) == {"verified"}
    swapped = text.replace("3130.38", "x").replace("12411.97", "3130.38").replace("x", "12411.97")
    assert mistakes(audit(swapped, RUNS)) == [("12411.97", "swapped cells"), ("3130.38", "swapped cells")]


def test_rows_with_swapped_labels_are_not_in_their_place() -> None:
    rates = ("397.64", "3130.38", "12411.97", "392.28", "3006.96", "11331.93")
    text = TABLE.format(*rates) + "| PyTorch | 348.62 | 2632.93 | 10021.29 |\n"
    swapped = text.replace("OneFlow", "x").replace("MXNet", "OneFlow").replace("x", "MXNet")
    found = verdicts(audit(swapped, RUNS))
    assert {found[rate] for rate in rates} == {"number found, place not"}
    assert found["2632.93"] == "verified"
    assert set(verdicts(audit(text, RUNS)).values()) == {"verified"}


def test_a_row_that_is_shifted_by_one_column_is_not_in_its_place() -> None:
    text = TABLE.format("3130.38", "12411.97", "397.64", "392.28", "3006.96", "11331.93")
    found = verdicts(audit(text + "| PyTorch | 348.62 | 2632.93 | 10021.29 |\n", RUNS))
    assert {found[rate] for rate in ("3130.38", "12411.97", "397.64")} == {"number found, place not"}


def test_a_row_of_numbers_that_belong_nowhere_is_not_accused() -> None:
    text = TABLE.format("402.17", "3218.6", "12908.4", "392.28", "3006.96", "11331.93")
    found = verdicts(audit(text + "| PyTorch | 348.62 | 2632.93 | 10021.29 |\n", RUNS))
    assert {found[rate] for rate in ("402.17", "3218.6", "12908.4")} == {"no source"}


@pytest.mark.parametrize(
    ("heading", "caption"),
    [("images/min", ""), ("rate", "Throughput in images/min.\n\n"), ("rate", "Throughput (images/min)\n\n")],
)
def test_another_unit_than_the_one_above_the_numbers(heading: str, caption: str) -> None:
    rows = "".join(f"| {framework} | {devices} | {rate} |\n" for (framework, devices), rate in RATES.items())
    text = f"{caption}| framework | GPUs | throughput ({heading}) |\n|---|---|---|\n{rows}"
    document = audit(text, RUNS)
    assert mistakes(document) == [(str(rate), "unit") for rate in RATES.values()]
    right = text.replace("images/min", "images/s")
    assert mistakes(audit(right, RUNS)) == []


def test_a_number_where_the_log_says_that_the_run_failed() -> None:
    failed = published_run(framework="PyTorch", devices=64, status="failed", item="image")
    table = TABLE.replace("32 GPUs |", "32 GPUs | 64 GPUs |").replace("---|\n", "---|---|\n")
    table = table.replace("{} |\n", "{} | - |\n") + "| PyTorch | 348.62 | 2632.93 | 10021.29 | {} |\n"
    rates = ("397.64", "3130.38", "12411.97", "392.28", "3006.96", "11331.93")
    extra = published_run(throughput=24120.7, framework="OneFlow", devices=64, item="image")
    text = table.replace("{} | - |", "{} | 24120.7 |", 1).format(*rates, "19217.4")
    assert mistakes(audit(text, [*RUNS, extra, failed])) == [("19217.4", "failed run")]
    assert mistakes(audit(text.replace("19217.4", "OOM"), [*RUNS, extra, failed])) == []


def test_a_word_inside_of_a_long_name_names_nothing() -> None:
    series = "examples-mxnet-classification-rn50v1.5-mxnet-bz128"
    runs = [
        published_run(throughput=rate, framework=framework, series=name, devices=devices)
        for framework, name, rates in (
            ("NGC MXNet", series, (392.24, 3006.98, 11331.93)),
            ("MXNet", "rn50", (384.19, 2556.03, 9579.74)),
        )
        for devices, rate in zip((1, 8, 32), rates, strict=True)
    ]
    table = "| GPUs | images/s |\n|---|---|\n| 1 | 392.24 |\n| 8 | 3006.98 |\n| 32 | 11331.93 |\n"
    found = verdicts(audit(f"## NGC MXNet\n\nSeries {series}:\n\n{table}", runs))
    assert set(found.values()) == {"verified"}


def test_ratios_of_groups_each_relative_to_its_first_row() -> None:
    rows = [
        f"| {framework} | {devices} | {rate} | {rate / RATES[framework, 1]:.2f} |\n"
        for (framework, devices), rate in RATES.items()
    ]
    text = "| framework | GPUs | images/s | scaling |\n|---|---|---|---|\n" + "".join(rows)
    found = verdicts(audit(text, RUNS))
    assert (found["31.21"], found["28.89"], found["28.75"]) == ("derived", "derived", "derived")
    assert [text for text, _ in mistakes(audit(text.replace("28.89", "29.88"), RUNS))] == ["29.88"]


def test_a_column_named_after_two_others_has_their_ratios() -> None:
    text = (
        "| framework | 1 GPU | 32 GPUs | 32 gpus/1 gpu |\n|---|---|---|---|\n"
        "| OneFlow | 397.64 | 12411.97 | 31.21 |\n"
        "| MXNet | 392.28 | 11331.93 | 28.89 |\n"
        "| PyTorch | 348.62 | 10021.29 | 28.75 |\n"
    )
    assert verdicts(audit(text, RUNS))["28.75"] == "derived"
    assert [text for text, _ in mistakes(audit(text.replace("28.89", "29.88"), RUNS))] == ["29.88"]
