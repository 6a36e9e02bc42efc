"""Write figures/<id>.svg: each figure as a file of its own.

`render_report` draws, because index.html holds the same figures. It keeps a figure that another version of
matplotlib drew with other bytes: see `figures/digest`.
"""

from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.render.figures import digest
from reportgen.render.outputs import Output

OUTPUT = Output(
    path="figures/*.svg",
    mark=lazy_pattern(rb"<!-- reportgen content="),
    of_figure=lambda content, figure: content.svgs[figure.id],
    is_intact=digest.is_intact,
)
