"""Prepare the evidence of index.html: each case with its repeats, once for the page's data and its text.

A page holds it twice: as JSON that the script shows on demand (`evidence_data`), and as compact text for a
browser without JavaScript (`templates/evidence.html`). Both are made from these values, so they agree.

Repeats without a number (failed, out of memory, too short) are listed with the others, so that a reader
sees what a median leaves out.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from reportgen.compare.verdict import Verdict
from reportgen.core import metrics, units
from reportgen.core.case_findings import repeats_text
from reportgen.core.factors import factor_key, factors_key
from reportgen.core.model import RESERVED, STEP, Factors, FactorValue, Source
from reportgen.core.plain_text import one_line
from reportgen.core.units import Unit
from reportgen.document.model import (
    Case,
    CompareKind,
    Comparison,
    Document,
    Finding,
    Measurement,
    Run,
    Summary,
    Table,
    Window,
    source_of,
)
from reportgen.document.texts import unit_label
from reportgen.render.grid.contracts import ContractText, contract_text
from reportgen.render.text.english import count

_MAX_SOURCES = 3
# Places of runs that are remembered: those of a case of many repeats.
_MOST_PLACES = 512
NO_VALUE = "-"

# The text before the link to a baseline; the braces stand for the comparison.
BEFORE_BASELINE: Mapping[CompareKind, str] = {
    "ratio": "{}x the value of",
    "speedup": "Speed-up {} over",
    "efficiency": "Scaling efficiency {} relative to",
    "expected": "{}x the time of",
}
# Stands for the range of the repeats in the text that says how they became one number.
RANGE = "\t"
# Stands for the log of the run in a path; no path contains it after `one_line`.
LOG = "\t"


class Repeat(Struct, frozen=True):
    """One run of a case: its value in the unit of the case, where it was measured and read.

    log      that the id of the run begins with; number  the rest of the id, `#2` for its second run
    value    as the page shows it, "-" for none
    sources  the first few; more_sources  how many others there are
    paths    the sources as (path, line), with LOG in place of the log of the run
    """

    run: Run
    log: str
    number: str
    value: str
    evidence: str
    window: Window | None
    sources: tuple[Source, ...]
    more_sources: int
    paths: tuple[tuple[str, int], ...]
    findings: tuple[Finding, ...]

    @property
    def status(self) -> str:
        """Return how the run ended, in words, or that it was profiled."""
        return "profiled" if self.run.profiler else self.run.status.replace("_", " ")

    @property
    def steps(self) -> tuple[int, int, int]:
        """Return the first and the last measured step and their number; zeros if the log has none."""
        return (self.window.first, self.window.last, self.window.steps) if self.window else (0, 0, 0)

    @property
    def in_time(self) -> str:
        """Return "in 32.0 s", the time of the measured steps; "" without one: a log may print rates only."""
        if self.window is None or self.window.time is None:
            return ""
        gap = f" ({units.text(self.window.gap_time, digits=3)} s left out)" if self.window.gap_time else ""
        return f"in {units.text(self.window.time, digits=4)} s{gap}"

    @property
    def shares(self) -> str:
        """Return the time of the run in three shares that add up to 100 %; "" if the log does not say it."""
        window = self.window
        if window is None or window.time is None or window.outside is None:
            return ""
        parts = (window.time, window.gap_time or 0.0, window.outside)
        stepping, gaps, outside = (f"{100 * part / math.fsum(parts):.1f} %" for part in parts)
        return f"stepping {stepping}, gaps {gaps}, outside {outside}"

    @property
    def place(self) -> str:
        """Return the run and its sources; of the run only what no path contains."""
        texts = [*map(str, self.sources), *([f"{self.more_sources:,} more"] if self.more_sources else [])]
        is_in_path = any(LOG in path for path, _ in self.paths)
        run = self.number if is_in_path else self.run.id
        return ", ".join(filter(None, (run, *texts)))

    @property
    def whole(self) -> str:
        """Return where the repeat was measured and read."""
        first, last, steps = self.steps
        window = f"steps {first} to {last} ({count(steps, 'step')}) {self.in_time}".strip() if steps else ""
        return "; ".join(filter(None, (window, self.place)))


@dataclass(frozen=True, slots=True)
class Usual:
    """Values that the runs of a case share, so that a page says them once.

    folder  that their logs are in, with "/" at the end; paths, steps  as in most runs
    """

    folder: str
    paths: tuple[tuple[str, int], ...]
    steps: tuple[int, int, int]

    @property
    def text(self) -> str:
        """Return it in words, with RUN for the rest of a log's name."""
        places = [str(Source(path.replace(LOG, f"{self.folder}RUN"), line)) for path, line in self.paths]
        first, last, steps = self.steps
        window = [f"steps {first} to {last} ({count(steps, 'step')})"] if steps else []
        return "; ".join([*window, ", ".join(places)])

    def rest(self, repeat: Repeat) -> str:
        """Return where a repeat was measured and read, as far as it is not in `text`."""
        first, last, steps = repeat.steps
        window = f"steps {first} to {last} ({count(steps, 'step')})" if repeat.steps != self.steps else ""
        time = f"{window} {repeat.in_time}".strip()
        is_usual = repeat.paths == self.paths and not repeat.more_sources
        place = repeat.log[len(self.folder) :] + repeat.number if is_usual else repeat.place
        return "; ".join(filter(None, (time, place)))


