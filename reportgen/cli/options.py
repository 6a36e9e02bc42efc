"""Options and arguments that several commands have: `--where factor=value`, `--format`, and REPORT/TABLE."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.plain_text import printable_json

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from reportgen.core.factors import Accepted, AcceptedValues, Presence
    from reportgen.core.model import FactorValue

Where = Annotated[
    list[str] | None,
    typer.Option(
        help="factor=value, e.g. devices=8; factor:absent or factor:present for runs that lack or have it;"
        " may be repeated: a factor twice accepts both values"
    ),
]
Scheduler = Annotated[
    str | None, typer.Option(help="Parse logs with the workers of this Dask scheduler, e.g. tcp://host:8786.")
]
Words = TypeVar("Words", bound=StrEnum)
_BOOLEANS = {"true": True, "false": False}


def parsing_at(scheduler: str | None) -> "AbstractContextManager[Executor | None]":
    """Return the executor of --scheduler; None without one: the processes of this machine."""
    if scheduler is None:
        return nullcontext()
    from reportgen.load.scheduler import executor_at

    return executor_at(scheduler)


def conditions(arguments: Sequence[str] | None, option: str = "--where") -> "dict[str, Accepted]":
    """Return factor -> accepted values; raises RequestError for an argument that is not factor=value.

    A number and a boolean are also accepted as text: a log may have `"8"`.
    """
    accepted: dict[str, Accepted] = {}
    for argument in arguments or ():
        if presence := _presence(argument):
            accepted[presence[0]] = (*accepted.get(presence[0], ()), presence[1])
            continue
        name, value = parse_condition(argument, option)
        accepted[name] = (*accepted.get(name, ()), *_readings(value))
    return accepted


def _presence(argument: str) -> "tuple[str, Presence] | None":
    """Return the factor of `variant:absent` and its presence; a value is always behind a "="."""
    from reportgen.core.factors import Presence

    name, _, word = argument.rpartition(":")
    words = {each.value: each for each in Presence}
    return (name, words[word]) if "=" not in argument and name and word in words else None


def parse_condition(argument: str, option: str = "--where") -> "tuple[str, FactorValue]":
    """Return the name and the value of one factor=value."""
    from reportgen.core.factors import parse_scalar

    name, equals, value = argument.partition("=")
    if not equals or not name:
        raise RequestError(option, f'"{argument}" is not factor=value', f"write it as {option} devices=8")
    return name, parse_scalar(value)


def _readings(value: "FactorValue") -> "AcceptedValues":
    if isinstance(value, str):
        return (value, _BOOLEANS[value.lower()]) if value.lower() in _BOOLEANS else (value,)
    return value, str(value)


def one_of(words: type[Words]) -> Callable[[str], Words]:
    """Return the parser of a word: typer's own message about a wrong one does not name the nearest."""

    def parse(word: str) -> Words:
        if word not in list(words):
            raise typer.BadParameter(f'"{word}" is not known; {did_you_mean(word, words)}')
        return words(word)

    return parse


class TextOrJson(StrEnum):
    """How a command prints its result."""

    TEXT = "text"
    JSON = "json"


Format = Annotated[
    TextOrJson,
    typer.Option(
        help="How to print: for people or for programs.",
        parser=one_of(TextOrJson),
        metavar="|".join(TextOrJson),
    ),
]


def print_document(**document: object) -> None:
    """Print an object as JSON; `version` is raised when a key is renamed or removed."""
    import msgspec

    text = msgspec.json.format(msgspec.json.encode({"version": 1, **document}), indent=1).decode()
    print(printable_json(text))


def split_table(table: str) -> tuple[str, str]:
    """Return the name of the report and the id of its table, which may have a "/" for its facet."""
    report, slash, id = table.partition("/")
    if not (report and slash and id):
        raise RequestError(table, "is not REPORT/TABLE", f"write it as {report or 'REPORT'}/TABLE")
    return report, id
