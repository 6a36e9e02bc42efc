"""Simulate comparisons and print how often each rule is wrong, and how often it finds a real difference.

    python benchmarks/verdicts.py [--trials 2000] [--repeats 3 5 6 7 10 15 20] [--seed 1]
    python benchmarks/verdicts.py --logs 500 [--repeats 7]

Two cases run n repeats each, in one of four orders: blocked (all of one, then all of the other), alternating,
in random rounds (one of each per round, the order drawn), or unknown. All rules judge the same draws:

    ours       the verdict of reportgen: faster or slower; beside it, those that are likely
    benchstat  Mann-Whitney U, p below 0.05, whatever the order (golang.org/x/perf/cmd/benchstat)
    nvbench    the means differ by more than the smaller of the two noises, stdev over mean (nvbench_compare)

False alarms are verdicts on two equal cases. Power is the share of verdicts with the right sign where the
cases differ by 3 % or 5 % at a spread of 1 %. Coverage is the share of our intervals that contain the true
ratio. A likely verdict borrows the spread of 24 cases with the same noise, the two among them. The output is
that of docs/developers/verdicts.md.

With --logs, each comparison is written as logs to a folder and compared from there, as a user would.
"""

import argparse
import json
import math
import random
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import reportgen
from reportgen.compare.exact_tests import rank_sum_test
from reportgen.compare.side import Side
from reportgen.compare.spread import Spreads
from reportgen.compare.verdicts import DecisionRule, TimedRepeat, decide

# Standard deviation of one repeat, as a share.
SPREAD = 0.01

Noise = Callable[[random.Random, int], list[float]]


def normal(generator: random.Random, n: int) -> list[float]:
    """Return independent normal noise of standard deviation 1."""
    return [generator.gauss(0, 1) for _ in range(n)]


def heavy_tailed(generator: random.Random, n: int) -> list[float]:
    """Return independent noise of Student's t with 2 degrees of freedom."""
    return [generator.gauss(0, 1) / math.sqrt(generator.expovariate(1)) for _ in range(n)]


def bimodal(generator: random.Random, n: int) -> list[float]:
    """Return noise around two levels, 2 apart."""
    return [generator.choice((-1.0, 1.0)) + 0.2 * generator.gauss(0, 1) for _ in range(n)]


def autocorrelated(share: float) -> Noise:
    """Return noise in which each value keeps a share of the one before it."""

    def draw(generator: random.Random, n: int) -> list[float]:
        values, last = [], generator.gauss(0, 1)
        for _ in range(n):
            last = share * last + math.sqrt(1 - share**2) * generator.gauss(0, 1)
            values.append(last)
        return values

    return draw


def drifting(size: float) -> Noise:
    """Return normal noise on a line that rises by `size` from the first to the last value."""
    return lambda generator, n: [x + size * i / (n - 1) for i, x in enumerate(normal(generator, n))]


def random_walk(generator: random.Random, n: int) -> list[float]:
    """Return a random walk."""
    values, last = [], 0.0
    for _ in range(n):
        last += generator.gauss(0, 1)
        values.append(last)
    return values


def one_step(generator: random.Random, n: int) -> list[float]:
    """Return normal noise with one step of 2 at a random place."""
    at = generator.randrange(1, n)
    return [x + 2 * (i >= at) for i, x in enumerate(normal(generator, n))]


NOISES: dict[str, Noise] = {
    "normal": normal,
    "t(2)": heavy_tailed,
    "bimodal": bimodal,
    "AR 0.3": autocorrelated(0.3),
    "AR 0.6": autocorrelated(0.6),
    "AR 0.9": autocorrelated(0.9),
    "drift 3 sd": drifting(3),
    "random walk": random_walk,
    "one step": one_step,
}
ORDERS = ("blocked", "alternating", "random rounds", "unknown")
# The first three are independent: what is measured once says nothing about the next time.
INDEPENDENT = 3
RULES = ("ours", "likely", "benchstat", "nvbench")
CASES = 24
# Cases whose spread is drawn once for a setting, and lent from there.
_POOL = 2000

