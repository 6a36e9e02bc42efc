"""Every error says what to do."""

import ast

from tests.source_code import calls, files, place

_REMEDY = {"RequestError": 2, "InvalidTable": 1, "PlaceholderError": 1}  # position of the argument


def test_every_error_has_a_remedy() -> None:
    without = []
    for path in files("reportgen"):
        for node, function in calls(path):
            position = _REMEDY.get(function)
            if position is None or any(isinstance(argument, ast.Starred) for argument in node.args):
                continue
            if len(node.args) <= position or ast.unparse(node.args[position]) == "''":
                without.append(place(path, node))
    assert not without, "\n".join(without)
