"""Render an author's template in bounded time and space: loops and conditions, calls, a few filters.

Jinja's own sandbox keeps a template away from Python, but not from filling the memory or running for
ever: `"x" * 10**9` is one expression. So what can repeat itself (macros, recursion, blocks) is not
there, every round of every loop counts, and no text or list grows past a bound on the way.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from jinja2 import StrictUndefined, TemplateRuntimeError, TemplateSyntaxError, Undefined, nodes
from jinja2.filters import FILTERS
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

MOST_TEXT = 4 * 2**20  # characters of a whole prose
MOST_ROUNDS = 20_000  # of all loops together
_MOST_PART = 2**16  # characters of a text, items of a list, bits of a number inside an expression
_MOST_DIGITS = 300
_TOO_LARGE = "an expression grows too large"
_PRINTED = (str, bytes, int, float, complex, list, tuple, dict, range, type(None), Undefined)

_FILTERS = (
    "abs", "capitalize", "count", "default", "dictsort", "first", "float", "int", "items", "last",
    "length", "list", "lower", "max", "min", "sort", "title", "trim", "unique", "upper",
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
            undefined=StrictUndefined,
            autoescape=False,
            keep_trailing_newline=True,
            finalize=lambda value: finalize(_bounded(value)),
        )
        self.filters = {name: FILTERS[name] for name in _FILTERS} | _OWN_FILTERS
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
            raise TemplateRuntimeError(_TOO_LARGE)
        return super().call_binop(context, operator, left, right)

    def joined(self, *parts: object) -> str:
        """Return a ~ b ~ c."""
        return _join(parts)

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
        raise TemplateRuntimeError(_TOO_LARGE)
    return shown.replace(old, new)


def _join(items: Iterable[object], d: object = "") -> str:
    parts = list(islice(items, _MOST_PART + 1))
    _bounded(parts)
    texts = [str(part) for part in parts]
    by = _string(d)
    if sum(map(len, texts)) + len(texts) * len(by) > _MOST_PART:
        raise TemplateRuntimeError(_TOO_LARGE)
    return by.join(texts)


def _string(value: object) -> str:
    return str(_bounded(value))


def _sum(items: Iterable[object]) -> float:
    numbers: list[float] = []
    for item in islice(items, _MOST_PART + 1):
        number = _bounded(item)
        if not isinstance(number, (int, float)):
            raise TemplateRuntimeError("sum is for numbers")
        numbers.append(number)
    return sum(numbers)


def _round(value: float, precision: int = 0, method: str = "common") -> float:
    if not -_MOST_DIGITS <= precision <= _MOST_DIGITS:
        raise TemplateRuntimeError(f"a number has {_MOST_DIGITS} digits at most")
    rounded: float = FILTERS["round"](value, precision, method)
    return rounded


_OWN_FILTERS = {"join": _join, "replace": _replace, "round": _round, "string": _string, "sum": _sum}


def _bounded(value: object) -> object:
    """Return the value, or raise TemplateRuntimeError if it is no text or grows too large."""
    left = _MOST_PART
    pending = [value]  # item by item: a short list may hold the same long text many times
    while pending:
        part = pending.pop()
        if not isinstance(part, _PRINTED):
            raise TemplateRuntimeError(f"a {type(part).__name__} cannot be printed")  # it has an address
        left -= max(_size(part), 1)
        if left < 0:
            raise TemplateRuntimeError(_TOO_LARGE)
        if isinstance(part, (list, tuple, dict)):
            pending += [*part, *(part.values() if isinstance(part, dict) else ())]
    return value
