"""What the repeats show about two cases: which is faster, by how much, and how sure that is.

`arrangement` derives from start times in which order the repeats of two cases ran, and so which test is
valid; `decide` applies it and words the verdict; `family` corrects several verdicts for their number.
"""

from reportgen.compare.verdicts.arrangement import Arrangement, TimedRepeat, arrange
from reportgen.compare.verdicts.decision import DecisionRule, decide
from reportgen.compare.verdicts.family import correct_for_number, family_sentence

__all__ = [
    "Arrangement",
    "DecisionRule",
    "TimedRepeat",
    "arrange",
    "correct_for_number",
    "decide",
    "family_sentence",
]
