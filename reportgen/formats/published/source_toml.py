"""Parse `source.toml`, the description of a published table, into a Definition.

What cannot be understood is left out and becomes a problem (line, fact): a wrong description is a
problem of the data and never stops a build. The grammar stands in docs/reference/formats/published.md.
"""

import re
import tomllib
from collections.abc import Mapping
from datetime import date, time
from typing import Any, get_args

from reportgen.core.errors import did_you_mean
from reportgen.core.model import FactorValue, Status, is_value
from reportgen.formats.published.publication import TOKENS, Conditions, Correction, Definition, Figure, Lookup

# tomllib takes time that grows with the square of a key of many dots.
_MOST = 64 * 1024
_KEYS = (
    "title",
    "url",
    "date",
    "tables",
    "factors",
    "constants",
    "environment",
    "columns",
    "status",
    "metrics",
    "tokens",
    "where",
    "environments",
    "corrections",
)


def parse(content: bytes) -> Definition:
    """Return the definition, with problems for all that is wrong with it; never raises."""
    definition = Definition(content[:_MOST].decode("utf-8", "replace"))
    if len(content) > _MOST:
        definition.problems.append((0, f"larger than {_MOST // 1024} KiB, and so no source.toml"))
        return definition
    try:
        document = tomllib.loads(definition.text)
    except (ValueError, RecursionError) as error:
        found = re.search(r"at line ([0-9]+)", str(error))
        definition.problems.append((int(found[1]) if found else 0, f"not TOML: {str(error)[:200]}"))
        return definition
    _unknown(definition, document, _KEYS, "")
    _parse_about(definition, document)
    _parse_factors(definition, document)
    _parse_columns(definition, document)
    _parse_tokens(definition, document)
    definition.where = _conditions(definition, document.get("where", {}), "where")
    for entry in _entries(definition, document, "metrics"):
        _parse_figure(definition, entry)
    for entry in _entries(definition, document, "environments"):
        _unknown(definition, entry, ("where", "values"), "environments")
        where = _conditions(definition, entry.get("where", {}), "environments.where")
        values = _scalars(definition, entry.get("values", {}), "environments.values")
        definition.environments.append((where, values))
    for entry in _entries(definition, document, "corrections"):
        _parse_correction(definition, entry)
    return definition


def _parse_about(definition: Definition, document: Mapping[str, Any]) -> None:
    for key in ("title", "url", "date"):
        value = document.get(key)
        if isinstance(value, str) or (key == "date" and isinstance(value, (date, int))):
            definition.about[f"publication.{key}"] = str(value)
        elif value is not None or key == "title":
            definition.problem(f"{key} is not a text" + (" or a date" if key == "date" else ""), key)
    tables = document.get("tables")
    if isinstance(tables, list) and tables and all(isinstance(name, str) for name in tables):
        definition.tables = list(dict.fromkeys(tables))
    else:
        definition.problem("tables is required, as a list of CSV files beside source.toml", "tables")


def _parse_factors(definition: Definition, document: Mapping[str, Any]) -> None:
    for section, target in (("factors", definition.factors), ("environment", definition.environment)):
        for name, value in _table(definition, document, section).items():
            lookup = _lookup(definition, value, f"{section}.{name}")
            if lookup:
                target[name] = lookup
    definition.constants = dict(_scalars(definition, document.get("constants", {}), "constants"))


def _parse_columns(definition: Definition, document: Mapping[str, Any]) -> None:
    columns = _table(definition, document, "columns")
    _unknown(definition, columns, ("repeat", "status", "samples_per_step", "source"), "columns")
    for key in ("repeat", "status", "source"):
        value = columns.get(key)
        if isinstance(value, str):
            setattr(definition, key, value)
        elif value is not None:
            definition.problem(f"columns.{key} is not the name of a column", key)
    definition.samples = _samples(definition, columns.get("samples_per_step"))
    for word, meaning in _table(definition, document, "status").items():
        if meaning in get_args(Status):
            definition.statuses[word] = meaning
        else:
            nearest = did_you_mean(str(meaning), get_args(Status))
            definition.problem(f'status.{word}: no status "{meaning}"; {nearest}', word)


def _samples(definition: Definition, value: object) -> tuple[str, ...]:
    """Return the columns whose product is the work of one step over all devices."""
    if value is None or isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, dict):
        _unknown(definition, value, ("column", "times"), "columns.samples_per_step")
        times = value.get("times", [])
        names = (value.get("column"), *(times if isinstance(times, list) else [None]))
        if all(isinstance(name, str) for name in names):
            return names
    definition.problem(
        'columns.samples_per_step is neither a column nor { column = "...", times = ["..."] }',
        "samples_per_step",
    )
    return ()


