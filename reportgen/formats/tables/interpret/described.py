"""Find what a text beside a table says about its columns: the unit of each one, and the statistic.

"Build = wall time in s, Binary = stripped size in KiB, the other columns are run times in ms", "median of 5
runs". A text with several units is taken only if it gives each open column one of them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reportgen.core import units
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.formats.tables.definition import statistic_name
from reportgen.formats.tables.extremes import extreme
from reportgen.formats.tables.interpret.draft import Columns, Draft
from reportgen.formats.tables.interpret.statements import statements
from reportgen.formats.tables.stated_units import stated_meaning

# A comma in parentheses, or in a number, does not end a clause.
_CLAUSE = lazy_pattern(r"[.;,]\s+(?![^()\[\]]*[)\]])")
_SUBJECT = lazy_pattern(r"(?i)(?P<subject>.+?)\s*(?:[=:]|\b(?:is|are|in)\b|[(\[])")
_OTHERS = lazy_pattern(
    r"(?i)(?:all |the )*(?:others?|rest|remaining)(?: columns| numbers| values| of .{1,20})?"
)
_AND = lazy_pattern(r"(?i)\s*(?:,|&|\band\b|\bund\b)\s*")
_COUNT = (
    r"[0-9]+|two|three|four|five|six|seven|eight|nine|ten|twenty|drei|vier|fünf|sieben|zehn|trois|cinq|dix"
)
_RUNS = (
    r"runs?|reps|repeats?|repetitions?|trials?|measurements?|iterations?|executions?|invocations?|rounds?"
    r"|attempts?|läufen?|durchläufen?|messungen|wiederholungen|exécutions?|essais|mesures|ejecuciones"
    r"|mediciones|esecuzioni|misure"
)
_STATISTIC = lazy_pattern(
    r"(?i)(?<![-\w])(?P<name>mean|average|avg|median|minimum|min|maximum|max|best|fastest|mittelwert|mittel"
    r"|durchschnitt|moyenne|moyen|médiane|media|medio|promedio|média|médio|mediana)(?: times?)?"
    r"(?:\s*(?:±|\+/-|\|plusmn\|)[\w ]{1,25}?)?"
    r"\s+(?:of|over|across|from|aus|von|über|sur|de|su|di|em|en)\s+(?:the |last )*"
    rf"(?:{_COUNT})(?:(?: [\w-]+)? (?:{_RUNS})\b|(?=\s*(?:$|[.,;:)\]])))"
)
_NAMES = {
    "mittelwert": "mean", "mittel": "mean", "moyenne": "mean", "media": "mean",
    "médiane": "median", "mediana": "median", "durchschnitt": "mean", "moyen": "mean", "medio": "mean",
    "promedio": "mean", "média": "mean", "médio": "mean",
}  # fmt: skip
# "Table 3. Short prompts"
_CAPTION = lazy_pattern(r"(?i)tab(?:le|elle|\.)?\s*[0-9]+")
_MEASURED = ("s", "samples/s", "B/s", "FLOP/s")


@dataclass(frozen=True, slots=True)
class Described:
    """The words of a clause about a column. is_case  whether several columns share the clause"""

    unit: str
    statistic: str
    is_case: bool


def read_described(draft: Draft, figures: Columns, unknown: list[str]) -> None:
    """Make figures of the columns whose units one text states, column by column.

    figures  gains them; unknown  numbers whose names say nothing: loses them
    """
    open_columns = [*unknown, *(name for name, meaning in figures if not meaning.unit)]
    texts = [text for text in draft.table.texts if len(units_in(text)) > 1]
    for known in (_described(text, draft.columns, open_columns) for text in texts):
        if known:
            figures[:] = [each for each in figures if each[0] not in known]
            unknown[:] = [name for name in unknown if name not in known]
            for column, said in known.items():
                meaning = stated_meaning(column, said.unit, is_case=said.is_case)
                statistic = extreme(said.statistic, meaning.metric, meaning.unit)
                figures.append((column, replace(meaning, statistic=meaning.statistic or statistic)))
            shown = ", ".join(f'"{column}" in {said.unit}' for column, said in known.items())
            draft.result.notes.append(f"{shown}: as the text beside the table says")
            draft.result.doubts.append("the units are stated beside the table")
            draft.result.files = draft.table.name
            return


def units_in(text: str) -> set[str]:
    """Return the units that a text states."""
    return {each.unit for each in statements([text])}


def _described(text: str, names: Sequence[str], open_columns: Sequence[str]) -> Mapping[str, Described]:
    """Return what a text says of each open column, {} unless all of its clauses are clear."""
    known: dict[str, Described] = {}
    rest: Described | None = None
    for clause in filter(units_in, _CLAUSE.split(text)):
        own = units_in(clause)
        match = _SUBJECT.match(clause)
        subject = match["subject"].strip(" *_`") if match else ""
        columns = _named(subject, names)
        said = Described(own.pop(), statistic_in(clause), len(columns) != 1)
        is_rest = rest is None and bool(_OTHERS.fullmatch(subject))
        if own or not (columns or is_rest) or known.keys() & set(columns):
            return {}
        rest = said if is_rest else rest
        known |= dict.fromkeys(columns, said)
    others = [name for name in open_columns if name not in known]
    if rest:
        known |= dict.fromkeys(others, replace(rest, is_case=len(others) > 1))
    is_whole = known.keys() >= set(open_columns) or rest is not None
    return {name: known[name] for name in open_columns} if open_columns and is_whole else {}


def _named(subject: str, names: Sequence[str]) -> list[str]:
    """Return the columns that a subject lists, [] if it lists anything else."""
    by_name = {name.strip("*_` ").lower(): name for name in names}
    parts = [part.strip("*_` ").lower() for part in _AND.split(subject)]
    return [by_name[part] for part in parts] if all(part in by_name for part in parts) else []


def statistic_in(text: str) -> str:
    """Return the statistic of several runs that a text states, "" for none or for two."""
    names = {match["name"].lower() for match in _STATISTIC.finditer(text)}
    return statistic_name(_NAMES.get(name := names.pop(), name)) if len(names) == 1 else ""


def without_statistic_of_runs(text: str) -> str:
    """Return a text without the statistic of runs that it states, and without brackets about it."""
    text = re.sub(r"\([^()]*\)", lambda match: "" if _STATISTIC.search(match[0]) else match[0], text)
    return " ".join(_STATISTIC.sub(" ", text).split())


def state_statistic(draft: Draft) -> None:
    """Give times and rates without a statistic the one that a text beside the table states for all."""
    text = next((text for text in _about(draft.table.texts) if statistic_in(text)), "")
    statistic = statistic_in(text)
    figures = draft.result.figures
    if len(units_in(text)) > 1:
        if not any(figure.statistic for figure in figures):
            draft.result.notes.append(f"the text beside says {statistic} of runs, but not of which columns")
        return
    at = [
        i
        for i, x in enumerate(figures)
        if statistic and not x.statistic and units.to_base(1.0, x.unit)[1] in _MEASURED
    ]
    for i in at:
        figures[i] = figures[i].of_statistic(statistic)
    if at:
        draft.result.notes.append(f"times and rates are the {statistic} of runs, as the text beside says")
        draft.result.files = draft.result.files or ("" if draft.table.is_json else draft.table.name)


def _about(texts: Sequence[str]) -> Iterator[str]:
    """Yield the texts that may be about a table: of numbered captions only the nearest, the first."""
    captions = [text for text in texts if _CAPTION.match(text)]
    return (text for text in texts if text not in captions[1:])
