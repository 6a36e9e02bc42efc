"""Where an ordered series of numbers changed: steps, and drifts over many points.

The series is one value per commit, day or version. As long as a test says that it changes, the step or the
drift that explains most is added to a model of the series, and what the model leaves over is tested again.
Cutting the series wherever its distribution changes would report one drift as several steps.

Two permutation tests share the significance. E-divisive compares all pairs of neighbouring segments: it sees
changes that hide each other, such as a step up and a drift down. The second test asks what a larger model
explains, compared with what it explains of noise: it sees a change beside those in the model.

Both assume that the order of the values means nothing while nothing changes. Values that resemble their
neighbours (a warm week, a shared machine) break this: much of such noise looks like a change. So a change
must also be large against its standard error, as if there were fewer values where neighbours are correlated
(Bartlett). `Changes.neighbour_correlation` says how far to trust what is left.

Matteson & James, A nonparametric approach for multiple change point analysis of multivariate data, J. Am.
Stat. Assoc. 109 (2014). Bai & Perron, Estimating and testing linear models with multiple structural changes,
Econometrica 66 (1998). Freedman & Lane, A nonstochastic interpretation of reported significance levels,
J. Bus. Econ. Stat. 1 (1983). Besag & Clifford, Sequential Monte Carlo p-values, Biometrika 78 (1991).
Bartlett, Some aspects of the time-correlation problem in regard to tests of significance, J. R. Stat. Soc. 98
(1935).
"""

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, combinations, islice, pairwise
from typing import Literal

import numpy as np

from reportgen.core.model import FloatArray, IntArray

ChangeKind = Literal["step", "drift"]

# Sums of many floats differ in their last digits between machines. Statistics that close are equal.
_EQUAL = 1e-9
# Ends of drifts, and steps beside them, are searched at this many points. More take long and find the same.
_MAX_PLACES = 40
# A test ends after so many random orders that are as extreme: its p is far from any significance.
_ENOUGH_AS_EXTREME = 20
# A candidate that adds a smaller share of its square to a model is already in it.
_NEW = 1e-9
# A larger correlation of neighbours leaves next to no information.
_MAX_CORRELATION = 0.95
# Of more models, not all parts are tried.
_MOST_MODELS = 6
# So many random orders are computed at once: at first, and at most.
_FIRST_CHUNK, _CHUNK = 4, 50


