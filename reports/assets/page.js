/* The script of the pages of reportgen. `reportgen build` writes it: change its modules, not this file. */
(() => {
"use strict";
const own = document.currentScript.dataset;
own.serves = "4";
if (own.page !== own.serves) return;
const compareWords = {"command":"command","item":"item","parts":"parts","unexplained":["item","parts","statistic"],"variable":"variable ","essential":["samples_per_step","clock","evidence","item"],"alwaysEssential":["clock","evidence","statistic","item","tokens_per_sample","operations_per_sample","dataset","image_size","model","model_revision","precision","sequence_length","tokenizer"],"ofTime":["samples_per_step","batch_size","global_batch_size","gradient_accumulation_steps","micro_batch_size"],"work":["batch_size","dataset","global_batch_size","gradient_accumulation_steps","image_size","micro_batch_size","model","model_revision","precision","sequence_length","tokenizer"],"sizes":["batch_size","devices","devices_per_node","global_batch_size","micro_batch_size","nodes","ranks"],"ofSize":["samples_per_step","ranks","batch_size","global_batch_size","gradient_accumulation_steps","micro_batch_size"],"deviceNames":["accelerator","cluster","device","gpu","system"],"ofDevice":["device_model","clock_limit","device_memory","power_limit"],"deviceTerms":["clock_limit","device_memory","power_limit"],"expected":["samples_per_step","ranks","device_model","clock","dataset","precision"],"ofItems":{"token":["sequence_length","tokenizer"],"sequence":["sequence_length","tokenizer"],"image":["image_size"]},"versions":["driver","cpu","framework","cuda","cudnn","nccl"],"gpuVersions":["cuda","cudnn","driver","nccl"],"settings":["optimizer","compile","num_workers","container","git_commit"],"rule":{"confidence":0.95,"margin":0.01,"separation":3.72,"separationOfFewer":0.02,"fewestSeparated":5,"fewestShared":6,"alternatingLevel":0.8,"maxLogRatio":690.0,"turns":"interleaved rounds"}};
function start() {
// Make elements. Texts become text nodes and attributes are set one by one, so no text of a log is parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== ""));
  return element;
}

// h("p", {class: "quiet"}, "text", element): an HTML element; `onclick` and the like are listeners.
function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// The same for SVG.
function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// Text between backticks as code, as in the findings of the page.
function sentence(text) {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

// A number as the evidence writes it: seven digits, so that it is never rounded more than in a table.
function shown(value) {
  const digits = Math.abs(value) < 1e6 ? { maximumSignificantDigits: 7 } : { maximumFractionDigits: 0 };
  return value.toLocaleString("en-US", digits);
}

// A comparison as the page writes it: three digits. toPrecision would round 1.005 down, the tables round it up.
function shownShort(value) {
  const digits = Math.abs(value) < 999.5 ? { minimumSignificantDigits: 3, maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 };
  return value.toLocaleString("en-US", digits);
}

// Keep focus and history working where a browser forbids to change the address (a page inside another one).
function setAddress(address) {
  try {
    history.replaceState(history.state, "", address || location.pathname + location.search);
  } catch {
    // The page works without an address.
  }
}

// A label beside its control; inside a label, the options of a list would be part of its text.
const labelled = (() => {
  let count = 0;
  return (text, control) => {
    control.id = `control-${++count}`;
    return h("span", {}, h("label", { for: control.id }, text), " ", control);
  };
})();

// A check box with its label; onchange gets whether it is on.
function check(text, isOn, onchange) {
  const box = h("input", { type: "checkbox", checked: isOn, onchange: () => onchange(box.checked) });
  return h("label", {}, box, " ", text);
}
// The evidence of the page: JSON that is parsed when the first number is opened. What configurations share is in one
// element; the data of each are beside its text, which is not HTML here, since the text is for readers without a script.
// The evidence of a large report is in files beside the page, each loaded with the first of its numbers
// (render/page/evidence_files.py).
// docs/developers/rendering.md describes the keys.

const evidence = (() => {
  const cases = new Map(); // name -> {data, found}: the case, and the data that it refers to
  const loading = new Map(); // file -> promise
  let parsed = null;

  function page() {
    if (!parsed) {
      parsed = JSON.parse(document.getElementById("data").textContent);
      const texts = [...document.querySelectorAll("noscript")].map((each) => each.textContent).join("");
      const configurations = [...texts.matchAll(/ data-runs='([^']*)'/g)].map(([, json]) => json);
      add({ ...parsed, configurations: JSON.parse(`[${configurations}]`) });
    }
    return parsed;
  }

  // Each case has what its configuration says for all of its cases.
  function add(data) {
    for (const { cases: own, ...shared } of data.configurations) {
      for (const [name, fields] of Object.entries(own)) cases.set(name, { data, found: { ...shared, ...fields } });
    }
  }

  function known(name) {
    page();
    return cases.get(name);
  }

  function fileOf(name) {
    let number = 0;
    for (const character of name) number = (Math.imul(31, number) + character.codePointAt(0)) >>> 0;
    return String(number % page().evidenceFiles);
  }

  function loadFile(file) {
    const path = `evidence/${file}.js`;
    const script = h("script", { src: path });
    const loaded = new Promise((resolve, reject) => {
      script.addEventListener("load", () => resolve(add({ ...page(), ...globalThis.reportgenEvidence[file] })));
      script.addEventListener("error", () => reject(new Error(path)));
    });
    document.head.append(script);
    return loaded;
  }

  function loadCase(name) {
    const file = fileOf(name);
    if (!loading.has(file)) loading.set(file, loadFile(file));
    return loading.get(file);
  }

  const baselines = (name) => (known(name)?.found.compared ?? []).map(([, , , baseline]) => baseline);

  const measured = ({ values = [] }) => values.filter((value) => value !== null);

  function finding(data, name) {
    const [severity, rule, text] = data.messages[name];
    return { severity, rule, text, remedy: data.remedies[rule] };
  }

  const ARCHIVE = /^.*?\.(?:tar|zip|gz|bz2|xz|zst|tgz|tbz2|txz|tzst)(?=\/)/i;

  function source(data, log, [file, line]) {
    const path = data.files[file].replace("\t", () => log);
    return { text: line ? `${path}:${line}` : path, href: addressOf(path, line) };
  }

  // A browser opens https, but not s3. A log in an archive is there, but has no address.
  function addressOf(path, line) {
    if (/^[a-z0-9]+:\/\//.test(path)) return path.startsWith("http") ? encodeURI(path) : "";
    const [archive] = path.match(ARCHIVE) || [];
    const encoded = (archive || path).split("/").map(encodeURIComponent).join("/");
    // The fragment names the line; a whole file needs none.
    const address = line && !archive ? page().source : page().source.replace(/#.*$/, "");
    return address && address.replace("{path}", () => encoded).replace("{line}", line);
  }

  function repeat(data, entries, value, kind, [folder = "", paths = [], steps = [0, 0, 0]] = []) {
    const [id, time, environment = "", findings = [], status, own, ownSteps, gap = 0, evidence, more = 0, outside = 0] = entries;
    const [base, number] = id.split(/#(.*)/s);
    const log = number === undefined ? folder + id : data.logs[base];
    const [first, last, count] = ownSteps || steps;
    return {
      run: number === undefined ? log : `${log}#${number}`,
      value,
      sources: (own || paths).map((each) => source(data, log, each)),
      more,
      window: count ? { first, last, steps: count, time, gap, outside } : null,
      findings: (findings || []).map((each) => finding(data, each)),
      environment: { ...data.environment, ...data.environments[environment] },
      status: status || "complete",
      evidence: evidence || kind,
    };
  }

  function factorsOf({ data, found: { factors: [names, ...values] } }) {
    return { ...data.shared, ...Object.fromEntries(data.names[names].map((name, i) => [name, values[i]])) };
  }

  function comparison(data, [table, kind, value, baseline, after, ratio, contract], factors) {
    // That of a baseline, which only its value is asked of, may be in a file that is not loaded.
    const other = known(baseline) ? factorsOf(known(baseline)) : {};
    const differing = Object.keys(other).filter((name) => other[name] !== factors[name]);
    return {
      table: data.tables[table],
      kind,
      value,
      baseline,
      before: data.before[kind].replace("{}", () => shownShort(value)),
      text: differing.map((name) => `${name}=${other[name]}`).join(", ") || "the other runs",
      after,
      ratio,
      contract: data.contracts[contract],
    };
  }

  return {
    // The case of that name with everything that the page has about it; null for an unknown name.
    get(name) {
      if (!known(name)) return null;
      const { data, found } = known(name);
      const [title, unit, factor] = data.metrics[found.metric];
      const [how, kind] = data.summaries[found.summary];
      const ends = found.ends ?? measured(found);
      const factors = factorsOf(known(name));
      const range = ends.length ? `${shown(ends[0])} \u2013 ${shown(ends.at(-1))}` : "";
      const value = ends.length ? ends[ends.length >> 1] : null;
      return {
        name,
        title,
        unit,
        factor, // of the unit: value times factor is in the base unit
        factors,
        value,
        ends,
        summary: (value === null ? "" : `${shown(value)} ${unit}`.trim() + ", ") + how.replace("\t", () => range),
        findings: (found.findings ?? []).map((each) => finding(data, each)),
        compared: (found.compared ?? []).map((each) => comparison(data, each, factors)),
        runs: (found.runs ?? []).map((each, i) => repeat(data, each, found.values?.[i] ?? null, kind, found.usual)),
      };
    },

    // The same case as a side of a comparison (comparisons.js): values in the base unit, with all digits.
    side(name) {
      if (!known(name)) return null;
      const { data, found } = known(name);
      const [title, , factor, metric, phase, better, isSpeed, isRate, protocol] = data.metrics[found.metric];
      const values = found.exact ?? measured(found).map((value) => value * factor);
      const factors = factorsOf(known(name));
      const [names, ...conditions] = found.conditions ? data.conditions[found.conditions] : [];
      const said = Object.fromEntries(conditions.map((value, i) => [data.names[names][i], value]));
      const command = said[compareWords.command] ?? [];
      if (command.length) said[compareWords.command] = command.flat().filter(Boolean).join(" ");
      return {
        name,
        title,
        metric,
        phase,
        better,
        isSpeed,
        isRate,
        protocol,
        value: found.number ?? (values.length ? statistics.median(values) : null),
        repeats: values.map((value, i) => ({ value, start: found.starts?.[i] ?? null, clock: found.clocks?.[i] ?? "", round: found.rounds?.[i] ?? null })),
        factors,
        keys: { ...factors, ...found.keys }, // equal where the values are
        conditions: said,
        command, // its arguments: option and value
        overAll: found.overAll ?? null,
        invalid: found.invalid ?? "",
        termOf: (word) => data.terms[word]?.[0] ?? "",
        versionOf: (word) => data.terms[word]?.[1] ?? "",
      };
    },
    // Whether the page has all about cases: them and their baselines. A page without files has.
    isReady: (names) => !page().evidenceFiles || names.every((name) => known(name) && baselines(name).every(known)),
    // Load the files of cases and of their baselines; rejected where one is missing.
    async load(names) {
      await Promise.all(names.map(loadCase));
      await Promise.all(names.flatMap(baselines).map(loadCase));
    },
    // The names of all cases; none where some are in files.
    names: () => (page().evidenceFiles ? [] : [...cases.keys()]),
    report: () => page().report,
    // The folder of logs that a log is in; "" if the page does not say it.
    folderOf: (log) => page().folders.filter((folder) => log === folder || log.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)[0] ?? "",
  };
})();
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
// What was held equal between two cases, what differs, and what no log states, as reportgen/compare/contract.py has
// it for a comparison of all factors in which the two differ. `compareWords` has the vocabulary.

const contracts = (() => {
  const words = compareWords;
  const ABSENT = "-";
  const isVariable = (name) => name.startsWith(words.variable);
  const sorted = (names) => [...names].sort();
  const optionName = (option) => option.replace(/^-+/, "").replace(/[-.]/g, "_").toLowerCase();

  function factors(own, base) {
    return sorted(new Set([...Object.keys(own.factors), ...Object.keys(base.factors)])).map((name) => {
      const [first, second] = [own, base].map((side) => side.factors[name] ?? null);
      const isEqual = own.keys[name] === base.keys[name];
      const texts = isEqual || first !== second ? [first, second].map((text) => text ?? ABSENT) : [own.keys[name], base.keys[name]];
      return { name, own: texts[0], baseline: isEqual ? texts[0] : texts[1], isEqual, isFactor: true };
    });
  }

  // The conditions in which a comparison of these factors differs by its nature.
  function explainedBy(names, termOf) {
    const explained = new Set(names.flatMap((name) => [name, termOf(name)]).filter(Boolean));
    const hasAny = (list) => list.some((name) => explained.has(name));
    const isOfSize = hasAny(words.sizes);
    const isOfDevice = hasAny(words.deviceNames);
    if (isOfSize) for (const name of words.ofSize) explained.add(name);
    if (isOfDevice) for (const name of words.ofDevice) explained.add(name);
    for (const name of words.unexplained) explained.delete(name);
    return explained;
  }

  // Arguments that only the one command line has, and only the other, without those that something else explains.
  function commands(own, base, explained) {
    const values = [own, base].flatMap((side) => Object.values(side.factors).map(optionName));
    const known = new Set([...explained, ...values, ...Object.keys(own.factors), ...Object.keys(base.factors)]);
    const [first, second] = [own, base].map((side) => side.command.filter((argument) => !argument.some((word) => known.has(optionName(word)))));
    const only = (list, others) => list.filter(([option, value]) => !others.some((other) => other[0] === option && other[1] === value)).flat().filter(Boolean).join(" ");
    return [only(first, second), only(second, first)];
  }

  const inOrder = (names) => [
    ...words.essential.filter((name) => names.has(name)),
    ...sorted([...names].filter((name) => !words.essential.includes(name) && words.work.includes(name))),
    ...sorted([...names].filter((name) => !words.essential.includes(name) && !words.work.includes(name))),
  ];

  function conditions(own, base, explained) {
    const names = [...Object.keys(own.conditions), ...Object.keys(base.conditions)];
    const said = names.filter((name) => isVariable(name) || (name in own.conditions && name in base.conditions));
    const ofTime = own.better === "lower" ? words.ofTime : [];
    return inOrder(new Set(said)).map((name) => {
      let [first, second] = [own, base].map((side) => side.conditions[name] ?? ABSENT);
      if (name === words.command) {
        const [mine, others] = commands(own, base, explained);
        [first, second] = mine || others ? [mine || ABSENT, others || ABSENT] : [first, first];
      }
      return { name, own: first, baseline: second, isEqual: first === second, isEssential: [...words.alwaysEssential, ...ofTime].includes(name) };
    });
  }

  function notStated(own, base) {
    const sides = [own, base];
    const item = sides.map((side) => side.conditions[words.item]).find((each) => each !== undefined);
    const stated = new Set(sides.flatMap((side) => Object.keys(side.conditions)));
    const ofWork = [...words.expected, ...(words.ofItems[item] ?? []), ...(own.isRate ? [words.item] : [])];
    const wanted = new Set([...ofWork, ...stated].filter((name) => !isVariable(name)));
    const versions = new Set([...stated].map((name) => own.versionOf(name)));
    const isOnCpu = sides.every((side) => (side.factors.device ?? "").toLowerCase() === "cpu");
    const ofDevice = isOnCpu ? [] : words.deviceTerms;
    return [
      ...inOrder(wanted).filter((name) => sides.some((side) => !(name in side.conditions))),
      ...words.versions.filter((name) => !versions.has(name) && !(isOnCpu && words.gpuVersions.includes(name))),
      ...[...ofDevice, words.command, ...words.settings].filter((name) => !stated.has(name)),
    ];
  }

  // The lists of a contract: differences with their values on both sides, names of what is not stated.
  function of(own, base) {
    const all = factors(own, base);
    const differing = all.filter((each) => !each.isEqual);
    const named = new Set(all.flatMap(({ name }) => [name, own.termOf(name)]));
    const explained = explainedBy(differing.map(({ name }) => name), own.termOf);
    const said = conditions(own, base, explained);
    const unequal = said.filter((each) => !each.isEqual);
    return {
      heldEqual: [...all, ...said].filter((each) => each.isEqual && (each.isFactor || !named.has(each.name))),
      about: [...differing, ...unequal.filter(({ name }) => explained.has(name) && !named.has(name))],
      differs: unequal.filter(({ name }) => !explained.has(name)),
      notStated: notStated(own, base).filter((name) => !named.has(name)),
    };
  }

  return { of, words: (name) => name.replaceAll("_", " ") };
})();
// A case against another one, as `reportgen compare` compares them: the ratio, the contract, the refusal, the verdict.

const comparisons = (() => {
  // Why the two numbers do not measure one thing, "" if they do.
  function hindrance(own, base) {
    if (own.name === base.name) return "both are the same case";
    const without = [own, base].find((side) => side.value === null);
    if (without) return `${without.title} of ${without === own ? "the first" : "the second"} has no number`;
    if (own.metric !== base.metric || own.phase !== base.phase) return `${own.title} and ${base.title} are two quantities`;
    if (own.protocol !== base.protocol) return `measured by two protocols, ${own.protocol} and ${base.protocol}`;
    const parts = [own, base].map((side) => side.conditions[compareWords.parts]);
    return parts[0] === parts[1] ? "" : `the totals have other parts: ${parts.map((each) => each ?? "one phase").join("; ")}`;
  }

  const invalidity = (own, base) => (own.invalid ? `invalid: ${own.invalid}` : base.invalid ? `invalid: ${base.invalid} in the baseline` : "");

  // Of speeds, how many times faster; of other quantities, the ratio of the values. NaN if one of them is zero.
  function ratioOf(own, value, other) {
    if (!value || !other) return NaN;
    return own.isSpeed && own.better === "lower" ? other / value : value / other;
  }

  function verdictOf(own, base, refused, ratio) {
    const values = [...own.repeats, ...base.repeats].map(({ value }) => value);
    if (!own.isSpeed || !(ratio > 0) || !own.repeats.length || !base.repeats.length || Math.min(...values) <= 0) return null;
    const texts = refused.map(({ name, own: mine, baseline }) => `${name} ${baseline} -> ${mine}`);
    if (texts.length) return { kind: "not comparable", ratio, arrangement: "unknown", reason: `differs in ${texts.join(" and ")}` };
    return verdicts.decide(own.repeats, base.repeats, own.better);
  }

  // Two sides (evidence.js) compared; `refusal` is why they may not be, and then there is no ratio or it means nothing.
  function of(own, base) {
    const hindered = hindrance(own, base) || invalidity(own, base);
    if (hindered) return { refusal: hindered, ratio: NaN, overAll: NaN, verdict: null, contract: null };
    const contract = contracts.of(own, base);
    const refused = contract.differs.filter((each) => each.isEssential);
    const ratio = ratioOf(own, own.value, base.value);
    const hasGaps = own.overAll !== null || base.overAll !== null;
    return {
      refusal: refused.length ? `differs in ${refused.map(({ name, own: mine, baseline }) => `${name} (${mine}; ${baseline} in the baseline)`).join(" and ")}` : "",
      ratio,
      overAll: hasGaps ? ratioOf(own, own.overAll ?? own.value, base.overAll ?? base.value) : NaN,
      verdict: verdictOf(own, base, refused, ratio),
      contract,
    };
  }

  return { of };
})();
// The tables of the page: heads and cells of each, and the address of every cell.
//
// The address `#TABLE/ROW/COLUMN` names the heads of a cell, so it survives sorting and the next build.

const tables = (() => {
  const known = new WeakMap();

  // The text of a head or cell without footnote marks and the small print below it.
  function plain(element) {
    const copy = element.cloneNode(true);
    for (const extra of copy.querySelectorAll("sup, small, .interval, button")) extra.remove();
    return copy.textContent.replace(/\s+/g, " ").trim();
  }

  const slug = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}._]+/gu, "-").replace(/^-|-$/g, "") || "-";

  // Equal texts get a number, so that every address is of one cell.
  function distinct(texts) {
    const counts = new Map();
    return texts.map((text) => {
      const count = (counts.get(text) ?? 0) + 1;
      counts.set(text, count);
      return count === 1 ? text : `${text}~${count}`;
    });
  }

  // The columns [first, last) that each head is over.
  function headSpans(table) {
    const spans = [];
    const taken = []; // rows that a head of an earlier row still covers, by column
    for (const row of table.tHead.rows) {
      let column = 0;
      const skip = () => {
        while (taken[column] > 0) taken[column++] -= 1;
      };
      for (const head of row.cells) {
        skip();
        const first = column;
        column += head.colSpan;
        for (let i = first; i < column; i++) taken[i] = head.rowSpan - 1;
        spans.push({ head, first, last: column });
      }
      skip();
    }
    return spans;
  }

  // The texts of the heads over a column, top level first.
  const headPath = (spans, column) =>
    spans.filter(({ first, last }) => first <= column && column < last).map(({ head }) => plain(head)).filter(Boolean);

  function read(table) {
    const section = table.closest("section.table");
    const rows = [...table.tBodies[0].rows];
    const leads = rows.length ? rows[0].querySelectorAll("th").length : 0;
    const spans = headSpans(table);
    const columns = Array.from({ length: rows.length ? rows[0].cells.length : 0 }, (_, i) => headPath(spans, i));
    const heads = rows.map((row) => [...row.querySelectorAll("th")].map(plain));
    const leadTitles = columns.slice(0, leads).map((path) => path.join(" "));
    const model = {
      id: section.id,
      name: section.id.replace(/^table-/, ""),
      title: section.dataset.title,
      table,
      section,
      leads, // columns that name the row
      columns,
      spans,
      rowSlugs: new Map(),
      columnSlugs: distinct(columns.map((path) => slug(path.join(" ")))),
      // A number, yes or no says nothing without the title of its column.
      heads: new Map(rows.map((row, i) => [row, heads[i].map((text, j) => (/^([\d.,]+|yes|no)$/.test(text) ? `${leadTitles[j]} ${text}` : text))])),
    };
    distinct(heads.map((texts) => slug(texts.join(" ")))).forEach((text, i) => model.rowSlugs.set(rows[i], text));
    return model;
  }

  function of(table) {
    if (!known.has(table)) known.set(table, read(table));
    return known.get(table);
  }

  const isVisible = (element) => !element.hidden && element.offsetParent !== null;

  return {
    of,
    plain,
    all: () => [...document.querySelectorAll("section.table table")],

    // What a cell is: its table, heads and address, and the name of its case.
    cell(td) {
      const model = of(td.closest("table"));
      const row = td.parentElement;
      const link = td.querySelector('a[href^="#case-"]');
      return {
        td,
        link,
        model,
        row: model.heads.get(row),
        column: model.columns[td.cellIndex],
        // Only tables of the report itself have addresses.
        address: model.id.startsWith("table-") && `#${[model.name, model.rowSlugs.get(row), model.columnSlugs[td.cellIndex]].map(encodeURIComponent).join("/")}`,
        case: link ? link.hash.slice("#case-".length) : null,
        text: plain(td),
      };
    },

    // The cell with an address, null if there is none.
    find(address) {
      const parts = address.slice(1).split("/");
      if (parts.length !== 3) return null;
      let names;
      try {
        names = parts.map(decodeURIComponent);
      } catch {
        return null;
      }
      const table = document.getElementById(`table-${names[0]}`)?.querySelector("table");
      if (!table) return null;
      const model = of(table);
      const row = [...table.tBodies[0].rows].find((each) => model.rowSlugs.get(each) === names[1]);
      const column = model.columnSlugs.indexOf(names[2]);
      return row && column >= 0 ? (row.cells[column] ?? null) : null;
    },

    // The next cell with evidence in a direction: "left", "right", "up", "down", or in reading order.
    neighbour(td, direction) {
      const rows = [...td.closest("table").tBodies[0].rows].filter(isVisible);
      const linked = (cell) => isVisible(cell) && cell.querySelector('a[href^="#case-"]');
      const inRow = [...td.parentElement.cells].filter(linked);
      const inColumn = rows.map((row) => row.cells[td.cellIndex]).filter(linked);
      const inTable = rows.flatMap((row) => [...row.cells].filter(linked));
      const lists = { left: inRow, right: inRow, up: inColumn, down: inColumn, previous: inTable, next: inTable };
      const list = lists[direction];
      const step = ["left", "up", "previous"].includes(direction) ? -1 : 1;
      return list[list.indexOf(td) + step] ?? null;
    },
  };
})();
// What of a table is shown: rows by a filter, columns by choice or because they differ, bars behind numbers.
// Rows are moved and elements hidden; nothing is computed again, so every number stays as the report wrote it.

const views = (() => {
  const known = new WeakMap();

  function of(table) {
    if (!known.has(table)) {
      known.set(table, { filter: "", hidden: new Set(), differences: false, bars: false, sort: null, rows: [...table.tBodies[0].rows] });
    }
    return known.get(table);
  }

  // The number of a cell: in the base unit where units differ, else as shown; NaN for a cell without one.
  function number(cell) {
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    if (cell.tagName === "TD" && !cell.classList.contains("number")) return NaN;
    const match = tables.plain(cell).replaceAll(",", "").match(/^[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?/i);
    return match ? Number(match[0]) : NaN;
  }

  function compare(a, b, direction) {
    const [one, other] = [number(a), number(b)];
    if (!Number.isNaN(one) && !Number.isNaN(other)) return direction * (one - other);
    if (Number.isNaN(one) !== Number.isNaN(other) && a.tagName === "TD") return Number.isNaN(one) ? 1 : -1; // no number: last
    return direction * tables.plain(a).localeCompare(tables.plain(b), "en", { numeric: true });
  }

  // A head that repeats the row above says nothing beside another row.
  const showRepeated = (table, view) => table.classList.toggle("moved", Boolean(view.sort) || view.rows.some((row) => row.hidden));

  // Sort by a column, 1 for ascending, -1 for descending, 0 for the order of the report.
  function sort(table, column, direction) {
    const view = of(table);
    view.sort = direction ? { column, direction } : null;
    const rows = [...view.rows];
    if (direction) rows.sort((a, b) => compare(a.cells[column], b.cells[column], direction));
    table.tBodies[0].append(...rows);
    showRepeated(table, view);
    for (const { head, first, last } of tables.of(table).spans) {
      const isSorted = direction && first === column && last === column + 1;
      if (isSorted) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
  }

  const matches = (row, words) => {
    const text = row.textContent.toLowerCase();
    return words.every((word) => text.includes(word));
  };

  const areEqual = (cells) => cells.length > 1 && new Set(cells.map(tables.plain)).size === 1;

  // A table of many rows shows the first 200 (style.css) until a reader asks for more: a browser lays out all at once.
  const [SHOWN_ROWS, MOST_ROWS] = [200, 400];

  function shorten(table) {
    const { rows } = table.tBodies[0];
    if (rows.length <= MOST_ROWS) return;
    table.classList.add("short");
    const button = h("button", { type: "button" }, `Show all ${rows.length.toLocaleString("en")} rows`);
    button.addEventListener("click", () => {
      showAll(table);
      [...rows].slice(SHOWN_ROWS).map((row) => row.querySelector("a")).find(Boolean)?.focus();
    });
    table.closest(".scroll").after(h("p", { class: "more" }, button));
  }

  function showAll(table) {
    if (!table.classList.contains("short")) return;
    table.classList.remove("short");
    table.closest("section.table").querySelector(".more").remove();
  }

  function apply(table) {
    showAll(table);
    const view = of(table);
    const { leads, columns, spans } = tables.of(table);
    const words = view.filter.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of view.rows) {
      const isSame = view.differences && columns.length - leads > 1 && areEqual([...row.cells].slice(leads));
      row.hidden = !matches(row, words) || isSame;
    }
    const rows = view.rows.filter((row) => !row.hidden);
    showRepeated(table, view);
    const hidden = columns.map((_, i) => view.hidden.has(i) || (view.differences && areEqual(rows.map((row) => row.cells[i]))));
    for (const row of view.rows) [...row.cells].forEach((cell, i) => (cell.hidden = hidden[i]));
    for (const { head, first, last } of spans) {
      const shown = hidden.slice(first, last).filter((each) => !each).length;
      head.hidden = shown === 0;
      head.colSpan = Math.max(shown, 1);
    }
    drawBars(table, view, rows, leads);
  }

  // The length of a bar is the number's share of the largest in its column.
  function drawBars(table, view, rows, leads) {
    table.classList.toggle("bars", view.bars);
    if (!view.bars) return;
    for (let i = leads; i < tables.of(table).columns.length; i++) {
      const cells = rows.map((row) => row.cells[i]);
      const most = Math.max(...cells.map(number).filter((value) => !Number.isNaN(value)));
      for (const cell of cells) cell.style.setProperty("--share", Math.max(number(cell) / most, 0) || 0);
    }
  }

  return { of, sort, apply, shorten, showAll };
})();
// Copy a table as it is shown now: Markdown, CSV or LaTeX.

const copies = (() => {
  // What is visible: the texts of the heads over each column, and the rows.
  function grid(table) {
    const model = tables.of(table);
    const visible = model.spans.filter(({ head, first, last }) => !head.hidden && last === first + 1).map(({ first }) => first);
    const columns = [...new Set(visible)].sort((a, b) => a - b);
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
    return {
      title: model.title,
      leads: columns.filter((i) => i < model.leads).length,
      heads: columns.map((i) => model.columns[i].join(" ")),
      rows: rows.map((row) => columns.map((i) => row.cells[i])),
    };
  }

  // A cell with its interval and what stands below the number, without footnote marks.
  function whole(cell) {
    const copy = cell.cloneNode(true);
    for (const mark of copy.querySelectorAll("sup")) mark.remove();
    for (const small of copy.querySelectorAll("small")) small.prepend(" ");
    return copy.textContent.replace(/\s+/g, " ").trim();
  }

  const markdownText = (text) => text.replace(/[\\`*_\[\]|~$<>]|&(?=#?\w+;)/g, "\\$&");

  function markdown(table) {
    const { heads, leads, rows } = grid(table);
    const line = (texts) => `| ${texts.join(" | ")} |`;
    const rule = heads.map((_, i) => (i < leads ? "---" : "---:"));
    return [line(heads.map(markdownText)), line(rule), ...rows.map((row) => line(row.map((cell) => markdownText(whole(cell)))))].join("\n") + "\n";
  }

  // Numbers without separators; a text that a spreadsheet would read as a formula begins with an apostrophe, "-" alone does not.
  function csvText(text, isNumber) {
    const shown = isNumber ? text.replaceAll(",", "") : text.replace(/^[=+\-@](?=.)/, "'$&");
    return /[",\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
  }

  function csv(table) {
    const { heads, rows } = grid(table);
    const lines = rows.map((row) => row.map((cell) => csvText(tables.plain(cell), cell.classList.contains("number"))));
    return [heads.map((head) => csvText(head, false)), ...lines].map((line) => line.join(",")).join("\n") + "\n";
  }

  const LATEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\u2013": "--", "\u00b5": "$\\mu$" };
  const latexText = (text) => text.replace(/[\\~^\u2013\u00b5]|[#$%&_{}]/g, (found) => LATEX[found] ?? `\\${found}`);

  function latex(table) {
    const { title, heads, leads, rows } = grid(table);
    const line = (texts) => `${texts.join(" & ")} \\\\`;
    return [
      "% needs \\usepackage{booktabs}",
      "\\begin{table}",
      `\\caption{${latexText(title)}}`,
      `\\begin{tabular}{${"l".repeat(leads)}${"r".repeat(heads.length - leads)}}`,
      "\\toprule",
      line(heads.map(latexText)),
      "\\midrule",
      ...rows.map((row) => line(row.map((cell) => latexText(whole(cell))))),
      "\\bottomrule",
      "\\end{tabular}",
      "\\end{table}",
      "",
    ].join("\n");
  }

  // A page from the disk may lack the clipboard's interface; the selection of a text field always works.
  async function toClipboard(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = h("textarea", { class: "offscreen", readonly: true });
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
  }

  return { formats: { Markdown: markdown, CSV: csv, LaTeX: latex }, toClipboard };
})();
// The tools of a table, made when a reader opens them: filter, sort, columns, differences, bars, copy.

const tools = (() => {
  function filterField(table) {
    const field = h("input", {
      type: "search",
      oninput: () => {
        views.of(table).filter = field.value;
        views.apply(table);
      },
    });
    return labelled("Filter rows", field);
  }

  function sortField(table, names) {
    const options = names.flatMap((name, i) => [
      h("option", { value: `${i},1` }, `${name} \u2191`),
      h("option", { value: `${i},-1` }, `${name} \u2193`),
    ]);
    const field = h("select", { onchange: () => views.sort(table, ...field.value.split(",").map(Number)) }, h("option", { value: "0,0" }, "as in the report"), options);
    return labelled("Sort by", field);
  }

  function columnChoice(table, names) {
    const { hidden } = views.of(table);
    const boxes = names.map((name, i) =>
      check(name, !hidden.has(i), (isShown) => {
        if (isShown) hidden.delete(i);
        else hidden.add(i);
        views.apply(table);
      }),
    );
    return h("details", { class: "columns" }, h("summary", {}, "Columns"), h("fieldset", {}, h("legend", {}, "Show"), boxes));
  }

  function switches(table) {
    return [
      ["Only differences", "differences"],
      ["Bars", "bars"],
    ].map(([text, name]) =>
      check(text, false, (isOn) => {
        views.of(table)[name] = isOn;
        views.apply(table);
      }),
    );
  }

  function copyButtons(table) {
    const status = h("span", { role: "status" });
    const buttons = Object.entries(copies.formats).map(([name, text]) =>
      h("button", { type: "button", "aria-label": `Copy as ${name}`, onclick: () => copies.toClipboard(text(table)).then(() => (status.textContent = `Copied as ${name}`)) }, name),
    );
    return h("span", { class: "copy" }, "Copy as ", buttons, " ", status);
  }

  function fill(details, table) {
    const names = tables.of(table).columns.map((path) => path.join(" "));
    details.append(h("div", { class: "toolbar" }, filterField(table), sortField(table, names), switches(table), copyButtons(table), columnChoice(table, names)));
  }

  // A press on a head sorts: ascending, descending, then as in the report. The keyboard has "Sort by".
  function sortByHead(event) {
    const head = event.target.closest("th");
    if (!head || event.target.closest("a")) return;
    const table = head.closest("table");
    const span = tables.of(table).spans.find((each) => each.head === head);
    if (span.last !== span.first + 1) return;
    const { sort } = views.of(table);
    const direction = sort?.column !== span.first ? 1 : sort.direction > 0 ? -1 : 0;
    views.sort(table, span.first, direction);
  }

  return {
    add(table) {
      if (table.tBodies[0].rows.length < 2) return;
      const title = table.closest("section.table").dataset.title;
      const details = h("details", { class: "tools" }, h("summary", { "aria-label": `Tools of ${title}` }, "Sort, filter, copy"));
      details.addEventListener("toggle", () => fill(details, table), { once: true });
      table.closest(".scroll").before(details);
      table.tHead.addEventListener("click", sortByHead);
    },
  };
})();
// A table that is wider than its place says how many columns are beside it, since a telephone shows no scroll bar,
// and begins where its first number is seen. Heads of a row that leave no room for that number move below the first.

const scrolls = (() => {
  const SLACK = 8; // pixels that a column may be cut off
  const boxes = new WeakMap();

  function update(box) {
    const { table, hint, isPlaced } = boxes.get(box);
    hint.hidden = box.scrollWidth - box.clientWidth < SLACK;
    if (hint.hidden) return;
    if (!isPlaced) showFirst(box);
    const end = box.getBoundingClientRect().right + SLACK;
    const beside = [...table.tHead.rows].at(-1);
    const count = [...beside.cells].filter((head) => head.getBoundingClientRect().right > end).length;
    hint.textContent = count ? `${count} more ${count === 1 ? "column" : "columns"} to the right \u2192` : "\u2190 more columns to the left";
  }

  function showFirst(box) {
    const { table } = boxes.get(box);
    boxes.get(box).isPlaced = true;
    const first = box.querySelector("tbody td");
    const hidden = () => first.getBoundingClientRect().right - box.getBoundingClientRect().right + SLACK;
    if (first && hidden() > SLACK) stack(table);
    if (first) box.scrollLeft = Math.max(0, hidden());
  }

  function stack(table) {
    const { leads } = tables.of(table);
    for (const row of [table.tHead.rows[0], ...table.tBodies[0].rows]) {
      const [first, ...others] = [...row.cells].slice(0, leads);
      const texts = others.map(tables.plain).filter((text) => text && text !== "-");
      if (texts.length) first.dataset.aside = texts.join(" \u00b7 ");
      others.forEach((head) => head.classList.add("aside"));
      first.append(...others.flatMap((head) => [...head.querySelectorAll("sup")]));
    }
    table.classList.add("stacked");
  }

  const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => update(target)));

  return {
    add(table) {
      const box = table.closest(".scroll");
      const hint = h("p", { class: "hint", hidden: true, "aria-hidden": "true" });
      box.before(hint);
      boxes.set(box, { table, hint });
      box.addEventListener("scroll", () => update(box), { passive: true });
      sizes.observe(box);
    },
  };
})();
// Tables that differ in their facets only: a list for each facet chooses the one that is shown.

const families = (() => {
  const known = new WeakMap(); // section -> the function that shows one of its folds

  const distinct = (values) => [...new Set(values)];

  // The fold with the wanted values: all of them, else the first that has the value that was just chosen.
  function fitting(folds, wanted, changed) {
    const fits = (fold, places) => places.every((i) => fold.values[i] === wanted[i]);
    return folds.find((fold) => fits(fold, [...wanted.keys()])) ?? folds.find((fold) => fits(fold, [changed]));
  }

  function add(section) {
    const names = JSON.parse(section.dataset.facets);
    const folds = [...section.children]
      .filter((child) => child.matches("details.fold"))
      .map((element) => ({ element, values: JSON.parse(element.dataset.facet) }));
    let current = folds[0];

    const lists = names.map((name, i) => {
      const options = distinct(folds.map((fold) => fold.values[i])).map((value) => h("option", { value }, value));
      const list = h("select", { onchange: () => choose(fitting(folds, lists.map((each) => each.value), i)) }, options);
      return list;
    });

    function update() {
      for (const fold of folds) {
        const isCurrent = fold === current;
        fold.element.hidden = !all.checked && !isCurrent;
        fold.element.classList.toggle("chosen", !all.checked && isCurrent);
      }
      lists.forEach((list, i) => (list.value = current.values[i]));
    }

    function choose(fold) {
      current = fold;
      current.element.open = true;
      update();
    }

    const all = h("input", { type: "checkbox", onchange: update });
    const shown = names.map((name, i) => (distinct(folds.map((fold) => fold.values[i])).length > 1 ? labelled(name, lists[i]) : null));
    const count = h("span", { class: "quiet" }, `${folds.length} tables`);
    const bar = h("div", { class: "facets", role: "group", "aria-label": `Tables of ${section.dataset.title}` }, shown, h("label", {}, all, " Show all"), count);
    folds[0].element.before(bar);
    known.set(section, (element) => choose(folds.find((fold) => fold.element.contains(element)) ?? current));
    update();
  }

  return {
    start: () => document.querySelectorAll("section.family[data-facets]").forEach(add),

    // Show the table that an element is in.
    reveal(element) {
      const section = element.closest("section.family[data-facets]");
      if (section && section !== element) known.get(section)?.(element);
    },
  };
})();
// The side list of sections: it follows the reader, and its search finds tables and numbers.

const contents = (() => {
  const MOST_RESULTS = 40;
  let index = null; // {text, label, table, href} of every table and of every cell with evidence

  function makeIndex() {
    return tables.all().flatMap((table) => {
      const model = tables.of(table);
      const cells = [...table.tBodies[0].querySelectorAll("td")].filter((td) => td.textContent.trim() && td.textContent.trim() !== "-");
      return [
        { label: model.title, table: "", href: `#${model.id}` },
        ...cells.map((td) => {
          const cell = tables.cell(td);
          return { label: `${[...cell.row, ...cell.column].filter(Boolean).join(", ")}: ${cell.text}`, table: model.title, href: cell.address };
        }),
      ].map((entry) => ({ ...entry, text: `${entry.label} ${entry.table}`.toLowerCase() }));
    });
  }

  function search(text, list, status) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    index ??= makeIndex();
    const found = words.length ? index.filter((entry) => words.every((word) => entry.text.includes(word))) : [];
    list.replaceChildren(
      ...found.slice(0, MOST_RESULTS).map((entry) => h("li", {}, h("a", { href: entry.href }, entry.label), entry.table ? h("small", {}, entry.table) : null)),
    );
    const rest = found.length - MOST_RESULTS;
    status.textContent = !words.length ? "" : rest > 0 ? `${found.length} found, the first ${MOST_RESULTS}:` : `${found.length} found`;
  }

  function addSearch(nav) {
    const list = h("ul", { class: "results" });
    const status = h("p", { class: "quiet", role: "status" });
    const field = h("input", { type: "search", "aria-label": "Search tables and numbers", placeholder: "Search tables and numbers" });
    field.addEventListener("input", () => {
      nav.classList.toggle("searching", Boolean(field.value.trim()));
      search(field.value, list, status);
    });
    nav.prepend(h("div", { class: "search", role: "search" }, field, status, list));
  }

  // Mark the section that the reader is at: the last one whose begin has passed the top third of the window.
  function follow(nav) {
    const links = new Map([...nav.querySelectorAll('li > a[href^="#"]')].map((link) => [link.hash.slice(1), link]));
    const targets = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
    let current = null;
    function update() {
      const passed = targets.filter((target) => target.checkVisibility() && target.getBoundingClientRect().top < innerHeight / 3);
      const link = passed.length ? links.get(passed.at(-1).id) : null;
      if (link === current) return;
      current?.removeAttribute("aria-current");
      link?.setAttribute("aria-current", "true");
      current = link;
    }
    let isWaiting = false;
    addEventListener("scroll", () => {
      if (isWaiting) return;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        update();
      });
    }, { passive: true });
    update();
  }

  return {
    start() {
      const nav = document.getElementById("contents");
      if (!nav) return;
      addSearch(nav);
      follow(nav);
      // On a narrow screen the list would push the results down.
      if (!matchMedia("(min-width: 80rem)").matches) nav.querySelector("details")?.removeAttribute("open");
    },
  };
})();
// The repeats of a case as a strip plot: a mark per repeat, the median, and the interval as a band.

