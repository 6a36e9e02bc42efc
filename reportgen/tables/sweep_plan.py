"""The runs that would settle what tables leave open: a file for `python -m collectors sweep`.

A sweep runs its cases in rounds, in an order that is drawn, so that a test can decide. The options of each
case are those of the command that its log records.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from reportgen.compare.comparison import Comparison
from reportgen.compare.verdict import TURNS, Verdict, duration_text
from reportgen.core.command_line import arguments_of, option_name
from reportgen.core.lazy_pattern import lazy_pattern
from reportgen.core.model import RESERVED, Case
from reportgen.core.plain_text import one_line
from reportgen.core.stats import median
from reportgen.protocol.timeline import run_duration
from reportgen.tables.results import Table

# Verdicts that more runs in a better order would settle.
_OPEN = ("undecided", "likely faster", "likely slower")
# As many as the default protocol repeats; six are the fewest that can decide.
_FEWEST_ROUNDS = 7
# The longest pause before a run until the GPUs are cool.
_COOL_DOWN = "1m"
# Options of a single run, which the sweep gives by itself.
_OF_THE_RUN = ("here", "logs", "repeats", "again")

_KEY = lazy_pattern(r"[a-z][a-z0-9_]*")

Workload = Mapping[str, int | str]


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """Two workloads by their numbers, from 0, and what of them is compared."""

    case: int
    baseline: int
    metric: str
    phase: str


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The cases of a sweep and the comparisons that it settles.

    workloads    the options of each case, each once
    comparisons  those that it settles, in words
    unplanned    those that it cannot settle, with the reason
    rounds       of all cases; seconds  that they take, None if a log does not say it
    pairs        the numbers of its two workloads, the metric and the phase of each comparison
    """

    workloads: tuple[Workload, ...]
    comparisons: tuple[str, ...]
    unplanned: tuple[str, ...]
    rounds: int
    seconds: float | None
    pairs: tuple[PlannedPair, ...] = ()

    @property
    def summary(self) -> str:
        """The sweep in a few words."""
        runs = self.rounds * len(self.workloads)
        cost = f", about {duration_text(self.seconds)}" if self.seconds else ""
        pairs = f"{len(self.comparisons)} comparison{'s' * (len(self.comparisons) != 1)}"
        return f"{pairs}: {self.rounds} rounds of {len(self.workloads)} cases, {runs} runs{cost}"

    def toml(self, logs: str, written_by: str) -> str:
        """Return the content of the file.

        logs  new folder that the runs go to; written_by  the command
        """
        lines = [f"# Written by `{one_line(written_by)}`, to settle:"]
        lines += [f"#   {text}" for text in self.comparisons]
        lines += [
            "# Run it on the host of the earlier runs: python -m collectors sweep FILE",
            "# Then compare the new runs alone: in one case with the earlier ones, they have no order.",
            f"logs = {_toml(logs)}",
            f"repeats = {self.rounds}",
            f"cool_down = {_toml(_COOL_DOWN)}  # longest pause before a run; not in the estimate of the time",
        ]
        for workload in self.workloads:
            lines += ["", "[[workloads]]", *(f"{key} = {_toml(value)}" for key, value in workload.items())]
        if self.pairs:
            lines += ["", "# From the 11th round on, the sweep ends once all of these are decided."]
        for pair in self.pairs:
            lines += ["", "[[compare]]", *(f"{key} = {_toml(value)}" for key, value in asdict(pair).items())]
        return "\n".join((*lines, ""))


def sweep_sentence(comparisons: Iterable[Comparison]) -> str:
    """Return what a caption says if a sweep would settle some of its comparisons, else ""."""
    can_be_planned = any(not why_unplanned(each) for each in open_comparisons(comparisons))
    return "`reportgen plan` writes the runs that would settle undecided comparisons." * can_be_planned


