"""Expected speed: paths, bands, conditions, contradictions. Expected values are products by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.core.errors import RequestError
from reportgen.tables.assemble import build_tables
from reportgen.tables.expected import (
    SpeedFact,
    SpeedFacts,
    expected_speed,
    inconsistencies,
    resolve_open_factors,
)
from reportgen.tables.spec import CompareSpec
from tests.builders import published_run, table_spec


def fact(of: str, to: str, speed: float, origin="stated", **where) -> SpeedFact:
    where = {k: (v,) for k, v in where.items()}
    return SpeedFact(of, to, speed, where, f"{of}/{to}", "", "", "p", origin=origin)


JADE = SpeedFacts(
    {
        "LS": {"cluster": ("JADE2",), "device": ("V100",)},
        "V100": {"device": ("V100",)},
        "A40": {"device": ("A40",)},
    },
    (fact("V100", "A40", 0.927, devices=8), fact("V100", "A40", 0.943, devices=1), fact("LS", "V100", 0.67)),
)


@pytest.mark.parametrize(
    ("target", "reference", "devices", "speed"),
    [
        ("LS", "A40", 8, 0.62109),
        ("LS", "A40", 1, 0.63181),
        ("A40", "LS", 8, 1 / 0.62109),
        ("LS", "V100", 3, 0.67),
        ("V100", "A40", 8, 0.927),
        ("LS", "A40", 4, None),
        ("A40", "A40", 8, None),
    ],
)
def test_the_expected_speed_is_the_product_along_the_path(target, reference, devices, speed):
    found = expected_speed(JADE, target, reference, {"devices": devices})
    assert (found and found.speed) == (speed and pytest.approx(speed, rel=1e-12))


@pytest.mark.parametrize(("own", "base", "speed"), [(8, 8, 0.927), (8, 1, None), (4, 8, None)])
def test_a_fact_must_hold_for_the_case_and_for_its_baseline(own, base, speed):
    """A fact about eight devices served a baseline with one."""
    found = expected_speed(JADE, "V100", "A40", {"devices": own}, {"devices": base})
    assert (found and found.speed) == speed


def test_several_shortest_paths_are_a_band_around_their_geometric_mean():
    knowledge = SpeedFacts(
        {}, (fact("a", "b", 2.0), fact("b", "d", 3.0), fact("a", "c", 2.0), fact("c", "d", 4.0))
    )
    found = expected_speed(knowledge, "a", "d", {})
    assert (found.low, found.high) == pytest.approx((6.0, 8.0))
    assert found.speed == pytest.approx(math.sqrt(48))
    assert len(found.paths) == 2


def test_a_longer_way_around_does_not_count():
    knowledge = SpeedFacts({}, (fact("a", "d", 5.0), fact("a", "b", 2.0), fact("b", "d", 3.0)))
    assert expected_speed(knowledge, "a", "d", {}).paths[0][0].speed == 5.0


def test_stated_facts_come_before_those_computed_from_logs():
    stated, computed = fact("a", "b", 2.0), fact("a", "b", 3.0, "computed")
    other = fact("b", "c", 5.0, "computed")
    knowledge = SpeedFacts({}, (stated, computed, other))
    found = expected_speed(knowledge, "a", "b", {})
    assert (found.speed, found.low, found.high) == (2.0, 2.0, 2.0)
    assert [edge.origin for path in found.paths for edge in path] == ["stated"]
    band = expected_speed(knowledge, "a", "c", {})
    assert (band.low, band.high) == (10.0, 15.0)
    assert {path[0].origin for path in band.paths} == {"stated", "computed"}


def test_contradicting_facts_around_a_loop_are_one_finding_with_both_products():
    knowledge = SpeedFacts({}, (fact("a", "d", 5.0), fact("a", "b", 2.0), fact("b", "d", 3.0)))
    (finding,) = inconsistencies(knowledge)
    assert finding.rule == "expected.inconsistent"
    assert finding.message == "5 according to a/d, but 6 along a -> b -> d"
    assert not list(inconsistencies(JADE))


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=6))
def test_an_edge_and_its_inverse_multiply_to_one(speeds):
    facts = tuple(fact(str(i), str(i + 1), speed) for i, speed in enumerate(speeds))
    knowledge, last = SpeedFacts({}, facts), str(len(speeds))
    there, back = (expected_speed(knowledge, *pair, {}) for pair in [("0", last), (last, "0")])
    assert there.speed * back.speed == pytest.approx(1)
    assert there.speed == pytest.approx(math.prod(speeds))


def test_the_facts_resolve_open_factors_unless_they_differ():
    assert resolve_open_factors(JADE, {"devices": 8}, "--where") == {"devices": 8}
    with pytest.raises(
        RequestError, match="facts hold for different devices: 8, 1; choose one with --where devices=8"
    ):
        resolve_open_factors(JADE, {}, "--where")


ROWS = [
    published_run(cluster=c, device=d, devices=n, samples=128.0 * n, values=v)
    for c, d, n, v in [
        ("TN", "A40", 8, {"data_loading": 0.0406, "forward": 0.1472, "backward": 0.2115}),
        ("TN", "A40", 1, {"data_loading": 0.0081, "forward": 0.1102, "backward": 0.1961}),
        ("JADE2", "V100", 8, {"data_loading": 5.2553, "forward": 1.3720, "backward": 0.8037}),
        ("JADE2", "V100", 1, {"data_loading": 0.6594, "forward": 0.1774, "backward": 0.3166}),
    ]
]


def jade_table(**keys):
    (table,) = build_tables(
        table_spec(
            where={"cluster": ("JADE2",)},
            rows=("devices",),
            columns=("phase",),
            metrics=("step_time",),
            compare=CompareSpec("expected", {"cluster": "TN", "device": "A40"}),
            **keys,
        ),
        ROWS,
        JADE,
    )
    return table


def test_slowdown_vs_expected_uses_facts_of_the_same_device_count():
    # 1.3720/0.1472 = 9.32065..., x 0.62109; the published sentence's 9.38 and 5.8 have no such row.
    table = jade_table(phases=("forward", "backward"), show=("observed", "expected", "excess"))
    forward = [cell.value for cell in table.cells[1][:3]]
    assert forward == pytest.approx([1.3720 / 0.1472, 0.62109, 5.788967], rel=1e-6)
    assert table.cells[0][2].value == pytest.approx(0.1774 / 0.1102 * 0.63181)


def test_data_loading_and_totals_that_contain_it_have_no_expected_speed():
    totals = {"compute": ("forward", "backward"), "all": ("data_loading", "forward", "backward")}
    table = jade_table(phases=("data_loading", "all", "compute"), totals=totals, show=("observed", "excess"))
    by_phase = dict(
        zip(
            [c.key[0] for c in table.columns][::2],
            zip(table.cells[1][::2], table.cells[1][1::2], strict=True),
            strict=True,
        )
    )
    assert by_phase["data_loading"][0].value == pytest.approx(5.2553 / 0.0406)
    assert by_phase["data_loading"][1].kind == "absent"
    assert by_phase["all"][1].kind == "absent"
    assert by_phase["compute"][1].kind == "number"


def test_a_system_can_be_a_row():
    (table,) = build_tables(
        table_spec(rows=("system",), columns=("devices",), metrics=("step_time",), phases=("forward",)),
        ROWS,
        JADE,
    )
    assert [row.key for row in table.rows] == [("A40",), ("LS",)]


def test_systems_without_a_path_say_so_and_keep_the_observed_ratio():
    knowledge = SpeedFacts(JADE.systems, (fact("LS", "V100", 0.67),))
    (table,) = build_tables(
        table_spec(
            rows=("cluster", "devices"),
            metrics=("step_time",),
            phases=("forward",),
            show=("value", "observed", "excess"),
            compare=CompareSpec("expected", {"cluster": "TN", "device": "A40"}),
            where={"cluster": ("JADE2",)},
        ),
        ROWS,
        knowledge,
    )
    assert table.findings[0].rule == "expected.no-path"
    assert table.cells[0][1].kind == "number"
    assert table.cells[0][2].kind == "absent"


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (
            (fact("V100", "A40", 0.9), fact("A40", "V100", 5.0)),
            "0.9 according to V100/A40, but 0.2 according to A40/V100",
        ),
        (
            (fact("V100", "A40", 0.9), fact("V100", "A40", 0.2, devices=8)),
            "0.9 according to V100/A40, but 0.2 according to V100/A40",
        ),
        ((fact("V100", "A40", 0.9), fact("V100", "A40", 0.85)), None),
        ((fact("V100", "A40", 0.9, devices=1), fact("V100", "A40", 0.2, devices=8)), None),
    ],
)
def test_sources_of_one_pair_that_differ_too_much_contradict_each_other(facts, message):
    found = [finding.message for finding in inconsistencies(SpeedFacts({}, facts))]
    assert found == ([message] if message else [])


def test_cells_show_the_band_of_an_expected_speed():
    # Geometric mean of 0.9 and 0.2 is 0.424264; the V100 takes 0.1774 s, the A40 0.1102 s.
    facts = (fact("LS", "A40", 0.9), fact("A40", "LS", 5.0))
    (table,) = build_tables(
        table_spec(
            where={"cluster": ("JADE2",), "devices": (1,)},
            rows=("cluster",),
            metrics=("step_time",),
            phases=("forward",),
            show=("value", "observed", "expected", "excess"),
            compare=CompareSpec("expected", {"cluster": "TN", "device": "A40"}),
        ),
        ROWS,
        SpeedFacts(JADE.systems, facts),
    )
    ((value, observed, expected, excess),) = table.cells
    slower = 0.1774 / 0.1102
    assert (expected.value, expected.low, expected.high) == pytest.approx((math.sqrt(0.18), 0.2, 0.9))
    assert (excess.low, excess.high) == pytest.approx((slower * 0.2, slower * 0.9))
    assert (value.low, observed.low) == (None, None)


def test_an_expected_speed_that_the_facts_agree_on_is_not_a_band():
    table = jade_table(phases=("forward",), show=("expected", "excess"))
    assert {(cell.low, cell.high) for line in table.cells for cell in line} == {(None, None)}


def _book_table(own: str, base: str, precision: str = "amp"):
    rows = [
        published_run(device=device, precision=precision, samples=128.0, values={"forward": seconds})
        for device, seconds in ((own, 0.4), (base, 0.1))
    ]
    systems = {"own": {"device": (own,)}, "base": {"device": (base,)}}
    (table,) = build_tables(
        table_spec(
            where={"device": (own,)},
            rows=("device",),
            metrics=("step_time",),
            phases=("forward",),
            compare=CompareSpec("expected", {"device": base}),
            show=("observed", "expected", "excess"),
        ),
        rows,
        SpeedFacts(systems),
    )
    return table


def test_without_a_fact_the_data_sheets_give_a_band():
    """V100: 125 TFLOP/s and 900 GB/s; A100: 312 and 1,555; so 0.4006 to 0.5788."""
    table = _book_table("Tesla V100-SXM2-16GB", "NVIDIA A100-SXM4-40GB")
    middle = math.sqrt(125 / 312 * 900 / 1555)
    assert [cell.value for cell in table.cells[0]] == pytest.approx([4.0, middle, 4.0 * middle])
    expected = table.cells[0][0].comparison.expected
    assert (expected.low, expected.high) == pytest.approx((125 / 312, 900 / 1555))
    assert {edge.origin for path in expected.paths for edge in path} == {"book"}
    assert expected.paths[0][0].source == (
        "peak arithmetic of V100 SXM2 16GB and A100 SXM4 40GB: NVIDIA V100 Tensor Core GPU, data sheet; "
        "NVIDIA A100 Tensor Core GPU, data sheet of 2020 (40 GB)"
    )


@pytest.mark.parametrize(
    ("own", "base", "precision"),
    [
        ("V100", "NVIDIA A100-SXM4-40GB", "amp"),
        ("Tesla V100-SXM2-16GB", "A100", "amp"),
        ("Tesla V100-SXM2-16GB", "NVIDIA A100-SXM4-40GB", "fp32"),  # or TF32?
    ],
)
def test_the_data_sheets_are_silent_where_a_name_or_the_arithmetic_is_open(own, base, precision):
    table = _book_table(own, base, precision)
    assert table.cells[0][0].comparison.expected is None
    assert "expected.no-path" in {finding.rule for finding in table.findings}