function ticks(low, high, count) {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

function stripPlot(found) {
  const runs = found.runs.filter((run) => run.value !== null);
  if (runs.length < 2 || found.ends.length < 3) return null;
  const [low, median, high] = found.ends;
  const values = runs.map((run) => run.value);
  const ends = [Math.min(low, ...values), Math.max(high, ...values)];
  const margin = (ends[1] - ends[0]) * 0.08 || Math.abs(ends[0]) * 0.01 || 1;
  const [from, to] = [ends[0] - margin, ends[1] + margin];
  const width = 360;
  const x = (value) => 10 + ((value - from) / (to - from)) * (width - 20);
  const label = `${runs.length} repeats from ${shown(ends[0])} to ${shown(ends[1])} ${found.unit}, median ${shown(median)}`;
  const marks = runs.map((run, i) =>
    svg("circle", { class: "mark", cx: x(run.value).toFixed(1), cy: 18 + (i % 5) * 7, r: 4 }, svg("title", {}, `${run.run}: ${shown(run.value)} ${found.unit}`)),
  );
  const axis = ticks(from, to, 5).map((value) => [
    svg("line", { class: "tick", x1: x(value), x2: x(value), y1: 58, y2: 62 }),
    svg("text", { x: x(value), y: 74, "text-anchor": "middle" }, shown(value)),
  ]);
  return svg(
    "svg",
    { class: "plot strip", viewBox: `0 0 ${width} 80`, role: "img", "aria-label": label },
    svg("rect", { class: "band", x: x(low), y: 8, width: Math.max(x(high) - x(low), 1), height: 46 }),
    svg("line", { class: "axis", x1: 0, x2: width, y1: 58, y2: 58 }),
    svg("line", { class: "median", x1: x(median), x2: x(median), y1: 8, y2: 54 }),
    marks,
    axis,
  );
}
// The panel behind every number: its repeats, comparison, findings, environment and sources, beside the table.
//
// A section is a function of {found, cell} that returns an element, or null if it has nothing to show; add it
// to `panelSections`. `found` is the case (evidence.js), `cell` the cell it was opened from (tables.js) or null.

const panelSections = [];

const panel = (() => {
  const CASE = "#case-";
  const title = h("h2", { id: "panel-title", tabindex: "-1" });
  const body = h("div", { class: "panel-body" });
  const step = (direction, text) =>
    h("button", { type: "button", onclick: () => move(direction), "aria-label": `${text} number`, title: `${text} number` }, direction === "previous" ? "\u2190" : "\u2192");
  const previous = step("previous", "Previous");
  const next = step("next", "Next");
  const close = h("button", { type: "button", onclick: () => hide(), "aria-label": "Close", title: "Close (Esc)" }, "\u2715");
  const element = h(
    "aside",
    { id: "panel", hidden: true, "aria-labelledby": "panel-title" },
    h("div", { class: "panel-head" }, title, h("div", { class: "buttons" }, previous, next, close)),
    body,
  );
  let current = null; // the cell that is shown
  let opener = null; // what had the focus before a chart or an answer opened the panel
  let before = ""; // the address of the page when a case without a cell was opened
  let waiting = null; // the names of the cases that were asked for last

  // Show sections under a title, and the address of what they are about.
  function open({ heads, text, sections, address, cell = null, focus = true }) {
    current?.td.classList.remove("current");
    current = cell;
    cell?.td.classList.add("current");
    title.replaceChildren(h("small", {}, heads), h("span", {}, text));
    body.replaceChildren(...sections.flat().filter(Boolean));
    body.scrollTop = 0;
    previous.disabled = !cell || !tables.neighbour(cell.td, "previous");
    next.disabled = !cell || !tables.neighbour(cell.td, "next");
    element.hidden = false;
    document.body.classList.add("has-panel");
    if (!location.hash.startsWith(CASE)) before = location.hash;
    if (address) setAddress(address);
    if (focus) {
      opener = openerOf(document.activeElement, cell);
      title.focus({ preventScroll: true });
    }
  }

  // A chart is drawn again, so its mark is found again; a cell has its link.
  function openerOf(focused, cell) {
    if (element.contains(focused)) return opener;
    return focused.closest(".chart-plot") ?? (cell ? null : focused);
  }

  function show(found, cell, focus) {
    const heads = cell ? [...cell.row, ...cell.column].filter(Boolean).join(", ") : "";
    open({ heads, text: cell ? cell.text : found.title, sections: panelSections.map((section) => section({ found, cell })), address: cell ? cell.address : CASE + found.name, cell, focus });
  }

  // Show cases: at once, or when the files with their evidence are loaded, unless others were asked for meanwhile.
  function withEvidence(names, show) {
    waiting = names;
    if (evidence.isReady(names)) return show();
    const isCurrent = () => waiting === names;
    evidence.load(names).then(
      () => isCurrent() && show(),
      (error) => isCurrent() && open({ heads: "", text: "No evidence", sections: [h("p", {}, `The evidence is not beside this page, which lacks ${error.message}. To write it, run `, h("code", {}, "reportgen build"), ".")] }),
    );
    return true;
  }

  function openCell(td, { focus = true } = {}) {
    const cell = tables.cell(td);
    return Boolean(cell.case) && withEvidence([cell.case], () => showKnown(cell.case, cell, focus));
  }

  const openCase = (name) => withEvidence([name], () => showKnown(name, null, true));

  function showKnown(name, cell, focus) {
    const found = evidence.get(name);
    if (found) show(found, cell, focus);
    return Boolean(found);
  }

  function move(direction) {
    const td = current && tables.neighbour(current.td, direction);
    if (!td) return;
    opener = null;
    openCell(td, { focus: false });
    td.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function hide() {
    waiting = null;
    if (element.hidden) return;
    element.hidden = true;
    document.body.classList.remove("has-panel");
    current?.td.classList.remove("current");
    if (current?.address) setAddress(`#${current.model.id}`);
    else if (location.hash.startsWith(CASE)) setAddress(before);
    (opener?.querySelector('[tabindex="0"]') ?? opener ?? current?.link)?.focus();
    current = opener = null;
  }

  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "ArrowLeft") move("previous");
    else if (event.key === "ArrowRight") move("next");
    else return;
    event.preventDefault();
  });

  return { element, open, withEvidence, openCell, openCase, hide, isOpen: () => !element.hidden };
})();

