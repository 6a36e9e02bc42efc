"""Fill the prose of a report: sentences whose numbers come from the tables.

The author's Markdown is a template in a sandbox. `value`, `ratio` and `expected` answer with text;
`table`, `figure`, `environment` and `findings` leave a placeholder, because the same prose becomes
Markdown and HTML and each form puts its own block there. Every mistake is a RequestError that names
the line of the prose.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from reportgen import units
from reportgen.errors import RequestError, did_you_mean
from reportgen.model import FactorValue
from reportgen.render import lookup
from reportgen.results import Quantity, Report

BlockKind = Literal["table", "figure", "environment", "findings"]

# Private-use characters: `escape.one_line` keeps them out of everything that comes from a log.
_BEGIN, _END = "\ue000", "\ue001"
_PLACEHOLDER = re.compile(f"{_BEGIN}([0-9]+){_END}")
_BETWEEN = re.compile(f"({_BEGIN}[0-9]+{_END})")
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Block:
    """A table, a figure (by id), or the environment or the findings of the report."""

    kind: BlockKind
    id: str = ""


@dataclass(frozen=True, slots=True)
class Prose:
    """The prose with its numbers filled in, and the blocks that its placeholders stand for."""

    text: str
    blocks: tuple[Block, ...]

    def places(self, kind: BlockKind, identifier: str = "") -> bool:
        """Return whether the prose shows that block itself."""
        return Block(kind, identifier) in self.blocks

    def paragraphs(self, show: Callable[[Block], str]) -> str:
        """Return the Markdown with each placeholder replaced by its block, a blank line around it."""
        pieces = (piece.rstrip().strip("\n").removeprefix(" ") for piece in _BETWEEN.split(self.text))
        return "\n\n".join(self.filled(piece, show) for piece in pieces if piece)

    def filled(self, text: str, show: Callable[[Block], str]) -> str:
        """Return `text` (this prose in any form) with each placeholder replaced by its block."""
        return _PLACEHOLDER.sub(lambda match: show(self.blocks[int(match[1])]), text)


def fill(report: Report) -> Prose:
    """Return the report's prose with its numbers; RequestError with file:line if that cannot be."""
    if not report.prose:
        return Prose("", ())
    functions = _Functions(report)
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True
    )
    try:
        template = environment.from_string(_PLACEHOLDER.sub("", report.prose))
        text = template.render(functions.by_name())
    except TemplateSyntaxError as error:
        raise RequestError(_place(report, error.lineno), f"template: {error.message}") from None
    except lookup.NotFoundError as error:
        raise RequestError(_place(report, _line(error.__traceback__)), error.fact, error.remedy) from None
    except (TemplateError, TypeError, ValueError, LookupError, ArithmeticError) as error:
        if _is_ours(error.__traceback__):
            raise
        fact, remedy = _mistake(str(error), functions)
        raise RequestError(_place(report, _line(error.__traceback__)), fact, remedy) from None
    return Prose(text, tuple(functions.blocks))


class _Functions:
    """What a template may call. The docstrings are the reference in docs/rendering.md."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.blocks: list[Block] = []

    def by_name(self) -> dict[str, Callable[..., str]]:
        return {
            "table": self.table,
            "figure": self.figure,
            "environment": self.environment,
            "findings": self.findings,
            "value": self.value,
            "ratio": self.ratio,
            "expected": self.expected,
        }

    def _placeholder(self, kind: BlockKind, identifier: str = "") -> str:
        self.blocks.append(Block(kind, identifier))
        return f"{_BEGIN}{len(self.blocks) - 1}{_END}"

    def table(self, table_id: str) -> str:
        return self._placeholder("table", lookup.table(self.report, table_id).id)

    def figure(self, figure_id: str) -> str:
        known = [figure.id for figure in self.report.figures]
        if figure_id not in known:
            raise lookup.NotFoundError(f'no figure "{figure_id}"', did_you_mean(figure_id, known))
        return self._placeholder("figure", figure_id)

    def environment(self) -> str:
        return self._placeholder("environment")

    def findings(self) -> str:
        return self._placeholder("findings")

    def value(
        self,
        table_id: str,
        row: Mapping[str, FactorValue] | None = None,
        column: Mapping[str, FactorValue] | None = None,
        quantity: Quantity | None = None,
        digits: int | None = None,
        unit: bool = False,
    ) -> str:
        found = lookup.cell(lookup.table(self.report, table_id), row or {}, column or {}, quantity)
        return found.text(digits=digits, with_unit=unit)

    def ratio(
        self,
        table_id: str,
        row: Mapping[str, FactorValue] | None = None,
        column: Mapping[str, FactorValue] | None = None,
        to_row: Mapping[str, FactorValue] | None = None,
        to_column: Mapping[str, FactorValue] | None = None,
        quantity: Quantity | None = None,
        digits: int = 3,
    ) -> str:
        table = lookup.table(self.report, table_id)
        row, column = row or {}, column or {}
        above = lookup.cell(table, row, column, quantity)
        below = lookup.cell(table, {**row, **(to_row or {})}, {**column, **(to_column or {})}, quantity)
        if below.value == 0:
            raise lookup.NotFoundError(f'table "{table_id}": the ratio divides by a cell that is 0', "")
        return units.text(above.value / below.value, digits=digits)

    def expected(self, target: str, reference: str, digits: int = 3) -> str:
        known = {(e.target, e.reference): e for e in self.report.expected}
        if (target, reference) not in known:
            raise lookup.NotFoundError(
                f'no expected speed of "{target}" relative to "{reference}"',
                did_you_mean(f"{target} : {reference}", map(" : ".join, known)),
            )
        return units.text(known[target, reference].speed, digits=digits)


def _mistake(message: str, functions: _Functions) -> tuple[str, str]:
    undefined = re.fullmatch(r"'(\w+)' is undefined", message)
    if undefined:
        return f'no function "{undefined[1]}"', did_you_mean(undefined[1], functions.by_name())
    return f"template: {message}".replace("_Functions.", ""), ""


def _place(report: Report, line: int) -> str:
    source = report.prose_source
    return f"{source.path}:{max(source.line, 1) - 1 + line}" if source else f"{report.name}: prose:{line}"


def _frames(traceback: TracebackType | None) -> list[tuple[str, int]]:
    frames = []
    while traceback:
        frames.append((traceback.tb_frame.f_code.co_filename, traceback.tb_lineno))
        traceback = traceback.tb_next
    return frames


def _line(traceback: TracebackType | None) -> int:
    """Return the line of the template that was being rendered: jinja2 puts it into the traceback."""
    lines = [line for name, line in _frames(traceback) if name == "<template>"]
    return lines[-1] if lines else 1


def _is_ours(traceback: TracebackType | None) -> bool:
    """Return whether the exception arose inside this program rather than in the author's expression."""
    frames = _frames(traceback)
    return bool(frames) and Path(frames[-1][0]).parent == _HERE and frames[-1][0] != __file__
