"""Check the labels of a definition: by none of them may a reader take a value for another one.

Two values may have one label in headings that another factor distinguishes ("largest batch" of two models).
Then the caption says which values it means.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from reportgen.core.errors import RequestError
from reportgen.core.factors import FactorKey, factor_key, value_text
from reportgen.core.metrics import METRICS
from reportgen.core.model import DATA_LOADING, STEP, FactorValue
from reportgen.core.plain_text import as_seen
from reportgen.tables.headings import label_of_factor, label_of_value, value_in_words
from reportgen.tables.pivot import CaseGrid, key_of
from reportgen.tables.spec import METRIC, PHASE, TableSpec

# No label of another metric or phase may be one of these.
_NAMES: Mapping[str, Collection[str]] = {
    METRIC: METRICS,
    PHASE: (STEP, DATA_LOADING, "forward", "backward", "optimizer_step"),
}


def check_labels(spec: TableSpec, grids: Sequence[CaseGrid]) -> None:
    """Raise RequestError for a label of the definition by which a reader takes a value for another one.

    grids  of all facets of the table
    """
    heads = [head for grid in grids for head in _heads(spec, grid)]
    shown = _values_of(heads)
    qualifying = [name for name in (*spec.qualify, *spec.pick) if name not in shown]
    cases = [case for grid in grids for slot in grid.slots.values() for case in slot]
    shown |= {name: [key for case in cases if (key := key_of(name, case))] for name in qualifying}
    factors = _Labels("factor", {factor_key(name): label_of_factor(spec.labels, name).text for name in shown})
    for labels in (factors, *(_labels_of(spec, name, values) for name, values in shown.items())):
        labels.check_others(spec, _NAMES.get(labels.name, ()))
        if labels.name in ("factor", *qualifying):
            for text, keys in labels.shared().items():
                raise _same_label(spec, text, keys)
    _check_heads(spec, heads)


def shared_labels(spec: TableSpec, grid: CaseGrid) -> str:
    """Return which labels mean several values in headings that differ in another factor; "" if none."""
    shared = [
        f'"{text}" means {name.replace("_", " ")} {" and ".join(value_text(value) for _, value in keys)}'
        for name, values in _values_of(_heads(spec, grid)).items()
        for text, keys in _labels_of(spec, name, values).shared().items()
    ]
    return f"{'; '.join(shared)}." if shared else ""


# The factors and the values of a heading: of a row, a column or a facet.
_Head = tuple[Sequence[str], Sequence[FactorValue]]


def _heads(spec: TableSpec, grid: CaseGrid) -> list[_Head]:
    rows, columns = ([key.values for key in keys] for keys in (grid.rows, grid.columns))
    return [
        *((spec.rows, values) for values in rows),
        *((spec.columns, values) for values in columns),
        (spec.facets, grid.facet),
    ]


def _check_heads(spec: TableSpec, heads: Iterable[_Head]) -> None:
    """Raise RequestError for two headings that look the same because of a label."""
    firsts: dict[object, Sequence[FactorValue]] = {}
    for names, values in heads:
        texts = [as_seen(label_of_value(spec.labels, *each).text) for each in zip(names, values, strict=True)]
        first = firsts.setdefault((*names, *texts), values)
        for name, pair in zip(names, zip(first, values, strict=True), strict=True):
            for text, keys in _labels_of(spec, name, map(factor_key, pair)).shared().items():
                raise _same_label(spec, text, keys)


def _values_of(heads: Iterable[_Head]) -> dict[str, list[FactorKey]]:
    values: dict[str, dict[FactorKey, None]] = {}
    for names, head in heads:
        for name, value in zip(names, head, strict=True):
            values.setdefault(name, {})[factor_key(value)] = None
    return {name: list(keys) for name, keys in values.items()}


def _labels_of(spec: TableSpec, name: str, values: Iterable[FactorKey]) -> "_Labels":
    return _Labels(name, {key: label_of_value(spec.labels, name, key[1]).text for key in values})


def _same_label(spec: TableSpec, text: str, keys: Sequence[FactorKey]) -> RequestError:
    fact = f'{" and ".join(value_text(value) for _, value in keys)} have the same label "{text}"'
    return RequestError(f"{spec.place}.labels", fact, "give each its own label")


@dataclass(frozen=True, slots=True)
class _Labels:
    """The labels of the values of one factor, or of the factors of a table."""

    name: str
    texts: Mapping[FactorKey, str]

    def _is_given(self, key: FactorKey) -> bool:
        return self.texts[key] not in (value_text(key[1]), value_in_words(self.name, key[1]))

    def shared(self) -> dict[str, list[FactorKey]]:
        """Return the labels that look the same for several values, if the definition gave one of them."""
        alike: dict[str, list[FactorKey]] = {}
        for key, text in self.texts.items():
            alike.setdefault(as_seen(text), []).append(key)
        return {
            self.texts[keys[-1]]: keys
            for keys in alike.values()
            if len(keys) > 1 and any(map(self._is_given, keys))
        }

    def check_others(self, spec: TableSpec, known: Collection[str]) -> None:
        """Raise RequestError for a label that is another value; `known` are values beside those shown."""
        others = {as_seen(value_text(value)): (kind, value) for kind, value in self.texts}
        others |= {as_seen(each): factor_key(each) for each in known}
        for key, text in self.texts.items():
            if self._is_given(key) and others.get(as_seen(text), key) != key:
                fact = f'{value_text(key[1])} has the label "{text}", which is another {self.name}'
                raise RequestError(f"{spec.place}.labels", fact, "give it another label")