Sides = tuple[list[TimedRepeat], list[TimedRepeat]]


@dataclass(slots=True)
class Tally:
    """Counts over the trials of one setting, per rule."""

    trials: int = 0
    verdicts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(RULES, 0))
    intervals: int = 0
    covering: int = 0

    def share(self, *rules: str) -> float:
        """Return in how many per cent of the trials one of these rules gave a verdict."""
        return 100 * sum(self.verdicts[rule] for rule in rules) / self.trials


def sides(order: str, generator: random.Random, n: int) -> list[int]:
    """Return which case runs at each of 2n times: 0 or 1."""
    if order == "blocked":
        return [0] * n + [1] * n
    if order == "alternating":
        return [0, 1] * n
    if order == "random rounds":
        return [side for _ in range(n) for side in generator.sample((0, 1), 2)]
    return generator.sample([0, 1] * n, 2 * n)


def draw(noise: Noise, order: str, n: int, ratio: float, generator: random.Random) -> Sides:
    """Return the repeats of a case that is `ratio` times as fast as its baseline, and of the baseline."""
    drawn = noise(generator, 2 * n)
    values: Sides = ([], [])
    for at, (side, x) in enumerate(zip(sides(order, generator, n), drawn, strict=True)):
        value = math.exp(SPREAD * x) * (ratio if side == 0 else 1)
        planned = (1, len(values[side])) if order == "random rounds" else None
        values[side].append(TimedRepeat(value, None if order == "unknown" else float(at), planned))
    return values


