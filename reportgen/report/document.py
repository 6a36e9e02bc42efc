"""Make the Document of a report: names instead of cases, texts instead of sources, no steps.

What an outcome says is copied, not decided: every number and sentence was made before.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b, sha256

from msgspec.structs import replace

from reportgen.compare.breakdown import Breakdown, BreakdownPart
from reportgen.compare.comparison import Comparison
from reportgen.compare.conditions import Conditions, conditions_of_case
from reportgen.compare.cycles import CycleComparison
from reportgen.compare.verdict import Verdict
from reportgen.core.devices import short_name
from reportgen.core.model import (
    RESERVED,
    Case,
    Factors,
    FactorValue,
    Finding,
    Measurement,
    Run,
    Source,
    Summary,
    Window,
)
from reportgen.core.plain_text import one_line
from reportgen.core.stored_files import pieces_of
from reportgen.core.stored_values import tuple_of
from reportgen.document import model
from reportgen.document.encode import canonical
from reportgen.document.model import Header, Note, name_of_pair, source_of
from reportgen.document.texts import shown_number
from reportgen.report.case_names import CaseNames
from reportgen.report.run_counts import whole_runs
from reportgen.tables.explorer_model import Explorer, ExplorerCell
from reportgen.tables.results import Cell, Figure, Report, Table

# A value of the environment that differs in more runs describes a run (its start, a process), not a machine.
_MAX_ENVIRONMENT_VALUES = 40
_MAX_VALUE_CHARACTERS = 500
# More cases than this are in a file: of seven runs each, so many take 25 MB. Pages ask for each thirty times.
_MOST_CASES = 8000
# Runs that are remembered at a time, because the next cases may be of them.
_MOST_SHARED = 5000


def make_document(
    report: Report, side_files: Mapping[str, bytes] | None = None, source_url: str = ""
) -> model.Document:
    """Return the document of a report, canonical; its headline has no numbers yet if an author wrote it.

    side_files  path -> content of the files with its steps and telemetry
    source_url  address of a line of a log, with {path} and {line}; "" for no links
    """
    names = CaseNames(report.tables)
    machines = _Machines([run for case in names.cases for run in _runs(case)])
    is_template, files = bool(report.headline_place), side_files or {}
    document = canonical(
        model.Document(
            version=model.VERSION,
            name=report.name,
            title=report.title,
            headline="" if is_template else report.headline,
            headline_template=model.Template(report.headline, report.headline_place) if is_template else None,
            verdict=report.verdict,
            prose=model.Template(report.prose, _source(report.prose_source)) if report.prose else None,
            contracts=_contracts(report.tables),
            notes=_notes(report.tables),
            explorer=_explorer(report.explorer, names) if report.explorer else None,
            expected=report.expected,
            acceptance=report.acceptance,
            runs=_run_counts(report),
            environment=machines.shared,
            machines=machines.named,
            environments=report.environments,
            findings=_sorted(report.findings),
            protocol=report.protocol,
            protocol_text=report.protocol_text,
            protocols={
                name: {field: _finite(value) for field, value in fields.items()}
                for name, fields in report.protocols.items()
            },
            provenance=report.provenance,
            side_files={path: _sha256(pieces_of(files, path)) for path in files},
            source_url=source_url,
        )
    )
    shown = _with_results(document, names, machines, report.tables, report.figures)
    # Paths of logs are printable and in order already.
    return replace(shown, sources=report.sources)


def document_of_tables(tables: Sequence[Table], figures: Sequence[Figure] = ()) -> model.Document:
    """Return a document of tables, figures of them and the cases behind them, without a report."""
    names = CaseNames(tuple(tables))
    machines = _Machines([run for case in names.cases for run in _runs(case)])
    document = canonical(
        model.Document(version=model.VERSION, name="", contracts=_contracts(tables), notes=_notes(tables))
    )
    return _with_results(document, names, machines, tables, figures)


def _with_results(
    document: model.Document,
    names: CaseNames,
    machines: "_Machines",
    tables: Sequence[Table],
    figures: Sequence[Figure],
) -> model.Document:
    """Add tables, figures, comparisons and cases. Each part is made canonical by itself, to save memory."""
    compared = _Comparisons(names)
    return replace(
        document,
        tables=tuple(_table(table, names, compared) for table in tables),
        figures=tuple(canonical(_figure(figure, names)) for figure in figures),
        comparisons=compared.taken(),
        cases=_cases(names, machines, tables),
    )


def _sha256(pieces: Iterable[bytes]) -> str:
    digest = sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def _source(source: Source | None) -> str:
    """Return FILE:LINE or FILE; a file whose own name ends like a line keeps its name by line 0."""
    if source is None:
        return ""
    text = str(source)
    return text if source.line or source_of(text).path == text else f"{text}:0"


def _finding(finding: Finding) -> model.Finding:
    return model.Finding(
        finding.severity,
        finding.rule,
        finding.subject,
        finding.message,
        finding.detail,
        _source(finding.source),
    )


def _findings(findings: Iterable[Finding]) -> tuple[model.Finding, ...]:
    return tuple(map(_finding, findings))


def _sorted(findings: Iterable[Finding]) -> tuple[model.Finding, ...]:
    """Return findings that no reader sees in another order: by rule, subject and text."""
    return tuple(sorted(_findings(findings), key=lambda f: (f.rule, f.subject, f.text, f.severity, f.source)))


# Tables


def _table(table: Table, names: CaseNames, compared: "_Comparisons") -> model.Table:
    """Return a table, canonical; its cells are made canonical one by one: there may be very many."""
    without_cells = model.Table(
        id=table.id,
        title=table.title,
        metric=table.metric,
        metric_title=table.metric_title,
        row_factors=table.row_factors,
        row_titles=table.row_titles,
        column_factors=table.column_factors,
        column_titles=table.column_titles,
        rows=tuple(map(_header, table.rows)),
        columns=tuple(map(_header, table.columns)),
        about=table.about,
        unit_mode=table.unit_mode,
        unit=table.unit,
        digits=table.digits,
        decimals=table.decimals,
        facet=tuple((name, _finite(value)) for name, value in table.facet),
        facet_words=table.facet_words,
        has_signs=table.has_signs,
        definition=table.definition,
        findings=_sorted(table.findings),
    )
    cells = tuple(
        tuple(
            canonical(_cell(without_cells, column, cell, names))
            for column, cell in zip(table.columns, line, strict=True)
        )
        for line in table.cells
    )
    return replace(canonical(without_cells), cells=cells, comparisons=compared.of_table(table))


@dataclass(frozen=True, slots=True)
class _Comparisons:
    """The comparisons of all tables by name, each once."""

    names: CaseNames
    by_name: dict[str, model.Comparison] = field(default_factory=dict)

    def taken(self) -> dict[str, model.Comparison]:
        """Take the comparisons, canonical, in the order of their baselines."""
        order = {self.names.name(case): i for i, case in enumerate(self.names.cases)}
        by_baseline = sorted(self.by_name, key=lambda name: order[self.by_name[name].baseline])
        return {name: canonical(self.by_name.pop(name)) for name in by_baseline}

    def of_table(self, table: Table) -> dict[str, str]:
        """Return the name of the comparison of each case; all cells of a case have the same one."""
        cells = (cell for line in table.cells for cell in line)
        compared = {cell.case: cell.comparison for cell in cells if cell.case and cell.comparison}
        return {self.names.name(case): self._name(case, comparison) for case, comparison in compared.items()}

    def _name(self, case: Case, comparison: Comparison) -> str:
        made = _comparison(comparison, self.names)
        return name_of_pair(self.names.name(case), made.baseline, made, self.by_name)


def _notes(tables: Iterable[Table]) -> dict[str, Note]:
    """Return the footnotes of all tables by name."""
    return {name: note for table in tables for name, note in table.notes.items()}


def _header(header: Header) -> Header:
    return replace(
        header,
        key=tuple(map(_finite, header.key)),
        split=tuple((name, _finite(value)) for name, value in header.split),
    )


def _finite(value: FactorValue) -> FactorValue:
    """Return a value that JSON can write: a factor may be NaN, as a text."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _cell(table: model.Table, column: Header, cell: Cell, names: CaseNames) -> model.Cell:
    made = model.Cell(
        kind=cell.kind,
        value=cell.value,
        unit=cell.unit,
        low=cell.low,
        high=cell.high,
        text=cell.text,
        case=names.name_or_none(cell.case),
        several=tuple(map(names.name, cell.several)),
        invalid=cell.invalid,
        over_all=cell.over_all,
        qualifiers=cell.qualifiers,
        notes=cell.notes,
    )
    return replace(made, shown=shown_number(table, column.quantity, made))