function panelSection(heading, ...children) {
  return h("section", {}, h("h3", {}, heading), ...children);
}

function pairs(values) {
  const rows = Object.entries(values).map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value)));
  return rows.length ? h("table", { class: "pairs" }, h("tbody", {}, rows)) : null;
}

function sourceLink(source) {
  return !source.href ? h("code", {}, source.text) : h("a", { href: source.href }, source.text);
}
// One number against another one: a reader chooses the second, and the panel says how the two compare and whether
// that is real. `#case-OWN/case-OTHER` is the address of the answer.
//
// A section of the answer is a function of {own, base, found} that returns an element or null; add it to
// `answerSections`. `own` and `base` are cases (evidence.js), `found` their comparison (comparisons.js).

const answerSections = [];

const ask = (() => {
  let first = null; // the name of the first case, while a reader chooses the second
  let opener = null; // the first number, which has the focus again when a reader leaves
  const status = h("div", { id: "ask", role: "status" });

  const ofSide = (differences, side) => differences.map((each) => `${contracts.words(each.name)} ${each[side]}`).join(", ");

  function start(name, text) {
    first = name;
    panel.hide();
    opener = document.activeElement;
    opener.closest("td")?.classList.add("asked");
    document.body.classList.add("asking");
    status.replaceChildren(
      h("p", {}, `Compare ${text} with another number: click it, or move to it and press Enter. Escape leaves.`),
      h("button", { type: "button", onclick: () => leave() }, "Leave"),
    );
  }

  // Whether a second number was being chosen; then it no longer is.
  function leave() {
    const wasAsking = first !== null;
    first = null;
    document.body.classList.remove("asking");
    opener?.closest("td")?.classList.remove("asked");
    if (status.contains(document.activeElement)) opener.focus();
    status.replaceChildren();
    return wasAsking;
  }

  // The number that a reader chose; false if none is asked for.
  function choose(name) {
    return first !== null && open(first, name);
  }

  function titleOf({ own, base, found }) {
    const differing = found.contract?.about.filter((each) => each.isFactor) ?? [];
    const sides = differing.length ? `: ${ofSide(differing, "own")} against ${ofSide(differing, "baseline")}` : "";
    const { verdict, refusal, ratio } = found;
    const answer = refusal ? "not comparable" : verdict ? headline(verdict) : Number.isNaN(ratio) ? "no ratio" : `${shownShort(ratio)}x`;
    return { heads: `${own.title === base.title ? own.title : `${own.title} against ${base.title}`}${sides}`, text: answer };
  }

  // The verdict in a word or two; where nothing is decided, it is not the difference that a reader takes home.
  const headline = ({ kind, ratio }) => (kind === "faster" || kind === "slower" ? verdictText.difference(ratio) : kind);

  // Show the answer; false if the page does not have both cases.
  function open(name, other) {
    leave();
    return panel.withEvidence([name, other], () => answer(name, other));
  }

  function answer(name, other) {
    const [own, base] = [name, other].map((each) => ({ ...evidence.get(each), side: evidence.side(each) }));
    if (!own.name || !base.name) return false;
    const asked = { own, base, found: comparisons.of(own.side, base.side) };
    panel.open({ ...titleOf(asked), sections: answerSections.map((section) => section(asked)), address: `#case-${name}/case-${other}` });
    return true;
  }

  return {
    status,
    start,
    leave,
    choose,
    open,
    // The two cases that an address names, or null.
    read(address) {
      const names = address.match(/^#case-([^/]+)\/case-([^/]+)$/);
      return names && names.slice(1);
    },
  };
})();

// The number behind the cell: a speed-up is compared by the throughput that it stands on.
panelSections.push(({ found }) => {
  const text = found.value === null ? found.title : `${found.title}, ${shown(found.value)} ${found.unit}`.trim();
  return h("p", {}, h("button", { type: "button", onclick: () => ask.start(found.name, text) }, "Compare with \u2026"));
});

// The two numbers, the ratio, and the same question the other way round.
answerSections.push(({ own, base, found }) => {
  const row = (each, title) => h("tr", {}, h("th", { scope: "row" }, title), h("td", {}, h("a", { href: `#case-${each.name}` }, each.summary)));
  const overAll = Number.isNaN(found.overAll) ? null : `; ${shownShort(found.overAll)} over all of the time, with what gaps left out`;
  const ratio = Number.isNaN(found.ratio) ? null : h("p", { class: "formula" }, formula({ value: found.ratio }, own, base), overAll);
  const swap = h("a", { href: `#case-${base.name}/case-${own.name}` }, "The other way round");
  return h("section", {}, h("table", { class: "pairs" }, h("tbody", {}, row(own, "This"), row(base, "Against"))), found.refusal ? null : ratio, h("p", {}, swap));
});

// The verdict with its test, or why there is none.
answerSections.push(({ own, base, found }) => {
  const { refusal, verdict } = found;
  if (refusal) return panelSection("Not comparable", h("p", {}, `${refusal}.`));
  if (!verdict) return panelSection("Verdict", h("p", {}, own.side.isSpeed ? "Only numbers above 0 are tested." : "Only speeds are tested."));
  const tests = {
    "signed rank": `Wilcoxon's signed ranks of ${verdict.n} ${verdict.arrangement === "alternating" ? "alternating rounds" : verdict.arrangement}, p = ${verdict.p?.toPrecision(2)}`,
    separation: `the means must be ${verdict.needed?.toFixed(2)} times the larger standard deviation apart`,
  };
  const coverage = verdict.coverage ? `; the interval covers ${(100 * verdict.coverage).toFixed(1)} %` : "";
  const test = verdict.test ? `Test of this pair alone: ${tests[verdict.test]}${coverage}. ` : "";
  const repeats = `Repeats: ${own.side.repeats.length} against ${base.side.repeats.length}.`;
  return panelSection("Verdict", h("p", { class: "summary" }, verdictText.whole(verdict, own.side.better === "lower")), h("p", { class: "quiet" }, test, repeats));
});

// Cases with repeats that differ from a case in one factor of those that both have, such as the publication.
function repeatsLike(side) {
  const isLike = (other) => other.repeats.length > 1 && ["metric", "phase", "protocol"].every((field) => other[field] === side[field]);
  return evidence.names().map(evidence.side).filter(isLike).flatMap((other) => {
    const differing = Object.keys(side.keys).filter((name) => name in other.keys && side.keys[name] !== other.keys[name]);
    return differing.length === 1 ? [{ side: other, name: differing[0], value: other.factors[differing[0]] }] : [];
  });
}

// Single figures cannot answer; other cases of the page may.
answerSections.push(({ own, base, found }) => {
  if (found.verdict?.kind !== "no repeats") return null;
  const isFree = ({ name }) => own.side.keys[name] === base.side.keys[name];
  const others = repeatsLike(base.side);
  // A publication may have the repeats of one of the two only.
  const isPair = (mine, other) => other.name === mine.name && other.value === mine.value && other.side.name !== mine.side.name;
  const answers = repeatsLike(own.side).filter(isFree).flatMap((mine) => others.filter((other) => isPair(mine, other)).map((other) => [mine, other]));
  const line = ([mine, other]) => {
    const { verdict, contract, refusal } = comparisons.of(mine.side, other.side);
    const text = refusal || (verdict ? verdictText.whole(verdict, mine.side.better === "lower") : "no verdict");
    const differs = (contract?.about ?? []).map((each) => `${contracts.words(each.name)} ${each.own} against ${each.baseline}`).join(", ");
    return h("li", {}, h("a", { href: `#case-${mine.side.name}/case-${other.side.name}` }, text), h("small", {}, `${contracts.words(mine.name)} ${mine.value}; ${differs}`));
  };
  return answers.length ? panelSection("The same with repeats", h("ul", {}, answers.slice(0, 6).map(line))) : null;
});

// What the tables say of the two, with the expected speed and the split of the time where they have them.
answerSections.push(({ own, base }) => {
  const lines = [
    [own, base],
    [base, own],
  ].flatMap(([each, other]) => comparedLines(each, each.compared.filter(({ baseline }) => baseline === other.name)));
  return lines.length ? panelSection("In the tables", lines) : null;
});

// The contract: more than one difference leaves open which of them made the ratio.
answerSections.push(({ found }) => {
  if (!found.contract) return null;
  const { about, differs, notStated, heldEqual } = found.contract;
  const { words } = contracts;
  const rows = [...about, ...differs].map((each) => h("tr", {}, h("th", { scope: "row" }, words(each.name)), h("td", {}, each.own), h("td", {}, each.baseline)));
  const head = h("tr", {}, ["Differs", "this", "against"].map((text) => h("th", { scope: "col" }, text)));
  const chosen = about.filter((each) => each.isFactor).length;
  const several = chosen > 1 ? h("p", {}, `The two differ in ${chosen} factors, so the ratio is due to all of them together.`) : null;
  return [
    panelSection("Differs", several, rows.length ? h("table", {}, h("thead", {}, head), h("tbody", {}, rows)) : h("p", {}, "Nothing that the logs state.")),
    notStated.length ? panelSection("Not stated", h("p", {}, notStated.map(words).join(", "))) : null,
    panelSection("Held equal", heldEqual.length ? h("details", {}, h("summary", {}, `${heldEqual.length} values`), pairs(Object.fromEntries(heldEqual.map((each) => [words(each.name), each.own])))) : h("p", {}, "Nothing that the logs state.")),
  ];
});
// The commands behind an answer: what computes it again from the logs, and what would settle it.

(() => {
  const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

  const options = (name, factors) => Object.entries(factors).map(([factor, value]) => `${name} ${quoted(`${factor}=${value}`)}`);

  // B against A, as the command has it; "" where no command can name both cases.
  function compareCommand(own, base) {
    const [mine, other] = [own.side, base.side];
    const logs = [base, own].map(({ runs }) => evidence.folderOf(runs[0]?.sources[0]?.text ?? ""));
    if (logs.includes("") || mine.conditions[compareWords.parts] || !/^\d+\+\d+x\d+$/.test(mine.protocol)) return "";
    const differs = (name) => mine.keys[name] !== other.keys[name];
    if (![...Object.keys(mine.keys), ...Object.keys(other.keys)].some(differs)) return "";
    const part = (factors, isWanted) => Object.fromEntries(Object.entries(factors).filter(([name]) => isWanted(name)));
    return [
      "reportgen compare",
      ...[...new Set(logs)].map(quoted),
      ...options("--a", part(other.factors, differs)),
      ...options("--b", part(mine.factors, differs)),
      ...options("--where", part(mine.factors, (name) => !differs(name))),
      `--metric ${quoted(mine.metric)} --phase ${quoted(mine.phase)} --protocol ${quoted(mine.protocol)}`,
    ].join(" ");
  }

  // New runs of both commands in turns, as the logs have the commands.
  function settleCommand(own, base, verdict) {
    const [mine, other] = [own, base].map(({ side }) => side.command.flat().filter(Boolean).map(quoted).join(" "));
    const repeats = Math.max(7, (verdict?.n ?? 0) + (verdict?.more ?? 0));
    return `python -m collectors run --repeats ${repeats} --against ${quoted(other || "COMMAND OF THE SECOND")} -- ${mine || "COMMAND OF THE FIRST"}`;
  }

  const code = (text) => h("pre", { class: "command" }, h("code", {}, text));

  answerSections.push(({ own, base, found }) => {
    const command = found.contract && compareCommand(own, base);
    return command ? panelSection("From the logs", code(command)) : null;
  });

  answerSections.push(({ own, base, found: { refusal, verdict } }) => {
    const isOneQuantity = own.side.metric === base.side.metric && own.side.phase === base.side.phase && own.name !== base.name;
    const isOpen = refusal || ["undecided", "no repeats"].includes(verdict?.kind);
    if (!isOneQuantity || !isOpen) return null;
    const isPlanned = verdict && own.compared.some(({ baseline }) => baseline === base.name);
    const plan = isPlanned ? [h("p", {}, "All that this report leaves open:"), code(`reportgen plan ${quoted(evidence.report())}`)] : [];
    return panelSection("What would settle it", h("p", {}, "Runs of both in turns, under equal conditions:"), code(settleCommand(own, base, verdict)), plan);
  });
})();
// Sections of the panel about the number: the case in words, its comparison, its repeats.

// The case in words: what was measured, and how the repeats became one number.
panelSections.push(({ found }) => {
  const isSingle = found.runs.filter((run) => run.value !== null).length === 1;
  const doubt = "One repeat: how far it varies is unknown, so a small difference from another number may be chance.";
  return h("section", {}, h("p", { class: "summary" }, `${found.title}: ${found.summary}`), isSingle ? h("p", { class: "quiet" }, doubt) : null);
});

// The quotient that a comparison is, as far as the two numbers alone give it.
function formula(compared, found, baseline) {
  if (found.value === null || baseline.value === null) return null;
  const named = [found, baseline].map((each) => `${shown(each.value)} ${each.unit}`.trim());
  const [own, other] = [found.value * found.factor, baseline.value * baseline.factor];
  const gives = (quotient) => Math.abs(quotient / compared.value - 1) < 1e-3;
  if (gives(own / other)) return `${named[0]} / ${named[1]} = ${shownShort(compared.value)}`;
  if (gives(other / own)) return `${named[1]} / ${named[0]} = ${shownShort(compared.value)}`;
  return `${named[0]}; baseline ${named[1]}`;
}

// What a comparison held equal, what it is about, what else differs, and what no log states.
function contractDetails(lists) {
  const titles = ["Held equal", "Compared", "Differs", "Not stated"];
  const named = titles.map((title, i) => (lists[i] ? h("li", {}, h("b", {}, `${title}: `), lists[i]) : null));
  return h("details", {}, h("summary", {}, "What was held equal"), h("ul", {}, named));
}

// Several tables may compare two cases in the same way.
function distinctWays(compared) {
  const way = (each) => [each.kind, each.baseline, each.value, each.after].join();
  return [...new Map(compared.map((each) => [way(each), each])).values()];
}

// Compared numbers of a case in words, each with its formula.
function comparedLines(found, compared) {
  return distinctWays(compared).map((each) => {
    const link = h("a", { href: `#case-${each.baseline}` }, each.text);
    return [h("p", {}, `${each.before} `, link, each.after), h("p", { class: "formula" }, formula(each, found, evidence.get(each.baseline)))];
  });
}

// What the table compares a case with, and the verdict.
panelSections.push(({ found, cell }) => {
  const compared = found.compared.filter((each) => !cell || each.table === cell.model.id);
  if (!compared.length) return null;
  const contracts = [...new Set(distinctWays(compared).map((each) => each.contract))];
  return panelSection("Comparison", comparedLines(found, compared), contracts.map(contractDetails));
});

// The time of a run in three shares that add up to 100 %.
function timeShares({ time, gap, outside }) {
  const share = (seconds) => `${((100 * seconds) / (time + gap + outside)).toFixed(1)} %`;
  return `stepping ${share(time)}, gaps ${share(gap)}, outside ${share(outside)}`;
}

// The folder that all sources are in, "" where that says little: it is shown once.
function sharedFolder(sources) {
  const parts = [...new Set(sources.map(({ text }) => text))].map((text) => text.split("/").slice(0, -1));
  const differs = (i) => parts.some((each) => each[i] !== parts[0][i]);
  const end = parts.length > 1 ? parts[0].findIndex((_, i) => differs(i)) : 0;
  return parts.length > 1 ? parts[0].slice(0, end < 0 ? undefined : end).map((part) => `${part}/`).join("") : "";
}

// Every repeat: a strip plot, then value, measured steps, status and sources of each.
panelSections.push(({ found }) => {
  const folder = sharedFolder(found.runs.flatMap((run) => run.sources));
  const rows = found.runs.map((run) => {
    const { window } = run;
    // A log that prints rates only has no time of its steps.
    const time = typeof window?.time === "number" ? ` in ${shown(window.time)} s` : "";
    const steps = window && `${window.first}\u2013${window.last}${time}`;
    const gap = window?.gap ? h("small", {}, `${shown(window.gap)} s left out`) : null;
    const shares = window?.outside ? h("small", {}, timeShares(window)) : null;
    const status = run.status === "complete" ? run.evidence : run.status;
    const places = run.sources.map((source, i) => [i ? h("br") : null, sourceLink({ ...source, text: source.text.slice(folder.length) })]);
    const more = run.more ? [h("br"), `${run.more} more`] : null;
    const values = h("tr", {}, h("td", {}, run.value === null ? "-" : shown(run.value)), h("td", {}, steps ?? "", gap, shares), h("td", {}, status));
    return h("tbody", {}, values, h("tr", {}, h("td", { colspan: 3, class: "place" }, places, more)));
  });
  const heads = [`Value${found.unit ? ` (${found.unit})` : ""}`, "Steps", "Evidence"].map((text) => h("th", { scope: "col" }, text));
  const heading = found.runs.length === 1 ? "Run" : `${found.runs.length} repeats`;
  const place = folder ? h("p", { class: "quiet place" }, "In ", h("code", {}, folder)) : null;
  return panelSection(heading, stripPlot(found), place, h("table", { class: "runs" }, h("thead", {}, h("tr", {}, heads)), rows));
});
// The section of the panel about the number at earlier commits: its curve, where it changed, and what else changed
// there. The points are in history.js beside the page, which is loaded when the first number is opened.

const histories = (() => {
  const [WIDTH, HEIGHT, LEFT] = [360, 72, 52];
  let loading = null;

  function load() {
    // A page with everything inside has them already.
    if (globalThis.reportgenHistory) return Promise.resolve();
    const script = h("script", { src: "history.js" });
    const loaded = new Promise((done) => ["load", "error"].forEach((name) => script.addEventListener(name, done)));
    document.head.append(script);
    return loaded;
  }

  // A cell as history.js has it, by names.
  function named([quantity, title, table, values, rows, changes, note]) {
    const points = rows.map(([label, date, text, interval, repeats, what, subject], i) => {
      const [value, low = value, high = value] = values[i];
      return { label, date, text, interval, repeats, what, subject, value, low, high };
    });
    return { quantity, title, table, points, note, changes: changes.map(([kind, first, last, text, cause]) => ({ kind, first, last, text, cause })) };
  }

  // The points in their order with their intervals; a step is a dashed line, a drift is shaded.
  function curve({ points, changes }, label) {
    const ends = [Math.min(...points.map(({ low }) => low)), Math.max(...points.map(({ high }) => high))];
    const [from, to] = [HEIGHT - 6, 8];
    const x = (i) => LEFT + (i / (points.length - 1)) * (WIDTH - LEFT - 6);
    const y = (value) => from + ((value - ends[0]) / (ends[1] - ends[0] || 1)) * (to - from);
    const between = (i) => (x(i) + x(Math.max(i - 1, 0))) / 2;
    return svg(
      "svg",
      { class: "plot history", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
      ends.map((value) => svg("text", { x: LEFT - 6, y: y(value) + 3, "text-anchor": "end" }, shownShort(value))),
      changes.map(({ kind, first, last }) =>
        kind === "step"
          ? svg("line", { class: "break", x1: between(first), x2: between(first), y1: 0, y2: HEIGHT })
          : svg("rect", { class: "warmup", x: x(first), y: 0, width: x(last) - x(first), height: HEIGHT }),
      ),
      points.map(({ low, high }, i) => (low < high ? svg("line", { class: "axis", x1: x(i), x2: x(i), y1: y(low), y2: y(high) }) : null)),
      svg("polyline", { class: "curve", points: points.map(({ value }, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }),
      points.map(({ label: name, date, text, value }, i) => svg("circle", { class: "mark", cx: x(i), cy: y(value), r: 2.5 }, svg("title", {}, `${name} ${date}: ${text}`))),
    );
  }

  function table({ points }) {
    const row = ({ label, date, text, interval, what, subject }) => [
      h("tr", {}, h("th", { scope: "row" }, label), h("td", {}, date), h("td", {}, text, interval ? h("small", {}, interval) : null)),
      h("tr", {}, h("td", { colspan: "3", class: "place" }, [what, subject].filter(Boolean).join("; "))),
    ];
    const head = h("tr", {}, ["Commit", "Date", "Value"].map((text) => h("th", { scope: "col" }, text)));
    return h("details", {}, h("summary", {}, `All ${points.length} points`), h("table", { class: "runs" }, h("thead", {}, head), h("tbody", {}, points.map(row))));
  }

  function drawn(cell) {
    const { points, changes, note } = cell;
    const what = cell.quantity === "value" ? "" : `${cell.title}: `;
    const text = `${what}${points.length} points, ${points[0].text} \u2192 ${points.at(-1).text}`;
    return [
      h("p", { class: "plot-title" }, text),
      curve(cell, text),
      changes.map(({ text: change, cause }) => h("p", {}, change, cause ? `: ${cause}` : "")),
      note ? h("p", { class: "quiet" }, note) : null,
      table(cell),
    ];
  }

  return {
    // What the page knows of a case at earlier commits, as elements; its ratios are those of the table, if one is named.
    async of(name, table) {
      await (loading ??= load());
      const known = globalThis.reportgenHistory ?? {};
      const cells = (Object.hasOwn(known, name) ? known[name] : []).map(named);
      return cells.filter((cell) => cell.quantity === "value" || !table || cell.table === table).map(drawn);
    },
  };
})();

panelSections.push(({ found, cell }) => {
  const section = panelSection("Over commits");
  section.hidden = true;
  histories.of(found.name, cell?.model.name).then((drawn) => {
    if (drawn.length) section.append(...drawn.flat(Infinity).filter(Boolean));
    section.hidden = !drawn.length;
  });
  return section;
});
// The section of the panel about the steps of each repeat: times, warm-up, gaps and outliers; phases; telemetry.
// They are in a file beside the page, steps/TABLE.js, which is loaded when a number of the table is opened.

const stepFiles = (() => {
  const loading = new Map();

  function load(name, path) {
    // A page with everything inside has them already.
    if (globalThis.reportgenSteps?.[name]) return Promise.resolve(new Map(globalThis.reportgenSteps[name]));
    const script = h("script", { src: path.split("/").map(encodeURIComponent).join("/") });
    const loaded = new Promise((resolve, reject) => {
      script.addEventListener("load", () => resolve(new Map(globalThis.reportgenSteps[name])));
      script.addEventListener("error", () => reject(new Error(path)));
    });
    document.head.append(script);
    return loaded;
  }

  return {
    // The runs of a table by id; rejected where the file is missing.
    of({ name, section }) {
      if (!loading.has(name)) loading.set(name, load(name, section.dataset.steps));
      return loading.get(name);
    },
  };
})();

const stepPlots = (() => {
  const [WIDTH, HEIGHT, LEFT] = [360, 64, 44];
  const TELEMETRY = {
    sm_clock: ["SM clock", "MHz", 1e-6],
    power: ["Power", "W", 1],
    temperature: ["Temperature", "\u00b0C", 1],
    utilization: ["Utilisation", "%", 100],
    throttle_reasons: ["Throttling", "", 1],
  };
  // The bits of NVML's clock event reasons.
  const REASONS = { 1: "idle", 2: "application clocks", 4: "software power cap", 8: "hardware slowdown", 16: "sync boost", 32: "software thermal", 64: "hardware thermal", 128: "power brake", 256: "display clocks" };

  const extent = (values) => [Math.min(...values), Math.max(...values)];
  const finite = (values) => values.filter((value) => value !== null);

  // A scale from values to pixels: by logarithm where they span more than a factor of 20.
  function scale([low, high], [from, to]) {
    const isLog = low > 0 && high / low > 20;
    const place = isLog ? Math.log : (value) => value;
    const span = place(high) - place(low) || 1;
    return (value) => from + ((place(value) - place(low)) / span) * (to - from);
  }

  // The path of a curve; a missing value breaks it.
  function curve(xs, ys, x, y) {
    let isDrawing = false;
    const parts = ys.map((value, i) => {
      const isPoint = value !== null && xs[i] !== null;
      const part = isPoint ? `${isDrawing ? "L" : "M"}${x(xs[i]).toFixed(1)} ${y(value).toFixed(1)}` : "";
      isDrawing = isPoint;
      return part;
    });
    return svg("path", { class: "curve", d: parts.join("") });
  }

  const axisTexts = (low, high, y) => [low, high].map((value) => svg("text", { x: LEFT - 4, y: y(value) + 3, "text-anchor": "end" }, shownShort(value)));

  // Steps on their own axis: time where the telemetry has the same clock, else the number of the step.
  function axis(run) {
    const steps = run.steps ?? run.times.map((_, i) => run.first + i);
    const xs = run.begins && !run.begins.includes(null) ? run.begins : steps;
    const all = finite([...xs, ...(run.telemetry ?? []).flatMap((device) => Object.values(device).flatMap((column) => (Array.isArray(column) ? column[0] : [])))]);
    return { steps, xs, isTime: xs === run.begins, range: extent(xs === run.begins ? all : xs) };
  }

  function steps(label, run, factor, unit, range) {
    const times = run.times.map((time) => (time === null ? null : time / factor));
    const { steps: numbers, xs, isTime, range: domain } = axis(run);
    const x = scale2(domain);
    const y = scale(range, [HEIGHT - 4, 6]);
    const at = (step) => numbers.indexOf(step);
    const begin = run.window ? numbers.findIndex((step) => step >= run.window[0]) : 0;
    const warmup = begin > 0 ? svg("rect", { class: "warmup", x: x(xs[0]), y: 0, width: x(xs[begin]) - x(xs[0]), height: HEIGHT }) : null;
    const mark = (step, name, shape) => (at(step) < 0 ? null : svg("text", { class: name, x: x(xs[at(step)]), y: Math.max(y(times[at(step)]), 9), "text-anchor": "middle" }, shape, svg("title", {}, `step ${step}: ${shown(times[at(step)])} ${unit}`)));
    const breaks = (run.breaks ?? []).filter(([step]) => at(step) >= 0).map(([step, kind]) => svg("line", { class: "break", x1: x(xs[at(step)]), x2: x(xs[at(step)]), y1: 0, y2: HEIGHT }, svg("title", {}, `${kind} after step ${step}`)));
    const outliers = run.outlier_count === 1 ? "outlier" : "outliers";
    const marked = [run.gap_count && `${run.gap_count} left out`, run.outlier_count && `${run.outlier_count} ${outliers}`].filter(Boolean).join(", ");
    const own = extent(finite(times));
    const text = `${label}: ${shownShort(own[0])} to ${shownShort(own[1])} ${unit}${marked ? `, ${marked}` : ""}`;
    return [
      h("p", { class: "plot-title" }, text),
      svg(
        "svg",
        { class: "plot series", viewBox: `0 0 ${WIDTH} ${HEIGHT + 14}`, role: "img", "aria-label": `Steps of ${text}` },
        warmup,
        axisTexts(...range, y),
        curve(xs, times, x, y),
        breaks,
        (run.outliers ?? []).map((step) => mark(step, "outlier", "\u25cb")),
        (run.gaps ?? []).map((step) => mark(step, "gap", "\u25bc")),
        domain.map((value, i) => svg("text", { x: x(value), y: HEIGHT + 10, "text-anchor": i ? "end" : "start" }, isTime ? `${shownShort(value)} s` : `step ${value}`)),
      ),
    ];
  }

  const scale2 = ([low, high]) => (value) => LEFT + ((value - low) / (high - low || 1)) * (WIDTH - LEFT - 4);

  function reasons(mask) {
    const names = Object.entries(REASONS).filter(([bit]) => mask & bit).map(([, name]) => name);
    return names.join(", ") || "none";
  }

  // Where the mask is not 0, with what it says.
  function throttling([times, masks], x) {
    return masks.map((mask, i) => {
      if (!mask) return null;
      const end = times[i + 1] ?? times[i];
      return svg("rect", { class: "throttled", x: x(times[i]), y: 4, width: Math.max(x(end) - x(times[i]), 1), height: 18 }, svg("title", {}, reasons(mask)));
    });
  }

  // One quantity of all devices below each other, on one scale.
  function quantity(name, devices, x) {
    const [title, unit, factor] = TELEMETRY[name];
    const heading = (device) => (devices.length > 1 ? `${title}, ${device.device}` : title);
    const plot = (text, height, ...drawn) => [h("p", { class: "plot-title" }, text), svg("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": text }, ...drawn)];
    if (name === "throttle_reasons") {
      return devices.map((device) => {
        const seen = [...new Set(finite(device[name][1]).filter(Boolean).map(reasons))].join("; ");
        return plot(`${heading(device)}: ${seen || "none"}`, 26, throttling(device[name], x));
      });
    }
    const values = devices.map((device) => device[name][1].map((value) => (value === null ? null : value * factor)));
    const range = extent(finite(values.flat()));
    const y = scale(range, [36, 6]);
    return devices.map((device, i) => {
      const [low, high] = extent(finite(values[i]));
      return plot(`${heading(device)}: ${shownShort(low)} to ${shownShort(high)} ${unit}`, 42, axisTexts(...range, y), curve(device[name][0], values[i], x, y));
    });
  }

  function telemetry(label, run) {
    const x = scale2(axis(run).range);
    const rows = Object.keys(TELEMETRY).map((name) => {
      const devices = run.telemetry.filter((device) => device[name]);
      return devices.length ? quantity(name, devices, x) : null;
    });
    const drawn = run.telemetry.length;
    const all = drawn < run.devices ? `${drawn} of ${run.devices} devices` : `${drawn} devices`;
    return h("details", {}, h("summary", {}, `Telemetry of ${label} (${run.devices > 1 ? all : run.telemetry[0].device})`), rows);
  }

  // The mean of each phase over the repeats, as a bar of the largest.
  function phases(runs, factor, unit) {
    const sums = {};
    for (const run of runs) for (const [name, time] of Object.entries(run.phases ?? {})) (sums[name] ??= []).push(time / factor);
    const means = Object.entries(sums).map(([name, times]) => [name, times.reduce((a, b) => a + b) / times.length]);
    if (!means.length) return null;
    const most = Math.max(...means.map(([, time]) => time));
    const rows = means.map(([name, time]) => {
      const cell = h("td", { class: "number" }, `${shownShort(time)} ${unit}`);
      cell.style.setProperty("--share", time / most);
      return h("tr", {}, h("th", { scope: "row" }, name), cell);
    });
    return h("table", { class: "bars phases" }, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Phase"), h("th", { scope: "col", class: "right" }, "Mean per step"))), h("tbody", {}, rows));
  }

  return {
    draw(found, file) {
      const known = found.runs.filter((run) => file.has(run.run)).map((run) => [run.run.split("/").at(-1), file.get(run.run)]);
      if (!known.length) return null;
      const times = known.flatMap(([, run]) => finite(run.times));
      const usual = times.toSorted((a, b) => a - b)[times.length >> 1];
      const [factor, unit] = usual < 1e-3 ? [1e-6, "\u00b5s"] : usual < 1 ? [1e-3, "ms"] : [1, "s"];
      const range = extent(times.map((time) => time / factor));
      const runs = known.map(([, run]) => run);
      return [
        h("p", { class: "quiet" }, "Time per step. Shaded: warm-up. \u25cb outlier, \u25bc left out as a gap, dashed: a break that the log declares."),
        known.map(([label, run]) => [steps(label, run, factor, unit, range), run.telemetry ? telemetry(label, run) : null]),
        phases(runs, factor, unit),
      ];
    },
  };
})();

panelSections.push(({ found, cell }) => {
  if (!cell?.model.section.dataset.steps) return null;
  const section = panelSection("Steps", h("p", { class: "quiet" }, "Loading"));
  stepFiles.of(cell.model).then(
    (file) => {
      const drawn = stepPlots.draw(found, file);
      if (drawn) section.replaceChildren(h("h3", {}, "Steps"), ...drawn.flat(Infinity).filter(Boolean));
      else section.remove();
    },
    (error) => section.lastChild.replaceWith(h("p", {}, `The steps are not beside this page, which lacks ${error.message}. To write it, run `, h("code", {}, "reportgen build"), ".")),
  );
  return section;
});
// Sections of the panel about what surrounds the number: findings, environment, factors.

function findingItem(finding) {
  return h(
    "li",
    {},
    h("span", { class: `badge ${finding.severity}` }, finding.severity),
    " ",
    h("code", {}, finding.rule),
    h("p", {}, sentence(finding.text)),
    finding.remedy ? h("p", { class: "quiet" }, sentence(finding.remedy)) : null,
  );
}

panelSections.push(({ found }) => {
  const all = [...found.findings, ...found.runs.flatMap((run) => run.findings)];
  const different = [...new Map(all.map((finding) => [`${finding.rule} ${finding.text}`, finding])).values()];
  return different.length ? panelSection("Findings", h("ul", { class: "findings" }, different.map(findingItem))) : null;
});

// The environment of the runs, and how it differs from that of the baseline.
panelSections.push(({ found, cell }) => {
  const merged = (runs) => {
    const values = {};
    for (const run of runs) {
      for (const [name, value] of Object.entries(run.environment)) (values[name] ??= new Set()).add(value);
    }
    return Object.fromEntries(Object.entries(values).map(([name, texts]) => [name, [...texts].join(" | ")]));
  };
  const own = merged(found.runs);
  if (!Object.keys(own).length) return null;
  const compared = found.compared.find((each) => !cell || each.table === cell.model.id);
  const other = compared && merged(evidence.get(compared.baseline).runs);
  const differing = other ? Object.keys({ ...own, ...other }).filter((name) => own[name] !== other[name]) : [];
  const rows = differing.map((name) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, own[name] ?? "-"), h("td", {}, other[name] ?? "-")));
  const head = h("tr", {}, ["Differs", "here", "baseline"].map((text) => h("th", { scope: "col" }, text)));
  return panelSection(
    "Environment",
    rows.length ? h("table", {}, h("thead", {}, head), h("tbody", {}, rows)) : null,
    other && !rows.length ? h("p", { class: "quiet" }, "The same as the baseline.") : null,
    h("details", {}, h("summary", {}, `${Object.keys(own).length} values`), pairs(own)),
  );
});

panelSections.push(({ found }) => panelSection("Factors", pairs(found.factors)));
// Interactive charts: Vega-Lite specifications, drawn by the library beside the page.
//
// charts.draw(element, spec, {name, height, open}) fills the element with title, chart, legend and downloads. It returns
// a promise of the chart, or of null where the library is missing; the element then stays as it is. A second call for
// the same element replaces its chart. docs/developers/rendering.md describes what a specification may contain.

const charts = (() => {
  const holder = document.getElementById("charts");
  const page = holder ? JSON.parse(holder.textContent) : {};
  const drawn = new WeakMap(); // element -> the function that removes its chart
  const DOWNLOAD_WIDTH = 720;
  const MIN_PLOT_HEIGHT = 220;
  const SVG_SHAPES = {
    circle: "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z",
    square: "M-1-1H1V1H-1Z",
    diamond: "M0-1.2L1.2 0L0 1.2L-1.2 0Z",
    cross: "M-1-.4H-.4V-1H.4V-.4H1V.4H.4V1H-.4V.4H-1Z",
    "triangle-up": "M0-1L1 1H-1Z",
    "triangle-down": "M0 1L-1-1H1Z",
  };

  // The library, loaded once; null where there is none.
  let loading = null;
  function library() {
    return (loading ??= new Promise((resolve) => {
      const found = () => resolve(globalThis.vegaEmbed ?? null);
      if (globalThis.vegaEmbed || !holder?.dataset.library) return found();
      document.head.append(h("script", { src: holder.dataset.library, onload: found, onerror: found }));
    }));
  }

  const mapped = (object, change) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));

  // Undo what the page saves: {"$": name} is a shared object, and data are columns.
  function unpacked(value) {
    if (Array.isArray(value)) return value.map(unpacked);
    if (!value || typeof value !== "object") return value;
    if ("$" in value) return unpacked(page.shared[value.$]);
    return mapped(value, (each, name) => (name === "data" && each?.columns ? { values: rowsOf(each.columns) } : unpacked(each)));
  }

  function rowsOf(columns) {
    const read = mapped(columns, (column) => (Array.isArray(column) ? column : column.rows.map((number) => column.texts[number])));
    const count = Math.max(0, ...Object.values(read).map((column) => column.length));
    return Array.from({ length: count }, (_, i) =>
      Object.fromEntries(Object.entries(read).map(([field, column]) => [field, column[i]]).filter(([, value]) => value !== null)),
    );
  }

  // A specification or configuration in the colours of the page, light or dark; data are left as they are.
  function themed(value) {
    const style = getComputedStyle(document.documentElement);
    const replaced = (each, name) => {
      if (name === "data" || name === "domain") return each;
      if (Array.isArray(each)) return each.map((one) => replaced(one));
      if (each && typeof each === "object") return mapped(each, replaced);
      return Object.hasOwn(page.theme, each) ? style.getPropertyValue(page.theme[each]).trim() : each;
    };
    return replaced(value);
  }

  // What a tooltip and a screen reader say of a row, as [title, text].
  function lines(row, fields) {
    return fields.flatMap(({ field, title, unit, ends = [] }) => {
      const value = row[field];
      if (value === undefined || value === null) return [];
      const [low, high] = ends.map((end) => row[end]);
      const interval = typeof low === "number" && typeof high === "number" && low < high ? ` (${shown(low)} \u2013 ${shown(high)})` : "";
      const text = typeof value === "number" ? shown(value) : String(value);
      return [[title ?? "", `${text}${unit ? ` ${unit}` : ""}${interval}`]];
    });
  }

  const sentenceOf = (row, fields) => lines(row, fields).map(([title, text]) => (title ? `${title}: ${text}` : text)).join("; ");

  // Every row of the specification's data, with what is said of it.
  function labelled(data, fields) {
    if (!data?.values) return data;
    return { ...data, values: data.values.map((row) => ({ ...row, said: sentenceOf(row, fields) })) };
  }

  // Data of a layer stand for cases if a row names one, or says why it failed; else they are lines and signs.
  const isAbout = (data) => data.values?.some((row) => row.case || row.failed);

  // Vega keeps names as properties of objects, so one that every object has ("constructor") gets an invisible end.
  function distinct(value) {
    if (Array.isArray(value)) return value.map(distinct);
    if (value && typeof value === "object") return mapped(value, distinct);
    return typeof value === "string" && value in {} ? `${value}\u200b` : value;
  }

  const encodings = (spec) => [spec.encoding, ...(spec.layer ?? []).map((layer) => layer.encoding)].filter(Boolean);

  // The series of the legend: name, colour and shape of each; [] for a chart without.
  function legendOf(spec) {
    const color = encodings(spec).map(({ color }) => color).find((each) => each?.field === "series" && each.legend !== null && each.scale?.domain);
    if (!color) return [];
    const shape = encodings(spec).map(({ shape }) => shape).find((each) => each?.field === "series" && each.scale?.domain);
    return color.scale.domain.map((name, i) => ({ name, colour: color.scale.range[i], shape: shape?.scale.range[i] ?? "square" }));
  }

  // Why cases of the chart have no value, each reason once.
  function reasonsOf(spec) {
    const rows = [spec, ...(spec.layer ?? [])].flatMap((each) => each.data?.values ?? []);
    return [...new Set(rows.map((row) => row.failed).filter(Boolean))].sort();
  }

  // Without the legends of Vega: those of a page are HTML. Data are left as they are.
  function withoutLegends(value, name) {
    if (name === "legend") return null;
    if (name === "data") return value;
    if (Array.isArray(value)) return value.map((each) => withoutLegends(each));
    return value && typeof value === "object" ? mapped(value, withoutLegends) : value;
  }

  const HIDDEN = { filter: "indexof(hidden, datum.series) < 0" };

  // The specification as it is drawn in the page: title and legend are HTML, and series can be hidden.
  function inPage(spec, width, height) {
    const { title, config, usermeta, ...rest } = themed({ ...spec, config: spec.config ?? page.config });
    const fields = spec.usermeta?.fields ?? [];
    const layer = withoutLegends(rest.layer)?.map((each) =>
      each.data ? { ...each, data: isAbout(each.data) ? labelled(each.data, fields) : each.data, transform: [HIDDEN, ...(each.transform ?? [])] } : each,
    );
    return {
      ...rest,
      ...(layer ? { layer } : {}),
      data: labelled(spec.data, fields),
      params: [...(spec.params ?? []), { name: "hidden", value: [] }],
      transform: [HIDDEN, ...(spec.transform ?? [])],
      encoding: { ...withoutLegends(rest.encoding), description: { field: "said", type: "nominal" } },
      width,
      ...(height ? { height, autosize: { type: "fit", contains: "padding" } } : {}),
      config: { ...config, background: "transparent" },
    };
  }

  function options(more) {
    return { ast: true, mode: "vega-lite", actions: false, defaultStyle: false, renderer: "svg", ...more };
  }

  const tip = h("div", { class: "chart-tip", hidden: true, "aria-hidden": "true" });

  function showTip(row, fields, x, y) {
    const all = lines(row, fields);
    if (!all.length) return hideTip();
    tip.replaceChildren(...all.map(([title, text]) => h("div", {}, title ? [h("span", {}, title), " "] : null, title ? text : h("b", {}, text))));
    if (!tip.isConnected) document.body.append(tip);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 12, document.documentElement.clientWidth - width - 4))}px`;
    tip.style.top = `${y + 16 + height > innerHeight ? Math.max(4, y - height - 8) : y + 16}px`;
  }

  function hideTip() {
    tip.hidden = true;
  }

  // The marks that stand for a row of data, in the order in which they are drawn.
  const marksOf = (plot) => [...plot.querySelectorAll("g.role-mark:is(.mark-symbol, .mark-rect) > path")].filter((mark) => rowOf(mark)?.said);
  const rowOf = (mark) => mark.__data__?.datum;

  // One mark is in the order of the Tab key; the arrow keys reach the others, Enter opens the number.
  function addKeys(plot, fields, open) {
    plot.addEventListener("keydown", (event) => {
      const marks = marksOf(plot);
      const at = marks.indexOf(event.target);
      if (at < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step && marks[at + step]) {
        marks[at + step].focus();
      } else if (event.key === "Enter" || event.key === " ") {
        if (rowOf(event.target).case) open(rowOf(event.target).case);
      } else if (!step) return;
      event.preventDefault();
    });
    plot.addEventListener("focusin", (event) => {
      const at = marksOf(plot).indexOf(event.target);
      if (at >= 0) makeReachable(plot, at);
      const row = event.target.matches(":focus-visible") && rowOf(event.target);
      if (!row) return;
      const { right, bottom } = event.target.getBoundingClientRect();
      showTip(row, fields, right, bottom);
    });
    plot.addEventListener("focusout", hideTip);
  }

  function makeReachable(plot, at = 0) {
    marksOf(plot).forEach((mark, i) => (mark.tabIndex = i === at ? 0 : -1));
  }

  const reachable = (plot) => marksOf(plot).findIndex((mark) => mark.tabIndex === 0);

  function symbol({ colour, shape }) {
    const d = SVG_SHAPES[shape] ?? shape;
    return svg("svg", { viewBox: "-1.5 -1.5 3 3", "aria-hidden": "true" }, svg("path", { d, fill: colour }));
  }

  function legend(entries, reasons, change) {
    if (!entries.length && !reasons.length) return null;
    const hidden = new Set();
    const buttons = entries.map((entry) =>
      h(
        "button",
        {
          type: "button",
          "aria-pressed": "true",
          title: "Show or hide",
          onclick: (event) => {
            if (!hidden.delete(entry.name)) hidden.add(entry.name);
            event.currentTarget.setAttribute("aria-pressed", String(!hidden.has(entry.name)));
            change([...hidden]);
          },
        },
        symbol(entry),
        entry.name,
      ),
    );
    const cross = reasons.length ? h("span", {}, `\u2715 ${reasons.join(" or ")}`) : null;
    return h("div", { class: "chart-legend", role: "group", "aria-label": "Series" }, buttons, cross);
  }

  // Save a file under a name that every system allows.
  function save(blob, name, ending) {
    const plain = name.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "").slice(0, 100) || "chart";
    const link = h("a", { href: URL.createObjectURL(blob), download: `${plain}.${ending}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // The whole chart in light colours, with title and legend, whatever the page shows.
  async function rendered(embed, spec, use) {
    const box = h("div", { class: "offscreen" });
    document.body.append(box);
    try {
      const config = spec.config ?? page.config;
      const { view, finalize } = await embed(box, { ...spec, width: DOWNLOAD_WIDTH, config }, options({ tooltip: false }));
      await use(view);
      finalize();
    } finally {
      box.remove();
    }
  }

  function downloads(embed, spec, name) {
    const asSvg = () => rendered(embed, spec, async (view) => save(new Blob([await view.toSVG()], { type: "image/svg+xml" }), name, "svg"));
    const asPng = () =>
      rendered(embed, spec, async (view) => {
        const canvas = await view.toCanvas(2);
        save(await new Promise((resolve) => canvas.toBlob(resolve, "image/png")), name, "png");
      });
    const button = (text, onclick) => h("button", { type: "button", onclick, "aria-label": `Download "${name}" as ${text}` }, text);
    return h("div", { class: "chart-tools" }, button("SVG", asSvg), button("PNG", asPng));
  }

  const dark = matchMedia("(prefers-color-scheme: dark)");

  async function draw(element, original, { name = original.title?.text ?? "chart", height, open = (found) => ask.choose(found) || panel.openCase(found) } = {}) {
    const embed = await library();
    if (!embed) return null;
    const spec = distinct(original);
    drawn.get(element)?.();
    const fields = spec.usermeta?.fields ?? [];
    const plot = h("div", { class: "chart-plot" });
    let current = null;
    let hidden = [];
    const entries = legendOf(themed(spec));
    const title = spec.title?.text ? h("p", { class: "chart-title" }, spec.title.text) : null;
    const change = (names) => {
      hidden = names;
      current?.view.signal("hidden", hidden).runAsync().then(() => makeReachable(plot));
    };
    const bar = h("div", { class: "chart-bar" }, legend(entries, reasonsOf(spec), change) ?? h("span"), downloads(embed, spec, name));
    element.replaceChildren(...[title, plot, bar].filter(Boolean));
    element.classList.add("chart");
    let width = 0;

    async function redraw() {
      width = plot.clientWidth;
      if (!width || !element.isConnected) return;
      const room = height ? Math.max(MIN_PLOT_HEIGHT, height - (element.offsetHeight - plot.offsetHeight)) : 0;
      plot.style.minHeight = room ? `${room}px` : `${plot.offsetHeight}px`;
      const at = Math.max(0, reachable(plot));
      const hadFocus = plot.contains(document.activeElement);
      current?.finalize();
      current = await embed(plot, inPage(spec, width, room), options({ tooltip: (_handler, event, item, value) => {
        if (value && item?.datum?.said) showTip(item.datum, fields, event.clientX, event.clientY);
        else hideTip();
      } }));
      current.view.addEventListener("click", (_event, item) => item?.datum?.case && open(item.datum.case));
      if (hidden.length) await current.view.signal("hidden", hidden).runAsync();
      makeReachable(plot, at);
      if (hadFocus) marksOf(plot)[at]?.focus({ preventScroll: true });
    }

    let queue = Promise.resolve();
    const later = () => (queue = queue.then(redraw));
    const recolour = () => {
      later();
      legendOf(themed(spec)).forEach(({ colour }, i) => element.querySelectorAll(".chart-legend path")[i].setAttribute("fill", colour));
    };
    addKeys(plot, fields, open);
    await later();
    const sizes = new ResizeObserver(() => {
      if (plot.clientWidth && plot.clientWidth !== width) later();
    });
    sizes.observe(plot);
    dark.addEventListener("change", recolour);
    const remove = () => {
      sizes.disconnect();
      dark.removeEventListener("change", recolour);
      current?.finalize();
      drawn.delete(element);
    };
    drawn.set(element, remove);
    return { element, get view() { return current?.view; }, remove };
  }

  return {
    draw,
    // Whether charts can be drawn.
    ready: async () => Boolean(await library()),
    // The figures that have a specification, and the specification of one.
    figures: () => [...document.querySelectorAll("figure[data-chart]")],
    spec: (figure) => unpacked(JSON.parse(figure.dataset.chart)),
  };
})();
// The figures of the page become charts when the reader comes near them. The picture stays for print.

