"""Map a table to the evidence: which measure and unit each column (or row) shows, and what all numbers share.

The keys of a table restrict which cases a number may be about. What they leave open is decided by the
numbers themselves: the reading of a column is the measure and unit in which most of its numbers agree with
a candidate case, and conditions that hold for the whole table (a publication, a batch size that no heading
names) are added while they prove more than they cost. Every choice is counted in bits, so that a table of
numbers that agree by chance is mapped to nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from reportgen.audit.agreement import Scale, agrees, bits, bounds, scales_of
from reportgen.audit.evidence import REPEAT, Evidence, Measure
from reportgen.audit.hints import median_of, preference, says_of, signature
from reportgen.audit.keys import Mask
from reportgen.audit.layout import NumberClaim, Slot, TableLayout
from reportgen.audit.places import Places
from reportgen.core.model import FloatArray

IntArray = NDArray[np.int64]
# The column or row of a claim.
Line = Callable[[NumberClaim], object]

# In bits: a number that disagrees, a reading without precedent in the table, one with it, a shared condition.
DISAGREEMENT, _NEW_READING, _KNOWN_READING, _CONDITION = 6.0, 7.0, 1.0, 4.0
# What the numbers of a group must prove, and which share of them must agree.
_MIN_PROOF, _MIN_AKIN_PROOF, _MIN_SHARE = 9.0, 4.0, 0.5
_TRIED_READINGS, _TRIED_VALUES = 8, 4
_MAX_CONDITIONS = 6
# Numbers that decide what a table shows; the others are only judged.
_MAX_DECIDING = 1500
# What a column must prove beyond the reading of those like it, and how many more of its numbers must agree.
_DEVIATION, _MIN_GAINED_STATISTIC = 28.0, 3
_MAX_CANDIDATES = 3000


@dataclass(frozen=True, slots=True)
class Reading:
    """The meaning of a number: a measure, by its position in the evidence, and a unit."""

    measure: int
    scale: Scale


@dataclass(frozen=True, slots=True)
class Condition:
    """A factor that has one value (-1: is absent) in all cases of a table."""

    factor: str
    code: int


@dataclass(frozen=True, eq=False)
class TableMapping:
    """A table mapped to the evidence: the reading of each claim, and the cases that it may be about."""

    layout: TableLayout
    readings: Mapping[NumberClaim, Reading]
    conditions: tuple[Condition, ...]
    proof: float


class ValueIndex:
    """The values of the evidence by base unit, sorted, so that those near a number are found at once."""

    def __init__(self, evidence: Evidence) -> None:
        self._by_base: dict[str, tuple[FloatArray, IntArray, IntArray]] = {}
        units = np.array(evidence.units, dtype=object)
        for base in sorted(set(evidence.units)):
            rows = np.flatnonzero(units == base)
            values = evidence.values[rows]
            measure, case = np.nonzero(np.isfinite(values))
            flat = values[measure, case]
            order = np.argsort(flat, kind="stable")
            self._by_base[base] = flat[order], rows[measure[order]], case[order]

    def near(self, claim: NumberClaim) -> Iterable[tuple[Scale, IntArray, IntArray]]:
        """Yield (unit, measures, cases) of the values that agree with a number in a unit."""
        low, high = bounds(claim.number)
        for base, (values, measures, cases) in self._by_base.items():
            for scale in scales_of(base, claim.unit):
                first, last = np.searchsorted(
                    values, [low * scale.factor + scale.offset, high * scale.factor + scale.offset]
                )
                if last > first:
                    yield scale, measures[first:last], cases[first:last]


@dataclass(slots=True)
class Candidates:
    """The cases that each claim may be about by its keys, and those that the conditions leave.

    ignored       slots that restrict nothing; free_columns  columns whose headings restrict nothing
    places        the words around the numbers, if they restrict the cases
    """

    evidence: Evidence
    layout: TableLayout
    ignored: frozenset[int] = frozenset()
    free_columns: frozenset[int] = frozenset()
    conditions: tuple[Condition, ...] = ()
    places: Places | None = None
    _masks: dict[tuple[int, int], Mask] = field(default_factory=dict)
    _rows: dict[int, Mask] = field(default_factory=dict)
    _columns: dict[int, Mask] = field(default_factory=dict)
    _shared: Mask | None = None

    def mask(self, row: int, column: int) -> Mask:
        """Return the cases that fit the keys of a row and column, and the conditions."""
        key = (row, column)
        if key not in self._masks:
            self._masks[key] = self.row(row) & self.column(column) & self.shared()
        return self._masks[key]

    def row(self, row: int, *, without: Slot | None = None) -> Mask:
        """Return the cases that fit the keys of a row; `without` a slot of them."""
        if without is None and row in self._rows:
            return self._rows[row]
        mask = self._all(True, row, without)
        if without is None:
            self._rows[row] = mask
        return mask

    def column(self, column: int, *, without: Slot | None = None) -> Mask:
        """Return the cases that fit the headings of a column."""
        if without is None and column in self._columns:
            return self._columns[column]
        if column in self.free_columns:
            return np.ones(len(self.evidence.cases), dtype=bool)
        mask = self._all(False, column, without)
        if without is None:
            self._columns[column] = mask
        return mask

    def shared(self) -> Mask:
        """Return the cases that meet the conditions."""
        if self._shared is None:
            self._shared = np.ones(len(self.evidence.cases), dtype=bool)
            if self.places:
                self._shared &= ~self.places.of_context()
            for condition in self.conditions:
                self._shared = self._shared & (self.evidence.codes[condition.factor] == condition.code)
        return self._shared

    def under(self, conditions: tuple[Condition, ...]) -> "Candidates":
        """Return the same candidates under other conditions."""
        return Candidates(
            self.evidence,
            self.layout,
            self.ignored,
            self.free_columns,
            conditions,
            self.places,
            {},
            self._rows,
            self._columns,
        )

    def restricts(self, row: int, column: int) -> bool:
        """Return whether any key says something about a number."""
        return not (self.row(row) & self.column(column)).all()

    def _all(self, is_row: bool, at: int, without: Slot | None) -> Mask:
        mask = np.ones(len(self.evidence.cases), dtype=bool)
        for number, slot in enumerate(self.layout.slots):
            own = slot.mask(at) if slot.is_row == is_row and number not in self.ignored else None
            if own is not None and slot is not without:
                mask = mask & own
        if self.places and without is None:
            mask = mask & ~self.places.of_line(at, is_row=is_row)
        return mask


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a claim compares with its candidates under a reading.

    values  of the candidates, in the unit shown; cases  of them; agree  which of them agree
    """

    values: FloatArray
    cases: IntArray
    agree: NDArray[np.bool_]

    @property
    def is_comparable(self) -> bool:
        """Whether any candidate has a value."""
        return len(self.values) > 0

    @property
    def is_verified(self) -> bool:
        """Whether a candidate agrees."""
        return bool(self.agree.any())


