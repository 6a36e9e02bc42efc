"""Find unused labels.toml entries: definitions and patterns without a log, names and values without a run.

Such an entry is most often a typing mistake, and cases that it should separate are pooled. Runs are labelled
where they are read, in other processes; each labeller records what applied as a few `Use`s. Only labels.toml
files whose whole folder was read are checked.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from reportgen.core.errors import did_you_mean
from reportgen.core.model import Finding, Source
from reportgen.core.rules import Rule, Severity
from reportgen.formats.parsing.toml_lines import line_of
from reportgen.labels.labels_toml import Labels


class Use(NamedTuple):
    """One entry of a labels.toml that applied to a run.

    folder  of the labels
    table   `paths`, `rename`, `aliases` or `table`; `runs`: there is a run; `factors`: a factor of runs
    key     number of a pattern, name of a factor or of a definition; value  the text that an alias replaced
    """

    folder: str
    table: str
    key: str | int = ""
    value: str = ""


def find_unused(labels: Labels, text: str, used: Collection[Use], *, has_others: bool) -> Iterator[Finding]:
    """Yield a finding for each entry of a labels.toml that applied to nothing.

    text        of the file
    used        by all logs below its folder; nothing is reported for a folder without logs
    has_others  whether its folder has files that no format reads
    """
    has_runs = Use(labels.folder, "runs") in used
    unused = [*_unused_definitions(labels, used)] if has_runs or has_others else []
    for severity, fact, keys in [*unused, *(_unused(labels, used) if has_runs else ())]:
        line = next((line for key in keys if (line := line_of(text, key))), 0)
        place = labels.source.path
        yield Finding(severity, Rule.READ_UNUSED_LABEL, place, fact, Source(place, line))


def _unused_definitions(
    labels: Labels, used: Collection[Use]
) -> Iterator[tuple[Severity, str, tuple[str, ...]]]:
    """Yield what `_unused` yields for each definition of logs or tables that reads no file."""
    for name in labels.table_names:
        if Use(labels.folder, "table", name) not in used:
            remedy = "correct its pattern, its columns or its sign"
            yield "warning", f'"{name}" reads no file: {remedy}', (name,)


def _unused(labels: Labels, used: Collection[Use]) -> Iterator[tuple[Severity, str, tuple[str, ...]]]:
    """Yield severity, fact and the texts that find the line of each unused entry."""
    factors = [str(use.key) for use in used if (use.folder, use.table) == (labels.folder, "factors")]

    def lacks(name: str) -> str:
        return f'no run has a factor "{name}"; {did_you_mean(name, factors)}'

    for number, pattern in enumerate(labels.paths):
        if Use(labels.folder, "paths", number) not in used:
            earlier = " that earlier patterns leave" if number else ""
            yield "warning", f'paths[{number}]: "{pattern.text}" matches no log{earlier}', (pattern.text,)
    for name in labels.rename:
        if Use(labels.folder, "rename", name) not in used:
            yield "warning", f"rename.{name}: {lacks(name)}", (name,)
    for name, values in labels.aliases.items():
        if Use(labels.folder, "aliases", name) not in used:
            yield "warning", f"aliases.{name}: {lacks(name)}", (f"aliases.{name}", name)
            continue
        for value in values:
            # A note only: a list of spellings often serves many campaigns.
            if Use(labels.folder, "aliases", name, value) not in used:
                yield "note", f'aliases.{name}: no run has {name} = "{value}"', (value,)