@dataclass(frozen=True, slots=True)
class BaselineSentence:
    """The case against a baseline, in one table: `{before} {baseline}{after}` is a sentence.

    table     its anchor; baseline  the name of the baseline's case; text  its factors that differ
    contract  what was held equal and what is not stated
    verdict   None where there is nothing to decide
    """

    table: str
    kind: CompareKind
    value: float
    baseline: str
    text: str
    after: str
    verdict: Verdict | None
    contract: ContractText

    @property
    def before(self) -> str:
        """Return the text before the link to the baseline."""
        return BEFORE_BASELINE[self.kind].format(units.text(self.value, digits=3))


@dataclass(frozen=True, slots=True)
class CaseEvidence:
    """The evidence of one case.

    factors   those that not all cases of the report share
    unit      the unit of all its numbers, "" for plain ones; factor  its size in the base unit
    ends      low end, median and high end of the repeats; one number of one repeat; empty without a value
    how       how the repeats became one number, with RANGE in it
    evidence  the kind of evidence that all repeats share, else ""
    usual     what most repeats have in common
    table     the first table that shows the case, None for a case that is only a baseline
    """

    name: str
    title: str
    factors: Factors
    unit: str
    factor: float
    ends: tuple[str, ...]
    how: str
    evidence: str
    usual: Usual
    repeats: tuple[Repeat, ...]
    findings: tuple[Finding, ...]
    compared: tuple[BaselineSentence, ...]
    table: Table | None

    @property
    def summary(self) -> str:
        """Return the number in words."""
        if not self.ends:
            return self.how
        ends = f"{self.ends[0]} – {self.ends[-1]}"
        return f"{self.ends[len(self.ends) // 2]} {self.unit}".strip() + f", {self.how.replace(RANGE, ends)}"

    @property
    def sentences(self) -> tuple[BaselineSentence, ...]:
        """Return the comparisons, equal ones of several tables once."""
        return tuple({(c.before, c.baseline, c.after): c for c in self.compared}.values())


@dataclass(frozen=True, slots=True)
class ConfigurationEvidence:
    """Cases that the same runs were measured for: of other metrics or phases, with equal factors.

    So a page says once what they have in common: factors, runs, their sources and findings.
    """

    cases: tuple[CaseEvidence, ...]

    @property
    def first(self) -> CaseEvidence:
        """Return the case that stands for what all of them have in common."""
        return self.cases[0]

    @property
    def messages(self) -> tuple[str, ...]:
        """Return the findings that all cases have, as `rule: text`."""
        others = [messages(case.findings) for case in self.cases[1:]]
        return tuple(each for each in messages(self.first.findings) if all(each in other for other in others))

    def own_messages(self, case: CaseEvidence) -> tuple[str, ...]:
        """Return the other findings of one of its cases."""
        shared = self.messages
        return tuple(each for each in messages(case.findings) if each not in shared)


@dataclass(frozen=True, slots=True)
class EvidenceGroup:
    """The configurations that one table is the first to show.

    anchor  of the table, "" for cases that are only baselines; shared  the factors that all cases share
    """

    anchor: str
    title: str
    shared: Factors
    configurations: tuple[ConfigurationEvidence, ...]

    @property
    def shared_text(self) -> str:
        """Return the shared factors as `name=value, ...`."""
        return _factors_text(self.shared)

    def factors_text(self, case: CaseEvidence) -> str:
        """Return the other factors of a case."""
        return _factors_text({name: v for name, v in case.factors.items() if name not in self.shared})