def _comparison(comparison: Comparison, names: CaseNames) -> model.Comparison:
    verdict = comparison.verdict
    return model.Comparison(
        kind=comparison.kind,
        baseline=names.name(comparison.baseline),
        value=comparison.value,
        expected=_expected(comparison.expected) if comparison.expected else None,
        excess=comparison.excess,
        excess_low=comparison.low,
        excess_high=comparison.high,
        contract="" if comparison.own is comparison.base else _digest(_contract(comparison)),
        differs=comparison.differs,
        verdict=verdict,
        sentence=verdict.sentence() if verdict else "",
        cycles=_cycles(comparison.cycles, verdict) if comparison.cycles else None,
        energy_per_sample=comparison.energy,
        over_all=comparison.over_all,
        breakdown=_breakdown(comparison.breakdown) if comparison.breakdown else None,
    )


def _expected(expected: model.Expected) -> model.ExpectedRatio:
    return model.ExpectedRatio(expected.target, expected.reference, expected.speed)


def _cycles(cycles: CycleComparison, verdict: Verdict | None) -> model.Cycles:
    return model.Cycles(
        speed_ratio=cycles.ratio,
        low=cycles.verdict.low,
        high=cycles.verdict.high,
        sm_clock=cycles.clock,
        baseline_sm_clock=cycles.baseline_clock,
        sentence=cycles.sentence(verdict),
    )


