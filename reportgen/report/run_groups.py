"""Runs as a person looks for them: one row per case, with a column for each factor in which the cases differ.

Runs of one format with equal factors share a row if they measured the same quantity and their paths differ
in counters and dates alone. Whether a report would take their median is decided by `protocol.cases`, which
knows more; so a row names its evidence and its range. The results of one run, such as a bandwidth for each
size of a message, share a row, too: with their range and without a median.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from statistics import median

from reportgen.core.errors import RequestError, did_you_mean
from reportgen.core.factors import (
    FactorKey,
    Where,
    check_where,
    factor_key,
    factors_key,
    matches,
    natural_key,
    value_order,
)
from reportgen.core.metrics import METRICS, item_of, metric_of
from reportgen.core.model import STEP, FactorValue
from reportgen.core.units import choose, rate_unit, text
from reportgen.report.path_groups import path_keys
from reportgen.report.run_entry import MeasurementEntry, RunEntry

# Names that `sort` takes beside those of factors.
SORT_COLUMNS = ("run", "status", "measured")
_METRIC_ORDER = {name: position for position, name in enumerate(METRICS)}
_NO_VALUE = (0, ())


@dataclass(frozen=True, slots=True)
class RunRow:
    """One row: texts, "" where there is nothing to print. `factors` has a text for each column of factors."""

    run: str
    format: str
    factors: tuple[str, ...]
    status: str
    steps: str
    measured: str
    findings: str


@dataclass(frozen=True, slots=True)
class RunRows:
    """A table of runs: `shared` is what all of them have in common, `names` are its columns of factors."""

    shared: Mapping[str, str]
    names: tuple[str, ...]
    rows: tuple[RunRow, ...]

    def map(self, change: Callable[[str], str]) -> "RunRows":
        """Return the table with every text changed."""

        def changed(row: RunRow) -> RunRow:
            texts = (row.run, row.format, row.status, row.steps, row.measured, row.findings)
            run, format, status, steps, measured, findings = map(change, texts)
            return RunRow(run, format, tuple(map(change, row.factors)), status, steps, measured, findings)

        shared = {change(name): change(value) for name, value in self.shared.items()}
        return RunRows(shared, tuple(map(change, self.names)), tuple(map(changed, self.rows)))


@dataclass(frozen=True, slots=True)
class _Group:
    runs: tuple[RunEntry, ...]

    @property
    def is_of_parts(self) -> bool:
        """Whether the runs are the results of one run."""
        return len(self.runs) > 1 and bool(self.runs[0].part_of)

    @property
    def factors(self) -> dict[str, FactorValue]:
        return _shared_factors(self.runs) if self.is_of_parts else _known(self.runs[0])

    @property
    def first(self) -> RunEntry:
        """The run whose headline is the headline of the group."""
        ranked = [
            (_rank(best), position) for position, run in enumerate(self.runs) if (best := headline(run))
        ]
        return self.runs[min(ranked)[1]] if ranked else self.runs[0]

    @property
    def values(self) -> list[float]:
        """The headline values of the runs, in the base unit; of one metric in the results of a run."""
        best = headline(self.first)
        kind = (best.metric, best.phase) if best else ("", "")
        return [
            float(each.value)
            for run in self.runs
            for each in run.measurements
            if (each.metric, each.phase) == kind and each.value is not None
        ]


def select(runs: Sequence[RunEntry], where: Where) -> tuple[RunEntry, ...]:
    """Return the runs whose factors, format, status and repeat match.

    Raises RequestError for a name or a value that no run has, and if no run matches.
    """
    described = [_described(run) for run in runs]
    check_where(where, described)
    return tuple(run for run, factors in zip(runs, described, strict=True) if matches(factors, where))


def _described(run: RunEntry) -> dict[str, FactorValue]:
    repeat = {} if run.repeat is None else {"repeat": run.repeat}
    return {"format": run.format, "status": run.status, **repeat, **_known(run)}


def group_rows(runs: Sequence[RunEntry], sort: str = "run") -> RunRows:
    """Return the rows of a table of runs.

    sort  run, status, measured or a factor; with "-" before it from the largest to the smallest
    Raises RequestError for another name.
    """
    groups = _sorted([_Group(part) for same in _same_factors(runs) for part in _same_quantity(same)], sort)
    shared = _shared_factors(runs)
    names = dict.fromkeys(name for group in groups for name in group.factors if name not in shared)
    formats = {run.format for run in runs}
    has_one_format = len(formats) == 1 and len(runs) > 1
    rows = tuple(_row(group, tuple(names), with_format=not has_one_format) for group in groups)
    common = {"format": formats.pop()} if has_one_format else {}
    return RunRows({**common, **{name: str(value) for name, value in shared.items()}}, tuple(names), rows)


def headline(run: RunEntry) -> MeasurementEntry | None:
    """Return the value that a reader looks for first: the speed of the whole step."""
    return min(run.measurements, key=_rank, default=None)


def measured_text(run: RunEntry, values: Sequence[float], *, is_of_parts: bool = False) -> str:
    """Return the headline of runs that measured the same quantity: their median and range, "" without one.

    is_of_parts  whether the values are results of one run: then their range alone
    """
    best = headline(run)
    if best is None or not values:
        return ""
    unit = choose(values, best.unit)
    name = rate_unit(item_of(best.metric, _known(run))) if best.unit == "samples/s" else unit.name
    spread = f"{text(min(values) / unit.factor)} to {text(max(values) / unit.factor)}"
    middle = text(median(values) / unit.factor)
    parts = (
        best.metric.replace("_", " "),
        middle if len(values) == 1 else spread if is_of_parts else f"{middle} ({spread})",
        name if name not in ("1", "count", "ratio") else "",
        best.phase if best.phase != STEP else "",
        f"({best.evidence})" if best.evidence != "steps" else "",
        f"invalid: {best.invalid}" if best.invalid else "",
    )
    return " ".join(part for part in parts if part)


def _rank(value: MeasurementEntry) -> tuple[bool, bool, int]:
    is_speed = metric_of(value.metric).is_speed
    return not is_speed, value.phase != STEP, _METRIC_ORDER.get(value.metric, len(_METRIC_ORDER))


def _known(run: RunEntry) -> dict[str, FactorValue]:
    return {name: value for name, value in run.factors.items() if value is not None}


def _shared_factors(runs: Sequence[RunEntry]) -> dict[str, FactorValue]:
    """Return the factors that are equal in all of several runs."""
    if len(runs) < 2:
        return {}
    first, *others = map(_known, runs)
    return {
        name: value
        for name, value in first.items()
        if all(name in other and factor_key(other[name]) == factor_key(value) for other in others)
    }


def _same_factors(runs: Sequence[RunEntry]) -> Iterator[tuple[RunEntry, ...]]:
    """Yield the runs with equal factors that may be repeats of each other by the names of their files."""
    groups: dict[object, list[RunEntry]] = {}
    wholes: dict[object, list[RunEntry]] = {}
    for run in runs:
        if run.part_of:
            wholes.setdefault((run.path, run.part_of), []).append(run)
        else:
            groups.setdefault((run.format, factors_key(_known(run))), []).append(run)
    yield from map(tuple, wholes.values())
    for same in groups.values():
        parts: dict[object, list[RunEntry]] = {}
        for run, key in zip(same, path_keys([run.id for run in same]), strict=True):
            parts.setdefault(key, []).append(run)
        yield from map(tuple, parts.values())


def _same_quantity(runs: tuple[RunEntry, ...]) -> Iterator[tuple[RunEntry, ...]]:
    """Yield the runs together, or each alone if they differ in work or in what they measured.

    The results of one run are of different quantities.
    """
    if runs[0].part_of:
        yield runs
        return
    quantities = {
        (best.metric, best.phase, best.unit, best.evidence, best.invalid, run.samples_per_step)
        for run in runs
        if (best := headline(run))
    }
    if len(quantities) < 2:
        yield runs
    else:
        yield from ((run,) for run in runs)


def _sorted(groups: list[_Group], sort: str) -> list[_Group]:
    name = sort.removeprefix("-")
    factors = {name for group in groups for name in group.factors}
    if groups and name not in SORT_COLUMNS and name not in factors:
        remedy = did_you_mean(name, [*SORT_COLUMNS, *sorted(factors)])
        raise RequestError("--sort", f'no column "{name}"', remedy)

    def key(group: _Group) -> tuple[int, object]:
        if name == "run":
            return 1, natural_key(group.runs[0].id)
        if name == "status":
            return 1, _status(group.runs)
        if name == "measured":
            return (1, (headline_metric(group), median(group.values))) if group.values else _NO_VALUE
        return (1, _value_order(group.factors[name])) if name in group.factors else _NO_VALUE

    ordered = sorted(groups, key=lambda group: natural_key(group.runs[0].id))
    return sorted(ordered, key=key, reverse=sort.startswith("-"))


def headline_metric(group: _Group) -> str:
    """Return the metric and phase of a row: values of others are not compared with it."""
    best = next(best for run in group.runs if (best := headline(run)))
    return f"{best.metric} {best.phase}"


def _value_order(value: FactorValue) -> tuple[object, ...]:
    key: FactorKey = factor_key(value)
    return value_order(key)


def _row(group: _Group, names: tuple[str, ...], *, with_format: bool) -> RunRow:
    runs, factors = group.runs, group.factors
    counts = sorted({run.steps.count for run in runs if run.steps.count})
    rules = sorted({each.rule for run in runs for each in run.findings if each.severity != "note"})
    return RunRow(
        run=_ids_text([run.id for run in runs]) if not group.is_of_parts else _part_ids(runs),
        format=runs[0].format if with_format else "",
        factors=tuple(_value_text(factors[name]) if name in factors else "" for name in names),
        status=_status(runs),
        steps="" if not counts else str(counts[0]) if len(counts) == 1 else f"{counts[0]}-{counts[-1]}",
        measured=measured_text(group.first, group.values, is_of_parts=group.is_of_parts),
        findings=" ".join(rules),
    )


def _status(runs: Sequence[RunEntry]) -> str:
    counts = Counter(run.status.replace("_", " ") for run in runs)
    if len(runs) == 1 or runs[0].part_of:
        return runs[0].status.replace("_", " ")
    return ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))


def _value_text(value: FactorValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _part_ids(runs: Sequence[RunEntry]) -> str:
    """Return the ids of the results of one run: nccl.log#1-48."""
    last = runs[-1].id.rpartition("#")[2]
    return f"{runs[0].id}-{last}" if "#" in runs[0].id else f"{runs[0].id}#-{last}"


def _ids_text(ids: Sequence[str]) -> str:
    """Return an id, or what several have in common with * between: r1.log and r2.log are r*.log."""
    if len(ids) == 1:
        return ids[0]
    start = _common_start(ids)
    end = _common_start([id[len(start) :][::-1] for id in ids])[::-1]
    return f"{start}*{end}"


def _common_start(texts: Sequence[str]) -> str:
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in same)
