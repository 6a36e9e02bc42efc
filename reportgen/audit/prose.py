"""Judge the numbers that sentences claim: each against the cases and measures that the words around it name.

The numbers of a document's sentences are judged like a table: one that agrees with no case is accused only if
most of the others agree, and if its words leave few candidates.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reportgen.audit.agreement import RATIO, Scale, agrees, bits, is_cut, is_exact, rounds, scales_of
from reportgen.audit.evidence import Evidence, Measure
from reportgen.audit.hints import says_of
from reportgen.audit.hypotheses import CUT_OFF, Doubt, Hypothesis, explain, explain_ratio
from reportgen.audit.keys import Mask
from reportgen.audit.layout import NumberClaim
from reportgen.audit.mapping import Reading
from reportgen.audit.namings import Naming, NamingIndex
from reportgen.audit.places import dissent_of
from reportgen.audit.ratios import SCALE_FACTORS, case_keys
from reportgen.audit.sentences import SentenceClaim
from reportgen.audit.verdicts import CellVerdict, Judgement
from reportgen.core.metrics import RATES
from reportgen.core.model import STEP, FloatArray

# What an agreement must prove, and one with a case that the words contradict.
_MIN_PROOF, _MIN_ELSEWHERE = 4.0, 8.0
# How many numbers of a document must agree, and which share, before one of them is accused.
_MIN_VERIFIED, _MIN_SHARE = 3, 0.6
# The values that an accused number may be meant to be.
_MAX_MEANT = 8


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Values that a claim may be: in the unit shown, with the rows of the evidence and cases of each."""

    values: FloatArray
    cases: np.ndarray
    rows: np.ndarray
    scales: tuple[Scale, ...]

    def agreeing(self, claim: SentenceClaim) -> list[int]:
        """Return the values that agree, those with all digits first."""
        at = np.flatnonzero(agrees(claim.number, self.values))
        rounded = rounds(claim.number, self.values)
        return sorted(
            at.tolist(),
            key=lambda each: (not is_exact(claim.number, float(self.values[each])), not rounded[each]),
        )


_NONE = _Candidates(np.empty(0), np.empty(0, dtype=int), np.empty(0, dtype=int), ())


@dataclass(frozen=True, slots=True)
class _Known:
    """A number that agrees with a value."""

    claim: SentenceClaim
    values: _Candidates
    at: int

    @property
    def value(self) -> float:
        """The value by its source, in the unit shown."""
        return float(self.values.values[self.at])

    def measure(self, evidence: Evidence) -> tuple[Measure, Scale]:
        """Return what the number is, and in which unit."""
        return evidence.measures[int(self.values.rows[self.at])], self.values.scales[self.at]


def _is_about(claim: SentenceClaim, pair: Sequence[_Known]) -> bool:
    """Return whether a ratio names nothing but what its two numbers name, and is not one of devices."""
    words = {naming.words for each in pair for naming in each.claim.namings}
    is_other = re.search(r"efficien|%|percent|\b(?:more|less|than)\b", claim.texts[0], re.IGNORECASE)
    return not is_other and all(naming.words in words for naming in claim.own)


def _quotients_of(
    claim: SentenceClaim, first: _Known, second: _Known, unit: str
) -> list[tuple[float, float]]:
    """Return what a ratio of two numbers may be, by their sources and as printed.

    A ratio that names one of the two is that one's; of "slower" and "faster", the one above 1 is meant.
    """
    own = {naming.words for naming in claim.own}
    named = [{naming.words for naming in each.claim.namings} for each in (first, second)]
    text = claim.texts[0].lower()
    is_slow, is_fast = "slow" in text or " long" in text, bool(re.search(r"fast|quick|speed", text))
    pairs = [(first, second), (second, first)]
    if own & (named[0] ^ named[1]):
        subject = 0 if own & (named[0] - named[1]) else 1
        is_inverse = (is_slow and unit in RATES) or (is_fast and unit not in RATES)
        pairs = [pairs[subject != is_inverse]]
    shown = [
        (a.value / b.value, a.claim.number.value / b.claim.number.value)
        for a, b in pairs
        if a.value and b.value and a.claim.number.value and b.claim.number.value
    ]
    if len(shown) == 2 and (is_slow or is_fast):
        shown = [max(shown)]
    return shown


