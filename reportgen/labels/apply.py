"""Put on a run what labels.toml says of it: names, values, constants, path parts, its number.

The chain of labels that hold for a log makes a Labeller; runs go in, runs come out. The log wins over the
labels unless they say `prefer = "labels"`, and either way a conflict is a finding.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from reportgen.core.factors import factor_key
from reportgen.core.model import Factors, FactorValue, Finding, Run
from reportgen.core.rules import Rule
from reportgen.labels.labels_toml import REPEAT, Labels
from reportgen.labels.unused import Use

Said = Mapping[str, tuple[FactorValue, Labels]]
Renames = Mapping[str, tuple[str, Labels]]


class Labeller:
    """Puts the labels that hold for one log on its runs; `used` is what of them came to bear.

    path   of the log (file or folder), relative to the root; chain  as `above` gives it
    """

    def __init__(self, path: str, chain: Sequence[Labels]) -> None:
        self.used: set[Use] = set()
        self._chain = chain
        self._rename: dict[str, tuple[str, Labels]] = {}
        self._aliases: dict[str, Factors] = {}
        self._said: dict[str, tuple[FactorValue, Labels]] = {}
        self._environment: dict[str, tuple[FactorValue, Labels]] = {}
        self._prefer = "log"
        for labels in chain:
            self._take(labels, labels.fitting(path))

    def _take(self, labels: Labels, fitting: tuple[int, Factors] | None) -> None:
        """Let the labels win over those farther away; what their pattern reads over their constants."""
        number, parts = fitting or (None, {})
        if number is not None:
            self.used.add(Use(labels.folder, "paths", number))
        self._rename |= {name: (new, labels) for name, new in labels.rename.items()}
        for name, values in labels.aliases.items():
            self._aliases[name] = {**self._aliases.get(name, {}), **values}
        self._said |= {name: (value, labels) for name, value in {**labels.constants, **parts}.items()}
        self._environment |= {name: (value, labels) for name, value in labels.environment.items()}
        self._prefer = labels.prefer or self._prefer

    def __call__(self, run: Run) -> Run:
        """Return the run with the labels, and a finding for each conflict with what the log says."""
        said = {name: (self._alias(name, value), labels) for name, (value, labels) in self._said.items()}
        numbers = {REPEAT: said.pop(REPEAT)} if REPEAT in said else {}
        said = _with_devices(said)
        merge = _Merge(run.id, self._prefer)
        log = run.factors
        run = merge.numbered(run, self._rename)
        renamed = merge.renamed(run.factors, self._rename)
        known = {name: self._alias(name, value) for name, value in renamed.items()}
        self._note(log, renamed)
        factors = merge(known, said)
        repeat = merge({} if run.repeat is None else {REPEAT: run.repeat}, numbers).get(REPEAT)
        return replace(
            run,
            factors=factors,
            environment=merge(run.environment, self._environment),
            repeat=repeat if isinstance(repeat, int) else run.repeat,
            samples_per_step=_samples_per_step(run, factors, said),
            findings=(*run.findings, *merge.findings),
        )

    def _alias(self, name: str, value: FactorValue) -> FactorValue:
        return self._aliases[name].get(_text(value), value) if name in self._aliases else value

    def _note(self, log: Factors, renamed: Factors) -> None:
        """Note which names and values of the labels the log has, or the labels themselves say."""
        said = {name: value for name, (value, _) in self._said.items()}
        for labels in self._chain:
            folder = labels.folder
            self.used.add(Use(folder, "runs"))
            if labels.rename or labels.aliases:
                self.used.update(Use(folder, "factors", name) for name in (*log, *renamed, *said))
            self.used.update(Use(folder, "rename", name) for name in labels.rename if name in log)
            for name, values in labels.aliases.items():
                had = [_text(value) for value in (renamed.get(name), said.get(name)) if value is not None]
                if had:
                    self.used.add(Use(folder, "aliases", name))
                    self.used.update(Use(folder, "aliases", name, text) for text in had if text in values)


def _with_devices(said: dict[str, tuple[FactorValue, Labels]]) -> dict[str, tuple[FactorValue, Labels]]:
    """Return what the labels say with the devices in all where they give those of a node."""
    nodes, each = said.get("nodes"), said.get("devices_per_node")
    if "devices" in said or not nodes or not each:
        return said
    if not isinstance(nodes[0], int) or not isinstance(each[0], int):
        return said
    return {**said, "devices": (nodes[0] * each[0], each[1])}


def _samples_per_step(run: Run, factors: Factors, said: Said) -> float | None:
    """Return the work per step over all devices: what the log says, else what the labels add up to."""
    if run.samples_per_step is not None or run.published or not {"batch_size", "devices"} & set(said):
        return run.samples_per_step
    each, devices = factors.get("batch_size"), factors.get("devices")
    if not isinstance(each, int) or not isinstance(devices, int):
        return None
    return float(each * devices) or None


@dataclass(slots=True)
class _Merge:
    """Put what the log and what the labels say together; who wins a conflict is `prefer`."""

    subject: str
    prefer: str
    findings: list[Finding] = field(default_factory=list)

    def __call__(self, log: Factors, said: Said) -> dict[str, FactorValue]:
        merged = dict(log)
        for name, (value, labels) in said.items():
            if name not in log:
                merged[name] = value
            elif not _say_the_same(log[name], value):
                merged[name] = value if self.prefer == "labels" else log[name]
                both = f"the log says {log[name]}, the labels say {value}"
                self._conflict(f"{name}: {both}; the {self.prefer} won", labels)
        return merged

    def numbered(self, run: Run, rename: Renames) -> Run:
        """Return the run with the factor that is renamed to `repeat` as its number."""
        for name, (new, labels) in rename.items():
            if new != REPEAT or name not in run.factors:
                continue
            value = run.factors[name]
            if not isinstance(value, int) or isinstance(value, bool):
                self._conflict(f"{name}: {value} is not a whole number and so no repeat", labels)
                continue
            if run.repeat not in (None, value):
                both = f"the log says {run.repeat}, and {value} as {name}"
                self._conflict(f"repeat: {both}; the former won", labels)
            factors = {key: kept for key, kept in run.factors.items() if key != name}
            run = replace(run, factors=factors, repeat=value if run.repeat is None else run.repeat)
        return run

    def renamed(self, factors: Factors, rename: Renames) -> dict[str, FactorValue]:
        """Return the factors under their new names; of two that meet, the one called so before wins."""
        moved = {name: new for name, (new, _) in rename.items() if new != REPEAT and name in factors}
        kept = {name: value for name, value in factors.items() if name not in moved}
        for name, new in moved.items():
            if new not in kept:
                kept[new] = factors[name]
            elif not _say_the_same(kept[new], factors[name]):
                message = f"{new}: the log says {kept[new]}, and {factors[name]} as {name}; the former won"
                self._conflict(message, rename[name][1])
        return kept

    def _conflict(self, message: str, labels: Labels) -> None:
        self.findings.append(
            Finding("warning", Rule.READ_LABEL_CONFLICT, self.subject, message, labels.source)
        )


def _say_the_same(one: FactorValue, other: FactorValue) -> bool:
    """Return whether two values are one: 8 and "8" are, for a log may know texts only; 1 and True are not."""
    if isinstance(one, str) == isinstance(other, str):
        return factor_key(one) == factor_key(other)
    return str(one).lower() == str(other).lower()


def _text(value: FactorValue) -> str:
    """Return a value as the key of an alias writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