const figures = (() => {
  // A picture on a telephone is lower than a chart that can be read there.
  const MIN_HEIGHT = 340;
  const NEAR = "50%"; // of the height of the window

  // Open the evidence of a number, in the table of the figure if that shows it.
  function open(figure, name) {
    if (ask.choose(name)) return;
    const table = document.getElementById(figure.dataset.table);
    const td = table?.querySelector(`td a[href="#case-${CSS.escape(name)}"]`)?.closest("td");
    if (!(td && panel.openCell(td))) panel.openCase(name);
  }

  async function replace(figure) {
    const picture = figure.querySelector("svg");
    const height = Math.max(picture.getBoundingClientRect().height, MIN_HEIGHT);
    if (!(await charts.ready())) return;
    const spec = charts.spec(figure);
    const box = h("div", {});
    figure.style.minHeight = `${height}px`;
    figure.classList.add("drawn");
    figure.append(box);
    await charts.draw(box, spec, { name: spec.title.text, height, open: (found) => open(figure, found) });
    figure.style.minHeight = "";
  }

  return {
    start() {
      const observer = new IntersectionObserver(
        (entries) => {
          for (const { isIntersecting, target } of entries) {
            if (!isIntersecting || matchMedia("print").matches) continue;
            observer.unobserve(target);
            replace(target);
          }
        },
        { rootMargin: NEAR },
      );
      charts.figures().forEach((figure) => observer.observe(figure));
    },
  };
})();
if (document.getElementById("explorer-data")) {
// The configurations that a reader explores. The modules of the explorer are only on pages that have one.
// docs/developers/rendering.md describes the keys. All texts and numbers are as the report wrote them.

const explorerData = (() => {
  const data = JSON.parse(document.getElementById("explorer-data").textContent);

  const cell = (fields) => {
    if (!fields) return null;
    const [value, text, name = null, ratio = null, ratioText = "", verdict = "", low = null, high = null, interval = ""] = fields;
    return { value, text, case: name, ratio, ratioText, verdict, low, high, interval };
  };
  const positions = data.factors.map(({ values }) => new Map(values.map((value, i) => [value, i])));
  const configurations = data.configurations.map(([values, others, memory, ...cells]) => ({
    values: values.map((value, i) => positions[i].get(value)), // position of the value of each factor
    others,
    memory, // of one device, in bytes
    cells: data.measures.map((_, i) => cell(cells[i])), // null: no such case
  }));

  const x = data.factors.length - 1;
  const compared = data.compared < 0 ? null : data.compared;

  // Values of factors in words; a number needs the name of its factor.
  function words(configuration, positions) {
    const texts = positions.map((i) => [data.factors[i].title, data.factors[i].labels[configuration.values[i]]]);
    return texts.map(([title, label]) => (/^[\d.,]+$/.test(label) ? `${title} ${label}` : label)).join(", ");
  }

  return {
    ...data,
    configurations,
    x, // position of the factor on the x axis
    compared, // position of the factor whose values are side by side, or null
    facets: data.factors.map((_, i) => i).filter((i) => i !== x && i !== compared),
    label: (configuration, i) => data.factors[i].labels[configuration.values[i]],
    // The facets of a configuration, in words.
    contextOf: (configuration) => words(configuration, data.factors.map((_, i) => i).filter((i) => i !== x && i !== compared && data.factors[i].labels.length > 1)),
    // What a configuration is among those with the same facets, in words.
    name: (configuration) => words(configuration, [compared, x].filter((i) => i !== null)),
  };
})();
// What a reader has selected, and the address that says it: `#explorer?f.model=...&f.device=...&on=...`.

const explorerView = (() => {
  const PREFIX = "#explorer?";
  const { factors, facets, compared, measures, switches, configurations } = explorerData;
  const measureName = (i) => `${measures[i].metric}.${measures[i].phase}`;
  const sized = measures.findIndex((measure) => measure.isSize);

  // The view of an address without choices: the first configuration, everything side by side.
  function initial() {
    const first = configurations[0].values;
    return {
      chosen: new Map(facets.map((i) => [i, first[i]])), // factor -> value
      shown: new Set(compared === null ? [] : factors[compared].labels.keys()), // values side by side
      on: new Set(), // ids of switches
      limit: "", // amount of memory, as written
      against: sized >= 0 ? sized : measures.findIndex((measure, i) => i > 0 && measure.better), // trade-off
    };
  }

  const hasPart = (values, i) => values.indexOf(i) >= 0;

  // Whether a measure is shown: switches show some measures, and others in their place.
  function isShown(view, i) {
    return switches.every(({ id, measures: own, insteadOf }) => (view.on.has(id) ? !hasPart(insteadOf, i) : !hasPart(own, i)));
  }

  const chartIsShown = (view, chart) => switches.every(({ id, charts: own }) => view.on.has(id) || !own.includes(chart.id));

  const matchesFacets = (view, { values }) => facets.every((i) => values[i] === view.chosen.get(i));

  // The configurations that are selected, in the order of the report.
  function selected(view) {
    return configurations.filter((each) => matchesFacets(view, each) && (compared === null || view.shown.has(each.values[compared])));
  }

  function address(view) {
    const pairs = new URLSearchParams();
    for (const [i, value] of view.chosen) pairs.append(`f.${factors[i].name}`, factors[i].values[value]);
    const all = compared === null || view.shown.size === factors[compared].labels.length;
    if (!all) for (const value of [...view.shown].sort((a, b) => a - b)) pairs.append(`f.${factors[compared].name}`, factors[compared].values[value]);
    if (!all && view.shown.size === 0) pairs.append("none", "1");
    for (const { id } of switches) if (view.on.has(id)) pairs.append("on", id);
    if (view.limit) pairs.append("within", view.limit);
    if (view.against !== initial().against) pairs.append("against", measureName(view.against));
    return PREFIX + pairs;
  }

  // The view of an address; choices that the page does not have are left out. Null if it is not of the explorer.
  function read(hash) {
    if (!hash.startsWith(PREFIX)) return null;
    const pairs = new URLSearchParams(hash.slice(PREFIX.length));
    const view = initial();
    const position = (i, text) => factors[i].values.findIndex((value) => String(value) === text);
    for (const i of facets) {
      const value = position(i, pairs.get(`f.${factors[i].name}`) ?? "");
      if (value >= 0) view.chosen.set(i, value);
    }
    if (compared !== null) {
      const values = pairs.getAll(`f.${factors[compared].name}`).map((text) => position(compared, text)).filter((value) => value >= 0);
      if (values.length || pairs.has("none")) view.shown = new Set(values);
    }
    view.on = new Set(pairs.getAll("on").filter((id) => switches.some((each) => each.id === id)));
    view.limit = /^\d+(?:\.\d+)?$/.test(pairs.get("within") ?? "") ? pairs.get("within") : "";
    const against = measures.findIndex((_, i) => measureName(i) === pairs.get("against"));
    if (against >= 0) view.against = against;
    return view;
  }

  return { initial, isShown, chartIsShown, selected, matchesFacets, address, read, sized };
})();
// Tables of the explorer: the numbers of a chart, and all configurations. A number opens its evidence.

const explorerTables = (() => {
  const { factors, x, compared, baseline, measures } = explorerData;
  const unitText = (measure) => (measure.unit ? ` (${measure.unit})` : "");

  function number(cell, more) {
    if (!cell) return h("td", { class: "absent" }, "-");
    if (cell.value === null) {
      const text = cell.case ? h("a", { class: "word", href: `#case-${cell.case}` }, cell.text) : cell.text;
      return h("td", { class: cell.text === "-" ? "absent" : cell.text === "several" ? "several" : "status" }, text);
    }
    return h("td", { class: "number", "data-value": cell.value, ...more }, h("a", { href: `#case-${cell.case}` }, cell.text));
  }

  function ratio(cell, hasVerdicts) {
    if (!cell || !cell.ratioText) return h("td", { class: "absent" }, "-");
    const kind = cell.ratio === null ? "incomparable" : "number";
    return h("td", { class: kind }, cell.ratioText, hasVerdicts && cell.verdict ? h("small", {}, cell.verdict) : null);
  }

  const label = (side) => (side === null ? "" : factors[compared].labels[side]);
  const cellOf = (row, side, i) => (side === null ? row[0] : row.find((each) => each.values[compared] === side))?.cells[i] ?? null;

  // Groups of columns: the values of each side, then its ratios to the baseline, where there are any.
  function groupsOf(rows, shown, visible) {
    const sides = compared === null ? [null] : shown;
    const others = sides.includes(baseline) ? sides.filter((side) => side !== null && side !== baseline) : [];
    const hasRatio = (side) => rows.some((row) => visible.some((i) => cellOf(row, side, i)?.ratioText));
    return [
      ...sides.map((side) => ({ title: label(side), side, isRatio: false })),
      ...others.filter(hasRatio).map((side) => ({ title: `${label(side)} / ${label(baseline)}`, side, isRatio: true })),
    ];
  }

  function headRows(groups, visible, title) {
    const xHead = (span) => h("th", { scope: "col", class: "right", rowspan: span }, factors[x].title);
    if (visible.length < 2) {
      return [h("tr", {}, xHead(1), groups.map((group) => h("th", { scope: "col", class: "right" }, group.title || title)))];
    }
    const units = new Set(visible.map((i) => measures[i].unit));
    const leaf = (group, i) => h("th", { scope: "col", class: "right" }, measures[i].label + (units.size > 1 && !group.isRatio ? unitText(measures[i]) : ""));
    const leaves = groups.flatMap((group) => visible.map((i) => leaf(group, i)));
    if (compared === null) return [h("tr", {}, xHead(1), leaves)];
    return [
      h("tr", {}, xHead(2), groups.map((group) => h("th", { scope: "colgroup", class: "group", colspan: visible.length }, group.title))),
      h("tr", {}, leaves),
    ];
  }

  // A verdict that all ratios share is said once.
  function verdictOf(rows, groups, visible) {
    const verdicts = new Set();
    for (const { side } of groups.filter((group) => group.isRatio)) {
      for (const row of rows) for (const i of visible) verdicts.add(cellOf(row, side, i)?.verdict || "");
    }
    verdicts.delete("");
    return { isShared: verdicts.size === 1, text: verdicts.size === 1 ? [...verdicts][0] : "" };
  }

  // A table of the selection: a row per value of x.
  function ofChart(title, selection, shown, visible) {
    const positions = [...new Set(selection.map((each) => each.values[x]))].sort((a, b) => a - b);
    const rows = positions.map((position) => selection.filter((each) => each.values[x] === position));
    const groups = groupsOf(rows, shown, visible);
    const verdict = verdictOf(rows, groups, visible);
    const cells = (row) => groups.flatMap((group) => visible.map((i) => (group.isRatio ? ratio(cellOf(row, group.side, i), !verdict.isShared) : number(cellOf(row, group.side, i)))));
    const body = rows.map((row, i) => h("tr", {}, h("th", { scope: "row", class: "right" }, factors[x].labels[positions[i]]), cells(row)));
    return h(
      "div",
      { class: "numbers" },
      h(
        "div",
        { class: "scroll", role: "region", tabindex: "0", "aria-label": `${title}: numbers` },
        h("table", {}, h("thead", {}, headRows(groups, visible, title)), h("tbody", {}, body)),
      ),
      verdict.isShared ? h("p", { class: "caption" }, `Verdict on every ratio: ${verdict.text}.`) : null,
    );
  }

  // Every configuration with every measure; it has the tools of the other tables.
  function ofEverything() {
    const heads = [...factors.map(({ title }) => title), ...explorerData.others];
    const names = ({ values, others }) => [...factors.map(({ labels }, i) => labels[values[i]]), ...others.map(String)];
    const table = h(
      "table",
      {},
      h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)), measures.map((measure) => h("th", { scope: "col", class: "right" }, measure.title + unitText(measure))))),
      h(
        "tbody",
        {},
        explorerData.configurations.map((each) => h("tr", {}, names(each).map((text) => h("th", { scope: "row" }, text)), each.cells.map((cell) => number(cell)))),
      ),
    );
    const title = "All configurations";
    const section = h("section", { class: "table", id: "explorer-all", "data-title": title }, h("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": title }, table));
    [...table.querySelectorAll("td a")].slice(1).forEach((link) => (link.tabIndex = -1));
    tools.add(table);
    return section;
  }

  return { ofChart, ofEverything, unitText };
})();
// Specifications of the explorer's charts, for `charts.draw`. Fields have fixed names, so texts of logs are data and
// never a part of an expression.

