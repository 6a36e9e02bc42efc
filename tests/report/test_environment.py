"""Environment blocks: one for each machine, not one for each run."""

from dataclasses import replace

from reportgen.report.environment import environments
from tests.builders import published_run


def test_runs_with_equal_environments_share_a_block():
    runs = [published_run(m=i, environment={"driver": "535", "cpu": "EPYC"}) for i in range(3)]
    (block,) = environments({"logs/a": runs})
    assert (block.title, block.runs) == ("logs/a", 3)
    assert block.rows == (("cpu", "EPYC"), ("driver", "535"))


def test_each_machine_has_a_block_named_by_the_factor_that_separates_it():
    runs = [
        published_run(machine=m, model=k, environment={"cpu": c})
        for m, c in [("nano", "A57"), ("i5", "i5-6267U")]
        for k in "ab"
    ]
    assert [(b.title, b.rows) for b in environments({"logs/a": runs})] == [
        ("logs/a: nano", (("cpu", "A57"),)),
        ("logs/a: i5", (("cpu", "i5-6267U"),)),
    ]


def test_values_that_differ_between_runs_do_not_separate_machines():
    runs = [published_run(m=i, environment={"cpu": "EPYC", "pid": i}) for i in range(20)]
    (block,) = environments({"logs/a": runs})
    assert block.rows == (("cpu", "EPYC"), ("pid", "20 different values, such as 0"))


def test_where_a_figure_was_published_is_not_an_environment():
    runs = [published_run(m=1, environment={"publication.title": "T", "source": "x"}), published_run(m=2)]
    assert environments({"logs/a": runs}) == ()


def test_too_many_different_environments_are_one_block():
    runs = [published_run(m=f"{i}{j}", environment={"a": i, "b": j}) for i in range(3) for j in range(3)]
    (block,) = environments({"logs/a": runs})
    assert block.rows == (("a", "0 | 1 | 2"), ("b", "0 | 1 | 2"))


def test_the_results_of_one_run_are_one_run():
    runs = [
        replace(published_run(m=1, statistic=each, environment={"cpu": "EPYC"}), part_of=1)
        for each in ("mean", "p99")
    ]
    (block,) = environments({"logs/a": runs})
    assert block.runs == 1
