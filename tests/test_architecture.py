"""Which package may import which, which may write files and print: read from the sources by `ast`.

The rules are the constants at the top; a failure names file and line. Add a new package to ORDER.
"""

import ast
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from tests.conftest import ROOT
from tests.source_code import calls, files, nodes, place, tree

# A package may be imported by all packages to the right of the next "<". Packages with a "," between them do not
# import each other. `formats.*` are the families of formats.
ORDER = (
    "core < cache < sources < formats.base < formats.parsing < formats.* < formats.registry, formats.filetype"
    " < formats.detection < labels < load < report; core < protocol < compare < document < tables < report"
    "; document < render"
    "; report < autolayout, learn < pipeline < library < api < cli < __main__; render < publish, inject < pipeline"
    "; render, compare < diff < pipeline"
    "; report, diff < history < pipeline"
    "; report < parquet < api"
    "; protocol, render < audit < api"
    "; sources, diff < baseline < api"
    "; render, cache < kept_reports < pipeline"
)

# Third-party packages and the only places that may know them; "" is everywhere in reportgen.
THIRD_PARTY = {
    "numpy": "",
    "msgspec": "",
    "re2": "formats labels",
    "fsspec": "cache",
    "zstandard": "cache",
    "openpyxl": "cache.workbooks",
    "distributed": "load.scheduler",
    "pandas": "tables.dataframes library api",  # in api for type checkers only
    "jinja2": "render",
    "markupsafe": "render",
    "lxml": "audit.html_tables formats.tables.html",
    "pyarrow": "formats.tables.parquet parquet",
    "markdown": "render",
    "markdown_it": "audit.markdown_tables",
    "matplotlib": "render.figures.svg",
    "vl_convert": "render.page.library",
    "typer": "cli",
    "click": "cli",
    "rich": "cli",
}

WRITERS = ("publish", "cache", "parquet", "temporary_file")
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
# The tests of two sets of repeats; `reportgen.compare.verdicts` chooses one by the order of the runs.
DECIDING_FUNCTIONS = ("signed_rank_test", "rank_sum_test", "false_discovery_thresholds")
PRINTING_FUNCTIONS = {"print", "exit", "quit", "sys.exit", "os._exit", "os.abort"}


def _modules(package: str) -> dict[str, Path]:
    """Return name below the package -> file; "" is the package itself."""
    found = {}
    for path in files(package):
        parts = path.relative_to(ROOT / package).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


REPORTGEN = _modules("reportgen")
COLLECTORS = _modules("collectors")
SOURCES = sorted([*REPORTGEN.values(), *COLLECTORS.values()])