class ProseJudge:
    """Judges the claims of one document."""

    def __init__(self, evidence: Evidence, index: NamingIndex) -> None:
        self.evidence, self.index = evidence, index

    def judge(self, claims: Sequence[SentenceClaim]) -> list[Judgement]:
        """Return a judgement for each claim."""
        candidates = [self._candidates(claim) for claim in claims]
        agreeing = [own.agreeing(claim) for claim, own in zip(claims, candidates, strict=True)]
        proved = [
            bool(at) and bits(claim.number, own.values) >= _MIN_PROOF
            for claim, own, at in zip(claims, candidates, agreeing, strict=True)
        ]
        comparable = sum(bool(len(own.values)) for own in candidates)
        is_trusted = sum(proved) >= _MIN_VERIFIED and sum(map(bool, agreeing)) >= _MIN_SHARE * comparable
        like = [own.values[at] for own, at in zip(candidates, agreeing, strict=True)]
        plain = [
            number for number, is_proved in enumerate(proved) if is_proved and claims[number].baseline is None
        ]
        cut = dict(zip(plain, is_cut([(claims[each].number, like[each]) for each in plain]), strict=True))
        known = [_Known(claims[each], candidates[each], agreeing[each][0]) for each in plain]
        judgements = []
        for number, (claim, own, at) in enumerate(zip(claims, candidates, agreeing, strict=True)):
            if proved[number]:
                judgement = self._agreeing(claim, own, at[0])
                if is_trusted and cut.get(number) and len(np.unique(own.values)) <= _MAX_MEANT:
                    judgement = replace(judgement, verdict=CellVerdict.DIFFERS, hypothesis=CUT_OFF)
            else:
                judgement = self._doubted(claim, own, is_trusted=is_trusted and not at)
                if claim.baseline is not None and not len(own.values):
                    judgement = self._of_two(claim, known, is_trusted=is_trusted) or judgement
            judgements.append(judgement)
        return judgements

    def _of_two(
        self, claim: SentenceClaim, known: Sequence["_Known"], *, is_trusted: bool
    ) -> Judgement | None:
        """Return the judgement of a ratio without a named baseline, by two numbers of its sentence."""
        pair = [each for each in known if each.claim.sentence is claim.sentence]
        if len(pair) != 2 or claim.unit != "x" or not _is_about(claim, pair):
            return None
        first, second = pair
        if first.measure(self.evidence) != second.measure(self.evidence):
            return None
        shown = _quotients_of(claim, first, second, self.evidence.units[int(first.values.rows[first.at])])
        nothing = Judgement(claim.cell, claim.cell.text, CellVerdict.NO_SOURCE)
        number = claim.number
        right = [each for each in shown if rounds(number, np.array(each)).any()]
        if right:
            return replace(nothing, verdict=CellVerdict.DERIVED, expected=f"{right[0][0]:.6g}")
        noise = sum(each.claim.number.half / each.claim.number.value for each in pair)
        is_rounding = any(
            abs(value - number.value) <= value * noise + number.half for each in shown for value in each
        )
        if not is_trusted or is_rounding or not shown:
            return None
        expected = min((each[0] for each in shown), key=lambda each: abs(math.log(each / number.value)))
        mistake = explain_ratio(number, expected)
        return replace(nothing, verdict=CellVerdict.DIFFERS, expected=f"{expected:.6g}", hypothesis=mistake)

    def _agreeing(self, claim: SentenceClaim, own: _Candidates, at: int) -> Judgement:
        verdict = (
            CellVerdict.VERIFIED if is_exact(claim.number, float(own.values[at])) else CellVerdict.ROUNDED
        )
        verdict = verdict if claim.baseline is None else CellVerdict.DERIVED
        return self._of(claim, own, at, verdict)

    def _of(self, claim: SentenceClaim, own: _Candidates, at: int, verdict: CellVerdict) -> Judgement:
        case, measure = int(own.cases[at]), self.evidence.measures[int(own.rows[at])]
        if claim.baseline is not None:
            words = ", ".join(dict.fromkeys(each.words for each in claim.baseline))
            measure = replace(measure, scope="ratio", baseline=words)
        return Judgement(
            claim.cell, claim.cell.text, verdict, f"{own.values[at]:.6g}",
            self.evidence.source_of(case, measure), None,
            self.evidence.cases[case].factors, measure, own.scales[at].name,
        )  # fmt: skip

    def _doubted(self, claim: SentenceClaim, own: _Candidates, *, is_trusted: bool) -> Judgement:
        if is_trusted and 0 < len(np.unique(own.values)) <= _MAX_MEANT:
            nearest = int(np.argmin(np.abs(np.log(np.abs(own.values) / claim.number.value))))
            judgement = self._of(claim, own, nearest, CellVerdict.DIFFERS)
            return replace(judgement, hypothesis=self._explain(claim, own, nearest))
        return self._elsewhere(claim) or Judgement(claim.cell, claim.cell.text, CellVerdict.NO_SOURCE)

    def _explain(self, claim: SentenceClaim, own: _Candidates, at: int) -> Hypothesis | None:
        expected, case = float(own.values[at]), int(own.cases[at])
        if claim.baseline is not None:
            inverse = np.array([1 / expected])
            if agrees(claim.number, inverse)[0]:
                return Hypothesis("inverted ratio", "the ratio is inverted")
        number = NumberClaim(0, 0, 0, claim.number, claim.cell, claim.unit)
        devices = self.evidence.cases[case].factors.get("devices", 0)
        doubt = Doubt(
            number, Reading(int(own.rows[at]), own.scales[at]), expected, case,
            devices if isinstance(devices, int) else 0, (),
        )  # fmt: skip
        return explain(self.evidence, doubt)

    def _elsewhere(self, claim: SentenceClaim) -> Judgement | None:
        """Return that a number is the one of a case that its words contradict, if that is not chance."""
        if claim.baseline is not None or not claim.namings:
            return None
        every = self._values(claim, np.ones(len(self.evidence.cases), dtype=bool))
        at = next(iter(every.agreeing(claim)), None)
        if at is None or bits(claim.number, every.values) < _MIN_ELSEWHERE:
            return None
        case = int(every.cases[at])
        dissent = [dissent_of(each, self.index, case) for each in claim.namings if each.contradicted[case]]
        if not dissent:
            return None
        judgement = self._of(claim, every, at, CellVerdict.MISPLACED)
        return replace(judgement, hypothesis=Hypothesis("place", dissent[0]))

    def _candidates(self, claim: SentenceClaim) -> _Candidates:
        mask = self._fitting(claim.namings)
        if mask is None:
            return _NONE
        if claim.baseline is None:
            return self._values(claim, mask)
        if not claim.baseline:
            return _NONE
        baseline = self._fitting(claim.baseline)
        return _NONE if baseline is None else self._quotients(claim, mask, baseline)

    def _fitting(self, namings: Sequence[Naming]) -> Mask | None:
        """Return the cases that have a value that is named and contradict none, None if nothing is named."""
        if not namings:
            return None
        mask, says = np.ones(len(self.evidence.cases), dtype=bool), 0
        for naming in namings:
            mask &= ~naming.contradicted
        for naming in namings:
            known = [self.evidence.codes[factor] >= 0 for factor in naming.factors]
            says = says + np.logical_or.reduce(known).astype(int)
        # A study that knows most of what is named, rather than one that knows a word of it.
        return mask & (says == says[mask].max(initial=1)) if isinstance(says, np.ndarray) else None

    def _rows(self, claim: SentenceClaim, mask: Mask) -> list[int]:
        """Return the measures that the words may mean.

        A phase may be a factor of the case ("the forward pass"), which has then no measure of such a phase.
        """
        metrics, phases, statistics = says_of(claim.texts)
        for own in (phases, frozenset[str]()):
            rows = [
                row
                for row, measure in enumerate(self.evidence.measures)
                if _may_be(measure, metrics, own, statistics)
                and np.isfinite(self.evidence.values[row, mask]).any()
            ]
            if rows:
                return self._of_first_protocol(rows)
        return []

    def _of_first_protocol(self, rows: Sequence[int]) -> list[int]:
        """Return the rows without those that another protocol makes of the same quantity."""
        kept: dict[Measure, int] = {}
        for row in rows:
            kept.setdefault(replace(self.evidence.measures[row], protocol=""), row)
        return list(kept.values())

    def _values(self, claim: SentenceClaim, mask: Mask) -> _Candidates:
        cases = np.flatnonzero(mask)
        values, owners, rows, scales = [], [], [], []
        for row in self._rows(claim, mask):
            own = self.evidence.values[row, cases]
            finite = np.isfinite(own)
            if not finite.any():
                continue
            for scale in scales_of(self.evidence.units[row], claim.unit):
                values.append(scale.shown(own[finite]))
                owners.append(cases[finite])
                rows.append(np.full(int(finite.sum()), row))
                scales += [scale] * int(finite.sum())
        if not values:
            return _NONE
        return _Candidates(
            np.concatenate(values), np.concatenate(owners), np.concatenate(rows), tuple(scales)
        )

    def _device_ratios(self, own: np.ndarray, of: np.ndarray) -> FloatArray:
        """Return how many times the devices of its baseline each case has, NaN if unknown."""
        said = (case.factors.get("devices") for case in self.evidence.cases)
        counts = np.array([float(each) if isinstance(each, int) and each else math.nan for each in said])
        return np.asarray(counts[own] / counts[of])

    def _quotients(self, claim: SentenceClaim, mask: Mask, baseline: Mask) -> _Candidates:
        """Return the ratios of the cases in two masks that agree in all that the baseline does not name."""
        assert claim.baseline is not None
        differing = {
            factor for each in claim.baseline for factor in each.factors if each not in claim.namings
        }
        if not differing:
            return _NONE
        if differing & SCALE_FACTORS:
            differing |= SCALE_FACTORS
        subjects, others = np.flatnonzero(mask), np.flatnonzero(baseline)
        first: dict[bytes, int] = {}
        for key, case in zip(case_keys(self.evidence, others, differing), others.tolist(), strict=True):
            first.setdefault(key.tobytes(), case)
        keys = case_keys(self.evidence, subjects, differing)
        pairs = [
            (case, first.get(key.tobytes(), -1)) for key, case in zip(keys, subjects.tolist(), strict=True)
        ]
        pairs = [(case, other) for case, other in pairs if other not in (-1, case)]
        if not pairs:
            return _NONE
        own, of = np.array([case for case, _ in pairs]), np.array([other for _, other in pairs])
        quotients: list[tuple[FloatArray, int, Scale]] = []
        text = claim.texts[0].lower()
        for row in self._rows(claim, mask):
            unit = self.evidence.units[row]
            if unit in RATES or unit == "s":
                with np.errstate(divide="ignore", invalid="ignore"):
                    quotient = self.evidence.values[row, own] / self.evidence.values[row, of]
                if "efficien" in text:
                    quotient = quotient / self._device_ratios(own, of)
                if "slow" in text or " long" in text:
                    quotient = 1 / quotient if unit in RATES else quotient
                elif any(word in text for word in ("fast", "quick", "speed", "throughput")):
                    quotient = quotient if unit in RATES else 1 / quotient
                quotients += [(scale.shown(quotient), row, scale) for scale in scales_of(RATIO, claim.unit)]
        kept = [(values, row, scale) for values, row, scale in quotients if np.isfinite(values).any()]
        if not kept:
            return _NONE
        values = np.concatenate([each for each, _, _ in kept])
        cases = np.concatenate([own for _ in kept])
        rows = np.concatenate([np.full(len(own), row) for _, row, _ in kept])
        scales = [scale for _, _, scale in kept for _ in own]
        finite = np.isfinite(values)
        return _Candidates(
            values[finite], cases[finite], rows[finite],
            tuple(scale for scale, is_kept in zip(scales, finite, strict=True) if is_kept),
        )  # fmt: skip


def _may_be(
    measure: Measure, metrics: frozenset[str], phases: frozenset[str], statistics: frozenset[str]
) -> bool:
    if measure.baseline or measure.scope != "total":
        return False
    is_step = measure.phase == STEP or "+" in measure.phase
    is_phase = measure.phase in phases if phases and measure.metric == "step_time" else is_step
    is_metric = not metrics or measure.metric in metrics or (measure.metric == "step_time" and bool(phases))
    usual = statistics or frozenset(("median", "mean"))
    return is_phase and is_metric and measure.statistic in usual
