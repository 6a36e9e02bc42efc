"""Simulate sweeps that may end early, and print how often they find a difference of two equal cases.

    python benchmarks/early_stop.py [--trials 4000] [--rounds 12 16 24 40] [--seed 1]

Two cases run in random rounds with the noises of benchmarks/verdicts.py. Three rules judge the same draws by
the exact test of signed ranks: all rounds are run, and judged at 5 %; the sweep ends after a round whose p is
at most 0.001, else all are judged at 5 % (`collectors sweep`); it ends after a round whose p is at most 0.05.
False alarms are differences of equal cases, the worst of all noises. The last columns are how many rounds the
second rule runs, and how often it finds the difference, with normal noise of 1 %.
"""

import argparse
import random
from collections.abc import Sequence
from functools import lru_cache
from statistics import mean

from verdicts import NOISES, SPREAD, Noise, sides, table

from collectors.workloads.early_stop import FEWEST_ROUNDS, LEVEL

RULES = {"all rounds": 0.0, "p <= 0.001": LEVEL, "p <= 0.05": 0.05}
FINAL = 0.05


@lru_cache
def critical(n: int, level: float) -> int:
    """Return the largest rank sum of the rarer sign with p <= level among n differences; -1 if none has."""
    counts = [1]
    for rank in range(1, n + 1):
        counts = [
            (counts[total] if total < len(counts) else 0) + (counts[total - rank] if total >= rank else 0)
            for total in range(len(counts) + rank)
        ]
    below = 0
    for total, count in enumerate(counts):
        below += count
        if 2 * below / 2**n > level:
            return total - 1
    return len(counts)


def differs(values: Sequence[float], level: float) -> bool:
    """Return whether the test of signed ranks finds a difference at this level."""
    ordered = sorted(values, key=abs)
    positive = sum(rank for rank, value in enumerate(ordered, 1) if value > 0)
    return min(positive, len(values) * (len(values) + 1) // 2 - positive) <= critical(len(values), level)


def differences(noise: Noise, rounds: int, shift: float, generator: random.Random) -> list[float]:
    """Return the difference of each round, of logarithms."""
    drawn = noise(generator, 2 * rounds)
    order = sides("random rounds", generator, rounds)
    signed = [SPREAD * value * (1 if side == 0 else -1) for value, side in zip(drawn, order, strict=True)]
    return [signed[at] + signed[at + 1] + shift for at in range(0, 2 * rounds, 2)]


def ends_after(values: Sequence[float], level: float) -> int:
    """Return after how many rounds a sweep ends that looks from the 11th round on."""
    looks = range(FEWEST_ROUNDS, len(values))
    return next((n for n in looks if level and differs(values[:n], level)), len(values))


def found(values: Sequence[float], level: float) -> tuple[bool, int]:
    """Return whether a sweep finds a difference, and how many rounds it runs."""
    end = ends_after(values, level)
    return differs(values[:end], level if end < len(values) else FINAL), end


def row(rounds: int, trials: int, seed: int) -> list[str]:
    """Return a row of the table for a planned number of rounds."""
    cells = [str(rounds)]
    worst = dict.fromkeys(RULES, 0.0)
    for name, noise in NOISES.items():
        generator = random.Random(f"{seed}/{rounds}/{name}")
        draws = [differences(noise, rounds, 0, generator) for _ in range(trials)]
        for rule, level in RULES.items():
            worst[rule] = max(worst[rule], 100 * mean(found(each, level)[0] for each in draws))
    cells += [f"{share:.1f}" for share in worst.values()]
    for shift in (0.01, 0.02, 0.03):
        generator = random.Random(f"{seed}/{rounds}/{shift}")
        ends = [found(differences(NOISES["normal"], rounds, shift, generator), LEVEL) for _ in range(trials)]
        cells.append(
            f"{mean(end for _, end in ends):.1f} ({100 * mean(is_found for is_found, _ in ends):.0f})"
        )
    return cells


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=4000)
    parser.add_argument("--rounds", type=int, nargs="+", default=[12, 16, 24, 40])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    head = ["planned rounds", *RULES, "rounds (found) at 1 %", "at 2 %", "at 3 %"]
    rows = [row(rounds, options.trials, options.seed) for rounds in options.rounds]
    print("\n".join(table(head, rows)))


if __name__ == "__main__":
    main()
