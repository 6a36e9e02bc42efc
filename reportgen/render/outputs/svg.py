"""Write figures/<id>.svg: each figure as a file of its own.

A figure that another version of matplotlib drew has other bytes, so files are compared by their stamps: see
`figures/digest`. `render_report` draws, because index.html holds the same figures.
"""

import re

from reportgen.render.figures import digest
from reportgen.render.outputs.base import Output

OUTPUT = Output(
    path="figures/*.svg",
    mark=re.compile(rb"<!-- reportgen content="),
    of_figure=lambda content, figure: content.svgs[figure.id],
    is_same=digest.shows_the_same,
    is_intact=digest.is_intact,
)