def open_comparisons(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """Return the comparisons that no test has decided, each once."""
    undecided = [each for each in comparisons if each.verdict and each.verdict.kind in _OPEN]
    return list({(id(each.case), id(each.baseline)): each for each in undecided}.values())


def comparisons_of(tables: Iterable[Table]) -> Iterator[Comparison]:
    """Yield the comparisons in the cells of tables."""
    cells = (cell for table in tables for line in table.cells for cell in line)
    return (cell.comparison for cell in cells if cell.comparison)


def plan_sweep(comparisons: Sequence[Comparison], rounds: int | None = None) -> SweepPlan:
    """Return the sweep that would settle comparisons.

    rounds  None: as many as the comparison needs that needs most
    """
    workloads: dict[tuple[tuple[str, int | str], ...], tuple[Workload, Case]] = {}
    settled, unplanned, needed = [], [], _FEWEST_ROUNDS
    pairs: list[PlannedPair] = []
    for comparison in comparisons:
        reason = why_unplanned(comparison)
        if reason:
            unplanned.append(f"{_words(comparison)}: {reason}")
            continue
        settled.append(_words(comparison))
        assert comparison.verdict is not None
        needed = max(needed, _rounds(comparison.verdict))
        sides = [tuple(_workload(case).items()) for case in (comparison.baseline, comparison.case)]
        for side, case in zip(sides, (comparison.baseline, comparison.case), strict=True):
            workloads.setdefault(side, (dict(side), case))
        baseline, own = map(list(workloads).index, sides)
        pairs.append(PlannedPair(own, baseline, comparison.case.metric, comparison.case.phase))
    times = [_seconds(case) for _, case in workloads.values()]
    known = [each for each in times if each is not None]
    rounds = rounds or needed
    seconds = rounds * sum(known) if known and len(known) == len(times) else None
    plain = tuple(workload for workload, _ in workloads.values())
    return SweepPlan(plain, tuple(settled), tuple(unplanned), rounds, seconds, tuple(pairs))


def why_unplanned(comparison: Comparison) -> str:
    """Return why a sweep cannot run two cases in turns, "" if it can."""
    own, baseline = _workload(comparison.case), _workload(comparison.baseline)
    if not own or not baseline:
        return "no log says that a workload of the collectors made both"
    if own == baseline:
        return "one command made both, so what differs is not an option of it"
    return ""


def _rounds(verdict: Verdict) -> int:
    """Return how many rounds of new runs settle a verdict."""
    return verdict.more if verdict.counted == TURNS else verdict.n + verdict.more


def _workload(case: Case) -> Workload:
    """Return name and options of the workload that made the runs of a case; empty for other programs."""
    commands = dict.fromkeys(each.run.command for each in case.measurements)
    arguments = arguments_of(next(iter(commands))) if len(commands) == 1 else ()
    start = [("-m", "collectors"), ("", "bench")]
    begins = [at for at in range(len(arguments)) if list(arguments[at : at + 2]) == start]
    if not begins:
        return {}
    named, *options = arguments[begins[0] + 2 :] or (("", ""),)
    if named[0] or not named[1] or any(not option for option, _ in options):
        return {}
    chosen = {option_name(option): value for option, value in options}
    if len(chosen) < len(options) or not all(map(_KEY.fullmatch, chosen)):
        return {}
    return {
        "name": named[1],
        **{
            name: int(value) if value.isdecimal() else value or "yes"
            for name, value in chosen.items()
            if name not in _OF_THE_RUN
        },
    }


def _toml(value: int | str) -> str:
    """Return a value as TOML writes it: its texts have the escapes of JSON, and one more."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _seconds(case: Case) -> float | None:
    times = [seconds for each in case.measurements if (seconds := run_duration(each.run)) is not None]
    return median(times) if times else None


def _words(comparison: Comparison) -> str:
    """Return a pair of cases by what differs in them, and by their other factors."""
    names = comparison.differing_factors
    own, base = comparison.case.factors, comparison.baseline.factors
    rest = [name for name in own if name not in names and name not in RESERVED]
    same = ", ".join(f"{name}={own[name]}" for name in rest)
    sides = [", ".join(f"{name}={side[name]}" for name in names if name in side) for side in (own, base)]
    pair = " against ".join(side or "the others" for side in sides)
    return one_line(f"{pair}{f' ({same})' if same else ''}")