def _parse_tokens(definition: Definition, document: Mapping[str, Any]) -> None:
    tokens = _table(definition, document, "tokens")
    _unknown(definition, tokens, TOKENS, "tokens")
    for key in TOKENS:
        words = tokens.get(key)
        if isinstance(words, list) and all(isinstance(word, str) for word in words):
            definition.tokens[key] = tuple(words)
        elif words is not None:
            definition.problem(f"tokens.{key} is not a list of texts", key)


def _parse_figure(definition: Definition, entry: Mapping[str, Any]) -> None:
    _unknown(definition, entry, ("column", "metric", "phase", "unit", "statistic", "where"), "metrics")
    column = entry.get("column")
    if not isinstance(column, str):
        definition.problem("metrics.column is required, as text", "metrics")
        return
    parts = {}
    for key, default in (("metric", None), ("phase", "step"), ("unit", None), ("statistic", "published")):
        value = entry.get(key, default)
        part = value if isinstance(value, str) else _lookup(definition, value, f"metrics.{key} of {column}")
        if part is None:
            return
        parts[key] = part
    where = _conditions(definition, entry.get("where", {}), "metrics.where")
    definition.figures.append(Figure(column, where=where, **parts))


def _parse_correction(definition: Definition, entry: Mapping[str, Any]) -> None:
    keys = ("where", "column", "value", "reason", "source")
    _unknown(definition, entry, keys, "corrections")
    texts, value = [entry.get(key, "") for key in ("column", "reason", "source")], entry.get("value")
    if not (all(isinstance(text, str) for text in texts) and texts[0] and texts[1] and _is_scalar(value)):
        definition.problem("corrections need column, value and reason, and may have source", "corrections")
        return
    where = _conditions(definition, entry.get("where", {}), "corrections.where")
    definition.corrections.append(Correction(where, texts[0], _scalar(value), texts[1], texts[2]))


def _lookup(definition: Definition, value: object, place: str) -> Lookup | None:
    if isinstance(value, str):
        return Lookup(value)
    if isinstance(value, dict) and isinstance(value.get("column"), str):
        _unknown(definition, value, ("column", "values"), place)
        return Lookup(value["column"], _scalars(definition, value.get("values", {}), f"{place}.values"))
    key = place.split(".")[-1].split()[0]
    definition.problem(f"{place} is required, and neither a text nor a table with column", key)
    return None


def _conditions(definition: Definition, value: object, place: str) -> Conditions:
    """Return column -> accepted values; a single value is a list of one."""
    if not isinstance(value, dict):
        definition.problem(f"{place} is not a table", place.split(".")[0])
        return {}
    conditions = {}
    for name, wanted in value.items():
        accepted = wanted if isinstance(wanted, list) else [wanted]
        if all(_is_scalar(one) for one in accepted):
            conditions[name] = tuple(_scalar(one) for one in accepted)
        else:
            definition.problem(f"{place}.{name} is neither a value nor a list of values", name)
    return conditions


def _scalars(definition: Definition, value: object, place: str) -> dict[str, FactorValue]:
    if not isinstance(value, dict):
        definition.problem(f"{place} is not a table", place.split(".")[0])
        return {}
    for name, one in value.items():
        if not _is_scalar(one):
            definition.problem(f"{place}.{name} is not a single value (numbers: finite, 64 bits)", name)
    return {name: _scalar(one) for name, one in value.items() if _is_scalar(one)}


def _is_scalar(value: object) -> bool:
    return is_value(value) or isinstance(value, (date, time))


def _scalar(value: object) -> FactorValue:
    return value if isinstance(value, (str, int, float, bool)) else str(value)


def _table(definition: Definition, document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = document.get(key, {})
    if isinstance(value, dict):
        return value
    definition.problem(f"{key} is not a table", key)
    return {}


def _entries(definition: Definition, document: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = document.get(key, [])
    if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
        return value
    definition.problem(f"{key} is not a list of tables ([[{key}]])", key)
    return []


def _unknown(definition: Definition, table: Mapping[str, Any], known: Any, place: str) -> None:
    for key in table:
        if key not in known:
            where = f"{place}: " if place else ""
            definition.problem(f'{where}unknown key "{key}"; {did_you_mean(key, known)}', key)
