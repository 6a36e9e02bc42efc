"""The order of a campaign: rounds of one run of each case, and orders that follow from a seed."""

import hashlib
import json
from collections import Counter
from itertools import groupby

import pytest

from collectors.__main__ import main
from collectors.launcher.rounds import ORDERS, Turn, arrange, draw_seed

MISSING = {"a": 2, "b": 3, "c": 1}


@pytest.mark.parametrize("order", ORDERS)
def test_every_missing_run_has_one_turn(order):
    turns = arrange(MISSING, order, first_round=1, seed=0)
    assert Counter(turn.case for turn in turns) == MISSING
    assert arrange({}, order, first_round=1, seed=0) == []
    assert arrange({"a": 0}, order, first_round=1, seed=0) == []


@pytest.mark.parametrize(("order", "cases"), [("interleaved", "abcabb"), ("sequential", "aabbbc")])
def test_an_order_that_is_not_drawn_has_no_numbered_rounds(order, cases):
    assert arrange(MISSING, order, first_round=4, seed=9) == [Turn(case, None) for case in cases]


def test_the_order_of_a_round_follows_from_the_seed_as_documented():
    turns = arrange(dict.fromkeys("abcde", 3), "random", first_round=2, seed=77)
    rounds = {
        number: [turn.case for turn in group] for number, group in groupby(turns, lambda turn: turn.round)
    }
    assert list(rounds) == [2, 3, 4]
    for number, cases in rounds.items():
        digests = {hashlib.sha256(f"77/{number}/{case}".encode()).hexdigest(): case for case in "abcde"}
        assert cases == [digests[digest] for digest in sorted(digests)]


def test_all_orders_of_three_cases_are_about_equally_frequent():
    turns = arrange(dict.fromkeys("abc", 1200), "random", first_round=1, seed=1)
    orders = Counter("".join(turn.case for turn in turns[start : start + 3]) for start in range(0, 3600, 3))
    assert len(orders) == 6
    assert all(150 < count < 250 for count in orders.values())  # 200 each; 4 standard deviations are 52


def test_a_drawn_seed_differs_from_the_last():
    assert len({draw_seed() for _ in range(5)}) > 1


def campaign(tmp_path, *options):
    cases = [word for value in "xyz" for word in ("--case", f"c={value}")]
    assert main(["run", "--logs", str(tmp_path), *cases, *options, "--", "true"]) == 0
    runs = [json.loads(path.read_text()) for path in tmp_path.glob("*/r*/run.json")]
    return sorted(runs, key=lambda run: run["started_realtime_ns"])


@pytest.mark.slow
def test_a_campaign_records_its_rounds_and_continues_their_numbers(tmp_path):
    runs = campaign(tmp_path, "--case-order", "random", "--seed", "5")
    assert [(run["round"], run["order_seed"]) for run in runs] == [(1, 5)] * 3
    runs = campaign(tmp_path, "--case-order", "random", "--repeats", "3")
    assert [run["round"] for run in runs] == [1] * 3 + [2] * 3 + [3] * 3
    assert len({run["order_seed"] for run in runs[3:]}) == 1
    runs = campaign(tmp_path, "--again")
    assert [{"round", "order_seed"} & set(run) for run in runs[9:]] == [set()] * 3
    runs = campaign(tmp_path, "--again", "--case-order", "random")
    assert [run["round"] for run in runs[12:]] == [4] * 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seed", "x"], "x: not a seed; use 0 or more"),
        (["--case-order", "random", "--node", "1"], "give all launchers the same --seed"),
    ],
)
def test_a_wrong_seed_is_an_error(options, message, tmp_path, capsys):
    try:
        code = main(["run", "--logs", str(tmp_path / "logs"), *options, "--", "true"])
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "logs").exists()
