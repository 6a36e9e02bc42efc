"""Simulate repeats of one case and print how often they look like two groups (`protocol.two-groups`).

    python benchmarks/two_groups.py [--trials 10000] [--seed 1]

Noises are those of `verdicts.py`. One of them has two levels: there, two groups are right. The last line of a
number of repeats is the share of real pairs that are found: two halves, 4 % apart, each with normal noise of
0.3 %.
"""

import argparse
import random

from verdicts import NOISES

from reportgen.core.stats import lower_group

REPEATS = (4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 30)


def main() -> None:
    """Parse the arguments, simulate, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(f"{arguments.trials} trials per setting, seed {arguments.seed}; two groups in %")
    print(f"{'n':>2} " + "".join(f"{name:>13}" for name in (*NOISES, "4 % apart")))
    worst = 0.0
    for n in REPEATS:
        generator = random.Random(f"{arguments.seed} {n}")
        shares = {
            name: 100
            * sum(lower_group(noise(generator, n)) > 0 for _ in range(arguments.trials))
            / arguments.trials
            for name, noise in NOISES.items()
        }
        pairs = ([generator.gauss(4 * (i >= n // 2), 0.3) for i in range(n)] for _ in range(arguments.trials))
        found = 100 * sum(lower_group(pair) > 0 for pair in pairs) / arguments.trials
        print(f"{n:>2} " + "".join(f"{share:>13.1f}" for share in (*shares.values(), found)), flush=True)
        worst = max(worst, *(share for name, share in shares.items() if name != "bimodal"))
    print(f"largest share without the noise of two levels: {worst:.1f} %")


if __name__ == "__main__":
    main()
