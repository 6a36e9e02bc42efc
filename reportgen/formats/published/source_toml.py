"""Parse `source.toml`, the description of a published table.

The structs are the schema; docs/reference/formats/published.md explains it. A wrong description is a problem
of the data and never stops a build: what is wrong is left out and becomes a problem with its line.
"""

import re
from dataclasses import dataclass, field

from msgspec import field as key

from reportgen.core.model import FactorValue, Status
from reportgen.core.schema import Condition, TomlTable, convert_valid_parts
from reportgen.core.schema import parse as parse_toml
from reportgen.formats.parsing.toml_lines import line_of

# A larger file does not describe tables.
_MAX_BYTES = 64 * 1024


class Lookup(TomlTable):
    """A column, and what its texts are replaced by."""

    column: str
    values: dict[str, FactorValue] = key(default_factory=dict)


class MetricEntry(TomlTable, kw_only=True):
    """One `[[metrics]]`: a column of figures. A Lookup takes its description from the row."""

    column: str
    metric: str | Lookup
    unit: str | Lookup
    phase: str | Lookup = "step"
    statistic: str | Lookup = "published"
    where: dict[str, Condition] = key(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The columns of the figure, of its description and of its condition."""
        described = (self.metric, self.phase, self.unit, self.statistic)
        return [self.column, *(x.column for x in described if isinstance(x, Lookup)), *self.where]

    @property
    def is_long(self) -> bool:
        """Whether rows, not columns, name the figure."""
        return isinstance(self.metric, Lookup) or isinstance(self.phase, Lookup) or bool(self.where)


class SamplesTable(TomlTable):
    """`columns.samples_per_step`: the columns whose product is the work of one step over all devices."""

    column: str
    times: list[str] = key(default_factory=list)


class ColumnsTable(TomlTable):
    """`[columns]`: the columns that are neither factors nor figures."""

    repeat: str | None = None
    status: str | None = None
    source: str | None = None
    samples_per_step: str | SamplesTable = ""


class TokensTable(TomlTable):
    """`[tokens]`: texts of cells that replace a figure."""

    missing: tuple[str, ...] = ("", "-")
    out_of_memory: tuple[str, ...] = ()
    planned: tuple[str, ...] = ()


class MachineEntry(TomlTable):
    """One `[[environments]]`: facts about the machine of the rows that match."""

    where: dict[str, Condition] = key(default_factory=dict)
    values: dict[str, FactorValue] = key(default_factory=dict)


class CorrectionEntry(TomlTable, kw_only=True):
    """One `[[corrections]]`: a published cell known to be wrong, and its right value."""

    column: str
    value: FactorValue
    reason: str
    source: str = ""
    where: dict[str, Condition] = key(default_factory=dict)


class SourceFile(TomlTable):
    """A source.toml."""

    title: str = ""
    url: str = ""
    date: str | int = ""
    tables: list[str] = key(default_factory=list)
    factors: dict[str, str | Lookup] = key(default_factory=dict)
    constants: dict[str, FactorValue] = key(default_factory=dict)
    environment: dict[str, str | Lookup] = key(default_factory=dict)
    columns: ColumnsTable = key(default_factory=ColumnsTable)
    status: dict[str, Status] = key(default_factory=dict)
    metrics: list[MetricEntry] = key(default_factory=list)
    tokens: TokensTable = key(default_factory=TokensTable)
    where: dict[str, Condition] = key(default_factory=dict)
    environments: list[MachineEntry] = key(default_factory=list)
    corrections: list[CorrectionEntry] = key(default_factory=list)


@dataclass(slots=True)
class PublishedSource:
    """A parsed source.toml.

    problems  (line, fact) in the order in which they were met
    used      identities of the entries of `file` that match a row
    """

    text: str
    file: SourceFile
    problems: list[tuple[int, str]] = field(default_factory=list)
    used: set[int] = field(default_factory=set)

    def problem(self, fact: str, name: str = "") -> None:
        """Note what is wrong, at the first line that has a key or a text of that name."""
        self.problems.append((line_of(self.text, name), fact))

    @property
    def samples(self) -> tuple[str, ...]:
        """The columns whose product is the work of one step over all devices."""
        samples = self.file.columns.samples_per_step
        if isinstance(samples, SamplesTable):
            return (samples.column, *samples.times)
        return (samples,) if samples else ()

    @property
    def columns(self) -> dict[str, None]:
        """Every column that the description names, in the order of its sections, each once."""
        own = self.file.columns
        columns = (*self.file.factors.values(), *self.file.environment.values())
        named = [x if isinstance(x, str) else x.column for x in columns]
        named += [name for name in (own.repeat, own.status, own.source, *self.samples) if name]
        for figure in self.file.metrics:
            named += figure.columns
        named += self.file.where
        for correction in self.file.corrections:
            named += [*correction.where, correction.column]
        return dict.fromkeys(named)


def parse(content: bytes) -> PublishedSource:
    """Return the description, with problems for all that is wrong with it; never raises."""
    source = PublishedSource(content[:_MAX_BYTES].decode("utf-8", "replace"), SourceFile())
    if len(content) > _MAX_BYTES:
        source.problem(f"larger than {_MAX_BYTES // 1024} KiB: not a source.toml")
        return source
    try:
        document = parse_toml(source.text)
    except ValueError as error:
        line = re.search(r"at line ([0-9]+)", str(error))
        source.problems.append((int(line[1]) if line else 0, str(error)[:200]))
        return source
    source.file, faults = convert_valid_parts(document, SourceFile)
    for fault in faults:
        remedy = f"; {fault.remedy}" if fault.remedy else ""
        names = [x for x in fault.path if isinstance(x, str)]
        source.problem(f"{fault.place}: {fault.fact}{remedy}", names[-1] if names else "")
    for name, remedy in (("title", 'add title = "..."'), ("tables", 'add tables = ["....csv"]')):
        if not getattr(source.file, name) and not any(fault.path[:1] == (name,) for fault in faults):
            source.problem(f"{name}: missing; {remedy}", name)
    return source
