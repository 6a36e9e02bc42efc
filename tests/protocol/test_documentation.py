"""The pages about protocols say what the code does: the fields of a protocol and the numbers in the text."""

import json
import re
from pathlib import Path

import pytest
from msgspec import structs

from reportgen.core.stats import median_interval
from reportgen.protocol import Protocol, measure_run
from tests.builders import run, series

DOCS = Path(__file__).parents[2] / "docs"
PROTOCOL = (DOCS / "explanation" / "protocol.md").read_text("utf-8")
FIELDS = (DOCS / "reference" / "protocols.md").read_text("utf-8")


def test_every_field_of_a_protocol_is_documented_with_its_default() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \|", FIELDS.split("<!-- fields -->")[1], re.MULTILINE)
    documented = {name: json.loads(default.strip("`")) for name, default in rows}
    assert documented.pop("steps") == Protocol().name
    fields = {field.name: field.default for field in structs.fields(Protocol) if field.name != "name"}
    assert documented == fields


def test_the_coverages_in_the_text_are_those_of_the_interval() -> None:
    rows = re.findall(r"^\| (\d+) \| .* \| ([\d.]+) %", PROTOCOL, re.MULTILINE)
    assert [int(n) for n, _ in rows] == [5, 6, 7, 9]
    for n, percent in rows:
        found = median_interval([float(i) for i in range(int(n))], 0.95)
        assert 100 * found.coverage == pytest.approx(float(percent), abs=0.05)


def test_the_example_of_the_two_estimators_holds() -> None:
    one = run(series([1.0, 3.0]), samples_per_step=8)
    found = [
        measure_run(one, "throughput", "step", Protocol("p", 0, 2, 1, name))
        for name in ("total", "mean_of_rates")
    ]
    assert [round(one.value, 2) for one in found if one] == [4.0, 5.33]
