"""Convert the author's Markdown to HTML without active content.

Raw HTML is shown as text, and links keep only the targets that `escape.href` allows: the text may come from a
stranger, and names in it may come from a stranger's log.
"""

import re
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from reportgen.render.text import escape

# A block is alone in its paragraph, and HTML allows no table inside a paragraph.
_ALONE = re.compile("<p>\\s*(\ue000[0-9]+\ue001)\\s*</p>")


class _SafeLinks(Treeprocessor):
    """Remove the targets of links and images that `escape.href` does not allow."""

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
