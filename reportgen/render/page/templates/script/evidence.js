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
