"""Simulate comparisons and print how often each rule is wrong, and how often it finds a real difference.

    python benchmarks/verdicts.py [--trials 2000] [--repeats 5 6 7 10] [--seed 1]

Two cases run n repeats each, in one of four orders: blocked (all of one, then all of the other), alternating,
in random rounds (one of each per round, the order drawn), or unknown. All rules judge the same draws:

    ours       the verdict of reportgen: faster or slower
    benchstat  Mann-Whitney U, p below 0.05, whatever the order (golang.org/x/perf/cmd/benchstat)
    nvbench    the means differ by more than the smaller of the two noises, stdev over mean (nvbench_compare)

False alarms are verdicts on two equal cases. Power is the share of verdicts with the right sign where the
cases differ by 3 % at a spread of 1 %. Coverage is the share of our intervals that contain the true ratio.
"""

import argparse
import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from reportgen.compare.exact_tests import rank_sum_test
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


@dataclass(slots=True)
class Tally:
    """Counts over the trials of one setting, per rule."""

    trials: int = 0
    verdicts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("ours", "benchstat", "nvbench"), 0)
    )
    intervals: int = 0
    covering: int = 0


def sides(order: str, generator: random.Random, n: int) -> list[int]:
    """Return which case runs at each of 2n times: 0 or 1."""
    if order == "blocked":
        return [0] * n + [1] * n
    if order == "alternating":
        return [0, 1] * n
    if order == "random rounds":
        return [side for _ in range(n) for side in generator.sample((0, 1), 2)]
    return generator.sample([0, 1] * n, 2 * n)


def simulate(noise: Noise, order: str, n: int, trials: int, ratio: float, seed: str) -> Tally:
    """Return the verdicts over many comparisons of a case that is `ratio` times as fast as its baseline."""
    generator = random.Random(seed)
    tally = Tally(trials)
    for _ in range(trials):
        drawn = noise(generator, 2 * n)
        values: tuple[list[TimedRepeat], list[TimedRepeat]] = ([], [])
        for at, (side, x) in enumerate(zip(sides(order, generator, n), drawn, strict=True)):
            value = math.exp(SPREAD * x) * (ratio if side == 0 else 1)
            planned = (1, len(values[side])) if order == "random rounds" else None
            values[side].append(TimedRepeat(value, None if order == "unknown" else float(at), planned))
        judge(tally, values, ratio)
    return tally


def judge(tally: Tally, values: tuple[list[TimedRepeat], list[TimedRepeat]], ratio: float) -> None:
    """Add the verdicts of all rules on one comparison; of a real difference only the right ones."""
    own, base = ([each.value for each in side] for side in values)
    verdict = decide(*values, better="higher", rule=DecisionRule(margin=0))
    tally.verdicts["ours"] += verdict.kind in (("faster", "slower") if ratio == 1 else ("faster",))
    if verdict.low is not None and verdict.high is not None:
        tally.intervals += 1
        tally.covering += verdict.low <= ratio <= verdict.high
    is_right = ratio == 1 or statistics.median(own) > statistics.median(base)
    tally.verdicts["benchstat"] += is_right and rank_sum_test(own, base, 0.95).p < 0.05
    tally.verdicts["nvbench"] += is_right and nvbench_differs(own, base)


def nvbench_differs(own: Sequence[float], base: Sequence[float]) -> bool:
    """Return whether the means differ by more than the smaller relative standard deviation."""
    means = statistics.fmean(own), statistics.fmean(base)
    noises = statistics.stdev(own) / means[0], statistics.stdev(base) / means[1]
    return abs(means[0] / means[1] - 1) > min(noises)


def main() -> None:
    """Parse the arguments, simulate, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--repeats", type=int, nargs="+", default=[5, 6, 7, 10])
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(f"{arguments.trials} trials per setting, seed {arguments.seed}; false alarms and power in %")
    head = (
        "order",
        "n",
        "noise",
        "ours",
        "benchstat",
        "nvbench",
        "coverage",
        "power",
        "benchstat",
        "nvbench",
    )
    print("{:<14} {:>2}  {:<12} {:>6} {:>9} {:>8} {:>9} {:>6} {:>9} {:>8}".format(*head))
    worst = dict.fromkeys(ORDERS, 0.0)
    for order in ORDERS:
        for n in arguments.repeats:
            for name, noise in NOISES.items():
                setting = f"{arguments.seed} {order} {n} {name}"
                equal = simulate(noise, order, n, arguments.trials, 1, setting)
                differing = simulate(noise, order, n, arguments.trials, 1.03, setting)
                worst[order] = max(worst[order], 100 * equal.verdicts["ours"] / equal.trials)
                print(row(order, n, name, equal, differing), flush=True)
    for order, share in worst.items():
        print(f"largest share of false alarms of ours, {order}: {share:.1f} %")


def row(order: str, n: int, noise: str, equal: Tally, differing: Tally) -> str:
    """Return a line of the table."""
    alarms, power = (
        [100 * count / tally.trials for count in tally.verdicts.values()] for tally in (equal, differing)
    )
    coverage = f"{100 * equal.covering / equal.intervals:.1f}" if equal.intervals else "-"
    return (
        f"{order:<14} {n:>2}  {noise:<12} {alarms[0]:>6.1f} {alarms[1]:>9.1f} {alarms[2]:>8.1f} "
        f"{coverage:>9} {power[0]:>6.1f} {power[1]:>9.1f} {power[2]:>8.1f}"
    )


if __name__ == "__main__":
    main()
