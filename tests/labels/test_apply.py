"""labels.toml: the factors that it adds, conflicts with the log, and errors."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.errors import RequestError
from reportgen.core.model import FactorValue, Run
from reportgen.labels import labels_toml
from reportgen.labels.apply import Labeller, with_facts
from tests.builders import run
from tests.each_of import each_row


def logged(**factors: FactorValue) -> Run:
    """Return a run of logs/r.log with these factors."""
    return run(id="logs/r.log", factors=factors, environment={"driver": "1"})


def apply(text: str, path: str = "logs/r.log", log: Run | None = None, nearer: str = "") -> Run:
    chain = [labels_toml.parse(text.encode(), "logs"), labels_toml.parse(nearer.encode(), "logs/a")]
    return Labeller(path, labels_toml.above(path, chain))(log or run(id=path, factors={}))


def test_constants_and_environment_are_added() -> None:
    text = '[constants]\ncluster = "A"\nday = 2024-02-17\n[environment]\nos = "Linux"'
    found = apply(text, log=logged(model="m"))
    assert found.factors == {"model": "m", "cluster": "A", "day": "2024-02-17"}
    assert found.environment == {"driver": "1", "os": "Linux"}


@pytest.mark.parametrize(
    ("facts", "work"),
    [
        ({"nodes": 2, "devices_per_node": 8, "batch_size": 128}, 2048.0),
        ({"devices": 4, "batch_size": 32}, 128.0),
        ({"batch_size": 32}, None),
        ({"cluster": "A"}, None),
    ],
)
def test_facts_of_a_layout_give_what_the_labels_would_give(
    facts: dict[str, FactorValue], work: float
) -> None:
    log = logged(model="m", batch_size=64) if "cluster" in facts else logged(model="m")
    lines = "".join(f"{name} = {value!r}\n" for name, value in facts.items())
    given, labelled = with_facts(log, facts), apply(f"[constants]\n{lines}", log=log)
    assert given.factors == labelled.factors
    assert given.samples_per_step == labelled.samples_per_step == work
    assert given.work_is_labelled == labelled.work_is_labelled


def test_factors_are_renamed_and_values_replaced() -> None:
    text = '[rename]\nbsz = "batch_size"\n[aliases.batch_size]\n32 = 64\n[aliases.amp]\ntrue = "yes"\n'
    assert apply(text, log=logged(bsz=32, amp=True, model="m")).factors == {
        "batch_size": 64,
        "amp": "yes",
        "model": "m",
    }


def test_the_first_pattern_that_matches_gives_factors_and_repeat() -> None:
    text = (
        '[[paths]]\npattern = "{model}_b{batch_size:int}_{repeat:int}.log"\n'
        '[[paths]]\npattern = "{other}.log"\n'
        '[aliases.model]\nrn50 = "resnet50"\n'
    )
    found = apply(text, "logs/1n/rn50_b32_7.log")
    assert (found.factors, found.repeat) == ({"model": "resnet50", "batch_size": 32}, 7)
    assert apply(text, "logs/x.log").factors == {"other": "x"}
    assert apply(text, "logs/x.txt").factors == {}


def test_the_nearest_labels_win_below_their_folder() -> None:
    outer = "[constants]\na = 1\nb = 1\n[formats.nvsmi]\nx = 1\ny = 1"
    nearer = "[constants]\nb = 2\n[formats.nvsmi]\ny = 2"
    assert apply(outer, "logs/a/r.log", nearer=nearer).factors == {"a": 1, "b": 2}
    assert apply(outer, "logs/ab/r.log", nearer=nearer).factors == {"a": 1, "b": 1}
    chain = [labels_toml.parse(outer.encode(), "logs"), labels_toml.parse(nearer.encode(), "logs/a")]
    assert labels_toml.settings(labels_toml.above("logs/a/r.log", chain)) == {"nvsmi": {"x": 1, "y": 2}}


@pytest.mark.parametrize(
    ("aliases", "device", "message"),
    [
        ('"A40" = "V100"', "A40", "device: aliases give A40 and V100 one name, V100"),
        ('"A40" = "V100"', "V100", ""),  # the alias does not apply
        ('"A40" = "gpu"\n"Tesla V100" = "gpu"', "A40", "device: aliases give A40 and V100 one name, gpu"),
        ('"Tesla V100-SXM2" = "V100"\n"V100-PCIE" = "V100"', "V100-PCIE", ""),
        ('"NVIDIA H200" = "H200"', "NVIDIA H200", ""),
    ],
)
def test_an_alias_that_merges_two_devices_is_a_note(aliases: str, device: str, message: str) -> None:
    found = apply(f"[aliases.device]\n{aliases}", log=logged(device=device))
    notes = [each.message for each in found.findings if each.rule == "read.alias-merges-devices"]
    assert notes == ([message] if message else [])


@pytest.mark.parametrize(
    ("prefer", "expected"), [("", 4), ('prefer = "log"\n', 4), ('prefer = "labels"\n', 8)]
)
def test_a_conflict_is_a_finding_and_prefer_decides(prefer: str, expected: int) -> None:
    found = apply(prefer + "[constants]\ndevices = 8", log=logged(devices=4))
    assert found.factors == {"devices": expected}
    (finding,) = found.findings
    assert (finding.severity, finding.rule, str(finding.source)) == (
        "warning",
        "read.label-conflict",
        "logs/labels.toml",
    )
    assert finding.message.startswith("devices: the log says 4, the labels say 8; ")


@pytest.mark.parametrize("value", [8, 8.0, "8"])
def test_equal_values_are_not_a_conflict(value: FactorValue) -> None:
    found = apply("[constants]\ndevices = 8", log=logged(devices=value))
    assert (found.factors, found.findings) == ({"devices": value}, ())


def test_a_repeat_may_conflict_too() -> None:
    numbered = run(id="logs/r.log", factors={}, repeat=2)
    found = apply('[[paths]]\npattern = "{_}{repeat:int}.log"', "logs/r3.log", numbered)
    assert (found.repeat, [one.rule for one in found.findings]) == (2, ["read.label-conflict"])


@each_row(
    [
        ("a = 1\nb", r"logs/labels.toml: not valid TOML: "),
        ("\xff", r"logs/labels.toml: not valid TOML: "),
        ("[constant]", r'logs/labels.toml: constant: no such key; did you mean "constants"\?'),
        ("constants = 1", r"logs/labels.toml: constants: expected a table, got 1"),
        (
            "[constants]\na = []",
            r"logs/labels.toml: constants.a: expected true or false, a number or a string, got a list",
        ),
        ("[rename]\na = 1", r"logs/labels.toml: rename.a: expected a string, got 1"),
        ("[aliases]\na = 1", r"logs/labels.toml: aliases.a: expected a table, got 1"),
        ("[formats.nvidia]", r"logs/labels.toml: formats.nvidia: no such format"),
        ('prefer = "both"', r'logs/labels.toml: prefer: "both" is not known'),
        ("[paths]", r"logs/labels.toml: paths: expected a list, got a table"),
        ("[[paths]]", r"logs/labels.toml: paths\[0\].pattern: missing; add pattern = "),
        ('[[paths]]\npattern = "{a"', r"logs/labels.toml: paths\[0\].pattern: a brace without its partner"),
        (
            '[[paths]]\npattern = "../{a}"',
            r"logs/labels.toml: paths\[0\].pattern: .* leads out of the folder",
        ),
        ('[[table]]\nname = "t"\n' * 65, r"logs/labels.toml: table: 65 definitions, more than 64"),
        ('[[paths]]\npatern = "a"', r"logs/labels.toml: paths\[0\].patern: no such key; did you mean"),
    ]
)
def test_wrong_labels_are_errors_with_place_fact_and_remedy(text: str, message: str) -> None:
    with pytest.raises(RequestError, match="^" + message):
        labels_toml.parse(text.encode(), "logs")


SECTIONS = st.sampled_from(["constants", "environment", "rename", "aliases", "paths", "formats", "prefer"])
FORMS = st.sampled_from(
    ["{}=1", "[{}]", "[[{}]]", "{}=[1]", "[{}.x]\na=1", "{}={{a=[1]}}", "[[{}]]\npattern='{{a}}'"]
)


@given(st.binary(max_size=200) | st.builds(lambda form, key: form.format(key).encode(), FORMS, SECTIONS))
def test_any_content_gives_labels_or_a_request_error(content: bytes) -> None:
    with suppress(RequestError):
        found = labels_toml.parse(content, "")
        Labeller("logs/r.log", [found])(logged(a=1))


def test_renaming_to_an_existing_factor_is_a_conflict() -> None:
    found = apply('[rename]\nbs = "batch_size"', log=logged(bs=1, batch_size=2))
    assert found.factors == {"batch_size": 2}
    (finding,) = found.findings
    assert finding.rule == "read.label-conflict"
    assert finding.message == "batch_size: the log says 2, and 1 as bs; using the former"
    assert not apply('[rename]\nbs = "batch_size"', log=logged(bs=2, batch_size=2)).findings


def test_two_factors_can_swap_names() -> None:
    assert apply('[rename]\na = "b"\nb = "a"', log=logged(a=1, b=2)).factors == {"b": 1, "a": 2}


def test_a_factor_renamed_to_repeat_gives_the_repeat() -> None:
    found = apply('[rename]\nrun = "repeat"', log=logged(run=3))
    assert (found.factors, found.repeat, found.findings) == ({}, 3, ())


@pytest.mark.parametrize(
    ("value", "number", "message"),
    [
        (3, 2, "repeat: the log says 2, and 3 as run; using the former"),
        ("a", None, "run: a is not a whole number and cannot be a repeat"),
        (True, None, "run: True is not a whole number and cannot be a repeat"),
    ],
)
def test_an_invalid_repeat_is_a_conflict(value: FactorValue, number: int | None, message: str) -> None:
    log = run(id="logs/r.log", factors={"run": value}, repeat=number)
    found = apply('[rename]\nrun = "repeat"', log=log)
    assert (found.repeat, [one.message for one in found.findings]) == (number, [message])


@pytest.mark.parametrize(
    ("log", "label", "same"),
    [
        (True, "1", False),
        (1, "true", False),
        (True, "true", True),
        ("true", "true", True),
        (1, "1.0", True),
        ("1", "1", True),
        ("a", '"A"', False),
    ],
)
def test_booleans_and_numbers_are_different_values(log: FactorValue, label: str, same: bool) -> None:
    assert (not apply(f"[constants]\nxla = {label}", log=logged(xla=log)).findings) == same


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[[paths]]\npattern = "{m}_{repeat}.log"',
            '"{repeat}" is not declared as a number; write {repeat:int}',
        ),
        (
            '[[paths]]\npattern = "{phase}.log"',
            '"phase" is reserved and cannot be a factor; choose another name',
        ),
        ('[constants]\nmetric = "x"', '"metric" is reserved'),
        ('[constants]\nrepeat = "x"', "constants.repeat: not an integer"),
        ('[rename]\nx = "phase"', '"phase" is reserved'),
        ("[constants]\nx = nan", "constants.x: not a finite number"),
        ("[environment]\nx = 1" + "0" * 400, "environment.x: an integer of more than 64 bits"),
    ],
)
def test_invalid_factors_are_refused(text: str, message: str) -> None:
    with pytest.raises(RequestError) as error:
        labels_toml.parse(text.encode(), "logs")
    assert message in str(error.value)


def test_a_time_zone_makes_local_times_comparable() -> None:
    local = run(started=1_700_000_000.0, ended=1_700_000_060.0, started_clock="logs/r.log")
    found = apply('time_zone = "+08:00"', log=local)
    assert (found.started, found.ended, found.started_clock) == (1_699_971_200.0, 1_699_971_260.0, "")
    assert apply('time_zone = "Z"', log=local).started == 1_700_000_000.0


def test_a_time_zone_does_not_move_a_time_in_utc() -> None:
    assert apply('time_zone = "+08:00"', log=run(started=1_700_000_000.0)).started == 1_700_000_000.0


@pytest.mark.parametrize("zone", ["Europe/Berlin", "", "8", "+99:00", ".5"])
def test_a_time_zone_is_an_offset(zone: str) -> None:
    with pytest.raises(RequestError, match="offset from UTC"):
        apply(f'time_zone = "{zone}"')
