"""Judge the cells of a mapped table: verified, rounded, differs, no source.

A number is accused only inside a mapping that most other numbers confirm: of the table, of its column or
row, and of every key that identified it. A key (8 devices) is accused if without it the numbers of its row
identify one case that says otherwise.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice

import numpy as np

from reportgen.audit.agreement import Scale, bits, is_cut, is_exact, rounds, scales_of
from reportgen.audit.documents import TextCell
from reportgen.audit.evidence import Evidence, Measure
from reportgen.audit.hints import contradiction, median_of, says_of
from reportgen.audit.hypotheses import Doubt, Hypothesis, explain, explain_ratio
from reportgen.audit.keys import is_folder
from reportgen.audit.layout import NumberClaim, Slot
from reportgen.audit.mapping import DISAGREEMENT, Candidates, Outcome, Reading, TableMapping, compare
from reportgen.audit.moved import LineNumber, Moved, moved_lines
from reportgen.audit.numbers import find_unit, units_of_caption
from reportgen.audit.places import Places
from reportgen.audit.quotients import Dividend, Quotient, announces_ratio, is_quotient, quotients_of
from reportgen.core.model import FactorValue, Source
from reportgen.protocol import FAILED_STATUSES

# What the numbers that agree must prove before one is accused, in bits, and how many must agree.
_MIN_TABLE_PROOF, _MIN_VERIFIED, _MIN_TABLE_SHARE = 20.0, 3, 0.6
# Which share of the other numbers under the same key or heading must agree.
_MIN_KEY_SHARE, _MIN_RATIO_SHARE = 0.5, 0.8
# Which share of a column must agree in another unit than the one above it.
_MIN_UNIT_SHARE = 0.8
# A place that is about more cases says too little about its run.
_MAX_FAILED = 4
_FAILED = Hypothesis("failed run", "the log says that this run failed")
# Mistakes that say nothing against the keys of a cell.
_CLEAR_MISTAKES = ("swapped cells", "decimal shift", "unit", "per device", "total", "transposed digits")
# In a larger table, mistakes are looked for in the row and column of a cell only.
_MAX_NEIGHBOURS = 1500
# How many numbers must agree with the statistic of a table and with no other.
_MIN_RULING_OUT = 3
# What the numbers of a row must prove to accuse its key.
_MIN_KEY_PROOF, _MIN_KEY_NUMBERS, _MIN_ROW_SHARE = 14.0, 2, 0.6


class CellVerdict(StrEnum):
    """The result of the audit for one cell."""

    VERIFIED = "verified"
    ROUNDED = "rounded"
    DERIVED = "derived"
    MISPLACED = "number found, place not"
    DIFFERS = "differs"
    NO_SOURCE = "no source"

    @classmethod
    def wrong(cls) -> tuple["CellVerdict", ...]:
        """Return the verdicts that something is to be corrected."""
        return cls.DIFFERS, cls.MISPLACED


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one cell, or on one number of it.

    expected    what the source says, in the unit of the table; "" if there is no source
    case        factors of the case; measure  what the number is
    hypothesis  the mistake that would explain a difference
    """

    cell: TextCell
    text: str
    verdict: CellVerdict
    expected: str = ""
    source: Source | None = None
    hypothesis: Hypothesis | None = None
    case: Mapping[str, FactorValue] = field(default_factory=dict)
    measure: Measure | None = None
    unit: str = ""
    is_key: bool = False


@dataclass(slots=True)
class _Judged:
    """A claim with its comparison.

    elsewhere  the comparison with cases that the words around the number contradict, if they alone agree
    is_cut     whether its last digit is cut off, where those like it are rounded
    moved      the row or column that it belongs to, with all others of its line
    """

    claim: NumberClaim
    reading: Reading | None = None
    outcome: Outcome | None = None
    wrong_key: "_WrongKey | None" = None
    elsewhere: Outcome | None = None
    hypothesis: Hypothesis | None = None
    is_cut: bool = False
    moved: Moved | None = None

    @property
    def is_explained(self) -> bool:
        """Whether a mistake that is not another number of the table explains it."""
        if self.moved:
            return True
        return self.hypothesis is not None and self.hypothesis.name in _CLEAR_MISTAKES

    @property
    def is_comparable(self) -> bool:
        return self.outcome is not None and self.outcome.is_comparable

    @property
    def is_verified(self) -> bool:
        return self.outcome is not None and self.outcome.is_verified


