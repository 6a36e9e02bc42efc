"""Apply labels.toml to a run: names, values, constants, path parts, the number of the repeat.

The labels that apply to a log make a Labeller, which runs pass through. The log wins over the labels unless
they say `prefer = "labels"`; either way a conflict is a finding.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reportgen.core.devices import find_device
from reportgen.core.factors import factor_key
from reportgen.core.model import Factors, FactorValue, Finding, Run
from reportgen.core.rules import Rule
from reportgen.labels.labels_toml import REPEAT, Labels
from reportgen.labels.unused import Use

_ACCUMULATED = "gradient_accumulation_steps"
# The work of a step is their product.
_WORK = ("batch_size", "devices", _ACCUMULATED)

# A value, or the new name of a factor, with the labels that it comes from.
Labelled = Mapping[str, tuple[FactorValue, Labels]]
Renames = Mapping[str, tuple[str, Labels]]


class Labeller:
    """Applies the labels of one log to its runs; `used` lists the entries that applied.

    path   of the log (file or folder), relative to the root; chain  labels as `above` returns them
    """

    def __init__(self, path: str, chain: Sequence[Labels]) -> None:
        self.used: set[Use] = set()
        self._chain = chain
        self._rename: dict[str, tuple[str, Labels]] = {}
        self._aliases: dict[str, Factors] = {}
        self._factors: dict[str, tuple[FactorValue, Labels]] = {}
        self._environment: dict[str, tuple[FactorValue, Labels]] = {}
        self._prefer = "log"
        self._utc_offset: float | None = None
        for labels in chain:
            self._add(labels, path)

    def _add(self, labels: Labels, path: str) -> None:
        """Add labels that win over those farther away; their path parts win over their constants."""
        match = labels.match(path)
        if match:
            self.used.add(Use(labels.folder, "paths", match.number))
        parts = match.factors if match else {}
        self._rename |= {name: (new, labels) for name, new in labels.rename.items()}
        for name, values in labels.aliases.items():
            self._aliases[name] = {**self._aliases.get(name, {}), **values}
        self._factors |= {name: (value, labels) for name, value in {**labels.constants, **parts}.items()}
        self._environment |= {name: (value, labels) for name, value in labels.environment.items()}
        self._prefer = labels.prefer or self._prefer
        self._utc_offset = self._utc_offset if labels.utc_offset is None else labels.utc_offset

    def __call__(self, run: Run) -> Run:
        """Return the run with the labels, and a finding for each conflict with the log."""
        given = {name: (self._alias(name, value), labels) for name, (value, labels) in self._factors.items()}
        numbers = {REPEAT: given.pop(REPEAT)} if REPEAT in given else {}
        given = _with_devices(given)
        merge = _Merge(run.id, self._prefer)
        logged = run.factors
        run = merge.take_repeat(run, self._rename)
        renamed = merge.rename(run.factors, self._rename)
        self._note_used(run.format, logged, renamed)
        factors = merge({name: self._alias(name, value) for name, value in renamed.items()}, given)
        work = _samples_per_step(run, factors, given)
        repeat = merge({} if run.repeat is None else {REPEAT: run.repeat}, numbers).get(REPEAT)
        return replace(
            _in_utc(run, self._utc_offset),
            factors=factors,
            environment=merge(run.environment, self._environment),
            repeat=repeat if isinstance(repeat, int) else run.repeat,
            samples_per_step=work,
            work_is_labelled=run.samples_per_step is None and work is not None,
            findings=(*run.findings, *merge.findings, *self._merged_devices(run.id, renamed, given)),
        )

    def _merged_devices(self, id: str, logged: Factors, given: Labelled) -> Iterator[Finding]:
        """Yield a note for each alias of the run that gives two models of GPU the same name."""
        for name, aliases in self._aliases.items():
            value = logged.get(name, given[name][0] if name in given else "")
            text = _text(value)
            if text not in aliases:
                continue
            new = aliases[text]
            alike = [new, *(old for old, target in aliases.items() if target == new)]
            models = {device.name for each in alike if (device := find_device(str(each)))}
            if len(models) > 1:
                source = next(labels.source for labels in self._chain[::-1] if name in labels.aliases)
                message = f"{name}: aliases give {' and '.join(sorted(models))} one name, {new}"
                yield Finding("note", Rule.READ_ALIAS_MERGES_DEVICES, id, message, source)

    def _alias(self, name: str, value: FactorValue) -> FactorValue:
        return self._aliases[name].get(_text(value), value) if name in self._aliases else value

    def _note_used(self, format: str, logged: Factors, renamed: Factors) -> None:
        """Record which names and values of the labels occur in the log, or in the labels themselves."""
        given = {name: value for name, (value, _) in self._factors.items()}
        for labels in self._chain:
            folder = labels.folder
            self.used.add(Use(folder, "runs"))
            self.used.update(Use(folder, "table", name) for name in labels.table_names if name == format)
            if labels.rename or labels.aliases:
                self.used.update(Use(folder, "factors", name) for name in (*logged, *renamed, *given))
            self.used.update(Use(folder, "rename", name) for name in labels.rename if name in logged)
            for name, values in labels.aliases.items():
                texts = [_text(value) for value in (renamed.get(name), given.get(name)) if value is not None]
                if texts:
                    self.used.add(Use(folder, "aliases", name))
                    self.used.update(Use(folder, "aliases", name, text) for text in texts if text in values)


def _in_utc(run: Run, offset: float | None) -> Run:
    """Return a run with its times in UTC if the labels give the offset (s) of its local clock."""
    if offset is None or not run.started_clock:
        return run
    started, ended, zero = (
        None if time is None else time - offset for time in (run.started, run.ended, run.clock_zero)
    )
    return replace(run, started=started, ended=ended, clock_zero=zero, started_clock="")


def with_facts(run: Run, given: Factors) -> Run:
    """Return a run with facts that its log does not state, as labels that give them would make it."""
    given = {**given, **_all_devices(given)}
    factors = {**given, **run.factors}
    work = _samples_per_step(run, factors, given)
    is_labelled = run.work_is_labelled or (run.samples_per_step is None and work is not None)
    return replace(run, factors=factors, samples_per_step=work, work_is_labelled=is_labelled)


def _with_devices(given: dict[str, tuple[FactorValue, Labels]]) -> dict[str, tuple[FactorValue, Labels]]:
    """Add the total number of devices if the labels give the nodes and the devices of a node."""
    total = _all_devices({name: value for name, (value, _) in given.items()})
    return {**given, **{name: (value, given["devices_per_node"][1]) for name, value in total.items()}}


def _all_devices(given: Factors) -> Factors:
    """Return the number of devices on all nodes, where they are given and their number is not."""
    nodes, per_node = given.get("nodes"), given.get("devices_per_node")
    if "devices" in given or not isinstance(nodes, int) or not isinstance(per_node, int):
        return {}
    return {"devices": nodes * per_node}


def _samples_per_step(run: Run, factors: Factors, given: Collection[str]) -> float | None:
    """Return the work per step over all devices: from the log, else the product of these factors."""
    if run.samples_per_step is not None or run.published or not set(_WORK) & set(given):
        return run.samples_per_step
    work = 1
    for name in _WORK:
        count = factors.get(name, 1 if name == _ACCUMULATED else None)
        if not isinstance(count, int):
            return None
        work *= count
    return float(work) or None


@dataclass(slots=True)
class _Merge:
    """Merges the factors of a log and of labels; `prefer` decides conflicts."""

    subject: str
    prefer: str
    findings: list[Finding] = field(default_factory=list)

    def __call__(self, logged: Factors, given: Labelled) -> dict[str, FactorValue]:
        """Return the factors of both."""
        merged = dict(logged)
        for name, (value, labels) in given.items():
            if name not in logged:
                merged[name] = value
            elif not _are_equal(logged[name], value):
                merged[name] = value if self.prefer == "labels" else logged[name]
                both = f"the log says {logged[name]}, the labels say {value}"
                self._conflict(f"{name}: {both}; using the {self.prefer}", labels)
        return merged

    def take_repeat(self, run: Run, rename: Renames) -> Run:
        """Return the run with the factor that is renamed to `repeat` as its number."""
        for name, (new, labels) in rename.items():
            if new != REPEAT or name not in run.factors:
                continue
            value = run.factors[name]
            if not isinstance(value, int) or isinstance(value, bool):
                self._conflict(f"{name}: {value} is not a whole number and cannot be a repeat", labels)
                continue
            if run.repeat not in (None, value):
                both = f"the log says {run.repeat}, and {value} as {name}"
                self._conflict(f"repeat: {both}; using the former", labels)
            factors = {key: kept for key, kept in run.factors.items() if key != name}
            run = replace(run, factors=factors, repeat=value if run.repeat is None else run.repeat)
        return run

    def rename(self, factors: Factors, rename: Renames) -> dict[str, FactorValue]:
        """Return the factors under their new names; a factor that has the name already wins."""
        moved = {name: new for name, (new, _) in rename.items() if new != REPEAT and name in factors}
        kept = {name: value for name, value in factors.items() if name not in moved}
        for name, new in moved.items():
            if new not in kept:
                kept[new] = factors[name]
            elif not _are_equal(kept[new], factors[name]):
                message = f"{new}: the log says {kept[new]}, and {factors[name]} as {name}; using the former"
                self._conflict(message, rename[name][1])
        return kept

    def _conflict(self, message: str, labels: Labels) -> None:
        self.findings.append(
            Finding("warning", Rule.READ_LABEL_CONFLICT, self.subject, message, labels.source)
        )


def _are_equal(value: FactorValue, other: FactorValue) -> bool:
    """Return whether values are equal: 8 and "8" are, as some logs contain only texts; 1 and True are not."""
    if isinstance(value, str) == isinstance(other, str):
        return factor_key(value) == factor_key(other)
    return str(value).lower() == str(other).lower()


def _text(value: FactorValue) -> str:
    """Return a value as the key of an alias writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
