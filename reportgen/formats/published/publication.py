"""What a `source.toml` says once it is parsed: which columns are factors and figures, what is corrected."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from reportgen.core.model import FactorValue, Status
from reportgen.formats.parsing.toml_lines import line_of

TOKENS = {"missing": ("", "-"), "out_of_memory": (), "planned": ()}

Conditions = Mapping[str, tuple[FactorValue, ...]]
Values = Mapping[str, FactorValue]


@dataclass(frozen=True, slots=True)
class Lookup:
    """A column, and what its texts are to be replaced by."""

    column: str
    values: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Figure:
    """One column of figures; a Lookup says it row by row."""

    column: str
    metric: str | Lookup
    phase: str | Lookup
    unit: str | Lookup
    statistic: str | Lookup
    where: Conditions

    @property
    def lookups(self) -> tuple[Lookup, ...]:
        """The columns beside the figure that say what it is."""
        return tuple(x for x in (self.metric, self.phase, self.unit, self.statistic) if isinstance(x, Lookup))

    @property
    def is_long(self) -> bool:
        """Whether rows, not columns, say which figure it is."""
        return isinstance(self.metric, Lookup) or isinstance(self.phase, Lookup) or bool(self.where)


@dataclass(frozen=True, slots=True)
class Correction:
    """A published cell known to be wrong, and what it should say."""

    where: Conditions
    column: str
    value: FactorValue
    reason: str
    source: str


@dataclass(slots=True)
class Definition:
    """A parsed source.toml; `problems` are (line, fact) in the order they were met."""

    text: str
    problems: list[tuple[int, str]] = field(default_factory=list)
    about: dict[str, FactorValue] = field(default_factory=dict)
    tables: list[str] = field(default_factory=list)
    factors: dict[str, Lookup] = field(default_factory=dict)
    constants: dict[str, FactorValue] = field(default_factory=dict)
    environment: dict[str, Lookup] = field(default_factory=dict)
    repeat: str | None = None
    status: str | None = None
    source: str | None = None
    samples: tuple[str, ...] = ()
    statuses: dict[str, Status] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    tokens: dict[str, tuple[str, ...]] = field(default_factory=lambda: dict(TOKENS))
    where: Conditions = field(default_factory=dict)
    environments: list[tuple[Conditions, Values]] = field(default_factory=list)
    corrections: list[Correction] = field(default_factory=list)

    def problem(self, fact: str, key: str = "") -> None:
        """Note what is wrong, at the line of the key where it can be found."""
        self.problems.append((line_of(self.text, key), fact))

    @property
    def columns(self) -> list[str]:
        """Every column that the definition names, in the order of its sections, without repetition."""
        named = [x.column for x in (*self.factors.values(), *self.environment.values())]
        named += [name for name in (self.repeat, self.status, self.source, *self.samples) if name]
        for figure in self.figures:
            named += [figure.column, *(x.column for x in figure.lookups), *figure.where]
        named += self.where
        for correction in self.corrections:
            named += [*correction.where, correction.column]
        return list(dict.fromkeys(named))