def simulate(noise: Noise, order: str, n: int, trials: int, ratio: float, seed: str) -> Tally:
    """Return the verdicts over many comparisons of a case that is `ratio` times as fast as its baseline."""
    generator = random.Random(seed)
    lenders = [side for _ in range(_POOL // 2) for side in draw(noise, order, n, 1, generator)]
    tally = Tally(trials)
    for _ in range(trials):
        values = draw(noise, order, n, ratio, generator)
        judge(tally, values, ratio, generator.sample(lenders, CASES - 2))
    return tally


def judge(tally: Tally, values: Sides, ratio: float, others: Sequence[Sequence[TimedRepeat]]) -> None:
    """Add the verdicts of all rules on one comparison; of a real difference only the right ones."""
    own, base = ([each.value for each in side] for side in values)
    verdict = decide(*values, better="higher", rule=DecisionRule(margin=0))
    if verdict.kind == "undecided" and verdict.low is None:
        known = [Side("throughput", "step", "", None, tuple(side)) for side in (*values, *others)]
        spread = Spreads(known).like(known[0], known[1])
        verdict = decide(*values, better="higher", rule=DecisionRule(margin=0), spread=spread)
    tally.verdicts["ours"] += verdict.kind in (("faster", "slower") if ratio == 1 else ("faster",))
    likely = ("likely faster", "likely slower") if ratio == 1 else ("likely faster",)
    tally.verdicts["likely"] += verdict.kind in likely
    if verdict.low is not None and verdict.high is not None:
        tally.intervals += 1
        tally.covering += verdict.low <= ratio <= verdict.high
    is_right = ratio == 1 or statistics.median(own) > statistics.median(base)
    larger = sum(value > other for value in own for other in base)
    tally.verdicts["benchstat"] += is_right and min(larger, len(own) ** 2 - larger) <= critical(len(own))
    tally.verdicts["nvbench"] += is_right and nvbench_differs(own, base)


@lru_cache
def critical(n: int) -> int:
    """Return the largest count of Mann and Whitney with p below 0.05, for n different values on each side."""
    base = range(n)
    count = -1
    while rank_sum_test(_with_count(n, count + 1), base, 0.95).p < 0.05:
        count += 1
    return count


def _with_count(n: int, count: int) -> list[float]:
    """Return n values of which so many pairs with 0 .. n - 1 are larger than the other."""
    rows, rest = divmod(count, n)
    values = [*(n + k for k in range(rows)), rest - 0.5, *(-1.0 - k for k in range(n))]
    return values[:n]


def nvbench_differs(own: Sequence[float], base: Sequence[float]) -> bool:
    """Return whether the means differ by more than the smaller relative standard deviation."""
    means = statistics.fmean(own), statistics.fmean(base)
    noises = statistics.stdev(own) / means[0], statistics.stdev(base) / means[1]
    return abs(means[0] / means[1] - 1) > min(noises)


# The tables


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def firm_row(order: str, n: int, equal: dict[str, Tally], powers: Sequence[Tally]) -> list[str]:
    """Return false alarms of ours in each noise, the worst of the others, power, and coverage."""
    alarms = [each.share("ours") for each in equal.values()]
    others = [max(each.share(rule) for each in equal.values()) for rule in ("benchstat", "nvbench")]
    covered = [100 * each.covering / each.intervals for each in equal.values() if each.intervals]
    coverage = f"{min(covered):.1f} to {max(covered):.1f}" if covered else "-"
    power = [each.share(rule) for each in powers for rule in ("ours", "benchstat")]
    return [order, str(n), *(f"{each:.1f}" for each in (*alarms, *others)), coverage, *map(_whole, power)]


def likely_row(order: str, n: int, equal: dict[str, Tally], powers: Sequence[Tally]) -> list[str]:
    """Return how often equal cases are called different or likely different in each noise, and power."""
    alarms = [each.share("ours", "likely") for each in equal.values()]
    return [
        order,
        str(n),
        *(f"{each:.1f}" for each in alarms),
        *(_whole(each.share("ours", "likely")) for each in powers),
    ]


def _whole(share: float) -> str:
    return f"{share:.0f}"


def extremes(order: str, every: Sequence[dict[str, Tally]]) -> list[str]:
    """Return the largest share of false alarms, and of likely ones, and the range of coverage."""
    tallies = [tally for equal in every for tally in equal.values()]
    independent = [tally for equal in every for tally in list(equal.values())[:INDEPENDENT]]
    covered = [100 * each.covering / each.intervals for each in tallies if each.intervals]
    return [
        order,
        f"{max(each.share('ours') for each in tallies):.1f}",
        f"{min(covered):.1f} to {max(covered):.1f}" if covered else "-",
        *(f"{max(each.share('likely') for each in members):.1f}" for members in (independent, tallies)),
    ]


def print_simulation(trials: int, repeats: Sequence[int], seed: int) -> None:
    """Print the decisions, then those that are likely as well, and the extremes over all rows."""
    firm, likely, summary = [], [], []
    for order in ORDERS:
        every = []
        for n in repeats:
            setting = f"{seed} {order} {n}"
            equal = {
                name: simulate(noise, order, n, trials, 1, f"{setting} {name}")
                for name, noise in NOISES.items()
            }
            powers = [
                simulate(normal, order, n, trials, ratio, f"{setting} {ratio}") for ratio in (1.03, 1.05)
            ]
            firm.append(firm_row(order, n, equal, powers))
            if any(each.verdicts["likely"] for each in powers):
                likely.append(likely_row(order, n, equal, powers))
            every.append(equal)
        summary.append(extremes(order, every))
    print(f"{trials:,} trials per setting, seed {seed}; all figures in %.\n")
    ends = ("3 %", "benchstat", "5 %", "benchstat")
    print("\n".join(table(("order", "n", *NOISES, "benchstat", "nvbench", "coverage", *ends), firm)))
    print("\nDecided or likely:\n")
    print("\n".join(table(("order", "n", *NOISES, "3 %", "5 %"), likely)))
    print("\nThe extremes over all rows:\n")
    head = ("order", "false alarms", "coverage", "likely, independent noise", "likely, any noise")
    print("\n".join(table(head, summary)), flush=True)


# Through logs on disk


def write_run(folder: Path, repeat: TimedRepeat, at: int, order: str) -> None:
    """Write a run of 130 equal steps in our own format; without an order, no log says when it began."""
    folder.mkdir(parents=True)
    nanoseconds = round(1e8 / repeat.value)
    planned = {"order_seed": 1, "round": repeat.round[1] + 1} if repeat.round else {}
    start = 1_700_000_000 * 10**9 + at * 60 * 10**9
    began = {} if order == "unknown" else {"started_realtime_ns": start}
    content = {
        "format": "reportgen-run",
        "version": 1,
        "status": "complete",
        "case": {"model": "m"},
        "repeat": at + 1,
        "samples_per_step": 1,
        "item": "image",
        "ranks": 1,
        **planned,
        **began,
        "columns": {"duration_ns": {"clock": "cuda_event", "sync": "step"}},
    }
    (folder / "run.json").write_text(json.dumps(content))
    steps = [f"{number},1,{number * nanoseconds},{nanoseconds}" for number in range(1, 131)]
    clock = "" if order == "unknown" else f"#clock,0,{start}\n"
    lines = "\n".join(["step,samples,begin_ns,duration_ns", *steps])
    (folder / "steps.rank0.csv").write_text(f"{clock}{lines}\n")


def verdict_on_logs(folder: Path, values: Sides, order: str) -> str:
    """Return the verdict that `reportgen compare` gives on the logs of both cases."""
    for which, side in enumerate(values):
        for number, repeat in enumerate(side):
            at = number if repeat.start is None else round(repeat.start)
            write_run(folder / f"side{which}" / f"r{number}", repeat, at, order)
    (row,) = reportgen.compare_runs(folder / "side1", folder / "side0", metric="throughput").diff.rows
    return row.verdict.kind if row.verdict else ""


def print_logs(trials: int, repeats: Sequence[int], seed: int) -> None:
    """Print verdicts on comparisons that are written as logs, the settings in turns."""
    settings = [
        (order, n, name, ratio)
        for order in ORDERS
        for n in repeats
        for name, ratio in [*((noise, 1.0) for noise in NOISES), ("normal", 1.05)]
    ]
    counts = {setting: [0, 0] for setting in settings}
    generator = random.Random(seed)
    with tempfile.TemporaryDirectory() as root:
        for trial in range(trials):
            setting = order, n, name, ratio = settings[trial % len(settings)]
            values = draw(NOISES[name], order, n, ratio, generator)
            kind = verdict_on_logs(Path(root) / str(trial), values, order)
            wanted = ("faster", "slower") if ratio == 1 else ("faster",)
            counts[setting][0] += kind in wanted
            counts[setting][1] += 1
    rows = []
    for order in ORDERS:
        cells = [order]
        for is_equal in (True, False):
            members = [each for key, each in counts.items() if key[0] == order and (key[3] == 1) == is_equal]
            cells.append(" of ".join(str(sum(column)) for column in zip(*members, strict=True)))
        rows.append(cells)
    print(
        f"{trials:,} comparisons through logs on disk, {', '.join(map(str, repeats))} repeats, seed {seed}.\n"
    )
    print("\n".join(table(("order", "false alarms, all noises", "5 % found, normal"), rows)))


def main() -> None:
    """Parse the arguments, simulate, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--repeats", type=int, nargs="+", default=[3, 5, 6, 7, 10, 15, 20])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--logs", type=int, default=0, metavar="N", help="N comparisons through logs on disk")
    arguments = parser.parse_args()
    if arguments.logs:
        print_logs(arguments.logs, arguments.repeats, arguments.seed)
    else:
        print_simulation(arguments.trials, arguments.repeats, arguments.seed)


if __name__ == "__main__":
    main()
