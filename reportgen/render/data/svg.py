"""Write figures/<id>.svg: each figure as a file of its own.

`render_report` draws, because index.html holds the same figures. It keeps a figure that another version of
matplotlib drew with other bytes: see `figures/digest`.
"""

import re

from reportgen.render.figures import digest
from reportgen.render.outputs import Output

OUTPUT = Output(
    path="figures/*.svg",
    mark=re.compile(rb"<!-- reportgen content="),
    of_figure=lambda content, figure: content.svgs[figure.id],
    is_intact=digest.is_intact,
)