def _imports(path: Path, *, top_level: bool = False) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each imported module with its statement; `from a import b` yields a.b, which may be a name in a.

    top_level  leave out what is imported inside functions or for type checking only
    """
    package = path.relative_to(ROOT).parent.parts
    for node in _executed_at_import(tree(path)) if top_level else nodes(path):
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


def _package(name: str) -> str:
    """Return the name that ORDER has for the package of a module; "" for reportgen/__init__.py."""
    parts = name.split(".")
    if parts[0] != "formats" or len(parts) == 1:
        return parts[0]
    inner = f"formats.{parts[1]}"
    return (
        inner if inner in {name for chain in _chains() for group in chain for name in group} else "formats.*"
    )


def _chains() -> list[list[list[str]]]:
    """Return ORDER as chains of groups of packages, the lowest group first."""
    return [[group.replace(" ", "").split(",") for group in chain.split("<")] for chain in ORDER.split(";")]


def _below() -> dict[str, set[str]]:
    """Return package -> the packages that it may import."""
    below: dict[str, set[str]] = {}
    for chain in _chains():
        for lower, upper in pairwise(chain):
            for package in upper:
                below.setdefault(package, set()).update(lower)
        for package in chain[0]:
            below.setdefault(package, set())
    changed = True
    while changed:
        changed = False
        for package, lower_packages in below.items():
            more = set().union(*(below[lower] for lower in lower_packages)) - lower_packages
            if more:
                below[package] |= more
                changed = True
    return below


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


def test_the_order_names_every_package() -> None:
    packages = {_package(name) for name in REPORTGEN if name not in ("", "formats")}
    assert packages == set(_below())


def test_the_documented_order_is_the_order() -> None:
    (page,) = (ROOT / "docs").rglob("architecture.md")
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert " ".join(ORDER.replace(";", " ").split()) in text


def test_a_package_imports_only_lower_packages() -> None:
    below = _below()
    wrong = [
        f"{place(path, node)}: {name} imports {target}; {_package(name)} may import {sorted(below[_package(name)])}"
        for name, path, node, target in _own_imports()
        if name and _package(target) not in {_package(name), *below[_package(name)]}
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


def test_a_family_of_formats_never_imports_another() -> None:
    wrong = [
        f"{place(path, node)}: {name} imports {target}"
        for name, path, node, target in _own_imports()
        if _package(name) == _package(target) == "formats.*" and name.split(".")[1] != target.split(".")[1]
    ]
    assert not wrong, "\n".join(wrong)


def test_third_party_packages_are_imported_only_where_allowed() -> None:
    wrong = []
    for name, path in REPORTGEN.items():
        for node, imported in _imports(path):
            package = imported.split(".")[0]
            if package == "reportgen" or package in sys.stdlib_module_names:
                continue
            allowed = THIRD_PARTY[package].split() or [""] if package in THIRD_PARTY else []
            if not any(_within(name, place) for place in allowed):
                wrong.append(f"{place(path, node)}: {name or 'reportgen'} imports {package}")
    assert not wrong, "\n".join(wrong)


# The only module that writes Vega-Lite, and keys that every specification or layer of one has.
VEGA_PRINTER = "render.figures.vega"
VEGA_KEYS = {"mark", "encoding", "layer"}


def _written_keys(path: Path) -> Iterator[tuple[ast.AST, str]]:
    """Yield each text that is a key of a dictionary: written in braces, or assigned to."""
    for node in nodes(path):
        keys = node.keys if isinstance(node, ast.Dict) else []
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            keys = [node.slice]
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "dict":
            yield from ((node, keyword.arg) for keyword in node.keywords if keyword.arg)
        for key in keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield node, key.value


def test_only_one_module_writes_vega_lite() -> None:
    written = {
        (name, f"{place(path, node)}: {key!r}")
        for name, path in REPORTGEN.items()
        for node, key in _written_keys(path)
        if key in VEGA_KEYS
    }
    wrong = sorted(place for name, place in written if name != VEGA_PRINTER)
    assert not wrong, "\n".join(wrong)
    assert written  # the printer itself


def test_reportgen_and_collectors_do_not_import_each_other() -> None:
    wrong = [
        f"{place(path, node)}: imports {imported}"
        for paths, other in ((REPORTGEN, "collectors"), (COLLECTORS, "reportgen"))
        for path in paths.values()
        for node, imported in _imports(path)
        if imported.split(".")[0] == other
    ]
    assert not wrong, "\n".join(wrong)


def test_collectors_import_only_the_standard_library() -> None:
    """Models and kernels of the workloads are loaded when a workload is run, so they may import torch."""
    wrong = [
        f"{place(path, node)}: imports {imported} at import time"
        for name, path in COLLECTORS.items()
        if not (_within(name, "workloads") and name.count(".") >= 2 and not name.endswith(".workload"))
        for node, imported in _imports(path, top_level=True)
        if imported.split(".")[0] not in {*sys.stdlib_module_names, "collectors"}
    ]
    assert not wrong, "\n".join(wrong)


def _opens_for_writing(node: ast.Call, function: str) -> bool:
    if function == "os.open":
        return [ast.unparse(one) for one in node.args[1:]] != ["os.O_RDONLY"]
    if function.split(".")[-1] not in ("open", "fdopen"):
        return False
    modes = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
    texts = [x.value for x in modes if isinstance(x, ast.Constant) and isinstance(x.value, str)]
    return any(re.fullmatch(r"[rbt]*[wax+][wax+rbt]*", text) for text in texts)


def test_only_publish_and_the_cache_write_files() -> None:
    wrong = [
        f"{place(path, node)}: {function}"
        for name, path in REPORTGEN.items()
        if not set(WRITERS).intersection(name.split("."))
        for node, function in calls(path)
        if function in WRITING_FUNCTIONS
        or function.split(".")[-1] in WRITING_METHODS
        or function.split(".")[0] == "tempfile"
        or _opens_for_writing(node, function)
    ]
    assert not wrong, "\n".join(wrong)


def test_only_the_command_line_prints_and_exits() -> None:
    wrong = []
    for name, path in REPORTGEN.items():
        if name.split(".")[0] in PRINTERS:
            continue
        wrong += [
            f"{place(path, node)}: {function}"
            for node, function in calls(path)
            if function in PRINTING_FUNCTIONS
        ]
        wrong += [
            f"{place(path, node)}: {ast.unparse(node)}"
            for node in nodes(path)
            if isinstance(node, ast.Attribute | ast.Name)
            and ast.unparse(node) in ("sys.stdout", "sys.stderr", "SystemExit")
        ]
    assert not wrong, "\n".join(wrong)


def test_only_compare_gives_a_ratio_with_a_verdict() -> None:
    """Others ask `compare_cases` and hold the Comparison, or copy it into a document (`model.Comparison`)."""
    made = ("Comparison", "CycleComparison", "Verdict", "decide", *DECIDING_FUNCTIONS)
    wrong = [
        f"{place(path, node)}: {function}"
        for name, path in REPORTGEN.items()
        if not _within(name, "compare")
        for node, function in calls(path)
        if function.split(".")[-1] in made and function != "model.Comparison"
    ]
    assert not wrong, "\n".join(wrong)


# Keys that only a report.json has.
DOCUMENT_KEYS = {
    *("tables", "cases", "breakdown", "headline_template", "machines", "environments", "provenance"),
    *("side_files", "protocols", "generated", "energy_per_sample", "baseline_seconds", "excess_low"),
}


def test_only_the_document_knows_the_keys_of_a_report_json() -> None:
    """Readers of logs and results parse JSON, too; no other module decodes any, or asks for such a key."""
    wrong = []
    for name, path in REPORTGEN.items():
        if _within(name, "document") or _within(name, "formats"):
            continue
        wrong += [
            f"{place(path, node)}: {function}"
            for node, function in calls(path)
            if function in ("msgspec.json.decode", "json.loads", "json.load") and name != "audit.result_files"
        ]
        wrong += [f"{place(path, node)}: {key}" for node, key in _asked_keys(path) if key in DOCUMENT_KEYS]
    assert not wrong, "\n".join(wrong)


def _asked_keys(path: Path) -> Iterator[tuple[ast.AST, object]]:
    """Yield the keys in `value["key"]`, `value.get("key")` and `{"key": value}`."""
    for node in nodes(path):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            yield node, node.slice.value
        elif isinstance(node, ast.Dict):
            # Other documents have tables and machines, too; keys of two words are of a report.json alone.
            named = (key for key in node.keys if isinstance(key, ast.Constant) and "_" in str(key.value))
            yield from ((key, key.value) for key in named)
    for node, function in calls(path):
        if function.endswith((".get", ".pop")) and node.args and isinstance(node.args[0], ast.Constant):
            yield node, node.args[0].value


def test_no_two_rooms_import_each_other() -> None:
    """A room is a folder. A folder and a folder in it may: the outer one begins what the inner one does."""
    arrows = {
        (room, target)
        for name, path in REPORTGEN.items()
        for _, imported in _imports(path)
        if (room := _room(path)) != (target := _room_of(imported)) and target
    }
    back = {(a, b) for a, b in arrows if (b, a) in arrows and a < b and not b.startswith(f"{a}.")}
    rooms = {_room(path) for path in REPORTGEN.values()}
    print(f"{len(rooms)} rooms, {len(arrows)} arrows, {len(back)} back arrows")
    assert not back


def _room(path: Path) -> str:
    return ".".join(path.parent.relative_to(ROOT).parts)


def _room_of(imported: str) -> str:
    """Return the folder of an imported module, or of the module that has the imported name; "" for others."""
    parts = imported.split(".")
    if parts[0] != "reportgen":
        return ""
    name = ".".join(parts[1:])
    path = REPORTGEN.get(name) or REPORTGEN.get(name.rpartition(".")[0])
    return _room(path) if path else ""


def test_nothing_is_evaluated_or_unpickled() -> None:
    forbidden = {"eval", "exec", "pickle.load", "pickle.loads", "marshal.loads", "os.system", "yaml.load"}
    wrong = [
        f"{place(path, node)}: {function}"
        for path in REPORTGEN.values()
        for node, function in calls(path)
        if function in forbidden
    ]
    assert not wrong, "\n".join(wrong)


def test_every_module_and_everything_public_has_a_docstring() -> None:
    wrong = []
    for path in SOURCES:
        if path.read_bytes().strip() and not ast.get_docstring(tree(path)):
            wrong.append(f"{path.relative_to(ROOT)}:1: no module docstring")
        wrong += [
            f"{place(path, node)}: {node.name}: public and without docstring"
            for node in _public(tree(path))
            if not ast.get_docstring(node)
        ]
    assert not wrong, "\n".join(wrong)


def test_no_module_is_a_box_of_helpers() -> None:
    """A helper stays with its caller until it has a noun."""
    vague = ("utils", "helpers", "common", "misc")
    assert not [str(path.relative_to(ROOT)) for path in SOURCES if path.stem in vague]


def _public(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name[0] != "_":
            yield node


def test_no_handler_catches_every_exception() -> None:
    wrong = [
        f"{place(path, node)}: {ast.unparse(node.type) if node.type else 'bare except'}"
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
        and not any(isinstance(inner, ast.Raise) and inner.exc is None for inner in ast.walk(node))
    ]
    assert not wrong, "\n".join(wrong)


def test_no_absolute_path_of_a_machine_is_committed() -> None:
    """The folders of home directories and checkouts; tests may invent some to see them hidden."""
    private = re.compile(rb"(?<![\w.:/~>-])/(?:home|root|Users|work|tmp/\w+/venv)/[\w.]")
    wrong = []
    places = ("reportgen", "collectors", "docs", "logs", "reports", "benchmarks", ".ci", "README.md")
    for top in (ROOT / name for name in places):
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and "__pycache__" not in path.parts:
                wrong += [
                    f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]!r}"
                    for number, line in enumerate(path.read_bytes().splitlines(), 1)
                    if private.search(line)
                ]
    assert not wrong, "\n".join(wrong)


# The packages of collectors, the lowest first. A package imports packages to its left; packages in a pair of braces
# do not import each other. `messages` and `__main__` are modules.
COLLECTORS_ORDER = (
    "messages < format_v1 < machine < telemetry < {recorder, launcher} < {integrations, workloads} < __main__"
)


def _collectors_imports() -> Iterator[tuple[str, Path, ast.stmt, str]]:
    """Yield (importing module, its file, statement, imported module) inside collectors; "" is the package itself."""
    for name, path in COLLECTORS.items():
        for node, imported in _imports(path):
            if imported.split(".")[0] != "collectors":
                continue
            target = imported.removeprefix("collectors").removeprefix(".")
            while target and target not in COLLECTORS:
                target = target.rpartition(".")[0]
            yield name, path, node, target


def _collectors_floors() -> dict[str, int]:
    """Return package or module at the top of collectors -> its floor in COLLECTORS_ORDER, from 0."""
    floors = [re.findall(r"\w+", group) for group in COLLECTORS_ORDER.split("<")]
    return {name: number for number, names in enumerate(floors) for name in names}


def test_the_order_of_collectors_names_every_package() -> None:
    assert {name.split(".")[0] for name in COLLECTORS if name} == set(_collectors_floors())


def test_a_package_of_collectors_imports_only_lower_packages() -> None:
    floors = _collectors_floors()
    wrong = []
    for name, path, node, target in _collectors_imports():
        package, imported = name.split(".")[0], target.split(".")[0]
        # collectors/__init__.py imports the recorder on first use; no module imports the package itself.
        if name and package != imported and (not imported or floors[imported] >= floors[package]):
            wrong.append(f"{place(path, node)}: {name} imports {target or 'collectors'}")
    assert not wrong, "\n".join(wrong)


def test_modules_of_collectors_do_not_import_each_other_in_circles() -> None:
    graph: dict[str, set[str]] = {name: set() for name in COLLECTORS}
    for name, _, _, target in _collectors_imports():
        graph[name].add(target)
    while free := [name for name, targets in graph.items() if not targets & set(graph)]:
        for name in free:
            del graph[name]
    assert not graph, f"modules in or above a circle: {sorted(graph)}"


# Names that say nothing of a thing.
VAGUE_NAMES = {"found", "one"}


def test_no_two_classes_share_a_name() -> None:
    """A part of a document has the name of the value that it is made from; the names of all others differ."""
    places: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(place(path, node))
    of_document = "reportgen/document/model.py"
    made_from = ("reportgen/core/model.py", "reportgen/tables/", "reportgen/compare/")
    shared = {
        name: [where for where in places if not where.startswith(of_document)]
        for name, places in places.items()
        if len(places) > 1
    }
    wrong = {
        name: where for name, where in shared.items() if len(where) > 1 or not where[0].startswith(made_from)
    }
    assert not wrong


def test_no_name_of_a_package_shadows_its_module() -> None:
    wrong = []
    for path in SOURCES:
        if path.name == "__init__.py":
            modules = {file.stem for file in path.parent.iterdir() if file.suffix == ".py" or file.is_dir()}
            wrong += [f"{path.relative_to(ROOT)}: {name}" for name in sorted(_defined(path) & modules)]
    assert not wrong, "\n".join(wrong)


def _defined(path: Path) -> set[str]:
    """Return the names at the top of a package's file, without the modules that it imports as such."""
    own = ".".join(path.parent.relative_to(ROOT).parts)
    names = set()
    for node in tree(path).body:
        if isinstance(node, ast.ImportFrom) and node.module == own:
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def test_no_thing_has_a_vague_name() -> None:
    vague = []
    for path in SOURCES:
        for node in nodes(path):
            is_set = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            name = node.id if is_set else getattr(node, "arg" if isinstance(node, ast.arg) else "name", None)
            if name in VAGUE_NAMES:
                vague.append(f"{place(path, node)}: {name}")
    assert not vague, "\n".join(vague)
