"""The option `--where factor=value`, which several commands have."""

from collections.abc import Sequence
from typing import Annotated

import typer

from reportgen.core.errors import RequestError
from reportgen.core.factors import AcceptedValues, parse_scalar
from reportgen.core.model import FactorValue

Where = Annotated[
    list[str] | None,
    typer.Option(help="factor=value, e.g. devices=8; may be repeated: a factor twice accepts both values"),
]
_BOOLEANS = {"true": True, "false": False}


def conditions(arguments: Sequence[str] | None, option: str = "--where") -> dict[str, AcceptedValues]:
    """Return factor -> accepted values; raises RequestError for an argument that is no factor=value.

    A number and a boolean are also accepted as text: a log may have `"8"`.
    """
    accepted: dict[str, AcceptedValues] = {}
    for argument in arguments or ():
        name, value = parse_condition(argument, option)
        accepted[name] = (*accepted.get(name, ()), *_readings(value))
    return accepted


def parse_condition(argument: str, option: str = "--where") -> tuple[str, FactorValue]:
    """Return the name and the value of one factor=value."""
    name, equals, value = argument.partition("=")
    if not equals or not name:
        raise RequestError(option, f'"{argument}" is not factor=value', f"write it as {option} devices=8")
    return name, parse_scalar(value)


def _readings(value: FactorValue) -> AcceptedValues:
    if isinstance(value, str):
        return (value, _BOOLEANS[value.lower()]) if value.lower() in _BOOLEANS else (value,)
    return value, str(value)
