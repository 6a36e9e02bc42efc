"""Encode the evidence of a report as JSON for the script of index.html.

The keys are in docs/developers/rendering.md. A page of 10,000 runs has to stay small, so what many runs
share is written once: factors of all cases, messages of findings, environments, and paths that differ only
in the run. Cases of the same runs are one configuration, which says once what they share. A run is a list
whose last entries are left out where they have their default.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from hashlib import blake2b
from typing import Any

import msgspec

from reportgen.core.model import Factors
from reportgen.core.plain_text import one_line
from reportgen.core.rules import known_rule
from reportgen.core.units import machine
from reportgen.document.model import Case, Document, Finding, Table
from reportgen.render.grid.evidence import (
    BEFORE_BASELINE,
    NO_VALUE,
    BaselineSentence,
    CaseEvidence,
    ConfigurationEvidence,
    Repeat,
    ReportEvidence,
    configurations_of,
    shared_factors,
)
from reportgen.render.page import compare_data
from reportgen.render.page.page_json import encoded, in_attribute

Json = dict[str, Any]

_MAX_VALUE_CHARACTERS = 500

# Of the name of what cases share; one that is taken gets more.
_NAME_CHARACTERS = 4


def evidence_json(report: Document, evidence: ReportEvidence) -> tuple[str, dict[str, str]]:
    """Return what the page says of all configurations, and what of each, by the name of its first case.

    Both are JSON: the first is safe inside a script element, the others are in an attribute.
    """
    encoder = _Encoder(report, compare_data.ambiguous_names(report.cases))
    own = {each.first.name: in_attribute(encoder.configuration(each)) for each in evidence.configurations}
    return _document(head(report), encoder.shared(evidence.shared)), own


def head(report: Document) -> Json:
    """Return what the page says itself, wherever the evidence of its cases is."""
    return {
        "report": report.name,
        "folders": sorted({each.path for each in report.provenance}),
        "source": report.source_url,
        "before": BEFORE_BASELINE,
        "environment": report.environment,
        "environments": report.machines,
        "terms": compare_data.names_of_terms(report),
    }


def head_json(report: Document, files: int) -> str:
    """Return the data of a page whose evidence is in so many files beside it."""
    return _document(head(report) | {"evidenceFiles": files})


def parts_json(
    report: Document, anchor: Callable[[Table], str], part_of: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    """Yield the parts of the evidence by name, each with all that it refers to but the head and other cases.

    anchor   returns the anchor of a table on the page
    part_of  returns the part of a case by its name
    """
    ambiguous, shared = compare_data.ambiguous_names(report.cases), shared_factors(report)
    parts: dict[str, tuple[_Encoder, list[msgspec.Raw]]] = {}
    for configuration in configurations_of(report, shared, anchor):
        members: dict[str, list[CaseEvidence]] = {}
        for case in configuration.cases:
            members.setdefault(part_of(case.name), []).append(case)
        for name, cases in members.items():
            encoder, done = parts.setdefault(name, (_Encoder(report, ambiguous), []))
            # Encoded, the evidence of many runs takes less memory.
            made = encoder.configuration(ConfigurationEvidence(tuple(cases)))
            done.append(msgspec.Raw(msgspec.json.encode(made)))
    for name in list(parts):
        encoder, done = parts.pop(name)
        yield name, _document(encoder.shared(shared), {"configurations": done})


def _document(*groups: Json) -> str:
    """Return the fields of all groups as one object, a line each group."""
    fields = [
        ",".join(f"{encoded(name)}:{encoded(value)}" for name, value in group.items()) for group in groups
    ]
    return "{" + ",\n".join(fields) + "}\n"


class _Named:
    """Values in the order of their first use, named by their content: a new one renames no other."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self.values: dict[str, Any] = {}

    def name(self, value: Any) -> str:
        if value not in self._names:
            digest = blake2b(encoded(value).encode(), digest_size=16).hexdigest()
            lengths = range(_NAME_CHARACTERS, len(digest) + 1)
            name = next(digest[:length] for length in lengths if digest[:length] not in self.values)
            self._names[value], self.values[name] = name, value
        return self._names[value]


