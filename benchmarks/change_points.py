"""Simulate series and print how often a change is found where there is none, and how often real ones are.

    python benchmarks/change_points.py [--series 1000] [--points 30] [--seed 1]

The first table counts series without a change in which one was found, per kind of noise. The test is exact
for noise without memory, of any distribution. Autocorrelated noise breaks its assumption: those rows show how
far. The second table has series with a step of 4 %, a slow drift, or both. It counts those in which these and
nothing else were found, each step within one point of its place.
"""

import argparse
import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from reportgen.core.change_points import ChangePoint, ChangePointRule, find_changes

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


def rounded(generator: random.Random, n: int) -> list[float]:
    """Return normal noise with few distinct values."""
    return [float(round(x)) for x in normal(generator, n)]


def autocorrelated(share: float) -> Noise:
    """Return noise in which each value keeps a share of the one before it."""

    def draw(generator: random.Random, n: int) -> list[float]:
        values, last = [], generator.gauss(0, 1)
        for _ in range(n):
            last = share * last + math.sqrt(1 - share**2) * generator.gauss(0, 1)
            values.append(last)
        return values

    return draw


NOISES: dict[str, Noise] = {
    "normal": normal,
    "t(2)": heavy_tailed,
    "bimodal": bimodal,
    "rounded": rounded,
    "AR 0.3": autocorrelated(0.3),
    "AR 0.6": autocorrelated(0.6),
    "AR 0.9": autocorrelated(0.9),
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A series with changes: a step of 4 % at a share of its points, a drift between two shares."""

    name: str
    step: float | None = None
    drift: tuple[float, float] | None = None
    drift_size: float = 0.05

    def logs(self, n: int) -> list[float]:
        """Return the logarithm of the series without noise."""
        values = [0.0] * n
        if self.step is not None:
            values = [x + math.log(1.04) * (i >= self.place(n)) for i, x in enumerate(values)]
        if self.drift:
            begin, end = (share * (n - 1) for share in self.drift)
            values = [
                x + self.drift_size * min(max((i - begin) / (end - begin), 0), 1)
                for i, x in enumerate(values)
            ]
        return values

    def place(self, n: int) -> int:
        """Return the first point after the step."""
        assert self.step is not None
        return round(self.step * n)

    def is_found(self, changes: tuple[ChangePoint, ...], n: int) -> bool:
        """Return whether the changes are those of the shape and no others."""
        steps = [change.first for change in changes if change.kind == "step"]
        drifts = [change for change in changes if change.kind == "drift"]
        if self.step is None:
            return not steps and len(drifts) == 1
        is_at_place = len(steps) == 1 and abs(steps[0] - self.place(n)) <= 1
        return is_at_place and len(drifts) == (self.drift is not None)


SHAPES = (
    Shape("step", step=0.4),
    Shape("drift of 5 %, all along", drift=(0, 1)),
    Shape("step, then drift of -5 %", step=0.3, drift=(0.5, 1), drift_size=-0.05),
    Shape("step, then drift of 5 %", step=0.3, drift=(0.5, 1)),
    Shape("drift of 5 %, then step", step=0.75, drift=(0, 0.5)),
    Shape("step inside a drift of 5 %", step=0.5, drift=(0, 1)),
    Shape("step inside a drift of -5 %", step=0.5, drift=(0, 1), drift_size=-0.05),
)


def false_alarms(noise: Noise, series: int, points: int, seed: str) -> tuple[int, float]:
    """Return in how many series without a change one is found, and the mean correlation of neighbours."""
    generator = random.Random(seed)
    results = [
        find_changes([math.exp(0.01 * x) for x in noise(generator, points)], ChangePointRule())
        for _ in range(series)
    ]
    correlation = math.fsum(result.neighbour_correlation for result in results) / series
    return sum(bool(result.changes) for result in results), correlation


def exact_finds(shape: Shape, spread: float, series: int, points: int, seed: str) -> int:
    """Return in how many series exactly the changes of the shape are found."""
    generator = random.Random(seed)
    found = 0
    for _ in range(series):
        logs = shape.logs(points)
        values = [math.exp(x + spread * e) for x, e in zip(logs, normal(generator, points), strict=True)]
        found += shape.is_found(find_changes(values, ChangePointRule()).changes, points)
    return found


def main() -> None:
    """Parse the arguments, simulate, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--series", type=int, default=1000, help="without a change; a tenth of it with changes"
    )
    parser.add_argument("--points", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rule = ChangePointRule()
    print(f"{arguments.series} series of {arguments.points} points without a change, {rule}")
    print(f"{'noise':<10} {'false':>6} {'share':>7} {'neighbours':>11}")
    for name, noise in NOISES.items():
        setting = f"{arguments.seed} {name}"
        count, correlation = false_alarms(noise, arguments.series, arguments.points, setting)
        print(f"{name:<10} {count:>6} {count / arguments.series:>7.1%} {correlation:>11.2f}", flush=True)
    few = max(1, arguments.series // 10)
    print(f"\n{few} series with changes, normal noise: share in which these and nothing else are found")
    print(f"{'changes':<28} {'0.3 %':>7} {'0.5 %':>7} {'1 %':>7}")
    for shape in SHAPES:
        shares = [
            exact_finds(shape, spread, few, arguments.points, f"{arguments.seed} {shape.name} {spread}") / few
            for spread in (0.003, 0.005, 0.01)
        ]
        print(f"{shape.name:<28} " + " ".join(f"{share:>7.0%}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
