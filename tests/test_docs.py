"""Documentation that cannot rot: commands, options, formats and links are held against the program."""

import re
from pathlib import Path

import pytest
import typer.main

from reportgen.cli import app
from reportgen.formats.registry import FORMATS
from tests.test_cli import COMMANDS

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "logs/FORMAT.md"])
RULES = sorted(ROOT.glob("reportgen/core/rules/*.md"))
CALL = re.compile(r"\s*(reportgen|python -m collectors) ([a-z]+)")
GROUP = typer.main.get_command(app)
KNOWN = {"reportgen": COMMANDS, "python -m collectors": ["env", "watch", "run", "bench", "sweep", "doctor"]}


def test_the_list_of_commands_is_whole():
    assert sorted(GROUP.commands) == sorted(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_documented(command):
    text = (ROOT / "docs/reference/cli.md").read_text()
    assert f"reportgen {command}" in text
    options = [o for p in GROUP.commands[command].params for o in p.opts if o.startswith("--")]
    assert [o for o in options if f"`{o}" not in text and f" {o} " not in text] == []


@pytest.mark.parametrize("name", [f.name for f in FORMATS])
def test_every_format_has_a_page_that_the_index_links(name):
    assert (ROOT / f"docs/reference/formats/{name}.md").is_file()
    assert f"({name}.md)" in (ROOT / "docs/reference/formats/index.md").read_text()


@pytest.mark.parametrize("page", [*PAGES, *RULES], ids=lambda p: str(p.relative_to(ROOT)))
def test_the_commands_that_a_page_names_exist(page):
    text = page.read_text()
    blocks = re.findall(r"^```(?:sh)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    code = [
        *re.findall(r"`([^`\n]+)`", text),
        *lines,
        *re.findall(r"^ {4}(reportgen .*)$", text, re.MULTILINE),
    ]
    calls = [(m[1], m[2]) for one in code if (m := CALL.match(one))]
    assert [call for call in calls if call[1] not in KNOWN[call[0]]] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_arrive(page):
    links = re.findall(
        r"\]\((?!https?:|mailto:|#)([^)#\s]+)", re.sub(r"```.*?```|`[^`]*`", "", page.read_text(), flags=re.S)
    )
    assert [link for link in links if not (page.parent / link).exists()] == []