def _comparisons(tables: Iterable[Table]) -> Iterator[Comparison]:
    yield from (cell.comparison for t in tables for line in t.cells for cell in line if cell.comparison)


def _contracts(tables: Iterable[Table]) -> dict[str, model.Contract]:
    """Return the different contracts of comparisons by name; a name depends on nothing but the contract."""
    every = {_contract(each): None for each in _comparisons(tables) if each.own is not each.base}
    return dict(sorted((_digest(each), each) for each in every))


def _contract(comparison: Comparison) -> model.Contract:
    return model.Contract(
        tuple(name for name, _ in comparison.held_equal if name not in RESERVED),
        tuple(each.name for each in comparison.about),
        comparison.not_stated,
    )


def _breakdown(breakdown: Breakdown) -> model.Breakdown:
    unmeasured = [part for part in breakdown.parts if part.seconds is None]
    return model.Breakdown(
        per=breakdown.per,
        seconds=breakdown.seconds,
        case_seconds=breakdown.own,
        baseline_seconds=breakdown.baseline,
        parts=tuple(_part(breakdown, part) for part in (*breakdown.measured, *unmeasured)),
        remarks=breakdown.remarks,
        hints=tuple(
            model.Hint(
                kind=hint.kind,
                rule=hint.finding.rule,
                message=hint.finding.text,
                source=_source(hint.finding.source),
                runs=hint.runs,
                of="baseline" if hint.is_baseline else "case",
            )
            for hint in breakdown.hints
        ),
        sentence=breakdown.sentence(),
    )


def _part(breakdown: Breakdown, part: BreakdownPart) -> model.Part:
    share = breakdown.share(part)
    return model.Part(
        name=part.name,
        kind=part.kind,
        seconds=part.seconds,
        share=share if math.isfinite(share) else None,
        case_seconds=part.own.seconds,
        baseline_seconds=part.baseline.seconds,
        case_sources=tuple(map(_source, part.own.sources)),
        baseline_sources=tuple(map(_source, part.baseline.sources)),
        remark=part.remark,
    )


# Figures and explorer


def _figure(figure: Figure, names: CaseNames) -> model.Figure:
    return model.Figure(
        id=figure.id,
        title=figure.title,
        kind=figure.kind,
        x_title=figure.x_title,
        y_title=figure.y_title,
        unit=figure.unit,
        x_unit=figure.x_unit,
        quantity=figure.quantity,
        categories=figure.categories,
        series=tuple(
            model.FigureSeries(
                name=series.name,
                x=series.x,
                y=series.y,
                low=series.low,
                high=series.high,
                failed=series.failed,
                colour=series.colour,
                cases=tuple(map(names.name_or_none, series.cases)),
                labels=series.labels,
            )
            for series in figure.series
        ),
        ideal=figure.ideal,
        front=figure.front,
        changes=figure.changes,
        alt=figure.alt,
        table=figure.table,
    )