def compare(evidence: Evidence, claim: NumberClaim, reading: Reading, mask: Mask) -> Outcome:
    """Compare a claim with the values of all cases in a mask under a reading."""
    cases = np.flatnonzero(mask)[:_MAX_CANDIDATES]
    values = evidence.values[reading.measure, cases]
    finite = np.isfinite(values)
    shown = reading.scale.shown(values[finite])
    return Outcome(shown, cases[finite], agrees(claim.number, shown))


def proof_of(claim: NumberClaim, outcome: Outcome) -> float:
    """Return what a claim proves for a reading, in bits: negative if it disagrees, 0 without a candidate."""
    if not outcome.is_comparable:
        return 0.0
    if not outcome.is_verified:
        return -DISAGREEMENT
    return bits(claim.number, outcome.values)


def _fits(claim: NumberClaim, reading: Reading, evidence: Evidence) -> bool:
    base = evidence.units[reading.measure]
    return reading.scale in scales_of(base, claim.unit)


@dataclass(frozen=True, slots=True)
class _Proof:
    """How well claims support a reading: bits of proof, claims that agree, claims that can be compared."""

    proof: float
    agreeing: int
    comparable: int


class Mapper:
    """Maps one table to the evidence."""

    def __init__(self, evidence: Evidence, index: ValueIndex, layout: TableLayout, places: Places) -> None:
        self.evidence, self.index, self.layout, self.places = evidence, index, layout, places
        self._signatures: dict[tuple[str, ...], frozenset[str]] = {}

    def map(self) -> tuple[TableMapping, Candidates]:
        """Return the best mapping of the table, and the candidates that its keys and conditions leave.

        The words around the numbers restrict the cases unless the numbers prove that they are about others:
        then the words are wrong, and each number is judged by them.
        """
        placed = self._map(Candidates(self.evidence, self.layout, places=self.places))
        if placed[0].proof >= 2 * _MIN_PROOF:
            return placed
        free = self._map(Candidates(self.evidence, self.layout))
        return free if free[0].proof > max(placed[0].proof, 0.0) + 2 * _MIN_PROOF else placed

    def _map(self, candidates: Candidates) -> tuple[TableMapping, Candidates]:
        candidates = self._without_useless_keys(candidates)
        candidates = self._without_useless_headings(candidates)
        readings, proof = self._readings(candidates)
        for _ in range(2):
            conditions = self._conditions(candidates, readings)
            if conditions == candidates.conditions:
                break
            candidates = candidates.under(conditions)
            readings, proof = self._readings(candidates)
        return TableMapping(self.layout, readings, candidates.conditions, proof), candidates

    def _without_useless_keys(self, candidates: Candidates) -> Candidates:
        """Ignore a slot that leaves (almost) nothing to agree, where without it much does."""
        proof = self._readings(candidates)[1]
        if proof >= 2 * _MIN_PROOF or len(self.layout.slots) < 2:
            return candidates
        best, chosen = max(proof, 0.0) + 2 * _MIN_PROOF, candidates
        for number in range(len(self.layout.slots)):
            without = replace_ignored(candidates, frozenset({number}))
            _, own = self._readings(without)
            if own > best:
                best, chosen = own, without
        return chosen

    def _without_useless_headings(self, candidates: Candidates) -> Candidates:
        """Ignore headings that exclude every case of their rows: "forward" may not be a factor here."""
        excluded: dict[int, bool] = {}
        for claim in self.layout.claims:
            row, column = candidates.row(claim.row), candidates.column(claim.column)
            is_excluded = bool(row.any() and column.any() and not (row & column).any())
            excluded[claim.column] = excluded.get(claim.column, True) and (is_excluded or not row.any())
        free = frozenset(column for column, is_excluded in excluded.items() if is_excluded)
        if not free:
            return candidates
        freed = Candidates(self.evidence, self.layout, candidates.ignored, free, places=candidates.places)
        return freed if self._readings(freed)[1] > self._readings(candidates)[1] + _MIN_PROOF else candidates

    def _readings(self, candidates: Candidates) -> tuple[dict[NumberClaim, Reading], float]:
        """Return the reading of each claim, by columns or by rows, whichever the numbers prove better."""
        votes = self._votes(candidates)
        by_columns = self._by_lines(candidates, votes, _of_column)
        by_rows = self._by_lines(candidates, votes, _of_row)
        return by_rows if by_rows[1] > by_columns[1] + 2 * _NEW_READING else by_columns

    def _by_lines(
        self, candidates: Candidates, votes: Mapping[NumberClaim, set[Reading]], line_of: Line
    ) -> tuple[dict[NumberClaim, Reading], float]:
        """Return one reading for lines with the same headings, another for a line that proves it.

        Wrong numbers make a short column look like another statistic. So a column may only differ from those
        like it if several of its numbers prove that.
        """
        families: dict[object, dict[object, list[NumberClaim]]] = defaultdict(lambda: defaultdict(list))
        for claim in self.layout.claims:
            families[self._signature(self._texts(claim, line_of)), claim.unit, claim.part][
                line_of(claim)
            ].append(claim)
        chosen: dict[NumberClaim, Reading] = {}
        total = 0.0
        known: set[Reading] = set()
        for lines in sorted(families.values(), key=lambda lines: -sum(map(len, lines.values()))):
            claims = [claim for line in lines.values() for claim in line]
            shared = self._reading_of(claims, votes, candidates, known, self._texts(claims[0], line_of))
            known |= {shared[0]} if shared else set()
            for line in lines.values():
                best = self._of_line(line, shared[0] if shared else None, votes, candidates, known, line_of)
                if best:
                    known.add(best[0])
                    total += best[1]
                    chosen |= {claim: best[0] for claim in line if _fits(claim, best[0], self.evidence)}
            total -= _NEW_READING
        return chosen, total

    def _of_line(
        self,
        line: Sequence[NumberClaim],
        shared: Reading | None,
        votes: Mapping[NumberClaim, set[Reading]],
        candidates: Candidates,
        known: set[Reading],
        line_of: Line,
    ) -> tuple[Reading, float] | None:
        """Return the reading of one column or row: the shared one unless its own numbers prove another."""
        texts = self._texts(line[0], line_of)
        own = self._reading_of(line, votes, candidates, known, texts)
        if shared is None or (own and own[0] == shared):
            return own
        proved = self._prove(line, shared, candidates, texts)
        if own and own[1] > proved.proof + _DEVIATION:
            gained = self._prove(line, own[0], candidates, texts).agreeing - proved.agreeing
            ours, theirs = self._measure(own[0]), self._measure(shared)
            is_same_quantity = (ours.quantity, ours.scope) == (theirs.quantity, theirs.scope)
            if gained >= (_MIN_GAINED_STATISTIC if is_same_quantity else 2):
                return own
        return shared, proved.proof

    def _prove(
        self, claims: Sequence[NumberClaim], reading: Reading, candidates: Candidates, texts: tuple[str, ...]
    ) -> "_Proof":
        """Return what claims prove for a reading."""
        proof, agreeing, comparable = preference(texts, self._measure(reading)), 0, 0
        for claim in claims:
            if _fits(claim, reading, self.evidence):
                outcome = compare(self.evidence, claim, reading, candidates.mask(claim.row, claim.column))
                proof += proof_of(claim, outcome)
                agreeing += outcome.is_verified
                comparable += outcome.is_comparable
        return _Proof(proof, agreeing, comparable)

    def _votes(self, candidates: Candidates) -> dict[NumberClaim, set[Reading]]:
        """Return the readings in which each claim agrees with a candidate."""
        votes: dict[NumberClaim, set[Reading]] = {claim: set() for claim in self.layout.claims}
        for claim in _sample(self.layout.claims):
            own: set[Reading] = set()
            if candidates.restricts(claim.row, claim.column):
                mask = candidates.mask(claim.row, claim.column)
                if mask.any():
                    for scale, measures, cases in self.index.near(claim):
                        own |= {Reading(int(each), scale) for each in np.unique(measures[mask[cases]])}
            votes[claim] = own
        return votes

    def _reading_of(
        self,
        claims: Sequence[NumberClaim],
        votes: Mapping[NumberClaim, set[Reading]],
        candidates: Candidates,
        known: set[Reading],
        texts: tuple[str, ...],
    ) -> tuple[Reading, float] | None:
        """Return the reading that the claims of a group prove best, with its proof, None if there is none."""
        claims = _sample(claims)
        counts = Counter(reading for claim in claims for reading in votes[claim])
        liked = {
            reading: count + 0.3 * preference(texts, self._measure(reading))
            for reading, count in counts.items()
        }
        ordered = sorted(liked, key=lambda each: (-liked[each], each.measure, each.scale.name))
        best: tuple[Reading, float] | None = None
        for reading in ordered[:_TRIED_READINGS]:
            proved = self._prove(claims, reading, candidates, texts)
            cost, least = self._cost(reading, known, texts)
            proof = proved.proof - cost
            if proved.agreeing < _MIN_SHARE * proved.comparable or proof < least:
                continue
            if best is None or proof > best[1] + 1e-9:
                best = reading, proof
        return best

    def _cost(self, reading: Reading, known: set[Reading], texts: tuple[str, ...]) -> tuple[float, float]:
        """Return what a reading costs, and what it must prove at least.

        Another phase of a metric that the table shows in the same unit costs little where a heading names it.
        """
        if reading in known:
            return _KNOWN_READING, 0.0
        own = self._measure(reading)
        is_akin = any(
            replace(self._measure(other), phase=own.phase) == own and other.scale == reading.scale
            for other in known
        )
        if is_akin and preference(texts, own) > 0:
            return _KNOWN_READING, _MIN_AKIN_PROOF
        return _NEW_READING, _MIN_PROOF

    def _measure(self, reading: Reading) -> Measure:
        return self.evidence.measures[reading.measure]

    def _signature(self, texts: tuple[str, ...]) -> frozenset[str]:
        if texts not in self._signatures:
            self._signatures[texts] = signature(texts)
        return self._signatures[texts]

    def _texts(self, claim: NumberClaim, line_of: Line) -> tuple[str, ...]:
        """Return what is written above a column, or beside a row, about its measure."""
        layout = self.layout
        texts = layout.heads[claim.column] if line_of is _of_column else layout.labels[claim.row]
        if any(self._signature((text,)) for text in texts):
            return texts if says_of(texts)[2] else (*median_of(layout.table.context[::-1]), *texts)
        return (*layout.table.context[-2:], *texts)

    def _named(self) -> frozenset[str]:
        """Return the factors that most rows or columns name: no condition on all numbers decides them."""
        named: set[str] = set()
        for is_row in (True, False):
            lines = {claim.row if is_row else claim.column for claim in self.layout.claims}
            counts = Counter(name for line in lines for name in self.places.factors(line, is_row=is_row))
            named |= {name for name, count in counts.items() if 2 * count > len(lines) > 1}
        return frozenset(named)

    def _conditions(
        self, candidates: Candidates, readings: Mapping[NumberClaim, Reading]
    ) -> tuple[Condition, ...]:
        """Return the conditions that the numbers prove: with them, fewer agreements can be chance."""
        pairs = _Pairs.of(self.evidence, candidates.under(()), readings, self._named())
        if pairs is None:
            return ()
        chosen: list[Condition] = []
        kept = np.ones(len(pairs.claim), dtype=bool)
        proof = pairs.proof(kept)
        while len(chosen) < _MAX_CONDITIONS:
            best: tuple[float, Condition] | None = None
            for condition in pairs.possible(kept, {each.factor for each in chosen}):
                own = pairs.proof(kept & (pairs.codes[condition.factor] == condition.code)) - _CONDITION
                if own > proof + 1e-9 and (best is None or own > best[0] + 1e-9):
                    best = own, condition
            if best is None:
                return tuple(chosen)
            proof = best[0]
            chosen.append(best[1])
            kept = kept & (pairs.codes[best[1].factor] == best[1].code)
        return tuple(chosen)


