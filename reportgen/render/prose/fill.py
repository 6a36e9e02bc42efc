"""Fill the prose of a report: sentences whose numbers come from the tables.

The author's Markdown is a template in a sandbox. `value`, `ratio` and `expected` answer with text, which
stays in its line; `table`, `figure`, `environment`, `findings` and an `expected` without systems leave a
placeholder, because the same prose becomes Markdown and HTML and each form puts its own block there.
Every mistake is a RequestError that names the line of the prose.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from jinja2 import TemplateError, TemplateSyntaxError

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.results import Figure, Report, Table
from reportgen.render.prose import lookup, sandbox
from reportgen.render.prose.template_functions import BEGIN, END, Answer, Block, BlockKind, Functions

# What a function answered with is told apart from the author's own text until lines are joined.
_ANSWER, _ANSWERED = "\ue002", "\ue003"
_OURS = re.compile(f"{BEGIN}[0-9]*{END}|[{BEGIN}{END}{_ANSWER}{_ANSWERED}]")
_PLACEHOLDER = re.compile(f"{BEGIN}([0-9]+){END}")
_BETWEEN = re.compile(f"({BEGIN}[0-9]+{END})")
_RENDER = Path(__file__).parents[1]
# What these raise is the author's doing.
_HIS = (__file__, sandbox.__file__)


@dataclass(frozen=True, slots=True)
class Prose:
    """The prose with its numbers filled in, and the blocks that its placeholders stand for."""

    text: str
    blocks: tuple[Block, ...]

    def places(self, kind: BlockKind, identifier: str = "") -> bool:
        """Return whether the prose shows that block itself."""
        return Block(kind, identifier) in self.blocks

    def left(self, report: Report) -> tuple[list[Table], dict[str, list[Figure]]]:
        """Return the tables that the prose does not show, and such figures by the id of their table.

        Those whose table stands in the prose are under "".
        """
        tables = [table for table in report.tables if not self.places("table", table.id)]
        ids = {table.id for table in tables}
        figures: dict[str, list[Figure]] = {}
        for figure in report.figures:
            if not self.places("figure", figure.id):
                figures.setdefault(figure.table if figure.table in ids else "", []).append(figure)
        return tables, figures

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
    functions = Functions(report)
    try:
        text = sandbox.render(_OURS.sub("", report.prose), functions.by_name(), _marked)
    except TemplateSyntaxError as error:
        raise RequestError(_place(report, error.lineno), f"template: {error.message}") from None
    except (RecursionError, SyntaxError, MemoryError):  # Python's own limits for nested expressions
        raise RequestError(_place(report, 1), "template: an expression is nested too deeply") from None
    except lookup.NotFoundError as error:
        raise RequestError(_place(report, _line(error.__traceback__)), error.fact, error.remedy) from None
    except (TemplateError, TypeError, ValueError, LookupError, ArithmeticError) as error:
        if _is_ours(error.__traceback__):
            raise
        fact, remedy = _mistake(str(error), functions)
        raise RequestError(_place(report, _line(error.__traceback__)), fact, remedy) from None
    return Prose(_inline(text), tuple(functions.blocks))


def _marked(value: object) -> object:
    return f"{_ANSWER}{value}{_ANSWERED}" if isinstance(value, Answer) else value


# Lines that are not the end of a sentence to be continued, and those that continue one.
_NOT_TEXT = re.compile(r"\s*(?:$|[#|>]|```|~~~|(?:[-=*_]\s*){3,}$)|.*(?:  |\\)$")
_WORDS = re.compile(r"\s*(?:[A-Za-z(,;]|[0-9]+\s)")
_SHORT = 40


def _inline(text: str) -> str:
    """Return the text with answers that stand on a line of their own taken into the sentence around them.

    An expression is too long for the author's line, so it has one of its own; its answer is a number.
    """
    lines: list[str] = []
    fenced, is_open = False, False
    for line in text.split("\n"):
        bare = line.strip()
        begins = bare.startswith(_ANSWER)
        joins = not fenced and lines and not _NOT_TEXT.match(lines[-1])
        if joins and (begins or (is_open and _WORDS.match(line))):
            lines[-1] = f"{lines[-1].rstrip()} {line.lstrip()}"
        else:
            lines.append(line)
        is_open = begins and len(bare) <= _SHORT
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
    return "\n".join(lines).replace(_ANSWER, "").replace(_ANSWERED, "")


def _mistake(message: str, functions: Functions) -> tuple[str, str]:
    undefined = re.fullmatch(r"'(\w+)' is undefined", message)
    if undefined:
        return f'no function "{undefined[1]}"', did_you_mean(undefined[1], functions.by_name())
    return f"template: {message}", ""


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
    return bool(frames) and Path(frames[-1][0]).is_relative_to(_RENDER) and frames[-1][0] not in _HIS
