"""Every error says what to do."""

import ast

from tests.conftest import ROOT

_REMEDY = {"RequestError": 2, "InvalidTable": 1, "PlaceholderError": 1}  # position of the argument


def test_every_error_has_a_remedy() -> None:
    without = []
    for path in sorted((ROOT / "reportgen").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            position = _REMEDY.get(ast.unparse(node.func)) if isinstance(node, ast.Call) else None
            if position is None or any(isinstance(argument, ast.Starred) for argument in node.args):
                continue
            if len(node.args) <= position or ast.unparse(node.args[position]) == "''":
                without.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not without, "\n".join(without)