def replace_ignored(candidates: Candidates, ignored: frozenset[int]) -> Candidates:
    """Return candidates that ignore some slots."""
    return Candidates(candidates.evidence, candidates.layout, ignored, places=candidates.places)


def _sample(claims: Sequence[NumberClaim]) -> Sequence[NumberClaim]:
    """Return the claims of some rows, enough to decide what they show, spread over all rows."""
    step = -(-len(claims) // _MAX_DECIDING)
    kept = set(sorted({claim.row for claim in claims})[::step])
    return claims if step == 1 else [claim for claim in claims if claim.row in kept]


def _of_column(claim: NumberClaim) -> object:
    return claim.column, claim.part


def _of_row(claim: NumberClaim) -> object:
    return claim.row, claim.part


@dataclass(slots=True)
class _Pairs:
    """Every claim with every candidate case, as arrays, so that a condition is tried at once."""

    claim: IntArray
    agree: NDArray[np.bool_]
    codes: Mapping[str, IntArray]
    number_bits: FloatArray
    claims: int

    @classmethod
    def of(
        cls,
        evidence: Evidence,
        candidates: Candidates,
        readings: Mapping[NumberClaim, Reading],
        named: frozenset[str],
    ) -> "_Pairs | None":
        """Return the pairs with the factors that may be conditions: none that keys name."""
        claims, agree, cases, proof = [], [], [], []
        for number, (claim, reading) in enumerate(readings.items()):
            outcome = compare(evidence, claim, reading, candidates.mask(claim.row, claim.column))
            claims.append(np.full(len(outcome.cases), number))
            agree.append(outcome.agree)
            cases.append(outcome.cases)
            proof.append(bits(claim.number, outcome.values[:0]))
        if not claims or not sum(map(len, cases)):
            return None
        flat = np.concatenate(cases)
        names = [name for name in sorted(evidence.codes) if name != REPEAT and name not in named]
        codes = {name: evidence.codes[name][flat].astype(np.int64) for name in names}
        codes = {name: own for name, own in codes.items() if len(np.unique(own)) > 1}
        return cls(np.concatenate(claims), np.concatenate(agree), codes, np.array(proof), len(claims))

    def possible(self, kept: NDArray[np.bool_], taken: set[str]) -> Iterable[Condition]:
        """Yield the conditions that many agreeing candidates meet."""
        inside = kept & self.agree
        for name, codes in self.codes.items():
            if name in taken or len(np.unique(codes[kept])) < 2:
                continue
            values, counts = np.unique(codes[inside], return_counts=True)
            for code in values[np.argsort(-counts, kind="stable")][:_TRIED_VALUES]:
                yield Condition(name, int(code))

    def proof(self, kept: NDArray[np.bool_]) -> float:
        """Return what all claims prove with the candidates that are kept.

        A claim that loses all of its candidates counts as one that disagrees.
        """
        counts = np.bincount(self.claim[kept], minlength=self.claims)
        agreeing = np.bincount(self.claim[kept & self.agree], minlength=self.claims) > 0
        gained = np.maximum(0.0, self.number_bits - np.log2(np.maximum(counts, 1)))
        return float(gained[agreeing].sum() - DISAGREEMENT * (~agreeing).sum())
