"""Find what would hide the rest of a page on a forge: HTML, open code blocks, control characters.

README.md shows the author's text as Markdown, in which an open comment, `<details>` or `<style>` hides every
table and finding after it. On index.html HTML is shown as text, so no author needs it. The check is stricter
than Markdown where the two could disagree about what is code.
"""

import re
from dataclasses import dataclass

from reportgen.core.lazy_pattern import lazy_pattern

_HTML = lazy_pattern(r"<(?:[!?]|/?[A-Za-z])")
_LINK = lazy_pattern(r"<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]+)>")
_ESCAPED_OR_CODE = lazy_pattern(r"\\[!-/:-@\[-`{-~]|(?<!`)(`+)(?!`)(?:.*?[^`])\1(?!`)")
_FENCE = lazy_pattern(r"(`{3,}(?=[^`]*$)|~{3,})")
_CONTROL = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Hiding:
    """A line (from 1) of a text, what is wrong with it, and what to do."""

    line: int
    fact: str
    remedy: str


def find_hiding(text: str, placeholder: re.Pattern[str]) -> Hiding | None:
    """Return the first line of a text that could hide what follows it, None if there is none.

    placeholder  matches what a table or figure will replace
    """
    fence, opened, is_code_open = "", 0, False
    for number, line in enumerate(text.split("\n"), 1):
        if control := _CONTROL.search(line):
            return Hiding(number, f"contains the control character U+{ord(control[0]):04X}", "delete it")
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
            elif placeholder.search(line):
                return Hiding(number, "a table or figure is in a code block", "move it out of the block")
            continue
        if mark:
            fence, opened, is_code_open = mark[1], number, False
            continue
        if not line.strip():
            is_code_open = False
            continue
        # After a backtick without its partner, the next line may begin inside a code span.
        bare = _LINK.sub("", line if is_code_open else _ESCAPED_OR_CODE.sub("", line))
        if html := _HTML.search(bare):
            tag = bare[html.start() :].split()[0][:20]
            return Hiding(number, f'contains HTML: "{tag}"', "write Markdown, or put it between backticks")
        is_code_open = is_code_open or "`" in bare
    return Hiding(opened, "the code block is never closed", f"add {fence} below it") if fence else None
