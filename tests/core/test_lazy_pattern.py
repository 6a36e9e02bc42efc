import ast
import gc
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module

import pytest

import reportgen
from reportgen.core.lazy_pattern import _LazyPattern, lazy_pattern
from tests.source_code import files, place, tree


def test_a_lazy_pattern_does_what_a_compiled_one_does() -> None:
    lazy = lazy_pattern(r"(?P<word>[a-z]+)=(\d+)", re.IGNORECASE)
    match = lazy.search("at Rate=12")
    assert match
    assert match.groups() == ("Rate", "12")
    assert lazy.findall("a=1 b=2") == [("a", "1"), ("b", "2")]
    assert lazy.sub(r"\2", "a=1 b=2") == "1 2"
    assert (lazy.pattern, lazy.groups, dict(lazy.groupindex)) == (r"(?P<word>[a-z]+)=(\d+)", 2, {"word": 1})


def test_a_wrong_pattern_is_an_error_at_its_first_use() -> None:
    wrong = lazy_pattern("(")
    with pytest.raises(re.error):
        wrong.search("")


def test_all_patterns_of_the_program_compile() -> None:
    for module in pkgutil.walk_packages(reportgen.__path__, "reportgen."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    gc.unfreeze()  # conftest.py froze the modules that it imports
    patterns = [each for each in gc.get_objects() if isinstance(each, _LazyPattern) and each.pattern != "("]
    gc.freeze()
    groups = [each.groups for each in patterns]  # compiles them
    assert len(groups) > 600


def test_no_module_compiles_a_pattern_while_it_is_imported() -> None:
    eager = [
        place(path, call) for path in files("reportgen") for call in _at_import(tree(path), "re.compile")
    ]
    assert not eager, f"use lazy_pattern: {', '.join(eager)}"


def _at_import(node: ast.AST, name: str) -> Iterator[ast.Call]:
    """Yield the calls of a function that are outside functions."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
        yield node
    if not isinstance(node, ast.FunctionDef | ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from _at_import(child, name)
