"""Why one case is slower than another: the difference of their times, split into parts that add up to it.

    phases  the kind of a phase by its name, and the findings that may explain a kind
    sides   what the runs of a case show: whole, phases, stragglers, clock
    split   the arithmetic: two sides in, a `compare.breakdown.Breakdown` out

`docs/explanation/why-slower.md` explains the parts.
"""

from reportgen.compare.why.sides import break_down

__all__ = ["break_down"]
