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
