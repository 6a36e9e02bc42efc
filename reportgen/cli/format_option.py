"""The option --format of commands that print text or JSON, and how they print JSON."""

from enum import StrEnum
from typing import Annotated

import msgspec
import typer

from reportgen.core.plain_text import printable_json


class TextOrJson(StrEnum):
    """How a command prints its result."""

    TEXT = "text"
    JSON = "json"


Format = Annotated[TextOrJson, typer.Option(help="How to print: for people or for programs.")]


def print_document(**document: object) -> None:
    """Print an object as JSON; `version` is raised when a key is renamed or removed."""
    text = msgspec.json.format(msgspec.json.encode({"version": 1, **document}), indent=1).decode()
    print(printable_json(text))
