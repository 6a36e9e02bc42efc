"""The JSON Schema of report.json, from the classes that write and read it and from their docstrings."""

import inspect
from collections.abc import Iterator
from typing import Any

import msgspec

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.units import Unit
from reportgen.document import model
from reportgen.document.model import VERSION, Document

_FIELD = lazy_pattern(r"(\w+)  +(\S.*)")


def json_schema() -> dict[str, Any]:
    """Return the schema of a document, draft 2020-12, with the meaning of each field."""
    (root,), parts = msgspec.json.schema_components([Document], ref_template="#/$defs/{name}")
    classes = {cls.__name__: cls for cls in (*struct_classes(), Unit)}
    for name, part in parts.items():
        if cls := classes.get(name):
            part["description"] = (inspect.getdoc(cls) or "").partition("\n")[0]
            meanings = field_meanings(cls)
            for field, schema in part.get("properties", {}).items():
                schema["description"] = meanings[field]
    # Only the version that this program writes is described.
    parts["Document"]["properties"]["version"] |= {"const": VERSION}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"report.json, version {VERSION}",
        **root,
        "$defs": parts,
    }


def struct_classes() -> list[type[msgspec.Struct]]:
    """Return the classes of a document: the whole first, then its parts in the order of `model`."""
    _, parts = msgspec.json.schema_components([Document])
    classes = [
        cls
        for name, cls in vars(model).items()
        if name in parts and issubclass(cls, msgspec.Struct) and cls.__struct_fields__
    ]
    return [Document, *sorted(set(classes) - {Document}, key=classes.index)]


def field_meanings(cls: type[Any]) -> dict[str, str]:
    """Return the meaning of each field, as the docstring of the class says it."""
    meanings: dict[str, str] = {}
    for name, text in _field_lines(inspect.getdoc(cls) or ""):
        meanings[name] = f"{meanings[name]} {text}" if name in meanings else text
    return meanings


def _field_lines(docstring: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a docstring that say what a field means; a deeper line continues the one above."""
    name = ""
    for line in docstring.splitlines()[1:]:
        if match := _FIELD.fullmatch(line):
            name = match[1]
            yield name, match[2]
        elif name and line.startswith("  "):
            yield name, line.strip()
        else:
            name = ""
