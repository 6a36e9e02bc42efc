// The panel behind every number: its repeats, comparison, findings, environment and sources, beside the table.
//
// A section is a function of {found, cell} that returns an element, or null if it has nothing to show; add it
// to `panelSections`. `found` is the case (evidence.js), `cell` the cell it was opened from (tables.js) or null.

const panelSections = [];

const panel = (() => {
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

  function show(found, cell, focus) {
    current?.td.classList.remove("current");
    current = cell;
    cell?.td.classList.add("current");
    const heads = cell ? [...cell.row, ...cell.column].filter(Boolean).join(", ") : "";
    title.replaceChildren(h("small", {}, heads), h("span", {}, cell ? cell.text : found.title));
    body.replaceChildren(...panelSections.map((section) => section({ found, cell })).filter(Boolean));
    body.scrollTop = 0;
    previous.disabled = !cell || !tables.neighbour(cell.td, "previous");
    next.disabled = !cell || !tables.neighbour(cell.td, "next");
    element.hidden = false;
    document.body.classList.add("has-panel");
    if (cell) setAddress(cell.address);
    if (focus) title.focus({ preventScroll: true });
  }

  function openCell(td, { focus = true } = {}) {
    const cell = tables.cell(td);
    const found = cell.case && evidence.get(cell.case);
    if (found) show(found, cell, focus);
    return Boolean(found);
  }

  function openCase(name) {
    const found = evidence.get(name);
    if (found) show(found, null, true);
    return Boolean(found);
  }

  function move(direction) {
    const td = current && tables.neighbour(current.td, direction);
    if (!td) return;
    openCell(td, { focus: false });
    td.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function hide() {
    if (element.hidden) return;
    element.hidden = true;
    document.body.classList.remove("has-panel");
    current?.td.classList.remove("current");
    setAddress(current ? `#${current.model.id}` : "");
    current?.link.focus();
    current = null;
  }

  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "ArrowLeft") move("previous");
    else if (event.key === "ArrowRight") move("next");
    else return;
    event.preventDefault();
  });

  return { element, openCell, openCase, hide, isOpen: () => !element.hidden };
})();

function panelSection(heading, ...children) {
  return h("section", {}, h("h3", {}, heading), ...children);
}

function pairs(values) {
  const rows = Object.entries(values).map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value)));
  return rows.length ? h("table", { class: "pairs" }, h("tbody", {}, rows)) : null;
}

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

function sourceLink(source) {
  return source.href === null ? h("code", {}, source.text) : h("a", { href: source.href }, source.text);
}

// The case in words: what was measured, and how the repeats became one number.
panelSections.push(({ found }) => h("section", {}, h("p", { class: "summary" }, `${found.title}: ${found.summary}`)));

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

// The formula of a compared number, with its verdict.
panelSections.push(({ found, cell }) => {
  const compared = found.compared.filter((each) => !cell || each.table === cell.model.id);
  if (!compared.length) return null;
  const lines = compared.map((each) => {
    const link = h("a", { href: `#case-${each.baseline}` }, each.text);
    return [h("p", {}, `${each.before} `, link, each.after), h("p", { class: "formula" }, formula(each, found, evidence.get(each.baseline)))];
  });
  return panelSection("Comparison", lines);
});

// Every repeat: a strip plot, then value, measured steps, status and sources of each.
panelSections.push(({ found }) => {
  const rows = found.runs.map((run) => {
    const { window } = run;
    const steps = window && `${window.first}\u2013${window.last} in ${shown(window.time)} s`;
    const gap = window?.gap ? h("small", {}, `${shown(window.gap)} s left out`) : null;
    const status = run.status === "complete" ? run.evidence : run.status;
    const places = run.sources.map((source, i) => [i ? h("br") : null, sourceLink(source)]);
    const more = run.more ? [h("br"), `${run.more} more`] : null;
    const values = h("tr", {}, h("td", {}, run.value === null ? "-" : shown(run.value)), h("td", {}, steps ?? "", gap), h("td", {}, status));
    return h("tbody", {}, values, h("tr", {}, h("td", { colspan: 3, class: "place" }, places, more)));
  });
  const heads = [`Value${found.unit ? ` (${found.unit})` : ""}`, "Steps", "Evidence"].map((text) => h("th", { scope: "col" }, text));
  const heading = found.runs.length === 1 ? "Run" : `${found.runs.length} repeats`;
  return panelSection(heading, stripPlot(found), h("table", { class: "runs" }, h("thead", {}, h("tr", {}, heads)), rows));
});

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
    other && !rows.length ? h("p", { class: "quiet" }, "The same as that of the baseline.") : null,
    h("details", {}, h("summary", {}, `${Object.keys(own).length} values`), pairs(own)),
  );
});

panelSections.push(({ found }) => panelSection("Factors", pairs(found.factors)));
