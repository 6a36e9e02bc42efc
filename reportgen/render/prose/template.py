"""Fill the author's text: Markdown with placeholders for numbers, tables and figures.

The text may contain what `_ALLOWED` lists: calls of the functions in `template_functions`, literals, `~`, and
`for` loops that are not nested. Jinja2 parses it. Such a text has no access to Python, and its loops and
strings cannot multiply each other, so time and memory are bounded although the author may be a stranger.

`value`, `ratio` and `expected` return text. The other functions return a placeholder, because each output
puts its own block there. Every mistake is a RequestError that names the line of the text.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from types import TracebackType
from typing import NoReturn

from jinja2 import Environment, TemplateSyntaxError, nodes

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.document.model import Document, Figure, Table, source_of
from reportgen.render.prose.numbers import END_MARK, MARK, MIDDLE, ProseNumber, as_read
from reportgen.render.prose.placeholder_error import PlaceholderError
from reportgen.render.prose.template_functions import BEGIN, END, Functions, PageBlock, PageBlockKind
from reportgen.render.prose.visible import find_hiding

MAX_CHARACTERS = 4 * 2**20

# A digit beside a number from a table would be read as a part of it.
_TOUCHED = lazy_pattern(f"[0-9][.,]?{MARK}|{END_MARK}[.,eE]?[0-9]|{END_MARK}{MARK}")
_REMEDY = "docs/reference/prose.md lists what a text may contain"
_RESERVED = lazy_pattern(f"{BEGIN}[0-9]*{END}|[{BEGIN}{END}{MARK}{MIDDLE}{END_MARK}]")
_PLACEHOLDER = lazy_pattern(f"{BEGIN}([0-9]+){END}")
_SPLIT = lazy_pattern(f"({BEGIN}[0-9]+{END})")

_ALLOWED = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Call,
    nodes.Keyword,
    nodes.Name,
    nodes.Const,
    nodes.List,
    nodes.Dict,
    nodes.Pair,
    nodes.Neg,
    nodes.Concat,
    nodes.For,
)


@dataclass(frozen=True, slots=True)
class Prose:
    """The author's text with its numbers filled in, and the blocks that its placeholders stand for.

    marked  the text with marks around its numbers, see `numbers`
    """

    marked: str
    blocks: tuple[PageBlock, ...] = ()
    numbers: tuple[ProseNumber, ...] = ()

    @property
    def text(self) -> str:
        """Return the text with its numbers as they read."""
        return as_read(self.marked)

    def places(self, kind: PageBlockKind, identifier: str = "") -> bool:
        """Return whether the text places that block, alone or among the tables of an entry."""
        return PageBlock(kind, identifier) in self.blocks or any(
            identifier in (block.tables if kind == "table" else block.figures if kind == "figure" else ())
            for block in self.blocks
        )

    def left(self, report: Document) -> tuple[list[Table], dict[str, list[Figure]]]:
        """Return the tables that the text does not place, and such figures by the id of their table.

        Figures of tables that the text places are under "".
        """
        tables = [table for table in report.tables if not self.places("table", table.id)]
        ids = {table.id for table in tables}
        figures: dict[str, list[Figure]] = {}
        for figure in report.figures:
            if not self.places("figure", figure.id):
                figures.setdefault(figure.table if figure.table in ids else "", []).append(figure)
        return tables, figures

    def pieces(self, markdown: str) -> "list[str | PageBlock]":
        """Return this text as Markdown in pieces, with each placeholder replaced by its block."""
        pieces = (piece.rstrip().strip("\n").removeprefix(" ") for piece in _SPLIT.split(markdown))
        return [
            self.blocks[int(place[1])] if (place := _PLACEHOLDER.fullmatch(piece)) else piece
            for piece in pieces
            if piece
        ]

    def filled(self, text: str, show: Callable[[PageBlock], str]) -> str:
        """Return `text` (this text as Markdown or HTML) with each placeholder replaced by its block."""
        return _PLACEHOLDER.sub(lambda match: show(self.blocks[int(match[1])]), text)


def fill_prose(report: Document) -> Prose:
    """Return the author's text with its numbers; RequestError with file:line for a mistake."""
    if report.prose is None:
        return Prose("")
    template, source = report.prose.text, source_of(report.prose.source)
    first, place = (max(source.line, 1), source.path) if source.path else (1, f"{report.name}: prose")
    prose = _fill(template, Functions(report, is_markdown=True), lambda line: f"{place}:{first - 1 + line}")
    if hiding := find_hiding(prose.text, _PLACEHOLDER):
        line = _line_of(hiding.line, prose.text, template)
        raise RequestError(f"{place}:{first - 1 + line}", hiding.fact, hiding.remedy)
    return prose


def fill_headline(report: Document) -> Prose:
    """Return the headline with its numbers, on one line; RequestError for a mistake of the author."""
    template = report.headline_template
    if template is None:
        return Prose(_RESERVED.sub("", report.headline))
    filled = _fill(template.text, Functions(report, is_markdown=False), lambda _: template.source)
    if filled.blocks:
        raise RequestError(template.source, "contains a table, figure or section", "use numbers only")
    return replace(filled, marked=" ".join(filled.marked.split()))


