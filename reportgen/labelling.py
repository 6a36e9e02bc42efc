"""Put on a run what labels.toml says of it: names, values, constants, path parts, its number.

A run and the chain of labels that hold for it go in, the run comes out. The log wins over the labels unless
they say `prefer = "labels"`, and either way a conflict is a finding.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from reportgen.labels import REPEAT, Labels
from reportgen.model import Factors, FactorValue, Finding, Run, identity

Said = Mapping[str, tuple[FactorValue, Labels]]
Renames = Mapping[str, tuple[str, Labels]]


def apply(run: Run, path: str, chain: Iterable[Labels]) -> Run:
    """Return the run with the labels applied, and a finding for each conflict with what the log says.

    path   of the log (file or folder), relative to the root; chain  as `above` gives it
    """
    rename: dict[str, tuple[str, Labels]] = {}
    aliases: dict[str, Factors] = {}
    said: dict[str, tuple[FactorValue, Labels]] = {}
    environment: dict[str, tuple[FactorValue, Labels]] = {}
    prefer = "log"
    for labels in chain:
        rename |= {name: (new, labels) for name, new in labels.rename.items()}
        aliases |= {name: {**aliases.get(name, {}), **values} for name, values in labels.aliases.items()}
        said |= {name: (value, labels) for name, value in labels.said(path).items()}
        environment |= {name: (value, labels) for name, value in labels.environment.items()}
        prefer = labels.prefer or prefer
    said = {name: (_alias(aliases, name, value), labels) for name, (value, labels) in said.items()}
    numbers = {REPEAT: said.pop(REPEAT)} if REPEAT in said else {}
    said = _with_devices(said)
    merge = _Merge(run.id, prefer)
    run = merge.numbered(run, rename)
    renamed = merge.renamed(run.factors, rename)
    known = {name: _alias(aliases, name, value) for name, value in renamed.items()}
    factors = merge(known, said)
    repeat = merge({} if run.repeat is None else {REPEAT: run.repeat}, numbers).get(REPEAT)
    return replace(
        run,
        factors=factors,
        environment=merge(run.environment, environment),
        repeat=repeat if isinstance(repeat, int) else run.repeat,
        samples_per_step=_samples_per_step(run, factors, said),
        findings=(*run.findings, *merge.findings),
    )


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
        self.findings.append(Finding("warning", "read.label-conflict", self.subject, message, labels.source))


def _say_the_same(one: FactorValue, other: FactorValue) -> bool:
    """Return whether two values are one: 8 and "8" are, for a log may know texts only; 1 and True are not."""
    if isinstance(one, str) == isinstance(other, str):
        return identity(one) == identity(other)
    return str(one).lower() == str(other).lower()


def _alias(aliases: Mapping[str, Factors], name: str, value: FactorValue) -> FactorValue:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return aliases.get(name, {}).get(text, value)