@dataclass(frozen=True, slots=True)
class _WrongKey:
    """A key that the numbers of its row (or column) contradict: the cases that they identify."""

    slot: Slot
    at: int
    factor: str
    value: FactorValue
    cases: frozenset[int]


class Judge:
    """Judges one mapped table."""

    def __init__(
        self,
        evidence: Evidence,
        mapping: TableMapping,
        candidates: Candidates,
        places: Places,
        units: Mapping[int, str] | None = None,
    ) -> None:
        """Compare all numbers; `units` has the units of columns that were read without it."""
        self._units = units or {}
        self._units_said: dict[tuple[int, Scale], str] = {}
        self._proved = False
        self.evidence, self.mapping, self.candidates, self.places = evidence, mapping, candidates, places
        self.layout = mapping.layout
        self._parts: dict[int, int] = defaultdict(int)
        for claim in self.layout.claims:
            self._parts[claim.column] = max(self._parts[claim.column], claim.part + 1)
        shared = self._readings_of_columns()
        self._judged = [
            self._compare(claim, mapping.readings.get(claim) or shared.get((claim.column, claim.unit)))
            for claim in self.layout.claims
        ]
        self._judged = [each if each.reading else self._in_own_unit(each) for each in self._judged]
        self._leave_ratios()

    def judge(self) -> list[Judgement]:
        """Return the judgements of all numbers and keys, by place."""
        wrong_keys = list(self._wrong_keys())
        self._correct(wrong_keys)
        self._find_moved()
        self._proved = self._is_proved()
        self._find_cut()
        groups = self._groups()
        expected = [(each.claim, self._expected(each)) for each in self._judged if each.is_comparable]
        if self._proved:
            for each in self._judged:
                if each.is_comparable and (each.is_cut or not each.is_verified):
                    each.hypothesis = self._explain(each, expected)
        quotients = self._quotients()
        judgements = [self._verdict(each, groups, quotients.get(each.claim)) for each in self._judged]
        judgements += list(self._keys(wrong_keys))
        return sorted(judgements, key=lambda each: (each.cell.line, each.cell.start, each.text))

    def columns_without_reading(self) -> dict[int, str]:
        """Return the columns in which no number agrees in the unit above it, with that unit."""
        columns: dict[int, str] = {}
        for each in self._judged:
            if each.claim.unit and not each.claim.number.unit and find_unit(each.claim.unit):
                columns[each.claim.column] = each.claim.unit
        for each in self._judged:
            if each.is_verified or announces_ratio(self.layout.heads[each.claim.column]):
                columns.pop(each.claim.column, None)
        return columns

    def _wrong_unit(self, each: _Judged) -> Hypothesis | None:
        """Return that a number agrees in another unit than the one said above it, None if it does not."""
        assert each.reading is not None
        claim, scale = each.claim, each.reading.scale
        if claim.unit or self.evidence.measures[each.reading.measure].baseline or scale.base == "ratio":
            return None
        key = claim.column, scale
        if key not in self._units_said:
            self._units_said[key] = self._unit_said(claim.column, scale)
        said = self._units_said[key]
        text = f"the number is in {scale.name or scale.base}; the place says “{said}”"
        return Hypothesis("unit", text) if said else None

    def _unit_said(self, column: int, scale: Scale) -> str:
        """Return the unit above a column that its numbers contradict, "" without one."""
        said = self._units.get(column) or self._unit_of_caption(scale.base)
        known = find_unit(said)
        if known is None or known.base != scale.base or scale in scales_of(scale.base, said):
            return ""
        alike = [each for each in self._judged if each.claim.column == column and each.is_comparable]
        right = [each for each in alike if each.is_verified]
        proof = sum(bits(each.claim.number, each.outcome.values) for each in right if each.outcome)
        is_sure = len(right) >= _MIN_UNIT_SHARE * len(alike)
        return said if is_sure and (proof >= _MIN_TABLE_PROOF or column not in self._units) else ""

    def _unit_of_caption(self, base: str) -> str:
        """Return the one unit of a quantity that the nearest text above the table says, "" without one."""
        for text in reversed(self.layout.table.context):
            said = [unit for unit in units_of_caption(text) if (own := find_unit(unit)) and own.base == base]
            if said:
                return said[0] if len(said) == 1 else ""
        return ""

    def _leave_ratios(self) -> None:
        """Read no number of a column that is announced as ratios and agrees with no case."""
        verified = {each.claim.column for each in self._judged if each.is_verified}
        for at, each in enumerate(self._judged):
            column = each.claim.column
            if each.reading is None or column in verified or not announces_ratio(self.layout.heads[column]):
                continue
            if not self.evidence.measures[each.reading.measure].baseline:
                self._judged[at] = _Judged(each.claim)

    def _readings_of_columns(self) -> dict[tuple[int, str], Reading]:
        """Return the one reading that the numbers of a column with one unit have, where they have one.

        A row whose numbers are all wrong has none of its own.
        """
        known: dict[tuple[int, str], set[Reading]] = defaultdict(set)
        for claim, reading in self.mapping.readings.items():
            known[claim.column, claim.unit].add(reading)
        return {column: own.pop() for column, own in known.items() if len(own) == 1}

    def _compare(self, claim: NumberClaim, reading: Reading | None) -> _Judged:
        if reading is None:
            return _Judged(claim)
        mask = self.candidates.mask(claim.row, claim.column)
        placed = compare(self.evidence, claim, reading, mask & ~self.places.contradicted(claim))
        if placed.is_verified and (word := self._other_measure(claim, reading)):
            named = self._named_statistic(reading, word)
            own = named and compare(self.evidence, claim, named, mask & ~self.places.contradicted(claim))
            if own and own.is_verified:
                return _Judged(claim, named, own)
            return _Judged(claim, reading, elsewhere=placed)
        if placed.is_verified:
            # A case of another study may contradict no word because it states little.
            stated = self.places.stated(claim)[placed.cases]
            best = placed.agree & (stated == stated.max())
            return _Judged(claim, reading, replace(placed, agree=best)) if best.any() else _Judged(claim)
        every = compare(self.evidence, claim, reading, mask)
        return _Judged(claim, reading, placed, elsewhere=every if every.is_verified else None)

    # Keys

    def _wrong_keys(self) -> Iterator[_WrongKey]:
        """Yield the keys that the numbers of their rows or columns contradict."""
        if not self._is_proved():
            return
        for is_row in (True, False):
            lines: dict[int, list[_Judged]] = defaultdict(list)
            for each in self._judged:
                if each.reading:
                    lines[each.claim.row if is_row else each.claim.column].append(each)
            for at, members in lines.items():
                verified = sum(each.is_verified for each in members)
                comparable = sum(each.is_comparable for each in members)
                if len(members) < _MIN_KEY_NUMBERS or (comparable and verified >= 0.5 * comparable):
                    continue
                contradicted = list(self._contradicted(at, members, is_row=is_row))
                if len(contradicted) == 1:
                    yield contradicted[0]

    def _contradicted(self, at: int, members: Sequence[_Judged], *, is_row: bool) -> Iterator[_WrongKey]:
        for number, slot in enumerate(self.layout.slots):
            match = (
                slot.matches[at] if slot.is_row == is_row and number not in self.candidates.ignored else None
            )
            if match is None or slot.is_context or not match.named or not match.exact:
                continue
            agreeing: list[tuple[int, ...]] = []
            comparable, proof = 0, 0.0
            for each in members:
                assert each.reading is not None
                mask = self._mask_without(each.claim, slot)
                outcome = compare(self.evidence, each.claim, each.reading, mask)
                comparable += outcome.is_comparable
                if outcome.is_verified:
                    agreeing.append(tuple(outcome.cases[outcome.agree].tolist()))
                    proof += bits(each.claim.number, outcome.values)
            if len(agreeing) < max(_MIN_KEY_NUMBERS, _MIN_ROW_SHARE * comparable) or proof < _MIN_KEY_PROOF:
                continue
            if wrong := self._named_otherwise(slot, at, agreeing):
                yield wrong

    def _mask_without(self, claim: NumberClaim, slot: Slot) -> np.ndarray:
        row = self.candidates.row(claim.row, without=slot)
        column = self.candidates.column(claim.column, without=slot)
        return row & column & self.candidates.shared()

    def _named_otherwise(self, slot: Slot, at: int, agreeing: Sequence[tuple[int, ...]]) -> _WrongKey | None:
        """Return the one value that the agreeing cases have where the key says another, None without one."""
        match = slot.matches[at]
        assert match is not None
        otherwise: list[_WrongKey] = []
        for factor, named in match.named.items():
            own = self.evidence.codes[factor]
            codes = set.intersection(*({int(own[case]) for case in cases} for cases in agreeing))
            if codes & named:
                return None
            if len(codes) == 1 and min(codes) >= 0 and factor in self._factors_of(slot):
                code = codes.pop()
                cases = frozenset(case for each in agreeing for case in each if own[case] == code)
                otherwise.append(_WrongKey(slot, at, factor, self.evidence.levels[factor][code], cases))
        return otherwise[0] if otherwise else None

    def _factors_of(self, slot: Slot) -> frozenset[str]:
        """Return the factors that most texts of a slot name, without the names of folders."""
        if slot.factors:
            return frozenset(slot.factors)
        named = [match.named for match in slot.matches if match and match.exact]
        names = {name for each in named for name in each if not is_folder(name)}
        return frozenset(name for name in names if 2 * sum(name in each for each in named) > len(named))

    def _correct(self, wrong_keys: Iterable[_WrongKey]) -> None:
        """Compare the numbers under wrong keys with the cases that the numbers identify."""
        for wrong in wrong_keys:
            mask = np.zeros(len(self.evidence.cases), dtype=bool)
            mask[list(wrong.cases)] = True
            for each in self._judged:
                own = each.claim.row if wrong.slot.is_row else each.claim.column
                if own == wrong.at and each.reading and not each.is_verified:
                    each.outcome = compare(self.evidence, each.claim, each.reading, mask)
                    each.wrong_key = wrong

    def _keys(self, wrong_keys: Iterable[_WrongKey]) -> Iterator[Judgement]:
        """Yield the judgements of keys: wrong ones, and the numbers in columns of keys."""
        wrong = {(each.slot.index, each.slot.is_row, each.at): each for each in wrong_keys}
        done: set[tuple[int, int]] = set()
        for each in wrong.values():
            cell = each.slot.cells[each.at]
            if cell is None or (cell.start, cell.line) in done:
                continue
            done.add((cell.start, cell.line))
            case = min(each.cases)
            measure = next(
                (self.evidence.measures[j.reading.measure] for j in self._judged if j.reading), None
            )
            source = self.evidence.source_of(case, measure) if measure else None
            text = f"the numbers here belong to {each.factor} = {each.value}"
            yield Judgement(
                cell, cell.text, CellVerdict.DIFFERS, str(each.value), source or self._place(case),
                Hypothesis("wrong key", text), self.evidence.cases[case].factors, is_key=True,
            )  # fmt: skip
        verified = {each.claim.row for each in self._judged if each.is_verified}
        for slot in self.layout.slots:
            if not slot.is_row or not slot.factors:
                continue
            for row, cell in enumerate(slot.cells):
                if cell is None or not cell.text or (cell.start, cell.line) in done or cell.is_repeated:
                    continue
                done.add((cell.start, cell.line))
                verdict = CellVerdict.VERIFIED if row in verified else CellVerdict.NO_SOURCE
                yield Judgement(cell, cell.text, verdict, is_key=True)

    def _place(self, case: int) -> Source:
        return self.evidence.runs[self.evidence.cases[case].runs[0]].source

    # Numbers

    def _is_proved(self) -> bool:
        """Return whether the table as a whole is mapped well enough to accuse a cell.

        Lines that were moved as a whole prove it as well, by what they prove where they belong.
        """
        moved = [each.moved for each in self._judged if each.moved]
        comparable = sum(each.is_comparable for each in self._judged)
        verified = sum(each.is_verified for each in self._judged) + len(moved)
        proof = self.mapping.proof + sum(DISAGREEMENT + each.proof for each in moved)
        return (
            proof >= _MIN_TABLE_PROOF
            and verified >= _MIN_VERIFIED
            and verified >= _MIN_TABLE_SHARE * comparable
        )

    def _groups(self) -> dict[tuple[object, ...], list[_Judged]]:
        """Return the claims under each heading and key."""
        groups: dict[tuple[object, ...], list[_Judged]] = defaultdict(list)
        for each in self._judged:
            for name in self._group_names(each):
                groups[name].append(each)
        return groups

    def _group_names(self, each: _Judged) -> Iterator[tuple[object, ...]]:
        """Yield the column of a claim and the texts that identify it."""
        yield "column", each.claim.column, each.claim.part
        for number, slot in enumerate(self.layout.slots):
            at = each.claim.row if slot.is_row else each.claim.column
            cell = slot.cells[at]
            if cell is not None and cell.text:
                yield number, cell.text
        yield "row", each.claim.row

    def _is_trusted(self, each: _Judged, groups: Mapping[tuple[object, ...], Sequence[_Judged]]) -> bool:
        """Return whether the other numbers under each key of a claim agree mostly."""
        assert each.reading is not None
        # Which two cases a ratio divides is a guess.
        is_ratio = self.evidence.measures[each.reading.measure].scope in ("speedup", "slowdown", "efficiency")
        for name in self._group_names(each):
            others = [
                other
                for other in groups[name]
                if other is not each and other.is_comparable and not other.is_explained
            ]
            agreeing = sum(other.is_verified for other in others)
            every = [other for other in groups[name] if other is not each and other.is_comparable]
            if len(every) >= 2 and not any(other.is_verified for other in every):
                return False
            # One other cell that differs may be the second of two that were swapped.
            if len(others) >= 2 and agreeing < _MIN_KEY_SHARE * len(others):
                return False
            if (
                is_ratio
                and name[0] == "column"
                and agreeing < max(_MIN_VERIFIED, _MIN_RATIO_SHARE * len(others))
            ):
                return False
        return True

    def _is_unread_ratio(self, each: _Judged, groups: Mapping[tuple[object, ...], Sequence[_Judged]]) -> bool:
        """Return whether a number is announced as a ratio, in a row or column where no reading is right."""
        assert each.reading is not None
        if self.evidence.measures[each.reading.measure].baseline:
            return False
        lines: list[tuple[object, ...]] = []
        if announces_ratio(self.layout.heads[each.claim.column]):
            lines.append(("column", each.claim.column, each.claim.part))
        if announces_ratio(self.layout.labels[each.claim.row]):
            lines.append(("row", each.claim.row))
        return not all(any(other.is_verified for other in groups[line]) for line in lines)

    def _judgement(self, each: _Judged, groups: Mapping[tuple[object, ...], Sequence[_Judged]]) -> Judgement:
        claim = each.claim
        nothing = Judgement(claim.cell, claim.number.text, CellVerdict.NO_SOURCE)
        if each.elsewhere is not None:
            nothing = self._misplaced(each, each.elsewhere)
        if each.reading is not None and not each.is_comparable:
            case = self._failed_case(each) if self._proved and self._is_trusted(each, groups) else None
            if case is not None:
                own = self._of_case(each, case, math.nan, CellVerdict.DIFFERS)
                return replace(own, expected="failed", unit="", hypothesis=_FAILED)
        if not each.is_comparable or each.reading is None or each.outcome is None:
            return nothing
        if each.moved and self._proved:
            own = self._of_case(each, each.moved.case, each.moved.value, CellVerdict.MISPLACED)
            return replace(own, hypothesis=Hypothesis("moved", each.moved.text))
        if each.is_verified and each.wrong_key:
            return self._misplaced(each, each.outcome)
        if each.is_verified and (unit := self._wrong_unit(each)):
            own = self._agreeing(each)
            return replace(own, verdict=CellVerdict.DIFFERS, hypothesis=unit) if self._proved else nothing
        if each.is_verified and not self._is_certainly_cut(each):
            return self._agreeing(each)
        if self._is_unread_ratio(each, groups):
            return nothing
        if not self._proved or not self._is_trusted(each, groups) or self._may_be_other_statistic(each):
            return self._agreeing(each) if each.is_verified else nothing
        case, value = self._nearest(each)
        return replace(self._of_case(each, case, value, CellVerdict.DIFFERS), hypothesis=each.hypothesis)

    def _verdict(
        self, each: _Judged, groups: Mapping[tuple[object, ...], Sequence[_Judged]], quotient: Quotient | None
    ) -> Judgement:
        if quotient is not None and (each.is_cut or not each.is_verified):
            own = self._of_quotient(each, quotient)
            if not each.is_verified or own.verdict is CellVerdict.DIFFERS:
                return own
        return self._judgement(each, groups)

    def _find_cut(self) -> None:
        """Mark the numbers that are cut off where others of the same measure are rounded."""
        alike: dict[Reading, list[_Judged]] = defaultdict(list)
        for each in self._judged:
            if each.is_verified and each.reading:
                alike[each.reading].append(each)
        for members in alike.values():
            outcomes = [each.outcome for each in members if each.outcome]
            cut = is_cut(
                [
                    (each.claim.number, own.values[own.agree])
                    for each, own in zip(members, outcomes, strict=True)
                ]
            )
            for each, own_cut in zip(members, cut, strict=True):
                each.is_cut = own_cut

    def _find_moved(self) -> None:
        """Mark the numbers of rows and columns that belong, all of them, to other ones."""
        for is_row in (True, False):
            lines: dict[int, list[LineNumber]] = defaultdict(list)
            for each in self._judged:
                if each.reading and each.is_comparable and not each.wrong_key and not each.elsewhere:
                    own = LineNumber(each.claim, each.reading, each.is_verified)
                    lines[each.claim.row if is_row else each.claim.column].append(own)
            by_claim = moved_lines(self.evidence, lines, self._candidates_at, is_row=is_row)
            for each in self._judged:
                if each.moved is None and not each.is_verified:
                    each.moved = by_claim.get(each.claim)

    def _candidates_at(self, claim: NumberClaim) -> np.ndarray:
        """Return the cases that a number of some row and column may be about."""
        mask = self.candidates.mask(claim.row, claim.column)
        return mask & ~self.places.contradicted(claim)

    def _is_certainly_cut(self, each: _Judged) -> bool:
        """Return whether the last digit of a number is cut off.

        A ratio may be one of rounded numbers, unless the number beside it has all digits of its source.
        """
        if not each.is_cut or each.reading is None:
            return False
        own = self.evidence.measures[each.reading.measure]
        return not own.baseline or any(
            self._is_complete(other)
            for other in self._judged
            if other.claim.row == each.claim.row
            and other.reading
            and self.evidence.measures[other.reading.measure].quantity == own.quantity
        )

    def _is_complete(self, each: _Judged) -> bool:
        """Return whether a number has all digits of its source."""
        return each.is_verified and math.isclose(each.claim.number.value, self._expected(each), rel_tol=1e-9)

    def _failed_case(self, each: _Judged) -> int | None:
        """Return the case of a number if all runs that its place may be about failed, None otherwise."""
        claim = each.claim
        mask = self.candidates.row(claim.row) & self.candidates.column(claim.column)
        cases = np.flatnonzero(mask & ~self.places.contradicted(claim))
        if not 0 < len(cases) <= _MAX_FAILED or each.elsewhere is not None:
            return None
        runs = (self.evidence.runs[run] for case in cases for run in self.evidence.cases[case].runs)
        return int(cases[0]) if all(run.status in FAILED_STATUSES for run in runs) else None

    def _quotients(self) -> dict[NumberClaim, Quotient]:
        """Return the ratios of the table that are ratios of its other numbers, unless evidence has them."""
        ratios = [
            each.claim
            for each in self._judged
            if is_quotient(self.layout, each.claim) and self._is_ratio(each)
        ]
        taken = set(ratios)
        known: dict[tuple[int, int], Dividend] = {}
        for each in self._judged:
            claim = each.claim
            if claim not in taken and not claim.part and each.is_comparable:
                case = self._nearest(each)[0]
                devices = self.evidence.cases[case].factors.get("devices", 0)
                count = devices if isinstance(devices, int) else 0
                # One column may have several units: "996 ms" above "1.6 s".
                factor = each.reading.scale.factor if each.reading else 1.0
                known[claim.row, claim.column] = Dividend(
                    self._expected(each) * factor,
                    claim.number.value * factor,
                    0.0 if self._is_complete(each) else claim.number.half * factor,
                    count,
                    each.is_verified and not each.wrong_key,
                )
        return quotients_of(self.layout, ratios, known) if ratios and known else {}

    def _is_ratio(self, each: _Judged) -> bool:
        """Return whether no single case has a number as its value, as far as is known."""
        reading = each.reading
        return not each.is_verified or (
            reading is not None and bool(self.evidence.measures[reading.measure].baseline)
        )

    def _of_quotient(self, each: _Judged, quotient: Quotient) -> Judgement:
        claim = each.claim
        nothing = Judgement(claim.cell, claim.number.text, CellVerdict.NO_SOURCE)
        expected = f"{quotient.value:.6g}"
        if not quotient.is_certain:
            return nothing
        if quotient.is_agreeing:
            return replace(nothing, verdict=CellVerdict.DERIVED, expected=expected)
        if not quotient.is_trusted:
            return nothing
        mistake = explain_ratio(claim.number, quotient.value)
        return replace(nothing, verdict=CellVerdict.DIFFERS, expected=expected, hypothesis=mistake)

    def _misplaced(self, each: _Judged, elsewhere: Outcome) -> Judgement:
        at = int(np.flatnonzero(elsewhere.agree)[0])
        case, value = int(elsewhere.cases[at]), float(elsewhere.values[at])
        judgement = self._of_case(each, case, value, CellVerdict.MISPLACED)
        dissent = self.places.dissent(each.claim, case)
        if each.wrong_key:
            wrong, key = each.wrong_key, each.wrong_key.slot.cells[each.wrong_key.at]
            said = key.text if key else ""
            dissent = f"the number is that of {wrong.factor} = {wrong.value}; the place says “{said}”"
        if not dissent:
            measure = judgement.measure
            assert each.reading is not None
            words = self._other_measure(each.claim, each.reading)
            own = measure.phase if measure and measure.statistic != "repeat" else "one run"
            dissent = f"the number is that of {own}; the place says “{words}”"
        return replace(judgement, hypothesis=Hypothesis("place", dissent))

    def _in_own_unit(self, each: _Judged) -> _Judged:
        """Return a number compared in its own unit, where the others of its column have another one."""
        claim, unit = each.claim, find_unit(each.claim.number.unit)
        if unit is None or each.elsewhere is not None:
            return each
        for other in self._judged:
            own = other.reading
            is_beside = other.claim.column == claim.column or other.claim.row == claim.row
            if own is None or not (is_beside and other.is_verified) or self._other_measure(claim, own):
                continue
            if self.evidence.units[own.measure] == unit.base:
                scale = scales_of(unit.base, claim.number.unit)[0]
                return self._compare(claim, Reading(own.measure, scale))
        return each

    def _other_measure(self, claim: NumberClaim, reading: Reading) -> str:
        """Return the word of the heading, or of the row, that the measure of a reading contradicts."""
        heads = self.layout.heads[claim.column]
        if heads and claim.part < len(parts := heads[-1].split("/")) == self._parts[claim.column]:
            heads = (parts[claim.part], *heads[:-1])  # "forward / backward" above "33 / 58"
        texts = (*heads, *self.layout.labels[claim.row], *median_of(self.layout.table.context[::-1]))
        return contradiction(texts, self.evidence.measures[reading.measure])

    def _named_statistic(self, reading: Reading, word: str) -> Reading | None:
        """Return the reading with the statistic that a heading names: a median may be one of the runs."""
        own = replace(self.evidence.measures[reading.measure], statistic=word)
        measures = self.evidence.measures
        return Reading(measures.index(own), reading.scale) if own in measures else None

    def _explain(self, each: _Judged, expected: Sequence[tuple[NumberClaim, float]]) -> Hypothesis | None:
        assert each.reading is not None
        case, value = self._nearest(each)
        devices = self.evidence.cases[case].factors.get("devices", 0)
        claim = each.claim
        neighbours = [
            (other, own)
            for other, own in expected
            if other is not claim
            and (len(expected) <= _MAX_NEIGHBOURS or claim.row == other.row or claim.column == other.column)
        ][:_MAX_NEIGHBOURS]
        count = devices if isinstance(devices, int) else 0
        return explain(self.evidence, Doubt(each.claim, each.reading, value, case, count, neighbours))

    def _may_be_other_statistic(self, each: _Judged) -> bool:
        """Return whether a number agrees under another statistic that the other numbers do not rule out.

        A mean among medians differs only where the table is known to show medians.
        """
        assert each.reading is not None
        layout, claim = self.layout, each.claim
        texts = (*layout.heads[claim.column], *layout.labels[claim.row], *reversed(layout.table.context))
        if self.evidence.measures[each.reading.measure].statistic in says_of(texts)[2]:
            return False
        for other in self._other_statistics(each.reading):
            mask = self.candidates.mask(each.claim.row, each.claim.column)
            own = compare(self.evidence, each.claim, other, mask)
            if not own.is_verified or (each.is_cut and not rounds(claim.number, own.values).any()):
                continue
            alike = (known for known in self._judged if known.is_verified and known.reading == each.reading)
            same = list(islice(alike, _MAX_NEIGHBOURS))
            ruling_out = 0
            for known in same:
                mask = self.candidates.mask(known.claim.row, known.claim.column)
                outcome = compare(self.evidence, known.claim, other, mask)
                ruling_out += outcome.is_comparable and not outcome.is_verified
                if ruling_out >= _MIN_RULING_OUT:
                    break
            if ruling_out < _MIN_RULING_OUT:
                return True
        return False

    def _other_statistics(self, reading: Reading) -> Iterator[Reading]:
        own = self.evidence.measures[reading.measure]
        for number, measure in enumerate(self.evidence.measures):
            if (
                number != reading.measure
                and replace(measure, statistic=own.statistic, protocol=own.protocol) == own
            ):
                yield Reading(number, reading.scale)

    def _agreeing(self, each: _Judged) -> Judgement:
        assert each.outcome is not None
        assert each.reading is not None
        outcome, measure = each.outcome, self.evidence.measures[each.reading.measure]
        # A number over different cases proves less than a case of its own.
        agree = sorted(
            np.flatnonzero(outcome.agree).tolist(),
            key=lambda at: (
                bool(self.evidence.cases[int(outcome.cases[at])].differs_in),
                not is_exact(each.claim.number, float(outcome.values[at])),
            ),
        )
        case, value = int(outcome.cases[agree[0]]), float(outcome.values[agree[0]])
        others = self.evidence.cases[case].differs_in
        exact = is_exact(each.claim.number, value)
        verdict = CellVerdict.VERIFIED if exact else CellVerdict.ROUNDED
        judgement = self._of_case(
            each, case, value, CellVerdict.DERIVED if measure.baseline or others else verdict
        )
        if not others:
            return judgement
        count = len(self.evidence.cases[case].runs)
        text = f"the {measure.statistic} of {count} runs that differ in {', '.join(others[:4])}"
        return replace(judgement, hypothesis=Hypothesis("different cases", text))

    def _of_case(self, each: _Judged, case: int, value: float, verdict: CellVerdict) -> Judgement:
        assert each.reading is not None
        measure = self.evidence.measures[each.reading.measure]
        source = self.evidence.source_of(case, measure) or self._place(case)
        return Judgement(
            each.claim.cell, each.claim.number.text, verdict, f"{value:.6g}", source, None,
            self.evidence.cases[case].factors, measure, each.reading.scale.name,
        )  # fmt: skip

    def _expected(self, each: _Judged) -> float:
        if each.is_verified:
            assert each.outcome is not None
            return float(each.outcome.values[np.flatnonzero(each.outcome.agree)[0]])
        return self._nearest(each)[1]

    def _nearest(self, each: _Judged) -> tuple[int, float]:
        """Return the case and value that are nearest to a number, as a ratio."""
        assert each.outcome is not None
        number = each.claim.number.value
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = (
                np.abs(np.log(np.abs(each.outcome.values) / abs(number)))
                if number
                else np.abs(each.outcome.values)
            )
        at = int(np.argmin(np.where(np.isfinite(distance), distance, np.inf)))
        return int(each.outcome.cases[at]), float(each.outcome.values[at])
