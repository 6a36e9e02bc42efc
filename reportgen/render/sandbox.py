"""Render an author's template in bounded time and space: loops and conditions, calls, a few filters.

Jinja's own sandbox keeps a template away from Python, but not from filling the memory or running for
ever: `"x" * 10**9` is one expression. So what can repeat itself (macros, recursion, blocks) is not
there, every round of every loop counts, and no text or list grows past a bound on the way.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jinja2 import StrictUndefined, TemplateRuntimeError, TemplateSyntaxError, nodes
from jinja2.filters import FILTERS
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

MOST_TEXT = 4 * 2**20  # characters of a whole prose
MOST_ROUNDS = 20_000  # of all loops together
_MOST_PART = 2**16  # characters of a text, items of a list, bits of a number inside an expression

_FILTERS = (
    "abs", "capitalize", "count", "default", "dictsort", "first", "float", "int", "items", "join", "last",
    "length", "list", "lower", "max", "min", "round", "sort", "string", "sum", "title", "trim",
    "unique", "upper",
)  # fmt: skip
_METHODS = (
    "upper", "lower", "title", "capitalize", "strip", "lstrip", "rstrip", "startswith", "endswith", "split",
    "removeprefix", "removesuffix",
)  # fmt: skip
_NOT_THERE: dict[type[nodes.Node], str] = {
    nodes.Macro: "macros",
    nodes.CallBlock: "call blocks",
    nodes.FilterBlock: "filter blocks",
    nodes.AssignBlock: "blocks of set",
    nodes.Block: "blocks",
    nodes.Include: "includes",
    nodes.Import: "imports",
    nodes.FromImport: "imports",
    nodes.Extends: "parents",
}


def render(source: str, functions: Mapping[str, Callable[..., str]], finalize: Callable[[Any], Any]) -> str:
    """Return the template rendered with these functions.

    finalize  applied to the value of each expression before it is printed
    Raises TemplateError, and what the functions raise, with the template's line in the traceback.
    """
    sandbox = _Sandbox(finalize)
    tree = _Bounded(sandbox).visit(sandbox.parse(source))
    template = sandbox.template_class.from_code(
        sandbox, sandbox.compile(tree), sandbox.make_globals(dict(functions))
    )
    parts, length = [], 0
    for part in template.generate():
        parts.append(part)
        length += len(part)
        if length > MOST_TEXT:
            raise TemplateRuntimeError(f"the prose grows past {MOST_TEXT // 2**20} MiB")
    return "".join(parts)


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox with what can multiply taken out or bounded."""

    intercepted_binops = frozenset(("+", "*", "**", "%"))

    def __init__(self, finalize: Callable[[Any], Any]) -> None:
        super().__init__(
            undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True, finalize=finalize
        )
        self.filters = {name: FILTERS[name] for name in _FILTERS} | {"replace": _replace}
        self.globals = {"range": _range}
        self.rounds = 0

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Return whether a template may use that attribute: of texts, what keeps them small."""
        if isinstance(obj, (str, bytes, int, float, complex)) and attr not in _METHODS:
            return False
        return super().is_safe_attribute(obj, attr, value)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Return left (operator) right, or raise TemplateRuntimeError if that could become large."""
        numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
        if operator == "**" and numbers:
            return float(left) ** float(right)
        if operator in ("*", "**", "%") and not numbers:
            raise TemplateRuntimeError(f'"{operator}" is for numbers')
        if _size(left) + _size(right) > _MOST_PART:
            raise TemplateRuntimeError("an expression grows too large")
        return super().call_binop(context, operator, left, right)

    def joined(self, *parts: object) -> str:
        """Return a ~ b ~ c."""
        texts = [str(part) for part in parts]
        if sum(map(len, texts)) > _MOST_PART:
            raise TemplateRuntimeError("an expression grows too large")
        return "".join(texts)

    def counted(self, items: Iterable[object]) -> Iterator[object]:
        """Yield the items of a loop, counting the rounds of all loops."""
        for item in items:
            self.rounds += 1
            if self.rounds > MOST_ROUNDS:
                raise TemplateRuntimeError(f"loops take more than {MOST_ROUNDS:,} rounds")
            yield item


class _Bounded(NodeTransformer):
    """Refuse what is not there, and lead loops and concatenations through the sandbox."""

    def __init__(self, sandbox: _Sandbox) -> None:
        self._sandbox = sandbox

    def generic_visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> nodes.Node:
        missing = next((name for kind, name in _NOT_THERE.items() if isinstance(node, kind)), "")
        if isinstance(node, nodes.For) and node.recursive:
            missing = "recursive loops"
        if missing:
            raise TemplateSyntaxError(f"there are no {missing} in prose", node.lineno)
        return super().generic_visit(node, *args, **kwargs)

    def visit_For(self, node: nodes.For) -> nodes.Node:
        self.generic_visit(node)
        assert isinstance(node.iter, nodes.Expr)
        node.iter = _call("counted", [node.iter], node.lineno)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _call("joined", node.nodes, node.lineno)


def _call(method: str, arguments: list[nodes.Expr], lineno: int) -> nodes.Call:
    return nodes.Call(nodes.EnvironmentAttribute(method), arguments, [], None, None, lineno=lineno)


def _size(value: object) -> int:
    if isinstance(value, (str, bytes, list, tuple, dict)):
        return len(value)
    return value.bit_length() if isinstance(value, int) else 0


def _range(*bounds: int) -> range:
    numbers = range(*bounds)
    if len(numbers) > MOST_ROUNDS:
        raise TemplateRuntimeError(f"range() has more than {MOST_ROUNDS:,} numbers")
    return numbers


def _replace(text: object, old: str, new: str) -> str:
    shown = str(text)
    if len(shown) + shown.count(old) * len(new) > _MOST_PART:
        raise TemplateRuntimeError("an expression grows too large")
    return shown.replace(old, new)
