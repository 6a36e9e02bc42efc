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
