// Decide which of two cases is faster, as reportgen/compare/verdicts has it: the order of the runs allows a test.
// The rule is that of `reportgen compare`: 95 % confidence, the same within 1 %, no spread of other cases.

const verdicts = (() => {
  const { confidence, margin, separation, separationOfFewer, fewestSeparated, fewestShared, alternatingLevel, maxLogRatio, turns } = compareWords.rule;

  const haveOneClock = (repeats) => repeats.every(({ start }) => start !== null) && new Set(repeats.map(({ clock }) => clock)).size < 2;

  // Pairs of one repeat of each case that were planned for one round, if the rounds follow each other in time.
  function plannedRounds(repeats, others) {
    const [own, base] = [repeats, others].map((side) => new Map(side.map((each) => [each.round?.join(), each])));
    if (own.has(undefined) || base.has(undefined) || own.size < repeats.length || base.size < others.length) return [];
    const shared = [...own.keys()].filter((round) => base.has(round)).map((round) => [own.get(round), base.get(round)]);
    const areAll = own.size === base.size && shared.length === own.size;
    if (shared.length < fewestShared && !areAll) return [];
    const spans = shared
      .filter((pair) => pair.every(({ start }) => start !== null))
      .map((pair) => ({ pair, first: Math.min(pair[0].start, pair[1].start), last: Math.max(pair[0].start, pair[1].start) }))
      .sort((a, b) => a.first - b.first || a.last - b.last);
    const isInTurn = spans.every(({ first }, i) => i === 0 || first > spans[i - 1].last);
    return isInTurn && spans.length === shared.length ? spans.map(({ pair }) => pair) : [];
  }

  // How the repeats of two cases were arranged, and the rounds in time order where they took turns.
  function arrange(repeats, others) {
    const planned = plannedRounds(repeats, others);
    if (planned.length) return { kind: "random rounds", rounds: planned };
    const all = [...repeats.map((each) => ({ each, which: 0 })), ...others.map((each) => ({ each, which: 1 }))];
    const isOrdered = new Set(all.map(({ each }) => each.start)).size === all.length && haveOneClock([...repeats, ...others]);
    if (!isOrdered || !repeats.length || !others.length) return { kind: "unknown", rounds: [] };
    all.sort((a, b) => a.each.start - b.each.start);
    const changes = all.filter(({ which }, i) => i > 0 && which !== all[i - 1].which).length;
    if (changes === 1) return { kind: all.length === 2 ? "unknown" : "blocked", rounds: [] };
    const pairs = all.filter((_, i) => i % 2 === 0).map((one, i) => [one, all[2 * i + 1]]);
    if (repeats.length !== others.length || pairs.some(([one, other]) => one.which === other.which)) return { kind: "unknown", rounds: [] };
    const isFixed = new Set(pairs.map(([one]) => one.which)).size === 1;
    return { kind: isFixed ? "alternating" : "rounds", rounds: pairs.map(([one, other]) => (one.which === 0 ? [one.each, other.each] : [other.each, one.each])) };
  }

  function byRounds({ kind: arrangement, rounds }, logs) {
    const level = (1 - confidence) * (arrangement === "alternating" ? alternatingLevel : 1);
    const n = rounds.length;
    const result = statistics.signedRank(rounds.map(([own, base]) => logs(own) - logs(base)), 1 - level);
    const p = Math.min(1, (Math.min(1, result.p) * (1 - confidence)) / level);
    const verdict = { kind: "undecided", ratio: Math.exp(result.shift), arrangement, test: "signed rank", p, n };
    if (!Number.isFinite(result.low)) {
      const reason = `${n} rounds are too few for ${100 * confidence} % confidence`;
      return { ...verdict, reason, more: Math.max(statistics.fewestRounds(level) - n, 0) };
    }
    const [low, high, edge] = [Math.exp(result.low), Math.exp(result.high), Math.log1p(margin)];
    const tested = { ...verdict, low, high, coverage: result.coverage };
    if (-edge <= result.low && result.high <= edge) return { ...tested, kind: "same" };
    if (result.low > 0 || result.high < 0) return { ...tested, kind: result.low > 0 ? "faster" : "slower" };
    const needed = Math.ceil(n * ((result.high - result.low) / 2 / edge) ** 2);
    const reason = `between ${verdictText.difference(low)} and ${verdictText.difference(high)}`;
    return { ...tested, reason, more: needed ? Math.max(needed - n, 1) : 0, margin };
  }

  function bySeparation(speeds, base, ratio, arrangement, isTimed) {
    const order = arrangement === "blocked" || isTimed ? "not interleaved" : "the order of the runs is not known";
    const fewest = Math.min(speeds.length, base.length);
    if (fewest < fewestSeparated) return { kind: "undecided", ratio, arrangement, reason: `${order}, and fewer than ${fewestSeparated} repeats` };
    const needed = separation * (1 + separationOfFewer * Math.max(7 - fewest, 0));
    const difference = statistics.mean(speeds) - statistics.mean(base);
    const spread = Math.max(statistics.deviation(speeds), statistics.deviation(base));
    const verdict = { ratio, arrangement, test: "separation", needed };
    if (difference && Math.abs(difference) >= needed * spread) return { ...verdict, kind: difference > 0 ? "faster" : "slower", spread };
    return { ...verdict, kind: "undecided", reason: order };
  }

  // The verdict on a case against a baseline: `better` says whether a higher or a lower value is the faster one.
  function decide(repeats, others, better) {
    const logs = ({ value }) => (better === "higher" ? 1 : -1) * Math.log(value);
    const [speeds, base] = [repeats.map(logs), others.map(logs)];
    const arrangement = arrange(repeats, others);
    const shift = statistics.median(speeds) - statistics.median(base);
    if (Math.max(...speeds, ...base) - Math.min(...speeds, ...base) > maxLogRatio) {
      return { kind: "not comparable", ratio: Math.exp(Math.sign(shift) * maxLogRatio), arrangement: arrangement.kind, reason: "the numbers differ by more than a factor of 1e299" };
    }
    const ratio = Math.exp(shift);
    if (speeds.length < 2 || base.length < 2) return { kind: "no repeats", ratio, arrangement: arrangement.kind, reason: "one figure has no spread" };
    if (arrangement.rounds.length >= 2) return byRounds(arrangement, logs);
    const verdict = bySeparation(speeds, base, ratio, arrangement.kind, haveOneClock([...repeats, ...others]));
    const isOpen = verdict.kind === "undecided";
    return isOpen ? { ...verdict, counted: turns, more: statistics.fewestRounds(1 - confidence) } : verdict;
  }

  return { decide };
})();

