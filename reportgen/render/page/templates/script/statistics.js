// Sums, deviations and the signed rank test, as reportgen/core/stats.py and reportgen/compare/exact_tests.py have
// them. A test holds the two against each other.

const statistics = (() => {
  const ascending = (values) => [...values].sort((a, b) => a - b);

  // The exact sum, rounded once (Shewchuk 1997), so that the order of the values never changes a digit.
  function sum(values) {
    const parts = [];
    for (let value of values) {
      let count = 0;
      for (let part of parts) {
        if (Math.abs(value) < Math.abs(part)) [value, part] = [part, value];
        const high = value + part;
        const low = part - (high - value);
        if (low) parts[count++] = low;
        value = high;
      }
      parts.length = count;
      parts.push(value);
    }
    let total = parts.pop() ?? 0;
    let low = 0;
    while (parts.length && !low) {
      const high = total;
      const part = parts.pop();
      total = high + part;
      low = part - (total - high);
    }
    // Half of a last digit is rounded by the sign of what is left.
    const more = parts.at(-1) ?? 0;
    if ((low < 0 && more < 0) || (low > 0 && more > 0)) {
      const rounded = total + low * 2;
      if (rounded - total === low * 2) return rounded;
    }
    return total;
  }

  const mean = (values) => sum(values) / values.length;

  function median(values) {
    const ordered = ascending(values);
    const middle = ordered.length >> 1;
    return ordered.length % 2 ? ordered[middle] : ordered[middle - 1] + (ordered[middle] - ordered[middle - 1]) / 2;
  }

  // The standard deviation of a sample of at least two values.
  function deviation(values) {
    const center = mean(values);
    return Math.sqrt(sum(values.map((value) => (value - center) ** 2)) / (values.length - 1));
  }

  // Twice the rank of each value; equal values share the mean of their ranks.
  function doubledRanks(values) {
    const ordered = ascending(values);
    return values.map((value) => ordered.indexOf(value) + ordered.lastIndexOf(value) + 2);
  }

  // The share of the subsets of whole numbers that have the sum 0, 1, 2, ...; exact for up to 52 numbers.
  function subsetShares(numbers) {
    const shares = [1, ...Array(numbers.reduce((a, b) => a + b, 0)).fill(0)];
    let reached = 0;
    for (const number of ascending(numbers)) {
      reached += number;
      for (let total = reached; total >= 0; total--) shares[total] = (shares[total] + (shares[total - number] ?? 0)) / 2;
    }
    return shares;
  }

  const added = (values) => values.reduce((a, b) => a + b, 0);

  // Wilcoxon's signed ranks of differences of pairs: the shift, its p value and its interval.
  function signedRank(differences, confidence) {
    const n = differences.length;
    const ranks = doubledRanks(differences.map(Math.abs));
    const positive = added(ranks.filter((_, i) => differences[i] > 0));
    const chances = subsetShares(ranks.filter((_, i) => differences[i] !== 0));
    const p = Math.min(1, 2 * Math.min(added(chances.slice(0, positive + 1)), added(chances.slice(positive))));
    const averages = ascending(differences.flatMap((one, i) => differences.slice(i).map((other) => (one + other) / 2)));
    const middle = averages.length >> 1;
    const shift = averages.length % 2 ? averages[middle] : (averages[middle - 1] + averages[middle]) / 2;
    let [inside, outside, below] = [0, 0, 0];
    for (const share of subsetShares(Array.from({ length: n }, (_, i) => i + 1))) {
      below += share;
      if (2 * below > (1 - confidence) * (1 + 1e-9) || 2 * inside >= averages.length) break;
      [inside, outside] = [inside + 1, below];
    }
    if (!inside) return { shift, p, low: -Infinity, high: Infinity, coverage: 1 };
    return { shift, p, low: averages[inside - 1], high: averages.at(-inside), coverage: 1 - 2 * outside };
  }

  // How many rounds a signed rank test needs to reach p <= alpha.
  const fewestRounds = (alpha) => Math.max(1, Math.ceil(1 - Math.log2(alpha)));

  return { sum, mean, median, deviation, signedRank, fewestRounds };
})();
