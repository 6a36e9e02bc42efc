"""Generate the pages of docs/ that repeat the program: commands with their options, rules, and the gallery.

`python -m tests.documentation.generated` writes them; tests/test_docs.py fails while a file differs.
Everything comes from the program itself, so that a page cannot know more than it.
"""

import inspect
import re
import sys
import textwrap
import typing
from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from typer.models import OptionInfo

from reportgen.cli.program import app
from reportgen.core import rules
from reportgen.core.book import ImageModel, Transformer, gpu_source, known_gpus, known_models, model_source
from reportgen.core.book.gpus import BookSource, Dtype, refused_names
from reportgen.core.book.models import formula_source
from reportgen.core.units import Unit
from reportgen.document.schema import json_schema, struct_classes
from reportgen.formats.tables.definition import (
    Check,
    Context,
    Derived,
    Expansion,
    FactColumn,
    FigureColumn,
    RepeatingRows,
    RowCondition,
    Sign,
    Skip,
    TableFamily,
    TableRows,
)
from reportgen.formats.tables.families import definitions
from tests.documentation import gallery

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
FAMILIES = ROOT / "docs" / "developers" / "families.md"
FAMILY_KEYS = ROOT / "docs" / "developers" / "family-keys.md"
BOOK = FAMILIES.with_name("book.md")
SHARED = 3  # an option that so many commands have is described once
_BLOCK = re.compile(r"(<!-- generated: reportgen (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_OPTIONS = re.compile(r"(<!-- generated: options -->\n).*?(<!-- end -->)", re.DOTALL)


def pages() -> dict[Path, str]:
    """Return the pages that hold generated text, path -> content as it should be."""
    cli = REFERENCE / "cli.md"
    return {
        cli: cli_page(cli.read_text("utf-8")),
        REFERENCE / "rules.md": rules_page(),
        REFERENCE / "remedies.md": remedies_page(),
        REFERENCE.parent / "developers" / "document.md": document_page(),
        FAMILIES: families_page(),
        FAMILY_KEYS: family_keys_page(),
        BOOK: book_page(),
    }


def commands() -> dict[str, Callable[..., None]]:
    """Return the commands of the program, name -> function, in the order of its help."""
    known = {
        info.name or info.callback.__name__: info.callback
        for info in app.registered_commands
        if info.callback
    }
    return {name.replace("_", "-"): function for name, function in known.items()}


def cli_page(page: str) -> str:
    """Return the page with the text between its markers replaced by the current commands and their options."""
    shared = _shared()
    page = _OPTIONS.sub(lambda match: "\n".join([match[1], *shared, "", match[2]]), page)
    return _BLOCK.sub(lambda match: f"{match[1]}\n{_command(match[2], shared)}\n{match[3]}", page)


def _shared() -> list[str]:
    """Return the lines of options that several commands have in the same words, in the order of the help."""
    count = Counter(line for function in commands().values() for line in _parameters(function))
    return [line for line, commands_with_it in count.items() if commands_with_it >= SHARED]


def documented(page: str) -> list[str]:
    """Return the commands that the page has markers for, in its order."""
    return [match[2] for match in _BLOCK.finditer(page)]


def rules_page() -> str:
    """Return the table of all rules: severities and meaning, each with a link to its text."""
    rows = [
        f"| [{rule}](remedies.md#{rule.replace('.', '')}) | {', '.join(rule.severities)} | {rule.summary} |"
        for rule in rules.Rule
    ]
    return "\n".join([_RULES, "| rule | severity | meaning |", "| --- | --- | --- |", *rows, ""])


def remedies_page() -> str:
    """Return a page that includes the text of every rule, the file that `reportgen explain` prints."""
    folder = Path(rules.__file__).parent.relative_to(ROOT).as_posix()
    return "\n".join([_REMEDIES, *(f'--8<-- "{folder}/{rule}.md"\n' for rule in rules.Rule)])


def document_page() -> str:
    """Return a table for each part of a report.json: field, type, and the meaning that its class gives."""
    parts = json_schema()["$defs"]
    return "\n".join([_DOCUMENT, *(_part(cls, parts[cls.__name__]) for cls in (*struct_classes(), Unit))])


def _part(cls: type[Any], schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    rows = [
        f"| `{name}` | {_type(field)}{', required' if name in required else ''} | {field['description']} |"
        for name, field in schema["properties"].items()
    ]
    head = ["| field | type | meaning |", "| --- | --- | --- |"]
    return "\n".join([f"## {cls.__name__}\n\n{schema['description']}\n", *head, *rows, ""])


def _type(schema: dict[str, Any]) -> str:
    """Return the type of a field in words, with a link to the part that it refers to."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        values = json_schema()["$defs"][name].get("enum")
        return _type({"enum": values}) if values else f"[{name}](#{name.lower()})"
    if options := schema.get("anyOf"):
        return " or ".join(_type(each) for each in options if each.get("type") != "null")
    if values := schema.get("enum"):
        return " or ".join(f"`{value}`" for value in values if value is not None)
    if schema.get("type") == "array":
        items = schema.get("items") or {"anyOf": schema.get("prefixItems", [])}
        return f"list of {_type(items)}" if items != {"anyOf": []} else "list"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        return f"object of {_type(values)}" if isinstance(values, dict) else "object"
    kinds = schema.get("type", "value")
    return " or ".join(kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null")


def families_page() -> str:
    """Return a section for each family of result tables: its metrics, factors, and what makes a row doubtful."""
    return "\n".join([_FAMILIES, *(_family(name, family) for name, family in definitions())])


def family_keys_page() -> str:
    """Return what the sections and keys of a family's definition mean, as their classes say it."""
    keys = [f"## {cls.__name__}\n\n```text\n{inspect.getdoc(cls)}\n```\n" for cls in _FAMILY_PARTS]
    return "\n".join([_FAMILY_KEYS, *keys])


def book_page() -> str:
    """Return the facts of the book of GPUs and models, each with its source."""
    sources: dict[str, int] = {}

    def number(source: BookSource) -> str:
        entry = f"[{source.name}]({source.url}) | {source.note}"
        return f"[{sources.setdefault(entry, len(sources) + 1)}]"

    dtypes = typing.get_args(Dtype)
    facts = ("memory", "bandwidth", "interconnect", "power")
    heads = ("GPU", "other names", *dtypes, "memory", "GB/s", "link GB/s", "W", "source")
    lines = [_BOOK, *_table(heads)]
    for gpu in known_gpus():
        peaks = [gpu.peaks.get(dtype) for dtype in dtypes]
        numbers = [
            "" if value is None else f"{value:g}" for value in (*peaks, *(getattr(gpu, f) for f in facts))
        ]
        note = f" {gpu.note}" if gpu.note else ""
        lines.append(_row(gpu.name, ", ".join(gpu.names), *numbers, number(gpu_source(gpu)) + note))
    lines += ["", "## Names without a row", "", *_table(("name", "why"))]
    lines += [_row(*each) for each in refused_names().items()]
    lines += [
        "",
        _WORK.format(formula=number(formula_source())),
        *_table(("model", "other names", "GFLOP", "source")),
    ]
    lines += [
        _row(each.name, ", ".join(each.names), _forward(each), number(model_source(each)))
        for each in known_models()
    ]
    lines += ["", "## Sources", "", *_table(("number", "source", "note"))]
    return "\n".join([*lines, *(_row(str(number), entry) for entry, number in sources.items()), ""])


def _table(heads: Sequence[str]) -> list[str]:
    return [_row(*heads), _row(*["---"] * len(heads))]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _forward(model: ImageModel | Transformer) -> str:
    if isinstance(model, ImageModel):
        return f"{model.forward() / 1e9:.4g} per image of {model.image_size} x {model.image_size}"
    return f"{model.forward(512) / 1e9:.4g} per token of 512"


def _family(name: str, family: TableFamily) -> str:
    units: dict[str, dict[str, None]] = {}
    for figure in family.figures:
        units.setdefault(figure.metric, {}).setdefault(figure.unit or "unit of the cell")
    lines = [
        ("Reads", family.summary),
        ("Defined in", family.url),
        ("Metrics", ", ".join(f"`{metric}` ({', '.join(known)})" for metric, known in units.items())),
        ("Factors", ", ".join(f"`{factor}`" for factor in family.factors)),
        ("Factors of single results", ", ".join(f"`{factor}`" for factor in family.results)),
        ("Checks", "; ".join(dict.fromkeys(f"{each.message} ({each.severity})" for each in family.checks))),
    ]
    items = [
        textwrap.fill(f"- **{title}**: {text}", 118, subsequent_indent="  ", break_long_words=False)
        for title, text in lines
        if text
    ]
    return "\n".join([f"## {name}\n", *items, ""])


_FAMILIES = """# Families of result tables

A family is a file in `reportgen/formats/tables/families/` that says how its tables are recognised and what their
columns mean. Each statistic of a figure (mean, median, p99) is the factor `statistic`, so that two of them never share
a cell or a ratio; with `statistic_factor = false` the number alone states it. `[[forms]]` are the forms of one family,
such as JSON and CSV. [Add a family](add-a-family.md) shows how to write one. This page is generated from these files.

Some readers of results stay code, because a key of the grammar for one of them would be a special case:

| format | reason |
|---|---|
| nvbench | samples are in binary files beside the JSON and become steps, which a table does not have |
| optimum_benchmark | two files are one run, and training has steps of several processes |
| superbench | parts of a key are the metric, its unit and the phase; a monitor is telemetry |
| torchbench | the text after the last number decides the status, and each rank prints the lines again |
| published | a `source.toml` has corrections, machines and faults with lines; committed ones are never rewritten, so a second grammar would not replace it |
| custom | lines of a text log are steps |
"""
_FAMILY_KEYS = """# Keys of a family

What the sections and keys of `reportgen/formats/tables/families/NAME.toml` mean. [Add a family](add-a-family.md) shows
how they are used. This page is generated from their classes.
"""
_FAMILY_PARTS = (
    TableFamily, Sign, TableRows, Expansion, Context, FactColumn, FigureColumn, Derived, RowCondition, Check,
    Skip, RepeatingRows,
)  # fmt: skip
_BOOK = """# The book of GPUs and models

Facts that data sheets and papers state, from `reportgen/core/book/`. From them come the metrics `share_of_peak` and
`share_of_bandwidth`, the peaks behind `clock.implausible`, and the expected speed of last resort. Peaks are TFLOP/s
(int8: TOP/s) of dense arithmetic, on tensor cores where a GPU has them; FP16, BF16 and FP8 accumulate in FP32. Memory
is in GB; the link between GPUs is of both directions together. A value that no source states is left out. A name that
fits several rows, such as "A100", has none, and `reportgen.core.book.why_no_gpu` says so. This page is generated from
these files.

## GPUs
"""
_WORK = """## Models

The operations of a forward pass, with 2 per multiply-add {formula}; training has three times as many.
"""
_DOCUMENT = """# report.json

A report.json is a document: all that a report shows, without steps and telemetry, which are in side files that it names
with their digests. `reportgen schema` prints its JSON Schema;
[a guide](../how-to/write-a-document.md) shows how another program writes one. Values are in base units (s, B, W, J, Hz,
degC, ratio, samples/s), and a `unit` says how people read them: shown = value / factor. A field with its default value
is left out. A name stands for another part: `case` for an entry of `cases`, `machine` for an entry of `machines`,
`table` for the id of a table.

## Shown without a document

The page, the Markdown, CSV files, figures, `why`, `diff` and `history` read a document and nothing else. The following
do not:

| shown | made from | why |
| --- | --- | --- |
| headline, acceptance, explorer, trends in figures | tables, while the document is made | they are parts of the document, made once, so that every reader shows the same sentence, outcome and point. They need the repeats of a cell one by one, with all that their logs say; a document has them reduced to what is shown |
| `runs`, `show`, and a table of runs in the library | runs | most logs are in no report. A run has steps, telemetry and values that no table asks for; a document has cases, and names the files with steps |
| `audit` | runs, or a report.json | the numbers of a hand-made table may be of any metric, phase and run that the logs have |
| `compare` and cases in the library | cases | two configurations need no table and no definition. The comparison is made by the same function as those of a document |
| `history --by` | tables of today's logs | it puts the repeats of a cell into new groups by a date, a version or a factor, and each group is a case of its own, with findings about what changed. A document has the groups of its tables |
| `learn`, `plan`, `init` | runs and tables of people | they make definitions and labels, not reports |
"""
_RULES = """# Rules

Each finding names its rule. A finding is about the data: it never stops a build, and it is printed beside the numbers
that it concerns. Severities are `note`, `warning` and `invalid` (the run has no number). A rule links to the page that
says when it is raised, why it matters and what to do; `reportgen explain RULE` prints the same.
"""
_REMEDIES = """# Remedies

When each [rule](rules.md) is raised, why it matters, and what to do. `reportgen explain RULE` prints the same texts. In
the repository, they are in `reportgen/core/rules/`.
"""


def _command(name: str, shared: Sequence[str]) -> str:
    function = commands()[name]
    summary, _, rest = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
    example, _, rest = rest.replace("\b\n", "").partition("\n\n")
    lines = [_one_line(summary), "", *_example(example)]
    if rest:
        lines += ["", _one_line(rest)]
    parameters = _parameters(function)
    own = [line for line in parameters if line not in shared]
    also = [parameters[line] for line in parameters if line in shared]
    if parameters:
        lines += ["", *own]
    if also:
        lines += [f"- {'Also ' if own else ''}{', '.join(f'`{heading}`' for heading in also)}"]
    return "\n".join(lines) + "\n"


def _parameters(function: Callable[..., None]) -> dict[str, str]:
    """Return the arguments and options of a command: line of the page -> heading."""
    declared = inspect.signature(function, eval_str=True).parameters.values()
    return dict(_parameter(each) for each in declared)


def _example(text: str) -> list[str]:
    return ["```text", *(line.removeprefix("Example:").strip() for line in text.splitlines()), "```"]


def _one_line(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _parameter(parameter: inspect.Parameter) -> tuple[str, str]:
    """Return the line that describes an argument or option, and its heading."""
    kind, declared = typing.get_args(parameter.annotation)[:2]
    default = parameter.default
    shown = "" if default in (inspect.Parameter.empty, None, False, "") else f" Default `{default}`."
    is_option = isinstance(declared, OptionInfo)
    dots = " ..." if typing.get_origin(kind) is list else ""
    heading = _option(parameter.name, kind, declared) if is_option else parameter.name.upper() + dots
    meaning = declared.help or ""
    end = "" if meaning.endswith(".") else "."
    return f"- `{heading}`: {meaning}{end}{shown}", heading


def _option(name: str, kind: Any, declared: OptionInfo) -> str:
    # typer keeps the first name of an option in Annotated as its default
    names = (declared.default, *(declared.param_decls or ()))
    flags = [text for text in names if isinstance(text, str) and text.startswith("-")] or [
        f"--{name.replace('_', '-')}"
    ]
    if kind is bool:
        return ", ".join(flags)
    kinds = [part for part in typing.get_args(kind) if part is not type(None)] or [kind]
    return f"{', '.join(flags)} {declared.metavar or _value(kinds[0])}"


def _value(kind: Any) -> str:
    if typing.get_args(kind):  # list[str]: the option may be repeated
        return f"{_value(typing.get_args(kind)[0])} ..."
    if issubclass(kind, Enum):
        return "|".join(each.value for each in kind)
    return {Path: "PATH", int: "INTEGER", float: "NUMBER"}.get(kind, "TEXT")


def main() -> int:
    """Write what differs, and name it."""
    for path, content in pages().items():
        if not path.is_file() or path.read_text("utf-8") != content:
            path.write_text(content, "utf-8")
            print(f"changed  {path.relative_to(ROOT)}")
    with TemporaryDirectory() as folder:
        for path in gallery.renew(Path(folder)):
            print(f"changed  {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