const explorerCharts = (() => {
  const { factors, x, compared, measures, configurations, colours, ink } = explorerData;
  const HEIGHT = 220; // pixels of the plot, without axes
  const PARTS = 2; // the first colour of measures, so that they do not look like devices
  const CROSS = "M-1,-.6L-.6,-1L0,-.4L.6,-1L1,-.6L.4,0L1,.6L.6,1L0,.4L-.6,1L-1,.6L-.4,0Z";
  const ABOVE = { titleAngle: 0, titleAlign: "left", titleAnchor: "end", titleX: 0, titleY: -12 };

  const sideOf = (configuration) => (compared === null ? "" : factors[compared].labels[configuration.values[compared]]);
  const sidesOf = (selection) => [...new Set(selection.map(sideOf))];
  const byPosition = (selection) => [...new Set(selection.map((each) => each.values[x]))].sort((a, b) => a - b);

  // A value of a measure, or the reason why there is none; null where there is nothing to say.
  function row(configuration, i, series) {
    const cell = configuration.cells[i];
    if (!cell || (cell.value === null && cell.text === "-")) return null;
    const place = { series, x: factors[x].labels[configuration.values[x]], case: cell.case };
    if (cell.value === null) return { ...place, failed: cell.text };
    const ends = cell.interval ? { low: cell.low / measures[i].factor, high: cell.high / measures[i].factor, interval: cell.interval } : {};
    return { ...place, y: cell.value / measures[i].factor, shown: `${cell.text} ${measures[i].unit}`.trim(), ...ends };
  }

  const xAxis = (selection) => ({
    field: "x",
    type: "nominal",
    scale: { domain: byPosition(selection).map((position) => factors[x].labels[position]), type: "band", paddingInner: 0.2, paddingOuter: 0.1 },
    axis: { labelAngle: 0, title: factors[x].title },
  });

  const yAxis = (title, scale) => ({ field: "y", type: "quantitative", scale: { zero: true, ...scale }, axis: { title, grid: true, domain: false, tickCount: 5, ...ABOVE } });
  const unitOf = (visible) => [...new Set(visible.map((i) => measures[i].unit))].filter(Boolean).join(", ") || measures[visible[0]].title;

  // The colours of series, beginning with the one at `first`.
  const colour = (names, first = 0) => ({
    field: "series",
    type: "nominal",
    scale: { domain: names, range: names.map((_, i) => colours[(i + first) % colours.length]) },
    ...(names.length > 1 ? { legend: { title: null } } : { legend: null }),
  });

  // Downloads have the title; the page has a heading instead.
  function chart(title, rows, layer) {
    const fields = [{ field: "series" }, { field: "name" }, { field: "x", title: factors[x].title }, { field: "shown" }, { field: "interval", title: "interval" }, { field: "failed" }];
    return { title: { text: title }, description: title, height: HEIGHT, autosize: { type: "fit-x", contains: "padding" }, data: { values: rows }, layer, usermeta: { fields } };
  }

  // A cross at the axis where a configuration has no number.
  function crosses(lost, channels) {
    if (!lost.length) return [];
    return [{ data: { values: lost }, mark: { type: "point", style: "failed", shape: CROSS, yOffset: -8 }, encoding: { ...channels, y: { value: "height" } } }];
  }

  // The intervals of values that have one.
  function intervals(rows, channels) {
    const known = rows.filter(({ low }) => low !== undefined);
    if (!known.length) return [];
    const end = (field) => ({ field, type: "quantitative" });
    return [{ data: { values: known }, mark: { type: "rule", style: "interval" }, encoding: { ...channels, y: end("low"), y2: { field: "high" } } }];
  }

  // The memory of the devices as lines: it limits what fits.
  function sizes(selection, i) {
    const sides = sidesOf(selection);
    const known = configurations.filter((each) => each.memory && sides.includes(sideOf(each)));
    const rows = sides
      .map((side) => [side, Math.max(0, ...known.filter((each) => sideOf(each) === side).map((each) => each.memory))])
      .filter(([, size]) => size)
      .map(([side, size]) => ({ series: side || measures[i].label, y: size / measures[i].factor, text: `${side} device`.trim() }));
    if (!rows.length) return [];
    const y = { field: "y", type: "quantitative" };
    return [
      { data: { values: rows }, mark: { type: "rule", style: "reference" }, encoding: { y } },
      { data: { values: rows }, mark: { type: "text", style: "ideal-name", align: "left", dy: -7, color: ink }, encoding: { y, x: { value: 2 }, text: { field: "text" } } },
    ];
  }

  // Bars beside one another: devices, or the measures of one device.
  function grouped(title, selection, visible, most) {
    const isAlone = visible.length === 1;
    const name = (each, i) => (isAlone ? sideOf(each) || measures[i].label : measures[i].label);
    const all = visible.flatMap((i) => selection.map((each) => row(each, i, name(each, i)))).filter(Boolean);
    const names = [...new Set(visible.flatMap((i) => selection.map((each) => name(each, i))))];
    const offset = names.length > 1 ? { xOffset: { field: "series", scale: { domain: names, paddingInner: 0.06 } } } : {};
    const place = { x: xAxis(selection), ...offset };
    const color = isAlone ? colour(names, compared === null ? 0 : selection[0].values[compared]) : colour(names, PARTS);
    const isShare = visible.every((i) => measures[i].unit === "%");
    const bars = { mark: "bar", encoding: { ...place, y: yAxis(unitOf(visible), isShare ? { domain: [0, 100] } : most ? { domain: [0, most], nice: true } : {}), color } };
    const limits = isAlone && measures[visible[0]].isSize ? sizes(selection, visible[0]) : [];
    const [rows, lost] = [all.filter(({ failed }) => !failed), all.filter(({ failed }) => failed)];
    return chart(title, rows, [bars, ...intervals(rows, place), ...crosses(lost, { ...place, color }), ...limits]);
  }

  // Parts of a whole, on top of one another.
  function stacked(title, selection, visible, most) {
    const names = visible.map((i) => measures[i].label);
    const all = visible.flatMap((i, order) => selection.map((each) => row(each, i, measures[i].label)).filter(Boolean).map((each) => ({ ...each, order })));
    const place = { x: xAxis(selection) };
    const bars = { mark: "bar", encoding: { ...place, y: { ...yAxis(unitOf(visible), { domain: [0, most], nice: true }), stack: "zero" }, color: colour(names, PARTS), order: { field: "order", type: "quantitative" } } };
    const lost = all.filter(({ failed, order }) => failed && order === 0).map(({ series: _, ...each }) => each);
    return chart(title, all.filter(({ failed }) => !failed), [bars, ...crosses(lost, { ...place, color: { value: ink } })]);
  }

  const shownOf = (visible) => (each) => visible.map((i) => (each.cells[i]?.value ?? 0) / measures[i].factor);

  // The specifications of a chart. Several measures have one for each device, with the same end of the axis.
  function specs({ title, stacked: isStacked }, selection, visible) {
    const context = explorerData.contextOf(selection[0]);
    const named = (side) => [title, side, context].filter(Boolean).join(", ");
    if (visible.length < 2) return [{ side: "", spec: grouped(named(""), selection, visible) }];
    const ends = selection.map(shownOf(visible)).map((values) => (isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values)));
    const most = Math.max(...ends) || 1;
    return sidesOf(selection).map((side) => {
      const own = selection.filter((each) => sideOf(each) === side);
      return { side, spec: (isStacked ? stacked : grouped)(named(side), own, visible, most) };
    });
  }

  // Points of two measures; those on the front are larger and connected.
  function scatter(title, points, across, up) {
    const rows = points.map(({ configuration, isBest }) => ({
      series: sideOf(configuration) || measures[up].label,
      name: explorerData.name(configuration),
      x: configuration.cells[across].value / measures[across].factor,
      y: configuration.cells[up].value / measures[up].factor,
      case: configuration.cells[up].case,
      point: factors[x].labels[configuration.values[x]],
      best: isBest ? 1 : 0,
      shown: `${configuration.cells[up].text} ${measures[up].unit}, ${configuration.cells[across].text} ${measures[across].unit}`,
    }));
    const names = [...new Set(rows.map(({ series }) => series))];
    const axisTitle = (i) => `${measures[i].title}${explorerTables.unitText(measures[i])}`;
    const place = {
      x: { field: "x", type: "quantitative", scale: { zero: true }, axis: { title: axisTitle(across), grid: true, tickCount: 5 } },
      y: yAxis(axisTitle(up), {}),
    };
    const front = { data: { values: rows.filter(({ best }) => best).map(({ x: at, y }) => ({ x: at, y })) }, mark: { type: "line", style: "ideal", color: ink }, encoding: { ...place, order: { field: "x", type: "quantitative" } } };
    const dots = { mark: { type: "point" }, encoding: { ...place, color: colour(names), size: { field: "best", type: "quantitative", scale: { domain: [0, 1], range: [40, 130] }, legend: null } } };
    const texts = { mark: { type: "text", dy: -11, fontSize: 11, color: ink, aria: false, tooltip: null }, encoding: { ...place, text: { field: "point" } } };
    const spec = chart(title, rows, [front, dots, texts]);
    return { ...spec, usermeta: { fields: [{ field: "name" }, { field: "shown" }] } };
  }

  return { specs, scatter };
})();
// Answers from a selection: what is fastest within an amount of memory, and which configurations no other beats.

