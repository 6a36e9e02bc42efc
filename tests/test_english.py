"""Plain English: a short list of words and phrases that make a reader decode a sentence.

SCOPES is the one place that says where the list holds. Extend it when a package has been rewritten: of a Python file
its docstrings, comments, string literals and names of tests are read, of any other file its text without code blocks.
In reportgen, docstrings and messages also avoid what makes a sentence hard to parse; TO_DO lists where they do not yet.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

SCOPES = [
    "README.md",
    "docs/**/*.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "logs/FORMAT.md",
    "reports/*.md",
    "reportgen/core/rules/*.md",
    "reportgen/**/*.html",
    "reportgen/**/*.py",
    "collectors/**/*.py",
    "tests/**/*.py",
]
# The first is generated from docstrings of reportgen/cli, the second lists the words, the third waits for learn.
EXCEPT = ["docs/reference/cli.md", "tests/test_english.py", "tests/learn/test_propose.py"]
# Files in which some of the words are left.
EXCEPT += [
    "reportgen/baseline.py",
    "reportgen/compare/verdicts/decision.py",
    "reportgen/diff/changes.py",
    "reportgen/diff/markdown.py",
    "reportgen/diff/sections.py",
]

# Packages and modules of reportgen whose docstrings and messages still have a form of FORMS.
TO_DO = {"api.py", "baseline.py", "compare", "core", "diff", "pipeline.py", "render", "report", "tables"}

# refused (a regular expression, whole words, any case) -> write instead
REFUSED = {
    "told|tell|tells|telling": "say, print, show; distinguish for `tell apart`",
    "nobody|somebody|whoever|whosever|no one": "name who, or use the passive",
    "c[ao]mes? to bear|came to nothing": "apply, take effect",
    "one's own": "your own, custom",
    "in vain": "unused, without effect",
    "stands?(?! for\\b|-)|stood": "is, is in, appears",
    "held against": "compared with, checked against",
    "seldom|ere|hence|whence|thereof|whereof": "rarely; so; of it",
    "lies|lie|lay|lain": "is, is in; hold as false for `lie`",
    "(?:the|its|their|a|each|at) begin(?! marker)|begins? of (?:the|a|an|each|every|its)": "start, beginning",
    "the more so|all the same|none the less|goes on": "more; still; continues",
    "for want of|by way of|on purpose of": "without; by; to",
    "whatever (?:the|it|was|is|stands)": "any, regardless of",
    "is said|are said|was said|be said": "say who says it, or state it",
    "gave (?:it|the file) away|gives (?:it|the file) away": "identifies",
    "no matter (?:what|how|which)": "for any, regardless of",
    "what is (?:not )?(?:there|read|asked|said|known)": "name the thing",
}
# Where such a form is refused -> the form, and what to write instead.
FORMS = {
    "first line of a docstring": {
        "^What": "a verb or a noun: what a function does, what a class is",
        "(?:that|those) of": "repeat the noun, or use a verb",
        "of which": "whose, from which, or two sentences",
    },
    "docstring or message": {
        "(?<!there )(?:is|are|was|were) no(?= \\w)(?! (?:longer|more)\\b)": "is not, has no, there is no",
        "of no": "without",
    },
}
_WORDS = {
    re.compile(rf"(?<![\w`'-])(?:{words})(?![\w`'])", re.IGNORECASE): better
    for words, better in REFUSED.items()
}


def files() -> list[Path]:
    """Return the files in which the list holds."""
    known = {path for scope in SCOPES for path in ROOT.glob(scope)} - {ROOT / page for page in EXCEPT}
    return sorted(path for path in known if path.is_file())


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of what people read in a file."""
    content = path.read_text("utf-8")
    if path.suffix == ".py":
        yield from _strings(content)
        yield from _comments(content)
    else:
        prose = re.sub(r"^```.*?^```$|`[^`\n]+`", _blank, content, flags=re.MULTILINE | re.DOTALL)
        yield from enumerate(prose.splitlines(), 1)


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _strings(content: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for offset, line in enumerate(node.value.splitlines()):
                yield node.lineno + offset, line
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.lineno, node.name.replace("_", " ")


def _comments(content: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def refused(text: str) -> list[str]:
    """Return what a text should not say, each with what to write instead."""
    return [f"{m[0]!r}: {better}" for pattern, better in _WORDS.items() for m in pattern.finditer(text)]


@pytest.mark.parametrize("path", files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_refused_word_is_used(path: Path) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {word}" for line, text in texts(path) for word in refused(text)
    ]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("A pattern that was told in vain.", 2),
        ("One record stands for ten steps.", 0),
        ("It stands in the log.", 1),
        ("A stand-in for the library.", 0),
        ("the begin of the run", 1),
        ("Earlier lines of the layout", 0),
    ],
)
def test_the_list_finds_whole_words(text: str, count: int) -> None:
    assert len(refused(text)) == count


def test_code_in_a_page_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("Use `told`.\n```\nnobody\n```\nA line.\n", "utf-8")
    assert [text for _, text in texts(tmp_path / "page.md")] == ["Use .", "", "", "", "A line."]
    (tmp_path / "a.py").write_text('"""Say it."""\n\nx = f"no {1}"  # Why.\n', "utf-8")
    assert [text for _, text in texts(tmp_path / "a.py")] == ["Say it.", "no ", "# Why."]


def forms(content: str) -> Iterator[tuple[int, str]]:
    """Yield (line, what is wrong) of the docstrings and strings of a Python file."""
    tree = ast.parse(content)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = (ast.get_docstring(node) or "").partition("\n")[0]
            line = node.body[0].lineno if node.body else 1
            yield from ((line, each) for each in _in_form(first, FORMS["first line of a docstring"]))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            for offset, text in enumerate(node.value.splitlines()):
                every = FORMS["docstring or message"]
                yield from ((node.lineno + offset, each) for each in _in_form(text, every))


def _in_form(text: str, refused_forms: dict[str, str]) -> list[str]:
    matches = (
        (re.search(rf"(?<![\w`'-])(?:{form})(?![\w`'])", text, re.IGNORECASE), better)
        for form, better in refused_forms.items()
    )
    return [f"{match[0]!r} in {text.strip()!r}: {better}" for match, better in matches if match]


def unit(path: Path) -> str:
    """Return the package of a file of reportgen, or its name if it is not in one."""
    return path.relative_to(ROOT / "reportgen").parts[0]


PYTHON = sorted((ROOT / "reportgen").rglob("*.py"))


@pytest.mark.parametrize("name", sorted({unit(path) for path in PYTHON}))
def test_docstrings_and_messages_of_reportgen_are_direct(name: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {what}"
        for path in PYTHON
        if unit(path) == name
        for line, what in forms(path.read_text("utf-8"))
    ]
    if name in TO_DO:
        assert wrong, f"{name} has none left: take it out of TO_DO"
    else:
        assert not wrong, "\n" + "\n".join(wrong)


def test_forms_are_looked_for_where_they_matter() -> None:
    content = '''"""What it is, there is no more."""

def f():
    """Return it.

    The time is that of the run, of which is no end.
    """
    raise ValueError("is no number", "there is no number", "is no longer")
'''
    assert [line for line, _ in forms(content)] == [1, 6, 8]