def _fill(template: str, functions: Functions, place: Callable[[int], str]) -> Prose:
    if not template:
        return Prose("")
    try:
        text = _render(_RESERVED.sub("", template), functions)
    except TemplateSyntaxError as error:
        fact = f"template: {(error.message or '').removesuffix('.')}"
        raise RequestError(place(error.lineno), fact, _REMEDY) from None
    except (RecursionError, MemoryError, SyntaxError):  # Python's own limits for nested expressions
        raise RequestError(place(1), "template: an expression is nested too deeply", "split it") from None
    except PlaceholderError as error:
        line = error.line or _template_line(error.__traceback__)
        raise RequestError(place(line), error.fact, error.remedy) from None
    if touched := _TOUCHED.search(text):
        fact = "a digit touches a number from a table, and would be read as a part of it"
        raise RequestError(place(text.count("\n", 0, touched.start()) + 1), fact, "separate them by a space")
    return Prose(_join_answers(text), tuple(functions.blocks), tuple(functions.numbers))


def _line_of(number: int, text: str, template: str) -> int:
    """Return the line of the template with the text of a line of the result; 1 if it was put together."""
    wanted = text.split("\n")[number - 1].strip()
    lines = (line.strip() for line in template.split("\n"))
    return next((i for i, line in enumerate(lines, 1) if line == wanted), 1)


def _render(source: str, functions: Functions) -> str:
    environment = Environment(keep_trailing_newline=True, autoescape=False)
    by_name = functions.by_name()
    tree = environment.parse(source)
    _check(tree, by_name)
    template = environment.template_class.from_code(environment, environment.compile(tree), dict(by_name))
    parts, length = [], 0
    for part in template.generate():
        parts.append(part)
        length += len(part) + 1  # a part without characters takes time too
        if length > MAX_CHARACTERS:
            raise PlaceholderError(
                f"template: the text exceeds {MAX_CHARACTERS // 2**20} MiB", "shorten its loops", line=1
            )
    return "".join(parts)


def _check(node: nodes.Node, functions: Collection[str], variable: str = "") -> None:
    """Raise PlaceholderError for everything that is not allowed in a text.

    variable  the variable of the loop that contains the node, "" outside of loops
    """
    if not isinstance(node, _ALLOWED):
        _refuse(node, f'"{type(node).__name__.lower()}" is not allowed in a text')
    children = list(node.iter_child_nodes())
    if isinstance(node, nodes.Call):
        _check_call(node, functions)
        children.remove(node.node)
    elif isinstance(node, nodes.Name) and node.ctx == "load" and node.name != variable:
        call = "call it with parentheses" if node.name in functions else did_you_mean(node.name, functions)
        raise PlaceholderError(f'"{node.name}" has no value', call, line=node.lineno)
    elif isinstance(node, nodes.Pair) and not isinstance(node.key, nodes.Const):
        _refuse(node, "a key is a text or a number")
    elif isinstance(node, nodes.For):
        variable = _loop_variable(node, functions, variable)
    for child in children:
        _check(child, functions, variable)


def _check_call(node: nodes.Call, functions: Collection[str]) -> None:
    if not isinstance(node.node, nodes.Name) or node.dyn_args or node.dyn_kwargs:
        _refuse(node, f"only {', '.join(sorted(functions))} can be called")
    elif node.node.name not in functions:
        fact, remedy = f'no function "{node.node.name}"', did_you_mean(node.node.name, functions)
        raise PlaceholderError(fact, remedy, line=node.lineno)


def _loop_variable(node: nodes.For, functions: Collection[str], outer: str) -> str:
    """Return the variable of a loop; raise PlaceholderError unless it is a plain loop over a list."""
    if outer:
        _refuse(node, "loops cannot be nested")
    if node.recursive or node.test or node.else_ or not isinstance(node.iter, nodes.List):
        _refuse(node, "a loop has the form {% for name in ['a', 'b'] %} ... {% endfor %}")
    if not isinstance(node.target, nodes.Name) or node.target.name in functions:
        _refuse(node, "a loop has one variable, which is not called like a function")
    assert isinstance(node.target, nodes.Name)
    return node.target.name


def _refuse(node: nodes.Node, fact: str) -> NoReturn:
    raise PlaceholderError(f"template: {fact}", _REMEDY, line=node.lineno)


# Lines that cannot be continued (headings, tables, quotes, fences, rules, hard breaks), and continuations.
_NOT_TEXT = lazy_pattern(r"\s*(?:$|[#|>]|```|~~~|(?:[-=*_]\s*){3,}$)|.*(?:  |\\)$")
_CONTINUATION = lazy_pattern(r"\s*(?:[A-Za-z(,;]|[0-9]+\s)")
_MAX_OPEN_LINE = 40


def _join_answers(text: str) -> str:
    """Return the text with answers that are alone on a line joined to the sentence around them.

    An expression is often too long for the line of its sentence, so authors put it on a line of its own.
    """
    lines: list[str] = []
    in_fence, is_open = False, False
    for line in text.split("\n"):
        begins = line.lstrip().startswith(MARK)
        bare = as_read(line).strip()
        can_join = not in_fence and lines and not _NOT_TEXT.match(lines[-1])
        if can_join and (begins or (is_open and _CONTINUATION.match(line))):
            lines[-1] = f"{lines[-1].rstrip()} {line.lstrip()}"
        else:
            lines.append(line)
        is_open = begins and len(bare) <= _MAX_OPEN_LINE
        if bare.startswith(("```", "~~~")):
            in_fence = not in_fence
    return "\n".join(lines)


def _template_line(traceback: TracebackType | None) -> int:
    """Return the line of the text that was being rendered; jinja2 puts it into the traceback."""
    line = 1
    while traceback:
        if traceback.tb_frame.f_code.co_filename == "<template>":
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
