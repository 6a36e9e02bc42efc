"""The program's own sources for lints: each file is read and parsed once in a process."""

import ast
from functools import cache
from pathlib import Path

from tests.conftest import ROOT


@cache
def files(package: str) -> tuple[Path, ...]:
    """Return the Python files of a package, such as "reportgen", sorted."""
    return tuple(sorted((ROOT / package).rglob("*.py")))


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax of a file."""
    return ast.parse(path.read_bytes(), filename=str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return every piece of syntax of a file."""
    return tuple(ast.walk(tree(path)))


@cache
def calls(path: Path) -> tuple[tuple[ast.Call, str], ...]:
    """Return every call in a file with the name of what it calls, such as "os.replace"."""
    return tuple((node, ast.unparse(node.func)) for node in nodes(path) if isinstance(node, ast.Call))


def place(path: Path, node: ast.AST) -> str:
    """Return file:line, the file from the root of the repository."""
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"
