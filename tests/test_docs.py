"""The documentation is correct: commands, options, formats, rules and links are compared with the program."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer.main

from reportgen.cli.program import app
from reportgen.core.rules import Rule
from reportgen.document.model import FigureKind
from reportgen.formats.registry import FORMATS
from reportgen.render.registry import OUTPUTS
from tests.cli.calling import COMMANDS
from tests.documentation import generated

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
KINDS = ["tutorial", "how-to", "reference", "explanation", "developers"]
DOC_PAGES = sorted(DOCS.rglob("*.md"))
PAGES = sorted([*ROOT.glob("*.md"), *DOC_PAGES, ROOT / "logs/FORMAT.md"])
RULES = sorted(ROOT.glob("reportgen/core/rules/*.md"))
CALL = re.compile(r"\s*(reportgen|python -m collectors) ([a-z]+)")
GROUP = typer.main.get_command(app)
COLLECTORS = ["env", "watch", "run", "unlock", "bench", "sweep", "doctor"]
KNOWN = {"reportgen": COMMANDS, "python -m collectors": COLLECTORS}
SITE = ROOT / "zensical.toml"


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_list_of_commands_is_complete():
    assert sorted(GROUP.commands) == sorted(COMMANDS)


def test_every_command_has_a_section_in_the_reference():
    page = (DOCS / "reference/cli.md").read_text("utf-8")
    assert generated.documented(page) == list(generated.commands())


def test_generated_pages_are_up_to_date():
    pages = generated.pages()
    if os.environ.get("REPORTGEN_ACCEPT") == "1":
        for page, content in pages.items():
            page.write_text(content, "utf-8")
    outdated = [_name(page) for page, content in pages.items() if page.read_text("utf-8") != content]
    assert outdated == [], "run: python -m tests.documentation.generated"


@pytest.mark.parametrize("command", ["run", "watch", "doctor", "bench", "sweep"])
def test_every_option_of_the_collectors_is_documented(command):
    call = [sys.executable, "-m", "collectors", command, "--help"]
    printed = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", printed, re.MULTILINE)) - {"--help"}
    text = "".join((DOCS / f"reference/{page}.md").read_text("utf-8") for page in ("collectors", "workloads"))
    assert [
        option for option in sorted(options) if f"`{option}" not in text and f" {option} " not in text
    ] == []


FAMILIES, FRAMEWORKS = "../../developers/families", "../../developers/frameworks"


def _sections_of_formats():
    """Return the place of each format, name -> link: a page of its name, or `## name` on the page of a family.

    A section for users wins over one for developers.
    """
    names = {known.name for known in FORMATS}
    pages = {page.stem: page for page in DOCS.glob("reference/formats/*.md") if page.stem != "index"}
    pages |= {link: DOCS / "reference/formats" / f"{link}.md" for link in (FAMILIES, FRAMEWORKS)}
    places = {name: f"{name}.md" for name in pages if name in names}
    for family in sorted(pages.keys() - names, key=lambda page: page not in (FAMILIES, FRAMEWORKS)):
        headings = re.findall(r"^## (.+)$", pages[family].read_text("utf-8"), re.MULTILINE)
        places |= {name: f"{family}.md#{name}" for name in headings}
    return places


def test_every_format_has_a_section_and_every_section_of_a_family_a_format():
    sections, names = _sections_of_formats().keys(), {known.name for known in FORMATS}
    assert not names - sections, f"formats without `## <name>` in docs/reference/formats: {names - sections}"
    assert not sections - names, f"sections without a format: {sections - names}"


def test_the_index_of_formats_links_every_section():
    index = (DOCS / "reference/formats/index.md").read_text("utf-8")
    places = {name: link for name, link in _sections_of_formats().items() if not link.startswith(FAMILIES)}
    assert dict(re.findall(r"^\| \[(\w+)\]\((\S+)\) \|", index, re.MULTILINE)) == places
    assert f"({FAMILIES}.md)" in index


def test_every_output_is_in_the_reference():
    page = (DOCS / "reference/outputs.md").read_text("utf-8")
    paths = [output.path_of("<id>") for output in OUTPUTS]
    missing = [path for path in paths if f"`{path}`" not in page]
    assert not missing, f"outputs without a row in docs/reference/outputs.md: {missing}"


def test_every_kind_of_figure_is_in_the_reference():
    page = (DOCS / "reference/definitions.md").read_text("utf-8")
    missing = [str(kind) for kind in FigureKind if f"| `{kind}` |" not in page]
    assert not missing, f"kinds of figures without a row in docs/reference/definitions.md: {missing}"


def test_every_page_is_of_one_kind():
    top = [DOCS / name for name in ("index.md", "gallery.md", "glossary.md")]
    pages = [page for page in DOC_PAGES if page not in top]
    assert [_name(page) for page in pages if page.relative_to(DOCS).parts[0] not in KINDS] == []


def test_every_page_begins_with_its_title_and_has_one():
    wrong = []
    for page in DOC_PAGES:
        text = re.sub(r"\A<!--.*?-->\n", "", page.read_text("utf-8"), flags=re.DOTALL)
        titles = re.findall(r"^# ", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
        if not re.match(r"# \S", text) or len(titles) != 1:
            wrong.append(_name(page))
    assert wrong == []


def _listed(entries):
    for entry in entries:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from _listed(value) if isinstance(value, list) else [value]


def _navigation():
    return tomllib.loads(SITE.read_text("utf-8"))["project"]["nav"]


def test_every_page_is_in_the_navigation_of_the_site():
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert sorted(_listed(_navigation())) == sorted(pages)


def test_the_counts_of_formats_and_rules_are_right():
    formats, rules = len(list(FORMATS)), len(list(Rule))
    assert f" {formats} [log formats]" in (ROOT / "README.md").read_text("utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"**{formats} formats**" in changes
    assert f"**{rules} rules**" in changes


def test_users_have_at_most_45_000_words_to_read():
    parts = [entry for entry in _navigation() if "Developers" not in entry]
    words = {page: len((DOCS / page).read_text("utf-8").split()) for page in _listed(parts)}
    longest = sorted(words.items(), key=lambda entry: -entry[1])[:10]
    assert sum(words.values()) <= 45_000, f"{sum(words.values())} words; the longest pages: {longest}"


def test_developers_pages_are_one_part_of_the_site():
    (part,) = (entry["Developers"] for entry in _navigation() if "Developers" in entry)
    folder = {page.relative_to(DOCS).as_posix() for page in DOCS.glob("developers/*.md")}
    assert set(_listed(part)) == folder | {"explanation/architecture.md"}


def _calls(text):
    """Return (program, command) of each call that a page shows."""
    blocks = re.findall(r"^```(?:sh|bash|text)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    code = [
        *re.findall(r"`([^`\n]+)`", text),
        *lines,
        *re.findall(r"^ {4}(reportgen .*)$", text, re.MULTILINE),
    ]
    return [(m[1], m[2]) for line in code if (m := CALL.match(line))]


def test_the_commands_that_a_page_names_exist():
    calls = [(page, call) for page in [*PAGES, *RULES] for call in _calls(page.read_text("utf-8"))]
    assert len(calls) > 100
    unknown = [(_name(page), program, name) for page, (program, name) in calls if name not in KNOWN[program]]
    assert unknown == []


WORDS_OF_COMPARING = [
    "acceptance",
    "baseline",
    "condition",
    "document",
    "drift",
    "excess",
    "explorer",
    "interval",
    "order",
    "round",
    "undecided",
    "verdict",
]


def test_the_glossary_explains_the_words_of_comparing():
    words = re.findall(r"^- \*\*(.+?)\*\*", (DOCS / "glossary.md").read_text("utf-8"), re.MULTILINE)
    assert {*WORDS_OF_COMPARING, "change point", "not comparable"} - {*words} == set()
    assert len(words) == len({*words})


def test_links_between_pages_lead_to_files():
    wrong = []
    for page in PAGES:
        text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", text):
            target = (page.parent / link).resolve()
            in_site = DOCS not in page.parents or DOCS in target.parents  # the site holds nothing else
            if not target.exists() or not in_site:
                wrong.append(f"{_name(page)}: {link}")
    assert wrong == []


def test_lines_of_text_are_short():
    wrong = []
    for page in DOC_PAGES:
        if page.name == "cli.md":  # its summaries are those of the program
            continue
        generated_or_code = r"^```.*?^```$|^<!-- reportgen:begin .*?^<!-- reportgen:end"
        text = re.sub(generated_or_code, "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        long = [line for line in text.splitlines() if len(line) > 120 and not line.startswith("|")]
        wrong += [f"{_name(page)}: {line}" for line in long]
    assert wrong == []


def test_toml_blocks_of_pages_are_valid():
    wrong = []
    for page in PAGES:
        text = page.read_text("utf-8")
        for block in re.findall(r"^```toml[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            try:
                tomllib.loads(block)
            except tomllib.TOMLDecodeError as error:
                wrong.append(f"{_name(page)}: {error}\n{block}")
    assert not wrong, "\n".join(wrong)


def test_the_site_builds_without_warnings(tmp_path):
    zensical = shutil.which("zensical", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert zensical, "install the extra: pip install '.[docs]'"
    shutil.copytree(DOCS, tmp_path / "docs")
    for path in (ROOT / "logs/FORMAT.md", *RULES):  # what pages include
        (tmp_path / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / path.relative_to(ROOT))
    shutil.copy(SITE, tmp_path)
    built = subprocess.run([zensical, "build", "--strict"], cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode == 0, re.sub(r"\x1b\[[\d;]*m", "", built.stdout + built.stderr)
    for page in DOC_PAGES:
        place = page.relative_to(DOCS).with_suffix("").as_posix().removesuffix("index").strip("/")
        assert (tmp_path / "site" / place / "index.html").is_file(), place
