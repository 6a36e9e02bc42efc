"""A sweep ends once reportgen has found all differences of its pairs, at a level that allows many looks."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks.verdicts import TimedRepeat, write_run
from collectors import __main__
from collectors.workloads import bench, early_stop, sweep
from collectors.workloads.early_stop import EarlyStop, p_value, parse_pairs
from tests import warm

WORKLOADS = "".join(f'[[workloads]]\nname = "roberta-tiny"\nbatch_size = {size}\n' for size in (4, 8))
HEAD = 'logs = "logs/x"\nthreads = 1\nrepeats = 13\nseed = 3\n'
PAIR = "[[compare]]\ncase = 1\nbaseline = 0\n"
STAND_IN = """
import json, os, pathlib
path = pathlib.Path(os.environ["REPORTGEN_RUN"], "run.json")
path.write_text(json.dumps({**json.loads(path.read_text()), "status": "complete"}))
"""


def looks(ps, rounds):
    """Return the rounds of all looks, and the reasons, of a sweep whose p after n rounds is ps[n]."""
    noted, now = [], iter(rounds)
    current = [0]

    def complete():
        current[0] = next(now)
        return current[0]

    stop = EarlyStop(
        [(Path("a"), Path("b"), ())],
        complete,
        lambda number, found: noted.append((number, *found)),
        lambda *_: ps.get(current[0]),
    )
    reasons = [stop.reason() for _ in rounds]
    return noted, [number for number, reason in zip(rounds, reasons, strict=True) if reason]


def test_a_sweep_ends_after_the_first_round_from_the_11th_on_whose_p_is_at_most_a_thousandth():
    ps = {10: 0.0001, 11: 0.03, 12: 0.0011, 13: 0.001, 14: 0.5}
    assert looks(ps, [0, 9, 10, 11, 11, 12, 13]) == ([(11, 0.03), (12, 0.0011), (13, 0.001)], [13])


def test_a_pair_without_a_test_does_not_end_it():
    assert looks({11: None, 12: 0.0001}, [11, 12]) == ([(11, None), (12, 0.0001)], [12])


def test_eleven_rounds_are_the_fewest_whose_p_reaches_the_level():
    """All differences of n rounds have one sign in 2 of 2^n equal cases."""
    assert 2 / 2**early_stop.FEWEST_ROUNDS <= early_stop.LEVEL < 2 / 2 ** (early_stop.FEWEST_ROUNDS - 1)


def test_without_reportgen_all_rounds_are_run(monkeypatch, capsys):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    stop = EarlyStop([(Path("a"), Path("b"), ())], lambda: 11, lambda *_: None)
    assert [stop.reason(), stop.reason()] == ["", ""]
    assert capsys.readouterr().err.count("all rounds are run, because reportgen cannot compare them: ") == 1


@pytest.mark.slow
def test_the_p_value_is_that_of_the_signed_ranks_of_reportgen(tmp_path, monkeypatch):
    """Of twelve rounds, one has the other sign, and the smallest difference: p is 4 / 2^12."""
    for which, first in (("a", 1.02), ("b", 1.01)):
        for number in range(12):
            value = first if number == 0 else {"a": 1.0, "b": 1.1}[which] + number / 1000
            at = 2 * number + (which == "b")
            write_run(
                tmp_path / which / f"r{number}", TimedRepeat(value, at, (1, number)), at, "random rounds"
            )
    with warm.python("reportgen.library.result_diff") as python:
        monkeypatch.setattr(sys, "executable", python)
        assert p_value(tmp_path / "b", tmp_path / "a", ["--metric", "throughput"]) == pytest.approx(4 / 2**12)
        with pytest.raises(ValueError, match="nothing"):
            p_value(tmp_path / "nothing", tmp_path / "a", [])


def campaign(tmp_path, text):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("compare", "message"),
    [
        ("compare = 1\n", "compare: not a list of tables; write [[compare]] with case and baseline"),
        ("[[compare]]\ncase = 1\n", "compare[0]: baseline: None is not a workload; use 0 to 1"),
        (PAIR + "[[compare]]\ncase = 2\nbaseline = 0\n", "compare[1]: case: 2 is not a workload; use 0 to 1"),
        (PAIR + "level = 1\n", "compare[0]: no key level; use case, baseline, metric, phase"),
        (PAIR + "phase = 1\n", "compare[0]: phase: 1 is not text"),
        ("[[compare]]\ncase = true\nbaseline = 0\n", "compare[0]: case: True is not a number"),
    ],
)
def test_errors_in_a_pair_name_their_place(compare, message, tmp_path, capsys):
    is_key = not compare.startswith("[[")
    text = HEAD + compare * is_key + WORKLOADS + compare * (not is_key)
    assert __main__.main(["sweep", str(campaign(tmp_path, text))]) == 2
    assert message in capsys.readouterr().err


def test_a_pair_needs_workloads_of_one_case(tmp_path, capsys):
    text = HEAD + WORKLOADS.replace("= 8", "= [8, 16]") + PAIR
    assert __main__.main(["sweep", str(campaign(tmp_path, text))]) == 2
    assert "compare[0]: workloads[1] has 2 cases; write a table for each" in capsys.readouterr().err


def test_pairs_become_options_of_reportgen_compare():
    (pair,) = parse_pairs([{"case": 1, "baseline": 0, "metric": "step_time", "phase": "forward"}], 2)
    assert pair == (1, 0, ["--metric", "step_time", "--phase", "forward"])


def test_a_round_is_complete_without_the_cases_that_are_not_compared(tmp_path, monkeypatch):
    path = campaign(tmp_path, HEAD + WORKLOADS + '[[workloads]]\nname = "matmul"\n' + PAIR)
    counts = {4: 12, 8: 11}
    monkeypatch.setattr(sweep.launch, "count_repeats", lambda _, job: counts.get(job.case["batch_size"], 0))
    assert sweep.complete_rounds(sweep.make_sweep(sweep.read_sweep_file(path))) == 11


@pytest.mark.slow
def test_a_sweep_that_has_decided_ends_and_continues_to_its_end_without_pairs(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "missing_requirement", lambda options: "")
    monkeypatch.setattr(bench, "child_command", lambda *_: [sys.executable, "-S", "-c", STAND_IN])
    asked = []
    monkeypatch.setattr(
        early_stop, "p_value", lambda case, baseline, _: asked.append((case.name, baseline.name)) or 0.0005
    )
    logs = tmp_path / "logs"
    line = ["--logs", str(logs)]
    assert __main__.main(["sweep", str(campaign(tmp_path, HEAD + WORKLOADS + PAIR)), *line]) == 0
    text = "stopped: all comparisons are decided after 11 rounds (p <= 0.001); runs left out: 4\n"
    assert capsys.readouterr().err.endswith(text)
    assert len(list(logs.glob("*/r*"))) == 22
    assert ["batch_size=8" in asked[0][0], "batch_size=4" in asked[0][1]] == [True, True]
    events = [json.loads(each) for each in (logs / "sweep.jsonl").read_text().splitlines()]
    assert [(each["rounds"], each["p"]) for each in events if each["event"] == "look"] == [(11, [0.0005])]
    assert __main__.main(["sweep", str(campaign(tmp_path, HEAD + WORKLOADS + PAIR)), *line]) == 0
    assert len(list(logs.glob("*/r*"))) == 22  # it looks again, and runs nothing
    assert __main__.main(["sweep", str(campaign(tmp_path, HEAD + WORKLOADS)), *line]) == 0
    assert len(list(logs.glob("*/r*"))) == 26


def test_a_sweep_says_that_a_compared_case_never_completed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sweep.launch, "run_campaign", lambda campaign: 1)
    counts = {4: 13, 8: 2}
    monkeypatch.setattr(sweep.launch, "count_repeats", lambda _, job: counts[job.case["batch_size"]])
    path = campaign(tmp_path, HEAD + WORKLOADS + PAIR)
    planned = sweep.make_sweep(sweep.read_sweep_file(path), tmp_path / "logs")
    assert sweep.run(planned, path.name) == 1
    message = "no comparison was tested; complete rounds of its cases: 2, needed: 11"
    assert capsys.readouterr().err == f"reportgen: {message}\n"
    counts[8] = 11
    sweep.run(planned, path.name)
    assert capsys.readouterr().err == ""


def test_a_dry_run_says_when_the_sweep_may_end_and_pause(tmp_path, capsys):
    path = campaign(tmp_path, 'cool_down = "90s"\n' + HEAD + WORKLOADS + PAIR)
    assert __main__.main(["sweep", str(path), "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "before each run: at most 1m30s until the GPUs are cool",
        "ends early once the comparison is decided, from round 11 on",
    ]
    path.write_text(HEAD.replace("13", "11") + WORKLOADS + PAIR)
    assert __main__.main(["sweep", str(path), "--dry-run"]) == 0
    assert "ends early" not in capsys.readouterr().out


def test_a_sweep_file_may_ask_for_pauses(tmp_path, capsys):
    file = sweep.read_sweep_file(campaign(tmp_path, 'cool_down = "2m"\n' + HEAD + WORKLOADS))
    assert file.cool_down == 120
    with pytest.raises(ValueError, match="cool_down: soon: not a duration; use 2h, 90m, 1h30m or 45s"):
        sweep.read_sweep_file(campaign(tmp_path, 'cool_down = "soon"\n' + HEAD + WORKLOADS))
