"""Encode the charts of a page as JSON for its script, each by itself.

Specifications repeat themselves: axes in each layer, names of series in each row. So an object that occurs
more than once is written once and referred to by `{"$": name}`, and the rows of data are written as columns.
`charts.js` undoes both.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from reportgen.render.figures.colours import ON_A_PAGE
from reportgen.render.figures.vega import CONFIG, Json
from reportgen.render.page.page_json import encoded, in_attribute

# A shorter object is not worth a name.
_MIN_SHARED_CHARACTERS = 60


def charts_json(specifications: Mapping[str, Json]) -> tuple[str, dict[str, str]]:
    """Return what the charts share, and the specification of each by its name.

    specifications  of the charts by name, all with the common configuration

    Both are JSON: the first is safe inside a script element, the others are in an attribute. What they share
    is `theme`, the properties of the page's style for the colours of figures, the common `config`, and
    `shared` objects by name.
    """
    own = {name: _without_common(spec) for name, spec in specifications.items()}
    shared = _Shared(own.values())
    packed = {name: in_attribute(shared.packed(spec)) for name, spec in own.items()}
    theme = {colour: text.removeprefix("var(").removesuffix(")") for colour, text in ON_A_PAGE.items()}
    objects = encoded(dict(sorted(shared.objects.items())))
    return f'{{"theme":{encoded(theme)},\n"config":{encoded(CONFIG)},\n"shared":{objects}}}\n', packed


def _without_common(spec: Json) -> Json:
    assert spec["config"] == CONFIG
    return {name: value for name, value in spec.items() if name not in ("config", "$schema")}


class _Shared:
    """The objects that occur more than once, by names that depend on their content only."""

    def __init__(self, values: Sequence[Json] | Any) -> None:
        self._counts: Counter[str] = Counter()
        for value in values:
            self._count(value)
        self.objects: dict[str, Any] = {}

    def _count(self, value: Any) -> None:
        for each in _children(value):
            if isinstance(each, dict) and len(text := encoded(each)) >= _MIN_SHARED_CHARACTERS:
                self._counts[text] += 1
                if self._counts[text] > 1:
                    continue  # its parts are counted once
            self._count(each)

    def packed(self, value: Any) -> Any:
        """Return a value with references instead of shared objects, and rows as columns."""
        if isinstance(value, list):
            return [self._part(each) for each in value]
        if isinstance(value, dict):
            return {
                name: {"columns": _columns(each["values"])} if _is_data(name, each) else self._part(each)
                for name, each in value.items()
            }
        return value

    def _part(self, value: Any) -> Any:
        if not isinstance(value, dict) or self._counts[text := encoded(value)] < 2:
            return self.packed(value)
        name = blake2b(text.encode(), digest_size=8).hexdigest()
        if name not in self.objects:
            self.objects[name] = self.packed(value)
        return {"$": name}


def _is_data(name: str, value: Any) -> bool:
    return name == "data" and isinstance(value, dict) and "values" in value


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        yield from value
    elif isinstance(value, dict):
        yield from (each for name, each in value.items() if not _is_data(name, each))


def _columns(rows: Sequence[Json]) -> Json:
    """Return the rows by field; a field that a row does not have is null."""
    fields = dict.fromkeys(field for row in rows for field in row)
    return {field: _column([row.get(field) for row in rows]) for field in fields}


def _column(values: list[Any]) -> Any:
    """Return a column; texts that are repeated are written once, and each row has the number of its own."""
    texts = dict.fromkeys(values)
    if not all(isinstance(text, str) for text in texts) or len(texts) == len(values):
        return values
    numbers = {text: number for number, text in enumerate(texts)}
    return {"texts": list(texts), "rows": [numbers[text] for text in values]}