@dataclass(frozen=True, slots=True)
class ReportEvidence:
    """The evidence of a report: its cases in reading order, and the factors that all of them share."""

    shared: Factors
    cases: tuple[CaseEvidence, ...]
    configurations: tuple[ConfigurationEvidence, ...]
    groups: tuple[EvidenceGroup, ...]

    @property
    def shared_text(self) -> str:
        """Return the shared factors as `name=value, ...`."""
        return _factors_text(self.shared)


def evidence_of(report: Document, anchor: Callable[[Table], str]) -> ReportEvidence:
    """Return the evidence of every case of the report.

    anchor  returns the anchor of a table on the page
    """
    shared = shared_factors(report)
    configurations = tuple(configurations_of(report, shared, anchor))
    cases = tuple(case for each in configurations for case in each.cases)
    return ReportEvidence(shared, cases, configurations, _groups(configurations, anchor))


def shared_factors(report: Document) -> Factors:
    """Return the factors that all cases of a report share."""
    return _shared(case.factors for case in report.cases)


def configurations_of(
    report: Document, shared: Factors, anchor: Callable[[Table], str]
) -> Iterator[ConfigurationEvidence]:
    """Yield the evidence of the cases by configuration, in the order of the document: one is held at a time.

    Another program may write cases of the same runs apart from each other.
    """
    places = _appearances(report)
    by_runs: dict[object, list[int]] = {}
    for place, case in enumerate(report.cases):
        by_runs.setdefault(tuple(run.id for run in case.runs), []).append(place)
    for alike in by_runs.values():
        cases = (report.cases[place] for place in alike)
        yield from _configurations(
            [_case(case, report, places.get(case.name, []), shared, anchor) for case in cases]
        )


def _configurations(cases: Sequence[CaseEvidence]) -> tuple[ConfigurationEvidence, ...]:
    """Return the cases by their factors and runs, in the order of their first case."""
    by_runs: dict[object, list[list[CaseEvidence]]] = {}
    for case in cases:
        key = (factors_key(case.factors), tuple(repeat.run.id for repeat in case.repeats))
        alike = by_runs.setdefault(key, [])
        fitting = next((group for group in alike if _are_of_same_runs(group[0], case)), None)
        if fitting is None:
            alike.append([case])
        else:
            fitting.append(case)
    order = {case.name: i for i, case in enumerate(cases)}
    groups = (group for alike in by_runs.values() for group in alike)
    return tuple(
        ConfigurationEvidence(tuple(group)) for group in sorted(groups, key=lambda g: order[g[0].name])
    )


def _are_of_same_runs(case: CaseEvidence, other: CaseEvidence) -> bool:
    """Return whether two cases with runs of one name differ in what was measured only."""
    return (case.evidence, case.usual) == (other.evidence, other.usual) and all(
        replace(a, value="") == replace(b, value="") and (a.value == NO_VALUE) == (b.value == NO_VALUE)
        for a, b in zip(case.repeats, other.repeats, strict=True)
    )


def _groups(
    configurations: Iterable[ConfigurationEvidence], anchor: Callable[[Table], str]
) -> tuple[EvidenceGroup, ...]:
    by_table: dict[str, list[ConfigurationEvidence]] = {}
    for each in configurations:
        by_table.setdefault(anchor(each.first.table) if each.first.table else "", []).append(each)
    return tuple(
        EvidenceGroup(name, _title(members[0].first.table), _shared_factors(members), tuple(members))
        for name, members in by_table.items()
    )


def _title(table: Table | None) -> str:
    return (table.title or table.id) if table else "Baselines"


def _shared_factors(configurations: Iterable[ConfigurationEvidence]) -> dict[str, FactorValue]:
    return _shared(each.first.factors for each in configurations)


