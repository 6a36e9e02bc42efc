// The evidence of the page: JSON that is parsed when the first number is opened.
// docs/developers/rendering.md describes the keys.

const evidence = (() => {
  let parsed = null;
  const data = () => (parsed ??= withCases(JSON.parse(document.getElementById("data").textContent)));

  // Each case by name, with what its configuration says for all of its cases.
  function withCases(evidence) {
    const named = evidence.configurations.flatMap(({ cases, ...shared }) => Object.entries(cases).map(([name, own]) => [name, { ...shared, ...own }]));
    return { ...evidence, cases: Object.fromEntries(named) };
  }

  const measured = ({ values = [] }) => values.filter((value) => value !== null);

  function finding(name) {
    const [severity, rule, text] = data().messages[name];
    return { severity, rule, text, remedy: data().remedies[rule] };
  }

  const ARCHIVE = /^.*?\.(?:tar|zip|gz|bz2|xz|zst|tgz|tbz2|txz|tzst)(?=\/)/i;

  function source(log, [file, line]) {
    const path = data().files[file].replace("\t", () => log);
    return { text: line ? `${path}:${line}` : path, href: addressOf(path, line) };
  }

  // A browser opens https, but not s3. A log in an archive is there, but has no address.
  function addressOf(path, line) {
    if (/^[a-z0-9]+:\/\//.test(path)) return path.startsWith("http") ? encodeURI(path) : "";
    const [archive] = path.match(ARCHIVE) || [];
    const encoded = (archive || path).split("/").map(encodeURIComponent).join("/");
    // The fragment names the line; a whole file needs none.
    const address = line && !archive ? data().source : data().source.replace(/#.*$/, "");
    return address && address.replace("{path}", () => encoded).replace("{line}", line);
  }

  function repeat(entries, value, kind, [folder, paths, steps]) {
    const [id, time, environment = "", findings = [], status, own, ownSteps, gap = 0, evidence, more = 0, outside = 0] = entries;
    const [base, number] = id.split(/#(.*)/s);
    const log = number === undefined ? folder + id : data().logs[base];
    const [first, last, count] = ownSteps || steps;
    return {
      run: number === undefined ? log : `${log}#${number}`,
      value,
      sources: (own || paths).map((each) => source(log, each)),
      more,
      window: count ? { first, last, steps: count, time, gap, outside } : null,
      findings: (findings || []).map(finding),
      environment: { ...data().environment, ...data().environments[environment] },
      status: status || "complete",
      evidence: evidence || kind,
    };
  }

  function factorsOf([names, ...values]) {
    return { ...data().shared, ...Object.fromEntries(data().names[names].map((name, i) => [name, values[i]])) };
  }

  function comparison([table, kind, value, baseline, after, ratio, contract], factors) {
    const other = factorsOf(data().cases[baseline].factors);
    const differing = Object.keys(other).filter((name) => other[name] !== factors[name]);
    return {
      table: data().tables[table],
      kind,
      value,
      baseline,
      before: data().before[kind].replace("{}", () => shownShort(value)),
      text: differing.map((name) => `${name}=${other[name]}`).join(", ") || "the other runs",
      after,
      ratio,
      contract: data().contracts[contract],
    };
  }

  return {
    // The case of that name with everything that the page has about it; null for an unknown name.
    get(name) {
      if (!Object.hasOwn(data().cases, name)) return null;
      const found = data().cases[name];
      const [title, unit, factor] = data().metrics[found.metric];
      const [how, kind] = data().summaries[found.summary];
      const ends = found.ends ?? measured(found);
      const factors = factorsOf(found.factors);
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
        findings: (found.findings ?? []).map(finding),
        compared: (found.compared ?? []).map((each) => comparison(each, factors)),
        runs: (found.runs ?? []).map((each, i) => repeat(each, found.values?.[i] ?? null, kind, found.usual)),
      };
    },

    // The same case as a side of a comparison (comparisons.js): values in the base unit, with all digits.
    side(name) {
      if (!Object.hasOwn(data().cases, name)) return null;
      const found = data().cases[name];
      const [title, , factor, metric, phase, better, isSpeed, isRate, protocol] = data().metrics[found.metric];
      const values = found.exact ?? measured(found).map((value) => value * factor);
      const factors = factorsOf(found.factors);
      const [names, ...conditions] = found.conditions ? data().conditions[found.conditions] : [];
      const said = Object.fromEntries(conditions.map((value, i) => [data().names[names][i], value]));
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
        termOf: (word) => data().terms[word]?.[0] ?? "",
        versionOf: (word) => data().terms[word]?.[1] ?? "",
      };
    },
    names: () => Object.keys(data().cases),
    report: () => data().report,
    // The folder of logs that a log is in; "" if the page does not say it.
    folderOf: (log) => data().folders.filter((folder) => log === folder || log.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)[0] ?? "",
  };
})();
