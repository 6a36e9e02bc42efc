"""Read report.json of older versions, so that `diff` and `history` read what earlier commits contain.

Version 2 had cells with the factors of their row and column instead of heads, and a run and its value in one
object. It lacks what pages need besides: such a document can be compared, and not be rendered. Version 3 had
the comparison of a case in each of its cells, and version 4 in each of its tables, with the breakdowns beside
them. Until version 4, each table had its notes, and cells referred to them by position, as the configurations
of an explorer did to the values of its factors.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from reportgen.document.model import VERSION, Note, name_of_pair

Json = dict[str, Any]

OLDEST = 2

_OF_RUN = ("format", "status", "repeat", "started", "started_clock", "round", "source")


def upgraded(raw: Json) -> Json:
    """Return the content of a report.json of an older version in the form of today."""
    document = raw if raw["version"] > OLDEST else _of_version_2(raw)
    if raw["version"] < 4:
        document = document | {"tables": [_with_comparisons(table) for table in document.get("tables", ())]}
    version = {"version": VERSION} if raw["version"] > OLDEST else {}
    return _of_version_4(document) | version


def _of_version_4(raw: Json) -> Json:
    """Return the content of a report.json of version 4 with each comparison and note once."""
    breakdowns = {(each["case"], each["baseline"]): each for each in raw.get("breakdowns", ())}
    comparisons: dict[str, Json] = {}
    notes: dict[str, Json] = {}
    tables = []
    for table in raw.get("tables", ()):
        names: dict[str, str] = {}
        for case, compared in table.get("comparisons", {}).items():
            breakdown = breakdowns.get((case, compared["baseline"]))
            whole = compared | ({"breakdown": breakdown} if breakdown else {})
            names[case] = name_of_pair(case, compared["baseline"], whole, comparisons)
        keys = [msgspec.convert(note, Note).key for note in table.get("notes", ())]
        notes |= zip(keys, table.get("notes", ()), strict=True)
        tables.append(_with_names(table, keys) | {"comparisons": names})
    explorer = {"explorer": _with_values(raw["explorer"])} if raw.get("explorer") else {}
    return raw | {"tables": tables, "comparisons": comparisons, "notes": notes} | explorer


def _with_values(explorer: Json) -> Json:
    """Return an explorer whose configurations have values instead of their positions."""
    values = [factor["values"] for factor in explorer["factors"]]
    configurations = [
        each | {"values": [known[at] for known, at in zip(values, each["values"], strict=True)]}
        for each in explorer.get("configurations", ())
    ]
    return explorer | {"configurations": configurations}


def _with_names(table: Json, keys: Sequence[str]) -> Json:
    """Return a table whose rows and cells refer to notes by name."""

    def named(part: Json) -> Json:
        return part | {"notes": [keys[note] for note in part["notes"]]} if "notes" in part else part

    rows = list(map(named, table.get("rows", ())))
    return table | {"rows": rows, "cells": [list(map(named, line)) for line in table.get("cells", ())]}


def _with_comparisons(table: Json) -> Json:
    """Return a table of version 3 with the comparison of each case once."""
    cells = [cell for line in table.get("cells", ()) for cell in line]
    compared = {
        cell["case"]: cell["comparison"] for cell in cells if cell.get("case") and "comparison" in cell
    }
    return table | {"comparisons": compared}


def _of_version_2(raw: Json) -> Json:
    """Return the content of a report.json of version 2 in the form of version 3."""
    return {
        "version": 2,
        "name": raw.get("name", ""),
        "title": raw.get("title", ""),
        "headline": next(iter(raw.get("verdict", ())), ""),
        "tables": [_table(table) for table in raw.get("tables", ())],
        "cases": [_case(case) for case in raw.get("cases", ())],
        "breakdowns": [_breakdown(breakdown) for breakdown in raw.get("breakdowns", ())],
        "findings": raw.get("findings", ()),
        "sources": raw.get("sources", {}),
        "protocol": raw.get("protocol", ""),
        "protocols": {
            name: {field: value for field, value in fields.items() if value is not None}
            for name, fields in raw.get("protocols", {}).items()
        },
        "provenance": raw.get("provenance", ()),
        "generated": raw.get("generated", ()),
    }


def _table(raw: Json) -> Json:
    """Return a table with the heads of its cells, in their order."""
    rows: dict[str, Json] = {}
    columns: dict[tuple[str, str, int], Json] = {}
    placed: dict[tuple[str, tuple[str, str, int]], Json] = {}
    for cell in raw.get("cells", ()):
        row, column = cell.get("row", {}), cell.get("column", {})
        at, quantity = repr(row), cell.get("quantity", "value")
        # Columns that qualifying factors split have one key.
        number = next(n for n in range(len(placed) + 1) if (at, (repr(column), quantity, n)) not in placed)
        of = (repr(column), quantity, number)
        rows.setdefault(at, {"key": list(row.values()), "is_mean": not row and bool(rows)})
        columns.setdefault(of, {"key": list(column.values()), "quantity": quantity})
        placed[at, of] = _cell(cell)
    some: Json = next(iter(raw.get("cells", ())), {})
    return {
        "id": raw["id"],
        "title": raw.get("title", ""),
        "metric": raw.get("metric", ""),
        "definition": raw.get("definition", ""),
        "row_factors": list(some.get("row", {})),
        "column_factors": list(some.get("column", {})),
        "rows": list(rows.values()),
        "columns": list(columns.values()),
        "cells": [[placed.get((row, of), {"kind": "absent"}) for of in columns] for row in rows],
        "findings": raw.get("findings", ()),
    }


def _cell(raw: Json) -> Json:
    kept: Json = {
        name: raw[name] for name in ("kind", "value", "low", "high", "shown", "text", "case") if name in raw
    }
    if unit := raw.get("unit"):
        kept["unit"] = {"name": unit, "base": unit, "factor": 1.0}
    if compared := raw.get("comparison"):
        kept["comparison"] = {
            name: compared[name] for name in ("kind", "baseline", "value", "excess") if name in compared
        }
        if speed := compared.get("expected_speed"):
            kept["comparison"]["expected"] = {"target": "", "reference": "", "speed": speed}
    return kept


def _case(raw: Json) -> Json:
    kept: Json = {
        name: raw[name]
        for name in ("factors", "metric", "phase", "unit", "protocol", "conditions", "findings")
        if name in raw
    }
    summary = raw.get("summary")
    if summary and summary.get("value") is not None:
        kept["summary"] = summary
    return kept | {
        "name": raw["case"],
        "measurements": [
            _measurement(each) for each in raw.get("measurements", ()) if each.get("value") is not None
        ],
        "unmeasured": [_run(each) for each in raw.get("unmeasured", ())],
    }


def _run(raw: Json) -> Json:
    return {name: raw[name] for name in (*_OF_RUN, "findings") if name in raw} | {"id": raw["run"]}


def _measurement(raw: Json) -> Json:
    """Return a measurement; the findings of its run and its own were one list."""
    run = {name: raw[name] for name in _OF_RUN if name in raw} | {"id": raw["run"]}
    names = ("value", "evidence", "window", "sources", "findings")
    return {"evidence": "aggregate"} | {name: raw[name] for name in names if name in raw} | {"run": run}


def _breakdown(raw: Json) -> Json:
    kept = {
        name: raw[name] for name in ("case", "baseline", "per", "seconds", "case_seconds", "baseline_seconds")
        if name in raw
    }  # fmt: skip
    names = ("name", "kind", "seconds", "case_seconds", "baseline_seconds")
    return kept | {
        "parts": [{name: part[name] for name in names if name in part} for part in raw.get("parts", ())]
    }