def messages(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return the findings as `rule: text`, equal ones once."""
    return tuple(dict.fromkeys(f"{finding.rule}: {finding.text}" for finding in findings))


def _shared(all_factors: Iterable[Factors]) -> dict[str, FactorValue]:
    """Return the factors with the same value in every case; none if there is only one case."""
    others = iter(all_factors)
    shared = {name: value for name, value in next(others, {}).items() if name not in RESERVED}
    second = next(others, None)
    if second is None:
        return {}
    for factors in chain([second], others):
        shared = {
            name: value
            for name, value in shared.items()
            if name in factors and factor_key(factors[name]) == factor_key(value)
        }
    return shared


def _factors_text(factors: Factors) -> str:
    return ", ".join(f"{name}={value}" for name, value in factors.items())


@dataclass(frozen=True, slots=True, eq=False)
class _Appearance:
    """A table that shows a case, and what the case is compared with there."""

    table: Table
    comparison: Comparison | None


def _appearances(report: Document) -> dict[str, list[_Appearance]]:
    """Return where tables show each case; a case that is only a baseline is not shown."""
    places: dict[str, list[_Appearance]] = {}
    for table in report.tables:
        compared = report.comparisons_of(table)
        for cell in (cell for line in table.cells for cell in line):
            for name in (*([cell.case] if cell.case else []), *cell.several):
                places.setdefault(name, []).append(_Appearance(table, compared.get(name)))
    return places


def _case(
    case: Case,
    report: Document,
    appearances: Sequence[_Appearance],
    shared: Mapping[str, FactorValue],
    anchor: Callable[[Table], str],
) -> CaseEvidence:
    unit = _unit(case)
    repeats = (
        *(_measured(measurement, unit) for measurement in case.measurements),
        *map(_unmeasured, case.unmeasured),
    )
    title = metrics.metric_of(case.metric, case.unit).title
    if case.phase != STEP:
        title += f", {case.phase}"  # so the title has these two factors
    compared = [_compared(case, appearance, report, anchor) for appearance in appearances]
    kinds = {measurement.evidence for measurement in case.measurements}
    return CaseEvidence(
        name=case.name,
        title=title,
        factors={n: v for n, v in case.factors.items() if n not in RESERVED and n not in shared},
        unit=unit_label(unit),
        factor=unit.factor,
        ends=_ends(case.summary, unit),
        how=_how(case),
        evidence=kinds.pop() if len(kinds) == 1 else "",
        usual=_usual(repeats),
        repeats=repeats,
        findings=case.findings,
        compared=tuple(dict.fromkeys(each for each in compared if each)),
        table=appearances[0].table if appearances else None,
    )


def _compared(
    case: Case, appearance: _Appearance, report: Document, anchor: Callable[[Table], str]
) -> BaselineSentence | None:
    """Return a comparison; None if the case is the baseline."""
    comparison = appearance.comparison
    if comparison is None or comparison.value is None or comparison.baseline == case.name:
        return None
    differing = [
        f"{name}={value}"
        for name, value in report.case_by_name[comparison.baseline].factors.items()
        if name not in case.factors or factor_key(case.factors[name]) != factor_key(value)
    ]
    texts = ", ".join(each.text for each in comparison.differs)
    differs = f"; differs in {texts}" if texts else ""
    decided = comparison.verdict and comparison.verdict.kind != "no repeats"
    verdict = comparison.verdict if decided else None
    return BaselineSentence(
        table=anchor(appearance.table),
        kind=comparison.kind,
        value=comparison.value,
        baseline=comparison.baseline,
        text=", ".join(differing) or "the other runs",
        after="".join([*_more(comparison, verdict), differs]),
        verdict=verdict,
        contract=contract_text(report, [(case.name, comparison)]),
    )


def _more(comparison: Comparison, verdict: Verdict | None) -> list[str]:
    """Return what else there is to say: expectation, verdict, ratios per cycle and joule, parts."""
    parts = comparison.breakdown
    return [
        _expectation(comparison),
        f"; {_verdict_text(verdict)}" if verdict else "",
        _beside(comparison),
        _over_all(comparison),
        f"; {parts.sentence}" if parts and parts.is_split else "",
    ]


def _verdict_text(verdict: Verdict) -> str:
    """Return the verdict, with what was tested: its estimate differs from the ratio of the medians."""
    tested = f"by the test of {count(verdict.n, verdict.counted.removesuffix('s'))}, " if verdict.n else ""
    return f"{tested}{verdict.sentence()}"


def _beside(comparison: Comparison) -> str:
    """Return how the two compare per cycle and per joule, where their logs have both."""
    cycles, energy = comparison.cycles, comparison.energy_per_sample
    texts = [cycles.sentence] if cycles else []
    texts += [f"{units.text(energy, digits=3)}x the energy per sample"] if energy else []
    return "".join(f"; {text}" for text in texts)


def _over_all(comparison: Comparison) -> str:
    """Return the ratio with the time that gaps left out, where that is much."""
    if comparison.over_all is None:
        return ""
    return f"; {units.text(comparison.over_all, digits=3)} over all of the time, with what gaps left out"


def _expectation(comparison: Comparison) -> str:
    if comparison.expected is None or comparison.excess is None:
        return ""
    speed = units.text(comparison.expected.speed, digits=3)
    excess = units.text(comparison.excess, digits=3)
    return f"; {speed}x its speed is expected, so {excess}x the time that is expected"


def _unit(case: Case) -> Unit:
    item = metrics.item_of(case.metric, case.factors)
    if case.unit == "samples/s" and item:
        return Unit(units.rate_unit(item), case.unit, 1.0)
    return units.choose([measurement.value for measurement in case.measurements], case.unit)


def _number(value: float, unit: Unit) -> str:
    shown = units.text(value / unit.factor, digits=7)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _ends(summary: Summary | None, unit: Unit) -> tuple[str, ...]:
    if summary is None:
        return ()
    values = (summary.ends[0], summary.value, summary.ends[1]) if summary.repeats > 1 else (summary.value,)
    return tuple(_number(value, unit) for value in values)


def _how(case: Case) -> str:
    """Return how the repeats became one number, and how far apart they are."""
    mark = f"invalid ({case.invalid}): nothing follows from it; " if case.invalid else ""
    return mark + _reduced(case)


def _reduced(case: Case) -> str:
    summary = case.summary
    if summary is None:
        return "no repeat has a value"
    formula = f"; {one_line(case.formula)}" if case.formula else ""
    return f"{_kind_of_number(case, summary)}{_left_out(case, summary)}{formula}"


def _left_out(case: Case, summary: Summary) -> str:
    """Return the number over all of the windows' time, and which repeats left out much of it."""
    if summary.over_all is None:
        return ""
    unit = _unit(case)
    shown = f"{_number(summary.over_all, unit)} {unit_label(unit)}".strip()
    runs = [each.run for each in case.measurements if each.over_all is not None]
    total = len(case.measurements)
    of = f" of {repeats_text(runs, total)}" if len(runs) < total else ""
    return f"; {shown} over all of the time, with what gaps{of} left out"


def _kind_of_number(case: Case, summary: Summary) -> str:
    if summary.repeats == 1:
        evidence = {measurement.evidence for measurement in case.measurements}
        kind = "published" if evidence == {"published"} else "aggregate from the log"
        return kind if evidence <= {"aggregate", "published"} else "1 repeat"
    protocol = f"protocol {one_line(case.protocol)}"
    if summary.statistic != "median":
        return f"{summary.statistic} of {summary.repeats} repeats, range {RANGE}; {protocol}"
    confidence = f"{units.text((summary.coverage or 0.0) * 100, digits=3)} % confidence"
    kind = "interval" if summary.reached else "range"
    return f"median of {summary.repeats} repeats, {kind} {RANGE} ({confidence}); {protocol}"


def _measured(measurement: Measurement, unit: Unit) -> Repeat:
    run = measurement.run
    return _repeat(
        run,
        _number(measurement.value, unit),
        measurement.evidence,
        measurement.window,
        measurement.sources or (run.source,),
        (*run.findings, *measurement.findings),
    )


def _unmeasured(run: Run) -> Repeat:
    return _repeat(run, NO_VALUE, "", None, (run.source,), run.findings)


def _repeat(
    run: Run,
    value: str,
    evidence: str,
    window: Window | None,
    places: tuple[str, ...],
    findings: tuple[Finding, ...],
) -> Repeat:
    log, number, shown, more, paths = _log_and_sources(run.id, places)
    return Repeat(run, log, number, value, evidence, window, shown, more, paths, findings)


@lru_cache(maxsize=_MOST_PLACES)
def _log_and_sources(
    id: str, places: tuple[str, ...]
) -> tuple[str, str, tuple[Source, ...], int, tuple[tuple[str, int], ...]]:
    """Return log, number, sources, more sources and paths of a `Repeat`; the metrics of a run share them."""
    line, sources = one_line(id), tuple(map(source_of, dict.fromkeys(places)))
    log, shown = line.partition("#")[0], sources[:_MAX_SOURCES]
    pairs = [(one_line(source.path), source.line) for source in shown]
    paths = tuple((path.replace(log, LOG, 1) if log else path, at) for path, at in pairs)
    return log, line[len(log) :], shown, len(sources) - len(shown), paths


def _usual(repeats: Sequence[Repeat]) -> Usual:
    if not repeats:
        return Usual("", (), (0, 0, 0))
    folders = [repeat.log[: repeat.log.rfind("/") + 1] for repeat in repeats]
    shared = min(folders)
    while not all(folder.startswith(shared) for folder in folders):
        shared = shared[: shared.rstrip("/").rfind("/") + 1]
    paths = Counter(repeat.paths for repeat in repeats).most_common(1)[0][0]
    steps = Counter(repeat.steps for repeat in repeats).most_common(1)[0][0]
    return Usual(shared, paths, steps)