const explorerAnswers = (() => {
  const { factors, compared, measures } = explorerData;

  // The first of some measures that is a speed: a rate of work, else one of which more is better, else a time; or -1.
  function speed(visible) {
    const first = (better, base) => visible.find((i) => measures[i].better === better && (!base || measures[i].base === base));
    return first("higher", "samples/s") ?? first("higher") ?? first("lower", "s") ?? -1;
  }

  const isBetter = (i, a, b) => (measures[i].better === "lower" ? a < b : a > b);

  function best(candidates, i) {
    return candidates.reduce((found, each) => (found === null || isBetter(i, each.cells[i].value, found.cells[i].value) ? each : found), null);
  }

  // The fastest configuration of each side that needs no more memory; limit in the unit of the measure, or null.
  function fastest(selection, fast, size, limit) {
    const measured = selection.filter((each) => each.cells[fast]?.value != null);
    const fits = measured.filter((each) => limit === null || (each.cells[size]?.value != null && each.cells[size].value <= limit * measures[size].factor));
    const sides = compared === null ? [null] : [...new Set(selection.map((each) => each.values[compared]))];
    const of = (side, list) => list.filter((each) => side === null || each.values[compared] === side);
    return {
      sides: sides.map((side) => ({ name: side === null ? "" : factors[compared].labels[side], configuration: best(of(side, fits), fast) })),
      overall: best(fits, fast),
      unknown: limit === null ? 0 : measured.filter((each) => each.cells[size]?.value == null).length,
    };
  }

  // Points with both measures. On the front are those that no other point beats in one without losing in the other.
  function front(selection, across, up) {
    const points = selection.filter((each) => each.cells[across]?.value != null && each.cells[up]?.value != null);
    const hasFront = Boolean(measures[across].better && measures[up].better);
    const noWorse = (i, a, b) => !isBetter(i, b.cells[i].value, a.cells[i].value);
    const beats = (a, b) => noWorse(across, a, b) && noWorse(up, a, b) && (isBetter(across, a.cells[across].value, b.cells[across].value) || isBetter(up, a.cells[up].value, b.cells[up].value));
    return points.map((each) => ({ configuration: each, isBest: hasFront && !points.some((other) => beats(other, each)) }));
  }

  // Configurations that were tried and have no number, those together that differ on the x axis only.
  function withoutNumber(tried, i) {
    const groups = new Map();
    for (const each of tried.filter(({ cells }) => cells[i]?.case && cells[i].value === null)) {
      const side = compared === null ? "" : explorerData.label(each, compared);
      const place = [side, explorerData.contextOf(each)].filter(Boolean).join(", ");
      const key = JSON.stringify([place, each.cells[i].text]);
      if (!groups.has(key)) groups.set(key, { place, text: each.cells[i].text, labels: [] });
      groups.get(key).labels.push(explorerData.label(each, explorerData.x));
    }
    return [...groups.values()];
  }

  return { speed, fastest, front, withoutNumber };
})();
// A selection as CSV: a line per configuration and measure, in base units, as in tables/*.csv.

