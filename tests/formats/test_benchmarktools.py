"""BenchmarkTools: saved and printed results in the forms of its sources, and FluxBench's JSON."""

import json
from pathlib import Path

import pytest

from reportgen.core.model import Run
from reportgen.load import load_runs
from reportgen.protocol import Protocol, measure_run
from tests.builders import read_log, read_runs

OLD = """\
BenchmarkTools.Trial:
  memory estimate:  181.54 MiB
  allocs estimate:  1552305
  --------------
  minimum time:     582.849 ms (3.10% GC)
  median time:      590.100 ms (3.00% GC)
  mean time:        601.000 ms (3.20% GC)
  maximum time:     1.102 s (2.90% GC)
  --------------
  samples:          9
  evals/sample:     1
"""
NEW = """\
BenchmarkTools.Trial: 10000 samples with 972 evaluations.
 Range (min … max):  69.399 ns …  1.066 μs  ┊ GC (min … max): 0.00% … 0.00%
 Time  (median):     83.850 ns              ┊ GC (median):    0.00%
 Time  (mean ± σ):   89.471 ns ± 53.666 ns  ┊ GC (mean ± σ):  3.55% ± 5.92%
 Memory estimate: 160 bytes, allocs estimate: 1.
"""


def reduced(run: Run) -> dict[str, float]:
    return {one.statistic: round(one.value, 15) for one in run.aggregates}


def saved(*objects: object) -> bytes:
    return json.dumps([{"Julia": "1.7.0", "BenchmarkTools": "1.0.0"}, list(objects)]).encode()


def trial(times: list[float]) -> object:
    return [
        "BenchmarkTools.Trial",
        {
            "params": ["BenchmarkTools.Parameters", {"evals": 1}],
            "times": times,
            "gctimes": [0] * len(times),
            "memory": 160,
            "allocs": 2,
        },
    ]


def test_a_saved_trial_is_a_series_of_its_samples() -> None:
    group = ["BenchmarkGroup", {"tags": [], "data": {"slow": trial([3e9, 1e9]), "fast": trial([2e6] * 200)}}]
    slow, fast = read_runs("benchmarktools", saved(["BenchmarkGroup", {"tags": [], "data": {"g": group}}]))
    assert (fast.id, fast.factors["benchmark"], slow.factors["benchmark"]) == ("x.log#2", "g/fast", "g/slow")
    assert fast.environment == {
        "julia": "1.7.0",
        "benchmarktools": "1.0.0",
        "allocations": 2,
        "allocated_bytes": 160,
    }
    measured = measure_run(fast, "step_time", "step", Protocol())
    assert measured is not None
    assert (measured.evidence, measured.value) == ("steps", pytest.approx(0.002))
    few = measure_run(slow, "step_time", "step", Protocol())
    assert few is not None
    assert (few.evidence, few.value) == ("aggregate", 2.0)


def test_printed_trials_of_both_layouts() -> None:
    old, new = read_runs("benchmarktools", (OLD + "\n" + NEW).encode())
    assert reduced(old) == {"minimum": 0.582849, "median": 0.5901, "mean": 0.601, "maximum": 1.102}
    assert reduced(new) == {"minimum": 69.399e-9, "median": 83.85e-9, "mean": 89.471e-9, "maximum": 1.066e-6}
    assert [one.n for one in old.aggregates] == [9] * 4
    assert (old.environment["allocations"], new.environment["allocations"], new.source.line) == (
        1552305,
        1,
        13,
    )


def test_a_single_result() -> None:
    content = (
        "BenchmarkTools.Trial: 1 sample with 1 evaluation.\n Single result which took 13.808 s (0.00% GC) to "
        "evaluate,\n with a memory estimate of 3.47 GiB, over 121524473 allocations.\n"
    )
    run = read_log("benchmarktools", content.encode())
    assert reduced(run) == {"single": 13.808}
    assert run.environment["allocations"] == 121524473