@dataclass(frozen=True, slots=True)
class ChangePointRule:
    """When a series has changed. `python benchmarks/change_points.py` prints how often that is wrong.

    significance   chance of finding a change where there is none
    min_segment    fewest points before, between and after steps
    min_drift      fewest points from the start of a drift to its end
    permutations   random orders of each test
    seed           of these orders
    least_effect   smallest size of a change in standard errors, as wide as the memory of the noise makes them
    """

    significance: float = 0.01
    min_segment: int = 3
    min_drift: int = 6
    permutations: int = 499
    seed: int = 1
    least_effect: float = 5.0

    @property
    def fewest_points(self) -> int:
        """Return the shortest series in which a change may be found."""
        return max(2 * self.min_segment, self.min_drift + 1)

    @property
    def points_for_a_step(self) -> int:
        """Return the shortest series in which the tests can find a step, one in the middle.

        The first k of n values have C(n, k) choices, and two of them look like a perfect step after k values:
        itself and its mirror. The two tests share the significance.
        """
        n = self.fewest_points
        while 2 * 2 / math.comb(n, n // 2) > self.significance:
            n += 1
        return n


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """One change of a series.

    first, last  index of the first value after a step, twice; of the values where a drift starts and ends
    ratio        by which the values changed
    p            of the tests if this change were left out of the model; at least 2 / (permutations + 1)
    """

    kind: ChangeKind
    first: int
    last: int
    ratio: float
    p: float


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes of a series in order, and how its noise behaves.

    fitted                 the value that the changes predict at each point
    neighbour_correlation  lag-1 autocorrelation of what the changes leave over; well above 0, p is too small
    """

    changes: tuple[ChangePoint, ...]
    fitted: tuple[float, ...]
    neighbour_correlation: float


@dataclass(frozen=True, slots=True)
class _Feature:
    """A step or a drift as a column of a linear model: its shape over the points."""

    kind: ChangeKind
    first: int
    last: int


def find_changes(values: Sequence[float], rule: ChangePointRule) -> Changes:
    """Return where a series of positive numbers changed. Changes are ratios: a step of 4 % is one of 1.04.

    values  in order, each from a measurement of its own: a value that is repeated because nothing was
            measured would count as a confirmation
    """
    if not values or min(values) <= 0:
        raise ValueError("change points need positive values")
    if len(values) < rule.fewest_points:
        return Changes((), tuple(values), 0.0)
    search = _ModelSearch(np.log(np.array(values, dtype=np.float64)), rule)
    features = search.without_needless(search.tested_model())
    return search.result(search.without_uncertain(features))


class _ModelSearch:
    """Models of one series: a constant and features. The tests of what they leave over, the next feature."""

    def __init__(self, logs: FloatArray, rule: ChangePointRule) -> None:
        self.logs = logs
        self.rule = rule
        self.n = len(logs)
        self.plan = _plan(self.n, rule)
        # The sum of squares of what rounding leaves over.
        self.least = self.n * (1e-12 * max(1.0, float(np.abs(logs).max()))) ** 2
        # p of models: exact up to the significance, else some larger number.
        self._ps: dict[frozenset[_Feature], float] = {}

    def residuals(self, features: Sequence[_Feature]) -> FloatArray:
        """Return what is left of the series after a least-squares fit."""
        basis = self.plan.basis(features)
        return np.asarray(self.logs - basis @ (basis.T @ self.logs), dtype=np.float64)

    def cost(self, features: Sequence[_Feature]) -> float:
        """Return Schwarz's criterion of the model, the smaller the better.

        A model has each feature once: a second one would explain what rounding left of the first.
        """
        if len(set(features)) < len(features):
            return math.inf
        rest = self.residuals(features)
        penalty = math.log(self.n) * sum(_parameters(feature.kind) for feature in features)
        return self.n * math.log(max(float(rest @ rest), self.least)) + penalty

    def best_addition(self, features: Sequence[_Feature]) -> _Feature:
        """Return the candidate that explains most beside these features.

        Candidates often explain as much as each other: beside a step, a drift may begin at it or a point
        before. Then the last digits choose. So this arithmetic, unlike that of the tests, decides which
        changes are printed, and a faster one would print others.
        """
        basis = self.plan.basis(features)
        rows = self.residuals(features)[None, :]
        rows = rows - (rows @ basis) @ basis.T
        columns = self.plan.columns - basis @ (basis.T @ self.plan.columns)
        # einsum has no threads: on a busy host, those of a matrix product of this size wait for each other.
        products = np.einsum("rn,nc->rc", rows, columns)[0]
        squares = (columns**2).sum(axis=0)
        is_new = squares > _NEW * self.plan.squares
        explained = np.where(is_new, products**2 / np.where(is_new, squares, 1), 0)
        total = max(float((rows**2).sum()), self.least)
        left = np.maximum(total - explained, self.least)
        gains = self.n * np.log(total / left) - self.plan.penalties
        return self.plan.candidates[int(np.argmax(gains))]

    def models(self) -> Iterator[list[_Feature]]:
        """Yield ever larger models, the empty one first, as long as the criterion gets smaller."""
        features, larger = list[_Feature](), self.enlarge([])
        yield features
        while self.cost(larger) < self.cost(features):
            features, larger = larger, self.enlarge(larger)
            yield features

    def tested_model(self) -> list[_Feature]:
        """Return the first model that leaves nothing for the tests to find, else the largest one.

        The tests take longest. They are left out, and the model is empty, if all parts of all models would be
        dropped for their uncertainty anyway. So it is with most series that did not change.
        """
        models = self.models()
        first = list(islice(models, _MOST_MODELS))
        if len(first) < _MOST_MODELS and not any(map(self._has_certain_part, first)):
            return []
        tested = list[_Feature]()
        for features, larger in pairwise(chain(first, models)):
            if not self.is_significant(features):
                return features
            tested = larger
        return tested

    def _has_certain_part(self, features: list[_Feature]) -> bool:
        parts = chain.from_iterable(combinations(features, size) for size in range(1, len(features) + 1))
        return any(self.without_uncertain(list(part)) for part in parts)

    def enlarge(self, features: list[_Feature]) -> list[_Feature]:
        """Return the best model that is found with one feature more."""
        larger = self._refine([*features, self.best_addition(features)])
        if len(features) != 1:
            return larger
        pairs = [[step, self.best_addition([step])] for step in self.plan.pair_steps]
        return min(larger, self._refine(min(pairs, key=self.cost)), key=self.cost)

    def _refine(self, features: list[_Feature]) -> list[_Feature]:
        """Replace each feature by a better one beside the others until there is none."""
        improved = True
        while improved:
            improved = False
            for feature in features:
                others = _without(features, feature)
                changed = [*others, self.best_addition(others)]
                if self.cost(changed) < self.cost(features) - 1e-6:
                    features, improved = changed, True
                    break
        return features

    def without_needless(self, features: list[_Feature]) -> list[_Feature]:
        """Drop features without which the tests find nothing, the least useful first."""
        for feature in sorted(features, key=lambda each: self.cost(_without(features, each))):
            if not self.is_significant(_without(features, feature)):
                features = _without(features, feature)
        return features

    def without_uncertain(self, features: list[_Feature]) -> list[_Feature]:
        """Drop features, the least certain first, that are small against noise with this memory."""
        while features:
            effects = self.effects(features)
            least = int(np.argmin(effects))
            if effects[least] >= self.rule.least_effect:
                break
            features = [*features[:least], *features[least + 1 :]]
        return features

    def effects(self, features: Sequence[_Feature]) -> FloatArray:
        """Return the sizes of the features in standard errors of noise that has the memory of the residuals.

        With a lag-1 correlation c, n values say as much as n (1 - c) / (1 + c) independent ones. A model of k
        columns makes the correlation of its residuals smaller by about (k + 1) / n, which is added again.
        """
        design = np.array([np.ones(self.n), *(_column(feature, self.n) for feature in features)]).T
        rest, columns = self.residuals(features), design.shape[1]
        squares = max(float(rest @ rest), self.least)
        correlation = float(rest[1:] @ rest[:-1]) / squares + (columns + 1) / self.n
        memory = min(max(correlation, 0.0), _MAX_CORRELATION)
        variance = squares / (self.n - columns) * (1 + memory) / (1 - memory)
        errors = np.sqrt(variance * np.diag(np.linalg.inv(design.T @ design)))
        sizes = np.linalg.lstsq(design, self.logs, rcond=None)[0]
        return np.asarray(np.abs(sizes / errors)[1:], dtype=np.float64)

    def is_significant(self, features: Sequence[_Feature]) -> bool:
        """Return whether the residuals are not in random order, by both tests together."""
        key = frozenset(features)
        if key not in self._ps:
            self._ps[key] = self._p_within(features, self.rule.significance)
        return self._ps[key] <= self.rule.significance

    def p(self, features: Sequence[_Feature]) -> float:
        """Return the p-value that the residuals are in random order, by both tests together."""
        return (
            self._ps[frozenset(features)] if self.is_significant(features) else self._p_within(features, 1.0)
        )

    def _p_within(self, features: Sequence[_Feature], largest: float) -> float:
        """Return the p-value if it is at most `largest`, else any number above that.

        The second test ends once its p cannot be smaller than that of the first.
        """
        rest = self.residuals(features)
        if float(rest @ rest) <= self.least:
            return 1.0
        smallest, least = 1.0, 1 / (1 + self.rule.permutations)
        for test in (self._addition_p, self._e_divisive_p):
            if smallest > least:
                smallest = min(smallest, test(rest, features, min(smallest, largest / 2)))
        return min(1.0, 2 * smallest)

    def _e_divisive_p(self, rest: FloatArray, features: Sequence[_Feature], largest: float) -> float:
        divergence = self.plan.divergence
        random_orders = (divergence.largest(rest[order]) for order in self.plan.orders)
        return _permutation_p(divergence.largest(rest), random_orders, self.rule.permutations, largest)

    def _addition_p(self, rest: FloatArray, features: Sequence[_Feature], largest: float) -> float:
        """Test whether a model with one feature more explains more than it would explain of noise.

        A steep line around a step explains much of a drift with a step, and no feature explains what it
        leaves over. So a model of one feature is compared with the best model of two.
        """
        fitted = self.logs - rest
        advantages = self._pair_advantages if len(features) == 1 else self._gains_of_one(features)
        observed = float(advantages(self.logs[:, None])[0])
        return _permutation_p(
            observed,
            (
                advantage
                for orders in _parts(self.plan.orders)
                for advantage in advantages(fitted[:, None] + rest[orders.T]).tolist()
            ),
            self.rule.permutations,
            largest,
        )

    def _gains_of_one(self, features: Sequence[_Feature]) -> Callable[[FloatArray], FloatArray]:
        beside = _Beside(self.plan, features)
        return lambda series: self._best_gain(*beside.parts(series))

    def _pair_advantages(self, series: FloatArray) -> FloatArray:
        """Return by how much the best pair of features is better than the best one, for each column."""
        squares, sizes = self.plan.beside_constant.parts(series)
        pairs = [
            self._gain(squares, sizes[step.first - self.plan.steps[0]], "step")
            + self._best_gain(*beside.parts(series))
            for step, beside in self.plan.pair_steps.items()
        ]
        return np.asarray(np.max(pairs, axis=0) - self._best_gain(squares, sizes), dtype=np.float64)

    def _best_gain(self, squares: FloatArray, sizes: FloatArray) -> FloatArray:
        """Return by how much the best candidate lowers the criterion: of each kind, it explains most."""
        steps, drifts = np.split(sizes, [len(self.plan.steps)])
        best_step = self._gain(squares, steps.max(axis=0), "step")
        return np.maximum(best_step, self._gain(squares, drifts.max(axis=0, initial=0), "drift"))

    def _gain(self, squares: FloatArray, size: FloatArray, kind: ChangeKind) -> FloatArray:
        total = np.maximum(squares, self.least)
        left = np.maximum(total - size**2, self.least)
        return np.asarray(
            self.n * np.log(total / left) - math.log(self.n) * _parameters(kind), dtype=np.float64
        )

    def result(self, features: Sequence[_Feature]) -> Changes:
        """Return the features with their sizes, in the order of the series."""
        ordered = sorted(features, key=lambda each: (each.first, each.last))
        design = np.array([np.ones(self.n), *(_column(feature, self.n) for feature in ordered)]).T
        sizes = np.linalg.lstsq(design, self.logs, rcond=None)[0]
        changes = tuple(
            ChangePoint(each.kind, each.first, each.last, math.exp(size), self.p(_without(ordered, each)))
            for each, size in zip(ordered, sizes[1:].tolist(), strict=True)
        )
        rest = self.residuals(ordered)
        total = float(rest @ rest)
        correlation = float(rest[1:] @ rest[:-1]) / total if total > self.least else 0.0
        return Changes(changes, tuple(np.exp(self.logs - rest).tolist()), correlation)


def _without(features: Sequence[_Feature], dropped: _Feature) -> list[_Feature]:
    return [feature for feature in features if feature != dropped]


def _parameters(kind: ChangeKind) -> int:
    """Return 2 for place and size of a step, 3 for both ends and the size of a drift."""
    return 2 if kind == "step" else 3


def _permutation_p(observed: float, random_orders: Iterable[float], number: int, largest: float) -> float:
    """Return the chance of a statistic that is as large in random order, if it is at most `largest`.

    number   of random orders
    returns  p, or a number above `largest` as soon as the other orders cannot change that p is above it
    """
    as_large = 0
    for at, statistic in enumerate(random_orders, 1):
        as_large += math.isclose(statistic, observed, rel_tol=_EQUAL) or statistic > observed
        if as_large == _ENOUGH_AS_EXTREME:
            return as_large / at
        if (1 + as_large) / (1 + number) > largest:
            break
    return (1 + as_large) / (1 + number)


def _parts(orders: IntArray) -> Iterator[IntArray]:
    """Yield the orders in parts: the first are small, because few orders say that a series has no change."""
    begin, size = 0, _FIRST_CHUNK
    while begin < len(orders):
        yield orders[begin : begin + size]
        begin, size = begin + size, min(2 * size, _CHUNK)


def _stride(places: int) -> int:
    return 1 + (places - 1) // _MAX_PLACES


def _candidates(n: int, rule: ChangePointRule) -> list[_Feature]:
    steps = [_Feature("step", at, at) for at in range(rule.min_segment, n - rule.min_segment + 1)]
    ends = range(0, n, _stride(n))
    drifts = [
        _Feature("drift", first, last) for first in ends for last in ends if last - first >= rule.min_drift
    ]
    return steps + drifts


def _column(feature: _Feature, n: int) -> FloatArray:
    """Return 0 before a change and 1 after it, and a line between the ends of a drift."""
    points = np.arange(n)
    if feature.kind == "step":
        return np.asarray(points >= feature.first, dtype=np.float64)
    share = (points - feature.first) / (feature.last - feature.first)
    return np.asarray(np.clip(share, 0, 1), dtype=np.float64)


def _orders(n: int, rule: ChangePointRule) -> IntArray:
    """Return random orders of n points, one a row, from the numbers of `random.Random(seed).random()`."""
    _, (*key, position), _ = random.Random(rule.seed).getstate()
    generator = np.random.RandomState()
    generator.set_state(("MT19937", np.array(key, dtype=np.uint32), position, 0, 0.0))
    return np.argsort(generator.random_sample((rule.permutations, n)), axis=1, kind="stable")


class _Divergence:
    """The largest E-divisive statistic of a segment that starts the series and the segment after it.

    The segments are the points 0..cut and cut..end. Matteson & James, section 2.2, with exponent 1. The
    statistic is linear in three sums of distances: between all pairs of points before the end, between all
    before the cut, and from those before the cut to those before the end. The weights of the sums depend on
    cut and end alone.
    """

    def __init__(self, n: int, min_segment: int) -> None:
        self.cuts = np.arange(min_segment, n - min_segment + 1)
        self.ends = np.arange(2 * min_segment, n + 1)
        left = self.cuts[:, None].astype(np.float64)
        right = np.maximum(self.ends - left, min_segment)
        scale = left * right / (left + right)
        across, inside = 2 / (left * right), 1 / (right * (right - 1))
        self.of_both = scale * (across + 2 * inside)
        self.of_cut = scale * (across + 1 / (left * (left - 1)) + inside)
        self.of_end = scale * inside
        self.of_short_segments = np.where(self.ends - left < min_segment, -np.inf, 0.0)

    def largest(self, values: FloatArray) -> float:
        """Return the statistic of a series."""
        sums = np.zeros((len(values) + 1, len(values) + 1))
        distances = np.abs(values[:, None] - values[None, :])
        np.cumsum(np.cumsum(distances, axis=0, out=distances), axis=1, out=sums[1:, 1:])
        square = sums.diagonal()
        divergence = self.of_both * sums[self.cuts[0] : self.cuts[-1] + 1, self.ends[0] :]
        divergence -= self.of_cut * square[self.cuts, None]
        divergence -= self.of_end * square[self.ends]
        divergence += self.of_short_segments
        return float(divergence.max())


class _Plan:
    """All that the search in a series needs besides its values. It depends on the number of points."""

    def __init__(self, n: int, rule: ChangePointRule) -> None:
        self.n, self.rule = n, rule
        self.candidates = _candidates(n, rule)
        drifts = [each for each in self.candidates if each.kind == "drift"]
        self.steps = np.array([each.first for each in self.candidates if each.kind == "step"])
        self.begins, self.ends = (
            np.array(each) for each in ([d.first for d in drifts], [d.last for d in drifts])
        )
        self.penalties = math.log(n) * np.array([_parameters(each.kind) for each in self.candidates])
        self.columns = np.array([_column(each, n) for each in self.candidates]).T
        self.squares = (self.columns**2).sum(axis=0)

    @cached_property
    def orders(self) -> IntArray:
        """The random orders of the points, one a row."""
        return _orders(self.n, self.rule)

    @cached_property
    def divergence(self) -> _Divergence:
        """The statistic of E-divisive."""
        return _Divergence(self.n, self.rule.min_segment)

    @cached_property
    def beside_constant(self) -> "_Beside":
        """The parts of the candidates beside a constant."""
        return _Beside(self, [])

    @cached_property
    def pair_steps(self) -> dict[_Feature, "_Beside"]:
        """The steps that are tried in pairs, and the parts of the candidates beside each."""
        steps = [each for each in self.candidates if each.kind == "step"]
        return {step: _Beside(self, [step]) for step in steps[:: _stride(len(steps))]}

    def basis(self, features: Sequence[_Feature]) -> FloatArray:
        """Return orthonormal columns that span a constant and the features."""
        design = np.array([np.ones(self.n), *(_column(feature, self.n) for feature in features)]).T
        return np.asarray(np.linalg.qr(design)[0], dtype=np.float64)

    def products(self, columns: FloatArray) -> FloatArray:
        """Return the products of columns of n values and the candidates, a row each, without their matrix.

        A step has the sum of the values from its place on. A line that rises by 1 per point has the sum of
        these sums. A drift is the difference of two such lines.
        """
        from_here = np.cumsum(columns[::-1], axis=0)[::-1]
        lines = np.zeros_like(columns)
        lines[:-1] = np.cumsum(from_here[:0:-1], axis=0)[::-1]
        drifts = (lines[self.begins] - lines[self.ends]) / (self.ends - self.begins)[:, None]
        return np.concatenate((from_here[self.steps], drifts))


class _Beside:
    """The parts of series that each candidate explains beside the features of a model."""

    def __init__(self, plan: _Plan, features: Sequence[_Feature]) -> None:
        self.plan = plan
        self.basis = plan.basis(features)
        squares = plan.squares - (plan.products(self.basis) ** 2).sum(axis=1)
        is_new = squares > _NEW * plan.squares
        self.scales = np.where(is_new, 1 / np.sqrt(np.where(is_new, squares, 1)), 0)[:, None]

    def parts(self, series: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the squares of what the model leaves over, and what part of them each candidate explains.

        series   one a column
        returns  sums of squares, one a column; roots of their parts, with a row per candidate
        """
        rest = series - self.basis @ (self.basis.T @ series)
        sizes = self.plan.products(rest)
        sizes *= self.scales
        return (rest**2).sum(axis=0), np.abs(sizes, out=sizes)


# The cells of a table often have as many points.
_plan = lru_cache(maxsize=2)(_Plan)
