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