// A verdict in the words of reportgen/compare/verdict.py.
const verdictText = (() => {
  const EQUAL = "equal";
  const isPercentage = (ratio) => 0.5 < ratio && ratio < 2;
  const withoutZeros = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

  // The twelve digits of report.json decide what a half is, as in the tables.
  const exact = (value) => Number(value.toPrecision(12));
  const withDecimals = (value, digits) => exact(value).toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const withDigits = (value, digits) =>
    Math.abs(value) < 10 ** digits - 0.5 ? exact(value).toLocaleString("en-US", { minimumSignificantDigits: digits, maximumSignificantDigits: digits }) : withDecimals(value, 0);

  const percent = (share) => `${withDecimals(100 * share, 100 * share < 9.95 ? 1 : 0)} %`;
  const factor = (ratio) => (ratio >= 1e9 ? `${ratio.toExponential(1).replace(/\+(\d)$/, "+0$1")}x` : `${withoutZeros(withDigits(ratio, 3))}x`);
  // A smaller ratio is written as its inverse.
  const LEAST_RATIO = 0.1;

  // "1.8 % faster", "2.5x as fast", "240x slower", "equal".
  function difference(ratio) {
    if (!isPercentage(ratio)) return ratio >= LEAST_RATIO ? `${factor(ratio)} as fast` : `${factor(1 / ratio)} slower`;
    const text = percent(Math.abs(ratio - 1));
    return text === percent(0) ? EQUAL : `${text} ${ratio >= 1 ? "faster" : "slower"}`;
  }

  function interval(ratio, low, high) {
    if (!isPercentage(ratio)) return (ratio >= LEAST_RATIO ? [low, high] : [1 / high, 1 / low]).map(factor).join(" to ");
    if (low < 1 && 1 < high) return `${percent(1 - low)} slower to ${percent(high - 1)} faster`;
    const [near, far] = low >= 1 ? [low, high] : [high, low];
    return `${percent(Math.abs(near - 1))} to ${percent(Math.abs(far - 1))}`;
  }

  // A speed that is 36 % lower takes 57 % more time; "" where the two have the same size.
  function time(ratio) {
    if (!isPercentage(1 / ratio)) return `${factor(1 / ratio)} the time`;
    const text = percent(Math.abs(1 / ratio - 1));
    return text === percent(Math.abs(ratio - 1)) ? "" : `${text} ${ratio > 1 ? "less" : "more"} time`;
  }

  function remedy({ more = 0, counted = "rounds", margin = 0 }) {
    if (!more) return "";
    const what = more === 1 ? counted.replace(/s$/, "") : counted;
    const number = counted === compareWords.rule.turns ? `${more} ${what}` : `${more} more ${what}`;
    return `; ${number} ${margin ? `would settle ${Number((100 * margin).toPrecision(3))} %` : "could decide"}`;
  }

  function sentence(verdict, isTime) {
    const { kind, ratio, low, high, reason } = verdict;
    if (kind === "faster" || kind === "slower") {
      const text = difference(ratio);
      const spread = verdict.spread === undefined ? "" : `spread ${withoutZeros(withDigits(100 * verdict.spread, 2))} %`;
      const ends = low === undefined ? "" : interval(ratio, low, high);
      const evidence = (low === undefined ? [isTime && time(ratio), spread] : [ends, isTime && time(ratio)]).filter(Boolean);
      return `${text === EQUAL ? `less than 0.1 % ${kind}` : text}${evidence.length ? ` (${evidence.join("; ")})` : ""}${remedy(verdict)}`;
    }
    if (kind === "same") return `no difference larger than ${percent(Math.max(...[low, high].map((end) => Math.abs(Math.expm1(Math.abs(Math.log(end)))))))}`;
    if (kind === "undecided") return `undecided: ${reason}${remedy(verdict)}`;
    return `${kind}: ${reason}`;
  }

  // What `reportgen compare` prints: an open verdict has the difference of the numbers before it.
  function whole(verdict, isTime) {
    const { kind, ratio, arrangement, test } = verdict;
    const order = { blocked: ", not interleaved", unknown: ", order of the runs unknown" };
    if (!["undecided", "no repeats", "not comparable"].includes(kind) || !Number.isFinite(ratio)) {
      return sentence(verdict, isTime) + (test === "separation" ? (order[arrangement] ?? "") : "");
    }
    const inTime = isTime ? time(ratio) : "";
    return `${difference(ratio)}${inTime ? ` (${inTime})` : ""}, ${kind === "undecided" ? "but " : ""}${sentence(verdict)}`;
  }

  return { difference, sentence, whole, withDigits };
})();
