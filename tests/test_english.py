"""Plain English: a short list of words and phrases that make a reader decode a sentence.

SCOPES is the one place that says where the list holds. Of a Python file its docstrings, comments, string literals and
names of tests are read, of any other file its text without code blocks. Some words are refused only in the first line
of a docstring, which a reader sees alone: it says what the thing is or does.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

import pytest

from tests.each_of import each_row

ROOT = Path(__file__).parents[1]

SCOPES = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "docs/**/*.md",
    "logs/FORMAT.md",
    "reports/*.md",
    "reportgen/**/*.py",
    "reportgen/**/*.md",
    "reportgen/**/*.html",
    "collectors/**/*.py",
    "tests/**/*.py",
]
# The first is generated from docstrings of reportgen/cli, the second lists the words, the others are not yet rewritten.
EXCEPT = [
    "docs/reference/cli.md",
    "tests/test_english.py",
    "tests/learn/test_propose.py",
    "reportgen/compare/verdicts/decision.py",
]

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
# the same, for sentences that deny by a noun
SIGNS = {"(?:(?<!there )(?:is|are|was|were|be)|of) no(?! longer| more| less)": "is not a; without"}
# the same, for the first line of a docstring
FIRST_LINES = {
    "that of|those of": "repeat the noun, or use the possessive",
    "of which": "whose; a sentence of its own",
    "^what": "name the thing",
}


def _patterns(refused: dict[str, str]) -> dict[re.Pattern[str], str]:
    return {
        re.compile(rf"(?<![\w`'-])(?:{words})(?![\w`'])", re.IGNORECASE): better
        for words, better in refused.items()
    }


_WORDS, _FIRST_LINES = _patterns({**REFUSED, **SIGNS}), _patterns(FIRST_LINES)
# Nearly no text has any of them, and one search is quicker than one for each.
_ANY_WORD, *_ = _patterns({"|".join([*REFUSED, *SIGNS]): ""})


def matching(scopes: list[str]) -> set[Path]:
    """Return the files that match patterns below the root."""
    return {path for scope in scopes for path in ROOT.glob(scope) if path.is_file()}


def files() -> list[Path]:
    """Return the files in which the list holds."""
    return sorted(matching(SCOPES) - {ROOT / page for page in EXCEPT})


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of what people read in a file."""
    content = path.read_text("utf-8")
    if path.suffix == ".py":
        yield from _strings(path)
        yield from _comments(content)
    else:
        prose = re.sub(r"^```.*?^```$|`[^`\n]+`", _blank, content, flags=re.MULTILINE | re.DOTALL)
        yield from enumerate(prose.splitlines(), 1)


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


@lru_cache(maxsize=1)
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return the nodes of a Python file, which `texts` and `first_lines` look at."""
    return tuple(ast.walk(ast.parse(path.read_text("utf-8"))))


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    for node in _nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for offset, line in enumerate(node.value.splitlines()):
                yield node.lineno + offset, line
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.lineno, node.name.replace("_", " ")


def first_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of the first line of each docstring of a Python file."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in _nodes(path) if path.suffix == ".py" else ():
        if isinstance(node, documented) and (text := ast.get_docstring(node)):
            yield node.body[0].lineno, text.partition("\n")[0]


def _comments(content: str) -> Iterator[tuple[int, str]]:
    """Yield the comments of a Python file if any can have a refused word: to find where they begin takes long."""
    if not any("#" in line and _ANY_WORD.search(line) for line in content.splitlines()):
        return
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def refused(text: str, patterns: Mapping[re.Pattern[str], str] = _WORDS) -> list[str]:
    """Return what a text should not say, each with what to write instead."""
    return [f"{m[0]!r}: {better}" for pattern, better in patterns.items() for m in pattern.finditer(text)]


def refused_in(path: Path) -> list[str]:
    """Return the refused words of a file with their lines."""
    wrong = [(line, word) for line, text in texts(path) if _ANY_WORD.search(text) for word in refused(text)]
    wrong += [(line, word) for line, text in first_lines(path) for word in refused(text, _FIRST_LINES)]
    return [f"{path.relative_to(ROOT)}:{line}: {word}" for line, word in sorted(wrong)]


@pytest.mark.no_cover
def test_no_refused_word_is_used() -> None:
    wrong = [each for path in files() for each in refused_in(path)]
    assert not wrong, "\n" + "\n".join(wrong)


@each_row(
    [
        ("A pattern that was told in vain.", 2),
        ("One record stands for ten steps.", 0),
        ("It stands in the log.", 1),
        ("A stand-in for the library.", 0),
        ("the begin of the run", 1),
        ("Earlier lines of the layout", 0),
        ("This is no factor.", 1),
        ("There is no factor, and it is no longer read.", 0),
    ]
)
def test_the_list_finds_whole_words(text: str, count: int) -> None:
    assert len(refused(text)) == count


def test_code_in_a_page_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("Use `told`.\n```\nnobody\n```\nA line.\n", "utf-8")
    assert [text for _, text in texts(tmp_path / "page.md")] == ["Use .", "", "", "", "A line."]
    (tmp_path / "a.py").write_text('"""Say it."""\n\nx = f"no {1}"  # Tell why.\n', "utf-8")
    assert [text for _, text in texts(tmp_path / "a.py")] == ["Say it.", "no ", "# Tell why."]
    (tmp_path / "b.py").write_text("x = 1  # Why.\n", "utf-8")
    assert list(texts(tmp_path / "b.py")) == []


def test_the_first_line_of_a_docstring_names_the_thing(tmp_path: Path) -> None:
    page = tmp_path / "a.py"
    page.write_text(
        '"""What it is.\n\nThat of others."""\n\ndef f():\n    """The size, that of a."""\n', "utf-8"
    )
    lines = list(first_lines(page))
    assert lines == [(1, "What it is."), (6, "The size, that of a.")]
    assert [len(refused(text, _FIRST_LINES)) for _, text in lines] == [1, 1]
    assert not list(first_lines(ROOT / "README.md"))
