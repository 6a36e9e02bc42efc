"""Protocols as notation and as tables: valid and invalid ones."""

import pytest

from reportgen.core.errors import RequestError
from reportgen.protocol import DEFAULT, Protocol, parse_protocol
from tests.each_of import each_of, each_row


def test_the_default_is_its_own_name() -> None:
    assert parse_protocol("20+100x7") == Protocol() == DEFAULT


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0+1x1", (0, 1, 1)), ("100+500x3", (100, 500, 3)), ("5+10", (5, 10, 7)), (" 20+100x7 ", (20, 100, 7))],
)
def test_the_notation_is_warmup_steps_and_repeats(text: str, expected: tuple[int, int, int]) -> None:
    found = parse_protocol(text)
    assert (found.warmup, found.measure, found.repeats) == expected
    assert found.name == text.strip()


@each_of(["", "20", "20+x7", "20+100x", "-1+100x7", "20+1e2x7", "20 + 100 x 7", "²+1x1"])
def test_an_invalid_notation_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(RequestError, match="is not a protocol; write steps and repeats as in"):
        parse_protocol(text)


@pytest.mark.parametrize("text", ["20+0x7", "20+100x0"])
def test_a_protocol_that_measures_nothing_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match="0 is out of range; use a number at least 1"):
        parse_protocol(text)


def test_a_table_sets_what_it_names_and_keeps_the_rest() -> None:
    found = Protocol.from_table("tf2", {"steps": "10+50x5", "estimator": "mean_of_rates", "gap_factor": 5})
    assert found == Protocol("tf2", 10, 50, 5, "mean_of_rates", 5)


def test_a_key_overrides_the_notation_in_either_order() -> None:
    first = Protocol.from_table("a", {"repeats": 3, "steps": "10+50x5"})
    last = Protocol.from_table("a", {"steps": "10+50x5", "repeats": 3})
    assert first == last == Protocol("a", 10, 50, 3)


@each_row(
    [
        ({"warm_up": 20}, 'protocols.p.warm_up: no such key; did you mean "warmup"?'),
        ({"name": "q"}, "protocols.p.name: no such key"),
        ({"warmup": 2.5}, "protocols.p.warmup: expected an integer, got 2.5"),
        ({"warmup": True}, "protocols.p.warmup: expected an integer, got true"),
        ({"warmup": -1}, "protocols.p.warmup: -1 is out of range; use a number at least 0"),
        ({"spread": "5%"}, 'protocols.p.spread: expected a number, got "5%"'),
        (
            {"confidence": 1.0},
            "protocols.p.confidence: 1.0 is out of range; use a number above 0 and below 1",
        ),
        ({"confidence": float("nan")}, "protocols.p.confidence: not a finite number"),
        ({"gap_factor": 1}, "protocols.p.gap_factor: 1 is out of range; use a number above 1"),
        (
            {"estimator": "mean_rates"},
            'protocols.p.estimator: "mean_rates" is not known; did you mean "mean_of_rates"?',
        ),
        ({"steps": "20"}, 'protocols.p.steps: "20" is not a protocol'),
    ]
)
def test_an_invalid_value_in_a_table_names_the_key(table: dict[str, object], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        Protocol.from_table("p", table)
    assert str(caught.value).startswith(message)


def test_the_place_of_the_table_may_be_given() -> None:
    with pytest.raises(RequestError, match=r"^reportgen\.toml: protocols\.p\.measure: 0 is out of range"):
        Protocol.from_table("p", {"measure": 0}, place="reportgen.toml: protocols.p")


def test_how_repeats_are_reduced_is_part_of_a_protocol() -> None:
    found = Protocol.from_table("mlperf", {"reduce": "olympic", "drop": 4, "strict": True})
    assert (found.reduce, found.drop, found.strict) == ("olympic", 4, True)
    for table, message in (
        ({"reduce": "mean"}, '"mean" is not known'),
        ({"strict": 1}, "expected true or false, got 1"),
        ({"drop": -1}, "-1 is out of range; use a number at least 0"),
    ):
        with pytest.raises(RequestError, match=message):
            Protocol.from_table("mlperf", table)
