"""Propose a definition, TOML, of tables that show what hand-made tables were found to show.

Only tables with a mapping are proposed: its measures become metric and phase, its keys rows and columns, the
factors with one value everywhere `where`. Factors that vary become rows, because a cell may not hide them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from reportgen.audit.auditor import AuditedDocument, AuditedTable
from reportgen.audit.evidence import REPEAT, Evidence
from reportgen.audit.keys import is_folder
from reportgen.audit.mapping import TableMapping
from reportgen.audit.verdicts import CellVerdict
from reportgen.core.factors import factor_key, toml_text
from reportgen.core.model import FactorValue
from reportgen.document.file_names import stem

_WITHOUT_CASE = (CellVerdict.NO_SOURCE, CellVerdict.MISPLACED)
_DERIVED = (REPEAT, "devices_per_node", "global_batch_size")


def propose_definition(documents: Sequence[AuditedDocument], evidence: Evidence) -> str:
    """Return a definition with one table for each table that has numbers with a source, "" without any."""
    tables: list[list[str]] = []
    for document in documents:
        for audited in document.tables:
            if audited.mapping and audited.mapping.readings:
                table = _table(audited, audited.mapping, evidence, len(tables) + 1)
                tables += [table] if table else []
    if not tables:
        return ""
    lines = [line for table in tables for line in table]
    return "\n".join(['title = "Tables made by hand"', *lines, ""])


def _table(audited: AuditedTable, mapping: TableMapping, evidence: Evidence, number: int) -> list[str]:
    cases = [
        each.case
        for each in audited.judgements
        if each.case and not each.is_key and each.verdict not in _WITHOUT_CASE
    ]
    if not cases:
        return []
    fixed, varying = _factors(cases)
    columns = _named(mapping, evidence, varying, is_row=False)
    rows = [name for name in varying if name not in columns]
    measures = Counter(evidence.measures[reading.measure] for reading in mapping.readings.values())
    metrics = list(dict.fromkeys(measure.metric for measure in measures))
    phases = list(dict.fromkeys(measure.phase for measure in measures))
    columns += ["metric"] if len(metrics) > 1 else []
    columns += ["phase"] if len(phases) > 1 else []
    title = audited.table.context[-1] if audited.table.context else f"Table {number}"
    lines = [
        "",
        "[[tables]]",
        f"id = {toml_text(stem(f'table-{number}'))}",
        f"title = {_string(title)}",
        f"where = {{ {', '.join(f'{_key(name)} = {_value(value)}' for name, value in fixed.items())} }}",
        f"metric = {_list(metrics)}",
        f"phase = {_list(phases)}",
        f"rows = {_list(rows)}",
        f"columns = {_list(columns)}",
    ]
    units = {reading.scale.name for reading in mapping.readings.values()}
    if len(units) == 1 and (unit := units.pop()) in _UNITS:
        lines.append(f'unit = "{unit}"')
    return [line for line in lines if line != "where = {  }"]


_UNITS = ("s", "ms", "us", "MiB", "GiB", "MB", "GB", "%", "W")


def _factors(cases: Iterable[Mapping[str, FactorValue]]) -> tuple[dict[str, FactorValue], list[str]]:
    """Return the factors with one value in all cases, and the names of the others."""
    values: dict[str, dict[object, FactorValue]] = {}
    for case in cases:
        for name, value in case.items():
            if name not in _DERIVED and not is_folder(name):
                values.setdefault(name, {})[factor_key(value)] = value
    fixed = {name: next(iter(known.values())) for name, known in values.items() if len(known) == 1}
    return fixed, [name for name, known in values.items() if len(known) > 1]


def _named(mapping: TableMapping, evidence: Evidence, varying: Sequence[str], *, is_row: bool) -> list[str]:
    """Return the varying factors that the headings of a table name."""
    counts: Counter[str] = Counter()
    for slot in mapping.layout.slots:
        if slot.is_row == is_row:
            for match in slot.matches:
                counts.update(name for name in (match.named if match else ()) if name in varying)
    return [name for name in varying if counts[name] and np.any(evidence.codes[name] >= 0)]


def _list(names: Sequence[str]) -> str:
    return f"[{', '.join(_string(name) for name in names)}]"


def _key(name: str) -> str:
    return name if name.replace("_", "").isalnum() and name.isascii() else _string(name)


def _value(value: FactorValue) -> str:
    return _string(value) if isinstance(value, str) else toml_text(value)


def _string(text: str) -> str:
    safe = "".join(character if character.isprintable() else " " for character in text)
    return '"' + safe.replace("\\", "\\\\").replace('"', '\\"') + '"'
