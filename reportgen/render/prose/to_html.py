"""Turn the Markdown of prose into HTML in which nothing is active.

Raw HTML in it is shown as text, and links go only where `escape.href` lets them: the prose belongs
to the author, but a number in it may have come with a name from a stranger's log.
"""

import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from reportgen.render.text import escape

# A block placed by prose stands alone in its paragraph, and a table may not be inside one.
_ALONE = re.compile("<p>\\s*(\ue000[0-9]+\ue001)\\s*</p>")


class _SafeLinks(Treeprocessor):
    """Drop the targets of links and images that `escape.href` does not pass."""

    def run(self, root: Element) -> None:
        for element in root.iter():
            for name in ("href", "src"):
                if name in element.attrib:
                    element.set(name, escape.href(element.attrib[name]))


def prose_html(text: str) -> str:
    """Return the Markdown text as HTML; placeholders of blocks are kept, out of their paragraphs."""
    markdown = Markdown(extensions=["tables", "fenced_code", "sane_lists"], output_format="html")
    markdown.preprocessors.deregister("html_block")
    markdown.inlinePatterns.deregister("html")
    markdown.inlinePatterns.deregister("automail")
    markdown.treeprocessors.register(_SafeLinks(markdown), "safe_links", 0)
    return _ALONE.sub(r"\1", markdown.convert(text))