class _Encoder:
    """Encodes cases, and collects what they share."""

    def __init__(self, report: Document, ambiguous: Collection[str]) -> None:
        self._report, self._ambiguous = report, ambiguous
        self._metrics, self._names, self._summaries, self._tables = (_Named() for _ in range(4))
        self._files, self._logs, self._messages, self._contracts = (_Named() for _ in range(4))
        self._conditions = _Named()
        self._remedies: dict[str, str] = {}

    def shared(self, factors: Factors) -> Json:
        """Return what the cases refer to, once all of them are encoded; `factors` are shared by all."""
        return {
            "shared": _texts(factors),
            "metrics": self._metrics.values,
            "names": self._names.values,
            "summaries": self._summaries.values,
            "tables": self._tables.values,
            "contracts": self._contracts.values,
            "conditions": self._conditions.values,
            "logs": self._logs.values,
            "files": self._files.values,
            "messages": self._messages.values,
            "remedies": self._remedies,
        }

    def configuration(self, configuration: ConfigurationEvidence) -> Json:
        """Return what its cases have in common, and each of them by name."""
        first, factors = configuration.first, _texts(configuration.first.factors)
        stored = self._report.case_by_name[first.name]
        return _some(
            {
                "factors": [self._names.name(tuple(factors)), *factors.values()],
                "keys": compare_data.factor_keys(stored, self._ambiguous),
                "usual": _trimmed([first.usual.folder, self._paths(first.usual.paths), _steps(first)]),
                "runs": [self._repeat(repeat, first) for repeat in first.repeats],
                **compare_data.fields_of_runs(stored),
                "cases": {case.name: self._case(case) for case in configuration.cases},
            }
        )

    def _case(self, case: CaseEvidence) -> Json:
        stored = self._report.case_by_name[case.name]
        quantity = compare_data.quantity(stored)
        values = [None if each.value == NO_VALUE else _float(each.value) for each in case.repeats]
        measured = [value for value in values if value is not None]
        ends = list(map(_float, case.ends))
        return _some(
            {
                "metric": self._metrics.name((one_line(case.title), case.unit, case.factor, *quantity)),
                "summary": self._summaries.name((case.how, case.evidence)),
                "ends": ends if ends != measured else [],
                "values": values if measured else [],
                "findings": self._findings(case.findings),
                "compared": [self._compared(compared) for compared in case.compared],
                "conditions": self._condition_names(stored),
                **compare_data.fields_of_case(stored, [value * case.factor for value in measured]),
            }
        )

    def _condition_names(self, case: Case) -> str:
        """Return the name of the conditions of a case, "" for none."""
        values = dict(compare_data.values_of(case))
        return self._conditions.name((self._names.name(tuple(values)), *values.values())) if values else ""

    def _compared(self, compared: BaselineSentence) -> list[Any]:
        """Return [table, kind, value, baseline, text after it, ratio of speeds with its ends, contract]."""
        verdict = compared.verdict
        numbers = (verdict.ratio, verdict.low, verdict.high) if verdict else ()
        ends = [_rounded(number) for number in numbers if number is not None]
        # All digits of report.json: the page rounds once, to the digits of the table.
        table, value = self._tables.name(compared.table), _float(machine(compared.value))
        text = compared.contract
        lists = (text.held_equal, text.compared, text.differs, text.not_stated)
        contract = self._contracts.name(tuple(map(one_line, lists)))
        return [table, compared.kind, value, compared.baseline, one_line(compared.after), ends, contract]

    def _repeat(self, repeat: Repeat, case: CaseEvidence) -> list[Any]:
        """Return [run, time, environment, findings, status, sources, steps, time left out, evidence,
        more sources, time outside of the window]; 0 for usual sources and steps of the case.
        """
        window, usual = repeat.window, case.usual
        return _trimmed(
            [
                self._run_id(repeat, usual.folder),
                _rounded(window.time or 0.0) if window else 0,
                repeat.run.machine,
                self._findings(repeat.findings),
                "" if repeat.status == "complete" else repeat.status,
                0 if repeat.paths == usual.paths else self._paths(repeat.paths),
                0 if repeat.steps == usual.steps else repeat.steps,
                _rounded(window.gap_time or 0.0) if window else 0,
                "" if repeat.evidence == case.evidence else repeat.evidence,
                repeat.more_sources,
                _rounded(window.outside or 0.0) if window else 0,
            ]
        )

    def _run_id(self, repeat: Repeat, folder: str) -> str:
        """Return the id without the folder; the log of `log#number` by its name: it may hold many runs."""
        if repeat.number:
            return f"{self._logs.name(repeat.log)}{repeat.number}"
        return repeat.log[len(folder) :]

    def _paths(self, paths: Iterable[tuple[str, int]]) -> list[list[str | int]]:
        return [[self._files.name(path), line] for path, line in paths]

    def _findings(self, findings: Iterable[Finding]) -> list[str]:
        names = []
        for finding in findings:
            if rule := known_rule(finding.rule):
                self._remedies[finding.rule] = rule.remedy
            names.append(self._messages.name((finding.severity, finding.rule, one_line(finding.text))))
        return list(dict.fromkeys(names))


def _some(fields: Json) -> Json:
    """Return the fields that say something."""
    return {name: value for name, value in fields.items() if value not in ([], {}, "", None)}


def _steps(case: CaseEvidence) -> tuple[int, ...]:
    """Return the usual steps of a case, () if its log has none."""
    return case.usual.steps if any(case.usual.steps) else ()


def _trimmed(entries: list[Any]) -> list[Any]:
    """Return a list without the empty entries at its end."""
    while entries and entries[-1] in (0, "", [], (), None):
        entries.pop()
    return entries


def _texts(factors: Factors) -> dict[str, str]:
    return {one_line(name): one_line(str(value))[:_MAX_VALUE_CHARACTERS] for name, value in factors.items()}


def _float(text: str) -> float:
    return float(text.replace(",", ""))


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")