const explorerCsv = (() => {
  const { factors, measures } = explorerData;
  const OWN = ["metric", "phase", "unit", "value", "low", "high", "text", "ratio", "verdict"];

  // A text that a spreadsheet would read as a formula begins with an apostrophe.
  const guarded = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const field = (value) => (value === null || value === undefined ? "" : typeof value === "string" ? quoted(guarded(value)) : String(value));

  function text(selection, visible) {
    const head = [...factors.map(({ name }) => (OWN.includes(name) ? `${name}_factor` : name)), ...OWN];
    const lines = selection.flatMap((each) =>
      visible
        .filter((i) => each.cells[i])
        .map((i) => {
          const { value, low, high, text: shown, ratio, verdict } = each.cells[i];
          const own = [measures[i].metric, measures[i].phase, measures[i].base, value, low, high, value === null ? shown : "", ratio, verdict];
          return [...factors.map(({ values }, at) => values[each.values[at]]), ...own];
        }),
    );
    return [head, ...lines].map((line) => `${line.map(field).join(",")}\n`).join("");
  }

  function download(name, content) {
    const url = URL.createObjectURL(new Blob([content], { type: "text/csv" }));
    h("a", { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 0);
  }

  return { text, download };
})();
// The explorer: controls on top, then a chart with its numbers for each measure, and answers from the selection.
// Every change of a control is an entry of the browser's history.

(() => {
  const { factors, facets, compared, measures, switches, charts: allCharts, configurations } = explorerData;
  const plural = (count, word) => `${count.toLocaleString("en-US")} ${word}${count === 1 ? "" : "s"}`;
  let view = explorerView.initial();
  let count = 0;

  const parts = {
    controls: h("div", { class: "toolbar" }),
    status: h("p", { role: "status" }),
    notes: h("div", {}),
    charts: h("div", {}),
    answers: h("div", {}),
    everything: h("details", { class: "everything" }, h("summary", {}, "All configurations")),
  };

  function changed(change) {
    change(view);
    const address = explorerView.address(view);
    try {
      history.pushState({ explorer: address }, "", address);
    } catch {
      // A page inside another one may not change the address; the view changes all the same.
    }
    update();
  }

  // Controls

  function select(text, options, chosen, onchange) {
    const id = `explorer-control-${++count}`;
    const field = h("select", { id, onchange: () => onchange(Number(field.value)) }, options.map(([value, label]) => h("option", { value, selected: value === chosen }, label)));
    return h("span", {}, h("label", { for: id }, text), " ", field);
  }

  // A value that leaves nothing with the other choices says so.
  function facetField(i) {
    const others = facets.filter((other) => other !== i);
    const isPossible = (value) => configurations.some((each) => each.values[i] === value && others.every((other) => each.values[other] === view.chosen.get(other)));
    const options = factors[i].labels.map((label, value) => [value, isPossible(value) ? label : `${label} (nothing measured)`]);
    return select(factors[i].title, options, view.chosen.get(i), (value) => changed(() => view.chosen.set(i, value)));
  }

  function sides() {
    if (compared === null) return null;
    const boxes = factors[compared].labels.map((label, value) =>
      check(label, view.shown.has(value), (isOn) =>
        changed(() => {
          if (isOn) view.shown.add(value);
          else view.shown.delete(value);
        }),
      ),
    );
    return h("fieldset", {}, h("legend", {}, factors[compared].title), boxes);
  }

  const switchBoxes = () =>
    switches.map(({ id, title }) =>
      check(title, view.on.has(id), (isOn) =>
        changed(() => {
          if (isOn) view.on.add(id);
          else view.on.delete(id);
        }),
      ),
    );

  // Controls are made anew, because the options depend on one another; the focus stays on the same one.
  function showControls() {
    const fields = () => [...parts.controls.querySelectorAll("select, input, button")];
    const focused = fields().indexOf(document.activeElement);
    count = 0;
    const download = h("button", { type: "button", onclick: () => explorerCsv.download("selection.csv", explorerCsv.text(explorerView.selected(view), visibleMeasures())) }, "Download CSV");
    parts.controls.replaceChildren(...[facets.map(facetField), sides(), switchBoxes(), download].flat().filter(Boolean));
    if (focused >= 0) fields()[focused]?.focus();
  }

  // Charts

  const visibleOf = (chart) => chart.measures.filter((i) => explorerView.isShown(view, i));
  const visibleCharts = () => allCharts.filter((chart) => explorerView.chartIsShown(view, chart) && visibleOf(chart).length);
  const visibleMeasures = () => [...new Set(visibleCharts().flatMap(visibleOf))].sort((a, b) => a - b);
  const NOTHING = "No configuration matches this selection.";

  function chartBlock(chart, selection) {
    const visible = visibleOf(chart);
    const some = selection.filter((each) => visible.some((i) => each.cells[i]));
    if (selection.length && !some.length) return null;
    const units = [...new Set(visible.map((i) => measures[i].unit))].filter(Boolean);
    const heading = h("h3", {}, chart.title, units.length === 1 ? ` (${units[0]})` : "");
    const body = some.length ? h("div", { class: "beside" }, drawings(chart, some, visible)) : h("p", { class: "empty" }, NOTHING);
    return h("section", { class: "explorer-chart", "data-chart": chart.id }, heading, body, chart.notes.map((note) => h("p", { class: "caption" }, sentence(note))));
  }

  function drawings(chart, selection, visible) {
    const shown = compared === null ? [] : [...view.shown].sort((a, b) => a - b);
    const table = explorerTables.ofChart(chart.title, selection, shown, visible);
    const each = explorerCharts.specs(chart, selection, visible).map(({ side, spec }) => drawing(`${chart.id}/${side}`, spec, side));
    return [h("div", { class: "drawings" }, each), table];
  }

  // Charts are drawn when a reader comes near them. A place has the height of a chart before, and keeps its own while
  // its chart is drawn again: else the page would move under a pointer between press and release, and a click be lost.
  const places = new Map();
  const wanted = new WeakMap();
  const undrawn = () => [...places.values()].filter((place) => place.matches(".undrawn"));

  const noLibrary = h("p", { class: "quiet" }, "The charts need assets/vega.js beside this page. To write it, run ", h("code", {}, "reportgen build"), ".");

  async function draw(place) {
    const chart = await charts.draw(place, wanted.get(place), { name: wanted.get(place).title.text });
    if (!chart && !noLibrary.isConnected) place.before(noLibrary);
    place.style.minHeight = chart ? `${place.offsetHeight}px` : "";
    for (const each of chart ? [place] : undrawn()) each.classList.remove("undrawn");
  }

  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        draw(target);
      }
    },
    { rootMargin: "50%" },
  );

  // A place for a chart; it stays empty where the library of the charts is not beside the page.
  function drawing(key, spec, title) {
    if (!places.has(key)) places.set(key, h("div", { class: "undrawn" }));
    const place = places.get(key);
    place.style.minHeight = place.offsetHeight ? `${place.offsetHeight}px` : place.style.minHeight;
    wanted.set(place, spec);
    near.unobserve(place);
    near.observe(place);
    return h("div", { class: "drawing" }, title && h("h4", {}, title), place);
  }

  // Answers

  function fastestBlock(selection) {
    const [fast, size] = [explorerAnswers.speed(visibleMeasures()), explorerView.sized];
    if (fast < 0 || size < 0) return null;
    const unit = measures[size].unit;
    const field = h("input", { id: "explorer-limit", type: "number", min: "0", step: "any", value: view.limit, onchange: () => changed(() => (view.limit = field.validity.valid && field.value ? String(Number(field.value)) : "")) });
    const limit = view.limit === "" ? null : Number(view.limit);
    const { sides: found, overall, unknown } = explorerAnswers.fastest(selection, fast, size, limit);
    const line = ({ name, configuration }) =>
      h("li", { class: configuration && configuration === overall ? "best" : "" }, name && `${name}: `, configuration ? answer(configuration, fast, size) : limit === null ? "no number" : `nothing is known to fit within ${view.limit} ${unit}`);
    return h(
      "section",
      { class: "explorer-answer" },
      h("h3", {}, "Which configuration is fastest?"),
      h("p", {}, h("label", { for: "explorer-limit" }, `Within (${unit})`), " ", field),
      h("ul", { id: "explorer-fastest" }, found.map(line)),
      h("p", { class: "caption" }, `By ${measures[fast].title}, within ${measures[size].title}.`, unknown ? ` ${plural(unknown, "configuration")} without a number for memory left out.` : ""),
    );
  }

  // For all facets: a reader asks what does not fit on a device.
  function withoutNumberBlock() {
    const tried = compared === null ? configurations : configurations.filter((each) => view.shown.has(each.values[compared]));
    const groups = explorerAnswers.withoutNumber(tried, explorerAnswers.speed(visibleMeasures()));
    if (!groups.length) return null;
    const counts = new Map();
    for (const { text, labels } of groups) counts.set(text, (counts.get(text) ?? 0) + labels.length);
    const counted = [...counts].map(([text, count]) => `${count} ${text}`).join(", ");
    const line = ({ place, text, labels }) => h("li", {}, place && `${place}: `, `${factors[explorerData.x].title} ${labels.join(", ")} ${text}`);
    const isOpen = document.querySelector("details.without-number")?.open ?? false;
    return h("details", { class: "without-number", open: isOpen }, h("summary", {}, `Which have no number? ${counted}`), h("ul", {}, groups.map(line)));
  }

  function answer(configuration, fast, size) {
    const [speed, memory] = [configuration.cells[fast], configuration.cells[size]];
    const text = (cell, i) => [h("a", { href: `#case-${cell.case}` }, cell.text), ` ${measures[i].unit}`];
    const place = `${factors[explorerData.x].title} ${explorerData.label(configuration, explorerData.x)}: `;
    return [place, text(speed, fast), memory?.value != null ? [", ", text(memory, size)] : ""];
  }

  function tradeOff(selection) {
    const up = explorerAnswers.speed(visibleMeasures());
    const choices = visibleMeasures().filter((i) => i !== up && measures[i].better).map((i) => [i, measures[i].title]);
    if (up < 0 || !choices.length) return null;
    const across = choices.some(([i]) => i === view.against) ? view.against : choices[0][0];
    const points = explorerAnswers.front(selection, across, up);
    const best = points.filter(({ isBest }) => isBest).map(({ configuration }) => explorerData.name(configuration));
    const name = `${measures[up].title} against ${measures[across].title}`;
    return h(
      "section",
      { class: "explorer-answer", "data-chart": "trade-off" },
      h("h3", {}, name),
      h("p", {}, select("Against", choices, across, (i) => changed(() => (view.against = i)))),
      points.length ? drawing("trade-off", explorerCharts.scatter(`${name}, ${explorerData.contextOf(selection[0])}`, points, across, up), "") : h("p", { class: "empty" }, NOTHING),
      best.length ? h("p", { class: "front" }, `No other configuration is better in one of the two without being worse in the other: ${best.join("; ")}.`) : null,
    );
  }

  // Everything

  parts.everything.addEventListener("toggle", () => parts.everything.append(explorerTables.ofEverything()), { once: true });

  function update() {
    const selection = explorerView.selected(view);
    showControls();
    parts.status.textContent = selection.length ? `${plural(selection.length, "configuration")} of ${configurations.length.toLocaleString("en-US")}.` : NOTHING;
    parts.notes.replaceChildren(...switches.filter(({ id, note }) => note && view.on.has(id)).map(({ note }) => h("p", { class: "warning" }, note)));
    parts.charts.replaceChildren(...visibleCharts().map((chart) => chartBlock(chart, selection)).filter(Boolean));
    const focusedLimit = document.activeElement?.id === "explorer-limit";
    parts.answers.replaceChildren(...[fastestBlock(selection), withoutNumberBlock(), tradeOff(selection)].filter(Boolean));
    if (focusedLimit) document.getElementById("explorer-limit")?.focus();
  }

  // Show the view of an address; any other address leaves the explorer as it is.
  function open(hash) {
    const found = explorerView.read(hash);
    if (found) view = found;
    if (found) update();
    return Boolean(found);
  }

  // The entry of the history that a reader begins with remembers its view, so that "back" returns to it.
  function remember() {
    try {
      history.replaceState({ explorer: explorerView.address(view) }, "");
    } catch {
      // As above.
    }
  }

  document.querySelector("section.explorer h2").after(...Object.values(parts));
  if (open(location.hash)) {
    const show = () => document.getElementById("explorer").scrollIntoView();
    show();
    // The style sheet may come after the script, and moves the explorer.
    if (document.readyState !== "complete") window.addEventListener("load", show, { once: true });
  } else {
    update();
  }
  remember();
  addEventListener("popstate", (event) => open(event.state?.explorer ?? location.hash));
})();
}
// Start the page: open the number that the address names, and react to clicks and keys.

