"""Who may import whom, who may write and print, how large a module may be: read from the sources by `ast`.

The rules are the dictionaries at the top; a failure names file and line. A new module belongs into LAYERS.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Imports go downwards or sideways, never up. The longest prefix of a module's name decides.
LAYERS = {
    "errors": 0,
    "ordering": 0,
    "units": 0,
    "model": 1,
    "metrics": 1,
    "disk": 1,
    "encoding": 1,
    "logfiles": 1,
    "views": 1,
    "results": 1,
    "formats.fragments": 2,
    "formats": 3,
    "contents": 4,
    "duplicates": 4,
    "labels": 4,
    "labelling": 4,
    "labeluse": 4,
    "largefiles": 4,
    "load": 4,
    "pathpattern": 4,
    "protocol": 4,
    "reading": 4,
    "statistics": 4,
    "rules": 4,
    "unrecognised": 4,
    "wellformed": 4,
    "tables": 5,
    "report": 6,
    "learn": 6,
    "render": 7,
    "build": 8,
    "publish": 8,
    "cli": 9,
    "__main__": 9,
}

# Third-party packages and the only places that may know them; "" is everywhere in reportgen.
THIRD_PARTY = {
    "numpy": "",
    "re2": "formats",
    "pandas": "tables",
    "jinja2": "render",
    "markupsafe": "render",
    "markdown": "render",
    "matplotlib": "render",
    "typer": "cli",
    "click": "cli",
    "rich": "cli",
}

WRITERS = ("publish",)
PRINTERS = ("cli", "__main__")

WRITING_METHODS = {
    "write_text",
    "write_bytes",
    "mkdir",
    "unlink",
    "touch",
    "rmdir",
    "symlink_to",
    "hardlink_to",
}
WRITING_FUNCTIONS = {
    "os.replace",
    "os.rename",
    "os.remove",
    "os.unlink",
    "os.mkdir",
    "os.makedirs",
    "os.rmdir",
    "os.write",
    "os.link",
    "os.symlink",
    "shutil.copy",
    "shutil.copyfile",
    "shutil.copytree",
    "shutil.move",
    "shutil.rmtree",
}
PRINTING_FUNCTIONS = {"print", "exit", "quit", "sys.exit", "os._exit", "os.abort"}

# Modules past the limit: none. Whoever adds one here says why.
LONG_MODULES: dict[str, str] = {}
MAX_LINES = 300


def _modules(package: str) -> dict[str, Path]:
    """Return name below the package -> file; "" is the package itself."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT / package).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


REPORTGEN = _modules("reportgen")
COLLECTORS = _modules("collectors")
SOURCES = sorted([*REPORTGEN.values(), *COLLECTORS.values()])


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes(), filename=str(path))


