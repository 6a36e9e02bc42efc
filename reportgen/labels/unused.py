"""Find what a labels.toml says in vain: patterns that fit no log, names and values that no run has.

Such an entry is most often a typing mistake, and what it should have told apart is pooled. Runs get their
labels where they are read, in other processes; each notes what came to bear as a few `Use`s, and what is left
over is said once for a whole load. Only labels whose whole folder was read are judged.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from reportgen.core.errors import did_you_mean
from reportgen.core.model import Finding, Source
from reportgen.core.rules import Rule, Severity
from reportgen.formats.parsing.toml_lines import line_of
from reportgen.labels.labels_toml import Labels


class Use(NamedTuple):
    """What of one labels.toml came to bear on a run.

    folder  of the labels
    table   `paths`, `rename` or `aliases`; `runs` for there being one, `factors` for those that runs have
    key     number of a pattern, name of a factor; value  the text that an alias replaced
    """

    folder: str
    table: str
    key: str | int = ""
    value: str = ""


def unused(labels: Labels, text: str, used: Collection[Use]) -> Iterator[Finding]:
    """Yield a finding for each entry of a labels.toml that came to bear on nothing.

    text  of the file; used  by all logs below its folder: without a run among them nothing is said
    """
    if Use(labels.folder, "runs") not in used:
        return
    for severity, fact, keys in _unused(labels, used):
        line = next((line for key in keys if (line := line_of(text, key))), 0)
        place = labels.source.path
        yield Finding(severity, Rule.READ_UNUSED_LABEL, place, fact, Source(place, line))


def _unused(labels: Labels, used: Collection[Use]) -> Iterator[tuple[Severity, str, tuple[str, ...]]]:
    """Yield severity and fact of each entry in vain, and the texts by which its line is found."""
    factors = [str(use.key) for use in used if (use.folder, use.table) == (labels.folder, "factors")]

    def lacks(name: str) -> str:
        return f'no run has a factor "{name}"; {did_you_mean(name, factors)}'

    for number, pattern in enumerate(labels.paths):
        if Use(labels.folder, "paths", number) not in used:
            left = " that an earlier pattern leaves" if number else ""
            yield "warning", f'paths[{number}]: "{pattern.text}" fits no log{left}', (pattern.text,)
    for name in labels.rename:
        if Use(labels.folder, "rename", name) not in used:
            yield "warning", f"rename.{name}: {lacks(name)}", (name,)
    for name, values in labels.aliases.items():
        if Use(labels.folder, "aliases", name) not in used:
            yield "warning", f"aliases.{name}: {lacks(name)}", (f"aliases.{name}", name)
            continue
        for value in values:
            # A list of spellings is often one for many campaigns.
            if Use(labels.folder, "aliases", name, value) not in used:
                yield "note", f'aliases.{name}: no run has {name} = "{value}"', (value,)
