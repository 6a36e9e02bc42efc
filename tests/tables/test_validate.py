"""Values to order and label that no run has are a note, once for all tables of a report."""

import pytest

from reportgen.tables.validate import unused_keys
from tests.builders import published_run, table_spec

RUNS = [
    published_run(device="A", xla=True, throughput=1.0),
    published_run(device="B", environment={"driver": "470"}, throughput=1.0),
]


def messages(*specs, systems=("fast",)):
    found = list(unused_keys(specs, RUNS, systems))
    assert {(f.severity, f.rule, f.source.path) for f in found} <= {
        ("note", "table.unused-name", "reports/t.toml")
    }
    return [finding.message for finding in found]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"order": {"device": ("B", "a")}}, 'tables[0].order.device: no run has device = "a"; known: A, B'),
        ({"order": {"driver": (470,)}}, 'tables[0].order.driver: no run has driver = 470; write it as "470"'),
        (
            {"order": {"phase": ("forwrd",)}, "phases": ("forward", "step")},
            'tables[0].order.phase: no run has phase = "forwrd"; did you mean "forward"?',
        ),
        (
            {"labels": {"devcie": "GPU"}},
            'tables[0].labels."devcie": no factor or value has this name; did you mean "device"?',
        ),
        (
            {"labels": {"device=C": "GPU"}},
            'tables[0].labels."device=C": no factor or value has this name; did you mean "device=B"?',
        ),
    ],
)
def test_unused_keys_are_named_with_the_closest_known_name(keys, message):
    assert messages(table_spec(**keys)) == [message]


@pytest.mark.parametrize(
    "keys",
    [
        {"order": {"device": ("B", "A"), "driver": ("470",), "repeat": (3,), "system": ("fast",)}},
        {"order": {"device": ("C",)}, "planned": ({"device": "C"},)},
        {"order": {"phase": ("all", "step"), "metric": ("throughput",)}, "totals": {"all": ("forward",)}},
        {
            "labels": {
                "device": "GPU",
                "A": "a",
                "device=B": "b",
                "xla=true": "w/XLA",
                "driver": "d",
                "-": "none",
            }
        },
        {"labels": {"phase=step": "all of it", "throughput": "speed", "system": "machine", "repeat": "no."}},
    ],
)
def test_used_keys_are_not_a_finding(keys):
    assert messages(table_spec(**keys)) == []


def test_lists_may_be_shared_by_the_tables_of_a_report():
    of_one, of_other = (
        table_spec(phases=("forward",)),
        table_spec(order={"phase": ("forward", "step")}, labels={"forward": "f"}),
    )
    assert messages(of_one, of_other) == []
