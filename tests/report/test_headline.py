"""The sentences at the top that the program writes: one for each table that compares, with what it rests on."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from reportgen.core.model import Finding, Run
from reportgen.core.rules import Rule
from reportgen.report import headline
from reportgen.report.headline import MAX_WORDS, headline_sentences, words_of
from reportgen.report.headline_values import value_sentences
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import NO_FACTS, SpeedFact, SpeedFacts
from reportgen.tables.results import Table
from reportgen.tables.spec import CompareSpec
from tests.builders import aggregate, published_run, run, series, table_spec
from tests.conftest import ROOT

NOISE = (0.0, 0.6, -0.2, 0.1, -0.4, 0.2, -0.3)


def tables(runs: list[Run], compare: CompareSpec, facts: SpeedFacts = NO_FACTS, **fields: Any) -> list[Table]:
    """Return the tables of one entry that shows the comparison of step times."""
    show = ("observed", "excess") if compare.kind == "expected" else (compare.kind,)
    spec = table_spec(
        **{"metrics": ("step_time",), "title": "Training", "show": show, "compare": compare, **fields}
    )
    return build_tables(spec, runs, facts)


def repeats(
    step: float, *, start: float | None = None, noise: Sequence[float] = NOISE, **factors: Any
) -> list[Run]:
    """Return seven runs around a step time in s, one every 10 s."""
    return [
        run(
            series([step * (1 + each / 100)] * 150),
            id=f"{factors}{at}",
            factors=factors,
            started=None if start is None else start + 10.0 * at,
        )
        for at, each in enumerate(noise)
    ]


def two(own: list[Run], base: list[Run], **fields: Any) -> list[str]:
    """Return the sentences on driver 550 against driver 470."""
    where = {"driver": ("550",)}
    compare = fields.pop("compare", CompareSpec("ratio", {"driver": "470"}))
    return headline_sentences(
        tables([*own, *base], compare, **{"where": where, "rows": ("driver",), **fields})
    )


def test_without_a_comparison_there_is_no_headline() -> None:
    made = build_tables(table_spec(metrics=("step_time",)), repeats(1.0, driver="470"), NO_FACTS)
    assert headline_sentences(made) == []


@pytest.mark.parametrize(
    ("step", "start", "text"),
    [
        (0.5, 5.0, "Training: 550 is 2x as fast as 470 (1.99x to 2.01x)."),
        (1.05, 5.0, "Training: 550 is 4.8 % slower than 470 (4.4 % to 5.1 %; 5.0 % more time)."),
        (1.0, 5.0, "Training: 550 is as fast as 470: no difference larger than 0.4 %."),
        (0.9, 1000.0, "Training: 550 is 11 % faster than 470 (896.4 to 905.4 against 996.0 to 1,006 ms)."),
        (
            0.999,
            1000.0,
            "Training: 550 seems 0.1 % faster than 470 (995.0 to 1,005 against 996.0 to 1,006 ms), "
            "but this is undecided. Not interleaved; 6 interleaved rounds could decide, about 30 minutes.",
        ),
    ],
)
def test_a_pair_has_its_interval_or_both_ranges(step: float, start: float, text: str) -> None:
    own = repeats(step, start=start, noise=NOISE[::-1], driver="550")
    assert " ".join(two(own, repeats(1.0, start=0.0, driver="470"))) == text


def test_a_likely_difference_is_called_so_and_is_not_counted_as_decided() -> None:
    """The other cases lend their spread; the pair of the model b differs by nothing."""
    runs = [
        each
        for model, step in (("a", 1.05), ("b", 1.0))
        for driver, seconds, start in (("550", step, 1000.0), ("470", 1.0, 0.0))
        for each in repeats(seconds, start=start, noise=(0, 0.4, -0.4), driver=driver, model=model)
    ]
    compare = CompareSpec("ratio", {"driver": "470"})
    where = {"driver": ("550",)}
    alone = headline_sentences(tables(runs, compare, rows=("driver",), where={**where, "model": ("a",)}))
    assert alone == [
        "Training: 550 is likely 4.8 % slower than 470 "
        "(5.0 % more time; 1.046 to 1.054 against 0.9960 to 1.004 s; spread 0.4 % of 4 cases)."
    ]
    both = headline_sentences(tables(runs, compare, rows=("model",), columns=("driver",), where=where))
    assert both[0] == (
        "Training: 550 is likely 4.8 % slower than 470 (a; 5.0 % more time); "
        "1 other differs by at most 0.1 % (undecided)."
    )


def test_published_figures_are_called_so() -> None:
    own, base = (
        published_run(values={"step": value}, driver=driver) for value, driver in ((1.0, "550"), (1.5, "470"))
    )
    assert two([own], [base]) == ["Training: 550 is 50 % faster than 470 (published figures)."]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("speedup", "Training: 4 devices are 2x as fast as 1 device (published figures)."),
        (
            "efficiency",
            "Training: 4 devices reach 2.00x the speed of 1 device (50 % of ideal; published figures).",
        ),
    ],
)
def test_speed_ups_and_efficiencies_make_sentences_too(kind: Any, text: str) -> None:
    runs = [published_run(throughput=value, devices=n) for value, n in ((100.0, 1), (200.0, 4))]
    made = tables(runs, CompareSpec(kind, {"devices": 1}), metrics=("throughput",), rows=("devices",))
    assert headline_sentences(made) == [text]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (240.0, "240x slower than"),
        (12.5, "12.5x slower than"),
        (0.05, "20x as fast as"),
        (2.5, "0.4x as fast as"),
    ],
)
def test_a_large_ratio_is_a_factor_and_not_a_small_number(seconds: float, text: str) -> None:
    own, base = (
        published_run(values={"step": value}, driver=driver)
        for value, driver in ((seconds, "550"), (1.0, "470"))
    )
    assert two([own], [base]) == [f"Training: 550 is {text} 470 (published figures)."]


@pytest.mark.parametrize(
    ("devices", "rate", "text"),
    [
        (32, 2932.0, "29.3x the speed of 1 device (92 % of ideal;"),
        (32, 160.0, "1.60x the speed of 1 device (5.0 %"),
    ],
)
def test_scaling_is_a_speed_up_with_its_share_of_the_ideal(devices: int, rate: float, text: str) -> None:
    runs = [published_run(throughput=value, devices=n) for value, n in ((100.0, 1), (rate, devices))]
    made = tables(runs, CompareSpec("efficiency", {"devices": 1}), metrics=("throughput",), rows=("devices",))
    assert headline_sentences(made)[0].startswith(f"Training: {devices} devices reach {text}")


def test_several_pairs_are_a_mean_with_both_ends() -> None:
    runs = [
        published_run(throughput=value, device=device, batch_size=batch, model=model)
        for value, device, batch, model in (
            (100.0, "V100", 1, "a"),
            (100.0, "V100", 2, "a"),
            (400.0, "A100", 1, "a"),
            (100.0, "A100", 2, "a"),
        )
    ]
    made = tables(
        runs,
        CompareSpec("ratio", {"device": "V100"}, mean=True),
        metrics=("throughput",),
        rows=("batch_size",),
        columns=("device",),
        where={"device": ("A100",)},
    )
    assert headline_sentences(made) == [
        "Training: A100 is 2x as fast as V100 in the geometric mean of 2 batch sizes: "
        "1x (batch size 2) to 4x (batch size 1) as fast (published figures)."
    ]


def spanned(speeds: dict[str, tuple[float, float]], **fields: Any) -> str:
    """Return the sentence on driver 550 against 470 with the models a and b, which have (470, 550) as speeds."""
    runs = [
        published_run(**{"throughput": value, "driver": driver, "model": model, **fields})
        for model, values in speeds.items()
        for driver, value in zip(("470", "550"), values, strict=True)
    ]
    (sentence,) = two(runs, [], metrics=("throughput",), rows=("model",))
    return sentence.removesuffix(" (published figures).")


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (2.0, 3.0, "550 is 2x (a) to 3x (b) as fast as 470"),
        (0.8, 0.25, "550 is 0.25x (b) to 0.8x (a) as fast as 470"),
        (0.8, 3.0, "550 is 3x as fast as 470 (b) and 20 % slower (a)"),
        (1.0, 3.0, "550 is 3x as fast as 470 (b); 1 other is within 1 %"),
        (1.0, 0.8, "550 is 20 % slower than 470 (b); 1 other is within 1 %"),
        (1.0, 1.0, "550 is as fast as 470 in both models"),
        (2.0, 2.0, "550 is 2x as fast as 470 in both models"),
    ],
)
def test_the_ends_of_a_range_have_their_direction(first: float, second: float, text: str) -> None:
    assert spanned({"a": (1.0, first), "b": (1.0, second)}) == f"Training: {text}"


def test_of_differences_in_both_directions_the_largest_are_named() -> None:
    speeds = {"a": (1.0, 1.5), "b": (1.0, 0.9), "c": (1.0, 0.8), "d": (1.0, 1.001)}
    assert spanned(speeds) == (
        "Training: 550 is 50 % faster than 470 (a) and up to 20 % slower (c); 1 other is within 1 %"
    )


def with_mean(speeds: dict[str, tuple[float, float]]) -> str:
    runs = [
        published_run(throughput=value, driver=driver, model=model, batch_size=8)
        for model, values in speeds.items()
        for driver, value in zip(("470", "550"), values, strict=True)
    ]
    compare = CompareSpec("ratio", {"driver": "470"}, mean=True)
    (sentence,) = two(runs, [], compare=compare, metrics=("throughput",), rows=("model", "batch_size"))
    return sentence


def test_a_mean_of_both_directions_says_which_is_the_exception() -> None:
    """The fourth root of 1.1 x 1.2 x 1.05 x 0.51 is 0.917."""
    speeds = {"a": (1.0, 1.1), "b": (1.0, 1.2), "c": (1.0, 1.05), "d": (1.0, 0.51)}
    assert with_mean(speeds) == (
        "Training: 550 is 5.0 % to 20 % faster than 470 in 3 of 4 models but 49 % slower in d; "
        "geometric mean: 8.3 % slower (one run each)."
    )


def test_what_is_undecided_is_counted_beside_what_is_decided() -> None:
    """The model a is 10 % slower in all repeats, so its step takes 11 % more time; b differs by noise alone."""
    runs = [
        each
        for model, step in (("a", 10 / 9), ("b", 1.0))
        for driver, seconds, start in (("550", step, 1000.0), ("470", 1.0, 0.0))
        for each in repeats(seconds, start=start, driver=driver, model=model)
    ]
    compare, where = CompareSpec("ratio", {"driver": "470"}), {"driver": ("550",)}
    (sentence, *_) = headline_sentences(
        tables(runs, compare, rows=("model",), columns=("driver",), where=where)
    )
    assert sentence == (
        "Training: 550 is 10 % slower than 470 (a; 11 % more time); "
        "1 other differs by at most 0.1 % (undecided)."
    )


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        # The most devices, regardless of those between.
        (
            (1, 2, 8),
            "8 devices are 40 % slower than 1 device (60.00 against 100.0 samples/s; single-run means)",
        ),
        ((1, 8), "8 devices are 40 % slower than 1 device (published figures)"),
    ],
)
def test_of_sizes_the_largest_is_compared(sizes: Sequence[int], text: str) -> None:
    rates = {1: 100.0, 2: 70.0, 8: 60.0}
    kind = "published figures" if len(sizes) == 2 else "one run each"
    runs = [
        published_run(throughput=rates[n], devices=n)
        if kind == "published figures"
        else run(aggregate(rates[n], metric="throughput"), id=f"{n}", factors={"devices": n})
        for n in sizes
    ]
    made = tables(runs, CompareSpec("speedup", {"devices": 1}), metrics=("throughput",), rows=("devices",))
    assert headline_sentences(made) == [f"Training: {text}."]


def test_of_sizes_over_a_sweep_the_largest_are_compared() -> None:
    runs = [
        published_run(throughput=tp * load * (0.9 if tp > 1 else 1.0), tensor_parallel=tp, concurrency=load)
        for tp in (1, 2, 4)
        for load in (1, 16, 64)
    ]
    compare = CompareSpec("speedup", {"tensor_parallel": 1})
    fields: dict[str, Any] = {"metrics": ("throughput",), "rows": ("concurrency",)}
    assert headline_sentences(tables(runs, compare, columns=("tensor_parallel",), **fields)) == [
        "Training: at concurrency 64, tensor parallel 4 is 3.6x as fast as tensor parallel 1 "
        "(230.4 against 64.00 samples/s; published figures)."
    ]


def test_times_of_a_sentence_have_the_unit_of_the_table() -> None:
    own, base = (repeats(step, start=0.0, driver=driver) for step, driver in ((90.0, "550"), (88.0, "470")))
    (sentence, *_) = two(own, base, unit="min", show=("value", "ratio"))
    assert "(2.3 % more time; 1.494 to 1.509 against 1.461 to 1.475 min)" in sentence


def test_ranges_without_a_direction_are_sentences_too() -> None:
    memory = [
        published_run(memory=value * 2.0**30, driver=driver, model=model)
        for value, driver, model in ((2, "470", "a"), (3, "550", "a"), (2, "470", "b"), (4, "550", "b"))
    ]
    assert two(memory, [], metrics=("memory_used",), rows=("model",)) == [
        "Training: 550 has 1.50x (a) to 2.00x (b) the memory used of 470 (published figures)."
    ]
    scaling = [
        published_run(throughput=value, devices=n) for value, n in ((100.0, 1), (180.0, 2), (200.0, 4))
    ]
    compare = CompareSpec("efficiency", {"devices": 1})
    assert headline_sentences(tables(scaling, compare, metrics=("throughput",), rows=("devices",))) == [
        "Training: 4 devices reach 2.00x the speed of 1 device (50 % of ideal; published figures)."
    ]


def test_scaling_of_one_work_of_several_names_it() -> None:
    runs = [published_run(throughput=100.0 * n, devices=n, model="x") for n in (1, 2, 4)]
    compare = CompareSpec("efficiency", {"devices": 1})
    made = tables(
        [*runs, published_run(throughput=7.0, devices=4, model="y")],
        compare,
        metrics=("throughput",),
        rows=("model", "devices"),
    )
    assert headline_sentences(made)[0] == (
        "Training (x): 4 devices reach 4.00x the speed of 1 device (100 % of ideal; published figures)."
    )


def test_cases_with_different_baselines_are_compared_with_theirs() -> None:
    runs = [
        published_run(throughput=value, device=device, batch_size=batch, model=model)
        for value, device, batch, model in (
            (10.0, "A", 1, "x"),
            (9.0, "A", 2, "x"),
            (20.0, "B", 2, "x"),
            (10.0, "A", 2, "y"),
            (5.0, "B", 4, "y"),
        )
    ]
    made = tables(
        runs,
        CompareSpec("speedup", {"device": "A"}),
        metrics=("throughput",),
        rows=("model",),
        pick={"batch_size": "best"},
        where={"device": ("B",)},
    )
    assert headline_sentences(made) == [
        "Training: the cases are 0.5x (y, batch size 4 (B)) to 2x (x, batch size 2 (B)) as fast "
        "as their baselines (published figures)."
    ]


def ranked(speeds: dict[str, tuple[float, ...]]) -> list[str]:
    """Return the sentences on devices over batch sizes, relative to A."""
    runs = [
        published_run(throughput=value, device=device, batch_size=batch)
        for device, values in speeds.items()
        for batch, value in enumerate(values, start=1)
    ]
    keys = {"metrics": ("throughput",), "rows": ("batch_size", "device")}
    return headline_sentences(tables(runs, CompareSpec("speedup", {"device": "A"}), **keys))


def test_several_systems_are_ranked_by_their_mean() -> None:
    speeds = {"A": (100.0, 200.0), "B": (150.0, 310.0), "C": (80.0, 440.0), "D": (50.0,), "E": (199.0, 402.0)}
    assert ranked(speeds) == [
        "Training: relative to A, E is 1.99x to 2.01x as fast (2 batch sizes), 2 more follow "
        "and D is 0.5x as fast (1 comparison) (published figures).",
        "Not every side has every case: D has 1 of 2 batch sizes (not batch size 2).",
    ]


def test_several_comparisons_share_the_sentence_about_what_would_decide_them() -> None:
    """Two repeats each, in an unknown order: the fewest without an order are five."""
    runs = [
        each
        for device, step in (("A", 1.0), ("B", 0.6), ("C", 1.1))
        for each in repeats(step, noise=(0.4, -0.4), device=device)
    ]
    sentences = headline_sentences(tables(runs, CompareSpec("speedup", {"device": "A"}), rows=("device",)))
    assert sentences == [
        "Training: relative to A, B is 67 % faster and C is 9.1 % slower "
        "(both undecided: 2 repeats each are too few to decide).",
        "The order of the runs is not known, and fewer than 5 repeats; 6 interleaved rounds could decide.",
    ]


def test_systems_that_hardly_differ_from_the_baseline_share_a_sentence() -> None:
    (sentence,) = ranked({"A": (100.0,), "B": (100.4,), "C": (77.0,), "D": (99.8,)})
    assert sentence == (
        "Training: relative to A, C is 23 % slower and B and D are within 1 % (published figures)."
    )


def test_systems_with_a_mean_in_the_table_are_ranked_by_that() -> None:
    """The geometric mean of 2 and 8 is 4, of 1 and 4 it is 2."""
    runs = [
        published_run(throughput=value, device=device, model=model)
        for device, values in {"A": (1.0, 1.0), "B": (1.0, 4.0), "C": (2.0, 8.0)}.items()
        for model, value in zip("xy", values, strict=True)
    ]
    compare = CompareSpec("speedup", {"device": "A"}, mean=True)
    fields: dict[str, Any] = {"metrics": ("throughput",), "rows": ("model",), "columns": ("device",)}
    assert headline_sentences(tables(runs, compare, **fields)) == [
        "Training: C is 4.00x (2.00x to 8.00x) and B 2.00x (1.00x to 4.00x) as fast as A, "
        "geometric means of 2 comparisons "
        "(published figures)."
    ]


def test_several_models_scale_to_the_most_devices() -> None:
    runs = [
        published_run(throughput=value, devices=n, model=model)
        for model, values in {"x": (10.0, 19.0, 36.0), "y": (10.0, 18.0, 32.0)}.items()
        for n, value in zip((1, 2, 4), values, strict=True)
    ]
    compare = CompareSpec("efficiency", {"devices": 1})
    made = tables(runs, compare, metrics=("throughput",), rows=("devices",), columns=("model",))
    assert headline_sentences(made) == [
        "Training: on 4 devices, x reaches 3.60x the speed of 1 device (90 % of ideal) and y 3.20x "
        "(80 % of ideal; published figures)."
    ]


def test_a_sentence_too_long_drops_places_and_then_subjects() -> None:
    """With both places, the range has 34 words; the three subjects have 37."""
    name = "a model with a long name of many words"
    assert spanned({f"{name} {n}": (1.0, ratio) for n, ratio in (("x", 1.2), ("y", 1.5))}) == (
        "Training: 550 is 20 % to 50 % faster than 470"
    )
    (sentence,) = ranked({"A": (1.0,), **{f"the device of {n} words": (n * 1.0,) for n in (2, 3, 4)}})
    assert sentence == (
        "Training: relative to A, the device of 4 words is 4x as fast, 1 more follows and "
        "the device of 2 words is 2x as fast (published figures)."
    )
    (sentence,) = ranked({"A": (1.0,), **{f"{'long ' * 15}{n}": (n * 1.0,) for n in (2, 3, 4)}})
    assert sentence.endswith(" 4 is 4x as fast (published figures).")
    assert words_of(sentence) <= MAX_WORDS


def test_of_many_systems_the_fastest_and_the_slowest_are_named() -> None:
    (sentence,) = ranked({name: (100.0 * (at + 1),) for at, name in enumerate("ABCDEFG")})
    assert sentence == (
        "Training: relative to A, G is 7x as fast, 4 more follow and B is 2x as fast (published figures)."
    )


def test_a_sentence_about_parts_of_a_step_is_about_the_longest() -> None:
    runs = [
        published_run(values={"forward": 1.0 * factor, "backward": 2.0 * factor, "between": 0.5}, device=name)
        for name, factor in (("A", 1.0), ("B", 2.0))
    ]
    phases = ("between", "forward", "backward")
    made = tables(
        runs, CompareSpec("ratio", {"device": "A"}), phases=phases, rows=("device",), columns=("phase",)
    )
    assert headline_sentences(made) == [
        "Training (backward without forward and between): B is 0.5x as fast as A (published figures)."
    ]


def test_a_case_is_named_by_the_headings_of_its_table() -> None:
    runs = [
        published_run(throughput=value, cluster=cluster, device=device)
        for value, cluster, device in ((100.0, "JADE2", "V100"), (200.0, "TN", "A40"))
    ]
    compare = CompareSpec("speedup", {"cluster": "JADE2", "device": "V100"})
    (sentence,) = headline_sentences(tables(runs, compare, metrics=("throughput",), rows=("cluster",)))
    assert sentence == "Training: TN is 2x as fast as JADE2 (published figures)."


def test_the_mean_is_that_of_the_pairs_of_the_sentence() -> None:
    runs = [
        run(
            series([step] * 150),
            series([forward] * 150, "forward"),
            id=f"{model}{driver}",
            factors={"driver": driver, "model": model},
        )
        for model, driver, step, forward in (
            ("a", "470", 4.0, 1.0),
            ("b", "470", 4.0, 1.0),
            ("a", "550", 1.0, 0.1),
            ("b", "550", 4.0, 0.1),
        )
    ]
    compare = CompareSpec("ratio", {"driver": "470"}, mean=True)
    fields: dict[str, Any] = {"rows": ("model", "phase"), "phases": ("step", "forward")}
    (sentence,) = two(runs, [], compare=compare, **fields)
    assert sentence.startswith("Training: 550 is 2x as fast as 470 in the geometric mean of 2 models: ")


def test_equal_speeds_have_no_direction() -> None:
    own, base = (published_run(values={"step": 1.0}, driver=driver) for driver in ("550", "470"))
    assert two([own], [base]) == ["Training: 550 is as fast as 470 (published figures)."]


def test_a_range_of_step_times_is_one_of_speeds_and_counts_its_verdicts() -> None:
    runs = [
        each
        for n, step in ((1, 0.5), (2, 1.0))
        for each in repeats(step, start=5.0 * n, noise=NOISE[::-1], n=n, driver="550")
    ]
    runs += [each for n in (1, 2) for each in repeats(1.0, start=5.0 * n - 4, n=n, driver="470")]
    (sentence,) = two(runs, [], rows=("n",))
    assert sentence == ("Training: 550 is 2x as fast as 470 (n 1); 1 other is equally fast.")


def test_memory_has_no_faster() -> None:
    runs = [
        published_run(memory=value, driver=driver) for value, driver in ((2.0**30, "470"), (2.0**31, "550"))
    ]
    assert two(runs, [], metrics=("memory_used",)) == [
        "Training: 550 has 2.00x the memory used of 470 (published figures)."
    ]


def test_a_part_of_the_step_names_what_it_leaves_out() -> None:
    runs = [
        published_run(values={"data_loading": 1.0, "forward": forward, "backward": 2.0}, driver=driver)
        for forward, driver in ((1.0, "470"), (2.0, "550"))
    ]
    assert two(runs, [], phases=("forward",)) == [
        "Training (forward without data loading and backward): 550 is 0.5x as fast as 470 "
        "(published figures)."
    ]
    measured = run(series([1.0] * 150), series([0.5] * 150, "forward"), factors={"driver": "470"})
    other = run(series([1.0] * 150), series([0.25] * 150, "forward"), id="b", factors={"driver": "550"})
    assert two([measured, other], [], phases=("forward",)) == [
        "Training (forward without the rest of the step): 550 is 2x as fast as 470 (one run each)."
    ]


def test_a_table_about_the_whole_step_is_quoted_rather_than_one_about_a_part() -> None:
    runs = [
        published_run(values={"forward": forward, "backward": 2.0}, driver=driver)
        for forward, driver in ((1.0, "470"), (4.0, "550"))
    ]
    fields: dict[str, Any] = {"rows": ("driver",), "where": {"driver": ("550",)}}
    compare = CompareSpec("ratio", {"driver": "470"})
    part = tables(runs, compare, id="part", title="Forward", phases=("forward",), **fields)
    totals = {"total": ("forward", "backward")}
    both = tables(
        runs, compare, id="both", title="Phases", phases=("forward", "total"), totals=totals,
        **{**fields, "columns": ("phase",)},
    )  # fmt: skip
    assert headline_sentences([*part, *both]) == [
        "Phases (total): 550 is 0.5x as fast as 470 (published figures)."
    ]


def test_at_most_three_tables_are_quoted_and_facets_are_one() -> None:
    speeds = ((1.0, "470", "a"), (2.0, "550", "a"), (1.0, "470", "b"), (3.0, "550", "b"))
    names = ("one", "two", "three", "four", "five")
    runs = {
        name: [published_run(throughput=v, driver=d, model=m, dataset=name) for v, d, m in speeds]
        for name in names
    }
    made = [
        table
        for name in names
        for table in tables(
            runs[name],
            CompareSpec("ratio", {"driver": "470"}),
            id=name,
            title=name,
            metrics=("throughput",),
            facets=("model",),
            rows=("driver",),
            where={"driver": ("550",)},
        )
    ]
    assert headline_sentences(made) == [
        f"{name}: 550 is 2x (a) to 3x (b) as fast as 470 (published figures)."
        for name in ("one", "two", "three")
    ]
    # A table that repeats comparisons is not quoted again.
    assert headline_sentences([*made[:2], *made[:2]]) == headline_sentences(made[:2])


def test_cells_without_comparison_are_counted() -> None:
    gap = Finding("warning", Rule.PROTOCOL_GAP, "x", "2 s left out")
    note = Finding("note", Rule.READ_EXCERPT, "x", "an excerpt")
    own = run(aggregate(1.0), id="own", factors={"driver": "550", "n": 1})
    base = run(aggregate(2.0), gap, note, id="base", factors={"driver": "470", "n": 1})
    others = [
        run(aggregate(1.0), id="o", factors={"driver": "550", "n": 2}, samples_per_step=1),
        run(aggregate(1.0), id="b", factors={"driver": "470", "n": 2}, samples_per_step=2),
    ]
    assert two([own, *others], [base], rows=("n",)) == [
        "Training (n 1): 550 is 2x as fast as 470 (single-run means).",
        "1 cell is not comparable with the baseline.",
    ]


def facts(*speeds: float) -> SpeedFacts:
    """Return that a V100 runs at these speeds of an A40."""
    systems = {name: {"device": (name,)} for name in ("V100", "A40")}
    return SpeedFacts(
        systems, tuple(SpeedFact("V100", "A40", speed, {}, "source", "", "", "p") for speed in speeds)
    )


@pytest.mark.parametrize(
    ("observed", "speed", "text"),
    [
        (
            9.32,
            0.621,
            "V100 takes 9.32x as long as A40; hardware explains 1.61x, so it takes 5.79x as long as expected",
        ),
        (
            0.8,
            2.0,
            "V100 takes 0.800x as long as A40; 0.500x is expected, so it takes 1.60x as long as expected",
        ),
        (
            1.5,
            0.5,
            "V100 takes 1.50x as long as A40; hardware explains 2.00x, so it takes 0.750x as long as expected",
        ),
    ],
)
def test_an_expected_speed_is_compared_with_the_observed_one(
    observed: float, speed: float, text: str
) -> None:
    runs = [
        published_run(values={"step": value}, device=name)
        for value, name in ((1.0, "A40"), (observed, "V100"))
    ]
    compare = CompareSpec("expected", {"device": "A40"})
    made = tables(runs, compare, facts(speed), rows=("device",))
    assert headline_sentences(made) == [f"Training: {text} (published figures)."]


def test_an_expected_speed_of_a_part_follows_the_whole_step() -> None:
    runs = [
        published_run(values={"data_loading": wait, "forward": forward, "backward": 2.0}, device=device)
        for wait, forward, device in ((1.0, 1.0, "A40"), (20.0, 4.0, "V100"))
    ]
    made = tables(
        runs,
        CompareSpec("expected", {"device": "A40"}),
        facts(0.8),
        rows=("phase",),
        phases=("forward", "backward", "compute", "all"),
        totals={"compute": ("forward", "backward"), "all": ("data_loading", "forward", "backward")},
        where={"device": ("V100",)},
    )
    assert headline_sentences(made) == [
        "Training (all): V100 takes 6.50x as long as A40; without data loading it takes 2.00x as long; "
        "hardware explains 1.25x, so it takes 1.60x as long as expected (published figures)."
    ]


def test_a_measured_slowdown_has_its_interval() -> None:
    runs = [
        *repeats(2.0, start=5.0, noise=NOISE[::-1], device="V100"),
        *repeats(1.0, start=0.0, device="A40"),
    ]
    (sentence,) = headline_sentences(
        tables(runs, CompareSpec("expected", {"device": "A40"}), facts(0.8), rows=("device",))
    )
    assert sentence == (
        "Training: V100 takes 2.00x as long (1.99x to 2.01x) as A40; hardware explains 1.25x, "
        "so it takes 1.60x as long as expected."
    )


def values(*runs: Run, **fields: Any) -> list[str]:
    """Return the sentences about the numbers of a table that compares nothing."""
    fields = {"metrics": ("throughput",), "title": "Speed", "rows": ("device",), **fields}
    return value_sentences(build_tables(table_spec(**fields), list(runs), NO_FACTS))


@pytest.mark.parametrize(
    ("factors", "rows", "sentence"),
    [
        ({"device": "NVIDIA A40"}, ("device",), "8.000 images/s on A40"),
        (
            {"model": "resnet50", "batch_size": 128, "device": "NVIDIA A40", "devices": 1},
            ("model", "device", "batch_size"),
            "resnet50 at batch size 128 runs at 8.000 images/s on A40",
        ),
        (
            {"model": "bert", "precision": "fp16", "batch_size": 8, "seq_len": 384, "devices": 16},
            ("model", "devices", "precision", "batch_size", "seq_len"),
            "bert (fp16) at batch size 8 and seq len 384 runs at 8.000 images/s on 16 devices",
        ),
        ({"test": "plain"}, ("test",), "8.000 images/s (plain)"),
        (
            {"framework": "jax", "global_batch_size": 128, "devices": 8},
            ("framework", "devices", "global_batch_size"),
            "8.000 images/s at global batch size 128 with jax on 8 devices",
        ),
    ],
)
def test_the_only_number_has_what_was_run_and_its_repeats(
    factors: dict[str, Any], rows: tuple[str, ...], sentence: str
) -> None:
    one, two = (published_run(throughput=rate, item="image", **factors) for rate in (8.0, 9.0))
    assert values(one, rows=rows) == [f"Speed: {sentence}; it comes from one run, so its spread is unknown."]
    of_two = sentence.replace("8.000", "8.500")
    assert values(one, two, rows=rows) == [f"Speed: {of_two}; its 2 repeats are 8.000 to 9.000."]


def test_the_verb_of_the_only_number_follows_from_its_metric() -> None:
    for metric, numbers, sentence in (
        ("step_time", {"values": {"step": 2.0}}, "a takes 2.000 s"),
        ("memory_used", {"memory": 2.0}, "a has 2.000 B"),
    ):
        (text,) = values(published_run(**numbers, model="a"), metrics=(metric,), rows=("model",))
        assert text == f"Speed: {sentence}; it comes from one run, so its spread is unknown."


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        # Another model ran on the other devices.
        (
            [{"model": "a", "devices": 1}, {"model": "b", "devices": 8}],
            "1.000 images/s (a, devices 1) and 2.000 images/s (b, devices 8)",
        ),
        # One log does not state what distinguishes the others.
        (
            [{"model": "a", "system": "x"}, {"model": "a", "system": "y"}, {"model": "b"}],
            "1.000 images/s (a, x), 2.000 images/s (a, y) and 3.000 images/s (b)",
        ),
        ([{"seq_len": 1}, {"seq_len": 2}], "1.000 images/s (seq len 1) and 2.000 images/s (seq len 2)"),
    ],
)
def test_listed_numbers_are_named_by_what_was_run(cases: list[dict[str, Any]], expected: str) -> None:
    runs = [published_run(throughput=n, item="image", **case) for n, case in enumerate(cases, 1)]
    assert values(*runs, rows=tuple(dict.fromkeys(name for case in cases for name in case))) == [
        f"Speed: {expected}."
    ]


def test_without_a_comparison_the_sentence_lists_a_few_numbers() -> None:
    runs = [
        published_run(throughput=v, model=m, item="token") for v, m in ((4.0, "x"), (2.0, "y"), (3.0, "z"))
    ]
    assert values(*runs, rows=("model",)) == [
        "Speed: 4.000 tokens/s (x), 2.000 tokens/s (y) and 3.000 tokens/s (z)."
    ]


def test_of_many_numbers_of_different_work_the_largest_is_named() -> None:
    runs = [published_run(throughput=float(n), model=f"m{n}", item="token") for n in range(1, 6)]
    assert values(*runs, rows=("model",)) == [
        "Speed: the highest of 5 numbers is 5.000 tokens/s (m5); they are not compared."
    ]


@pytest.mark.parametrize(
    ("rates", "text"),
    [
        ((10.0, 20.0, 30.0), "the best is 30.00 tokens/s at batch size 4; batch size 1 has 10.00 tokens/s"),
        ((40.0, 20.0, 30.0), "the best is 40.00 tokens/s at batch size 1; batch size 4 has 30.00 tokens/s"),
    ],
)
def test_over_a_size_the_best_number_and_the_other_end_are_named(rates: Sequence[float], text: str) -> None:
    runs = [
        published_run(throughput=rate, batch_size=2**n, model="x", item="token")
        for n, rate in enumerate(rates)
    ]
    assert values(*runs, rows=("batch_size",)) == [f"Speed: {text}."]


def test_several_curves_have_their_best_numbers() -> None:
    runs = [
        published_run(throughput=rate, batch_size=2**n, mode=mode, item="token")
        for mode, rates in {"a": (1.0, 2.0, 3.0), "b": (4.0, 6.0, 5.0)}.items()
        for n, rate in enumerate(rates)
    ]
    assert values(*runs, rows=("batch_size",), columns=("mode",)) == [
        "Speed: at the best batch size, b has 6.000 tokens/s (2) and a 3.000 (4)."
    ]


def test_a_curve_says_which_sizes_have_no_number() -> None:
    def curves(*lost: tuple[str, int]) -> str:
        runs = [
            run(
                *(
                    []
                    if (mode, size) in lost
                    else [aggregate(float(size), metric="throughput", unit="samples/s")]
                ),
                id=f"{mode}{size}",
                status="out_of_memory" if (mode, size) in lost else "complete",
                factors={"mode": mode, "batch_size": size, "item": "token"},
            )
            for mode in ("a", "b")
            if mode == "a" or len(lost) > 1
            for size in (1, 2, 4, 8, 16)
        ]
        (sentence,) = values(*runs, rows=("batch_size",), columns=("mode",))
        return sentence

    assert curves(("a", 16)) == (
        "Speed: the best is 8.000 tokens/s at batch size 8; batch size 1 has 1.000 tokens/s; "
        "batch size 16 ran out of memory."
    )
    assert curves(("a", 16), ("b", 8), ("b", 16)) == (
        "Speed: at the best batch size that ran, a has 8.000 tokens/s (8) and b 4.000 (4); 3 ran out of memory."
    )


@pytest.mark.parametrize(
    ("days", "text"),
    [
        (12, "20 % slower since 2026-01-07: 80.01 tokens/s instead of 100.0 on 2026-01-06"),
        # Of 8 numbers, 70 choices of 4 come first as often: no order of them is rarer than 1 %.
        (8, "20 % slower on 2026-01-08 than on 2026-01-01: 80.02 against 100.0 tokens/s"),
        (2, "100.0 tokens/s (2026-01-01) and 101.0 tokens/s (2026-01-02)"),
    ],
)
def test_over_dates_the_last_change_is_named(days: int, text: str) -> None:
    runs = [
        published_run(
            throughput=(100.0 if day < 7 else 80.0) + (day == 2) + day % 3 * 0.01,
            date=f"2026-01-{day:02}",
            item="token",
        )
        for day in range(1, days + 1)
    ]
    assert values(*runs, rows=("date",)) == [f"Speed: {text}."]


@pytest.mark.parametrize(
    ("rates", "text"),
    [
        (
            (100.0, 101.0, 102.0, 80.0, 80.5, 80.2),
            "21 % slower in the median of the 3 dates since 2026-01-04: 80.20 against 101.0 tokens/s",
        ),
        # A drift has no step, and two dates are too few for a part.
        ((100.0, 96.0, 92.0, 88.0, 84.0, 80.0), "20 % slower on 2026-01-06 than on 2026-01-01"),
        ((100.0, 101.0, 102.0, 100.5, 80.0, 80.2), "20 % slower on 2026-01-06 than on 2026-01-01"),
    ],
)
def test_of_few_dates_two_parts_that_are_far_apart_are_named(rates: Sequence[float], text: str) -> None:
    runs = [
        published_run(throughput=rate, date=f"2026-01-{day:02}", item="token")
        for day, rate in enumerate(rates, 1)
    ]
    (sentence,) = values(*runs, rows=("date",))
    assert sentence.startswith(f"Speed: {text}")
    assert "change point" not in sentence


def test_numbers_that_look_equal_have_no_ends() -> None:
    runs = [
        published_run(node=node, item="image", throughput=value)
        for node, value in (("a", 9.0), ("b", 9.0001))
    ]
    assert values(*runs, rows=("node",)) == ["Speed: 2 numbers agree to the digits shown: 9.000 images/s."]


def test_numbers_of_different_items_have_no_ends() -> None:
    runs = [published_run(throughput=1.0, model=m, item=i) for m, i in (("x", "token"), ("y", "image"))]
    assert values(*runs, rows=("model",)) == [
        "Speed: 2 numbers (images/s, tokens/s) measure different work and are not compared."
    ]


def test_a_sample_that_is_not_named_is_not_called_different_work() -> None:
    runs = [published_run(throughput=1.0, framework=m, item=i) for m, i in (("x", "sample"), ("y", "image"))]
    assert values(*runs, rows=("framework",)) == [
        "Speed: 2 numbers (images/s, samples/s) are not compared: not every log says what a sample is."
    ]


def test_the_numbers_are_those_of_the_part_that_takes_the_longest() -> None:
    runs = [published_run(values={"forward": 1.0, "closure": 2.0 * b}, batch_size=b) for b in (1, 2)]
    table = {"metrics": ("step_time",), "phases": ("forward", "closure"), "columns": ("phase",)}
    assert values(*runs, rows=("batch_size",), **table) == [
        "Speed (closure): 2.000 s (batch size 1) and 4.000 s (batch size 2)."
    ]


@pytest.mark.parametrize(
    ("loading", "text"),
    [
        ((9.0,), "data loading takes 75 % of the measured parts (9.000 of 12.00 s)"),
        ((9.0, 4.0), "data loading is the longest part in both cases: 75 % of the measured parts in b0"),
        ((9.0, 1.0), "data loading is the longest part in 1 of 2 cases: 75 % of the measured parts in b0"),
    ],
)
def test_of_parts_that_follow_one_another_the_longest_has_its_share(
    loading: Sequence[float], text: str
) -> None:
    """Of the step that takes longest: 9 s of 9 + 1 + 2."""
    runs = [
        published_run(values={"data_loading": each, "forward": 1.0, "backward": 2.0}, benchmark=f"b{n}")
        for n, each in enumerate(loading)
    ]
    phases = ("data_loading", "forward", "backward")
    (sentence,) = values(
        *runs, rows=("benchmark",), metrics=("step_time",), phases=phases, columns=("phase",)
    )
    assert sentence.startswith(f"Speed: {text}")


def test_the_parts_of_a_step_are_added_run_by_run() -> None:
    """The runs take 21, 30 and 30 s; the medians of the parts are 1 and 21 s, of different runs."""
    runs = [
        published_run(values={"forward": f, "backward": b}, device="A")
        for f, b in ((1.0, 20.0), (1.0, 29.0), (9.0, 21.0))
    ]
    table = {"metrics": ("step_time",), "phases": ("forward", "backward"), "columns": ("phase",)}
    assert values(*runs, **table) == ["Speed: backward takes 70 % of the measured parts (21.00 of 30.00 s)."]


def test_many_curves_say_how_many_grow_with_the_size() -> None:
    runs = [
        published_run(throughput=rate, batch_size=2**n, model=f"m{m}", item="image")
        for m in range(5)
        for n, rate in enumerate((1.0 + m, 2.0 + m, (1.5 if m == 0 else 3.0) + m))
    ]
    assert values(*runs, rows=("model", "batch_size")) == [
        "Speed: the largest batch size that ran is the best in 4 of 5 cases: "
        "m4 has 7.000 images/s at batch size 4 and 5.000 at 1."
    ]


def of_statistics(**values: float) -> list[Run]:
    """Return runs whose latency in s each statistic has, of the models x and y."""
    return [
        run(
            aggregate(value * factor, metric="latency", statistic=name),
            id=f"{name}{model}",
            factors={"model": model, "statistic": name},
        )
        for name, value in values.items()
        for model, factor in (("x", 1), ("y", 2))
    ]


def test_the_numbers_are_of_one_statistic() -> None:
    fields = {"rows": ("model", "statistic"), "metrics": ("latency",)}
    assert values(*of_statistics(minimum=1.0, mean=3.0, p99=9.0), **fields) == [
        "Speed, mean: 3.000 s (x) and 6.000 s (y)."
    ]


def test_a_mean_of_one_log_and_the_steps_of_another_are_in_one_sentence() -> None:
    own = run(aggregate(4.0, metric="throughput", statistic="mean"), id="own", factors={"model": "x"})
    other = published_run(throughput=2.0, model="y")
    assert values(own, other, rows=("model",)) == ["Speed: 4.000 samples/s (x) and 2.000 samples/s (y)."]


def test_numbers_have_the_name_that_distinguishes_them_and_times_the_unit_of_the_table() -> None:
    runs = [
        published_run(
            values={"step": seconds}, model=model, precision="fp16", framework=f"release {model} of 2026"
        )
        for model, seconds in (("x", 90.0), ("y", 600.0))
    ]
    fields = {"rows": ("framework", "model", "precision"), "metrics": ("step_time",), "unit": "min"}
    assert values(*runs, **fields) == ["Speed: 1.500 min (x) and 10.00 min (y)."]


def test_ratios_of_models_whose_logs_state_different_statistics_have_a_mean() -> None:
    """Each ratio is of one statistic: 2 of means and 8 of totals, whose geometric mean is 4."""
    runs = [
        run(
            aggregate(value, metric="throughput", statistic=statistic),
            id=f"{model}{device}",
            factors={"model": model, "device": device},
        )
        for model, statistic, values in (("x", "mean", (1.0, 2.0)), ("y", "total", (1.0, 8.0)))
        for device, value in zip("AB", values, strict=True)
    ]
    compare = CompareSpec("speedup", {"device": "A"}, mean=True)
    made = tables(runs, compare, metrics=("throughput",), rows=("model",), columns=("device",))
    assert headline_sentences(made)[0].startswith(
        "Training: B is 4x as fast as A in the geometric mean of 2 models: 2x (x) to 8x (y) as fast"
    )


def test_a_comparison_is_of_one_statistic() -> None:
    made = tables(
        of_statistics(p99=9.0, median=3.0),
        CompareSpec("ratio", {"model": "x"}, mean=True),
        metrics=("latency",),
        rows=("statistic",),
        columns=("model",),
    )
    assert headline_sentences(made) == ["Training (median): y is 0.5x as fast as x (single-run medians)."]
    means = [line for row, line in zip(made[0].rows, made[0].cells, strict=True) if row.is_mean]
    assert [[cell.text for cell in line] for line in means] == [["", "-"]]


def test_a_report_without_numbers_says_so() -> None:
    assert values(published_run(status="failed", device="A40")) == [
        "No table has a number; the findings say why."
    ]
    assert value_sentences([]) == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "reports").glob("*/report.json")), ids=lambda p: p.parent.name
)
def test_sentences_at_the_top_of_committed_reports_are_short(path: Path) -> None:
    report = json.loads(path.read_text("utf-8"))
    sentences = [
        each
        for text in (report["headline"], *report["verdict"])
        for each in re.split(r"(?<=\.) (?=[A-Z])", text)
    ]
    assert sentences
    assert [sentence for sentence in sentences if words_of(sentence) > MAX_WORDS] == []


@pytest.mark.parametrize(("low", "high", "text"), [
    (0.98, 1.05, "2.0 % slower to 5.0 % faster"), (1.51, 2.24, "1.51x to 2.24x as fast"),
    (0.3, 1.5, "0.3x to 1.5x as fast"), (0.98, 2.5, "0.98x to 2.5x as fast"), (1.0, 2.5, "1x to 2.5x as fast"),
])  # fmt: skip
def test_both_ends_of_a_range_have_one_form(low: float, high: float, text: str) -> None:
    assert headline._both_ends(low, high) == text


def test_what_else_differs_is_named_in_words() -> None:
    runs = [
        published_run(values={"step": step}, version=version, environment={"git_commit": version * 3})
        for version, step in (("a", 1.0), ("b", 2.0))
    ]
    _, doubt = headline_sentences(tables(runs, CompareSpec("speedup", {"version": "a"}), rows=("version",)))
    assert doubt == "They also differ in git commit."
