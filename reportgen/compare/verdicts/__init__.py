"""Decide what the repeats show about two cases: which is faster, by how much, and how sure that is.

`arrangement` derives from start times in which order the repeats of two cases ran, and so which test is
valid; `decision` applies it and words the verdict.
"""

from reportgen.compare.verdicts.arrangement import Arrangement, TimedRepeat, arrange
from reportgen.compare.verdicts.decision import DecisionRule, Spread, decide

__all__ = ["Arrangement", "DecisionRule", "Spread", "TimedRepeat", "arrange", "decide"]
