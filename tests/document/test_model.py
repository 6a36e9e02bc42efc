"""The docstrings of the classes are the reference of report.json: each field has its line."""

import inspect
import re

import msgspec

from reportgen.document import model
from reportgen.document.schema import struct_classes
from tests.each_of import each_of

STRUCTS = struct_classes()


def test_the_classes_are_found() -> None:
    assert model.Document in STRUCTS
    assert len(STRUCTS) > 30


@each_of(STRUCTS)
def test_every_field_has_a_line_and_every_line_a_field(struct: type[msgspec.Struct]) -> None:
    text = inspect.getdoc(struct) or ""
    described = re.findall(r"^(\w+)  +\S", text, re.M)
    assert described == list(struct.__struct_fields__)