def _explorer(explorer: Explorer, names: CaseNames) -> model.Explorer:
    return model.Explorer(
        factors=explorer.factors,
        compared=explorer.factors.index(explorer.compared) if explorer.compared else -1,
        baseline=explorer.baseline,
        others=explorer.others,
        measures=explorer.measures,
        charts=explorer.charts,
        switches=explorer.switches,
        configurations=tuple(
            model.Configuration(
                values=tuple(
                    factor.values[position]
                    for factor, position in zip(explorer.factors, each.values, strict=True)
                ),
                others=each.others,
                device_memory=each.device_memory,
                cells=tuple(
                    _explorer_cell(each.cells[i], names) if i in each.cells else None
                    for i in range(len(explorer.measures))
                ),
            )
            for each in explorer.configurations
        ),
        more=explorer.more,
    )


def _explorer_cell(cell: ExplorerCell, names: CaseNames) -> model.ExplorerCell:
    return model.ExplorerCell(
        case=names.name_or_none(cell.case),
        text=cell.text,
        ratio=cell.comparison.value if cell.comparison else None,
        verdict=cell.comparison.verdict.kind if cell.comparison and cell.comparison.verdict else "",
        reason=cell.reason,
    )


# Evidence


def _known_conditions(tables: Iterable[Table]) -> dict[Case, Conditions]:
    """Return the conditions of the cases that comparisons have already asked for."""
    sides = (side for each in _comparisons(tables) for side in (each.own, each.base))
    return {side.case: side.conditions for side in sides if side.case}


def _cases(names: CaseNames, machines: "_Machines", tables: Iterable[Table]) -> tuple[model.Case, ...]:
    """Return the cases, canonical. They hold most of a document, so each is made canonical by itself."""
    conditions, evidence = _known_conditions(tables), _Evidence(machines)
    cases = (_case(case, names.name(case), conditions, evidence) for case in names.cases)
    return tuple_of(cases, model.Case, are_many=len(names.cases) > _MOST_CASES)


def _case(case: Case, name: str, conditions: Mapping[Case, Conditions], evidence: "_Evidence") -> model.Case:
    without_runs = model.Case(
        name=name,
        factors={
            name: _finite(value) for name, value in case.factors.items() if name not in ("metric", "phase")
        },
        metric=case.metric,
        phase=case.phase,
        unit=case.unit,
        protocol=case.protocol,
        parts=case.parts,
        formula="; ".join(dict.fromkeys(each.formula for each in case.measurements if each.formula)),
        conditions=dict(conditions[case] if case in conditions else conditions_of_case(case)),
        summary=_summary(case.summary) if case.summary else None,
        findings=_findings(case.findings),
    )
    return replace(
        canonical(without_runs),
        measurements=tuple(evidence.measurement(each, case) for each in case.measurements),
        unmeasured=tuple(evidence.run(run, case) for run in case.unmeasured),
    )


def _summary(summary: Summary) -> model.Summary:
    several = summary.n > 1
    return model.Summary(
        value=summary.median,
        repeats=summary.n,
        low=summary.low if several else None,
        high=summary.high if several else None,
        coverage=(summary.coverage or None) if several else None,
        reached=summary.reached and several,
        statistic=summary.statistic,
        over_all=summary.over_all,
    )


