"""Generate the parts of docs/reference/ that repeat the program: commands with their options, and rules.

`python -m tests.documentation.generated` writes them; tests/test_docs.py fails while a page differs.
Everything comes from the command line itself, so that a page cannot know more than the program.
"""

import inspect
import re
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.models import OptionInfo
from typer.testing import CliRunner

from reportgen.cli import app

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PIPE = "\\|"  # a `|` inside a table's cell
_BLOCK = re.compile(r"(<!-- generated: reportgen (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def pages() -> dict[Path, str]:
    """Return the pages that hold generated text, path -> content as it should be."""
    cli = REFERENCE / "cli.md"
    return {cli: cli_page(cli.read_text("utf-8")), REFERENCE / "rules.md": rules_page()}


def commands() -> dict[str, Callable[..., None]]:
    """Return the commands of the program, name -> function, in the order of its help."""
    known = {
        info.name or info.callback.__name__: info.callback
        for info in app.registered_commands
        if info.callback
    }
    return {name.replace("_", "-"): function for name, function in known.items()}


def cli_page(page: str) -> str:
    """Return the page with the text between its markers replaced by the current commands."""
    return _BLOCK.sub(lambda match: f"{match[1]}\n{_command(match[2])}\n{match[3]}", page)


def documented(page: str) -> list[str]:
    """Return the commands that the page has markers for, in its order."""
    return [match[2] for match in _BLOCK.finditer(page)]


def rules_page() -> str:
    """Return one page with the text of every rule, as `reportgen explain` prints it."""
    names = [line.split()[0] for line in _output("rules").splitlines()[1:] if line[:1].strip()]
    texts = {name: _output("explain", name) for name in names}
    table = [f"| [{name}](#{name.replace('.', '')}) | {_severity(text)} |" for name, text in texts.items()]
    sections = [_section(text) for text in texts.values()]
    return "\n".join([_HEAD, "| rule | severity |", "| --- | --- |", *table, "", "\n\n".join(sections), ""])


_HEAD = """# Rules

Each finding names its rule. A finding is about the data: it never stops a build, and it is printed beside the numbers
that it concerns. Severities are `note`, `warning` and `invalid` (the run has no number).
`reportgen explain RULE` prints one of these sections. This page is generated from the rules of the program.
"""


def _severity(page: str) -> str:
    return re.findall(r"^Severity: (.*)$", page, re.MULTILINE)[0]


def _section(page: str) -> str:
    deeper = re.sub(r"^# ", "## ", page.strip(), count=1)
    return re.sub(r"^## (?!\S+\.)(.*)$", r"**\1**", deeper, flags=re.MULTILINE)


def _command(name: str) -> str:
    function = commands()[name]
    summary, _, rest = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
    example, _, rest = rest.replace("\b\n", "").partition("\n\n")
    lines = [_one_line(summary), "", *_example(example)]
    if rest:
        lines += ["", _one_line(rest)]
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    rows = [_row(parameter) for parameter in parameters]
    if rows:
        lines += ["", "| argument or option | meaning | default |", "| --- | --- | --- |", *rows]
    return "\n".join(lines) + "\n"


def _example(text: str) -> list[str]:
    return ["```text", *(line.removeprefix("Example:").strip() for line in text.splitlines()), "```"]


def _one_line(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _row(parameter: inspect.Parameter) -> str:
    kind, declared = typing.get_args(parameter.annotation)[:2]
    default = parameter.default
    shown = "" if default in (inspect.Parameter.empty, None, False) else f"`{default}`"
    is_option = isinstance(declared, OptionInfo)
    dots = " ..." if typing.get_origin(kind) is list else ""
    heading = _option(parameter.name, kind, declared) if is_option else parameter.name.upper() + dots
    return f"| `{heading}` | {(declared.help or '').replace('|', PIPE)} | {shown} |"


def _option(name: str, kind: Any, declared: OptionInfo) -> str:
    flags = [text for text in declared.param_decls or () if text.startswith("-")] or [
        f"--{name.replace('_', '-')}"
    ]
    if kind is bool:
        return ", ".join(flags)
    kinds = [part for part in typing.get_args(kind) if part is not type(None)] or [kind]
    return f"{', '.join(flags)} {(declared.metavar or '').replace('|', PIPE) or _value(kinds[0])}"


def _value(kind: Any) -> str:
    if typing.get_args(kind):  # list[str]: the option may be repeated
        return f"{_value(typing.get_args(kind)[0])} ..."
    return {Path: "PATH", int: "INTEGER", float: "NUMBER"}.get(kind, "TEXT")


def _output(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def main() -> int:
    """Write what differs, and name it."""
    for path, content in pages().items():
        if not path.is_file() or path.read_text("utf-8") != content:
            path.write_text(content, "utf-8")
            print(f"changed  docs/reference/{path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
