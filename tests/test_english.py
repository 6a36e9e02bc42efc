"""Plain English: a short list of words and phrases that make a reader decode a sentence.

SCOPES is the one place that says where the list holds. Extend it when a package has been rewritten: of a Python file
its docstrings, comments, string literals and names of tests are read, of any other file its text without code blocks.
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
    "docs/**/*.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "logs/FORMAT.md",
    "reportgen/core/rules/*.md",
    "reportgen/render/**/*.py",
    "reportgen/render/**/*.html",
    "reportgen/publish.py",
    "reportgen/report/verdict.py",
    "reportgen/inject.py",
    "reports/*.md",
    "collectors/**/*.py",
    "tests/**/*.py",
    "reportgen/core/*.py",
    "reportgen/core/rules/*.py",
    "reportgen/protocol/*.py",
    "reportgen/tables/*.py",
    "reportgen/why/*.py",
    "reportgen/api.py",
    "reportgen/pipeline.py",
    "reportgen/autolayout/*.py",
    "reportgen/cli/*.py",
    "reportgen/labels/*.py",
    "reportgen/learn/*.py",
    "reportgen/load/*.py",
    "reportgen/report/*.py",
    "reportgen/sources/*.py",
    "reportgen/formats/*.py",
]
SCOPES += [
    f"reportgen/formats/{family}/*.py"
    for family in (
        "benchmarks",
        "custom",
        "dlperf",
        "huggingface",
        "lightning",
        "mlperf",
        "mmengine",
        "native",
        "nvidia_dle",
        "nvidia_smi",
        "parsing",
        "published",
        "tqdm",
        "trainers",
    )
]
# The first is generated from docstrings of reportgen/cli, the second lists the words, the third waits for learn.
EXCEPT = ["docs/reference/cli.md", "tests/test_english.py", "tests/learn/test_propose.py"]

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


def _whole_words(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w`'-])(?:{words})(?![\w`'])", re.IGNORECASE)


_WORDS = {_whole_words(words): better for words, better in REFUSED.items()}
_ANY = _whole_words("|".join(REFUSED))  # most texts have none: one search instead of one for each entry


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
    if not _ANY.search(text):
        return []
    return [f"{m[0]!r}: {better}" for pattern, better in _WORDS.items() for m in pattern.finditer(text)]


def test_no_refused_word_is_used() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in files()
        for line, text in texts(path)
        for word in refused(text)
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