class _Evidence:
    """The measurements of all cases, canonical. Cases of several metrics, one after the other, share runs."""

    def __init__(self, machines: "_Machines") -> None:
        self._machines = machines
        # By the identity of what they are made of, which the report keeps alive.
        self._runs: dict[tuple[object, ...], model.Run] = {}
        self._windows: dict[int, model.Window] = {}
        self._sources: dict[tuple[str, ...], tuple[str, ...]] = {}

    def measurement(self, measurement: Measurement, case: Case) -> model.Measurement:
        """Return a measurement of a case."""
        sources = tuple(map(_source, measurement.sources))
        own = canonical(
            model.Measurement(
                run=_NO_RUN,
                value=measurement.value,
                evidence=measurement.evidence,
                clock=measurement.clock,
                sources=() if sources == (_source(measurement.run.source),) else sources,
                findings=_findings(measurement.findings),
                over_all=measurement.over_all,
            )
        )
        return replace(
            own,
            run=self.run(measurement.run, case),
            window=self._window(measurement.window) if measurement.window else None,
            sources=self._sources.setdefault(own.sources, own.sources),
        )

    def run(self, run: Run, case: Case) -> model.Run:
        """Return a run of a case."""
        own = {name: _finite(value) for name, value in run.factors.items() if name not in case.factors}
        key = id(run), *own  # the values are those of the run
        if key not in self._runs:
            if len(self._runs) >= _MOST_SHARED:
                self._forget()
            self._runs[key] = canonical(_run(run, own, self._machines.name(run)))
        return self._runs[key]

    def _forget(self) -> None:
        """Let go of what cases share, which may be in a file by now."""
        self._runs.clear()
        self._windows.clear()
        self._sources.clear()

    def _window(self, window: Window) -> model.Window:
        if id(window) not in self._windows:
            self._windows[id(window)] = canonical(_window(window))
        return self._windows[id(window)]


_NO_RUN = model.Run("")


def _run(run: Run, own: dict[str, FactorValue], machine: str) -> model.Run:
    return model.Run(
        id=run.id,
        format=run.format,
        status=run.status,
        repeat=run.repeat,
        factors=own,
        machine=machine,
        started=run.started,
        started_clock=run.started_clock,
        round=run.round,
        profiler=run.profiler,
        source=_source(run.source),
        findings=_findings(run.findings),
    )


def _window(window: Window) -> model.Window:
    return model.Window(
        first=window.first,
        last=window.last,
        steps=window.steps,
        time=window.time if math.isfinite(window.time) else None,
        gap_time=window.gap_time or None,
        samples=window.samples if math.isfinite(window.samples) else None,
        outside=window.outside if math.isfinite(window.outside) else None,
    )


def _runs(case: Case) -> tuple[Run, ...]:
    return (*(measurement.run for measurement in case.measurements), *case.unmeasured)


class _Machines:
    """The environments of all runs: what they share, and what varies from machine to machine."""

    def __init__(self, runs: Sequence[Run]) -> None:
        values: dict[str, set[str]] = {}
        counts: Counter[str] = Counter()
        # The runs of a machine share one environment.
        runs_of = Counter(id(run.environment) for run in runs)
        every = {id(run.environment): run.environment for run in runs}
        texts_of = {key: _texts(environment) for key, environment in every.items()}
        for key, texts in texts_of.items():
            for name, text in texts.items():
                values.setdefault(name, set()).add(text)
                counts[name] += runs_of[key]
        everywhere = {name for name, count in counts.items() if count == len(runs)}
        self.shared = {n: next(iter(v)) for n, v in sorted(values.items()) if len(v) == 1 and n in everywhere}
        varying = [
            name
            for name, different in sorted(values.items())
            if name not in self.shared and len(different) <= _MAX_ENVIRONMENT_VALUES
        ]
        self.named: dict[str, dict[str, str]] = {}
        self._names: dict[int, str] = {}
        for key, texts in texts_of.items():
            own = {name: texts[name] for name in varying if name in texts}
            self._names[key] = _digest(own) if own else ""
            if own:
                self.named.setdefault(self._names[key], own)

    def name(self, run: Run) -> str:
        """Return the name of the machine of a run, "" if its environment says nothing of its own."""
        return self._names[id(run.environment)]


def _digest(texts: object) -> str:
    return blake2b(repr(texts).encode("utf-8", "backslashreplace"), digest_size=4).hexdigest()


def _texts(environment: Factors) -> dict[str, str]:
    return {
        one_line(name): one_line(str(value))[:_MAX_VALUE_CHARACTERS] for name, value in environment.items()
    }


def _run_counts(report: Report) -> model.RunCounts:
    days = sorted({run.day for run in report.runs if run.day})
    devices = {short_name(str(run.factors["device"])) for run in report.runs if "device" in run.factors}
    return model.RunCounts(
        statuses=dict(Counter(run.status for run in whole_runs(report.runs))),
        first_day=days[0] if days else "",
        last_day=days[-1] if days else "",
        devices=tuple(sorted(devices)),
        sentences=report.run_counts,
    )
