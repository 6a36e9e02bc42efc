"""Convert the author's Markdown to HTML without active content.

GitHub shows the same text in README.md, so lists, tables and code blocks are rewritten from the rules of
GitHub to those of python-markdown first. Raw HTML is shown as text, and links keep only the targets that
`escape.href` allows: the text may come from a stranger, and names in it may come from a stranger's log.
"""

from itertools import pairwise
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.render.prose.numbers import as_read
from reportgen.render.text import escape

# A block is alone in its paragraph, and HTML allows no table inside a paragraph.
_BLOCK = lazy_pattern("[ \n]*(\ue000[0-9]+\ue001)[ \n]*")
_ALONE = lazy_pattern("<p>\\s*(\ue000[0-9]+\ue001)\\s*</p>")
_ITEM = lazy_pattern(r"( *)(?:([-*+])|([0-9]{1,9})[.)])( {1,4})(?=\S)")
_HEADING_OR_RULE = lazy_pattern(r" {0,3}(?:#{1,6}\s|(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$)")
_FENCE = lazy_pattern(r" *(`{3,}|~{3,})")
_TABLE_RULE = lazy_pattern(r" {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*|\s*\|\s*:?-+:?\s*\|\s*")


class _GitHubBlocks(Preprocessor):
    """Rewrite lists, tables and code blocks of GitHub's Markdown for python-markdown.

    On GitHub they may follow a paragraph without a blank line, what belongs to a list item is indented to its
    text instead of by 4, and an item may contain a fenced code block.
    """

    def run(self, lines: list[str]) -> list[str]:
        rewritten: list[str] = []
        texts: list[int] = []  # where the text of each open list item begins
        fence, in_table, has_blocks = "", False, False
        for line, following in pairwise([*lines, ""]):
            mark = _FENCE.match(line)
            indent = len(line) - len(line.lstrip())
            if fence:
                if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                    fence = ""
                    rewritten += [""] if texts else [line]
                else:
                    rewritten.append(self._code(line, texts))
                continue
            if not line.strip():
                rewritten.append("")
                continue
            item = _ITEM.match(line)
            before = rewritten[-1] if rewritten else ""
            was_in_list = bool(texts)
            if item or mark or not before or _HEADING_OR_RULE.match(line):
                while texts and indent < texts[-1]:
                    texts.pop()
            if mark:
                fence = mark[1]
                rewritten += ["", *([] if texts else [line])]
            elif item and indent < (texts[-1] if texts else 0) + 4:
                rewritten += [""] if before and (not was_in_list or has_blocks) else []
                bullet = item[2] or f"{item[3]}."
                rewritten.append("    " * len(texts) + f"{bullet} {line[item.end() :]}")
                texts.append(item.end())
                has_blocks = False
            else:
                is_table = "|" in line and bool(_TABLE_RULE.fullmatch(following))
                in_table = is_table or (in_table and bool(before))
                rewritten += [""] if is_table and before else []
                # A line that continues a paragraph keeps the item in one block if it is not indented.
                depth = len(texts) if in_table or not before else 0
                has_blocks = has_blocks or depth > 0
                rewritten.append("    " * depth + line[min(indent, texts[-1] if texts else 0) :])
        return rewritten

    def _code(self, line: str, texts: list[int]) -> str:
        """Return a line of a fenced code block; inside a list it becomes an indented one."""
        return "    " * (len(texts) + 1) + line[texts[-1] :] if texts else line


class _SafeLinks(Treeprocessor):
    """Remove the targets of links and images that `escape.href` does not allow."""

    def run(self, root: Element) -> None:
        for element in root.iter():
            for name in ("href", "src"):
                if name in element.attrib:
                    element.set(name, escape.href(as_read(element.attrib[name])))


def prose_html(text: str) -> str:
    """Return the Markdown text as HTML; placeholders of blocks are kept, out of their paragraphs."""
    markdown = Markdown(extensions=["tables", "fenced_code", "sane_lists"], output_format="html")
    markdown.ESCAPED_CHARS += ["|", "~", "$"]  # GitHub's, which names from logs are escaped for
    markdown.preprocessors.deregister("html_block")
    # After tabs have become spaces, before fenced code blocks are taken out.
    markdown.preprocessors.register(_GitHubBlocks(markdown), "github_blocks", 28)
    markdown.inlinePatterns.deregister("html")
    markdown.inlinePatterns.deregister("automail")
    markdown.treeprocessors.register(_SafeLinks(markdown), "safe_links", 0)
    return _ALONE.sub(r"\1", markdown.convert(_BLOCK.sub("\n\n\\1\n\n", text)))
