"""Find the ratios in sentences ("3.2 times faster", "42 % slower") among the ratios of the cases they name.

A sentence names two values of one factor, and may name more that restricts the cases. A ratio that one of few
pairs of cases gives is verified. A sentence says too little to accuse: every other ratio has no source.
"""

import re
from collections.abc import Iterator

import numpy as np

from reportgen.audit.agreement import bits, is_exact, scales_of
from reportgen.audit.documents import Sentence, TextCell
from reportgen.audit.evidence import Evidence
from reportgen.audit.keys import KeyIndex, is_folder
from reportgen.audit.markdown_tables import without_markup
from reportgen.audit.numbers import Number, parse_number
from reportgen.audit.ratios import with_ratios
from reportgen.audit.verdicts import CellVerdict, Judgement

_RATIO = re.compile(
    r"(?<![\w.,])(?P<number>\d{1,6}(?:[.,]\d{1,6})?)[ \u00a0]?(?P<unit>%|x|×|times|percent)"
    r"[ \u00a0]+(?:as )?(?P<word>slower|faster|quicker|speed-?up|fast|slow)\b",
    re.IGNORECASE,
)
_MIN_PROOF = 4.0
MAX_SENTENCES = 2000


def judge_sentence(sentence: Sentence, evidence: Evidence, index: KeyIndex) -> Iterator[Judgement]:
    """Yield the judgement of each ratio in a sentence."""
    for match in _RATIO.finditer(sentence.text):
        unit = "%" if match["unit"] in ("%", "percent") else "x"
        number = parse_number(f"{match['number']} {unit}")
        if number is None:
            continue
        start = sentence.start + match.start() if sentence.start >= 0 else -1
        cell = TextCell(match[0], sentence.line, start, start + len(match[0]) if start >= 0 else -1)
        scope = "slowdown" if match["word"].lower().startswith("slow") else "speedup"
        yield _judge(cell, number, scope, without_markup(sentence.text), evidence, index)


def _judge(
    cell: TextCell, number: Number, scope: str, text: str, evidence: Evidence, index: KeyIndex
) -> Judgement:
    nothing = Judgement(cell, cell.text, CellVerdict.NO_SOURCE)
    named = index.named_values(text)
    pairs = [(factor, codes) for factor, codes in named.items() if len(codes) == 2 and not is_folder(factor)]
    if len(pairs) != 1:
        return nothing
    factor, codes = pairs[0]
    mask = np.isin(evidence.codes[factor], list(codes))
    for other, own in named.items():
        if other != factor and not is_folder(other):
            mask &= np.isin(evidence.codes[other], [*own, -1])
    extended = with_ratios(evidence, mask)
    candidates: list[tuple[float, int, int, str]] = []
    for row in range(len(evidence.measures), len(extended.measures)):
        measure = extended.measures[row]
        if measure.scope == scope and measure.baseline.startswith(f"{factor} = "):
            for scale in scales_of("x", number.unit):
                for case in np.flatnonzero(np.isfinite(extended.values[row]) & mask).tolist():
                    shown = float(scale.shown(extended.values[row, [case]])[0])
                    if shown > 1 or number.unit == "%":
                        candidates.append((shown, case, row, scale.name))
    values = np.array([shown for shown, *_ in candidates])
    agreeing = [each for each in candidates if abs(each[0] - number.value) <= number.coarse * (1 + 1e-9)]
    if not agreeing or bits(number, values) < _MIN_PROOF:
        return nothing
    shown, nearest, row, unit = agreeing[0]
    measure = extended.measures[row]
    verdict = CellVerdict.VERIFIED if is_exact(number, shown) else CellVerdict.ROUNDED
    return Judgement(
        cell, cell.text, verdict, f"{shown:.6g}", extended.source_of(nearest, measure), None,
        extended.cases[nearest].factors, measure, unit,
    )  # fmt: skip
