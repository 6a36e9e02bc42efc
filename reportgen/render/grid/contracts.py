"""The contracts of comparisons in words: held equal, compared, not stated."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from reportgen.document.model import Case, Comparison, Document

# A longer value, such as a command, is left out.
_MAX_VALUE = 40

# The name of a case, and the case against its baseline.
Pair = tuple[str, Comparison]


@dataclass(frozen=True, slots=True)
class ContractText:
    """The lists of a contract as texts, "" for an empty one; factors by name, conditions with their values.

    differs  names of what else the comparisons differ in
    """

    held_equal: str
    compared: str
    differs: str
    not_stated: str


def contract_text(report: Document, pairs: Sequence[Pair]) -> ContractText:
    """Return what all comparisons held equal, what one is about, and what is not stated for one."""
    contracts = [report.contract_of(comparison) for _, comparison in pairs]
    held = {
        name: set[str]()
        for name in contracts[0].held_equal
        if all(name in each.held_equal for each in contracts)
    }
    about = {name: set[str]() for name in _union(each.about for each in contracts)}
    for name, comparison in pairs:  # the cases of many runs are in a file: one pair at a time
        case, baseline = report.case_by_name[name], report.case_by_name[comparison.baseline]
        for condition, values in held.items():
            values.add(_value(case, condition))
        for condition, values in about.items():
            values.add(_both(case, baseline, condition))
    return ContractText(
        _listed(held),
        _listed(about),
        ", ".join(_union(map(_words, (d.name for d in compared.differs)) for _, compared in pairs)),
        ", ".join(_union(map(_words, each.not_stated) for each in contracts)),
    )


def contracts_of_tables(report: Document) -> dict[ContractText, tuple[str, ...]]:
    """Return the different contracts of tables, with the titles of the tables, facets together."""
    pairs: dict[str, list[Pair]] = {}
    for table in report.tables:
        compared = report.comparisons_of(table).items()
        if compared_pairs := [pair for pair in compared if pair[1].contract]:
            pairs.setdefault(table.family_title, []).extend(compared_pairs)
    titles: dict[ContractText, tuple[str, ...]] = {}
    for title, each in pairs.items():
        text = contract_text(report, each)
        titles[text] = (*titles.get(text, ()), title)
    return titles


def _union(lists: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for names in lists for name in names))


def _listed(values_of: Mapping[str, Collection[str]]) -> str:
    """Return names with the value that is everywhere the same."""
    texts = []
    for name, values in values_of.items():
        value = next(iter(values)) if len(values) == 1 else ""
        texts.append(f"{_words(name)} ({value})" if value else _words(name))
    return ", ".join(texts)


def _value(case: Case, name: str) -> str:
    """Return the value of a condition, "" for a factor: a reader has its value before him."""
    value = "" if name in case.factors else case.conditions.get(name, "")
    return value if len(value) <= _MAX_VALUE else ""


def _both(case: Case, baseline: Case, name: str) -> str:
    values = [_value(each, name) for each in (case, baseline)]
    return f"{values[0]}; {values[1]} in the baseline" if all(values) else ""


def _words(name: str) -> str:
    return name.replace("_", " ")