document.body.append(panel.element);
document.querySelector("main").append(ask.status);
tables.all().forEach(views.shorten);
tables.all().forEach(tools.add);
tables.all().forEach(scrolls.add);
families.start();
contents.start();
// On a phone the facts would push the results down.
if (matchMedia("(max-width: 40rem)").matches) document.querySelector(".measured")?.removeAttribute("open");
// A tall figure above the first table is below it where the two are not side by side.
const tall = matchMedia("(max-width: 64rem)").matches && document.querySelector(".opening figure.tall");
if (tall) document.querySelector(`main a[href="#${CSS.escape(tall.id)}"]`)?.parentElement.replaceWith(tall);
figures.start();

// One number of each table is in the order of the Tab key; the arrow keys reach the others.
for (const table of tables.all()) {
  [...table.querySelectorAll('td a[href^="#case-"]')].slice(1).forEach((link) => (link.tabIndex = -1));
}

// Open the folded parts that an element is in.
function unfold(element) {
  families.reveal(element);
  if (element.closest("section.table tr")) views.showAll(element.closest("table"));
  for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
}

function openAddress() {
  const td = tables.find(location.hash);
  const target = td ?? document.getElementById(decoded(location.hash.slice(1)));
  if (target) unfold(target);
  if (td) {
    td.scrollIntoView({ block: "center" });
    panel.openCell(td, { focus: false });
  } else if (ask.read(location.hash)) {
    ask.open(...ask.read(location.hash));
  } else if (location.hash.startsWith("#case-")) {
    panel.openCase(location.hash.slice("#case-".length));
  } else {
    target?.scrollIntoView();
  }
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href^="#case-"]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const td = link.closest("section.table td");
  const name = link.hash.slice("#case-".length);
  const asked = ask.read(link.hash);
  const isOpen = asked ? ask.open(...asked) : ask.choose(name) || (td ? panel.openCell(td) : panel.openCase(name));
  if (isOpen) event.preventDefault();
});

const ARROWS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") ask.leave() || panel.hide();
  const td = event.target.closest?.("section.table td");
  if (!td || !ARROWS[event.key] || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  const neighbour = tables.neighbour(td, ARROWS[event.key]);
  if (!neighbour) return;
  event.preventDefault();
  td.querySelector("a").tabIndex = -1;
  const link = neighbour.querySelector("a");
  link.tabIndex = 0;
  link.focus();
  if (panel.isOpen()) panel.openCell(neighbour, { focus: false });
});

// Everything is on paper, folded or not, but the list of all configurations: the tables have its numbers.
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("main details:not([open], .tools, .everything), .measured:not([open])")) {
    fold.open = true;
    addEventListener("afterprint", () => (fold.open = false), { once: true });
  }
});

addEventListener("hashchange", openAddress);
openAddress();
// The style sheet may come after the script, and moves what the address names.
if (document.readyState !== "complete") {
  window.addEventListener("load", () => tables.find(location.hash)?.scrollIntoView({ block: "center" }), { once: true });
}
}
if (document.readyState === "loading") addEventListener("DOMContentLoaded", start, { once: true });
else start();
})();