def _place(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"


def _imports(path: Path, *, top_level: bool = False) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each imported module with its statement; `from a import b` yields a.b, which may be a name in a.

    top_level  leave out what is imported inside functions or for type checking only
    """
    package = path.relative_to(ROOT).parent.parts
    for node in _executed_at_import(_tree(path)) if top_level else ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((node, f"{base}.{alias.name}") for alias in node.names)


def _executed_at_import(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        yield from _executed_at_import(node)


def _layer(name: str) -> int | None:
    parts = name.split(".")
    prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((LAYERS[prefix] for prefix in prefixes if prefix in LAYERS), None)


def _within(name: str, place: str) -> bool:
    return not place or name == place or name.startswith(f"{place}.")


def _resolve(imported: str) -> str:
    """Return the module of reportgen that `reportgen.a.b` means: a.b if that is a module, else a."""
    name = imported.removeprefix("reportgen").removeprefix(".")
    while name and name not in REPORTGEN:
        name = name.rpartition(".")[0]
    return name


def _own_imports() -> Iterator[tuple[str, Path, ast.stmt, str]]:
    """Yield (importing module, its file, statement, imported module) inside reportgen."""
    for name, path in REPORTGEN.items():
        for node, imported in _imports(path):
            if imported.split(".")[0] == "reportgen" and _resolve(imported):
                yield name, path, node, _resolve(imported)


def test_every_module_has_a_layer() -> None:
    lost = [str(path.relative_to(ROOT)) for name, path in REPORTGEN.items() if name and _layer(name) is None]
    assert not lost, f"modules without a layer: {lost}"


def test_the_table_of_layers_is_documented_as_it_is() -> None:
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([0-9]) \| ([^|]+) \|", text, re.MULTILINE)
    documented = {name: int(level) for level, cell in rows for name in re.findall(r"`([\w.]+)`", cell)}
    assert documented == LAYERS
    assert all(any(_within(name, layer) for name in REPORTGEN) for layer in LAYERS), (
        "a layer without a module"
    )


def test_imports_go_downwards() -> None:
    wrong = [
        f"{_place(path, node)}: {name} ({_layer(name)}) imports {target} ({_layer(target)})"
        for name, path, node, target in _own_imports()
        if name and (_layer(target) or 0) > (_layer(name) or 0)
    ]
    assert not wrong, "\n".join(wrong)


def test_modules_do_not_import_each_other_in_circles() -> None:
    graph: dict[str, set[str]] = {}
    for name, _, _, target in _own_imports():
        # A package's own modules may import it only for its names; the package is then the lower one.
        graph.setdefault(name, set()).add(target)
    done: set[str] = set()

    def walk(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join([*trail[trail.index(name) :], name])
        if name not in done:
            for target in sorted(graph.get(name, ())):
                walk(target, (*trail, name))
            done.add(name)

    for name in sorted(graph):
        walk(name, ())


def test_a_format_never_imports_a_format() -> None:
    def is_format(name: str) -> bool:
        return _within(name, "formats") and not _within(name, "formats.fragments")

    wrong = [
        f"{_place(path, node)}: {name} imports {target}"
        for name, path, node, target in _own_imports()
        if name != "formats" and is_format(name) and is_format(target)
    ]
    assert not wrong, "\n".join(wrong)


def test_third_party_packages_stay_where_they_belong() -> None:
    wrong = []
    for name, path in REPORTGEN.items():
        for node, imported in _imports(path):
            package = imported.split(".")[0]
            if package == "reportgen" or package in sys.stdlib_module_names:
                continue
            if package not in THIRD_PARTY or not _within(name, THIRD_PARTY[package]):
                wrong.append(f"{_place(path, node)}: {name or 'reportgen'} imports {package}")
    assert not wrong, "\n".join(wrong)


def test_reportgen_and_collectors_do_not_know_each_other() -> None:
    wrong = [
        f"{_place(path, node)}: imports {imported}"
        for paths, other in ((REPORTGEN, "collectors"), (COLLECTORS, "reportgen"))
        for path in paths.values()
        for node, imported in _imports(path)
        if imported.split(".")[0] == other
    ]
    assert not wrong, "\n".join(wrong)


def test_collectors_need_the_standard_library_only() -> None:
    """Models and kernels of the workloads are loaded when a workload is run, so they may import torch."""
    wrong = [
        f"{_place(path, node)}: imports {imported} at import time"
        for name, path in COLLECTORS.items()
        if not (_within(name, "workloads") and name.count(".") >= 2 and not name.endswith(".workload"))
        for node, imported in _imports(path, top_level=True)
        if imported.split(".")[0] not in {*sys.stdlib_module_names, "collectors"}
    ]
    assert not wrong, "\n".join(wrong)


def _calls(path: Path) -> Iterator[tuple[ast.Call, str]]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Call):
            yield node, ast.unparse(node.func)


def _opens_for_writing(node: ast.Call, function: str) -> bool:
    if function == "os.open":
        return [ast.unparse(one) for one in node.args[1:]] != ["os.O_RDONLY"]
    if function.split(".")[-1] not in ("open", "fdopen"):
        return False
    modes = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
    texts = [x.value for x in modes if isinstance(x, ast.Constant) and isinstance(x.value, str)]
    return any(re.fullmatch(r"[rbt]*[wax+][wax+rbt]*", text) for text in texts)


def test_files_are_written_in_publish_only() -> None:
    wrong = [
        f"{_place(path, node)}: {function}"
        for name, path in REPORTGEN.items()
        if name.split(".")[0] not in WRITERS
        for node, function in _calls(path)
        if function in WRITING_FUNCTIONS
        or function.split(".")[-1] in WRITING_METHODS
        or function.split(".")[0] == "tempfile"
        or _opens_for_writing(node, function)
    ]
    assert not wrong, "\n".join(wrong)


def test_printing_and_exiting_is_for_the_command_line_only() -> None:
    wrong = []
    for name, path in REPORTGEN.items():
        if name.split(".")[0] in PRINTERS:
            continue
        wrong += [
            f"{_place(path, node)}: {function}"
            for node, function in _calls(path)
            if function in PRINTING_FUNCTIONS
        ]
        wrong += [
            f"{_place(path, node)}: {ast.unparse(node)}"
            for node in ast.walk(_tree(path))
            if ast.unparse(node) in ("sys.stdout", "sys.stderr", "SystemExit")
        ]
    assert not wrong, "\n".join(wrong)


def test_nothing_is_evaluated_or_unpickled() -> None:
    forbidden = {"eval", "exec", "pickle.load", "pickle.loads", "marshal.loads", "os.system", "yaml.load"}
    wrong = [
        f"{_place(path, node)}: {function}"
        for path in REPORTGEN.values()
        for node, function in _calls(path)
        if function in forbidden
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_small_and_says_what_it_is_for(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    text = path.read_text(encoding="utf-8")
    assert path.stem not in ("utils", "helpers", "common", "misc"), f"{name}: a helper stays with its caller"
    assert text.count("\n") <= MAX_LINES or name in LONG_MODULES, f"{name}: more than {MAX_LINES} lines"
    tree = _tree(path)
    assert not text.strip() or ast.get_docstring(tree), f"{name}:1: no module docstring"
    silent = [f"{name}:{node.lineno}: {node.name}" for node in _public(tree) if not ast.get_docstring(node)]
    assert not silent, "public and without docstring:\n" + "\n".join(silent)


def _public(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name[0] != "_":
            yield node


def test_no_handler_swallows_everything() -> None:
    wrong = [
        f"{_place(path, node)}: {ast.unparse(node.type) if node.type else 'bare except'}"
        for path in SOURCES
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
        and not any(isinstance(inner, ast.Raise) and inner.exc is None for inner in ast.walk(node))
    ]
    assert not wrong, "\n".join(wrong)


def test_no_path_of_anybodys_machine_is_committed() -> None:
    """The folders of home directories and checkouts; tests may invent some to see them hidden."""
    private = re.compile(rb"(?<![\w.:/~>-])/(?:home|root|Users|work|tmp/\w+/venv)/[\w.]")
    wrong = []
    places = ("reportgen", "collectors", "docs", "logs", "reports", "benchmarks", ".ci", "README.md")
    for top in (ROOT / place for place in places):
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and "__pycache__" not in path.parts:
                wrong += [
                    f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]!r}"
                    for number, line in enumerate(path.read_bytes().splitlines(), 1)
                    if private.search(line)
                ]
    assert not wrong, "\n".join(wrong)