def test_btime_lines_and_groups_show_minima() -> None:
    content = (
        '2-element BenchmarkTools.BenchmarkGroup:\n  tags: []\n  "DARNN" => Trial(91.290 ms)\n'
        '  "LSTNet" => Trial(18.256 ms)\n  37.321 s (568533249 allocations: 29.56 GiB)\n  1.5 ns (1 allocation: 16 bytes)\n'
    )
    runs = read_runs("benchmarktools", content.encode())
    assert [reduced(run)["minimum"] for run in runs] == [0.09129, 0.018256, 37.321, 1.5e-9]
    assert [run.factors.get("benchmark") for run in runs] == ["DARNN", "LSTNet", None, None]


def test_groups_in_groups_are_paths_of_keys_of_any_kind() -> None:
    """The forms of BenchmarkTools since 1.0 (spaces) and before (tabs), and of minimum(group)."""
    content = (
        "2-element BenchmarkTools.BenchmarkGroup:\n  tags: []\n"
        '  "linked" => 2-element BenchmarkTools.BenchmarkGroup:\n          tags: ["a", "b"]\n'
        '          "Forward{40}()" => Trial(184.703 ms)\n          ("sin", 0.0) => Trial(1.5 ms)\n'
        '  "direct" => Trial(7.0 ns)\n'
        '  "not_linked" => 1-element BenchmarkTools.BenchmarkGroup:\n\t  tags: []\n'
        '\t  "Forward{40}()" => Trial(182.864 ms)\n'
        "1-element BenchmarkTools.BenchmarkGroup:\n  tags: []\n  10 => TrialEstimate(5.784 ms)\n"
    )
    runs = read_runs("benchmarktools", content.encode())
    assert [(run.factors["benchmark"], reduced(run)) for run in runs] == [
        ("linked/Forward{40}()", {"minimum": 0.184703}),
        ('linked/("sin", 0.0)', {"minimum": 0.0015}),
        ("direct", {"minimum": 7e-9}),
        ("not_linked/Forward{40}()", {"minimum": 0.182864}),
        ("10", {"estimate": 0.005784}),
    ]


def test_the_command_before_a_result_is_its_name() -> None:
    content = (
        "julia> @benchmark sum($x)\nBenchmarkTools.Trial: 9 samples with 1 evaluation per sample.\n"
        " Time  (median):     1.5 s   ┊ GC (median):    0.00%\n\n"
        "# @benchmark solve(prob)\n# BenchmarkTools.Trial: 3 samples with 1 evaluation.\n"
        "#  Time  (median):     2.5 s  ┊ GC (median):    1.78%\n\n"
        "julia> @btime f(y)\n  3.500 s (5 allocations: 16 bytes)\n42\n\n"
        "BenchmarkTools.Trial: 2 samples with 1 evaluation.\n Time  (median):     4.5 s   ┊ GC (median):    0.00%\n"
    )
    runs = read_runs("benchmarktools", content.encode())
    assert [run.factors.get("benchmark") for run in runs] == ["sum($x)", "solve(prob)", "f(y)", None]
    assert [next(iter(reduced(run).values())) for run in runs] == [1.5, 2.5, 3.5, 4.5]


def test_fluxbench_has_medians_and_names_with_factors() -> None:
    one = {
        "branch": "master",
        "commitid": "c",
        "project": "Flux",
        "environment": "e",
        "executable": "Julia 1.6",
        "benchmark": "FluxArchitectures_GPU/DARNN_back_encoder_5_decoder_5",
        "result_value": 39.6,
        "min": 39.1,
        "max": 41,
    }
    run = read_log("benchmarktools", json.dumps([one]).encode())
    assert reduced(run) == {"median": 39.6, "minimum": 39.1, "maximum": 41}
    assert (run.factors["model"], run.factors["pass"], run.factors["device"]) == (
        "DARNN",
        "forward+backward",
        "GPU",
    )


def test_a_truncated_saved_file_is_a_finding() -> None:
    content = saved(trial([1e9]))[:-20]
    assert [run.id for run in read_runs("benchmarktools", content)] == []


def test_the_file_of_the_corpus(corpus: Path) -> None:
    runs = load_runs([corpus / "benchmarktools" / "julia_output.json"], root=corpus).runs
    assert {run.factors["benchmark"]: run.aggregates[0].value for run in runs} == {
        "fib/10": pytest.approx(246.03846153846155e-9),
        "fib/20": pytest.approx(31028e-9),
    }
