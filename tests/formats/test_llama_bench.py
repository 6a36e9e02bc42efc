"""llama-bench: the same two tests as JSON, JSON lines and Markdown."""

import pytest

from reportgen.model import Finding, Run
from tests.formats.reading import aggregate, read_all
from tests.formats.trainer_logs import LLAMA_BENCH, LLAMA_LINES, LLAMA_TABLE


@pytest.mark.parametrize(
    ("content", "lines"), [(LLAMA_BENCH, [18, 45]), (LLAMA_LINES, [1, 2]), (LLAMA_TABLE, [3, 4])]
)
def test_a_test_is_a_run_with_its_mean_rate(content, lines):
    runs = [one for one in read_all("llama_bench", content) if isinstance(one, Run)]
    assert [run.id for run in runs] == ["x.log#1", "x.log#2"]
    assert [(run.factors["test"], run.factors["model"]) for run in runs] == [
        ("pp512", "tiny 1B Q4_0"), ("tg128", "tiny 1B Q4_0")]  # fmt: skip
    assert [aggregate(run, "throughput").value for run in runs] == [5120.5, 80.25]
    assert [aggregate(run, "throughput").source.line for run in runs] == lines


def test_repetitions_are_samples_and_what_was_not_chosen_is_environment():
    run = read_all("llama_bench", LLAMA_LINES)[0]
    assert isinstance(run, Run)
    assert [one.value for one in run.aggregates if one.statistic == "sample"] == [5171.7, 5069.3]
    assert (run.factors["device"], run.factors["n_depth"]) == ("NVIDIA A40", 0)
    assert run.environment["build_number"] == 5163
    assert "test_time" not in {*run.factors, *run.environment}


def test_depth_stands_in_the_name_of_the_test():
    run = read_all("llama_bench", LLAMA_TABLE)[1]
    assert isinstance(run, Run)
    assert (run.factors["n_depth"], run.factors["n_gen"], run.factors["n_gpu_layers"]) == (4096, 128, 99)


def test_a_cut_array_is_a_finding():
    (found,) = read_all("llama_bench", LLAMA_BENCH[:-20])
    assert isinstance(found, Finding)
    assert found.rule == "read.malformed-line"
